"""Compacts a session: makes its recap up to a watermark, and a receipt of what left the prompt.

The turns stay as they are. A compaction is one transaction made from what is stored, so one that is killed, or made
twice at once, leaves nothing half done. Start at `compact`.
"""

from collections import Counter as Tally
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

import numpy as np

from clew.assemble.receipt import receipt_id
from clew.condense.loss import class_of, losses
from clew.condense.material import RecapTurn
from clew.condense.recap import Recap, RecapSource, compose_recap
from clew.config import AnalyzeConfig, CondenseConfig
from clew.errors import ConflictError, InputError
from clew.index.view import IndexView
from clew.rows.compactions import KIND, Compaction, compaction_row, newest_compaction, watermarks
from clew.rows.pause import paused_since
from clew.rows.recap_source import recap_source
from clew.store.protocol import Reader, Store, Transaction
from clew.store.rows import to_us
from clew.store.tables import COMPACTION
from clew.text.counters import CHARS_PER_TOKEN, Counter
from clew.types.context import Receipt
from clew.types.ids import turn_id
from clew.types.turn import Turn

_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class Compactor:
    """Compacts the sessions of one space."""

    store: Store
    space: str
    config: CondenseConfig
    analysis: AnalyzeConfig
    counter: Callable[[], Counter]
    clock: Callable[[], datetime]

    def compact(self, session: str, *, force: bool = False, dry_run: bool = False) -> Receipt:
        """Compacts a session that is due, or any one with `force`; gives the receipt.

        Nothing is written by a dry run, nor when nothing is due: `understood["compacted"]` of the receipt says so.

        Raises:
            NotFoundError: there is no such session.
            InputError: the space is paused.
            ConflictError: the session was changed again and again meanwhile.
        """
        for _ in range(_ATTEMPTS):
            with self.store.snapshot() as reader:
                if paused_since(reader, self.space) is not None:
                    raise InputError("the space is paused, so nothing is stored; `clew resume` ends that")
                made, counted = self._made(reader, session, force=force)
            if dry_run or not made.receipt.understood["compacted"]:
                return made.receipt
            if self.store.transaction(partial(self._keep, made, counted)):
                return made.receipt
        raise ConflictError(f"session {session!r} was changed by others {_ATTEMPTS} times meanwhile; try again")

    def due(self, view: IndexView) -> list[str]:
        """The sessions with more new tokens than `session_tokens`, as the index counts them; none if that is 0."""
        limit = self.config.session_tokens
        turns = view.turns
        if not limit or not len(turns.session):
            return []
        chars = np.bincount(turns.session, weights=turns.chars, minlength=len(view.sessions))
        large = np.flatnonzero(chars > CHARS_PER_TOKEN * limit).tolist()
        if not large:
            return []
        with self.store.snapshot() as reader:
            marks = watermarks(reader, self.space)
        return [name for code in large if self._has_new(view, code, marks.get(name := view.sessions[code], -1))]

    def _has_new(self, view: IndexView, code: int, mark: int) -> bool:
        """Whether the turns after the mark, beside the protected ones, are enough for a compaction."""
        turns = view.turns
        places = np.flatnonzero((turns.session == code) & (turns.seq > mark))
        new = places[: max(0, len(places) - self.config.protected_turns)]
        return (
            len(new) >= self.config.minimum_turns
            and int(turns.chars[new].sum()) > CHARS_PER_TOKEN * self.config.session_tokens
        )

    def _made(self, reader: Reader, session: str, *, force: bool) -> tuple[Compaction, int]:
        """The compaction that is due now, and how many turns the session had."""
        before = newest_compaction(reader, self.space, session)
        whole, turns = recap_source(reader, self.space, session)
        mark = -1 if before is None else before.last
        covered = turns[: max(0, len(turns) - self.config.protected_turns)]
        last = covered[-1].seq or 0 if covered else -1
        source = RecapSource(
            session,
            [turn for turn in whole.turns if turn.seq <= last],
            topics=[(title, low) for title, low in whole.topics if low <= last],
            tasks=whole.tasks,
            title=whole.title,
        )
        count = self.counter()
        why = self._refusal(source.turns, mark, last, force=force)
        recap = compose_recap(source, count, budget=self.config.recap_tokens if why is None else 0)
        rest = sum(count(turn.text) for turn in turns[len(covered) :])
        tokens = sum(count(turn.text) for turn in covered) + rest
        number = 1 if before is None else before.number + 1
        reason = "asked" if force else "trigger"
        receipt = self._receipt(source, recap, covered, tokens=(tokens, recap.tokens + rest), why=why, number=number)
        budget = self.config.recap_tokens
        return Compaction(number, last, reason, tokens, recap.tokens + rest, budget, recap, receipt), len(turns)

    def _refusal(self, turns: Sequence[RecapTurn], mark: int, last: int, *, force: bool) -> str | None:
        """Why there is nothing to compact; None if there is."""
        if last <= mark:
            return f"no turn is new since turn {mark}, beside the last {self.config.protected_turns}, which stay"
        if force:
            return None
        new = [turn for turn in turns if turn.seq > mark]
        tokens = sum(turn.characters for turn in new) // CHARS_PER_TOKEN
        analysed = sum(turn.importance > 0 for turn in new)
        if not self.config.session_tokens:
            return "condense.session_tokens is 0, so sessions are condensed only when asked (force)"
        if tokens <= self.config.session_tokens:
            return f"{tokens} new tokens are not above condense.session_tokens, {self.config.session_tokens}"
        if analysed < self.config.minimum_turns:
            return f"{analysed} new turns are analysed, fewer than condense.minimum_turns, {self.config.minimum_turns}"
        return None

    def _receipt(
        self,
        source: RecapSource,
        recap: Recap,
        covered: list[Turn],
        *,
        tokens: tuple[int, int],
        why: str | None,
        number: int,
    ) -> Receipt:
        now = self.clock()
        settings = {"session": source.session, "number": number, **asdict(self.config)}
        classes = Tally(
            class_of(turn, preserve=self.analysis.preserve_threshold, routine=self.analysis.routine_threshold)
            for turn in source.turns
        )
        before, after = tokens
        understood: dict[str, Any] = {
            "compacted": why is None,
            **({} if why is None else {"why": why}),
            "style": recap.style,
            "last": recap.last,
            "classes": dict(sorted(classes.items())),
            "tokens_before": before,
            "tokens_after": after,
            "ratio": round(before / after, 2) if after else 0.0,
        }
        lost = losses(source.turns, recap) if why is None else []
        scored = {turn.seq: turn.importance for turn in source.turns}
        return Receipt(
            id=receipt_id(source.session, settings, now),
            kind=KIND,
            query="",
            created_at=now,
            settings=settings,
            understood=understood,
            considered=len(covered),
            tokens=recap.tokens,
            chosen=tuple(
                {
                    "turn_ids": [turn_id(source.session, seq)],
                    "rendering": "line",
                    "tokens": 0,
                    "rank": rank,
                    "score": scored.get(seq, 0.0),
                    "signals": {"importance": scored.get(seq, 0.0)},
                    "ranks": {},
                    "restore": turn_id(source.session, seq),
                }
                for rank, seq in enumerate(recap.shown, 1)
            ),
            omitted=tuple(
                {**row, "rank": rank, "score": 0.0, "signals": {}, "ranks": {}} for rank, row in enumerate(lost, 1)
            ),
        )

    def _keep(self, made: Compaction, counted: int, tx: Transaction) -> bool:
        """Writes a compaction unless the session has changed: another one was made, or turns were forgotten."""
        session = made.recap.session
        held = tx.count("turn", (self.space, session), (self.space, session))
        if held < counted or COMPACTION.get(tx, (self.space, session, made.number)) is not None:
            return False
        COMPACTION.put(tx, [compaction_row(self.space, made, to_us(made.receipt.created_at))])
        return True
