"""Stores many turn ids in little memory, and lists them as runs of consecutive turns."""

from array import array

import numpy as np

from clew.types.ids import parse_turn_id, turn_id


class TurnIds:
    """Turn ids with their places in the input: 24 bytes for each, as an import may bring millions."""

    def __init__(self) -> None:
        self._sessions: dict[str, int] = {}
        self._places, self._names, self._seqs = array("q"), array("q"), array("q")

    def add(self, place: int, name: str) -> None:
        """Adds the id of the turn at a place in the input."""
        session, seq = parse_turn_id(name)
        self._places.append(place)
        self._names.append(self._sessions.setdefault(session, len(self._sessions)))
        self._seqs.append(seq)

    def remove(self, name: str) -> None:
        """Removes the id that was added last of those that are equal to this one, if there is any."""
        session, seq = parse_turn_id(name)
        number = self._sessions.get(session)
        for place in reversed(range(len(self._seqs))):
            if (self._names[place], self._seqs[place]) == (number, seq):
                del self._places[place], self._names[place], self._seqs[place]
                return

    @property
    def end(self) -> int:
        """The first place after all that have an id."""
        return max(self._places, default=-1) + 1

    def in_order(self) -> tuple[str, ...]:
        """The ids by their places in the input; those of one place in the order in which they were added."""
        sessions = list(self._sessions)
        return tuple(turn_id(sessions[self._names[number]], self._seqs[number]) for number in self._order())

    def runs(self) -> list[tuple[str, int, int]]:
        """The ids in the same order, as runs: session, place of the first turn, and how many follow one another."""
        sessions, runs = list(self._sessions), list[tuple[str, int, int]]()
        for number in self._order():
            session, seq = sessions[self._names[number]], self._seqs[number]
            last = runs[-1] if runs else ("", 0, 0)
            if (session, seq) == (last[0], last[1] + last[2]):
                runs[-1] = session, last[1], last[2] + 1
            else:
                runs.append((session, seq, 1))
        return runs

    def _order(self) -> list[int]:
        order = np.argsort(np.frombuffer(self._places, np.int64), kind="stable") if self._places else np.empty(0, int)
        numbers: list[int] = order.tolist()
        return numbers
