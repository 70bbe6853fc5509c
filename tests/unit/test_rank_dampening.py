"""Gravity and hub dampening after fusion, recomputed from their definitions."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.assemble.receipt import fusion_of
from clew.index.view import IndexView
from clew.memory import Memory
from clew.rank.dampening import DAY, RELEVANT, STEPS, dampening, gravity, weights
from clew.rank.frame import Frame
from clew.rank.graph_context import GraphContext, HierarchyNode
from clew.rank.labels import QuestionLabels
from clew.rank.search import rank
from clew.rank.tuning.fusion import ranked_question as tuned
from clew.testing import FrozenClock
from tests.support.effort import examples
from tests.support.memories import NOON
from tests.support.ranking_spaces import asked, said, space
from tests.unit.test_tags import beats

HOURS = timedelta(hours=1)


@pytest.fixture
def view() -> IndexView:
    """Two sessions a week apart: a has two beats in one chapter, a third in another and an open turn; b has none."""
    return space(
        said("red tea", "a", at=NOON),
        said("red tea", "a", at=NOON + HOURS),
        said("red tea", "a", at=NOON + 24 * HOURS),
        said("red tea", "a", at=NOON + 72 * HOURS),
        said("red tea", "a"),
        said("red tea", "b", at=NOON + 240 * HOURS),
        said("red tea", "b", at=NOON + 241 * HOURS),
    )


NODES = (
    HierarchyNode("a", 0, 2, -1),
    HierarchyNode("a", 3, 3, -1),
    HierarchyNode("a", 0, 1, 0),
    HierarchyNode("a", 2, 2, 0),
    HierarchyNode("a", 3, 3, 1),
)


@pytest.mark.requirement("F-DAMP-01")
def test_gravity_by_hand(view: IndexView) -> None:
    values = gravity(view, NODES, np.array([5, 0]))
    assert values is not None

    def apart(hours: float) -> float:
        return hours / (hours + 24)

    assert values == pytest.approx(
        [
            1.0 * apart(240),  # itself relevant: the other is in another session, ten days on
            0.0,  # in the beat of one
            1 / 3 * apart(24),  # in its chapter
            2 / 3 * apart(72),  # in its session
            2 / 3,  # likewise, at no known time
            1.0 * apart(240),
            2 / 3 * apart(1),
        ]
    )
    assert gravity(view, NODES, np.array([5])) is None
    assert gravity(view, NODES, np.array([], dtype=np.int64)) is None


def far(view: IndexView, nodes: tuple[HierarchyNode, ...], relevant: list[int]) -> list[float]:
    """The definition, pair by pair."""
    turns, found = view.turns, []
    for one in range(len(turns.at)):
        tree, time = 1.0, 1.0
        for other in set(relevant) - {one}:
            places = [beat_of(view, nodes, each) for each in (one, other)]
            if turns.session[one] == turns.session[other]:
                tree = min(tree, 2 / 3)
            if min(each[1] for each in places) >= 0 and places[0][1] == places[1][1]:
                tree = min(tree, 1 / 3)
            if min(each[0] for each in places) >= 0 and places[0][0] == places[1][0]:
                tree = 0.0
            if view.NO_TIME not in (int(turns.at[one]), int(turns.at[other])):
                gap = abs(int(turns.at[one]) - int(turns.at[other]))
                time = min(time, gap / (gap + DAY))
        found.append(tree * time)
    return found


def beat_of(view: IndexView, nodes: tuple[HierarchyNode, ...], position: int) -> tuple[int, int]:
    session, seq = view.sessions[view.turns.session[position]], view.turns.seq[position]
    inner = {node.parent for node in nodes}
    for place, node in enumerate(nodes):
        if place not in inner and node.session == session and node.low <= seq <= node.high:
            return place, node.parent
    return -1, -1


@st.composite
def spaces(draw: st.DrawFn) -> tuple[IndexView, tuple[HierarchyNode, ...], list[int]]:
    """Turns of two sessions at odd times or none, chapters of two beats over the first of them, some turns relevant."""
    times = st.none() | st.integers(0, 200).map(lambda hours: NOON + hours * HOURS)
    turns = draw(st.lists(st.tuples(st.sampled_from("ab"), times), min_size=1, max_size=14))
    view = space(*(said("red tea", session, at=at) for session, at in turns))
    nodes: list[HierarchyNode] = []
    for session in "ab":
        size = sum(each == session for each, _ in turns)
        cuts = sorted(draw(st.sets(st.integers(0, size), max_size=3)))
        chapter = len(nodes)
        if len(cuts) > 1:
            nodes.append(HierarchyNode(session, cuts[0], cuts[-1] - 1, -1))
            nodes += [HierarchyNode(session, low, high - 1, chapter) for low, high in pairwise(cuts)]
    relevant = draw(st.lists(st.integers(0, len(turns) - 1), min_size=2, unique=True)) if len(turns) > 1 else []
    return view, tuple(nodes), relevant


@pytest.mark.requirement("F-DAMP-01")
@settings(max_examples=examples(36, 600))
@given(spaces())
def test_gravity_is_the_distance_from_the_nearest_other_relevant_turn(
    case: tuple[IndexView, tuple[HierarchyNode, ...], list[int]],
) -> None:
    view, nodes, relevant = case
    values = gravity(view, nodes, np.array(relevant, dtype=np.int64))
    if len(relevant) < 2:
        assert values is None
    else:
        assert values == pytest.approx(far(view, nodes, relevant), abs=1e-12)
        again = gravity(view, nodes, np.array(relevant[::-1], dtype=np.int64))
        assert again is not None
        assert values.tolist() == again.tolist()


def framed(view: IndexView, **recall: Any) -> Frame:
    frame = asked(view, "Where is the red tea?", **recall)
    hubs = np.linspace(0.0, 0.6, len(view.turns.at))
    return replace(frame, around=GraphContext(nodes=NODES), labels=QuestionLabels(hubs=hubs))


@pytest.mark.requirement("F-DAMP-01", "F-DAMP-02")
@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_what_is_taken_off_by_hand(view: IndexView, fusion: str) -> None:
    plain = {each.position: each for each in rank(framed(view, fusion=fusion), limit=9)}
    frame = framed(view, fusion=fusion, gravity=3.0, hub=2.0)
    step = 1.0 if fusion == "score" else 1 / 61 - 1 / 62
    distances = far(view, NODES, list(range(7)))  # all seven are relevant: fewer than `RELEVANT`
    assert len(distances) < RELEVANT
    for each in rank(frame, limit=9):
        before = plain[each.position]
        taken = -3.0 * step * distances[each.position], -2.0 * step * each.position / 10
        assert each.shares.get("gravity", 0.0) == pytest.approx(taken[0], abs=1e-6)
        assert each.shares.get("hub", 0.0) == pytest.approx(taken[1], abs=1e-6)
        assert each.score == pytest.approx(before.score + sum(taken), abs=3e-6)
        assert each.score == pytest.approx(sum(each.shares.values()), abs=1e-5)
        assert {name: share for name, share in each.shares.items() if name not in STEPS} == before.shares


@pytest.mark.requirement("F-DAMP-01")
def test_a_turn_that_stands_alone_falls_behind_and_is_not_lost() -> None:
    near = [said("red tea", "a", at=NOON + n * HOURS) for n in range(6)]
    lonely = space(*near, said("red tea", "b", at=NOON - 99 * 24 * HOURS))
    frame = asked(lonely, "Where is the red tea?", gravity=0.0)
    heavy = asked(lonely, "Where is the red tea?", gravity=20.0)
    mine = [each.position for each in rank(frame, limit=9)].index(6)
    assert [each.position for each in rank(heavy, limit=9)].index(6) == 6 >= mine


@pytest.mark.requirement("F-DAMP-01")
def test_only_turns_that_may_be_found_are_relevant(view: IndexView) -> None:
    frame = framed(view, gravity=1.0)
    first = view.mask(session="a")
    shares = {each.position: each.shares.get("gravity", 0.0) for each in rank(frame, limit=9, mask=first)}
    expected = far(view, NODES, [0, 1, 2, 3, 4])
    assert shares == pytest.approx({place: -expected[place] for place in range(5)}, abs=1e-6)


@pytest.mark.requirement("F-DAMP-03")
def test_without_weights_there_is_none_of_it(view: IndexView) -> None:
    frame = framed(view)
    assert weights(frame.config) == {"announcement": 1.0, "gravity": 0.0, "hub": 0.0}
    assert dampening(frame, np.zeros(7), (view.turns.ordinal,), view.turns.chars > 0) == []
    assert not fusion_of(frame)["weights"].keys() & {"gravity", "hub"}
    assert fusion_of(framed(view, gravity=3.0))["weights"]["gravity"] == 3.0


@pytest.mark.requirement("F-DAMP-03")
def test_tuning_judges_by_the_dampened_scores(view: IndexView) -> None:
    everything = np.ones(7, dtype=bool)
    plain = tuned(framed(view), {0, 5}, everything, "g", judges=True)
    heavy = tuned(framed(view, hub=2.0), {0, 5}, everything, "g", judges=True)
    assert plain is not None
    assert heavy is not None
    assert heavy.fixed - plain.fixed == pytest.approx([-0.2 * place for place in range(7)])
    assert heavy.fixed_asked.tolist() == plain.fixed_asked.tolist()


@pytest.fixture(params=["score", "rrf"])
def memory(request: pytest.FixtureRequest) -> Iterator[Memory]:
    config = {"recall": {"label": 1.0, "gravity": 2.0, "hub": 1.5, "fusion": request.param}}
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON), config=config) as opened:
        opened.add_many(beats("s", "login page", "deployment", "harbour"))
        opened.add_many(beats("t", "deployment", "garden"))
        assert opened.drain(200)
        yield opened


@pytest.mark.requirement("F-DAMP-03")
def test_a_receipt_shows_what_was_taken_off(memory: Memory) -> None:
    receipt = memory.explain(memory.recall("What of the deployment?").receipt_id)
    assert {name: receipt.settings["weights"][name] for name in ("label", *STEPS)} == {
        "label": 1.0,
        "announcement": 1.0,
        "gravity": 2.0,
        "hub": 1.5,
    }
    rows = [*receipt.chosen, *receipt.omitted]
    for row in rows:
        assert row["score"] == pytest.approx(sum(row["signals"].values()), abs=1e-5)
        assert "gravity" not in row["ranks"]
    assert any(row["signals"].get("hub", 0.0) < 0 for row in rows)
    assert any(row["signals"].get("gravity", 0.0) < 0 for row in rows)
    k = receipt.settings.get("rrf_k")
    assert (k is None) == (memory.config.recall.fusion == "score")
    if k is not None:
        for row in rows:
            total = sum(receipt.settings["weights"][name] / (k + place) for name, place in row["ranks"].items())
            total += sum(share for name, share in row["signals"].items() if name not in row["ranks"])
            assert row["score"] == pytest.approx(total, abs=1e-5)
