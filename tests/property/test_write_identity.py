"""Turns that are sent, edited, forgotten and sent again are stored once; none returns and none is lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory import Memory
from clew.types import Turn
from tests.support.effort import examples
from tests.support.memories import at, quiet, texts, told

letters = st.lists(st.sampled_from("abc"), min_size=1, max_size=9).map("".join)


def make(said: str, kind: str) -> list[Turn]:
    """A history, with times, with ids, or with neither."""
    if kind == "timed":
        return [told(letter, at=at(n)) for n, letter in enumerate(said)]
    return [told(letter, external_id=f"{n}" if kind == "named" else None) for n, letter in enumerate(said)]


kinds = st.sampled_from(["plain", "timed", "named"])


@pytest.mark.requirement("F-PIPELINE-01", "F-PIPELINE-11")
@settings(max_examples=examples(12, 100))
@given(letters, letters, kinds, st.integers(1, 4), st.data())
def test_a_history_with_forgotten_turns_is_sent_again(
    said: str, more: str, kind: str, batch: int, data: st.DataObject
) -> None:
    gone = data.draw(st.sets(st.integers(0, len(said) - 1)))
    with quiet(config={"ingest": {"batch": batch}}) as memory:
        assert memory.add_many(make(said, kind)).added == len(said)
        memory.forget(turn_ids=[f"s:turn:{n}" for n in gone])
        kept = [letter for n, letter in enumerate(said) if n not in gone]
        again = memory.add_many(make(said, kind))
        assert (again.added, again.known, again.skipped.get("forgotten", 0)) == (0, len(kept), len(gone))
        longer = memory.add_many(make(said + more, kind))
        assert (longer.added, longer.known) == (len(more), len(kept))
        assert texts(memory) == [*kept, *more]
        assert memory.add_many(make(said + more, kind)).added == 0


@pytest.mark.requirement("F-PIPELINE-01", "F-PIPELINE-11")
@settings(max_examples=examples(12, 100))
@given(st.lists(letters, min_size=1, max_size=4), st.data())
def test_edits_of_edits_are_known_again_although_turns_were_forgotten(tails: list[str], data: st.DataObject) -> None:
    """Every history begins with the same turn, so that each is the stored branch or an edit of one."""
    with quiet() as memory:
        for tail in tails:
            memory.add_many(make("x" + tail, "plain"))
        stored = memory.stats().turns
        gone = data.draw(st.sets(st.integers(0, stored - 1)))
        memory.forget(turn_ids=[f"s:turn:{n}" for n in gone])
        kept = texts(memory)
        for tail in tails:
            assert memory.add_many(make("x" + tail, "plain")).added == 0
        assert texts(memory) == kept


@pytest.mark.requirement("F-PIPELINE-02")
@settings(max_examples=examples(9, 80))
@given(st.lists(st.tuples(st.sampled_from("ab"), letters), min_size=1, max_size=5), st.integers(1, 5))
def test_sessions_sent_in_any_order_are_stored_as_if_sent_alone(parts: list[tuple[str, str]], batch: int) -> None:
    mixed = [told(letter, name) for name, said in parts for letter in said]
    alone = {name: [turn.text for turn in mixed if turn.session == name] for name in "ab"}
    with quiet(config={"ingest": {"batch": batch}}) as memory:
        report = memory.add_many(mixed)
        assert report.added == len(mixed)
        assert [memory.get(name).text for name in report.turn_ids] == [turn.text for turn in mixed]
        assert by_session(memory) == alone
        assert memory.add_many(mixed).added == 0


def by_session(memory: Memory) -> dict[str, list[str]]:
    found = {}
    for name in "ab":
        count = sum(memory.get(each).session == name for each in all_ids(memory))
        found[name] = [memory.get(f"{name}:turn:{n}").text for n in range(count)]
    return found


def all_ids(memory: Memory) -> list[str]:
    return list(memory.forget(session="a", dry_run=True).turn_ids + memory.forget(session="b", dry_run=True).turn_ids)
