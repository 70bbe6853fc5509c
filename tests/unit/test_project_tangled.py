"""Files that are not in the language of their ending, of which a parser or a query would take very long."""

import pytest

from clew.project.parse.parse import parse
from tests.support.projects import needs_grammars


@needs_grammars
@pytest.mark.requirement("L-PRJ-06")
@pytest.mark.parametrize(("name", "part"), [("a.py", "(\n"), ("a.js", "{\n"), ("a.js", "if\n"), ("a.c", "int *f(\n")])
def test_text_that_would_take_a_query_too_long_is_read_as_text(name: str, part: str) -> None:
    parsed = parse(name, (part * 100_000).encode())
    assert (parsed.language, len(parsed.nodes), parsed.syntax_errors) == ("text", 1, True)


@needs_grammars
@pytest.mark.requirement("L-PRJ-06")
@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.py", ".. a::\n"),
        ("a.py", ". a:\n"),
        ("a.go", ".. a::\n"),
        ("a.cpp", ".. a::\n"),
        pytest.param("a.rb", "<a href='x'>y</a>\n", marks=pytest.mark.slow),
    ],
)
def test_a_parser_that_would_take_too_long_is_stopped(name: str, line: str) -> None:
    code = "def pay(cart):\n    return cart.total\n\n\n" if name == "a.py" else ""
    for text in {line * 33_000, code + line * 33_000}:  # one where there is no code before
        parsed = parse(name, text.encode())
        assert (parsed.language, parsed.syntax_errors) == ("text", True)
        assert parsed.lines == text.count("\n")


@needs_grammars
@pytest.mark.requirement("L-PRJ-06")
@pytest.mark.parametrize(
    ("lines", "language"), [(1_000, "python"), pytest.param(33_000, "text", marks=pytest.mark.slow)]
)
def test_a_parser_that_looks_ahead_over_and_over_is_stopped(lines: int, language: str) -> None:
    code = "def pay(cart):\n    return 1\n" + "# note\n" * lines
    assert parse("a.py", code.encode()).language == language
    above = parse("a.py", ("# note\n" * lines + "def pay(cart):\n    return 1\n").encode())
    assert [node.name for node in above.nodes if node.kind == "function"] == ["pay"]
