"""Ids of turns: from session and place, and back."""

import pytest

from clew.errors import InputError
from clew.types import parse_turn_id, turn_id


@pytest.mark.requirement("F-TYPES-05")
@pytest.mark.parametrize(
    ("session", "seq", "text"),
    [
        ("api", 0, "api:turn:0"),
        ("a:turn:1", 2, "a%3Aturn%3A1:turn:2"),
        ("a/b %", 5, "a%2Fb%20%25:turn:5"),
        ("第三", 7, "%E7%AC%AC%E4%B8%89:turn:7"),
        ("\ud800", 1, "%ED%A0%80:turn:1"),
    ],
)
def test_an_id_holds_session_and_place(session: str, seq: int, text: str) -> None:
    assert turn_id(session, seq) == text
    assert parse_turn_id(text) == (session, seq)


NO_IDS = ("", "api", ":turn:1", "api:turn:", "api:turn:-1", "api:turn:1.0", "api:turn:x", "api:turn:١", "api:beat:1")


@pytest.mark.requirement("F-TYPES-05")
@pytest.mark.parametrize(
    "text", [*NO_IDS, "a:turn:1 ", "%FF:turn:1", "a:turn:" + "9" * 19, "api:turn:" + "9" * 5000, "x" * 10_000]
)
def test_what_is_no_id_is_told_with_the_form_of_one(text: str) -> None:
    with pytest.raises(InputError, match="expected <session>:turn:<number>") as caught:
        parse_turn_id(text)
    assert len(str(caught.value)) < 400
