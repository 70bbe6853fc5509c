"""Stored turns -> statements -> facts; in the background, in the order of turns.

Independent of the analysis and of a model. `clew.rows.fact_progress` says how far turns were read. A turn is read
together with a few turns of its branch before it; what facts follow from its statements is decided group by group, from
all statements of a group (`clew.rows.fact_writes`). So neither batches nor the order of arrival make a difference.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, cast

from clew.derive.branch_state import turn_of
from clew.derive.corrections import corrected_by, is_correction
from clew.derive.fact_context import BranchStarts, FactContext, read_together
from clew.derive.rule_failures import Narrowing, RuleFailure, check_rules_work, tell, tried
from clew.rows.annotations import WEIGHING, annotation_values, weighed_anyway
from clew.rows.fact_progress import FactProgress, read_fact_progress, unread_turns, write_fact_progress
from clew.rows.fact_writes import FactWrites, TurnStatements, proposed
from clew.rows.facts import drop_made
from clew.rows.failed_jobs import RuleStage, drop_jobs
from clew.rows.set_aside import put_turn_aside, take_turns_back, turns_aside
from clew.rows.turn_log import rows_by_ordinal, rows_of_ordinals
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import TurnRow
from clew.store.rows import turns_from_rows
from clew.store.tables import SPACE, STATEMENT
from clew.store.turn_selections import TURN_TEXT
from clew.types.facts import Statement
from clew.types.ids import turn_id
from clew.types.provenance import Provenance
from clew.types.turn import Turn

FACTS_VERSION: Final = 19
"""Raise it with any change of how facts are made of statements."""

STRETCH: Final = 64
"""Most turns read between two commits, a tenth of a second of work at most."""

MOST_REACH: Final = 8
"""Turns before a turn on which an extractor may depend at most: forgetting one has as many behind it read again."""

WORTH: Final = 64
HOLD_SECONDS: Final = 3.0
"""More old turns than this, as a home of an older Clew has, are not read in the first seconds: a program that asks
something and ends does not wait for them, nor does the first recall."""


class StatementMaker(Protocol):
    """Finds what turns state."""

    reach: int
    """Turns before a turn on which its statements may depend, at most `MOST_REACH`."""
    version: int
    """Rises with any change of what it finds."""

    def __call__(self, turns: Sequence[Turn], before: Sequence[Turn], /) -> Sequence[Statement]:
        """The statements of turns of one branch, in order.

        Args:
            before: the turns of the branch before them, oldest first; the last `reach` of them count.
        """
        ...


def take_in(tx: Transaction, space: str, read: Sequence[TurnStatements]) -> None:
    """Puts what one maker found in turns in place of what it found there before, and makes the facts again.

    Statements without a support get the weight of their turn.
    """
    seen = read_fact_progress(tx, space)
    writes = proposed(tx, space, _supported(tx, space, read))
    if writes:
        writes.apply(tx)
        write_fact_progress(tx, space, seen, seen)


def forget_facts(tx: Transaction, space: str, turns: Sequence[Turn]) -> int:
    """Removes what turns state, while they are still stored; returns the number of statements' rows.

    What turns state that were read together with one of them is removed as well, until they are read again.
    """
    seen = read_fact_progress(tx, space)
    if seen == FactProgress():
        return 0
    gone = {cast(int, turn.ordinal) for turn in turns}
    again = read_together(tx, space, turns, MOST_REACH) - gone
    rows = [row for ordinal in sorted(gone | again) for row in STATEMENT.scan(tx, (space, ordinal), (space, ordinal))]
    gone_rows = [row for row in rows if row.ordinal in gone or row.provenance == Provenance.RULE]
    proposed(tx, space, [TurnStatements(row.ordinal, row.provenance, ()) for row in gone_rows]).apply(tx)
    redo = {ordinal for ordinal in again if ordinal < seen.next}.union(seen.redo) - gone
    write_fact_progress(tx, space, seen, replace(seen, redo=tuple(sorted(redo))))
    return len(gone_rows)


def make_afresh(tx: Transaction, space: str, version: str | None = None) -> None:
    """Deletes all facts, and has them made again from the turns and from what models found in them.

    Args:
        version: of the rules that will do so; None for those that made them.
    """
    drop_made(tx, space)
    drop_jobs(tx, space, RuleStage.FACTS)
    seen = read_fact_progress(tx, space)
    if seen != FactProgress():
        row = SPACE.get(tx, (space,))  # models may have read turns that rules have not read yet
        upto = max(seen.next, seen.afresh, 0 if row is None else row.next_ordinal)
        write_fact_progress(tx, space, seen, FactProgress(version or seen.version, afresh=upto))


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The turns that are read next, and the progress after them.

    Attributes:
        is_again: whether they were read before, or set aside; turns are missing between them.
    """

    rows: Sequence[TurnRow]
    after: FactProgress
    context: FactContext
    is_again: bool = False


