"""Describes a period by lines about its turns, beats and chapters, the most important first.

Without a model: by the ranking where there is a question, else by the hierarchy's titles and the importance of turns.
Borders: reads rows; how much fits is for `clew.assemble.timeline_block`.
"""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.naming import naming_text
from clew.analyze.tags import beat_phrases
from clew.assemble.timeline_block import TimelineEntry
from clew.index.view import IndexView
from clew.rank.anchors import on_side
from clew.rank.covered_days import covered_days
from clew.rank.frame import Frame
from clew.rank.intent.time_window import time_window
from clew.rank.sigma import snippet
from clew.rank.timeline import by_period, in_turns
from clew.rows.annotations import ANALYSIS, annotation_values
from clew.store.protocol import Reader
from clew.store.rows import from_us, turn_from_row
from clew.store.selections import NODE_TITLES
from clew.store.tables import TURN
from clew.store.turn_selections import TURN_TEXT
from clew.text.pieces import piece_spans
from clew.text.shown_names import said_by
from clew.text.terms import terms
from clew.types.ids import BEAT, turn_id
from clew.types.turn import ROLES

MOST: Final = 300
"""Turns that are offered at most."""
READ: Final = 1_000
"""Turns of the time whose importance is read; of more, as many are taken at even distances."""
SESSIONS: Final = 200
"""Conversations whose hierarchy is read, those with the most turns in the time."""
NEAR: Final = 12
"""Best turns for a question among which the latest tells the state."""
LONG: Final = 600
"""Characters from which a turn is shown by its best piece, or its beginning."""
_TOOL: Final = ROLES.index("tool")
OPEN_TURNS: Final = 40
"""Turns since the last closed beat from which its title is made."""
_PHRASES: Final = 3
_NAMED_BY: Final = 60
"""Characters of its first words by which something without a title is called."""

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Scene:
    """A time and what is asked of it.

    Attributes:
        positions: the turns of the time by their positions in the view, ascending.
        ranked: those that answer the question, best first; empty without a question.
        frame: the question over the view; None without one.
    """

    reader: Reader
    space: str
    view: IndexView
    positions: Places
    ranked: Places
    frame: Frame | None = None

    def offer(self, positions: Sequence[int]) -> list[TimelineEntry]:
        """The lines of these turns, in their order, without turns that were forgotten meanwhile."""
        turns, view = self.view.turns, self.view
        names = [(view.sessions[int(turns.session[at])], int(turns.seq[at])) for at in positions]
        texts = TURN_TEXT.get_many(self.reader, [(self.space, *name) for name in names])
        entries = []
        for at, (session, seq), stored in zip(positions, names, texts, strict=True):
            if stored is not None:
                speaker = int(turns.speaker[at])
                rendering, text = self._shown(stored)
                entries.append(
                    TimelineEntry(
                        kind="turn",
                        ref=turn_id(session, seq),
                        session=session,
                        low=seq,
                        high=seq,
                        turns=1,
                        text=text,
                        speaker=said_by(view.speakers[speaker] if speaker >= 0 else "", ROLES[int(turns.role[at])]),
                        at=self.at(at),
                        rendering=rendering,
                        position=at,
                    )
                )
        return entries

    def at(self, position: int) -> datetime | None:
        """Event time of a turn."""
        value = int(self.view.turns.at[position])
        return None if value == self.view.NO_TIME else from_us(value)

    def day(self, position: int) -> date | None:
        """The day on which a turn was said, None if its time is unknown."""
        moment = self.at(position)
        return None if moment is None else moment.date()

    def name(self, position: int) -> str:
        """The id of a turn."""
        turns = self.view.turns
        return turn_id(self.view.sessions[int(turns.session[position])], int(turns.seq[position]))

    @property
    def before(self) -> NDArray[np.bool_]:
        """Which turns were said before everything that the question names after "before"; all if it names nothing."""
        sides = () if self.frame is None else self.frame.pointed.sides
        mask = np.ones(len(self.view.turns.ordinal), dtype=np.bool_)
        for side in sides:
            mask &= True if side.after else on_side(self.view, side)
        return mask

    @cached_property
    def outlines(self) -> list[TimelineEntry]:
        """The beats, chapters and unfinished ends in the period, by session and first turn, wider ones first."""
        entries: list[TimelineEntry] = []
        codes, counts = np.unique(self.view.turns.session[self.positions], return_counts=True)
        order = np.lexsort((codes, -counts))[:SESSIONS]
        for code in sorted(codes[order].tolist()):
            entries += self._outlines_of(code)
        return entries

    @cached_property
    def beats(self) -> dict[str, list[TimelineEntry]]:
        """The beats and unfinished ends in the period by session, in order."""
        entries: dict[str, list[TimelineEntry]] = {}
        for offer in self.outlines:
            if offer.kind != "chapter":
                entries.setdefault(offer.session, []).append(offer)
        return entries

    @property
    def important(self) -> list[int]:
        """The analysed turns of the period: paradigm shifts first, then by importance."""
        return [at for _, _, at in self.weighed]

    @property
    def shifts(self) -> list[int]:
        """The paradigm shifts of the period, the most important first."""
        return [at for is_none, _, at in self.weighed if not is_none]

    @cached_property
    def weighed(self) -> list[tuple[bool, float, int]]:
        """Turns of the time, ascending: whether one is not a paradigm shift, its importance negated, and its position.

        What a tool printed is passed over where anybody spoke: a listing says little of a time.
        """
        spoken = self.positions[self.view.turns.role[self.positions] != _TOOL]
        positions = spoken if len(spoken) else self.positions
        places = np.linspace(0, len(positions) - 1, min(READ, len(positions))).astype(np.int64)
        chosen = positions[places].tolist()
        analyses = annotation_values(self.reader, self.space, ANALYSIS, self.view.turns.ordinal[chosen].tolist())
        analysed = [(at, analysis) for at, analysis in zip(chosen, analyses, strict=True) if analysis is not None]
        weights = ((at, analysis.get("paradigm_shift", False), analysis.get("importance")) for at, analysis in analysed)
        return sorted((not shift, -float(value), at) for at, shift, value in weights if value is not None)

    @property
    def weights(self) -> dict[int, dict[str, float]]:
        """By position what weighed for the turns that were looked at without a question; empty where nothing asked."""
        looked_at = vars(self).get("weighed", [])  # what the mode did not ask for is not read for its receipt
        return {at: {"importance": -value, "paradigm_shift": float(not no)} for no, value, at in looked_at}

    def _shown(self, text: str) -> tuple[str, str]:
        """How a turn is shown, and its words: of a long one the piece with most terms of the question, or the start."""
        if len(text) <= LONG:
            return "full", text.strip()
        if self.frame is None:
            return "snippet", snippet(text)
        wanted = set(self.frame.intent.terms)
        spans = piece_spans(text)
        start, end = max(spans, key=lambda span: (len(wanted & set(terms(text[slice(*span)]))), -span[0]))
        return "pieces", f"… {text[start:end].strip()} …"

    def _outlines_of(self, code: int) -> list[TimelineEntry]:
        session = self.view.sessions[code]
        inside = self.positions[self.view.turns.session[self.positions] == code]
        order = np.argsort(self.view.turns.seq[inside], kind="stable")
        inside, seqs = inside[order], self.view.turns.seq[inside][order]
        outlines, end = [], -1
        for node in NODE_TITLES.scan(self.reader, (self.space, session), (self.space, session), index="level"):
            kind = "beat" if node.level == BEAT else "chapter"
            end = max(end, node.high) if node.level == BEAT else end
            first, last = np.searchsorted(seqs, [node.low, node.high + 1])
            if first < last:
                positions = inside[first:last]
                title = node.title or self._title(positions[:OPEN_TURNS])
                outlines.append((-node.level, self._outline(kind, node.node, positions, title)))
        rest = inside[np.searchsorted(seqs, end + 1) :]
        if len(rest):
            name = turn_id(session, int(self.view.turns.seq[rest[0]]))
            outlines.append((-BEAT, self._outline("open", name, rest, self._title(rest[-OPEN_TURNS:]))))
        return [offer for _, offer in sorted(outlines, key=lambda entry: (entry[1].low, entry[0]))]

    def _outline(self, kind: str, ref: str, positions: Places, text: str) -> TimelineEntry:
        turns = self.view.turns
        return TimelineEntry(
            kind=kind,
            ref=ref,
            session=self.view.sessions[int(turns.session[positions[0]])],
            low=int(turns.seq[positions[0]]),
            high=int(turns.seq[positions[-1]]),
            turns=len(positions),
            text=text,
            at=self.at(int(positions[0])),
        )

    def _title(self, positions: Places) -> str:
        """The phrases that describe some turns, or else the first words of the turns; empty if the turns are gone."""
        turns, view = self.view.turns, self.view
        keys = [(self.space, view.sessions[int(turns.session[at])], int(turns.seq[at])) for at in positions.tolist()]
        stored = [turn_from_row(row) for row in TURN.get_many(self.reader, keys) if row is not None]
        texts = [naming_text(turn) for turn in stored]
        phrases = beat_phrases(texts, [turn.speaker for turn in stored if turn.speaker])[:_PHRASES]
        if phrases:
            return ", ".join(phrase.name for phrase in phrases)
        words = (" ".join(text.split()) for text in (*texts, *(turn.text for turn in stored)))
        return snippet(next(filter(None, words), ""), _NAMED_BY)


