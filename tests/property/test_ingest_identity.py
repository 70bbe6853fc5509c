"""A history that is sent again adds nothing; one that grew adds exactly what is new."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.ingest.identity import Placement, TurnKey, align

START = datetime(2024, 3, 5, tzinfo=UTC)


def store(stored: list[TurnKey], incoming: list[TurnKey]) -> tuple[list[TurnKey], list[Placement]]:
    """What is stored after an incoming sequence, and what became of it: what the write path does with an alignment."""
    places = list(align(stored, incoming))
    kept = list(stored)
    where: dict[int, int] = {n: n for n in range(len(stored))}
    for n, (each, place) in enumerate(zip(incoming, places, strict=True)):
        if place.known is not None:
            where[len(stored) + n] = where[place.known]
        elif place.is_new:
            where[len(stored) + n] = len(kept)
            follows = None if place.follows is None else where[place.follows]
            kept.append(replace(each, branch=place.branch, follows=follows))
    return kept, places


def timed(texts: list[int]) -> list[TurnKey]:
    return [TurnKey(hash=bytes([text]), at=START + timedelta(minutes=n)) for n, text in enumerate(texts)]


def untimed(texts: list[int]) -> list[TurnKey]:
    return [TurnKey(hash=bytes([text])) for text in texts]


def named(texts: list[int]) -> list[TurnKey]:
    return [TurnKey(hash=bytes([text]), external_id=str(n)) for n, text in enumerate(texts)]


SOME_WORDS = st.lists(st.integers(0, 3), min_size=2, max_size=12)  # few, so that they repeat
HISTORIES = st.builds(lambda make, texts: make(texts), st.sampled_from([timed, untimed, named]), SOME_WORDS)


@pytest.mark.requirement("F-INGEST-19", "F-INGEST-21")
@given(HISTORIES)
def test_a_history_is_stored_whole_and_once(history: list[TurnKey]) -> None:
    stored, _ = store([], history)
    assert [each.hash for each in stored] == [each.hash for each in history]
    assert store(stored, history)[0] == stored


@pytest.mark.requirement("F-INGEST-19")
@given(HISTORIES, st.data())
def test_a_history_that_grew_adds_exactly_its_new_part(history: list[TurnKey], data: st.DataObject) -> None:
    known = data.draw(st.integers(1, len(history)))
    stored, _ = store([], history[:known])
    grown, places = store(stored, history)
    assert [place.known for place in places] == [*range(known), *([None] * (len(history) - known))]
    assert [each.hash for each in grown] == [each.hash for each in history]
    assert {each.branch for each in grown} == {""}


@pytest.mark.requirement("F-INGEST-19")
@given(HISTORIES, st.data())
def test_a_client_that_forgets_the_beginning_adds_exactly_the_new_part(
    history: list[TurnKey], data: st.DataObject
) -> None:
    known = data.draw(st.integers(2, len(history)))
    first = data.draw(st.integers(0, known - 2))
    stored, _ = store([], history[:known])
    grown, places = store(stored, history[first:])
    if history[first].at is not None or history[first].external_id is not None:  # else it may look like another place
        assert [place.known for place in places[: known - first]] == [*range(first, known)]
        assert len(grown) == len(history)
    assert grown[:known] == stored


@pytest.mark.requirement("F-INGEST-19")
@given(SOME_WORDS, st.integers(1, 4), st.integers(1, 4), st.data())
def test_the_last_turns_of_any_path_add_exactly_what_is_new_whatever_the_first_one_says(
    texts: list[int], edits: int, new: int, data: st.DataObject
) -> None:
    """Few words, so that the first of the last turns often equals the very first turn of all."""
    stored, _ = store([], untimed(texts))
    path = texts
    for number in range(data.draw(st.integers(0, edits))):
        path = [*texts[: data.draw(st.integers(1, len(texts)))], 10 + number, *data.draw(SOME_WORDS)]
        stored, _ = store(stored, untimed(path))
    window = path[data.draw(st.integers(0, len(path) - 2)) :]
    sent = untimed([*window, *range(100, 100 + new)])
    kept, places = store(stored, sent)
    assert [place.is_new for place in places] == [*([False] * len(window)), *([True] * new)]
    assert store(kept, sent)[0] == kept


@pytest.mark.requirement("F-INGEST-20")
@given(SOME_WORDS, st.data())
def test_an_edit_keeps_the_old_branch_and_opens_a_new_one(texts: list[int], data: st.DataObject) -> None:
    stored, _ = store([], untimed(texts))
    common = data.draw(st.integers(1, len(texts) - 1))
    edited = untimed([*texts[:common], 9, *data.draw(st.lists(st.integers(0, 3), max_size=5))])
    kept, places = store(stored, edited)
    assert kept[: len(stored)] == stored
    assert [place.known for place in places[:common]] == [*range(common)]
    assert places[common].opens
    assert places[common].follows == common - 1
    assert {place.branch for place in places[common:]} == {"edit-1"}
    assert store(kept, edited)[0] == kept
    assert store(kept, untimed(texts))[0] == kept


@pytest.mark.requirement("F-INGEST-19", "F-INGEST-20")
@given(st.lists(SOME_WORDS, min_size=1, max_size=6))
def test_edits_of_edits_are_all_known_again(tails: list[list[int]]) -> None:
    """Every history begins with the same first turn, so each is the stored branch or an edit of one."""
    stored: list[TurnKey] = []
    histories = [untimed([7, *tail]) for tail in tails]
    for history in histories:
        stored, _ = store(stored, history)
    for history in histories:
        assert store(stored, history)[0] == stored


ANY_KEYS = st.lists(
    st.builds(
        TurnKey,
        hash=st.sampled_from([b"a", b"b", b"c"]),
        at=st.sampled_from([None, START, START + timedelta(minutes=1)]),
        external_id=st.sampled_from([None, None, "1", "2", "3"]),
        branch=st.sampled_from(["", "", "side"]),
    ),
    max_size=12,
)


@pytest.mark.requirement("F-INGEST-19", "F-INGEST-22")
@given(st.lists(ANY_KEYS, max_size=4), ANY_KEYS)
def test_any_sequence_gets_consistent_positions(before: list[list[TurnKey]], incoming: list[TurnKey]) -> None:
    stored: list[TurnKey] = []
    for history in before:
        stored, _ = store(stored, history)
    places = align(stored, incoming)
    assert len(places) == len(incoming)
    both = [*stored, *incoming]
    known = [place.known for place in places if place.known is not None and place.known < len(stored)]
    unnamed = [n for n in known if stored[n].external_id is None]
    assert len(set(unnamed)) == len(unnamed), "two turns without ids were taken for one"
    for n, (each, place) in enumerate(zip(incoming, places, strict=True)):
        assert (place.known is None) or (place.conflict is None)
        if place.known is not None:
            assert place.known < len(stored) + n
            assert both[place.known].hash == each.hash
        if place.conflict is not None:
            assert both[place.conflict].external_id == each.external_id
            assert both[place.conflict].hash != each.hash
        if place.follows is not None:
            assert place.follows < len(stored)


@pytest.mark.requirement("F-INGEST-22")
@given(ANY_KEYS, ANY_KEYS)
def test_no_external_id_is_stored_twice(one: list[TurnKey], other: list[TurnKey]) -> None:
    stored, _ = store([], one)
    stored, _ = store(stored, other)
    ids = [each.external_id for each in stored if each.external_id is not None]
    assert len(set(ids)) == len(ids)
