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
    facts_prompt,
    model_facts,
    said_turn,
    worth_asking,
)
from clew.models.protocol import LLM
from clew.rows.fact_writes import TurnStatements
from clew.rows.llm_progress import count_facts
from clew.store.protocol import Transaction
from clew.types.turn import Turn


def wants_facts(turn: Turn) -> bool:
    """Whether a turn may state facts: a user's, or that of a named speaker in a group; no correction by hand."""
    return not is_correction(turn) and worth_asking(said_turn(turn).text)


def ask_facts(llm: LLM, turn: Turn) -> Any:
    """What the model says."""
    return llm.complete_json(facts_prompt(said_turn(turn)), SCHEMA, max_tokens=MAX_TOKENS)


def keep_facts(tx: Transaction, space: str, turn: Turn, value: Any, provenance: str) -> None:
    """Writes what is believed in place of what a model said of the turn before."""
    reading = model_facts(value, said_turn(turn), provenance)
    take_in(tx, space, [TurnStatements(cast(int, turn.ordinal), provenance, reading.statements)])
    counts = {"believed": len(reading.statements), **{doubt.value: count for doubt, count in reading.doubts.items()}}
    count_facts(tx, space, provenance, counts)
