"""The features of a turn from which the structure of a conversation is found: no text, bounded size, a wire form."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from clew.structure.cues import cues_of
from clew.text.terms import terms
from clew.types.record import Record

MAX_TERMS: Final = 64
"""Most terms kept of a turn: its most frequent ones, which carry its topic."""

READ_CHARS: Final = 20_000
"""Characters that are read of a turn, as in `clew.analyze.words`."""

_LEVELS: Final = 127


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFeatures(Record):
    """One turn as the segmentation sees it.

    Attributes:
        seq: its seq in the session.
        at: event time; None when unknown.
        layer1, coherence: its own scores, 0..1.
        terms: CRC-32 of its most frequent search terms, so that no text is kept; ascending.
        cues: flags of `clew.structure.cues.TurnCue`.
        domains: evidence for each domain; 1 is enough to name it.
        vector: its unit vector as int8 numbers; None without one.
        speaker: CRC-32 of the speaker's name; 0 without a name.
    """

    seq: int
    at: datetime | None
    layer1: float
    coherence: float
    terms: tuple[int, ...]
    cues: int
    domains: dict[str, float]
    vector: bytes | None = None
    speaker: int = 0


def hashed_terms(text: str, found: Sequence[str] | None = None) -> tuple[int, ...]:
    """The most frequent search terms of a text, hashed, in ascending order; ties go to the term that occurs first.

    Args:
        found: all search terms of the text, if already known.
    """
    often = frequent_terms(text, found)
    return tuple(sorted({crc32(term.encode("utf-8", "surrogatepass")) for term in often}))


def frequent_terms(text: str, found: Sequence[str] | None = None) -> Collection[str]:
    """The search terms that `hashed_terms` hashes, in no particular order."""
    if found is None or len(text) > READ_CHARS:
        found = terms(text[:READ_CHARS])
    often = set(found)
    return [term for term, _ in Counter(found).most_common(MAX_TERMS)] if len(often) > MAX_TERMS else often


def features(
    text: str,
    weights: tuple[float, float, Mapping[str, float]],
    *,
    seq: int,
    at: datetime | None = None,
    role: str = "user",
    speaker: str | None = None,
    vector: Sequence[float] | NDArray[Any] | None = None,
) -> TurnFeatures:
    """The features of one turn. Accepts any text.

    Args:
        text: the turn's plain text.
        weights: its layer 1 and coherence, as `clew.analyze.weigh` gives them, and its evidence for each
            domain (`clew.analyze.domains.by_domain`).
        seq: its seq in the session.
        at: event time, aware.
        role: the role in the wire formats' terms; only that of a tool matters.
        speaker: the speaker's own name, if there is one.
        vector: its embedding; None or all zero where there is none and will be none.
    """
    layer1, coherence, domains = weights
    return TurnFeatures(
        seq=seq,
        at=at,
        layer1=layer1,
        coherence=coherence,
        terms=hashed_terms(text),
        cues=int(cues_of(text, role)),
        domains=dict(domains),
        vector=packed(vector),
        speaker=speaker_code(speaker),
    )


def speaker_code(speaker: str | None) -> int:
    """The hash by which turns of one speaker are recognised; 0 without a name."""
    return crc32(speaker.casefold().encode("utf-8", "surrogatepass")) if speaker else 0


def packed(vector: Sequence[float] | NDArray[Any] | None) -> bytes | None:
    """A vector's direction as int8 numbers; None for None and for a vector of zeros, or of numbers next to zero."""
    if vector is None:
        return None
    wide = np.asarray(vector, np.float64)
    largest = float(np.abs(wide).max(initial=0.0))
    scale = _LEVELS / largest if largest else np.inf
    if not 0.0 < scale < np.inf:
        return None
    return np.rint(wide * scale).astype(np.int8).tobytes()


def unpacked(vector: bytes) -> NDArray[np.float64]:
    """The unit vector from the bytes `packed` made, up to rounding."""
    wide = np.frombuffer(vector, np.int8).astype(np.float64)
    unit: NDArray[np.float64] = wide / np.sqrt(wide @ wide)
    return unit