def with_moments(view: IndexView, now: datetime, only: Mapping[str, Any]) -> dict[str, Any]:
    """Filters in which words for a time in `since` and `until` are the moments that they mean.

    "Last week" is counted from today, or from the last day of the conversation, as in `remember_when`.

    Raises:
        InputError: the words name no time, or the range ends before it starts.
    """
    phrases = {name: only[name] for name in ("since", "until") if isinstance(only.get(name), str)}
    if not phrases:
        return dict(only)
    window = time_window(phrases.get("since"), phrases.get("until"), "", now, days_of(view, only.get("session")))
    return {**only, **{name: getattr(window, name) for name in phrases}}


def days_of(view: IndexView, session: str | None) -> tuple[date, date] | None:
    """The first and the last day of a session, or of the whole space; None if no turn has a time."""
    if session is None:
        return covered_days(view)
    moments = view.turns.at[np.flatnonzero(view.mask(session=session) & (view.turns.at != view.NO_TIME))]
    ends = [from_us(int(end)) for end in (moments.min(), moments.max())] if len(moments) else []
    return (ends[0].date(), ends[1].date()) if ends else None


def offers(mode: str, scene: Scene) -> list[TimelineEntry]:
    """The lines about a period in the order in which they are shown; empty if nothing answers the question."""
    unanswered = scene.frame is not None and not len(scene.ranked) and mode != "window_overview"
    return _MODES[mode](scene) if len(scene.positions) and not unanswered else []


