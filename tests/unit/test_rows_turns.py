"""Turns as rows: everything comes back, in a form that is the same for equal turns."""

from datetime import UTC, datetime, timedelta

import pytest

from clew.errors import StoreCorrupt
from clew.store.rows import dumps, from_us, to_us, turn_from_row, turn_row, turns_from_rows
from clew.types import Part, Turn

WHEN = datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
FULL = Turn(
    role="user",
    content=(Part(type="text", text="a"), Part(type="image", blob="ff", media_type="image/png", extra={"b": [1]})),
    session="s",
    speaker="Ann",
    at=WHEN,
    external_id="e",
    parent="s:turn:0",
    branch="edit-1",
    origin="web",
    source="test",
    metadata={"b": 1, "a": {"é": None}},
    seq=4,
    ordinal=9,
    ingested_at=WHEN + timedelta(days=1),
    text="given apart",
)
PLAIN = Turn(role="user", content="just words").stored(seq=0, ordinal=0, ingested_at=WHEN)


@pytest.mark.requirement("F-TYPES-07")
@pytest.mark.parametrize("turn", [FULL, PLAIN])
def test_a_turn_comes_back_from_its_row(turn: Turn) -> None:
    assert turn_from_row(turn_row("a", turn, b"hash")) == turn


@pytest.mark.requirement("F-TYPES-07")
@pytest.mark.parametrize("turns", [[], [PLAIN, PLAIN], [PLAIN, FULL, PLAIN], [FULL]])
def test_many_turns_come_back_from_their_rows(turns: list[Turn]) -> None:
    made = turns_from_rows([turn_row("a", turn, b"hash") for turn in turns])
    assert made == turns
    assert len({id(turn.metadata) for turn in made}) == len(made)  # whoever changes one changes no other


@pytest.mark.requirement("F-TYPES-07")
def test_of_many_rows_the_damaged_one_is_named() -> None:
    row = turn_row("a", PLAIN, b"hash")
    with pytest.raises(StoreCorrupt, match="'default:turn:7' is damaged"):
        turns_from_rows([row, row._replace(seq=7, at=10**30)])
    with pytest.raises(StoreCorrupt, match="'default:turn:8' is damaged"):
        turns_from_rows([row, row._replace(seq=8, metadata="{")])


@pytest.mark.requirement("F-TYPES-07")
def test_plain_words_are_kept_once() -> None:
    row = turn_row("a", PLAIN, b"hash")._asdict()
    assert (row["parts"], row["metadata"], row["text"]) == (None, None, "just words")
    caption = Turn(role="user", content=(Part(type="image", text="just words"),), seq=0, ordinal=0, ingested_at=WHEN)
    assert turn_row("a", caption, b"hash").parts is not None


@pytest.mark.requirement("F-TYPES-07")
def test_equal_values_are_equal_bytes() -> None:
    assert dumps({"b": "é", "a": [1, None]}) == dumps({"a": [1, None], "b": "é"}) == '{"a":[1,null],"b":"é"}'


@pytest.mark.requirement("F-TYPES-07")
@pytest.mark.parametrize("moment", [None, WHEN, datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_a_moment_comes_back_to_the_microsecond(moment: datetime | None) -> None:
    assert from_us(to_us(moment)) == moment
    assert to_us(WHEN) == -1
