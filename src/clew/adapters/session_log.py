"""Reads a conversation's turns as they grow, so that an adapter answers from memory and still sees other processes."""

import threading
from dataclasses import dataclass, field
from typing import Final

from clew.adapters.given import given_memory
from clew.memory import Memory
from clew.memory.arguments import given_session
from clew.rows.turn_log import stored_turns
from clew.store.protocol import Reader
from clew.store.tables import TURN
from clew.store.turn_selections import TURN_SEQ
from clew.types.turn import Turn

_MARK: Final = "#"
_CLEARED: Final = "The conversation was cleared here."


@dataclass(slots=True)
class SessionLog:
    """The turns of one conversation, read once and then only what was added; threads may share it.

    Attributes:
        turns: in order of arrival, as of the last `refresh`.
    """

    memory: Memory
    session: str
    turns: list[Turn] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def refresh(self) -> list[Turn]:
        """Reads what other threads or processes added or deleted since; a copy of all turns.

        Costs a count of the conversation's rows, and reading the new ones; after a deletion all are read again.
        """
        whole = (self.memory.space, self.session)
        store = self.memory.reads.store
        with self._lock:
            last = self.turns[-1].seq if self.turns else None
            self.turns += stored_turns(store, *whole, after=-1 if last is None else last)
            with store.snapshot() as reader:
                count = reader.count(TURN.name, whole, whole)
            if count != len(self.turns):
                self.turns = stored_turns(store, *whole)
            return list(self.turns)

    def has_turns(self, reader: Reader) -> bool:
        """Whether anything is stored of the conversation."""
        whole = (self.memory.space, self.session)
        return TURN_SEQ.first(reader, whole, whole) is not None


class Stretches:
    """A conversation that a library may clear: clearing begins a new stretch, and the earlier turns stay.

    The first stretch has the conversation's own name, the n-th `name#n`. Several objects and processes may share it.
    """

    def __init__(self, memory: Memory, name: str) -> None:
        """Opens a conversation at its newest stretch."""
        self.memory, self.name = given_memory(memory), given_session(name)
        begun = (number.removeprefix(name + _MARK) for number in sessions_beginning(memory, name + _MARK))
        self._held = self._stretch(max((int(number) for number in begun if number.isdecimal()), default=1))

    def session(self) -> str:
        """The name of the newest stretch, under which turns are stored."""
        return self._newest()[1].session

    def turns(self, key: str) -> list[Turn]:
        """The turns of the newest stretch that hold an object of the library under this key of their metadata."""
        return [turn for turn in self._newest()[1].refresh() if key in turn.metadata]

    def clear(self, key: str) -> None:
        """Begins a new stretch, unless this one holds nothing."""
        if self.turns(key):
            begun = self._stretch(self._held[0] + 1)
            mark = Turn(role="system", content=_CLEARED, session=begun[1].session, origin="injected")
            self.memory.add(mark)  # so that the stretch is found again after a restart
            self._held = begun

    def _stretch(self, number: int) -> tuple[int, SessionLog]:
        name = self.name if number == 1 else f"{self.name}{_MARK}{number}"
        return number, SessionLog(self.memory, name)

    def _newest(self) -> tuple[int, SessionLog]:
        """The number and the turns of the newest stretch, which another object or process may have begun."""
        newest = self._held
        with self.memory.reads.store.snapshot() as reader:
            while (following := self._stretch(newest[0] + 1))[1].has_turns(reader):
                newest = following
        self._held = newest
        return newest


def sessions_beginning(memory: Memory, prefix: str) -> list[str]:
    """Names of the conversations that begin with a prefix."""
    view = memory.reads.live.view()
    return [name for name in view.sessions if name.startswith(prefix) and view.ends(name) is not None]
