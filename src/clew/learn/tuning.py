"""Tuning a space: judges each family of parameters by the log and its receipts, and adopts what holds. See `Tuner`.

Nothing changes without feedback: only recalls whose used turns are known judge. Silver questions help to choose the
weights of recall. A family is judged again once enough recalls came after its last change, even if that change was
reverted: the history that led to a change is not used twice.
"""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import numpy as np

from clew.assemble.timeline_receipt import KIND as TOLD
from clew.assemble.timeline_receipt import LOOKED_FOR
from clew.config import CondenseConfig
from clew.derive.branch_state import materials_of
from clew.derive.turn_vectors import stored_vectors
from clew.index.live import LiveIndex
from clew.index.view import IndexView
from clew.learn.feedback import QUOTED, echoes, read_feedback, receipts_of, shown, write_quoted
from clew.learn.recap_uses import RecapUses
from clew.learn.rendering_uses import RenderingUses
from clew.learn.silver_questions import past, silver_questions
from clew.rank.filter import Filter
from clew.rank.frame import Frame
from clew.rank.participants import assistant_takes_part
from clew.rank.ranker import Ranker
from clew.rank.tuning.fusion import PREFIX, SETTINGS_TUNED, RankedQuestion, fusion_problem, ranked_question
from clew.rank.tuning.recaps import RATIO, RECAP_SCALE, recap_scale_of, recaps_problem
from clew.rank.tuning.renderings import SCALE, renderings_problem, scale_of
from clew.rank.tuning.structure import (
    Interaction,
    StructureParameters,
    WeighedChunk,
    maturity_problem,
    weighed_together,
    weights_problem,
)
from clew.rank.tuning.structure import adopt as with_verdict
from clew.rank.tuning.validate import decide, stretches
from clew.rows.parameters import LearnedBook, adopt, history, structure_of
from clew.store.protocol import Reader, Store
from clew.store.rows import EPOCH
from clew.store.tables import NODE, TURN
from clew.store.turn_selections import TURN_TEXT
from clew.structure.beats import BeatRule, segment
from clew.structure.features import TurnFeatures
from clew.structure.hierarchy_codec import seqs_of
from clew.text.counters import Counter
from clew.types.context import Receipt
from clew.types.ids import BEAT, parse_turn_id
from clew.types.tuning import Change, TuneReport, Verdict

MOST_RECALLS: Final = 400
"""Newest recalls with known use that judge."""

MOST_SILVER: Final = 100
"""Newest silver questions: each costs an embedding where there is an embedder."""

MOST_RENDERED: Final = 150
"""Newest recalls with known use that judge renderings: the beats that they name are rendered again."""

MIN_NEW: Final = 20
"""Recalls with known use that must have come since a family changed last."""

AROUND: Final = 10
"""Turns on both sides of those that were used together; beats are judged within them."""

TOGETHER: Final = 40
"""Turns of a session within which the used turns of one recall count as used together."""


@dataclass(frozen=True, slots=True)
class Use:
    """A recall whose used turns are known.

    Attributes:
        used: ids of turns that were used, sorted.
    """

    receipt: Receipt
    used: tuple[str, ...]

    @property
    def place(self) -> tuple[str, int]:
        """Session and place of the first turn that was used."""
        return parse_turn_id(self.used[0])


