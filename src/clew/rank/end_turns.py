"""The turns at the end or the beginning of a conversation, for a question that asks for nothing else."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np

from clew.index.view import IndexView, Mask
from clew.rank.anchors import PointedTurns, WeightedRange
from clew.rank.frame import Frame
from clew.rank.intent.conversation_ends import ConversationEnd
from clew.rank.intent.position_phrases import PositionPhrase
from clew.rank.intent.work_questions import WorkAsked
from clew.rank.session_order import TalksByTime, goes_on
from clew.rank.signals.position import position
from clew.types.ids import turn_id
from clew.types.turn import ROLES

MOST: Final = 64
"""Turns from an end that are offered: more than the usual budgets hold. A choice."""

TALKS: Final = 2
"""Conversations whose ends are offered: the last one may be the one that is going on, and have just begun."""

_LAST_SEQ: Final = 2**62

_SAYING: Final = tuple(map(ROLES.index, ("user", "assistant")))


def last_talk(view: IndexView, sessions: Sequence[str], now: datetime) -> PointedTurns:
    """All turns of the last conversation, and of the one before it if the last one may still be going on.

    Args:
        sessions: the conversations that went on last, the last one first.
    """
    meant = sessions if sessions and goes_on(view, sessions[0], now) else sessions[:1]
    entry = {"kind": "previous", "words": "all of it", "turns": [turn_id(name, 0) for name in meant[:1]]}
    return _whole(meant, entry)


def counted_talks(view: IndexView, counted: PositionPhrase, talks: TalksByTime) -> PointedTurns:
    """All turns of the conversations that a question counts back to; none if there are not so many."""
    names = talks.back(counted.count, alone=counted.kind == "ago") if len(view.turns.ordinal) else []
    entry = {"kind": counted.kind, "words": counted.words, "turns": [turn_id(name, 0) for name in names]}
    return _whole(names, entry)


def _whole(names: Sequence[str], entry: dict[str, Any]) -> PointedTurns:
    """All turns of conversations, those of the first one first."""
    ranges = tuple(WeightedRange(name, 0, _LAST_SEQ, 1.0 / place) for place, name in enumerate(names, 1))
    return PointedTurns(ranges, (), (entry,), alone=True)


def end_turns(
    view: IndexView,
    end: ConversationEnd,
    speakers: Sequence[int],
    sessions: Sequence[str],
    mask: Mask | None,
    *,
    with_assistant: bool,
) -> PointedTurns:
    """The turns nearest to the end or beginning that the question asks for; their values fall from 1 with the distance.

    Results of tools and text that a client put in are nobody's words, so they are left out.

    Args:
        speakers: codes of the speakers whom the question names.
        sessions: where to look, in this order, until there are `MOST` turns.
        mask: the turns that may be shown; None for all.
        with_assistant: "I" and "you" are told apart by the role; people are not, since any of them may ask.
    """
    turns = view.turns
    said = (turns.chars > 0) & np.isin(turns.role, _SAYING)
    said = said if mask is None else said & mask
    if end.by == "named":
        said &= np.isin(turns.speaker, speakers)
    elif end.by != "anybody" and with_assistant:
        said &= turns.role == ROLES.index(end.by)
    ranges: list[WeightedRange] = []
    for session in sessions:
        code = view.sessions.index(session) if session in view.sessions else -1
        own = np.unique(turns.seq[said & (turns.session == code)])
        for seq in (own if end.is_first else own[::-1])[: MOST - len(ranges)].tolist():
            ranges.append(WeightedRange(session, seq, seq, 1.0 - len(ranges) / MOST))
    kind = "start" if end.is_first else "last"
    return PointedTurns(tuple(ranges), (), (_explained(kind, end, ranges),), alone=True)


def work_pointed(asked: WorkAsked, ranges: Sequence[WeightedRange]) -> PointedTurns:
    """The turns with the work that is asked for, and no others."""
    turns = [turn_id(first.session, first.low) for first in ranges[:1]]
    entry = {"kind": "start" if asked.is_first else "last", "words": "all of it", "work": asked.kind, "turns": turns}
    return PointedTurns(tuple(ranges), (), (entry,), alone=True)


def _explained(kind: str, end: ConversationEnd, ranges: Sequence[WeightedRange]) -> dict[str, Any]:
    """The receipt's entry: what was understood, and the turn at that end."""
    by = {} if end.by == "anybody" else {"by": end.by}
    return {
        "kind": kind,
        "words": "all of it",
        **by,
        "turns": [turn_id(first.session, first.low) for first in ranges[:1]],
    }


def only_meant(frame: Frame, mask: Mask | None) -> Mask | None:
    """The turns that a mask lets through; if the question asks for nothing but a place, only those at the place."""
    if not frame.pointed.alone:
        return mask
    values = position(frame)
    meant = np.zeros(frame.size, dtype=np.bool_) if values is None else values > 0
    return meant if mask is None else mask & meant
