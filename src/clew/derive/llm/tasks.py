"""What language models are asked about turns. Each entry is one kind of question; `TaskQueue` asks them."""

from typing import Any, Final, cast

from clew.analyze import nuance_model, tags_model
from clew.analyze.message_prompt import worth_asking
from clew.derive.llm.facts import ask_facts, keep_facts, wants_facts
from clew.derive.llm.task_queue import Question
from clew.knowledge import model_facts
from clew.models.protocol import LLM
from clew.rows.annotations import TAG
from clew.rows.llm_progress import FACTS, NUANCE, RESPONSE
from clew.rows.vocabulary import adopt, let_go
from clew.store.protocol import Transaction
from clew.store.row_types import AnnotationRow, LabelRow
from clew.store.rows import dumps
from clew.store.tables import ANNOTATION, LABEL
from clew.types.turn import Turn


def _wants_nuance(turn: Turn) -> bool:
    spoken = turn.role in ("user", "assistant") and turn.origin in ("user", "assistant")
    return spoken and worth_asking(turn.text)


def _ask_nuance(llm: LLM, turn: Turn) -> list[str]:
    prompt = nuance_model.nuance_prompt(turn.text, turn.role)
    value = llm.complete_json(prompt, nuance_model.SCHEMA, max_tokens=nuance_model.MAX_TOKENS)
    return list(nuance_model.nuance_flags(value))


def _keep_nuance(tx: Transaction, space: str, turn: Turn, value: Any, provenance: str) -> None:
    row = AnnotationRow(space, cast(str, turn.id), NUANCE, dumps(value), provenance, nuance_model.VERSION)
    ANNOTATION.put(tx, [row])


def _wants_tags(turn: Turn) -> bool:
    spoken = turn.role in ("user", "assistant") and turn.origin in ("user", "assistant")
    return spoken and worth_asking(turn.text)


def _ask_tags(llm: LLM, turn: Turn) -> dict[str, float]:
    prompt = tags_model.tags_prompt(turn.text, turn.role)
    return tags_model.model_tags(llm.complete_json(prompt, tags_model.SCHEMA, max_tokens=tags_model.MAX_TOKENS))


def _keep_tags(tx: Transaction, space: str, turn: Turn, value: Any, provenance: str) -> None:
    """Labels of the turn itself; its statistical tags stay beside them."""
    owner = (space, cast(str, turn.id), TAG)
    dropped = [row for row in LABEL.scan(tx, owner, owner) if row.provenance.startswith("model:")]
    for row in dropped:
        tx.delete("label", (*owner, row.name), (*owner, row.name))
    version = tags_model.VERSION
    LABEL.put(tx, [LabelRow(*owner, name, weight, provenance, version) for name, weight in value.items()])
    adopt(tx, space, [(name, cast(int, turn.ordinal)) for name in value])
    let_go(tx, space, {row.name: 0 for row in dropped}, 0)


QUESTIONS: Final = (
    Question(FACTS, model_facts.VERSION, wants_facts, ask_facts, keep_facts),
    Question(NUANCE, nuance_model.VERSION, _wants_nuance, _ask_nuance, _keep_nuance),
    Question(RESPONSE, tags_model.VERSION, _wants_tags, _ask_tags, _keep_tags),
)
"""Every kind, in the order in which they are put."""
