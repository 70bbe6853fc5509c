"""Relations of extracted sessions and facts: what a model found goes to the one reducer, what rules found comes back.

A relation of an extraction becomes a statement of each turn that states it, if the turn itself bears it out as it must
bear out all that a model states (`clew.knowledge.model_facts`). What an earlier extraction of the session stated goes.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from clew.knowledge.groups import placed
from clew.knowledge.guard import trusted_sentences
from clew.knowledge.model_facts import MOST, model_facts, said_turn
from clew.rows.fact_codec import TurnMark, statements_of
from clew.rows.fact_writes import TurnStatements
from clew.store.protocol import Reader
from clew.store.tables import STATEMENT
from clew.text.normalise import fold, fold_contains
from clew.types.extraction import GraphEdge, TriVector
from clew.types.facts import Effect, FactStatus, FactType
from clew.types.turn import Turn

PREFIX: Final = "extract:"
"""Begins the provenance of statements that come from extractions; the name of the model follows."""

_HELD: Final = (FactStatus.ACTIVE, FactStatus.COMPLETED, FactStatus.RECURRING)
_STATED: Final = (Effect.STATES, Effect.ADDS)


def stated_relations(reader: Reader, space: str, turns: Sequence[Turn]) -> Iterator[GraphEdge]:
    """The relations that the stored statements of turns amount to, in the order of the turns; no plans, no denials."""
    for turn in turns:
        key = (space, cast(int, turn.ordinal))
        for row in STATEMENT.scan(reader, key, key):
            if row.provenance.startswith(PREFIX):
                continue
            for each in placed(statements_of(row, TurnMark(cast(str, turn.id), turn.at))):
                said = each.statement
                if said.object and said.status in _HELD and said.effect in _STATED:
                    name = (cast(str, turn.id),)
                    yield GraphEdge(source=said.subject, verb=said.verb, target=said.object, turn_ids=name)


def extracted_statements(
    reader: Reader, space: str, turns: Sequence[Turn], vector: TriVector, extractor: str
) -> list[TurnStatements]:
    """The statements of an extraction, as they replace those of earlier extractions of the session.

    What another model stated is replaced by nothing. Turns without statements before and now are left out.

    Args:
        turns: all of the session.
        extractor: name of the model.
    """
    provenance = PREFIX + extractor
    edges: dict[str, list[GraphEdge]] = {}
    for edge in vector.edges:
        for turn_id in edge.turn_ids:
            edges.setdefault(turn_id, []).append(edge)
    read: list[TurnStatements] = []
    for turn in turns:
        ordinal = cast(int, turn.ordinal)
        stored = STATEMENT.scan(reader, (space, ordinal), (space, ordinal))
        read += [
            TurnStatements(ordinal, row.provenance, ())
            for row in stored
            if row.provenance.startswith(PREFIX) and row.provenance != provenance
        ]
        of_turn = edges.get(cast(str, turn.id), [])
        if of_turn or any(row.provenance == provenance for row in stored):
            read.append(_said(turn, of_turn, provenance))
    return read


def _said(turn: Turn, edges: Sequence[GraphEdge], provenance: str) -> TurnStatements:
    said = said_turn(turn)
    sentences = trusted_sentences(said.text)
    facts = [_fact(edge, said.speaker, sentences) for edge in edges[:MOST]]
    made = model_facts({"facts": facts}, said, provenance)
    return TurnStatements(cast(int, turn.ordinal), provenance, made.statements)


def _fact(edge: GraphEdge, speaker: str, sentences: Sequence[str]) -> dict[str, Any]:
    """A relation in the form in which models give facts, with the sentence that names both ends."""
    names = [name for name in (edge.source, edge.target) if fold(name) != fold(speaker)]
    quote = next((sentence for sentence in sentences if all(fold_contains(sentence, name) for name in names)), "")
    nothing = dict.fromkeys(("scope", "instead_of", "when", "where", "reason"), "")
    kinds = {"status": FactStatus.ACTIVE, "type": FactType.WORLD, "effect": Effect.STATES}
    return {"quote": quote, "subject": edge.source, "verb": edge.verb, "object": edge.target, **nothing, **kinds}
