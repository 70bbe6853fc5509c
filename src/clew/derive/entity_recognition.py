"""Counted turns -> the names that a named-entity model finds in them, and the counts that these change.

Runs in the background and after the rules, in stretches. A turn that was counted by rules is subtracted and
counted again with the names that the model found. A model of another name goes through all turns again, and names that
it does not find are removed; the model `none` removes all. Until then, and where the model fails, rules alone count.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, cast

from clew.derive.branch_state import turn_of
from clew.derive.entity_counts import counted
from clew.derive.rule_failures import Narrowing, RuleFailure, check_rules_work, tell, tried
from clew.errors import ConflictError, ModelError, ModelUnavailable
from clew.models.choose import NoRecogniser
from clew.models.protocol import Recogniser
from clew.rows.entity_progress import read_entity_progress
from clew.rows.failed_jobs import RuleStage, drop_jobs
from clew.rows.name_spans import RECOGNISER, Asked, Spans, put_spans, read_asked, spans_by_name
from clew.rows.set_aside import put_turn_aside, take_turns_back, turns_aside
from clew.rows.turn_log import rows_of_ordinals
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import MetaRow, TurnRow
from clew.store.tables import META, TURN
from clew.store.turn_selections import TURN_SEQ
from clew.structure.stored_graph import ENTITY_VERSION, Counts, may_name
from clew.types.ids import turn_id
from clew.types.turn import Turn

log = logging.getLogger("clew.worker")

STRETCH: Final = 256
"""Most turns shown to the model between two commits."""

STRETCH_CHARS: Final = 50_000
"""Characters of them, about half a second of work; one turn may have more."""

READ: Final = 20_000
"""Characters of a turn that are shown, as many as rules read."""

REST_SECONDS: Final = 60.0
"""How long a model that failed is left alone."""

WORTH: Final = 64
HOLD_SECONDS: Final = 3.0
"""For fewer turns than this no model is loaded in the first seconds: a program that adds one and ends does not wait for
a library of a second or more. They are done by a program that runs longer, or one that waits without a time limit."""

_PLAIN: Final = "word"
"""A text that any working model can search for names."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The turns about which a model is asked at once.

    Attributes:
        unchanged: the rows of progress as they were read.
        upto: how far it was asked after them.
        is_again: whether these were set aside once.
    """

    rows: Sequence[TurnRow]
    unchanged: tuple[str | None, str | None]
    upto: Asked
    is_again: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """What a model finds in turns.

    Attributes:
        changed: by turn, the counts with the names of before, those with the names of now, and these names.
        failed: turns that it could not do.
    """

    turns: Sequence[Turn]
    changed: Mapping[str, tuple[Counts, Counts, Spans]]
    failed: int


class Recognition:
    """Asks a named-entity model about the turns of one space. One thread at a time calls `step`.

    Attributes:
        failure: what the model last said when it failed; None when it works, or was not asked.
    """

    def __init__(self, store: Store, space: str, find: Callable[[], tuple[Recogniser | None, str]]) -> None:
        """Nothing is looked for before there is something to ask.

        Args:
            find: returns the model, if there is one, and the reason in one line; called once.
        """
        self._store, self._space, self._find = store, space, find
        self._origin: str | None = None  # the model that the space had when this one first looked
        self._looked = False
        self._rests_until: float | None = None
        self._hold_until: float = time.monotonic() + HOLD_SECONDS
        self._held = False
        self._narrowing = Narrowing(STRETCH)
        self.failure: str | None = None

    @cached_property
    def _found(self) -> tuple[Recogniser | None, str]:
        return self._find()

    def state(self) -> dict[str, Any]:
        """For `stats`: which model names things, why not if there is none, how far it has come, and what failed."""
        recogniser, note = self._found
        with self._store.snapshot() as reader:
            asked = read_asked(reader, self._space)[1]
        return {
            "ner": None if recogniser is None or isinstance(recogniser, NoRecogniser) else recogniser.name,
            "ner_failed": 0 if asked is None else asked.failed,
            "ner_failure": self.failure,
            "ner_note": note,
            "ner_recorded": None if asked is None else asked.model,
        }

    def pending(self, *, now: bool = False) -> int:
        """Turns that the model was not asked about.

        Args:
            now: nothing while the model rests after a failure, or is not loaded for so few.
        """
        recogniser = self._found[0]
        if recogniser is None or (now and self._rests()):
            return 0
        with self._store.snapshot() as reader:
            asked = self._asked(reader, recogniser)[1]
            if asked is None:
                return 0
            left = reader.count("turn", (self._space, asked.next), (self._space,), index="ordinal") + len(asked.again)
        if isinstance(recogniser, NoRecogniser):
            return max(left, 1)
        if not self._holds(left):
            return left
        self._held = True
        return 0 if now else left

    def release(self) -> None:
        """Lets the model be loaded for any number of turns, because somebody waits for the names."""
        self._hold_until = 0.0

    def is_retry_due(self) -> bool:
        """Whether a model that failed has rested, or turns were held that are held no more."""
        if self._held and time.monotonic() >= self._hold_until:
            return True
        return self._rests_until is not None and not self._rests()

    def step(self) -> bool:
        """Asks about one stretch; returns whether anything was done.

        Raises:
            ConflictError: another process wrote meanwhile; nothing was written.
        """
        recogniser = self._found[0]
        if recogniser is None or self._rests():
            return False
        self._rests_until, self._held = None, False
        with self._store.snapshot() as reader:
            seen, asked = self._asked(reader, recogniser)
            if asked is None:
                return False
            held, progress = read_entity_progress(reader, self._space)
            is_counted = progress.version == ENTITY_VERSION
            rows, upto = self._next(reader, recogniser, asked, progress.next) if is_counted else ([], asked)
            before = spans_by_name(reader, self._space, [turn_id(row.session, row.seq) for row in rows])
            uncounted = turns_aside(reader, self._space, RuleStage.ENTITIES) if rows else frozenset()
        if upto == asked:
            return self._end(recogniser, seen, progress.next)
        try:
            found = tried(lambda: _found(recogniser, rows, before, uncounted))
            is_passed_by = isinstance(found, RuleFailure) and not self._narrowing.narrow(len(rows))
            if isinstance(found, RuleFailure) and is_passed_by:
                check_rules_work(found, partial(_try_plain, recogniser), rows[0])
        except ModelError as error:
            self.failure, self._rests_until = str(error), time.monotonic() + REST_SECONDS
            log.warning("names are found by rules alone for now: %s", error)
            return False
        self.failure = None
        self.release()  # it is loaded now
        stretch = _Stretch(rows, (seen, held), upto, is_again=upto.next == asked.next)
        if not isinstance(found, RuleFailure):
            self._store.transaction(lambda tx: self._write(tx, stretch, found), durable=False)
            self._narrowing.widen()
        elif is_passed_by:
            self._set_aside(stretch, found.where)
        return True

    def _next(self, reader: Reader, recogniser: Recogniser, asked: Asked, counted: int) -> tuple[list[TurnRow], Asked]:
        """The turns about which the model is asked next, and how far it was asked after them.

        Args:
            counted: turns with a lower ordinal are counted.
        """
        most = self._narrowing.size
        if counted > asked.next:
            bounds = (self._space, asked.next), (self._space, counted - 1)
            rows = TURN.scan(reader, *bounds, index="ordinal", limit=STRETCH)
            self._held = not isinstance(recogniser, NoRecogniser) and self._holds(len(rows))
            if self._held:
                return [], asked
            if rows:
                rows = _stretch(rows)[:most]
                return rows, replace(asked, next=rows[-1].ordinal + 1)
        return rows_of_ordinals(reader, self._space, asked.again[:most]), replace(asked, again=asked.again[most:])

    def _write(self, tx: Transaction, stretch: _Stretch, found: _Found) -> None:
        """Records what was seen, and takes what it changes off the counts and adds it."""
        self._note(tx, stretch, found.failed)
        turns = found.turns
        living = TURN_SEQ.get_many(tx, [(self._space, turn.session, turn.seq) for turn in turns])
        here = {turn.id for turn, seq in zip(turns, living, strict=True) if seq is not None}
        kept = {name: counts for name, counts in found.changed.items() if name in here}
        Counts.joined(old for old, _, _ in kept.values()).apply(tx, self._space, -1)
        Counts.joined(new for _, new, _ in kept.values()).apply(tx, self._space, 1)
        put_spans(tx, self._space, stretch.upto.model, {name: spans for name, (_, _, spans) in kept.items()})
        if stretch.is_again:
            take_turns_back(tx, stretch.rows, RuleStage.NAMES)

    def _set_aside(self, stretch: _Stretch, why: str) -> None:
        def write(tx: Transaction) -> str:
            self._note(tx, stretch)
            return put_turn_aside(tx, stretch.rows[0], RuleStage.NAMES, stretch.upto.model, why)

        tell(self._store.transaction(write, durable=False), RuleStage.NAMES, why)

    def _note(self, tx: Transaction, stretch: _Stretch, failed: int = 0) -> None:
        """Notes how far the model was asked, and how many more turns it could not do."""
        text, asked = read_asked(tx, self._space)
        if (text, read_entity_progress(tx, self._space)[0]) != stretch.unchanged:
            raise ConflictError("the space's names were counted by another process; it is tried again")
        if asked is not None and asked.model != stretch.upto.model:
            drop_jobs(tx, self._space, RuleStage.NAMES)  # of another model
        upto = replace(stretch.upto, failed=stretch.upto.failed + failed)
        META.put(tx, [MetaRow(self._space, RECOGNISER, upto.to_json())])

    def _end(self, recogniser: Recogniser, seen: str | None, counted_to: int) -> bool:
        """Takes the record of having asked away when all that was seen is taken back; returns whether it did."""
        if not isinstance(recogniser, NoRecogniser) or seen is None:
            return False

        def write(tx: Transaction) -> bool:
            if read_asked(tx, self._space)[0] != seen or read_entity_progress(tx, self._space)[1].next != counted_to:
                raise ConflictError("the space's names were counted by another process; it is tried again")
            if tx.count("turn", (self._space, counted_to), (self._space,), index="ordinal"):
                return False  # they are counted first
            tx.delete("meta", (self._space, RECOGNISER), (self._space, RECOGNISER))
            return True

        done = self._store.transaction(write, durable=False)
        self._origin = None if done else self._origin
        return done

    def _asked(self, reader: Reader, recogniser: Recogniser) -> tuple[str | None, Asked | None]:
        """The row as it stands, and from where on this model asks; None when it asks nothing.

        That is so when another program has moved the space to another model since this one looked first: of two, the
        one that came last goes on.
        """
        seen, asked = read_asked(reader, self._space)
        model = None if asked is None else asked.model
        if not self._looked or model == recogniser.name:
            self._origin, self._looked = model, True
        if model != self._origin or (asked is None and isinstance(recogniser, NoRecogniser)):
            return seen, None
        return seen, asked if asked is not None and model == recogniser.name else Asked(recogniser.name)

    def _holds(self, left: int) -> bool:
        return 0 < left < WORTH and time.monotonic() < self._hold_until

    def _rests(self) -> bool:
        return self._rests_until is not None and time.monotonic() < self._rests_until


def _found(
    recogniser: Recogniser, rows: Sequence[TurnRow], before: Sequence[Spans], uncounted: frozenset[int]
) -> _Found:
    """What the model finds in turns, and what that changes.

    Args:
        before: the names that were found in each before.
        uncounted: ordinals of turns that are not in the counts, since the rules failed on them; if they are counted
            later, the names that are found now count as well.

    Raises:
        ModelError: the model does not even do a plain word.
    """
    turns = [turn_of(row) for row in rows]
    after, failed = _ask(recogniser, turns)
    changed = {
        cast(str, turn.id): (Counts(), Counts(), new)
        if turn.ordinal in uncounted
        else (counted((turn,), (old,)), counted((turn,), (new,)), new)
        for turn, old, new in zip(turns, before, after, strict=True)
        if old or new
    }
    return _Found(turns, changed, failed)


def _try_plain(recogniser: Recogniser, plain: TurnRow) -> None:
    """Has the model and the rules do a plain turn; an empty text may not reach the model at all."""
    (spans,) = recogniser.recognise([plain.text or _PLAIN])
    counted((turn_of(plain),), (spans,))


def _stretch(rows: Sequence[TurnRow]) -> list[TurnRow]:
    """The first of these rows that make one stretch; at least one, if there is one."""
    taken: list[TurnRow] = []
    chars = 0
    for row in rows:
        chars += min(len(row.text), READ)
        if taken and chars > STRETCH_CHARS:
            break
        taken.append(row)
    return taken


def _ask(recogniser: Recogniser, turns: Sequence[Turn]) -> tuple[list[Spans], int]:
    """What the model sees in each turn, and how many it could not do; one bad turn costs only itself.

    Raises:
        ModelError: the model does not even do a plain word.
    """
    texts = {place: turn.text[:READ] for place, turn in enumerate(turns) if may_name(turn) and turn.text.strip()}
    listed: list[Spans] = [()] * len(turns)
    try:
        answers = recogniser.recognise(list(texts.values()))
    except ModelUnavailable:
        raise
    except ModelError as error:
        recogniser.recognise([_PLAIN])  # raises when it is the model and not a turn
        log.warning("a stretch of %d turns could not be searched for names, trying them singly: %s", len(turns), error)
    else:
        for place, spans in zip(texts, answers, strict=True):
            listed[place] = spans
        return listed, 0
    failed = 0
    for place, text in texts.items():
        try:
            listed[place] = recogniser.recognise([text])[0]
        except ModelError as error:
            log.warning("turn %s could not be searched for names: %s", turns[place].id, error)
            failed += 1
    return listed, failed