@dataclass(frozen=True, slots=True)
class _Done:
    """What comes of a stretch.

    Attributes:
        aside: its turn on which the rules fail, if there is one, and where they do.
    """

    stretch: _Stretch
    writes: FactWrites
    aside: tuple[TurnRow, str] | None = None


class FactReading:
    """Reads the turns of one space for facts, for one Memory. Only the holder of the worker's lease calls `step`."""

    def __init__(self, store: Store, space: str, extract: StatementMaker, stretch: int = STRETCH) -> None:
        """No turn is read before it is asked for."""
        self._store, self._space, self._extract = store, space, extract
        self._version = f"{FACTS_VERSION}.{extract.version}"
        self._starts = BranchStarts()
        self._left = FactProgress()  # the progress as this one left it
        self._narrowing = Narrowing(stretch)
        self._found_here = _next_ordinal(store, space)
        self._hold_until: float | None = time.monotonic() + HOLD_SECONDS
        self._was_held = False  # turns were left for later, and none was read since

    def pending(self, *, now: bool = False) -> int:
        """Turns that are to be read.

        Args:
            now: nothing while old turns of a home are left for later.
        """
        with self._store.snapshot() as reader:
            progress = self._progress(read_fact_progress(reader, self._space))
            unread = unread_turns(reader, self._space, progress)
        return 0 if self._holds(progress) and now else unread

    def release(self) -> None:
        """Lets old turns be read at once, because somebody waits for their facts."""
        self._hold_until = None

    def is_retry_due(self) -> bool:
        """Whether old turns were left for later, and later is now."""
        return self._was_held and time.monotonic() >= (self._hold_until or 0.0)

    def is_catching_up(self) -> bool:
        """Whether the last step read turns of before this memory was opened, and nobody waits for it."""
        return self._hold_until is not None and self._left.next < self._found_here

    def _holds(self, progress: FactProgress) -> bool:
        """Whether many old turns come next, and it is too early for them."""
        is_early = self._hold_until is not None and time.monotonic() < self._hold_until
        holds = is_early and self._found_here - progress.next > WORTH
        self._was_held |= holds  # whoever asks; only a step that reads takes it back, or the worker would not come back
        return holds

    def step(self) -> bool:
        """Reads one stretch; returns whether there was anything to read.

        Raises:
            ConflictError: facts were changed by somebody else meanwhile; nothing was written.
        """
        with self._store.snapshot() as reader:
            seen = read_fact_progress(reader, self._space)
            if seen != self._left:
                self._starts.forget()
            progress = self._progress(seen)
            if self._holds(progress):
                return False
            self._was_held = False
            is_older = seen.version.partition(".")[0] not in ("", str(FACTS_VERSION))
        if is_older:  # facts are kept otherwise now
            self._store.transaction(lambda tx: make_afresh(tx, self._space, self._version), durable=False)
            return True
        with self._store.snapshot() as reader:
            if read_fact_progress(reader, self._space) != seen:
                return True
            stretch = self._next(reader, progress)
            if stretch is None:
                return False
            done = tried(lambda: self._read(reader, stretch, stretch.context))
            if isinstance(done, RuleFailure):
                if self._narrowing.narrow(len(stretch.rows)):
                    return True
                done = self._read_apart(reader, stretch, done)
        made = done
        self._left = self._store.transaction(lambda tx: self._write(tx, seen, made), durable=False)
        if made.aside is None:
            self._narrowing.widen()
        else:
            row, where = made.aside
            tell(turn_id(row.session, row.seq), RuleStage.FACTS, where)
        return True

    def _next(self, reader: Reader, progress: FactProgress) -> _Stretch | None:
        """The turns that are read next: the new ones, then those that are read again."""
        limit = self._narrowing.size
        context = self._context(reader)
        rows = rows_by_ordinal(reader, (self._space, progress.next), (self._space,), limit)
        if rows:
            redo = context.switched(rows).union(progress.redo)
            after = replace(progress, next=rows[-1].ordinal + 1, redo=tuple(sorted(redo)))
            return _Stretch(rows, after, context)
        if not progress.redo:
            return None
        rows = rows_of_ordinals(reader, self._space, progress.redo[:limit])
        return _Stretch(rows, replace(progress, redo=progress.redo[limit:]), context, is_again=True)

    def _context(self, reader: Reader, without: frozenset[int] = frozenset()) -> FactContext:
        return FactContext(reader, self._space, self._starts, self._extract.reach, without)

    def _read(self, reader: Reader, stretch: _Stretch, context: FactContext) -> _Done:
        read = list(self._said(context, stretch.rows, one_by_one=stretch.is_again))
        afresh = frozenset(row.ordinal for row in stretch.rows if row.ordinal < stretch.after.afresh)
        return _Done(stretch, proposed(reader, self._space, _supported(reader, self._space, read), afresh))

    def _read_apart(self, reader: Reader, stretch: _Stretch, failure: RuleFailure) -> _Done:
        """What comes of one turn on which the rules failed: read without turns that were set aside, or set aside."""
        aside = turns_aside(reader, self._space, RuleStage.FACTS)
        done = tried(lambda: self._read(reader, stretch, self._context(reader, aside))) if aside else failure
        if not isinstance(done, RuleFailure):
            return done
        row = stretch.rows[0]
        check_rules_work(failure, lambda plain: self._extract([turn_of(plain)], []), row)
        nothing = [TurnStatements(row.ordinal, maker, ()) for maker in (Provenance.RULE, Provenance.USER)]
        cleared = tried(lambda: proposed(reader, self._space, nothing))  # what other rules found in it
        writes = FactWrites() if isinstance(cleared, RuleFailure) else cleared
        return _Done(stretch, writes, (row, failure.where))

    def _write(self, tx: Transaction, seen: FactProgress, done: _Done) -> FactProgress:
        if seen.version not in ("", self._version):
            drop_jobs(tx, self._space, RuleStage.FACTS)  # of other rules
        done.writes.apply(tx)
        if done.aside is not None:
            put_turn_aside(tx, done.aside[0], RuleStage.FACTS, self._version, done.aside[1])
        elif done.stretch.is_again:
            take_turns_back(tx, done.stretch.rows, RuleStage.FACTS)
        return write_fact_progress(tx, self._space, seen, done.stretch.after)

    def _progress(self, seen: FactProgress) -> FactProgress:
        """The progress with these rules: what others read is read again."""
        if seen.version == self._version:
            return seen
        return FactProgress(self._version, afresh=seen.afresh if seen.is_partial else 0, revision=seen.revision)

    def _said(self, context: FactContext, rows: Sequence[TurnRow], *, one_by_one: bool) -> Iterator[TurnStatements]:
        """What rules find in turns, and what the user's corrections say.

        Args:
            one_by_one: turns are missing between these.
        """
        statements: dict[int, list[Statement]] = {row.ordinal: [] for row in rows}
        branches: dict[tuple[object, ...], list[TurnRow]] = {}
        for row in rows:
            if one_by_one or row.branch:
                context.branch_out(row.session)
            if context.is_read(row) and not is_correction(row):
                branches.setdefault((row.session, row.branch, row.seq if one_by_one else None), []).append(row)
        for every in branches.values():
            turns = turns_from_rows(every)
            numbers = {turn.id: row.ordinal for turn, row in zip(turns, every, strict=True)}
            for statement in self._extract(turns, context.before(every[0])):
                statements[numbers[statement.turn]].append(statement)
        for row in rows:
            yield TurnStatements(row.ordinal, Provenance.RULE, statements[row.ordinal])
            corrected = corrected_by(row) if is_correction(row) and context.is_read(row) else []
            yield TurnStatements(row.ordinal, Provenance.USER, corrected)


