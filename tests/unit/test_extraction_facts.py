"""Relations of extractions among the facts: through the one reducer, borne out by their turns, or not at all."""

from dataclasses import replace
from typing import Any

import pytest

from clew.derive.facts import take_in
from clew.memory import Memory
from clew.models.prompt import Prompt
from clew.rows.fact_writes import TurnStatements
from clew.rows.facts import TurnMarks, stated
from clew.types.facts import FactStatus, Statement
from tests.support.extraction import copying, edge, extractor, is_extraction, long_talk, model, payload, turns_of
from tests.support.memories import quiet, rows, timed, told

pytestmark = pytest.mark.requirement("K-TRI-30")

TOLD = timed(
    ["I live in Lisbon now.", "If I get the job, I will move to Porto.", "Bob works at Acme."],
    speaker="Ann",
    session="s",
)


def statements(memory: Memory) -> list[Statement]:
    """What extractions state."""
    with memory.reads.store.snapshot() as reader:
        marks = TurnMarks(reader, memory.space)
        ordinals = sorted({int(str(row[1])) for row in rows(memory.reads.store, "statement")})
        every = [each for ordinal in ordinals for each in stated(reader, memory.space, ordinal, marks)]
    return [each for each in every if each.provenance.startswith("extract:")]


def edges(*found: dict[str, Any]) -> Any:
    return model(lambda prompt: payload(edges=list(found)) if is_extraction(prompt) else {})


def test_relations_become_statements_of_their_turns_where_these_bear_them_out() -> None:
    with quiet() as memory:
        memory.add_many(TOLD)
        llm = edges(
            edge("Ann", "lives in", "Lisbon", 0),
            edge("Ann", "lives in", "Porto", 1),
            edge("Bob", "works at", "Acme", 2),
        )
        made = extractor(memory, llm, limit=6_000).extract("s")
        assert made.vector is not None
        assert len(made.vector.edges) == 3
        assert [(each.subject, each.verb, each.object, each.turn) for each in statements(memory)] == [
            ("Ann", "lives in", "Lisbon", "s:turn:0"),
            ("Bob", "works at", "Acme", "s:turn:2"),
        ]
        assert {each.provenance for each in statements(memory)} == {"extract:scripted"}
        assert all(each.support is not None for each in statements(memory))


def test_another_extraction_replaces_what_the_last_one_stated() -> None:
    with quiet() as memory:
        memory.add_many(TOLD)
        extractor(memory, edges(edge("Bob", "works at", "Acme", 2)), limit=6_000).extract("s")
        assert len(statements(memory)) == 1
        memory.add(told("Bob likes tea.", speaker="Ann"))
        other = model(payload(edges=[edge("Bob", "likes", "tea", 3)]), name="other")
        extractor(memory, other, limit=6_000).extract("s")
        assert [(each.object, each.provenance) for each in statements(memory)] == [("tea", "extract:other")]


def test_a_failed_chunk_brings_no_relation_of_the_others() -> None:
    def second_fails(prompt: Prompt) -> Any:
        first = int(turns_of(prompt)[0]["turn"])
        return payload(edges=[edge("mill of Arden", "turns", "slowly", 0)]) if first == 0 else "nonsense"

    with quiet() as memory:
        memory.add_many(long_talk())
        assert not extractor(memory, model(second_fails)).extract("s").ok
        assert statements(memory) == []
        assert extractor(memory, model(copying)).extract("s").ok
        assert len(statements(memory)) == 1  # the kept answer about the first chunk counts now


def test_forgetting_a_turn_takes_its_relations_along() -> None:
    with quiet() as memory:
        memory.add_many(TOLD)
        extractor(memory, edges(edge("Bob", "works at", "Acme", 2)), limit=6_000).extract("s")
        memory.forget(turn_ids=["s:turn:2"])
        assert statements(memory) == []


@pytest.mark.requirement("K-TRI-17")
def test_what_rules_found_comes_back_as_relations_of_the_session() -> None:
    with quiet() as memory:
        memory.add_many(TOLD)
        memory.drain(None)
        by_rule = Statement(turn="s:turn:2", ordinal=0, subject="Bob", verb="works at", object="Acme")
        planned = replace(by_rule, ordinal=1, object="Bolt", status=FactStatus.PLANNED)
        said = [TurnStatements(2, "rule", (by_rule, planned))]
        memory.reads.store.transaction(lambda tx: take_in(tx, memory.space, said))
        (made,) = memory.extract("s")
        assert made.vector is not None
        assert [(each.source, each.verb, each.target, each.turn_ids) for each in made.vector.edges][-1] == (
            "Bob",
            "works at",
            "Acme",
            ("s:turn:2",),
        )
        assert "Bolt" not in {each.target for each in made.vector.edges}


def test_a_rebuild_keeps_what_a_model_found() -> None:
    with quiet() as memory:
        memory.add_many(TOLD)
        extractor(memory, edges(edge("Bob", "works at", "Acme", 2)), limit=6_000).extract("s")
        before = statements(memory)
        memory.rebuild()
        memory.drain(None)
        assert statements(memory) == before
