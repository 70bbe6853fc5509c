"""Text that cannot be encoded becomes text that can, and comes back as it was."""

import pytest

from clew.ingest.encoding import escape_surrogates, escape_turn, is_encodable, unescape
from clew.types import Part, Turn


@pytest.mark.requirement("F-INGEST-03")
@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("plain ✓ 日本 🎉", "plain ✓ 日本 🎉"),
        ("half \ud83d pair", "half ␛d83d; pair"),
        ("a\0b", "a␛0000;b"),
        ("looks like ␛d83d; already", "looks like ␛241b;d83d; already"),
        ("␛ alone and ␛xyz stay", "␛ alone and ␛xyz stay"),
        ("bell \x07 and escape \x1b[0m stay", "bell \x07 and escape \x1b[0m stay"),
    ],
)
def test_only_what_cannot_be_stored_is_escaped(text: str, stored: str) -> None:
    assert escape_surrogates(text) == stored
    assert is_encodable(stored)
    assert unescape(stored) == text


@pytest.mark.requirement("F-INGEST-03")
def test_bytes_that_are_no_utf8_come_back() -> None:
    stored = escape_surrogates(b"caf\xe9 \xff".decode("utf-8", "surrogateescape"))
    assert stored == "caf␛dce9; ␛dcff;"
    assert unescape(stored).encode("utf-8", "surrogateescape") == b"caf\xe9 \xff"


@pytest.mark.requirement("F-INGEST-03")
def test_a_turn_is_escaped_everywhere() -> None:
    extra = {"k\ud800": ["v\ud800"]}
    parts = (Part(type="tool_call", text="x\udc80", name="n\ud800", call_id="i\ud800", media_type="\0", extra=extra),)
    turn = Turn(role="user", content=parts, session="s\ud800", speaker="p\ud800", metadata={"a": {"b": "c\0"}})
    clean = escape_turn(turn)
    assert clean.session == "s␛d800;"
    assert clean.speaker == "p␛d800;"
    assert clean.metadata == {"a": {"b": "c␛0000;"}}
    assert clean.parts[0].extra == {"k␛d800;": ["v␛d800;"]}
    assert (clean.parts[0].call_id, clean.parts[0].media_type) == ("i␛d800;", "␛0000;")
    assert clean.text == "n␛d800;(x␛dc80;)"


@pytest.mark.requirement("F-INGEST-03")
def test_a_turn_is_escaped_where_only_the_id_of_a_call_is_odd() -> None:
    turn = Turn(role="tool", content=(Part(type="tool_result", text="8123", call_id="i\ud800"),))
    assert escape_turn(turn).parts[0].call_id == "i␛d800;"


@pytest.mark.requirement("F-INGEST-03")
def test_a_clean_turn_is_not_made_anew() -> None:
    turn = Turn(role="user", content="nothing to do", metadata={"a": [1, "b"]})
    assert escape_turn(turn) is turn
