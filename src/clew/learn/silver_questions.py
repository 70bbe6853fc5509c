"""Turns that refer back to earlier turns, used as questions with known answers. By rule, without a model.

A turn refers back to an earlier one when the analysis says so, when it quotes a phrase of it, or when it uses a rare
term again that only the two hold. Turns shortly before it are left out: they are still in the model's window.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from clew.index.view import IndexView
from clew.rows.annotations import ANALYSIS, annotation_values
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.store.turn_selections import TURN_TEXT
from clew.text.names import quoted
from clew.text.normalise import fold, fold_contains
from clew.text.terms import quote_terms, terms
from clew.types.ids import parse_turn_id
from clew.types.turn import Turn

GAP: Final = 6
"""Least number of turns between a turn and the turn of its session that it refers back to."""

LOOKED_AT: Final = 2_000
"""Newest turns that are looked at."""

QUOTED_WORDS: Final = 3
"""Words that a quoted phrase must have."""

RARE_LENGTH: Final = 4
"""Characters that a rare term must have."""

HELD: Final = 2
"""Turns that may hold a rare term besides the one that uses it again."""

MOST_POSITIVES: Final = 4
"""A turn that refers back to more turns than so many refers to a topic, and makes no question."""

_CHARACTERS: Final = 2_000


@dataclass(frozen=True, slots=True)
class SilverQuestion:
    """A turn as a question, and the earlier turns that it refers back to, by position in the view."""

    turn: Turn
    position: int
    positives: tuple[int, ...]


def silver_questions(reader: Reader, space: str, view: IndexView, most: int) -> list[SilverQuestion]:
    """The newest turns that refer back, at most so many, the newest first.

    Args:
        reader: as of a moment not before the view's.
    """
    last = view.turns.ordinal[-LOOKED_AT:]
    if not len(last):
        return []
    low, high = (space, int(last[0])), (space, int(last[-1]))
    rows = TURN.scan(reader, low, high, index="ordinal")
    questions: list[SilverQuestion] = []
    for row in reversed(rows):
        turn = turn_from_row(row)
        position = view.position(row.session, row.seq)
        if position is None or not _is_a_person(turn) or not turn.text.strip():
            continue
        allowed = past(view, position)
        positives = sorted({earlier for earlier in _refers_to(reader, space, view, turn, position) if allowed[earlier]})
        if 1 <= len(positives) <= MOST_POSITIVES:
            questions.append(SilverQuestion(turn, position, tuple(positives)))
            if len(questions) == most:
                break
    return questions


def past(view: IndexView, position: int) -> NDArray[np.bool_]:
    """The turns far enough before another to be out of the window: in another session, or by more than `GAP` turns."""
    turns = view.turns
    near = (turns.session == turns.session[position]) & (turns.seq[position] - turns.seq <= GAP)
    return np.asarray((np.arange(len(turns.seq)) < position) & ~near)


def _is_a_person(turn: Turn) -> bool:
    """Whether a person said it; an assistant with a name of its own is one."""
    named = (turn.speaker or "").casefold() not in ("", "assistant")
    return turn.origin != "injected" and (turn.role == "user" or (turn.role == "assistant" and named))


def _refers_to(reader: Reader, space: str, view: IndexView, turn: Turn, position: int) -> Iterator[int]:
    yield from _references(reader, space, view, turn)
    yield from _quotes(reader, space, view, turn.text[:_CHARACTERS])
    yield from _rare(view, turn.text[:_CHARACTERS], position)


def _references(reader: Reader, space: str, view: IndexView, turn: Turn) -> Iterator[int]:
    said: Mapping[str, Any] = annotation_values(reader, space, ANALYSIS, [cast(int, turn.ordinal)])[0] or {}
    for name in said.get("references", ()):
        place = view.position(*parse_turn_id(name)) if ":turn:" in name and name != turn.parent else None
        if place is not None:
            yield place


def _quotes(reader: Reader, space: str, view: IndexView, text: str) -> Iterator[int]:
    for phrase in quoted(text):
        words = quote_terms(phrase)
        if len(fold(phrase).split()) < QUOTED_WORDS or not words:
            continue
        turns_by_word = [set(view.pieces.turn[view.postings(word)[0]].tolist()) for word in words]
        places = sorted(set.intersection(*turns_by_word))
        for place, words_of in zip(places, _texts(reader, space, view, places), strict=True):
            if words_of is not None and fold_contains(words_of, phrase):
                yield place


def _texts(reader: Reader, space: str, view: IndexView, places: Sequence[int]) -> list[str | None]:
    keys = [(space, view.sessions[view.turns.session[place]], int(view.turns.seq[place])) for place in places]
    return TURN_TEXT.get_many(reader, keys)


def _rare(view: IndexView, text: str, position: int) -> Iterator[int]:
    """Turns that held a term of the text when no more than `HELD` turns did."""
    for word in dict.fromkeys(terms(text)):
        if len(word) < RARE_LENGTH or word.isdigit():
            continue
        postings = view.postings(word)
        pieces = postings[0][postings[1] > 0]  # in what was said, not in its date or speaker
        earlier = sorted({place for place in view.pieces.turn[pieces].tolist() if place < position})
        if 1 <= len(earlier) <= HELD:
            yield from earlier
