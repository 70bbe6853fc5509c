"""Finds the beats of which a block may show a short rendering beside its turns."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import numpy as np

from clew.assemble.overview import BeatInShort
from clew.condense.node_renderings import NodeLine, lines_of
from clew.condense.renderings import Rendering
from clew.index.view import IndexView, Mask
from clew.rank.search import Ranking
from clew.rank.session_order import latest_first
from clew.rows.renderings import renderings_of
from clew.store.protocol import Reader
from clew.store.rows import from_us
from clew.store.selections import NODE_OUTLINES, NodeOutline
from clew.types.ids import BEAT

TURNS: Final = 300
"""Ranked turns that are looked at."""

_BEATS: Final = 40
"""Most beats that are read."""

SESSIONS: Final = 64
"""Latest sessions of which an overview of all tells."""

ALL_BEATS: Final = 200
"""Most beats that are read for an overview of all."""

_OUTLINES: Final = 4_000
"""Most beats of one session that are looked through: its last ones."""

_RANK: Final = 10
"""Added to a rank: a turn counts 1 / (rank + 10) for its beat."""

BY_MODEL: Final = "llm:"
"""Begins the method of what a language model wrote."""


def beats_in_short(reader: Reader, space: str, ranking: Ranking, mask: Mask | None) -> list[BeatInShort]:
    """The beats of the best ranked turns, in the order of the conversation, each weighted by how many of them it has.

    A beat with a turn that is filtered out is left out.

    Args:
        mask: the turns that pass the caller's filter; None where all do.
    """
    view = ranking.frame.view
    weights: dict[NodeOutline, float] = {}
    places: dict[int, list[NodeOutline]] = {}
    for rank, position in enumerate(ranking.positions[:TURNS].tolist()):
        code, seq = int(view.turns.session[position]), int(view.turns.seq[position])
        if code not in places:
            places[code] = _beats(reader, space, view.sessions[code])
        beat = next((candidate for candidate in places[code] if candidate.low <= seq <= candidate.high), None)
        if beat is not None:
            weights[beat] = weights.get(beat, 0.0) + 1 / (_RANK + rank)
    best = sorted(weights, key=lambda beat: (-round(weights[beat], 6), beat.node))[:_BEATS]
    return _in_short(reader, space, view, {beat: weights[beat] / weights[best[0]] for beat in best}, mask)


def beats_of_all(reader: Reader, space: str, ranking: Ranking, mask: Mask | None, now: datetime) -> list[BeatInShort]:
    """The beats of the latest sessions, all with the same weight; an even selection from sessions with too many beats.

    Sessions that are dated in the future do not count among the latest, see `latest_first`.
    """
    view = ranking.frame.view
    codes = view.turns.session if mask is None else view.turns.session[mask]
    sessions = {view.sessions[code] for code in np.unique(codes).tolist()}
    names = [name for name, _ in latest_first(view, now) if name in sessions][:SESSIONS]
    beats: list[NodeOutline] = []
    for name in names:
        beats += _beats(reader, space, name)
    step = max(1.0, len(beats) / ALL_BEATS)
    some = [beats[int(place * step)] for place in range(min(len(beats), ALL_BEATS))]
    return _in_short(reader, space, view, dict.fromkeys(some, 1.0), mask)


def _in_short(
    reader: Reader, space: str, view: IndexView, weights: Mapping[NodeOutline, float], mask: Mask | None
) -> list[BeatInShort]:
    """The renderings of these beats in the order of the conversation, without beats of which a turn is filtered out."""
    shown = _shown(reader, space, list(weights))
    shortened = []
    for beat in sorted(weights, key=lambda key: (key.session, key.low)):
        own = _positions(view, beat)
        if beat.node in shown and len(own) and (mask is None or mask[own].all()):
            shortened.append(
                BeatInShort(
                    node=beat.node,
                    session=beat.session,
                    low=beat.low,
                    high=beat.high,
                    turns=len(own),
                    at=_moment(view, int(own[0])),
                    weight=weights[beat],
                    lines=_lines(shown[beat.node]),
                    kind=shown[beat.node].kind,
                )
            )
    return shortened


def _shown(reader: Reader, space: str, beats: list[NodeOutline]) -> dict[str, Rendering]:
    """The rendering of each beat: the summary of a model if one was verified, otherwise the extract."""
    names = [beat.node for beat in beats]
    extracts = zip(names, renderings_of(reader, space, names, "salient"), strict=True)
    summaries = zip(names, renderings_of(reader, space, names, "summary"), strict=True)
    renderings = {node: rendering for node, rendering in extracts if rendering is not None}
    return renderings | {
        node: rendering
        for node, rendering in summaries
        if rendering is not None and rendering.method.startswith(BY_MODEL)
    }


def _lines(rendering: Rendering) -> list[NodeLine]:
    return lines_of(rendering.text) if rendering.kind == "salient" else [NodeLine("", "Summary", rendering.text)]


def _beats(reader: Reader, space: str, session: str) -> list[NodeOutline]:
    bound = (space, session, BEAT)
    return NODE_OUTLINES.scan(reader, bound, bound, index="level", limit=_OUTLINES, reverse=True)


def _positions(view: IndexView, beat: NodeOutline) -> np.ndarray:
    turns = view.turns
    code = view.sessions.index(beat.session)
    return np.flatnonzero((turns.session == code) & (turns.seq >= beat.low) & (turns.seq <= beat.high))


def _moment(view: IndexView, position: int) -> datetime | None:
    at = int(view.turns.at[position])
    return None if at == IndexView.NO_TIME else from_us(at)