def _next_ordinal(store: Store, space: str) -> int:
    with store.snapshot() as reader:
        row = SPACE.get(reader, (space,))
    return 0 if row is None else row.next_ordinal


def _supported(reader: Reader, space: str, read: Sequence[TurnStatements]) -> list[TurnStatements]:
    """The statements of turns, each with its support: the layer 1 weight of its turn, in hundredths."""
    bare = [turn.ordinal for turn in read if any(one.support is None for one in turn.statements)]
    if not bare:
        return list(read)
    weights = dict(zip(bare, _weights(reader, space, bare), strict=True))
    return [
        turn._replace(statements=[_with_support(one, weights.get(turn.ordinal)) for one in turn.statements])
        if turn.statements
        else turn
        for turn in read
    ]


def _weights(reader: Reader, space: str, ordinals: Sequence[int]) -> Iterator[float]:
    """Layer 1 of turns, in hundredths; made here where it is not stored yet."""
    for ordinal, stored in zip(ordinals, annotation_values(reader, space, WEIGHING, ordinals), strict=True):
        text = TURN_TEXT.scan(reader, (space, ordinal), (space, ordinal), index="ordinal") if stored is None else []
        weighed: Mapping[str, Any] = weighed_anyway("".join(text)) if stored is None else stored
        yield round(float(weighed["layer1"]), 2)


def _with_support(statement: Statement, weight: float | None) -> Statement:
    return statement if statement.support is not None else replace(statement, support=weight)
