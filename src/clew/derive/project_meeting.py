"""Compares analysed turns with a project again when it has changed: overlays, and importance with them.

Turns are met with the project when they are analysed. When the project changes, a sweep over the analysed turns takes
what the meet had raised back to what it was before and raises it as the project is now; importance moves by what the
overlays count in it. A paradigm shift stays one: it was one when it was said. A row of META holds the digest of the
projects and the number of the first turn that the sweep has not reached, or -1 when it is done.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from clew.analyze.importance import Profile, moved_importance, top_overlays
from clew.analyze.novelty import Vector
from clew.analyze.overlays import Overlay, strongest
from clew.analyze.turns import unmet
from clew.config import AnalyzeConfig
from clew.derive.branch_state import turn_of
from clew.derive.rule_failures import Narrowing, RuleFailure, check_rules_work, tell, tried
from clew.derive.turn_vectors import stored_vectors
from clew.errors import ConflictError
from clew.index.live import LiveIndex
from clew.rows.analysis_progress import read_progress
from clew.rows.annotation_codec import analysis_of, analysis_text
from clew.rows.annotations import note_replaced
from clew.rows.failed_jobs import RuleStage, drop_jobs
from clew.rows.lenses import LensBook, Meet
from clew.rows.set_aside import put_turn_aside
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import AnalysisRow, MetaRow, TurnRow
from clew.store.selections import META_VALUE
from clew.store.tables import ANALYSIS, META, TURN
from clew.text.terms import terms

STRETCH: Final = 256
"""Most turns met between two commits."""

PROGRESS: Final = "met"
_DONE: Final = -1


@dataclass(frozen=True, slots=True)
class MeetSweep:
    """Meets the analysed turns of one space again. Only the holder of the worker's lease calls `step`.

    Attributes:
        book: returns what turns are met with.
        narrowing: how many turns are met at once.
    """

    store: Store
    space: str
    live: LiveIndex
    limits: AnalyzeConfig
    book: LensBook
    narrowing: Narrowing = field(default_factory=lambda: Narrowing(STRETCH))

    def pending(self) -> int:
        """Turns that were met with an older state of the project."""
        digest = self.book.digest()
        if digest is None:
            return 0
        with self.store.snapshot() as reader:
            _, start = _progress(reader, self.space, digest)
            progress = read_progress(reader, self.space)[1]
            if start == _DONE or not progress.met:
                return 0
            # none of them may be analysed yet, but then the sweep still has to say that it is done
            return max(1, reader.count("turn", (self.space, start), (self.space, progress.next - 1), index="ordinal"))

    def is_retry_due(self) -> bool:
        """Whether there is work although the store has not changed: a project is outside of it."""
        return self.pending() > 0

    def step(self) -> bool:
        """Meets one stretch; returns whether there was anything to meet.

        Raises:
            ConflictError: another process met turns meanwhile; nothing was written.
        """
        meet = self.book.meet()
        if meet is None:
            return False
        view = self.live.outline()
        with self.store.snapshot() as reader:
            seen, start = _progress(reader, self.space, meet.digest)
            progress = read_progress(reader, self.space)[1]
            if start == _DONE or not progress.met:
                return False
            low, high = (self.space, start), (self.space, progress.next - 1)
            rows = TURN.scan(reader, low, high, index="ordinal", limit=self.narrowing.size) if seen is not None else []
            analyses = ANALYSIS.get_many(reader, [(self.space, row.ordinal) for row in rows])
            vectors = stored_vectors(view, progress.model, rows)
        analysed = [(row, each) for row, each in zip(rows, analyses, strict=True) if each is not None]
        meet_one = partial(self._again, vectors=vectors, model=progress.model, meet=meet)
        met = tried(lambda: [(each, meet_one(row, each)) for row, each in analysed])
        if isinstance(met, RuleFailure):
            if not self.narrowing.narrow(len(rows)):
                check_rules_work(met, partial(self._try_plain, model=progress.model, meet=meet), rows[0])
                self._set_aside(rows[0], seen, meet, met.where)
            return True
        changed = [(old, new) for old, new in met if old != new]
        upto = rows[-1].ordinal + 1 if len(rows) == self.narrowing.size else _DONE

        def write(tx: Transaction) -> None:
            self._note(tx, seen, meet, upto)
            now = ANALYSIS.get_many(tx, [(self.space, before.ordinal) for before, _ in changed])
            put: list[AnalysisRow] = [new for (old, new), row in zip(changed, now, strict=True) if row == old]
            ANALYSIS.put(tx, put)
            if put:
                note_replaced(tx, self.space)

        self.store.transaction(write, durable=False)
        self.narrowing.widen()
        return True

    def _set_aside(self, row: TurnRow, seen: str | None, meet: Meet, why: str) -> None:
        """Leaves what is said of a turn as it is, and goes on behind it."""

        def write(tx: Transaction) -> str:
            self._note(tx, seen, meet, row.ordinal + 1)
            return put_turn_aside(tx, row, RuleStage.MEET, meet.digest, why)

        tell(self.store.transaction(write, durable=False), RuleStage.MEET, why)

    def _note(self, tx: Transaction, seen: str | None, meet: Meet, upto: int) -> None:
        """Notes how far the turns are met."""
        if META_VALUE.get(tx, (self.space, PROGRESS)) != seen:
            raise ConflictError("the turns were met by another process; it is tried again")
        if seen is not None and not seen.startswith(meet.digest):
            drop_jobs(tx, self.space, RuleStage.MEET)  # of another state of the project
        META.put(tx, [MetaRow(self.space, PROGRESS, f"{meet.digest} {upto}")])

    def _again(
        self, row: TurnRow, analysis: AnalysisRow, *, vectors: Mapping[int, Vector], model: str | None, meet: Meet
    ) -> AnalysisRow:
        """The row of a turn, met with the project as it is now."""
        after = self._met(analysis_of(analysis.value), turn_of(row).text, vectors.get(row.ordinal), model, meet)
        return analysis._replace(value=analysis_text(after))

    def _try_plain(self, plain: TurnRow, *, model: str | None, meet: Meet) -> None:
        """Applies the rules to a plain turn and an analysis that says nothing, since the stored one may be damaged."""
        self._met({"importance": 0.0}, turn_of(plain).text, None, model, meet)

    def _met(
        self, said: dict[str, Any], text: str, vector: Vector | None, model: str | None, meet: Meet
    ) -> dict[str, Any]:
        """The analysis of a turn, met with the project as it is now."""
        before = _overlays(said.get("overlays", {}))
        own = {**before, **_overlays(said.get("unmet", {}))}
        own = {overlay: score for overlay, score in own.items() if score > 0}
        scores = meet.scores(terms(text), vector, model)
        after = strongest(own, scores)
        profile: Profile = "sigma" if self.limits.importance_profile == "sigma" else "calibrated"
        importance = moved_importance(said["importance"], top_overlays(after) - top_overlays(before), profile)
        values = {kind: value for kind, value in said.items() if kind not in ("overlays", "meet", "unmet", "routine")}
        values["importance"] = round(importance, 4)
        values |= {"overlays": {overlay.value: round(score, 4) for overlay, score in after.items()}}
        values["meet"] = {overlay.value: round(score, 2) for overlay, score in scores.items()}
        values["unmet"] = {overlay.value: round(score, 4) for overlay, score in unmet(own, scores).items()}
        if importance < self.limits.routine_threshold:
            values["routine"] = True
        return {kind: value for kind, value in values.items() if value not in ([], {})}


def meet_again(tx: Transaction, space: str, ordinals: Collection[int]) -> None:
    """Has the sweep go over turns once more that were set aside, and over all behind the first of them."""
    text = META_VALUE.get(tx, (space, PROGRESS))
    if text is None or not ordinals:
        return
    digest, _, start = text.partition(" ")
    first = min(ordinals) if int(start) == _DONE else min(int(start), *ordinals)
    META.put(tx, [MetaRow(space, PROGRESS, f"{digest} {first}")])


def _overlays(said: Mapping[str, float]) -> dict[Overlay, float]:
    return {Overlay(name): score for name, score in said.items()}


def _progress(reader: Reader, space: str, digest: str) -> tuple[str | None, int]:
    """The row, and where the sweep goes on; a space that was analysed with the project at first needs none."""
    text = META_VALUE.get(reader, (space, PROGRESS))
    if text is None:
        return None, 0
    before, _, start = text.partition(" ")
    return text, int(start) if before == digest else 0
