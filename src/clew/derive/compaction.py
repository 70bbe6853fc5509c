"""Compacts a session: its recap up to a turn, what stands for the turns before, and a receipt of what left the prompt.

The turns stay as they are. A compaction reads the turns that are new since the last one: what recaps are made of was
gathered from the others before (`recap_gathering`), and is of bounded size. Gathering is committed a stretch at a time
and the compaction itself at once, so one that is killed goes on where it stopped, and of two at once one is made. Start
at `Compactor.compact`.
"""

from collections import Counter as Tally
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final

from clew.condense.last_turns import shorten_last, tokens_of_last
from clew.condense.loss import TurnLedger, losses, moved, moved_rows, shortened_rows, totals
from clew.condense.open_tasks import OpenTask
from clew.condense.prompt_tokens import prompt_tokens
from clew.condense.recap import compose_recap
from clew.condense.recap_size import recap_budget
from clew.condense.recap_state import STATE_VERSION, RecapState
from clew.condense.stand_ins import StandIn, stand_ins
from clew.config import AnalyzeConfig, CondenseConfig
from clew.derive.compaction_receipt import CompactionSummary, compaction_receipt, refused_receipt
from clew.derive.compaction_trigger import Growth, TaskWatch, Trigger, due, growth_of, refusal, trigger_of
from clew.derive.recap_gathering import RecapGathering
from clew.derive.rule_failures import RuleFailure, tell, tried
from clew.derive.stand_in_making import made_shorter, passages_of
from clew.errors import ConflictError, NotFoundError, RuleFailed
from clew.index.live import LiveIndex
from clew.rank.tuning.recaps import recap_scale_of
from clew.rows.compactions import Compaction, compaction_row, last_covered, newest_compaction
from clew.rows.failed_jobs import RuleStage
from clew.rows.parameters import read_learned
from clew.rows.pause import paused_since, refuse_while_paused
from clew.rows.quest_reading import as_set, state_after
from clew.rows.recap_source import last_besides, title_of, topics_of
from clew.rows.recap_states import StoredState, read_material, replace_state, state_row
from clew.rows.receipts import receipt_row
from clew.rows.set_aside import put_session_aside, sessions_aside, take_sessions_back
from clew.rows.stand_ins import stand_in_row
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import RecapStateRow
from clew.store.rows import to_us, turn_from_row
from clew.store.selections import RECAP_MARKS
from clew.store.tables import COMPACTION, MATERIAL, RECEIPT, STAND_IN, TURN
from clew.store.turn_selections import TURN_ORIGINS
from clew.text.counters import Counter
from clew.types.context import Receipt
from clew.types.turn import Turn

