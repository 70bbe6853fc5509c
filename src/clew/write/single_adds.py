"""Appends single turns; turns that several threads add at the same time share one transaction.

A transaction for each of them would read the rows of space and session for each, write them for each, and run a dozen
statements more, between which other threads take the interpreter. So the first thread that comes leads: when its
transaction runs, it takes along all turns that wait by then, and the others wait for it.
"""

import os
import threading
from collections.abc import Sequence
from datetime import datetime
from typing import cast

from clew.errors import StoreError, StoreLocked
from clew.ingest.identity import Placement
from clew.store.protocol import Store, Transaction
from clew.types.ids import turn_id
from clew.write.prepare import Derived, Prepared, derive
from clew.write.session_log import by_external_id, has_forgotten_id
from clew.write.session_writes import Fate, Ground, PlacePlan, ground_of, write_planned


class _Single:
    """One turn on its way, and its outcome.

    Attributes:
        fate: what its transaction came to; it counts once that is committed.
    """

    __slots__ = ("_error", "_settled", "derived", "fate", "item", "now")

    def __init__(self, item: Prepared, derived: Derived, now: datetime) -> None:
        self.item, self.derived, self.now = item, derived, now
        self.fate: Fate | None = None
        self._error: BaseException | None = None
        self._settled = threading.Lock()
        self._settled.acquire()

    def settle(self, error: BaseException | None = None) -> None:
        """Wakes the thread that waits in `outcome`."""
        self._error = error
        self._settled.release()

    def outcome(self) -> Fate | None:
        """Waits until somebody settled it; None when it is to be written by itself."""
        self._settled.acquire()
        if self._error is not None:
            raise self._error
        return self.fate


class SingleAdds:
    """Appends single turns to one space. Threads may share it."""

    def __init__(self, store: Store, space: str) -> None:
        self._store, self._space = store, space
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._waiting: list[_Single] = []
        self._is_led = False  # somebody will take what waits

    def add(self, item: Prepared, now: datetime) -> Fate:
        """Appends one turn; returns once it is durable. It is weighed behind that, with the analysis."""
        mine = _Single(item, derive(item.turn), now)
        if not self._may_share():
            return self._by_itself(mine)
        with self._lock:
            self._waiting.append(mine)
            leads, self._is_led = not self._is_led, True
        if leads:
            self._lead(mine)
        return mine.outcome() or self._by_itself(mine)

    def _may_share(self) -> bool:
        """Whether others may wait for this thread: not for the main one, which Ctrl-C may end, nor in a fork."""
        return threading.current_thread() is not threading.main_thread() and os.getpid() == self._process

    def _by_itself(self, single: _Single) -> Fate:
        self._store.transaction(lambda tx: self._write(tx, [single]))
        return cast(Fate, single.fate)

    def _lead(self, own: _Single) -> None:
        """Writes and settles everything that waits."""
        taken: list[_Single] = []

        def write(tx: Transaction) -> None:
            taken.extend(self._take())
            self._write(tx, taken)

        try:
            self._store.transaction(write)
        except BaseException as error:  # noqa: BLE001  # whatever it is, nobody may wait for ever
            _tell(taken or self._take(), own, error)
        else:
            for single in taken:
                single.settle()

    def _take(self) -> list[_Single]:
        with self._lock:
            taken, self._waiting, self._is_led = self._waiting, [], False
        return taken

    def _write(self, tx: Transaction, singles: Sequence[_Single]) -> None:
        """Writes turns of several sessions, and sets the fate of each."""
        sessions: dict[str, list[_Single]] = {}
        for single in singles:
            sessions.setdefault(single.item.turn.session, []).append(single)
        for session, of_session in sessions.items():
            waiting = of_session
            while waiting:
                waiting = self._write_session(tx, session, waiting)

    def _write_session(self, tx: Transaction, session: str, singles: Sequence[_Single]) -> list[_Single]:
        """Writes turns of one session; returns those that are left, since their external id came with another one."""
        now = singles[-1].now
        ground = ground_of(tx, self._space, session, now)
        new: list[_Single] = []
        later: list[_Single] = []
        names: set[str | None] = set()
        for single in singles:
            name = single.item.turn.external_id
            if name is not None and name in names:
                later.append(single)
            elif (fate := self._met(tx, ground, single.item)) is not None:
                single.fate = fate
            elif ground is not None:
                new.append(single)
                names.add(name)
        if ground is not None and new:
            places = [Placement(branch=single.item.turn.branch) for single in new]
            items = [(single.item, single.derived) for single in new]
            settled = write_planned(tx, ground, items, PlacePlan(places, (), ground.session.next_seq), now)
            for single, (fate, _) in zip(new, settled, strict=True):
                single.fate = fate
        return later

    def _met(self, tx: Transaction, ground: Ground | None, item: Prepared) -> Fate | None:
        """The outcome for a turn that is not to be written; None for one that is new."""
        if ground is None:
            return Fate(paused=True)
        if item.excluded is not None:
            return Fate(excluded=True)
        session, name = item.turn.session, item.turn.external_id
        if name is None:
            return None
        known = by_external_id(tx, self._space, session, name)
        if known is not None:
            stored = turn_id(session, known[0])
            return Fate(known=stored) if known[1] == item.digest else Fate(conflict=stored)
        if ground.hashed and has_forgotten_id(tx, self._space, session, name, ground.hashed):
            return Fate(forgotten=True)
        return None


def _tell(singles: Sequence[_Single], own: _Single, error: BaseException) -> None:
    """Settles turns whose transaction failed; as one of them may be the cause, each is then written by itself."""
    is_nobodys = isinstance(error, StoreLocked) or not isinstance(error, Exception)
    for single in singles:
        if len(singles) > 1 and not is_nobodys:
            single.fate = None
            single.settle()
        elif single is own:
            single.settle(error)
        elif isinstance(error, StoreLocked):
            single.settle(StoreLocked(str(error)))
        else:
            single.settle(
                StoreError(
                    f"the thread that was writing this turn ended by {error!r}; whether it is stored is unknown: look "
                    "for it before you add it again"
                )
            )