def _lookup(scene: Scene) -> list[TimelineEntry]:
    return scene.offer(scene.ranked[:MOST].tolist())


def _state(scene: Scene) -> list[TimelineEntry]:
    """The latest of the best turns for the question, then the others by rank; without one the latest beat and turns.

    Where the question asks for the state before something was said, the latest before that come first.
    """
    if len(scene.ranked):
        asked = scene.before
        best = sorted(scene.ranked[:NEAR].tolist(), key=lambda at: (bool(asked[at]), *_when(scene, at)), reverse=True)
        return scene.offer([*best, *scene.ranked[NEAR:MOST].tolist()])
    latest = sorted(scene.positions.tolist(), key=lambda at: _when(scene, at), reverse=True)[:NEAR]
    stages = dict.fromkeys(_stage(scene, at) for at in latest)
    return [*(offer for offer in scene.outlines if offer.ref in stages), *scene.offer(latest)]


def _change(scene: Scene) -> list[TimelineEntry]:
    """The best turn of each beat or day, in the order first, last, others; then the next best turns."""
    if not len(scene.ranked):
        return in_turns([_level(scene, "beat"), scene.offer(scene.shifts[:MOST])])
    groups: dict[Hashable, list[int]] = {}
    for at in scene.ranked[:MOST].tolist():
        groups.setdefault(_stage(scene, at), []).append(at)
    in_time = sorted(groups.values(), key=lambda group: min(_when(scene, at) for at in group))
    ends = [in_time[0], *in_time[1:][-1:]]
    others = [group for group in groups.values() if group not in ends]
    return scene.offer(in_turns([*ends, *others]))


def _summary(scene: Scene) -> list[TimelineEntry]:
    """For each day, week, month or year of the time what it was about, and its best or most important turn.

    With a question only what holds an answer to it is named.
    """
    chosen = scene.ranked[:MOST].tolist() or scene.important[:MOST]
    stages = {_stage(scene, at) for at in chosen}
    lines = [offer for beats in scene.beats.values() for offer in beats if scene.frame is None or offer.ref in stages]
    entries = scene.offer(chosen)
    keys = by_period([None if offer.at is None else offer.at.date() for offer in (*lines, *entries)])
    periods: dict[str, tuple[list[TimelineEntry], list[TimelineEntry]]] = {key: ([], []) for key in sorted(set(keys))}
    for place, (key, offer) in enumerate(zip(keys, (*lines, *entries), strict=True)):
        periods[key][place >= len(lines)].append(offer)
    parts = [in_turns([sorted(about, key=_width), turns]) for about, turns in periods.values()]
    return in_turns(parts)


def _overview(scene: Scene) -> list[TimelineEntry]:
    """What the time was about, from the widest parts of the hierarchy to the single turns that matter most."""
    return [*_level(scene, "chapter"), *_level(scene, "beat"), *scene.offer(scene.important[:MOST])]


def _level(scene: Scene, kind: str) -> list[TimelineEntry]:
    """The chapters; or the beats and unfinished ends, those with the most turns first."""
    entries = [offer for offer in scene.outlines if (offer.kind == "chapter") == (kind == "chapter")]
    return sorted(entries, key=_width)


def _width(offer: TimelineEntry) -> tuple[int, str, int]:
    return -offer.turns, offer.session, offer.low


def _stage(scene: Scene, position: int) -> Hashable:
    """The beat to which a turn belongs; without one, its session and day."""
    turns = scene.view.turns
    session, seq = scene.view.sessions[int(turns.session[position])], int(turns.seq[position])
    beats = scene.beats.get(session, [])
    place = bisect_right(beats, seq, key=lambda beat: beat.low) - 1
    if place >= 0 and seq <= beats[place].high:
        return beats[place].ref
    return session, scene.day(position)


def _when(scene: Scene, position: int) -> tuple[int, str, int]:
    turns = scene.view.turns
    return int(turns.at[position]), scene.view.sessions[int(turns.session[position])], int(turns.seq[position])


_MODES: Final[dict[str, Callable[[Scene], list[TimelineEntry]]]] = {
    "lookup": _lookup,
    "state_at_time": _state,
    "change_over_time": _change,
    "summarize_over_time": _summary,
    "window_overview": _overview,
}
