"""A pattern that is compiled when it is first used."""

import re

import pytest

from clew.text.late_pattern import late_pattern


@pytest.mark.requirement("F-SPEED-38")
def test_a_late_pattern_does_what_the_compiled_one_does() -> None:
    late, compiled = late_pattern(r"(?P<word>[a-z]+)", re.IGNORECASE), re.compile(r"(?P<word>[a-z]+)", re.IGNORECASE)
    for text in ("One two", "", "3"):
        assert [match.groupdict() for match in late.finditer(text)] == [
            match.groupdict() for match in compiled.finditer(text)
        ]
        assert late.findall(text) == compiled.findall(text)
        assert late.sub("x", text) == compiled.sub("x", text)
    assert (late.pattern, late.groups) == (compiled.pattern, compiled.groups)


@pytest.mark.requirement("F-SPEED-38")
def test_a_late_pattern_is_compiled_by_its_first_use() -> None:
    wrong = late_pattern("(")
    with pytest.raises(re.error):
        wrong.search("x")
