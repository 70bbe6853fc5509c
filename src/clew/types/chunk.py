"""The HSCA document's data classes: a weighed chunk, a snapshot of chunks, and the names of domains and nuance flags.

Field names, order, defaults and rounding are the document's (section 6). The classes are mutable, since a chunk gets
its snapshot's id only after it was returned. Unlike other records they write fields that are None, and times as
seconds since 1970, because the document's programs expect that.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import isnan
from typing import Any, Self

from clew.errors import InputError, shown

_DIGITS = 4


class DomainTag(StrEnum):
    """The subject or register of a text."""

    PHYSICS = "physics"
    MATHEMATICS = "mathematics"
    LEGAL = "legal"
    MEDICAL = "medical"
    POETRY = "poetry"
    NARRATIVE = "narrative"
    TECHNICAL_PROSE = "technical_prose"
    CONVERSATIONAL = "conversational"
    PHILOSOPHICAL = "philosophical"
    HISTORICAL = "historical"
    CROSS_DOMAIN = "cross_domain"
    UNCLASSIFIED = "unclassified"


class NuanceFlag(StrEnum):
    """How a text is meant. A flag that ends in `_model` was set by a model; an absent flag is unknown, not false."""

    METAPHOR = "metaphor"
    METAPHOR_MODEL = "metaphor_model"
    SARCASM = "sarcasm"
    SARCASM_MODEL = "sarcasm_model"
    EMOTIONAL_TONE_POSITIVE = "emotional_tone_positive"
    EMOTIONAL_TONE_NEGATIVE = "emotional_tone_negative"
    EMOTIONAL_TONE_URGENT = "emotional_tone_urgent"
    EMOTIONAL_TONE_NEUTRAL = "emotional_tone_neutral"
    EMOTIONAL_TONE_GRIEVING = "emotional_tone_grieving"
    RHETORICAL_QUESTION = "rhetorical_question"
    ANALOGY = "analogy"
    ANALOGY_MODEL = "analogy_model"
    HEDGED = "hedged"
    ABSOLUTE = "absolute"
    NARRATIVE_THREAD = "narrative_thread"
    NARRATIVE_THREAD_MODEL = "narrative_thread_model"
    INSTRUCTIONAL = "instructional"


@dataclass
class WeightedChunk:
    """One piece of text with its weights of layers 1 to 3.

    Attributes:
        layer1_score: relational weight, 0..1.
        domain_tags: values of `DomainTag`, strongest first.
        coherence_score: 0..1.
        nuance_flags: values of `NuanceFlag`; absent flags are unknown, not false.
        parent_id: id of the snapshot it belongs to; None if there is none yet.
        created_at: seconds since 1970 UTC; defaults to now.
    """

    chunk_id: str
    text: str
    layer1_score: float
    domain_tags: list[str]
    coherence_score: float
    nuance_flags: list[str]
    parent_id: str | None
    created_at: float = field(default_factory=time.time)  # noqa: TID251  # the document's default; stages give the time

    def to_dict(self, *, include_text: bool = True) -> dict[str, Any]:
        """The fields as primitives, scores to 4 digits.

        Args:
            include_text: False omits the text but keeps the weights (HSCA 8.5).
        """
        values = {
            "chunk_id": self.chunk_id,
            "text": self.text,
            "layer1_score": round(self.layer1_score, _DIGITS),
            "domain_tags": list(self.domain_tags),
            "coherence_score": round(self.coherence_score, _DIGITS),
            "nuance_flags": list(self.nuance_flags),
            "parent_id": self.parent_id,
            "created_at": self.created_at,
        }
        if not include_text:
            del values["text"]
        return values

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Reads the result of `to_dict`. A missing text is empty, a missing time is 0.

        Raises:
            InputError: the chunk's id or one of its scores is missing or no number, or the record is not a mapping.
        """
        need(cls, data, "chunk_id", "layer1_score", "coherence_score")
        return cls(
            chunk_id=data["chunk_id"],
            text=data.get("text", ""),
            layer1_score=number(cls, data, "layer1_score"),
            domain_tags=listed(cls, data, "domain_tags", [DomainTag.UNCLASSIFIED.value]),
            coherence_score=number(cls, data, "coherence_score"),
            nuance_flags=listed(cls, data, "nuance_flags"),
            parent_id=data.get("parent_id"),
            created_at=data.get("created_at", 0.0),
        )


