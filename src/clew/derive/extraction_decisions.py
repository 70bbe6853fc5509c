"""Asks a model to decide what reducing a session's chunks left open, in a bounded number of calls."""

from collections.abc import Sequence

from clew.errors import ModelError
from clew.knowledge.chunk_reduce import edge_line
from clew.knowledge.payload import ShownTurn
from clew.knowledge.semantic_reduce import ASKED, MAX_TOKENS, SCHEMA, decided, questions_prompt
from clew.models.protocol import LLM
from clew.rows.failed_jobs import reason_of
from clew.text.normalise import fold, fold_contains
from clew.types.extraction import TriVector, Unresolved
from clew.types.ids import turn_id

BEFORE = 80
"""Characters of an excerpt before the name that it is about."""


def decide(
    vector: TriVector, questions: Sequence[Unresolved], turns: Sequence[ShownTurn], llm: LLM, calls: int
) -> tuple[TriVector, list[Unresolved], str | None]:
    """The vector after at most `calls` calls, the questions that are left, and why a call failed.

    A call that fails ends the deciding; the vector stays as it is without it, and so it does with 0 calls.
    """
    excerpts = _Excerpts(vector, turns)
    left, rest = list[Unresolved](), list(questions)
    for _ in range(calls):
        if not rest:
            break
        batch, rest = rest[:ASKED], rest[ASKED:]
        prompt = questions_prompt(batch, excerpts)
        try:
            answer = llm.complete_json(prompt, SCHEMA, max_tokens=MAX_TOKENS)
        except ModelError as error:
            return vector, [*left, *batch, *rest], f"the semantic reduce failed: {reason_of(str(error))}"
        vector, open_still = decided(vector, batch, answer, excerpts)
        left += open_still
    return vector, [*left, *rest], None


class _Excerpts:
    """Says what a turn says where a name, a task or a relation comes from."""

    def __init__(self, vector: TriVector, turns: Sequence[ShownTurn]) -> None:
        self._texts = [turn.text for turn in turns]
        by_id = {turn_id(vector.session, turn.seq): turn.text for turn in turns}
        stated = {edge_line(edge): edge.turn_ids for edge in vector.edges}
        stated |= {delta.text: delta.turn_ids for delta in vector.open_deltas}
        stated |= {node.name: node.turn_ids for node in vector.nodes}
        self._by_item = {item: by_id.get(ids[0], "") for item, ids in stated.items() if ids}

    def __call__(self, item: str) -> str:
        text = self._by_item.get(item) or next((text for text in self._texts if fold_contains(text, item)), "")
        at = text.casefold().find(fold(item)) if text else -1
        return text[max(0, at - BEFORE) :] if at > BEFORE else text