_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a compaction will cover: the turns after `mark` up to `until`.

    Attributes:
        rest: tokens of the turns after those, estimated, where they are too many to be read; else None.
    """

    session: str
    trigger: Trigger
    mark: int
    until: int
    rest: int | None = None


@dataclass(frozen=True, slots=True)
class _Made:
    """A compaction that is not written yet."""

    compaction: Compaction
    state: RecapStateRow
    stand_ins: Sequence[StandIn]


@dataclass(frozen=True, slots=True)
class _Rest:
    """The turns after those that a compaction covers.

    Attributes:
        full: tokens of the whole turns.
        tokens: as they are shown.
        tasks: open at the end.
        turns: empty where they were not read.
        shortened: the texts of those that are shown in part, by seq.
    """

    full: int
    tokens: int
    tasks: Sequence[OpenTask]
    turns: Sequence[Turn] = ()
    shortened: Mapping[int, str] = field(default_factory=dict)


class _Progress:
    """Tells a caller how far a compaction is.

    Attributes:
        error: what the caller's own function raised; no rule of Clew failed then.
    """

    def __init__(self, on_progress: Callable[[int, int], None] | None) -> None:
        self._on_progress = on_progress
        self.error: Exception | None = None

    def __call__(self, read: int, total: int) -> None:
        if self._on_progress is None:
            return
        try:
            self._on_progress(read, total)
        except Exception as error:
            self.error = error
            raise


@dataclass(frozen=True, slots=True)
class Compactor:
    """Compacts the sessions of one space.

    Attributes:
        keeps_receipts: receipts are listed with those of recalls; `explain` finds them by their ids anyway.
        ratio_given: the user chose how many times smaller a prompt gets, so what was learned about it does not apply.
    """

    store: Store
    space: str
    config: CondenseConfig
    analysis: AnalyzeConfig
    live: LiveIndex
    counter: Callable[[], Counter]
    clock: Callable[[], datetime]
    keeps_receipts: bool = True
    ratio_given: bool = False
    gathering: RecapGathering = field(init=False)
    watch: TaskWatch = field(init=False)

    def __post_init__(self) -> None:
        """Makes the parts that follow from the others."""
        object.__setattr__(self, "gathering", RecapGathering(self.store, self.space, self.analysis))
        object.__setattr__(self, "watch", TaskWatch(self.space))

    def compact(
        self,
        session: str,
        *,
        force: bool = False,
        dry_run: bool = False,
        session_tokens: int | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Receipt:
        """Compacts a session that is due, or any one with `force`; returns the receipt.

        Nothing is written by a dry run, nor when nothing is due: `understood["compacted"]` of the receipt says so.

        Args:
            session_tokens: in place of the setting of that name.
            on_progress: called with the turns read so far, and the turns to read, after each stretch.

        Raises:
            NotFoundError: there is no such session.
            InputError: the space is paused.
            ConflictError: the session was changed again and again meanwhile.
            RuleFailed: a rule fails on a turn; unless this is a dry run, the session is set aside.
        """
        if session_tokens is not None:
            limits = replace(self.config, session_tokens=session_tokens)
            return replace(self, config=limits).compact(session, force=force, dry_run=dry_run, on_progress=on_progress)
        told = _Progress(on_progress)
        done = tried(partial(self._compacted, session, told, force=force, dry_run=dry_run))
        if not isinstance(done, RuleFailure):
            return done
        if done.error is told.error:
            raise done.error  # of the caller's own function
        if not dry_run:
            self._set_aside(session, done.where)
        raise RuleFailed(
            f"session {session!r} was not condensed: a rule fails on one of its turns ({done.where}); it stays as it "
            "is, in whole turns, and the background work leaves it alone until `clew work --retry`; please report "
            "where the rule failed"
        ) from done.error

    def _compacted(self, session: str, told: _Progress, *, force: bool, dry_run: bool) -> Receipt:
        for _ in range(_ATTEMPTS):
            plan = self._plan(session, force=force, whole=True)
            if isinstance(plan, Receipt):
                return plan
            made = self._dry(plan, told) if dry_run else self._carried_out(plan, told)
            if made is not None:
                receipt = made.compaction.receipt
                return replace(receipt, id=None) if dry_run else receipt
        raise ConflictError(f"session {session!r} was changed by others {_ATTEMPTS} times meanwhile; try again")

    def due(self) -> list[str]:
        """The sessions that are due now; none while the space is paused."""
        view = self.live.outline()
        with self.store.snapshot() as reader:
            found = due(reader, self.space, view, self.config, self.watch)
            if not found or paused_since(reader, self.space) is not None:
                return []
            aside = sessions_aside(reader, self.space, RuleStage.CONDENSING, str(STATE_VERSION))
            return [session for session in found if session not in aside]

    def step(self) -> bool:
        """Does one bounded piece of the first compaction that is due; returns whether there was one.

        A session on which a rule fails is set aside, and stays as it is.
        """
        for session in self.due():
            done = tried(partial(self._step, session))
            if isinstance(done, RuleFailure):
                self._set_aside(session, done.where)
            if done:
                return True
        return False

    def _step(self, session: str) -> bool:
        plan = self._plan(session)
        if not isinstance(plan, _Plan):
            return False
        count = self.counter()
        stored = self.gathering.stored(session, count)
        if stored.state.last < plan.until:
            self.gathering.step(session, stored, plan.until, count)
        else:
            self._carried_out(plan)
        return True

    def _set_aside(self, session: str, why: str) -> None:
        def write(tx: Transaction) -> bool:
            return put_session_aside(tx, self.space, session, RuleStage.CONDENSING, str(STATE_VERSION), why)

        if self.store.transaction(write, durable=False):
            tell(f"session {session}", RuleStage.CONDENSING, why)

    def _plan(self, session: str, *, force: bool = False, whole: bool = False) -> _Plan | Receipt:
        """What to do, for a `whole` session if it is due; a receipt that says why nothing is done."""
        view = self.live.outline()
        with self.store.snapshot() as reader:
            refuse_while_paused(reader, self.space)
            key = (self.space, session)
            if not TURN_ORIGINS.scan(reader, key, key, limit=1):
                raise NotFoundError(f"there is no session {session!r}; `clew sessions` lists those that there are")
            mark = RECAP_MARKS.get(reader, key)
            covered = last_covered(reader, self.space, session)
            if force:
                until = last_besides(reader, self.space, session, self.config.protected_turns)
                if until > covered:
                    return _Plan(session, Trigger.ASKED, -1 if mark is None else mark.mark, until)
                growth = Growth(covered, covered, 0, 0, 0, 0)
            else:
                growth = growth_of(reader, self.space, view, session, mark, self.config, whole=whole)
                trigger = trigger_of(reader, session, growth, self.config, self.watch)
                if trigger is not None:
                    return _Plan(session, trigger, growth.mark, growth.until, growth.rest)
            turns = 0 if growth.mark >= 0 else _said(reader, key)
            return refused_receipt(self.config, session, refusal(growth, self.config, turns), covered, self.clock())

    def _carried_out(self, plan: _Plan, on_progress: Callable[[int, int], None] | None = None) -> _Made | None:
        """The compaction, written; None if the session was changed meanwhile."""
        count = self.counter()
        stored = self.gathering.stored(plan.session, count)
        tell = _teller(on_progress, stored.state.last, plan.until)
        while stored.state.last < plan.until:
            if not self.gathering.step(plan.session, stored, plan.until, count):
                stored = self.gathering.stored(plan.session, count)  # another process was faster
            if stored.mark != plan.mark:
                return None
            tell(stored.state.last)
        with self.store.snapshot() as reader:
            new = read_material(reader, self.space, plan.session)
            made = self._made(reader, plan, stored, new, count)
        return made if self.store.transaction(partial(self._keep, made)) else None

    def _dry(self, plan: _Plan, on_progress: Callable[[int, int], None] | None) -> _Made:
        count = self.counter()
        stored = self.gathering.stored(plan.session, count)
        tell = _teller(on_progress, stored.state.last, plan.until)
        with self.store.snapshot() as reader:
            gathered = [] if stored.state.last < 0 else read_material(reader, self.space, plan.session)
            new = gathered + self.gathering.try_out(plan.session, stored, plan.until, count, tell)
            return self._made(reader, plan, stored, new, count)

    def _made(
        self, reader: Reader, plan: _Plan, stored: StoredState, new: Sequence[TurnLedger], count: Counter
    ) -> _Made:
        """The compaction of what is gathered."""
        session, state = plan.session, stored.state
        before = newest_compaction(reader, self.space, session)
        rest = self._rest(reader, plan, state, count)
        topics = topics_of(reader, self.space, session, state.last)
        source = state.source(session, count, topics, rest.tasks, title_of(reader, self.space, session))
        stored.quest = state_after(reader, self.space, session, state.last, stored.quest)
        active = self.gathering.limits.overlay_threshold
        source = replace(source, quest=as_set(reader, self.space, stored.quest.shown), active=active)
        total = state.tokens + rest.full
        scale = 1.0 if self.ratio_given else recap_scale_of(read_learned(reader, self.space).values)
        budget = recap_budget(self.config, total, rest.tokens if plan.rest is None else 0, scale)
        recap = compose_recap(source, count, budget=budget)
        text = "" if before is None or stored.mark < 0 else before.recap.text
        left, back = moved(state.uses, new, text, recap.text)
        ledger = losses(new, recap) + moved_rows(session, left)
        passages = passages_of(reader, self.space, session, new)
        fresh = stand_ins(passages, count, self.config.max_summary_tokens)
        shown = stored.shown + sum(stand_in.tokens for stand_in in fresh)
        changed, shown = made_shorter(
            reader, self.space, session, fresh, shown, self._room(rest.tokens), stored.cursors
        )
        summary = CompactionSummary(
            number=1 if before is None else before.number + 1,
            reason=plan.trigger.value,
            counter=count.name,
            first=new[0].seq if new else -1,
            covered=state.turns,
            classes=Tally(turn.grade for turn in new),
            tokens=(total, recap.tokens + rest.tokens),
            shown=shown + rest.tokens,
            lost=totals(before.receipt.understood.get("lost", {}) if before is not None and text else {}, ledger, back),
            returned=totals({}, [{"lost": {sentence.kind: sentence.uses}} for sentence in back]),
            previous=None if before is None else before.receipt.id,
            scale=scale,
        )
        importance = {turn.seq: turn.importance for turn in source.turns}
        rows = [*ledger, *shortened_rows(session, rest.turns, rest.shortened, recap)]
        receipt = compaction_receipt(self.config, recap, summary, rows, importance, self.clock())
        stored.mark, stored.shown = state.last, shown
        said = recap.text.casefold()
        stored.literal = sorted(key for key in state.uses.values if key in said)
        compaction = Compaction(
            summary.number,
            recap.last,
            summary.reason,
            *summary.tokens,
            self.config.recap_tokens,
            recap,
            receipt,
            rest.shortened,
        )
        return _Made(compaction, state_row(self.space, session, stored), changed)

    def _room(self, rest: int) -> int:
        """Most tokens of what stands for the covered turns."""
        window = self.config.window
        limits = [self.config.target_size, *([int(self.config.hard_threshold * window)] if window else [])]
        return max(0, min(limits) - rest)

    def _rest(self, reader: Reader, plan: _Plan, state: RecapState, count: Counter) -> _Rest:
        """The turns that stay; reads them, unless more of them are covered next."""
        tasks = state.tasks
        if plan.rest is not None:
            return _Rest(plan.rest, plan.rest, tasks.left_by_turn())
        at_end = tasks.copy()
        rows = TURN.scan(reader, (self.space, plan.session, state.last + 1), (self.space, plan.session))
        turns = [turn for turn in map(turn_from_row, rows) if turn.origin != "injected"]
        for turn in turns:
            at_end.read(turn)
        full = {turn.seq or 0: prompt_tokens(turn, count) for turn in turns}
        whole = sum(full.values())
        shortened = shorten_last(turns, (state.tokens + whole) / self.config.ratio, count)
        return _Rest(whole, tokens_of_last(full, shortened, count), at_end.left_by_turn(), turns, shortened)

    def _keep(self, made: _Made, tx: Transaction) -> bool:
        """Writes a compaction unless the session has changed: another one was made, or turns were forgotten."""
        compaction = made.compaction
        session = compaction.recap.session
        if COMPACTION.get(tx, (self.space, session, compaction.number)) is not None:
            return False
        if not replace_state(tx, made.state):
            return False
        COMPACTION.put(tx, [compaction_row(self.space, compaction, to_us(compaction.receipt.created_at))])
        if self.keeps_receipts:
            RECEIPT.put(tx, [receipt_row(self.space, compaction.receipt)])
        STAND_IN.put(tx, [stand_in_row(self.space, session, stand_in) for stand_in in made.stand_ins])
        tx.delete(MATERIAL.name, (self.space, session), (self.space, session))
        take_sessions_back(tx, self.space, [session], RuleStage.CONDENSING)
        return True


def _teller(on_progress: Callable[[int, int], None] | None, start: int, until: int) -> Callable[[int], None]:
    """A function that maps the last turn read to turns read and turns to read, both counted from `start`."""

    def tell(last: int) -> None:
        if on_progress is not None:
            on_progress(last - start, until - start)

    return tell


def _said(reader: Reader, key: tuple[str, str]) -> int:
    """How many turns a session has; injected text is not a turn."""
    return sum(row.origin != "injected" for row in TURN_ORIGINS.scan(reader, key, key))
