"""Cuts a session into chunks whose prompts fit a model: turn-aligned, greedy, the same for the same turns. Pure.

One estimator says whether a prompt fits, for activation, chunker and guardrail alike. It counts the whole prompt with
its envelope: instructions, the schema in words and as it is sent, what a chat template adds around each message.

    tokens of the session's whole prompt <= limit    one pass, as if there were no chunks
    more                                             chunks `<session>:chunk:0`, `:1`, ... in the order of the turns
    no valid limit                                   one pass, and the telemetry says why

A turn is never cut. One whose own prompt is above the limit is a chunk by itself, which the guardrail refuses.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clew.knowledge.payload import INSTRUCTIONS, SCHEMA, VERSION, ShownTurn, extraction_prompt
from clew.models.budget import MESSAGE_TOKENS
from clew.models.json_answers import json_prompt
from clew.models.prompt import Prompt
from clew.text.counters import Counter
from clew.types.extraction import ChunkRecord, ExtractionMode
from clew.types.ids import node_id

CHUNK: Final = "chunk"
"""Names a chunk in its id."""

_LARGEST: Final = 10**12


def prompt_tokens(prompt: Prompt, count: Counter) -> int:
    """Tokens of a prompt as it is sent to get three vectors: the one estimator."""
    return sum(count(text) + MESSAGE_TOKENS for text in json_prompt(prompt, SCHEMA).texts())


def envelope_tokens(count: Counter) -> int:
    """Tokens of a prompt about nothing."""
    return prompt_tokens(extraction_prompt(()), count)


def valid_limit(limit: Any) -> int | None:
    """A limit in whole tokens; None for what is none: no number, not finite, below 1, or true."""
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not math.isfinite(limit):
        return None
    return int(limit) if 1 <= limit <= _LARGEST else None


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole turns that are asked about together.

    Attributes:
        turns: never empty.
        tokens: of its prompt, by `prompt_tokens`.
    """

    session: str
    place: int
    turns: tuple[ShownTurn, ...]
    tokens: int

    @property
    def id(self) -> str:
        """`<session>:chunk:<place>`, the session percent-encoded."""
        return node_id(self.session, CHUNK, self.place)

    def digest(self, extractor: str) -> bytes:
        """SHA-256 of the turns as they are shown, and of who extracts from them: the key of the kept result."""
        told = [self.session, extractor, VERSION, INSTRUCTIONS, [turn.to_json() for turn in self.turns]]
        return hashlib.sha256(json.dumps(told, ensure_ascii=True).encode()).digest()

    def record(self, extractor: str) -> ChunkRecord:
        """The chunk before anything became of it."""
        return ChunkRecord(
            id=self.id,
            first=self.turns[0].seq,
            last=self.turns[-1].seq,
            turns=len(self.turns),
            tokens=self.tokens,
            digest=self.digest(extractor).hex(),
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """How a session is read.

    Attributes:
        tokens: of the prompt of the whole session.
        limit: that was valid; None otherwise.
        why: what decided on the mode, in words for telemetry and log.
    """

    mode: ExtractionMode
    chunks: tuple[Chunk, ...]
    tokens: int
    limit: int | None
    why: str


def planned(session: str, turns: Sequence[ShownTurn], limit: Any, count: Counter) -> Plan:
    """Decides between one pass and chunks.

    Args:
        limit: tokens of a prompt that the model processes safely; anything that is not a valid limit means one pass.
    """
    tokens = prompt_tokens(extraction_prompt(turns), count)
    valid = valid_limit(limit)
    if valid is None or tokens <= valid:
        why = f"the limit {limit!r:.40} is not valid" if valid is None else f"{tokens} tokens are within {valid}"
        whole = (Chunk(session, 0, tuple(turns), tokens),) if turns else ()
        return Plan(ExtractionMode.SINGLE, whole, tokens, valid, why)
    chunks = tuple(chunked(session, turns, valid, count))
    why = f"{tokens} tokens are above {valid}: {len(chunks)} chunks"
    return Plan(ExtractionMode.CHUNKED, chunks, tokens, valid, why)


def chunked(session: str, turns: Sequence[ShownTurn], limit: int, count: Counter) -> Iterator[Chunk]:
    """Takes turns in their order as long as the prompt fits; a turn that fits nowhere stands alone, whole.

    New turns at the end change the last chunk alone.
    """
    start, place = 0, 0
    while start < len(turns):
        end, tokens = _filled(turns, start, limit, count)
        yield Chunk(session, place, tuple(turns[start:end]), tokens)
        start, place = end, place + 1


def _filled(turns: Sequence[ShownTurn], start: int, limit: int, count: Counter) -> tuple[int, int]:
    """The end of the chunk that begins at `start`, and the tokens of its prompt.

    The sum of the parts says roughly where that is; the count of the whole decides.
    """
    end, sum_of_parts = start, envelope_tokens(count)
    while end < len(turns) and (end == start or sum_of_parts <= limit):
        sum_of_parts += count(turns[end].to_json() + ",\n")
        end += 1

    def tokens(up_to: int) -> int:
        return prompt_tokens(extraction_prompt(turns[start:up_to]), count)

    whole = tokens(end)
    while whole > limit and end > start + 1:
        end -= 1
        whole = tokens(end)
    while end < len(turns) and (longer := tokens(end + 1)) <= limit:
        end, whole = end + 1, longer
    return end, whole


def guardrail(chunk: Chunk, plan: Plan) -> str | None:
    """Why a chunk must not be sent; None where it may be.

    Of a plan without a valid limit every chunk may be sent: then the limit is the model's own.
    """
    if plan.limit is None or chunk.tokens <= plan.limit:
        return None
    return (
        f"its prompt has {chunk.tokens} tokens, more than the limit of {plan.limit}, and a turn is not cut; "
        "raise extract.safe_limit_tokens, or set extract.oversized to rules"
    )
