"""Turns and parts: what callers may pass, what becomes of it, and what is refused with a reason."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum
from typing import Any

import pytest

from clew.errors import InputError, TurnRejected
from clew.types import Part, Turn
from clew.types.turn import aware, plain_text


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Where this machine stands does not count."""
    with monkeypatch.context() as there:
        there.setenv("TZ", "Asia/Tokyo")
        getattr(time, "tzset", int)()  # Windows has none
        yield
    getattr(time, "tzset", int)()


TEXT = Part(type="text", text="hello")


@pytest.mark.requirement("F-TYPES-01")
@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("hello", (TEXT,)),
        (TEXT, (TEXT,)),
        ([TEXT], (TEXT,)),
        (["hello", TEXT], (TEXT, TEXT)),
        ([{"type": "text", "text": "hello"}], (TEXT,)),
        ([], ()),
        ("", (Part(type="text"),)),
    ],
)
def test_content_becomes_parts(content: Any, parts: tuple[Part, ...]) -> None:
    assert Turn(role="user", content=content).parts == parts


@pytest.mark.requirement("F-TYPES-01")
def test_the_plain_text_is_made_of_the_parts_unless_it_is_given() -> None:
    call = Part(type="tool_call", name="grep", text='{"q": 1}')
    parts = (TEXT, Part(type="text"), call, Part(type="tool_call", text="{}"), Part(type="image", text="a cat"))
    assert Turn(role="assistant", content=parts).text == 'hello\ngrep({"q": 1})\ntool({})\na cat'
    assert Turn(role="assistant", content=parts, text="mine").text == "mine"
    assert plain_text(()) == ""


@pytest.mark.requirement("F-TYPES-02")
@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (datetime(2024, 3, 5, 12), datetime(2024, 3, 5, 12, tzinfo=UTC)),  # noqa: DTZ001  # a time without a zone
        (datetime(2024, 3, 5, 12, tzinfo=timezone(timedelta(hours=-5))), datetime(2024, 3, 5, 17, tzinfo=UTC)),
        (None, None),
    ],
)
def test_times_are_kept_in_utc(in_tokyo: None, moment: datetime | None, expected: datetime | None) -> None:
    turn = Turn(role="user", content="x", at=moment, ingested_at=moment)
    assert (turn.at, turn.ingested_at) == (expected, expected)
    assert turn.at is None or turn.at.tzinfo is UTC


@pytest.mark.requirement("F-TYPES-02")
def test_a_time_that_utc_cannot_hold_is_refused() -> None:
    with pytest.raises(TurnRejected, match="outside the years 1 to 9999"):
        aware(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))), "at")


