"""In a meeting a point is talked over for dozens of turns: those around the turns that name it are found with them."""

from datetime import timedelta

import pytest

from clew.memory import Memory
from clew.testing import FrozenClock
from clew.types import Turn
from tests.support.ranking_spaces import NOON

pytestmark = pytest.mark.requirement("F-MEETING-02")

QUESTION = "What did they say about the bridge?"


def meeting(turns: int = 120, people: tuple[str, ...] = ("Ann", "Bob", "Cyn", "Dan"), seconds: float = 9) -> list[Turn]:
    """The bridge is named in turns 60 and 64, each of which says nothing else."""
    return [
        Turn(
            role="user",
            content="the bridge" if place in {60, 64} else f"well yes number {place}",
            speaker=people[place % len(people)],
            session="s",
            at=NOON + timedelta(seconds=seconds * place),
        )
        for place in range(turns)
    ]


def stretches(turns: list[Turn], question: str = QUESTION, **recall: float) -> dict[int, float]:
    """What `stretch` adds to each turn, by its place."""
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON), config={"recall": recall}) as memory:
        memory.add_many(turns)
        hits = memory.search(question, limit=len(turns))
        return {
            hit.turn.seq: hit.signals["stretch"]
            for hit in hits
            if "stretch" in hit.signals and hit.turn.seq is not None
        }


def test_signal_stretch_adds_most_in_the_middle_of_what_matches_and_nothing_far_away() -> None:
    found = stretches(meeting())
    assert max(found, key=lambda place: found[place]) in range(58, 67)
    assert found[62] > found[54] > found[48] > 0 > found[20]
    assert found[20] == pytest.approx(found[100])
    half = stretches(meeting(), stretch=1.0)
    assert half[62] == pytest.approx(found[62] / 2, abs=1e-5)
    assert not stretches(meeting(), stretch=0.0)


def test_turns_around_the_ones_that_match_are_ranked_before_those_far_away() -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add_many(meeting())
        first = [hit.turn.seq or 0 for hit in memory.ranked(QUESTION, limit=12)]
    assert set(first[:2]) == {60, 64}
    assert all(52 <= place <= 72 for place in first)


def test_chats_of_two_short_talk_and_messages_hours_apart_are_no_meeting() -> None:
    assert not stretches(meeting(people=("Ann", "Bob")))
    assert not stretches(meeting(people=("Ann", *["Bob"] * 40, "Cyn")))
    assert not stretches(meeting(seconds=3_600))
    assert not stretches(meeting()[50:75])
    undated = [Turn(role="user", content=turn.text, speaker=turn.speaker, session="s") for turn in meeting()]
    assert stretches(undated)


def test_less_of_a_meeting_counts_less_and_a_silence_ends_it() -> None:
    long, short = stretches(meeting()), stretches(meeting(80))
    assert 0 < max(short.values()) < max(long.values())
    resumed = [
        *meeting(),
        Turn(role="user", content="the bridge", speaker="Ann", session="s", at=NOON + timedelta(hours=9)),
    ]
    assert 120 not in stretches(resumed)


def test_a_search_for_words_wants_the_turns_that_have_them() -> None:
    turns = meeting()
    assert not stretches(
        [*turns, Turn(role="user", content="zebra xylophone", speaker="Ann", session="t")], "zebra xylophone"
    )


def test_an_agents_turns_are_no_part_of_a_meeting() -> None:
    agents = [Turn(role="assistant", content=turn.text, speaker=turn.speaker, session="s") for turn in meeting()]
    assert not stretches(agents)
