"""How a session is cut into chunks, what of an answer is used, and how the chunks' vectors become one."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from clew.derive.llm.chunk_map import _outcome, _Stop
from clew.knowledge import chunks
from clew.knowledge.chunk_reduce import MOST, SUMMARY_TOKENS, open_questions, reduced_vector
from clew.knowledge.chunks import Chunk, chunked, envelope_tokens, guardrail, planned, prompt_tokens
from clew.knowledge.payload import SCHEMA, ShownTurn, extraction_prompt, grounded_vector
from clew.knowledge.semantic_reduce import decided, questions_prompt
from clew.models.json_answers import json_prompt
from clew.models.prompt import Completion, Prompt
from clew.models.protocol import BriefLLM
from clew.text.counters import counter
from clew.types.entity import NodeType
from clew.types.extraction import ChunkRecord, ExtractionMode, GraphEdge, GraphNode, OpenDelta, TriVector, Unresolved
from tests.support.extraction import delta, edge, entity, payload, shown

COUNT = counter()


def limit_for(turns: int) -> int:
    """A limit into which so many of `shown` fit, and not one more."""
    return prompt_tokens(extraction_prompt(shown(turns)), COUNT) + 1


def seqs(found: Chunk) -> list[int]:
    return [turn.seq for turn in found.turns]


@pytest.mark.requirement("K-TRI-01")
def test_at_the_limit_there_is_one_pass_and_one_token_above_there_are_chunks() -> None:
    turns = shown(12)
    tokens = prompt_tokens(extraction_prompt(turns), COUNT)
    at, above = planned("s", turns, tokens, COUNT), planned("s", turns, tokens - 1, COUNT)
    assert (at.mode, len(at.chunks), seqs(at.chunks[0])) == (ExtractionMode.SINGLE, 1, list(range(12)))
    assert above.mode == ExtractionMode.CHUNKED
    assert len(above.chunks) == 2


@pytest.mark.requirement("K-TRI-02")
def test_chunks_take_whole_turns_as_long_as_they_fit() -> None:
    turns, limit = shown(10), limit_for(4)
    found = planned("talk: one", turns, limit, COUNT).chunks
    assert [chunk.id for chunk in found] == [f"talk%3A%20one:chunk:{place}" for place in range(3)]
    assert [turn for chunk in found for turn in chunk.turns] == turns
    for chunk, following in pairwise(found):
        assert chunk.tokens <= limit
        one_more = extraction_prompt((*chunk.turns, following.turns[0]))
        assert prompt_tokens(one_more, COUNT) > limit


@pytest.mark.requirement("K-TRI-03")
def test_the_same_turns_give_the_same_chunks_and_new_ones_change_the_last_alone() -> None:
    limit = limit_for(4)
    first, again = (planned("s", shown(10), limit, COUNT).chunks for _ in range(2))
    assert first == again
    longer = planned("s", shown(17), limit, COUNT).chunks
    digests = [[chunk.digest("m") for chunk in each] for each in (first, longer)]
    assert digests[0][:-1] == digests[1][: len(digests[0]) - 1]
    assert digests[0][-1] not in digests[1]
    assert first[0].digest("m") != first[0].digest("other")


@pytest.mark.requirement("K-TRI-04")
def test_the_records_cover_every_turn_once() -> None:
    turns = [turn for turn in shown(20) if turn.seq % 7 != 3]  # some turns say nothing and are not shown
    records = [chunk.record("m") for chunk in planned("s", turns, limit_for(3), COUNT).chunks]
    assert sum(record.turns for record in records) == len(turns)
    covered = [turn.seq for record in records for turn in turns if record.first <= turn.seq <= record.last]
    assert covered == [turn.seq for turn in turns]
    assert all(len(record.digest) == 64 and record.tokens > 0 for record in records)


@pytest.mark.requirement("K-TRI-12")
def test_a_turn_above_the_limit_stands_alone_and_is_refused_whole() -> None:
    turns, limit = shown(5), limit_for(2)
    turns[2] = replace(turns[2], text="stone " * 4 * limit)
    plan = planned("s", turns, limit, COUNT)
    assert [seqs(chunk) for chunk in plan.chunks] == [[0, 1], [2], [3, 4]]
    refusals = [guardrail(chunk, plan) for chunk in plan.chunks]
    assert [refusal is None for refusal in refusals] == [True, False, True]
    assert str(plan.chunks[1].tokens) in str(refusals[1])
    assert plan.chunks[1].turns[0].text == turns[2].text


@pytest.mark.requirement("K-TRI-13")
@pytest.mark.parametrize("limit", [None, 0, -5, float("nan"), float("inf"), "6000", True, [], 10**13, 0.5])
def test_an_invalid_limit_means_one_pass(limit: Any) -> None:
    plan = planned("s", shown(50), limit, COUNT)
    assert (plan.mode, len(plan.chunks), plan.limit) == (ExtractionMode.SINGLE, 1, None)
    assert "not valid" in plan.why
    assert guardrail(plan.chunks[0], plan) is None


@pytest.mark.requirement("K-TRI-15")
@pytest.mark.parametrize("name", ["estimate", "words", "openai"])
def test_the_estimator_counts_all_that_is_sent(name: str) -> None:
    count = counter(name)
    prompt = extraction_prompt(shown(3))
    sent = json_prompt(prompt, SCHEMA)
    assert prompt_tokens(prompt, count) >= sum(count(text) for text in sent.texts())
    assert envelope_tokens(count) > count(prompt.instructions) + count(json.dumps(SCHEMA))
    plan = planned("s", shown(30), prompt_tokens(prompt, count), count)
    assert all(chunk.tokens == prompt_tokens(extraction_prompt(chunk.turns), count) for chunk in plan.chunks)
    assert all(chunk.tokens <= (plan.limit or 0) for chunk in plan.chunks)


def test_a_counter_by_which_the_whole_is_more_than_its_parts_still_fits() -> None:
    def squared(text: str) -> int:
        return len(text) ** 2 // 1_000

    count = counter(squared)
    limit = prompt_tokens(extraction_prompt(shown(2)), count)
    assert all(chunk.tokens <= limit for chunk in chunked("s", shown(9), limit, count))


def test_a_session_without_a_word_has_no_chunk() -> None:
    assert planned("s", [], 5_000, COUNT).chunks == ()
    assert planned("s", [], 1, COUNT).chunks == ()


def turn(seq: int, text: str, speaker: str = "Ann") -> ShownTurn:
    return ShownTurn(seq, "2024-03-05", speaker, text)


@pytest.mark.requirement("K-TRI-23")
def test_only_what_the_turns_say_is_used() -> None:
    turns = [turn(0, "I moved to Lisbon with Bob."), turn(1, "We pay 1,200 euros. Please book the van.", "Bob")]
    answer = payload(
        summary="Ann moved to Lisbon.",
        feature_namespace="moving",
        entities=[entity("Lisbon", "place", "Lissabon"), entity("Bob"), entity("Zacharias"), entity("")],
        edges=[
            edge("Ann", "moved to", "Lisbon", 0),
            edge("Ann", "moved to", "Paris", 0),
            edge("Ann", "moved to", "Lisbon", 7),
            edge("Bob", "is", "bob", 1),
        ],
        open_deltas=[delta("Book the van", 1), delta("Pay 1,300 euros", 1), delta("Book the van", 9)],
    )
    vector, left_out = grounded_vector("s", answer, turns)
    assert [(node.type, node.name, node.aliases, node.turn_ids) for node in vector.nodes] == [
        (NodeType.PLACE, "Lisbon", (), ("s:turn:0",)),
        (NodeType.PERSON, "Bob", (), ("s:turn:0", "s:turn:1")),
    ]
    assert [(each.target, each.turn_ids) for each in vector.edges] == [("Lisbon", ("s:turn:0",))]
    assert [(each.text, each.namespace) for each in vector.open_deltas] == [("Book the van", "moving")]
    assert vector.summary == "Ann moved to Lisbon."
    assert left_out == 2 + 3 + 2


@pytest.mark.requirement("K-TRI-23")
def test_an_invented_summary_is_left_out() -> None:
    vector, left_out = grounded_vector("s", payload(summary="Zacharias paid 4711 crowns."), shown(2))
    assert (vector.summary, left_out) == ("", 1)


def node(name: str, kind: NodeType = NodeType.PERSON, *turns: int) -> GraphNode:
    return GraphNode(type=kind, name=name, turn_ids=tuple(f"s:turn:{seq}" for seq in turns))


def relation(source: str, verb: str, target: str, *turns: int) -> GraphEdge:
    return GraphEdge(source=source, verb=verb, target=target, turn_ids=tuple(f"s:turn:{seq}" for seq in turns))


def task(text: str, seq: int, namespace: str = "api") -> OpenDelta:
    return OpenDelta(namespace=namespace, text=text, turn_ids=(f"s:turn:{seq}",))


def part(**more: Any) -> TriVector:
    return TriVector(session="s", **more)


@pytest.mark.requirement("K-TRI-07")
def test_one_thing_in_two_chunks_is_one_node_and_one_relation() -> None:
    first = part(nodes=(node("Redis", NodeType.PRODUCT, 0),), edges=(relation("Ann", "picked", "Redis", 0),))
    later = part(nodes=(node("REDIS", NodeType.PRODUCT, 9),), edges=(relation("ann", "Picked", "redis", 9),))
    vector, left_out = reduced_vector("s", [first, later], COUNT)
    assert [(each.name, each.aliases, each.turn_ids) for each in vector.nodes] == [
        ("Redis", ("REDIS",), ("s:turn:0", "s:turn:9"))
    ]
    assert vector.edges == (relation("Ann", "picked", "Redis", 0, 9),)
    assert left_out == 0


@pytest.mark.requirement("K-TRI-07")
def test_an_unknown_type_gives_way_to_the_only_known_one() -> None:
    apple = [node("Apple", NodeType.NAME, 0), node("Apple", NodeType.ORGANIZATION, 1)]
    vector, _ = reduced_vector("s", [part(nodes=(each,)) for each in apple], COUNT)
    assert [(each.type, each.turn_ids) for each in vector.nodes] == [(NodeType.ORGANIZATION, ("s:turn:1", "s:turn:0"))]
    three = [*apple, node("Apple", NodeType.PRODUCT, 2)]
    vector, _ = reduced_vector("s", [part(nodes=(each,)) for each in three], COUNT)
    assert len(vector.nodes) == 3  # which of the two it is, nobody knows


@pytest.mark.requirement("K-TRI-06")
def test_deltas_go_by_the_order_of_the_chunks() -> None:
    opened = part(open_deltas=(task("Write the migration", 1), task("Ask Bob", 2)))
    closed = part(closed_deltas=("write the migrations",))
    assert [each.text for each in reduced_vector("s", [opened, closed], COUNT)[0].open_deltas] == ["Ask Bob"]
    texts = [each.text for each in reduced_vector("s", [closed, opened], COUNT)[0].open_deltas]
    assert texts == ["Write the migration", "Ask Bob"]


@pytest.mark.requirement("K-TRI-06")
def test_the_summaries_stand_in_order_and_within_their_room() -> None:
    parts = [part(summary=f"Part {n} began. " + "It went on and on for a while. " * 60) for n in range(8)]
    summary = reduced_vector("s", parts, COUNT)[0].summary
    assert COUNT(summary) <= SUMMARY_TOKENS
    assert [line.partition(" began")[0] for line in summary.splitlines()] == [f"Part {n}" for n in range(8)]
    assert all(line.endswith(".") for line in summary.splitlines())
    assert reduced_vector("s", parts[:1], COUNT)[0].summary == parts[0].summary


@pytest.mark.requirement("K-TRI-07")
def test_the_reduce_is_bounded_and_keeps_what_most_turns_name() -> None:
    many = part(nodes=tuple(node(f"Name {n}", NodeType.PERSON, *range(1 + (n == MOST + 1))) for n in range(MOST + 2)))
    vector, left_out = reduced_vector("s", [many], COUNT)
    assert (len(vector.nodes), left_out) == (MOST, 2)
    assert [each.name for each in vector.nodes[-2:]] == [f"Name {MOST - 2}", f"Name {MOST + 1}"]


OPEN = part(
    nodes=(
        node("Robert Miller", NodeType.PERSON, 0),
        node("Robert", NodeType.PERSON, 9),
        node("Lyon", NodeType.PLACE, 9),
    ),
    edges=(
        relation("Robert Miller", "lives in", "Bath", 0),
        relation("Robert Miller", "lives in", "Lyon", 9),
    ),
    open_deltas=(task("Use SQLite for the session store", 1), task("Use PostgreSQL for the session store", 8)),
)
QUESTIONS = open_questions(OPEN, ["moved the session store"])


@pytest.mark.requirement("K-TRI-18")
def test_what_the_words_do_not_decide_is_named() -> None:
    assert [(each.kind, each.items) for each in QUESTIONS] == [
        ("alias", ("Robert Miller", "Robert")),
        ("contradiction", ("Robert Miller lives in Bath", "Robert Miller lives in Lyon")),
        ("reversal", ("Use SQLite for the session store", "Use PostgreSQL for the session store")),
        ("reversal", ("Use SQLite for the session store", "moved the session store")),
        ("reversal", ("Use PostgreSQL for the session store", "moved the session store")),
        ("edge", ("Bath", "Lyon")),
    ]


def said(_name: str) -> str:
    return "Robert left Bath for Lyon."


@pytest.mark.requirement("K-TRI-18")
def test_a_model_decides_and_brings_in_nothing_of_its_own() -> None:
    ways = [("yes", ""), ("yes", ""), ("yes", ""), ("no", ""), ("unknown", ""), ("yes", "left for")]
    answer = {"decisions": [{"number": n, "decision": way, "verb": verb} for n, (way, verb) in enumerate(ways)]}
    answer["decisions"] += [{"number": 99, "decision": "yes", "verb": ""}, {"number": 3, "decision": "yes", "verb": ""}]
    vector, left = decided(OPEN, QUESTIONS, answer, said)
    assert [(each.name, each.aliases) for each in vector.nodes] == [("Robert Miller", ("Robert",)), ("Lyon", ())]
    assert [each.target for each in vector.edges] == ["Lyon", "Lyon"]
    assert vector.edges[-1].verb == "left for"
    assert [each.text for each in vector.open_deltas] == ["Use PostgreSQL for the session store"]
    assert left == [QUESTIONS[4]]
    invented_verb = {"decisions": [{"number": 5, "decision": "yes", "verb": "was bought by"}]}
    assert decided(OPEN, QUESTIONS, invented_verb, said) == (OPEN, list(QUESTIONS))
    assert "Robert left Bath" in questions_prompt(QUESTIONS, said).messages[0].text


@pytest.mark.requirement("K-TRI-18")
def test_a_decision_about_what_is_merged_already_is_left() -> None:
    pairs = [Unresolved(kind="alias", items=("Robert Miller", "Robert"))] * 2
    answer = {"decisions": [{"number": n, "decision": "yes", "verb": ""} for n in range(2)]}
    vector, left = decided(OPEN, pairs, answer, said)
    assert (len(vector.nodes), len(left)) == (2, 1)


def test_every_record_reads_what_it_wrote() -> None:
    assert TriVector.from_dict(json.loads(json.dumps(OPEN.to_dict()))) == OPEN
    record = planned("s", shown(2), 9_999, COUNT).chunks[0].record("m")
    assert type(record).from_dict(record.to_dict()) == record
    assert chunks.CHUNK == "chunk"


@pytest.mark.requirement("K-TRI-19")
def test_a_chunk_whose_repair_the_budget_stops_is_not_called_unreachable() -> None:
    stop = _Stop()

    class Wordy(BriefLLM):
        name, answer_tokens = "wordy", 2_000

        def complete(self, prompt: Prompt, *, max_tokens: int) -> Completion:
            stop.why = "the budget is used up"  # as another chunk's thread finds meanwhile
            return Completion("no JSON", len(prompt.messages), max_tokens, self.name)

    (chunk,) = planned("s", shown(2), 10_000, COUNT).chunks
    record = ChunkRecord(id=chunk.id, first=0, last=1, turns=2, tokens=chunk.tokens, digest="")
    found = _outcome(chunk, record, Wordy(), stop)
    assert (found.is_waiting, found.is_unreachable, found.record.reason) == (True, False, stop.why)
