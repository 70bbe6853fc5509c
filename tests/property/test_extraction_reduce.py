"""Chunks of any turns, and the reduce of any vectors: whole turns, no duplicates, the same whatever comes first."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.knowledge.chunk_reduce import edge_key, node_key, open_questions, reduced_vector
from clew.knowledge.chunks import chunked, planned, prompt_tokens
from clew.knowledge.payload import ShownTurn, extraction_prompt, grounded_vector
from clew.text.counters import Counter, counter
from clew.types.entity import NodeType
from clew.types.extraction import GraphEdge, GraphNode, OpenDelta, TriVector
from clew.types.ids import turn_id
from tests.support.effort import examples

NAMES = st.sampled_from(("Ann", "ann", "Bob", "Redis", "REDIS", "Acme Ltd", "acme ltd.", "Ωmega", "!?"))
TURNS = st.lists(st.integers(0, 9).map(lambda seq: turn_id("s", seq)), min_size=1, max_size=3, unique=True).map(tuple)
NODES = st.builds(GraphNode, type=st.sampled_from(NodeType), name=NAMES, turn_ids=TURNS)
EDGES = st.builds(
    GraphEdge, source=NAMES, verb=st.sampled_from(("likes", "Likes", "owns")), target=NAMES, turn_ids=TURNS
)
TASKS = st.sampled_from(("Write the tests", "write tests", "Ask Bob", "Ship it", "?!"))
DELTAS = st.builds(OpenDelta, namespace=st.sampled_from(("", "api")), text=TASKS, turn_ids=TURNS)
PARTS = st.builds(
    TriVector,
    session=st.just("s"),
    summary=st.text(max_size=60),
    nodes=st.lists(NODES, max_size=5).map(tuple),
    edges=st.lists(EDGES, max_size=5).map(tuple),
    open_deltas=st.lists(DELTAS, max_size=3).map(tuple),
    closed_deltas=st.lists(TASKS, max_size=2).map(tuple),
)
COUNTERS = st.sampled_from(("estimate", "words")).map(counter)
SHOWN = st.lists(st.text(max_size=400), max_size=20).map(
    lambda texts: [ShownTurn(2 * n, "", "Ann", text) for n, text in enumerate(texts)]
)


@pytest.mark.requirement("K-TRI-02", "K-TRI-04", "K-TRI-12")
@settings(max_examples=examples(36, 300))
@given(SHOWN, st.integers(1, 2_500), COUNTERS)
def test_chunks_are_whole_turns_end_to_end_and_as_long_as_they_can_be(
    turns: list[ShownTurn], limit: int, count: Counter
) -> None:
    found = list(chunked("s", turns, limit, count))
    assert [turn for chunk in found for turn in chunk.turns] == turns
    assert [chunk.place for chunk in found] == list(range(len(found)))
    assert found == list(chunked("s", turns, limit, count))
    for number, chunk in enumerate(found):
        assert chunk.tokens == prompt_tokens(extraction_prompt(chunk.turns), count)
        assert chunk.tokens <= limit or len(chunk.turns) == 1
        if number + 1 < len(found):
            longer = (*chunk.turns, found[number + 1].turns[0])
            assert prompt_tokens(extraction_prompt(longer), count) > limit
    plan = planned("s", turns, limit, count)
    assert (len(plan.chunks) == 1 and plan.tokens <= limit) or list(plan.chunks) == found


@pytest.mark.requirement("K-TRI-06", "K-TRI-07")
@settings(max_examples=examples(36, 300))
@given(st.lists(PARTS, max_size=4))
def test_a_reduced_vector_has_nothing_twice_and_reduces_to_itself(parts: list[TriVector]) -> None:
    count = counter()
    vector, left_out = reduced_vector("s", parts, count)
    assert left_out == 0
    for keys in ([node_key(node) for node in vector.nodes], [edge_key(edge) for edge in vector.edges]):
        assert len(set(keys)) == len(keys)
    assert {turn for part in parts for node in part.nodes for turn in node.turn_ids} == {
        turn for node in vector.nodes for turn in node.turn_ids
    }
    assert reduced_vector("s", parts, count)[0] == vector
    again, _ = reduced_vector("s", [vector], count)
    assert (again.nodes, again.edges, again.open_deltas) == (vector.nodes, vector.edges, vector.open_deltas)
    assert open_questions(vector, []) == open_questions(vector, [])
    assert TriVector.from_dict(json.loads(json.dumps(vector.to_dict()))) == vector


LINES = st.text(max_size=30) | NAMES
ANSWERS = st.fixed_dictionaries(
    {
        "summary": LINES,
        "feature_namespace": LINES,
        "entities": st.lists(
            st.fixed_dictionaries(
                {"type": st.sampled_from([kind.value for kind in NodeType]), "name": LINES, "aliases": st.lists(LINES)}
            ),
            max_size=4,
        ),
        "edges": st.lists(
            st.fixed_dictionaries({"source": LINES, "verb": LINES, "target": LINES, "turn": st.integers()}), max_size=4
        ),
        "open_deltas": st.lists(
            st.fixed_dictionaries({"namespace": LINES, "text": LINES, "turn": st.integers(-1, 6)}), max_size=4
        ),
        "closed_deltas": st.lists(LINES, max_size=3),
    }
)


@pytest.mark.requirement("K-TRI-23")
@settings(max_examples=examples(36, 300))
@given(ANSWERS, SHOWN)
def test_of_any_answer_only_what_the_turns_have_is_used(answer: dict[str, Any], turns: list[ShownTurn]) -> None:
    vector, left_out = grounded_vector("s", answer, turns)
    known = {turn_id("s", turn.seq) for turn in turns}
    found = [
        *(node.turn_ids for node in vector.nodes),
        *(edge.turn_ids for edge in vector.edges),
        *(delta.turn_ids for delta in vector.open_deltas),
    ]
    assert all(names and set(names) <= known for names in found)
    assert len(found) <= sum(len(answer[name]) for name in ("entities", "edges", "open_deltas"))
    assert left_out >= 0
