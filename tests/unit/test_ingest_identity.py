"""Which turns are known, and where new ones go: the rules by example."""

from datetime import UTC, datetime, timedelta

import pytest

from clew.ingest.identity import Placement, TurnKey, align, content_hash
from clew.ingest.media import offload
from clew.types import Part, Turn
from tests.support.effort import examples

NOON = datetime(2024, 3, 5, 12, tzinfo=UTC)


def key(
    text: str, name: str | None = None, at: int | None = None, branch: str = "", follows: int | None = None
) -> TurnKey:
    """A turn that says `text`, `at` minutes after noon."""
    moment = None if at is None else NOON + timedelta(minutes=at)
    return TurnKey(hash=text.encode(), at=moment, external_id=name, branch=branch, follows=follows)


def keys(texts: str) -> list[TurnKey]:
    """A turn for each letter."""
    return [key(letter) for letter in texts]


def fates(stored: list[TurnKey], incoming: list[TurnKey]) -> list[str]:
    """What becomes of each incoming turn, as `=2` known, `!2` conflict, `+` new, `+edit-1` new there, `+<2` after 2."""
    found = []
    for place in align(stored, incoming):
        after = "" if place.follows is None else f"<{place.follows}"
        new = f"+{place.branch}{after}{'*' if place.opens else ''}"
        found.append(
            f"={place.known}"
            if place.known is not None
            else f"!{place.conflict}"
            if place.conflict is not None
            else new
        )
    return found


@pytest.mark.requirement("F-INGEST-19")
@pytest.mark.parametrize(
    ("stored", "incoming", "expected"),
    [
        ("", "ab", ["+", "+"]),
        ("abc", "abc", ["=0", "=1", "=2"]),
        ("abc", "ab", ["=0", "=1"]),
        ("abc", "abcde", ["=0", "=1", "=2", "+", "+"]),
        ("abc", "bcd", ["=1", "=2", "+"]),  # the client dropped the beginning
        ("abc", "cd", ["+", "+"]),  # one equal turn alone says nothing
        ("abc", "xy", ["+", "+"]),
        ("xabab", "ababc", ["=1", "=2", "=3", "=4", "+"]),  # the longest overlap
        ("xab", "abab", ["=1", "=2", "+", "+"]),
        ("abcade", "adef", ["=3", "=4", "=5", "+"]),  # it dropped the beginning up to a turn that says the same
        ("abcab", "abd", ["=0", "=1", "+edit-1<1*"]),  # as much of the beginning as of the end: an edit
    ],
)
def test_a_history_that_is_sent_again_adds_what_is_new(stored: str, incoming: str, expected: list[str]) -> None:
    assert fates(keys(stored), keys(incoming)) == expected


@pytest.mark.requirement("F-INGEST-20")
def test_an_edit_opens_a_branch_after_the_last_common_turn() -> None:
    assert fates(keys("abc"), keys("axy")) == ["=0", "+edit-1<0*", "+edit-1"]


BRANCHED = [*keys("abc"), key("x", branch="edit-1", follows=0), key("y", branch="edit-1")]


@pytest.mark.requirement("F-INGEST-20")
@pytest.mark.parametrize(
    ("incoming", "expected"),
    [
        ("abc", ["=0", "=1", "=2"]),
        ("axy", ["=0", "=3", "=4"]),
        ("axyz", ["=0", "=3", "=4", "+edit-1"]),
        ("abcd", ["=0", "=1", "=2", "+"]),
        ("axq", ["=0", "=3", "+edit-2<3*"]),
        ("aq", ["=0", "+edit-2<0*"]),
        ("xyz", ["=3", "=4", "+edit-1"]),
    ],
)
def test_a_branch_is_a_line_of_its_own(incoming: str, expected: list[str]) -> None:
    assert fates(BRANCHED, keys(incoming)) == expected


@pytest.mark.requirement("F-INGEST-21")
def test_repetition_is_never_dropped() -> None:
    assert fates([], keys("ooo")) == ["+", "+", "+"]
    assert fates(keys("o"), keys("oo")) == ["=0", "+"]
    assert fates(keys("xo"), keys("o")) == ["+"]


