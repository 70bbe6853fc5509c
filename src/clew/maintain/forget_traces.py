"""What is unique to forgotten text, so that finding it anywhere proves that the text is still there.

A word run is five consecutive words (all of them in a shorter turn); a rare word or index term is one that occurs in no
remaining turn. Words are compared by letters and digits alone, ignoring case and JSON's escapes.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from clew.index.entry import TurnEntry
from clew.types.turn import Turn
from clew.write.prepare import derive

RUN: Final = 5
"""Words of a run."""

SHORTEST: Final = 5
"""Letters of a rare word, or run, that is looked for in raw files: shorter ones stand in binary data by chance."""

_WORD: Final = re.compile(r"[^\W_]+")
_ESCAPED: Final = re.compile(r'\\(?:[bfnrt"/\\]|u[0-9a-fA-F]{4})')


@dataclass(slots=True)
class Traces:
    """The text that is unique to forgotten turns. `ordinals` are theirs; `lengths` are those of the runs, in words."""

    turns: int = 0
    ordinals: set[int] = field(default_factory=set)
    runs: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    terms: set[str] = field(default_factory=set)
    lengths: set[int] = field(default_factory=set)


def traces_of(turns: Iterable[Turn]) -> Traces:
    """All runs, words and index terms of turns that are to be forgotten, as `Memory.restore` gives them."""
    traces = Traces()
    for turn in turns:
        traces.turns += 1
        traces.ordinals.add(cast(int, turn.ordinal))
        for text in {turn.text, *(part.text for part in turn.parts), *_originals(turn)}:
            said = words(text)
            length = min(RUN, len(said))
            traces.lengths.add(length)
            traces.runs.update(_runs(said, length))
            traces.words |= set(said)
        traces.terms |= terms_of(derive(turn).entry(seq=0, ordinal=0))
    return traces


def words(text: str) -> list[str]:
    """The words of a text, folded; JSON's escapes separate words."""
    return [word.casefold() for word in _WORD.findall(_ESCAPED.sub(" ", text))]


def _runs(said: Sequence[str], length: int) -> Iterator[str]:
    if length:
        yield from map(" ".join, zip(*(said[start:] for start in range(length)), strict=False))


def hits_in(said: Sequence[str], traces: Traces, shortest: int) -> int:
    """How many traces of one length occur in a list of words; every occurrence counts."""
    hits = sum(word in traces.words and len(word) >= shortest for word in said)
    for length in traces.lengths:
        hits += sum(run in traces.runs and len(run) >= shortest for run in _runs(said, length))
    return hits


def leave_out(traces: Traces, said: Sequence[str]) -> None:
    """Removes words, and the runs of them, from the traces: something that remains has them, too."""
    traces.words.difference_update(said)
    for length in traces.lengths:
        traces.runs.difference_update(_runs(said, length))


def terms_of(entry: TurnEntry) -> set[str]:
    """The index terms of a turn."""
    return {term for piece in entry.pieces for term in (*piece.body, *piece.extra)}


def _originals(turn: Turn) -> Iterator[str]:
    for part in turn.parts:
        if part.data is not None and (part.media_type or "text").startswith("text"):
            yield part.data.decode("utf-8", "replace")
