"""How large a module and a function may be. Ruff counts arguments and complexity; here is what it cannot count."""

import ast
import re
import tomllib

import pytest

from tests.house.tree import ROOT, findings, functions

MODULE_LINES = 500
FUNCTION_LINES = 60


A_DEF = re.compile(r"^([ \t]*)(?:async )?def ", re.MULTILINE)


def has_room(source: str) -> bool:
    """Whether a function may be too long: no other begins, as far out as it, within as many lines."""
    texts = source.split('"""')[1::2]
    if "'''" in source or any(A_DEF.search(text) for text in texts):
        return True  # functions in texts would count
    open_at: list[tuple[int, int]] = []  # indent and line of each function around
    lines = source.splitlines()
    for number, line in enumerate([*lines, "def "]):
        begun = A_DEF.match(line)
        while begun and open_at and open_at[-1][0] >= len(begun[1]):
            if number - open_at.pop()[1] > FUNCTION_LINES:
                return True
        if begun:
            open_at.append((len(begun[1]), number))
    return False


def too_long(source: str) -> list[str]:
    """What is longer than allowed in a module; a function is counted from its `def` to its last line."""
    lines = len(source.splitlines())
    module = ast.parse(source if has_room(source) else "")  # most need no parser
    lengths = [(f.name, (f.end_lineno or f.lineno) - f.lineno + 1) for f in functions(module)]
    found = [f"{name} of {length} lines" for name, length in lengths if length > FUNCTION_LINES]
    return found if lines <= MODULE_LINES else [f"module of {lines} lines", *found]


@pytest.mark.requirement("F-HOUSE-01")
def test_modules_and_functions_are_short() -> None:
    found = findings(too_long, "src", "tests", "benchmarks")
    found.pop("tests/requirements.py", None)  # rows of data: it grows by one for each promise
    assert found == {}


@pytest.mark.requirement("F-HOUSE-01")
def test_longer_ones_are_found() -> None:
    assert too_long("def long():\n" + "    x = 1\n" * FUNCTION_LINES) == ["long of 61 lines"]
    assert too_long("x = 1\n" * (MODULE_LINES + 1)) == ["module of 501 lines"]
    assert too_long("def just():\n" + "    x = 1\n" * (FUNCTION_LINES - 1)) == []


@pytest.mark.requirement("F-HOUSE-01")
def test_ruff_holds_arguments_and_complexity() -> None:
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
    assert lint["pylint"]["max-args"] <= 7
    assert lint["mccabe"]["max-complexity"] <= 10
    assert {"PL", "C90"} <= set(lint["select"])
