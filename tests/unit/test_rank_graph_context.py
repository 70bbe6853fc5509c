"""The two signals that look beside the index: the entity graph and the hierarchy. Both are off by default."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from clew.index.view import IndexView
from clew.memory import Memory
from clew.rank.graph_context import NOTHING, GraphContext, GraphContextReader, HierarchyNode, inherited
from clew.rank.search import rank
from clew.testing import HashEmbedder
from clew.types import Turn
from tests.support.memories import quiet
from tests.support.ranking_spaces import asked, said, space

SAID = [
    "Zoltan moved into the boathouse.",
    "The kettle is new.",
    "Rain all day.",
    "Zoltan knows Ingrid well.",
    "A letter came.",
    "Ingrid bakes rye bread on Sundays.",
]


def told(**recall: float) -> Memory:
    memory = Memory.open(":memory:", embedder="none", config={"recall": recall})
    memory.add_many([Turn(role="user", content=text, session="s") for text in SAID])
    memory.drain(None)
    return memory


@pytest.mark.requirement("F-GRAPH-09")
def test_energy_of_the_questions_entities_reaches_turns() -> None:
    with told(graph=2.0) as memory:
        shares = {hit.turn.text: hit.signals.get("graph", 0.0) for hit in memory.search("What about Zoltan?", limit=9)}
        assert shares[SAID[5]] > 0
        assert shares[SAID[3]] > 0  # both name Ingrid
        assert SAID[1] not in shares or shares[SAID[1]] == 0
        assert not any("graph" in hit.signals for hit in memory.search("What about the kettle?"))


@pytest.mark.requirement("F-GRAPH-09")
def test_without_a_weight_nothing_is_looked_up() -> None:
    with told() as memory:
        frame = memory.reads.ranker.frame("What about Zoltan?", memory.reads.clock())
        assert frame.around is NOTHING
        assert not any("graph" in hit.signals or "tree" in hit.signals for hit in memory.search("What about Zoltan?"))


@pytest.fixture
def view() -> Iterator[IndexView]:
    with quiet() as memory:
        for n in range(4):
            memory.add(Turn(role="user", content=f"a{n}", session="a"))
            memory.add(Turn(role="user", content=f"b{n}", session="b"))
        yield memory.reads.live.view()


@pytest.mark.requirement("F-TREE-03")
def test_a_turn_inherits_from_its_beat_and_that_from_its_chapter(view: IndexView) -> None:
    cosines = np.array([0.8, 0.1, 0.4, 0.1, 0.2, np.nan, 0.0, 0.6])  # a0 b0 a1 b1 a2 b2 a3 b3
    one = (HierarchyNode("a", 0, 2, -1), HierarchyNode("a", 0, 1, 0), HierarchyNode("a", 2, 2, 0))
    nodes = (*one, HierarchyNode("b", 0, 2, -1), HierarchyNode("x", 0, 9, -1))
    chapter = (0.8 + 0.4 + 0.2) / 3
    first, second = 0.7 * 0.6 + 0.3 * chapter, 0.7 * 0.2 + 0.3 * chapter
    other = (0.1 + 0.1 + 0.0) / 3
    expected = [first, other, first, other, second, other, np.nan, np.nan]
    np.testing.assert_allclose(inherited(view, nodes, cosines), expected)


@pytest.mark.requirement("F-TREE-03")
def test_the_tree_hides_no_turn() -> None:
    with Memory.open(":memory:", embedder=HashEmbedder(), config={"recall": {"tree": 3.0}}) as memory:
        texts = [f"We spoke about the {'harbour garden'.split()[n // 40 % 2]} and plan {n % 17}." for n in range(400)]
        texts[133] = "We spoke about zanzibarite and plan 14."
        memory.add_many([Turn(role="user", content=text, session="s") for text in texts])
        memory.drain(None)
        assert (
            GraphContextReader(memory.reads.store, memory.space)
            .look("x", memory.config.recall, memory.reads.live.view())
            .nodes
        )
        hits = memory.search("what was the plan about zanzibarite", limit=3)
        assert hits[0].turn.text == texts[133]
        assert "tree" in hits[0].signals
        assert len(memory.search("what was the plan about zanzibarite", limit=400)) == 400


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.requirement("F-TREE-03")
def test_the_tree_hides_no_turn_among_a_hundred_thousand() -> None:
    """The one turn that has the word has the poorest vector of all, in the poorest beat; it still comes first."""
    size, here = 100_000, 33_333
    words = "harbour weather garden engine violin market".split()
    turns = [said(f"the {words[n % 6]} and plan {n % 97}", session=f"s{n // 1000:03}") for n in range(size)]
    turns[here] = said("the zanzibarite and plan 14", session=f"s{here // 1000:03}")
    log = space(*turns)
    similarity = np.tile(np.linspace(0.4, 0.6, size), (2, 1))
    similarity[:, here - here % 10 : here - here % 10 + 10] = 0.0
    nodes = tuple(HierarchyNode(f"s{n // 100:03}", n % 100 * 10, n % 100 * 10 + 9, -1) for n in range(size // 10))
    frame = replace(asked(log, "what plan was zanzibarite", similarity, tree=3.0), around=GraphContext(nodes=nodes))
    assert [each.position for each in rank(frame, limit=1)] == [here]
    assert len(rank(frame, limit=size)) == size
