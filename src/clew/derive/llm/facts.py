"""The facts of a turn by a language model: one of the questions of `clew.derive.llm.tasks`.

What is believed of an answer enters like what the rules find (`clew.derive.facts`); what is not is counted by reason,
for `clew stats`.
"""

from typing import Any, cast

from clew.derive.corrections import is_correction
from clew.derive.facts import take_in
from clew.knowledge.model_facts import (
    MAX_TOKENS,
    SCHEMA,
    SaidTurn,
    facts_prompt,
    model_facts,
    worth_asking,
)
from clew.knowledge.rules.speech import speech
from clew.knowledge.rules.subjects import USER
from clew.models.protocol import LLM
from clew.rows.fact_writes import Said
from clew.rows.llm_progress import count_facts
from clew.store.protocol import Transaction
from clew.types.turn import Turn


def wants_facts(turn: Turn) -> bool:
    """Whether a turn may state facts: a user's, or that of a named speaker in a group; no correction by hand."""
    return not is_correction(turn) and worth_asking(speech(turn))


def ask_facts(llm: LLM, turn: Turn) -> Any:
    """What the model says."""
    return llm.complete_json(facts_prompt(_said(turn)), SCHEMA, max_tokens=MAX_TOKENS)


def keep_facts(tx: Transaction, space: str, turn: Turn, value: Any, provenance: str) -> None:
    """Writes what is believed in place of what a model said of the turn before."""
    found = model_facts(value, _said(turn), provenance)
    take_in(tx, space, [Said(cast(int, turn.ordinal), provenance, found.statements)])
    counts = {"believed": len(found.statements), **{doubt.value: count for doubt, count in found.doubts.items()}}
    count_facts(tx, space, provenance, counts)


def _said(turn: Turn) -> SaidTurn:
    return SaidTurn(cast(str, turn.id), turn.speaker or USER, turn.at, speech(turn))