@dataclass
class ContextSnapshot:
    """Consecutive chunks frozen with their weights: one beat of a conversation.

    Attributes:
        macro_weight: density of the snapshot, 0..1: the mean relational weight of its chunks.
        domain_summary: share of the weight by domain tag. Chunks may have several tags, so shares may sum to more than
            1.
        conversation_position: position among the snapshots of the session, from 0.
        forced: True if the snapshot ended at the maximum number of chunks, not by low coherence.
        created_at: seconds since 1970 UTC; defaults to now.
    """

    snapshot_id: str
    chunks: list[WeightedChunk]
    macro_weight: float
    domain_summary: dict[str, float]
    conversation_position: int
    forced: bool
    created_at: float = field(default_factory=time.time)  # noqa: TID251  # the document's default; stages give the time

    def to_dict(self, *, include_text: bool = True) -> dict[str, Any]:
        """The fields as primitives, weights to 4 digits.

        Args:
            include_text: False omits the text of the chunks but keeps the weights (HSCA 8.5).
        """
        return {
            "snapshot_id": self.snapshot_id,
            "chunks": [chunk.to_dict(include_text=include_text) for chunk in self.chunks],
            "macro_weight": round(self.macro_weight, _DIGITS),
            "domain_summary": {tag: round(share, _DIGITS) for tag, share in self.domain_summary.items()},
            "conversation_position": self.conversation_position,
            "forced": self.forced,
            "created_at": self.created_at,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Reads the result of `to_dict`. Missing fields other than id and weight are empty, 0 or False.

        Raises:
            InputError: the snapshot's id or weight is missing or no number, or a record is not a mapping.
        """
        need(cls, data, "snapshot_id", "macro_weight")
        return cls(
            snapshot_id=data["snapshot_id"],
            chunks=[WeightedChunk.from_dict(chunk) for chunk in listed(cls, data, "chunks")],
            macro_weight=number(cls, data, "macro_weight"),
            domain_summary=shares(cls, data, "domain_summary"),
            conversation_position=data.get("conversation_position", 0),
            forced=data.get("forced", False),
            created_at=data.get("created_at", 0.0),
        )


def need(cls: type, data: object, *names: str) -> None:
    """Checks that a record from outside is a mapping with the required fields.

    Raises:
        InputError: the record is not a mapping, or lacks a required field.
    """
    if not isinstance(data, Mapping):
        raise InputError(f"{cls.__name__}: expected a mapping as to_dict returns it, got {type(data).__name__}")
    missing = [name for name in names if name not in data]
    if missing:
        raise InputError(f"{cls.__name__}: the record lacks {', '.join(missing)}; expected the result of its to_dict")


def listed(cls: type, data: Mapping[str, Any], name: str, default: Sequence[Any] = ()) -> list[Any]:
    """A copy of the list that a record has in a field; the default where the field is missing or None.

    Raises:
        InputError: the field has something else, such as text.
    """
    value = data.get(name)
    if value is None:
        return list(default)
    if not isinstance(value, list | tuple):
        raise InputError(f"{cls.__name__}: {name} is {shown(value)}; expected a list, as to_dict writes it")
    return list(value)


def shares(cls: type, data: Mapping[str, Any], name: str) -> dict[str, float]:
    """A copy of the weights by domain that a record has in a field; empty where the field is missing or None.

    Raises:
        InputError: the field has something else.
    """
    value = data.get(name)
    if value is not None and not isinstance(value, Mapping):
        raise InputError(
            f"{cls.__name__}: {name} is {shown(value)}; expected weights by domain, as to_dict writes them"
        )
    return {tag: number(cls, value or {}, tag) for tag in value or {}}


def number(cls: type, data: Mapping[str, Any], name: str, default: float = 0.0) -> float:
    """The number that a record has in a field; the default where the field is missing.

    Raises:
        InputError: the field has something else.
    """
    value = data.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or isnan(value):
        raise InputError(f"{cls.__name__}: {name} is {shown(value)}; expected a number")
    return value