@pytest.mark.requirement("F-TYPES-03")
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"role": "robot"}, "role 'robot' is unknown; expected one of user, assistant, system, tool"),
        ({"role": None}, "role None is unknown"),
        ({"session": "  "}, "session '  ' is empty"),
        ({"session": 5}, "session of a turn: expected str, got int"),
        ({"content": 5}, "content: expected text or a list of parts, got int"),
        ({"content": None}, "content: expected text or a list of parts, got NoneType"),
        ({"content": b"x"}, "content: expected text or a list of parts, got bytes"),
        ({"content": [5]}, "part of content: expected clew.Part, text, or a mapping with 'type' and 'text', got int"),
        ({"content": [{"type": "smell"}]}, "part type 'smell' is unknown; expected one of text, tool_call"),
        ({"content": [{"type": "text", "text": 5}]}, "text of a part: expected str, got int"),
        ({"content": [{"type": "image", "blob": 5}]}, "blob of a part: expected str, got int"),
        ({"content": [{"type": "text", "extra": []}]}, "extra of a part: expected dict, got list"),
        ({"at": "today"}, "at: expected datetime.datetime, got str"),
        ({"origin": "heaven"}, "origin 'heaven' is unknown; expected one of user, assistant, tool, web, injected"),
        ({"speaker": 5}, "speaker of a turn: expected str, got int"),
        ({"external_id": 5}, "external_id of a turn: expected str, got int"),
        ({"parent": 5}, "parent of a turn: expected str, got int"),
        ({"source": b""}, "source of a turn: expected str, got bytes"),
        ({"branch": None}, "branch of a turn: expected str, got NoneType"),
        ({"text": None}, "text of a turn: expected str, got NoneType"),
        ({"metadata": None}, "metadata of a turn: expected dict, got NoneType"),
        ({"metadata": [1]}, "metadata of a turn: expected dict, got list"),
    ],
)
def test_what_a_turn_cannot_be_made_of_is_named(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(TurnRejected) as caught:
        Turn(**{"role": "user", "content": "x", **fields})
    assert message in str(caught.value)


@pytest.mark.requirement("F-TYPES-03")
def test_original_bytes_are_bytes() -> None:
    wrong: Any = "text"
    with pytest.raises(TurnRejected, match="data of a part: expected bytes, got str"):
        Part(type="image", data=wrong)


@pytest.mark.requirement("F-TYPES-03")
@pytest.mark.parametrize("data", [{"content": "x"}, {"role": "user"}, {}, 5, None, "text", [("role", "user")]])
def test_a_record_that_lacks_a_field_says_which(data: Any) -> None:
    with pytest.raises(InputError, match=r"lacks (role|content)|expected a mapping, got \w+"):
        Turn.from_dict(data)


@pytest.mark.requirement("F-TYPES-04")
@pytest.mark.parametrize(
    ("role", "kinds", "origin"),
    [
        ("user", ["text"], "user"),
        ("system", ["text"], "user"),
        ("assistant", ["text", "tool_call"], "assistant"),
        ("tool", ["text"], "tool"),
        ("user", ["tool_result"], "tool"),
        ("user", ["tool_result", "text"], "user"),
        ("assistant", ["tool_result"], "tool"),
        ("user", ["injected", "injected"], "injected"),
        ("user", ["injected", "text"], "user"),
        ("user", [], "user"),
    ],
)
def test_whose_words_a_turn_holds_follows_from_role_and_parts(role: Any, kinds: list[Any], origin: str) -> None:
    content = [Part(type=kind, text="x") for kind in kinds]
    assert Turn(role=role, content=tuple(content)).origin == origin
    assert Turn(role=role, content=tuple(content), origin="web").origin == "web"


@pytest.mark.requirement("F-TYPES-05")
def test_a_turn_has_an_id_once_it_has_a_place() -> None:
    turn = Turn(role="user", content="x", session="a:b c")
    assert turn.id is None
    placed = turn.stored(seq=3, ordinal=9, ingested_at=datetime(2024, 1, 1, tzinfo=UTC))
    assert placed.id == "a%3Ab%20c:turn:3"
    assert (placed.seq, placed.ordinal, placed.content) == (3, 9, turn.content)


class Stamp(datetime):
    """A moment as other libraries make them."""


class NotATime(datetime):
    """What pandas gives for a moment that is missing."""

    year = property(lambda _: float("nan"))


class Speaker(str, Enum):  # noqa: UP042  # as callers write it; a StrEnum shows itself as its text
    """A text that shows itself as something else."""

    ANN = "Ann"
    USER = "user"


@pytest.mark.requirement("F-TYPES-02")
def test_a_moment_of_a_subclass_becomes_a_plain_one() -> None:
    turn = Turn(role="user", content="x", at=Stamp(2024, 3, 5, 12, tzinfo=UTC))
    assert type(turn.at) is datetime
    assert turn.at == datetime(2024, 3, 5, 12, tzinfo=UTC)
    with pytest.raises(TurnRejected, match="no moment; give None where it is not known"):
        Turn(role="user", content="x", at=NotATime(2024, 3, 5, tzinfo=UTC))


@pytest.mark.requirement("F-TYPES-01")
def test_texts_of_a_subclass_become_plain_ones() -> None:
    role: Any = Speaker.USER
    turn = Turn(role=role, content=Speaker.ANN, session=Speaker.ANN, speaker=Speaker.ANN)
    part = turn.parts[0]
    assert (turn.role, turn.session, turn.speaker, turn.text, part.text) == ("user", "Ann", "Ann", "Ann", "Ann")
    assert {type(text) for text in (turn.role, turn.session, turn.speaker, turn.text, part.text)} == {str}