@dataclass(frozen=True, slots=True)
class Tuner:
    """Tunes one space."""

    store: Store
    space: str
    live: LiveIndex
    ranker: Ranker
    book: LearnedBook
    condense: CondenseConfig
    counter: Counter

    def tune(self, now: datetime, *, dry_run: bool) -> TuneReport:
        """Judges every family and adopts what holds, each as a version of its own."""
        view = self.live.view()
        uses, kinds = self._uses(view, now, dry_run=dry_run)
        version, silver = self.book.now().version, 0
        changed: dict[str, float] = {}
        verdicts: list[Verdict] = []
        if uses:
            with self.store.snapshot() as reader:
                changes = history(reader, self.space)
            verdict, silver = self._recall(view, uses)
            verdicts = [_not_twice(verdict, changes, uses), *self._structure(view, uses, changes)]
            verdicts.append(_not_twice(self._renderings(uses), changes, uses))
            verdicts.append(_not_twice(self._recaps(uses), changes, uses))
            for each in verdicts:
                changed |= each.values
                if each.adopted and not dry_run:
                    version = adopt(self.store, self.space, each.values, each.rounded(), now, version)
        return TuneReport(
            feedback=kinds,
            silver=silver,
            verdicts=tuple(verdicts),
            version=version,
            changed=changed,
            dry_run=dry_run,
        )

    def _uses(self, view: IndexView, now: datetime, *, dry_run: bool) -> tuple[list[Use], dict[str, int]]:
        """The newest recalls with known use, oldest first; and how many turns there are by kind of evidence."""
        with self.store.snapshot() as reader:
            receipts = receipts_of(reader, self.space)
        quoted = echoes(self.store, self.space, view, receipts[-MOST_RECALLS:])
        if quoted and not dry_run:
            write_quoted(self.store, self.space, quoted, now)
        with self.store.snapshot() as reader:
            known = read_feedback(reader, self.space)
        for receipt, names in quoted.items():
            for name in names:
                known.setdefault(receipt, {}).setdefault(name, set()).add(QUOTED)
        uses = [Use(each, tuple(sorted(known[each.id], key=parse_turn_id))) for each in receipts if each.id in known]
        uses = uses[-MOST_RECALLS:]
        kinds = [kind for use in uses for name in use.used for kind in known[use.receipt.name][name]]
        return uses, {kind: kinds.count(kind) for kind in sorted(set(kinds))}

    def _recall(self, view: IndexView, uses: Sequence[Use]) -> tuple[Verdict, int]:
        pairs: list[RankedQuestion] = []
        groups = stretches([use.place for use in uses])
        for use, group in zip(uses, groups, strict=True):
            pair = None if _pointed(use.receipt) else self._asked(use, group)
            if pair is not None:
                pairs.append(pair)
        judging = len(pairs)
        with self.store.snapshot() as reader:
            silver = silver_questions(reader, self.space, view, MOST_SILVER) if pairs else []
        known = sorted(zip([use.place for use in uses], groups, strict=True))
        for question in silver:
            group = _group_at((question.turn.session, question.turn.seq or 0), known)
            frame = self.ranker.frame(question.turn.text, question.turn.at or question.turn.ingested_at or EPOCH)
            pair = ranked_question(frame, question.positives, past(frame.view, question.position), group, judges=False)
            if pair is not None:
                pairs.append(pair)
        free = {setting for setting in SETTINGS_TUNED if PREFIX + setting not in self.book.given}
        problem = fusion_problem(pairs, self.book.recall(), free, beside=assistant_takes_part(view))
        return decide(problem), len(pairs) - judging

    def _asked(self, use: Use, group: str) -> RankedQuestion | None:
        receipt = use.receipt
        chosen = Filter.from_dict(receipt.settings.get("filter") or {})
        if chosen.by_rows:  # rows may have changed since: what it was chosen from is not known any more
            return None
        question = receipt.query if receipt.kind != TOLD else receipt.understood.get(LOOKED_FOR, "")
        frame = self.ranker.frame(question, chosen.as_of or receipt.created_at)
        used = {place for place in (_position(frame, name) for name in use.used) if place is not None}
        allowed = np.arange(frame.size) < receipt.considered
        mask = chosen.mask(frame.view)
        return ranked_question(frame, used, allowed if mask is None else allowed & mask, group, judges=True)

    def _renderings(self, uses: Sequence[Use]) -> Verdict:
        """The lengths of renderings, by what they would have told of the turns that were used."""
        some = uses[-MOST_RENDERED:]
        groups = stretches([use.place for use in some])
        with self.store.snapshot() as reader:
            seen = RenderingUses(reader, self.space)
            outcomes = [seen.told(use.receipt, use.used, group) for use, group in zip(some, groups, strict=True)]
        known = [outcome for outcome in outcomes if outcome is not None]
        return decide(renderings_problem(known, scale_of(self.book.now().values)))

    def _recaps(self, uses: Sequence[Use]) -> Verdict:
        """The lengths of recaps, by what they would have told of the turns that were needed again."""
        groups = stretches([use.place for use in uses])
        with self.store.snapshot() as reader:
            seen = RecapUses(reader, self.space, self.condense, self.counter)
            outcomes = [seen.told(use.receipt, use.used, group) for use, group in zip(uses, groups, strict=True)]
        known = [outcome for outcome in outcomes if outcome is not None]
        start = recap_scale_of(self.book.now().values)
        return decide(recaps_problem(known, start, is_free=RATIO not in self.book.given))

    def _structure(self, view: IndexView, uses: Sequence[Use], changes: Sequence[Change]) -> tuple[Verdict, Verdict]:
        start = structure_of(self.book.now())
        groups = stretches([use.place for use in uses])
        with self.store.snapshot() as reader:
            chunks = _Chunks(reader, self.space)
            shows = [
                Interaction(group, *chunks.of(shown(use.receipt), use.used))
                for use, group in zip(uses, groups, strict=True)
            ]
            weights = _not_twice(decide(weights_problem(shows, start)), changes, uses)
            by = with_verdict(start, weights)
            sessions = _Sessions(reader, self.space, view, getattr(self.ranker.serving(view), "name", None), by)
            spans = [span for use, group in zip(uses, groups, strict=True) for span in sessions.spans(use, group)]
        beats = decide(
            maturity_problem([span.interaction for span in spans], by, lambda level: sessions.beats(spans, level))
        )
        return weights, _not_twice(beats, changes, uses)


def _family(name: str) -> str:
    if name.startswith(PREFIX):
        return "recall"
    return {"maturity": "beats", SCALE: "renderings", RECAP_SCALE: "recaps"}.get(name, "weights")


