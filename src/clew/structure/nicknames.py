"""Nicknames of speakers, learned from how they are greeted: "Hey Kate!" names the person spoken to.

Both recall (whom does a question name?) and the entity graph (whose name is it?) use this rule. It reads the marks that
indexing left (`clew.index.entry.name_mark`), never the words of the turns.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

import numpy as np

from clew.index.entry import name_head, name_mark
from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.text.terms import terms

_CALLED: Final = ("listener", "speaker")
_SOME: Final = CacheKey[bool]("somebody is called by a name")
_NICKNAMES: Final = CacheKey[dict[str, int | None]]("nicknames")

SIGHTINGS: Final = 2
"""Fewest turns that must use the name: one "Hey Max" may greet a pet (RETRIEVAL 4 and 7)."""

SHARE: Final = 0.2
"""Least share of the turns with the word that must use it as a name: one "Hey Love" does not make a name of "love"."""

LOOKED_AT: Final = 8
"""Newest sightings that vote on whose name it is."""

NEAR: Final = 4
"""Turns before and after a greeting within which its listener must speak."""


def nicknames(view: IndexView, words: Iterable[str]) -> dict[str, int]:
    """The words that are a nickname of a speaker, each with that speaker's code.

    A name must have been used in at least two turns, and most of the newest ones must mean the same speaker. A word
    that is itself a speaker's name is never a nickname. Results are cached with the view.

    Args:
        words: case-folded words.
    """
    if not view.derived(_SOME, lambda: any(view.may_have_marks(name_head(of)) for of in _CALLED)):
        return {}
    held = view.derived(_NICKNAMES, dict[str, int | None])
    counts: dict[str, int] = {}
    for word in words:
        if word not in held:
            held[word] = _owner(view, word)
        code = held[word]
        if code is not None:
            counts[word] = code
    return counts


def _owner(view: IndexView, word: str) -> int | None:
    marks = {of: name_mark(word, of) for of in _CALLED}
    sightings = sum(map(view.document_frequency, marks.values()))
    if sightings < SIGHTINGS:  # true of most words; spares looking up their postings
        return None
    said_of = [(of, _turns(view, mark)) for of, mark in marks.items()]
    if sightings < SHARE * max(map(view.document_frequency, terms(word)), default=0):
        return None
    if any(word == speaker.casefold() for speaker in view.speakers):
        return None
    newest = sorted(((int(turn), of) for of, turns in said_of for turn in turns[-LOOKED_AT:]), reverse=True)[:LOOKED_AT]
    votes: Counter[int] = Counter()
    for turn, of in newest:
        code = int(view.turns.speaker[turn]) if of == "speaker" else _listener(view, turn)
        if code is not None and code >= 0:
            votes[code] += 1
    best = min(votes.items(), key=lambda vote: (-vote[1], vote[0]), default=None)
    return best[0] if best is not None and best[1] > len(newest) / 2 else None


def _turns(view: IndexView, mark: str) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """The turns with a mark, ascending. Not by `np.unique`, whose first call loads numpy.ma: 9 ms of a question."""
    turns = view.pieces.turn[view.postings(mark)[0]]
    return turns[np.diff(turns, prepend=-1) > 0]


def _listener(view: IndexView, turn: int) -> int | None:
    """The only other speaker around a turn; None when there is none or more than one."""
    speakers = view.turns.speaker
    others = {int(speakers[near]) for near in view.neighbours(turn, NEAR, NEAR)} - {int(speakers[turn])}
    return others.pop() if len(others) == 1 else None
