"""Names of conversations in headers, there and back."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.serve.proxy.headers import in_header, options_of


def _asked_for(value: bytes) -> str | None:
    return options_of({b"x-clew-session": value}).session


@given(st.text(min_size=1).filter(lambda name: name == name.strip() and "\0" not in name))
@example("Büro")
@example("100%")
@example("a\r\nb")
def test_the_name_that_an_answer_tells_names_the_same_conversation(name: str) -> None:
    told = in_header(name)
    assert told.isascii()
    assert _asked_for(told) == name


@pytest.mark.parametrize(
    ("value", "incognito"),
    [(b"on", True), (b"1", True), (b" TRUE ", True), (b"enabled", True), (b"off", False), (b"0", False), (b"", False)],
)
def test_who_asks_to_be_incognito_in_any_words_is(value: bytes, incognito: bool) -> None:
    assert options_of({b"x-clew-incognito": value}).incognito is incognito


@pytest.mark.parametrize(
    "name", ["plain", "Büro", "100%", "a%20b", "%41", "%zz", "50% of it", "a%00b", "opencode/0b7f", "%E9", "日本"]
)
def test_a_name_that_no_answer_tells_like_this_is_taken_as_it_is(name: str) -> None:
    assert _asked_for(name.encode()) == name