@pytest.mark.requirement("F-INGEST-21")
def test_the_same_words_at_another_time_are_another_turn() -> None:
    assert fates([key("a", at=0), key("b", at=1)], [key("a", at=5), key("b", at=6)]) == ["+", "+"]
    assert fates([key("a", at=0), key("b", at=1)], [key("a"), key("b", at=1)]) == ["=0", "=1"]
    assert fates([key("a", at=0), key("b", at=1)], [key("b", at=1), key("c", at=2)]) == ["=1", "+"]
    assert fates([key("a", at=0), key("b", at=1)], [key("b"), key("c", at=2)]) == ["+", "+"]


NAMED = [key("a", "1"), key("b", "2"), key("c", "3")]


@pytest.mark.requirement("F-INGEST-22")
@pytest.mark.parametrize(
    ("incoming", "expected"),
    [
        (NAMED, ["=0", "=1", "=2"]),
        ([key("b", "2")], ["=1"]),
        ([*NAMED, key("d", "4")], ["=0", "=1", "=2", "+"]),
        ([key("a", "1"), key("B", "2"), key("d", "4")], ["=0", "!1", "+<1*"]),
        ([key("a", "1"), key("d", "4"), key("b", "2")], ["=0", "+<0", "=1"]),  # between two known turns: no edit
        ([key("a", "9"), key("b", "8")], ["+", "+"]),  # other ids are other turns
        ([key("d", "4"), key("d", "4"), key("e", "4")], ["+", "=3", "!3"]),
        ([key("a"), key("b"), key("c"), key("d")], ["=0", "=1", "=2", "+"]),
        ([key("a"), key("a", "1")], ["+", "=0"]),  # an id takes its turn; an equal text without one is another
    ],
)
def test_ids_decide_where_there_are_any(incoming: list[TurnKey], expected: list[str]) -> None:
    found = fates(NAMED, incoming)
    assert [fate.replace("edit-1", "") for fate in found] == expected


@pytest.mark.requirement("F-INGEST-20")
def test_turns_of_several_branches_are_lined_up_apart() -> None:
    stored = [key("a"), key("s", branch="side", follows=0), key("b"), key("t", branch="side")]
    incoming = [key("a"), key("s", branch="side"), key("t", branch="side"), key("b"), key("u", branch="side"), key("c")]
    assert fates(stored, incoming) == ["=0", "=1", "=3", "=2", "+side", "+"]


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.requirement("F-INGEST-19")
def test_many_equal_turns_are_quickly_told_apart() -> None:
    many = keys("o") * examples(20_000, 100_000)
    assert sum(place.is_new for place in align(many, [*many, key("o")])) == 1
    assert all(place.is_new for place in align([key("x"), *many, key("y")], many))


@pytest.mark.requirement("F-INGEST-19")
def test_the_hash_is_of_what_is_said_and_by_whom() -> None:
    turn = Turn(role="user", content="hello", speaker="Ann")
    same = Turn(role="user", content="hello", speaker="Ann", session="x", at=NOON, external_id="e", metadata={"a": 1})
    others = [
        Turn(role="assistant", content="hello", speaker="Ann"),
        Turn(role="user", content="hello", speaker="Bob"),
        Turn(role="user", content="hello ", speaker="Ann"),
        Turn(role="user", content=("hel", "lo"), speaker="Ann"),  # type: ignore[arg-type]  # text is made into parts
        Turn(role="user", content=(Part(type="thinking", text="hello"),), speaker="Ann"),
        Turn(role="user", content=(Part(type="text", text="hello", data=b"x"),), speaker="Ann"),
    ]
    assert content_hash(turn) == content_hash(same)
    assert len({content_hash(each) for each in [turn, *others]}) == len(others) + 1


@pytest.mark.requirement("F-INGEST-19")
def test_moving_originals_out_does_not_change_the_hash() -> None:
    parts = (Part(type="tool_result", text="long " * 500), Part(type="image", data=b"x", text="caption"))
    turn = Turn(role="tool", content=parts)
    assert content_hash(offload(turn, 1000)[0]) == content_hash(offload(turn, 100)[0]) == content_hash(turn)


@pytest.mark.requirement("F-INGEST-19")
def test_a_new_turn_is_one_that_is_neither_known_nor_in_conflict() -> None:
    assert [place.is_new for place in (Placement(), Placement(known=0), Placement(conflict=0))] == [True, False, False]
