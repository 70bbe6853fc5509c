"""Finds the turns with the last or first work of a kind: file changes, failures, commands, checks."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.view import IndexView, Mask
from clew.project.checks import checker, verdict_of
from clew.project.links import TurnLinks, commands_of
from clew.rank.anchors import WeightedRange
from clew.rank.intent.work_questions import WorkAsked
from clew.recall.mentions import links_at
from clew.store.protocol import Reader, Store
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.types.turn import Turn

MOST: Final = 32
"""Turns that are offered: more than the usual budgets hold. A choice."""

READ: Final = 2_000
"""Turns that are looked at, those nearest to the end that is meant."""

_AT_ONCE: Final = 128
_BEFORE: Final = 12  # turns before a result in which its call stands
_CHECKS: Final = {
    "test": re.compile(r"test|spec|phpunit|tox|nox|jest|mocha|cypress|playwright|coverage|doctest"),
    "build": re.compile(r"build|compile|^(?:\S*/)?make$|tsc|rustc|gcc|g\+\+|clang|ninja|package|install"),
    "lint": re.compile(
        r"lint|check|pre-commit|ruff|flake8|mypy|pyright|vet|clippy|prettier|isort|black|rubocop|phpstan|biome"
    ),
}
"""By what a check runs: `make test` runs tests, and `make` alone builds."""
_LOOKS: Final = re.compile(r"^\s*(?:cat|head|tail|less|more|sed -n|grep|rg|git (?:log|show|diff|blame)|ls|find)\b")
"""Commands that show what is written somewhere: an error in it did not happen there."""

Place = tuple[str, int, TurnLinks]
"""A turn by session and place in it, and what it says of files."""


class WorkFinder:
    """Finds the turns with work of a kind in one space. Threads may share it."""

    def __init__(self, store: Store, space: str) -> None:
        """Nothing is read before it is asked for."""
        self._store, self._space = store, space

    def __call__(
        self, view: IndexView, asked: WorkAsked, sessions: Sequence[str], mask: Mask | None
    ) -> list[WeightedRange]:
        """What `work_turns` finds."""
        with self._store.snapshot() as reader:
            return work_turns(reader, self._space, view, asked, sessions, mask)


def work_turns(
    reader: Reader, space: str, view: IndexView, asked: WorkAsked, sessions: Sequence[str], mask: Mask | None
) -> list[WeightedRange]:
    """The turns with the work that is asked for, the nearest to the end that is meant first.

    Their values fall from 1 with their places. Of changes, the nearest one of each file comes before all others of it.

    Args:
        sessions: where to look, in this order.
        mask: the turns that may be shown; None for all.
    """
    places = _places(view, sessions, mask, is_first=asked.is_first)
    turns = islice(_turns(reader, space, view, places), READ)
    match asked.kind:
        case "change":
            turns_of_kind = _changes(turns)
        case "error":
            turns_of_kind = _errors(reader, space, turns)
        case "command":
            turns_of_kind = _commands(reader, space, turns)
        case _:
            turns_of_kind = _checks(list(turns), _CHECKS[asked.kind])
    names = list(islice(dict.fromkeys(turns_of_kind), MOST))
    return [WeightedRange(session, seq, seq, 1.0 - number / MOST) for number, (session, seq) in enumerate(names)]


def _places(
    view: IndexView, sessions: Sequence[str], mask: Mask | None, *, is_first: bool
) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """The positions of the turns of each session, starting at the end that the question means."""
    allowed = view.turns.chars > 0 if mask is None else mask & (view.turns.chars > 0)
    for session in sessions:
        own = np.flatnonzero((view.turns.session == view.sessions.index(session)) & allowed)
        yield session, own if is_first else own[::-1]


def _turns(
    reader: Reader, space: str, view: IndexView, places: Iterator[tuple[str, NDArray[np.intp]]]
) -> Iterator[Place]:
    """Yields the turns at these positions with their links to files, which are read `_AT_ONCE` at a time."""
    for session, own in places:
        for start in range(0, len(own), _AT_ONCE):
            some = own[start : start + _AT_ONCE]
            seqs = view.turns.seq[some].tolist()
            for seq, links in zip(seqs, links_at(reader, space, view, some), strict=True):
                yield session, seq, links


def _changes(turns: Iterator[Place]) -> Iterator[tuple[str, int]]:
    undone: set[str] = set()
    known: set[str] = set()
    further = []
    for session, seq, links in turns:
        undone.update(links.undone)
        calls = {call for call, _ in links.edits}
        if not links.edited or (calls and calls <= undone):
            continue
        if known.issuperset(links.edited):
            further.append((session, seq))
        else:
            yield session, seq
        known.update(links.edited)
    yield from further


def _errors(reader: Reader, space: str, turns: Iterator[Place]) -> Iterator[tuple[str, int]]:
    for session, seq, links in turns:
        if not any(not passed for _, passed in links.verdicts):
            continue
        near = _stored(reader, space, session, range(max(0, seq - _BEFORE), seq + 1))
        looks = {
            part.call_id
            for turn in near
            for part in turn.parts
            if part.type == "tool_call" and not _runs(commands_of(part))
        }
        results = [part for turn in near[-1:] for part in turn.parts if part.type == "tool_result"]
        if any(
            (part.extra or {}).get("is_error") or (part.call_id not in looks and verdict_of(part) is False)
            for part in results
        ):
            yield session, seq


def _runs(commands: Sequence[str]) -> bool:
    return any(_LOOKS.match(command) is None for command in commands)


def _commands(reader: Reader, space: str, turns: Iterator[Place]) -> Iterator[tuple[str, int]]:
    for session, seq, links in turns:
        if links.calls:
            stored = _stored(reader, space, session, (seq,))
            calls = [part for turn in stored for part in turn.parts if part.type == "tool_call"]
            if any(commands_of(part) for part in calls):
                yield session, seq


def _checks(turns: Sequence[Place], meant: re.Pattern[str]) -> Iterator[tuple[str, int]]:
    """The results that say whether something passed, each before its call; a call without such a result alone."""
    places = {call: (session, seq) for session, seq, links in turns for call, _ in links.verdicts if call}
    for session, seq, links in turns:
        calls = [call for call, command in links.checks if meant.search(checker(command))]
        yield from (places[call] for call in calls if call in places)
        if calls:
            yield session, seq


def _stored(reader: Reader, space: str, session: str, seqs: Sequence[int]) -> list[Turn]:
    rows = TURN.get_many(reader, [(space, session, seq) for seq in seqs])
    return [turn_from_row(row) for row in rows if row is not None]
