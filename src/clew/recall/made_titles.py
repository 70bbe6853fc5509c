"""Makes a title for a session without one, from its first turns. Start at `made_title`."""

import json
from collections.abc import Sequence
from math import log
from typing import Final

import numpy as np

from clew.condense.recap_told import is_among_people
from clew.condense.session_titles import title_of
from clew.condense.talk_titles import OPENING, TalkTurn, title_of_talk
from clew.index.view import IndexView
from clew.store.protocol import Reader
from clew.store.row_types import TurnRow
from clew.store.tables import TURN
from clew.types.turn import ROLES

REQUESTS: Final = 6
"""First turns of the user that are read for a title: a client puts notes of its own before the request."""

MOST: Final = 60
"""Most of them, where all are such notes: somebody opened and closed files in Aider for long."""

_ASKING: Final = ("user", "assistant")
"""Origins of what stands in the user's place: the user, or the agent of a sub-agent."""

_USER: Final = ROLES.index("user")


def made_title(reader: Reader, space: str, view: IndexView, session: str, ends: tuple[int, int]) -> str | None:
    """Makes a title from the user's first request, or from the summary of what came before the session.

    The session of a sub-agent, in which no user asks for anything, is called by what its agent asked for; the talk of
    people to each other by the sentence that tells most of what it is about.

    Args:
        ends: the positions of its first and its last turn in the view.
    """
    turns, (first, last) = view.turns, ends
    here = turns.session[first : last + 1] == turns.session[first]
    opening = np.flatnonzero(here)[: 2 * REQUESTS]
    asked = np.flatnonzero(here & (turns.role[first : last + 1] == _USER))[:MOST]
    rows = _rows(reader, space, view, session, sorted({*opening.tolist(), *asked[:REQUESTS].tolist()}), first)
    if not any(row.origin in _ASKING and row.role == "user" for row in rows):
        rows += _rows(reader, space, view, session, asked[REQUESTS:].tolist(), first)
    if _are_people(rows):
        opening_rows = _rows(reader, space, view, session, np.flatnonzero(here)[:OPENING].tolist(), first)
        return _of_talk(view, opening_rows) or title_of(row.text for row in opening_rows)
    summaries = (row.text for row in rows if row.origin != "user" and _is_summary(row))
    asked_by = {origin: [row.text for row in rows if row.origin == origin and row.role == "user"] for origin in _ASKING}
    return title_of(asked_by["user"], next(summaries, None)) or title_of(asked_by["assistant"])


def _rows(
    reader: Reader, space: str, view: IndexView, session: str, places: Sequence[int], first: int
) -> list[TurnRow]:
    keys = [(space, session, int(view.turns.seq[first + place])) for place in places]
    return [row for row in TURN.get_many(reader, keys) if row is not None]


def _are_people(rows: Sequence[TurnRow]) -> bool:
    """Whether two or more people with names talk, and no assistant."""
    voices = {(row.role, row.speaker) for row in rows if row.text.strip()}
    return len({speaker for _, speaker in voices}) > 1 and is_among_people(voices)


def _is_summary(row: TurnRow) -> bool:
    return bool(row.metadata) and json.loads(row.metadata or "{}").get("summary") is True


def _of_talk(view: IndexView, rows: Sequence[TurnRow]) -> str | None:
    others = len(view.turns.session) - len(rows)

    def rarity(term: str, count: int) -> float:
        """By the share of the other turns that have it, as words are weighed for a question (`idf`)."""
        if others <= 0:
            return 1.0
        elsewhere = max(0, view.document_frequency(term) - count)
        return log(1 + (others - elsewhere + 0.5) / (elsewhere + 0.5)) / log(2 * others + 2)

    return title_of_talk([TalkTurn(row.speaker or row.role, row.text) for row in rows], rarity)
