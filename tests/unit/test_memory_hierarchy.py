"""What a memory says of its beats: positions, states before, movements, and several sessions together."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from clew.errors import InputError, NotFoundError
from clew.memory import Memory
from clew.types import Turn
from tests.support.memories import NOON, quiet, told
from tests.support.memories import rows as stored

TALK = (
    ("The roses need water before noon.", "Tomato plants hate wet leaves.", "My compost heap is warm and smells."),
    (
        "The deploy of the server failed, and the api returns an error for every request that the client sends.",
        "Restart the queue worker on node 3. It keeps the server busy, and the client waits for the api.",
        "Redis ran out of memory on the server, so the api lost its cache. The client then asks the database.",
    ),
    ("We land in Lisbon at noon.", "The hotel lies near the river.", "Trams run all night in summer, they say."),
)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as held:
        for hour, beat in enumerate(TALK):
            held.add_many(
                told(text, at=NOON + timedelta(hours=2 * hour, minutes=place)) for place, text in enumerate(beat)
            )
        held.add(told("Lunch was fine, by the way.", session="other", at=NOON))
        assert held.drain(None)
        yield held


def first(memory: Memory, query: str, **more: object) -> str:
    return memory.recall(query, **more).items[0].turn_ids[0]  # type: ignore[arg-type]  # any keyword is tried


def score(memory: Memory, turn: str, position: int) -> float:
    items = memory.recall("noon", session="s", position=position).items
    return next(item.score for item in items if turn in item.turn_ids)


@pytest.mark.requirement("W-STAGE-09")
def test_turns_where_the_caller_points_come_first(memory: Memory) -> None:
    assert len(memory.snapshots("s")) == 2
    assert first(memory, "noon", session="s", position=0) == "s:turn:0"
    assert score(memory, "s:turn:6", 2) > score(memory, "s:turn:6", 1) > score(memory, "s:turn:6", 0)
    assert score(memory, "s:turn:6", -1) == score(memory, "s:turn:6", 1)  # the open beat is the third
    assert first(memory, "noon", session="s", position=-2) == "s:turn:0"
    assert memory.recall("noon", session="s", context_position=1).items[0].score == pytest.approx(
        memory.recall("noon", session="s", position=1).items[0].score
    )
    context = memory.recall("noon", session="s", position=2)
    assert {turn for item in context.items for turn in item.turn_ids} >= {"s:turn:0", "s:turn:6"}  # nothing is filtered
    assert max(item.signals["position"] for item in context.items) == 3


@pytest.mark.requirement("W-STAGE-09")
def test_a_position_needs_a_beat(memory: Memory) -> None:
    for odd in (3, -4, 99):
        with pytest.raises(InputError, match=rf"no beat at position {odd}; session 's' has 3"):
            memory.recall("noon", session="s", position=odd)
    with pytest.raises(InputError, match="two names of one argument"):
        memory.recall("noon", session="s", position=0, context_position=1)
    with quiet() as empty, pytest.raises(InputError, match="no beat at position 0"):
        empty.recall("noon", position=0)
    assert memory.recall("lunch", position=0).items  # of the newest turn's session


@pytest.mark.requirement("W-STAGE-10")
def test_the_state_before_something_was_mentioned(memory: Memory) -> None:
    found = memory.state_before("s", "queue worker")
    assert found is not None
    assert (found.position, [node.position for node in found.before]) == (1, [0])
    assert memory.state_before("s", "roses") is not None
    assert memory.state_before("s", "zeppelin") is None
    memory.add(Turn(role="user", content="I saw a zeppelin over the lake.", session="s"))
    memory.drain(200)
    now = memory.state_before("s", "zeppelin")
    assert now is not None, "also of what came up in the beat that is still open"
    assert len(now.before) == len(memory.snapshots("s"))


@pytest.mark.requirement("W-STAGE-10")
def test_domains_move_and_sessions_are_weighed_together(memory: Memory) -> None:
    assert [each.position for each in memory.evolution("s")] == [0, 1]
    merged = memory.domains(current="s")
    assert merged.order == (("s", 0), ("s", 1))
    assert sum(merged.domains.values()) == pytest.approx(1, abs=1e-4)


@pytest.mark.requirement("W-STRUCT-20")
def test_stretches_of_any_sessions_are_compared_by_their_beats(memory: Memory) -> None:
    garden, server = ("s:beat:0", "s:beat:1")
    for hour, beat in enumerate(TALK[1:]):
        memory.add_many(told(text, session="later", at=NOON + timedelta(days=1, hours=2 * hour)) for text in beat)
    assert memory.drain(None)
    again = memory.snapshots("later")[0].snapshot_id
    same, other = memory.in_common([server], [again]), memory.in_common([garden], [again])
    assert same.related > 0.9
    assert other.related < 0.2
    assert same.shared["technical_prose"] > 0.8
    assert other.shared.get("technical_prose", 0.0) < 0.2
    both = memory.in_common((garden, server), [again])
    assert other.related < both.related < same.related
    assert both.second["technical_prose"] > 0.8 > both.first["technical_prose"]


@pytest.mark.requirement("W-STRUCT-20")
def test_a_chapter_stands_for_its_beats() -> None:
    with quiet() as memory:
        for hour in range(16):
            minutes = NOON + timedelta(hours=3 * hour)
            memory.add_many(told(text, at=minutes) for text in TALK[hour % 3])
        assert memory.drain(None)
        chapter = "s:chapter:0"
        rows = [row for row in stored(memory.reads.store, "node") if row[1] == chapter or row[8] == chapter]
        beats = [str(row[1]) for row in rows if row[1] != chapter]
        assert len(beats) > 1
        assert memory.in_common([chapter], ["s:beat:9"]) == memory.in_common(beats, ["s:beat:9"])
        assert memory.in_common([chapter, beats[0]], beats) == memory.in_common(beats, beats)


LAW = (
    "The judge asked the plaintiff for the contract, and the court dismissed the claim under the statute.",
    "The defendant appealed, and the lawyer of the tenant cited the clause of the lease before the jury.",
)
PHYSICS = "The electron has momentum, and its velocity gives the kinetic energy of the photon by quantum mechanics."


@pytest.mark.requirement("W-STRUCT-21")
def test_a_stretch_of_turns_has_nothing_of_the_rest_of_their_beat() -> None:
    with quiet() as memory:
        memory.add_many(told(text, at=NOON) for text in (*LAW, PHYSICS))
        memory.add(told("Shall we have lunch?", at=NOON + timedelta(hours=3)))
        memory.add(told("Yes, at one.", at=NOON + timedelta(hours=3)))
        assert memory.drain(None)
        [beat] = memory.snapshots("s")
        law, physics = ["s:turn:0", "s:turn:1"], ["s:turn:2"]
        assert [chunk.chunk_id for chunk in beat.chunks] == [*law, *physics], "one beat of both"
        apart = memory.in_common(law, physics)
        assert apart.first["legal"] > 0.8
        assert apart.second.get("legal", 0.0) < 0.2
        assert apart.second["physics"] > 0.8
        assert apart.first.get("physics", 0.0) < 0.2
        whole = [beat.snapshot_id]
        assert memory.in_common([*law, *physics], whole) == memory.in_common(whole, whole), "all turns are the beat"
        assert memory.in_common([*whole, *law], physics) == memory.in_common(whole, physics), "and count once"


@pytest.mark.requirement("W-STRUCT-21")
def test_a_stretch_may_have_turns_of_the_beat_that_is_still_open(memory: Memory) -> None:
    memory.add_many(told(text, session="open", at=NOON) for text in LAW)
    assert memory.drain(None)
    assert not memory.snapshots("open")
    found = memory.in_common(["open:turn:0", "open:turn:1"], ["s:beat:0"])
    assert found.first["legal"] > 0.8
    assert "legal" not in found.second
    injected = Turn(role="user", content="The court dismissed the claim.", session="open", origin="injected")
    memory.add(injected)
    with pytest.raises(InputError, match="only turns that Clew injected"):
        memory.in_common(["open:turn:2"], ["s:beat:0"])


@pytest.mark.requirement("W-STRUCT-20")
@pytest.mark.parametrize(
    ("first", "second", "error", "message"),
    [
        ([], ["s:beat:0"], InputError, "has no beats"),
        (["s:beat:0"], [], InputError, "has no beats"),
        ("s:beat:0", ["s:beat:0"], InputError, "first is 's:beat:0'; expected a list of ids"),
        (["s:beat:0"], ["s:beat:99"], NotFoundError, "no beat, chapter or turn 's:beat:99'"),
        (["s:turn:999"], ["s:beat:0"], NotFoundError, "no beat, chapter or turn 's:turn:999'"),
    ],
)
def test_stretches_that_are_not_there_are_refused(
    memory: Memory, first: Any, second: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        memory.in_common(first, second)


@pytest.mark.requirement("W-STRUCT-22")
def test_a_session_that_there_is_not_is_told_from_one_without_beats(memory: Memory) -> None:
    memory.add(told("Hello there.", session="new", at=NOON))
    assert (memory.snapshots("new"), memory.evolution("new")) == ([], ())
    for call in (memory.snapshots, memory.evolution):
        with pytest.raises(NotFoundError, match="no session 'others'; there is 'other'"):
            call("others")