def _not_twice(verdict: Verdict, changes: Sequence[Change], uses: Sequence[Use]) -> Verdict:
    """The verdict, not adopted when too few recalls came since values of its family changed last."""
    last = [change.at for change in changes if any(_family(name) == verdict.family for name in change.values)]
    new = sum(use.receipt.created_at > last[-1] for use in uses) if last else len(uses)
    if not verdict.adopted or new >= MIN_NEW or not last:
        return verdict
    reason = f"{new} recalls with known use came since these values changed last; {MIN_NEW} are needed"
    return replace(verdict, adopted=False, reason=reason, values={})


def _pointed(receipt: Receipt) -> bool:
    """Whether the question, or who asked it, pointed at a place that has moved on since."""
    return "position" in receipt.settings or "places" in receipt.understood


def _group_at(place: tuple[str, int], known: Sequence[tuple[tuple[str, int], str]]) -> str:
    """The group of a place among ordered places with theirs, so that neighbours stand in one fold."""
    before = bisect_right(known, place, key=lambda each: each[0]) - 1
    if before >= 0 and known[before][0][0] == place[0]:
        return known[before][1]
    return f"{place[0]}#"


def _position(frame: Frame, name: str) -> int | None:
    return frame.view.position(*parse_turn_id(name))


class _Chunks:
    """Shown turns as they weigh with every window: with the turns of their beats, where they are in one."""

    def __init__(self, reader: Reader, space: str) -> None:
        self._reader, self._space = reader, space
        self._beats: dict[str, dict[int, tuple[int, ...]]] = {}
        self._held: dict[tuple[str, int], WeighedChunk] = {}

    def of(self, names: Sequence[str], used: Collection[str]) -> tuple[tuple[WeighedChunk, ...], tuple[bool, ...]]:
        """The chunks of some turns in the order of the conversation, and which of them were used."""
        order = sorted(names, key=parse_turn_id)
        chunks = [(name, self._chunk(*parse_turn_id(name))) for name in order]
        known = [(name, chunk) for name, chunk in chunks if chunk is not None]
        return tuple(chunk for _, chunk in known), tuple(name in used for name, _ in known)

    def _chunk(self, session: str, seq: int) -> WeighedChunk | None:
        if (session, seq) not in self._held:
            seqs = self._seqs(session).get(seq, (seq,))
            stored = TURN_TEXT.get_many(self._reader, [(self._space, session, place) for place in seqs])
            texts = {place: text for place, text in zip(seqs, stored, strict=True) if text is not None}
            for place, chunk in zip(texts, weighed_together(list(texts.values())), strict=True):
                self._held[session, place] = chunk
        return self._held.get((session, seq))

    def _seqs(self, session: str) -> Mapping[int, tuple[int, ...]]:
        if session not in self._beats:
            key = (self._space, session, BEAT)
            beats: dict[int, tuple[int, ...]] = {}
            for row in NODE.scan(self._reader, key, key, index="level"):
                seqs = seqs_of(row.data) or ()
                beats |= dict.fromkeys(seqs, seqs)
            self._beats[session] = beats
        return self._beats[session]


@dataclass(frozen=True, slots=True)
class _Span:
    """A stretch of one session around turns that were used together."""

    session: str
    seqs: tuple[int, ...]
    interaction: Interaction


class _Sessions:
    """The main lines of sessions as the search for beats sees them."""

    def __init__(self, reader: Reader, space: str, view: IndexView, model: str | None, by: StructureParameters) -> None:
        self._reader, self._space, self._view, self._model, self._by = reader, space, view, model, by
        self._lines: dict[str, list[TurnFeatures]] = {}

    def spans(self, use: Use, group: str) -> list[_Span]:
        """Where a recall used several turns of a session that lie near each other."""
        members: dict[str, list[int]] = {}
        for session, seq in map(parse_turn_id, use.used):
            members.setdefault(session, []).append(seq)
        spans = []
        for session, used in members.items():
            if len(used) < 2 or used[-1] - used[0] > TOGETHER:
                continue
            line = [turn.seq for turn in self._line(session)]
            seqs = tuple(seq for seq in line if used[0] - AROUND <= seq <= used[-1] + AROUND)
            marks = tuple(seq in used for seq in seqs)
            spans.append(_Span(session, seqs, Interaction(group, (), marks)))
        return spans

    def beats(self, spans: Sequence[_Span], maturity: float) -> list[list[list[int]]]:
        """The beats of each span with a threshold, as places in it."""
        rule = BeatRule(maturity=maturity)
        whole = {session: segment(self._lines[session], rule) for session in {span.session for span in spans}}
        found = []
        for span in spans:
            places = {seq: place for place, seq in enumerate(span.seqs)}
            cut = [[places[seq] for seq in beat.seqs if seq in places] for beat in whole[span.session]]
            found.append([beat for beat in cut if beat])
        return found

    def _line(self, session: str) -> list[TurnFeatures]:
        if session not in self._lines:
            rows = TURN.scan(self._reader, (self._space, session), (self._space, session))
            vectors = stored_vectors(self._view, self._model, rows)
            items = materials_of(self._reader, self._space, rows, vectors, by=self._by)
            self._lines[session] = [item.features for item in items if item.turn.branch == ""]
        return self._lines[session]
