"""Every promise has a test, and every test's mark names a promise. Read from the source, so that no test need run."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from tests.house.tree import label, python_files
from tests.requirements import REQUIREMENTS

KNOWN = {requirement.id for requirement in REQUIREMENTS}


PLAIN = re.compile(r"^(?:@|pytestmark = )pytest\.mark\.requirement\(([^()]*)\)$", re.MULTILINE)
"""A mark on lines of its own, as nearly all are."""


def marks(source: str) -> Iterator[str]:
    """The ids in every `pytest.mark.requirement(...)` of a module."""
    plain = PLAIN.findall(source)
    if len(plain) == source.count("requirement("):
        yield from (name for names in plain for name in ast.literal_eval(f"[{names}]"))
        return  # without being parsed
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "requirement"  # cheap, and rarely so
            and ast.unparse(node.func) == "pytest.mark.requirement"
        ):
            yield from (ast.literal_eval(argument) for argument in node.args)


@cache
def covered() -> dict[str, set[str]]:
    """File -> the ids that its marks name."""
    return {label(p): set(marks(p.read_text(encoding="utf-8"))) for p in python_files("tests")}


@pytest.mark.requirement("F-HOUSE-13")
def test_every_requirement_has_a_test() -> None:
    assert sorted(KNOWN - set().union(*covered().values())) == []


@pytest.mark.requirement("F-HOUSE-13")
def test_every_mark_names_a_requirement() -> None:
    assert {path: sorted(unknown) for path, ids in covered().items() if (unknown := ids - KNOWN)} == {}


@pytest.mark.requirement("F-HOUSE-13")
def test_requirements_are_whole() -> None:
    assert [each for each, count in Counter(r.id for r in REQUIREMENTS).items() if count > 1] == []
    for requirement in REQUIREMENTS:
        assert re.fullmatch(r"[A-Z]+-[A-Z]+-\d{2}", requirement.id), requirement
        assert requirement.source, requirement
        assert re.fullmatch(r"[A-Z0-9`].*[.]", requirement.sentence), requirement


@pytest.mark.requirement("F-HOUSE-13")
def test_marks_are_read_wherever_they_stand() -> None:
    marked = '@pytest.mark.requirement("A", "B")\ndef f(): ...\npytestmark = pytest.mark.requirement("C")\n'
    assert sorted(marks(marked)) == ["A", "B", "C"]
    assert sorted(marks(marked.replace('"A", "B"', '\n    "A",\n    "B",\n'))) == ["A", "B", "C"]
    assert sorted(marks(f"{marked}parameter = pytest.param(1, marks=pytest.mark.requirement('D'))\n")) == list("ABCD")
