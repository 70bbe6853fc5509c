"""Decides when a session is condensed, by how it has grown since its last compaction.

    tokens   more than `session_tokens` are new (SIGMA)
    window   what is shown fills 0.70 of the window (VC)
    limit    it fills 0.85 of the window: before the provider's own limit, even if few turns are new
    task     all tasks of the agent's list are done, and a quarter of `session_tokens` is new

Only analysed turns count, and the last turns are left out: a compaction covers neither.
"""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Final

import numpy as np

from clew.condense.open_tasks import OpenTasks
from clew.config import CondenseConfig
from clew.derive.analysis_dropped import REDO
from clew.derive.rule_failures import tried
from clew.index.view import IndexView
from clew.rows.analysis_progress import read_progress
from clew.rows.recap_states import recap_marks, stored_tasks
from clew.rows.turn_log import rows_by_seq
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.selections import META_VALUE, RecapMark
from clew.text.counters import CHARS_PER_TOKEN

TASK_SHARE: Final = 0.25
"""Share of `session_tokens` from which a completed task list is a reason."""

MOST_SHARE: Final = 2.0
"""Times `session_tokens` that one compaction covers at most: a session that was imported whole takes several."""

WINDOW_SHARE: Final = 0.02
"""Share of the window that has to be new: a prompt that cannot be made smaller is not tried again with every turn."""

_WATCHED: Final = 64  # sessions whose task lists are remembered
_STRETCH: Final = 256  # turns held at a time, fewer of long ones


class Trigger(StrEnum):
    """Why a session was condensed."""

    TOKENS = "tokens"
    WINDOW = "window"
    LIMIT = "limit"
    TASK = "task"
    ASKED = "asked"


@dataclass(frozen=True, slots=True)
class Growth:
    """How a session has grown since its last compaction.

    Attributes:
        mark: seq of the last turn that is covered; -1 before the first compaction.
        until: seq of the last turn that a compaction could cover now; `mark` if there is none.
        turns: how many such turns are new; all are analysed.
        waiting: how many more would be, were they analysed.
        tokens: of the new turns, estimated.
        prompt: tokens of what is shown of the session, estimated.
        rest: tokens of the turns after `until`, estimated, where those are more than the last turns that stay.
    """

    mark: int
    until: int
    turns: int
    waiting: int
    tokens: int
    prompt: int
    rest: int | None = None


def growth_of(
    reader: Reader,
    space: str,
    view: IndexView,
    session: str,
    mark: RecapMark | None,
    config: CondenseConfig,
    *,
    whole: bool = False,
) -> Growth:
    """How a session has grown; of one that came all at once, as much as one compaction covers, or the `whole`."""
    covered = -1 if mark is None else mark.mark
    analysed = -1 if _is_read_again(reader, space, session) else read_progress(reader, space)[1].next
    turns = view.turns
    try:
        code = view.sessions.index(session)
    except ValueError:
        return Growth(covered, covered, 0, 0, 0, 0)
    places = np.flatnonzero((turns.session == code) & (turns.seq > covered))
    places = places[np.argsort(turns.seq[places], kind="stable")]
    within = places[: max(0, len(places) - config.protected_turns)]
    late = np.flatnonzero(turns.ordinal[within] >= analysed)
    ready = within[: int(late[0])] if len(late) else within
    most = CHARS_PER_TOKEN * MOST_SHARE * max(config.session_tokens, config.window)
    enough = int(np.searchsorted(np.cumsum(turns.chars[ready]), most)) + 1
    new = ready if whole else ready[: max(enough, config.minimum_turns)]
    shown = 0 if mark is None else mark.shown
    return Growth(
        covered,
        int(turns.seq[new[-1]]) if len(new) else covered,
        len(new),
        len(within) - len(ready),
        int(turns.chars[new].sum()) // CHARS_PER_TOKEN,
        shown + int(turns.chars[places].sum()) // CHARS_PER_TOKEN,
        None if len(new) == len(within) else int(turns.chars[places[len(new) :]].sum()) // CHARS_PER_TOKEN,
    )


def trigger_of(
    reader: Reader, session: str, growth: Growth, config: CondenseConfig, watch: "TaskWatch"
) -> Trigger | None:
    """Why a session is due; None if it is not."""
    window, limit = config.window, config.session_tokens
    fill = growth.prompt / window if window and growth.tokens >= WINDOW_SHARE * window else 0.0
    if growth.turns and fill >= config.hard_threshold:
        return Trigger.LIMIT
    if growth.turns < config.minimum_turns:
        return None
    if limit and growth.tokens > limit:
        return Trigger.TOKENS
    if fill and fill >= config.soft_threshold:
        return Trigger.WINDOW
    if limit and growth.tokens > TASK_SHARE * limit and watch.is_completed(reader, session, growth.mark):
        return Trigger.TASK
    return None


def refusal(growth: Growth, config: CondenseConfig, turns: int) -> str:
    """Why a session is not due, in words; `turns` is how many it has, 0 if it was condensed before."""
    if not growth.turns and not growth.waiting and growth.mark < 0:
        return f"it has only {turns} turn{'' if turns == 1 else 's'}; the last {config.protected_turns} stay"
    if not growth.turns and not growth.waiting:
        return f"no turn is new since turn {growth.mark}, beside the last {config.protected_turns}, which stay"
    if not config.session_tokens and not config.window:
        return "condense.session_tokens and condense.window are 0, so sessions are condensed only when asked (force)"
    if growth.turns < config.minimum_turns:
        return f"{growth.turns} new turns are analysed, fewer than condense.minimum_turns, {config.minimum_turns}"
    limit = f"{growth.tokens} new tokens are not above condense.session_tokens, {config.session_tokens}"
    return (
        limit if not config.window else f"{limit}, and {growth.prompt} tokens are shown in a window of {config.window}"
    )


@dataclass(slots=True)
class _Watched:
    mark: int
    next: int
    tasks: OpenTasks
    changed: int = -1  # seq of the last turn that changed the list


@dataclass(slots=True)
class TaskWatch:
    """Follows the task lists of the sessions that may be due; each turn is read once. Threads may share it."""

    space: str
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _sessions: dict[str, _Watched] = field(default_factory=dict)

    def is_completed(self, reader: Reader, session: str, mark: int) -> bool:
        """Whether the list was changed after the turn `mark`, and all of its tasks are done now."""
        with self._lock:
            watched = self._followed(reader, session, mark)
            return watched.changed > mark and watched.tasks.is_completed

    def _followed(self, reader: Reader, session: str, mark: int) -> _Watched:
        watched = self._sessions.pop(session, None)
        if watched is None or watched.mark != mark:
            tasks = OpenTasks() if mark < 0 else stored_tasks(reader, self.space, session)
            watched = _Watched(mark, mark + 1, tasks)
        self._sessions[session] = watched
        while len(self._sessions) > _WATCHED:
            del self._sessions[next(iter(self._sessions))]
        while rows := rows_by_seq(reader, (self.space, session, watched.next), (self.space, session), _STRETCH):
            for row in rows:
                if row.parts is not None and watched.tasks.concerns(row.parts):
                    watched.tasks.read(turn_from_row(row))
                    watched.changed = row.seq
            watched.next = rows[-1].seq + 1
        return watched


def due(reader: Reader, space: str, view: IndexView, config: CondenseConfig, watch: TaskWatch) -> list[str]:
    """The sessions that are due now, in order of name."""
    marks = recap_marks(reader, space)

    def reason(session: str) -> Trigger | None:
        growth = growth_of(reader, space, view, session, marks.get(session), config)
        return trigger_of(reader, session, growth, config, watch)

    # A rule that fails here fails as well when the compaction is begun, which tells of it.
    return [name for name in _candidates(view, marks, config) if tried(partial(reason, name)) is not None]


def _is_read_again(reader: Reader, space: str, session: str) -> bool:
    """Whether the session is being analysed again, since one of its turns was forgotten."""
    return META_VALUE.get(reader, (space, REDO + session)) is not None


def _candidates(view: IndexView, marks: Mapping[str, RecapMark], config: CondenseConfig) -> Iterable[str]:
    """The sessions with enough new text to be looked at."""
    limits = [TASK_SHARE * config.session_tokens] * bool(config.session_tokens)
    limits += [WINDOW_SHARE * config.window] * bool(config.window)
    turns = view.turns
    if not limits or not len(turns.session):
        return []
    mark = np.full(len(view.sessions), -1)
    for code, session in enumerate(view.sessions) if marks else ():
        mark[code] = marks[session].mark if session in marks else -1
    new = turns.seq > mark[turns.session]
    chars = np.bincount(turns.session, weights=turns.chars * new, minlength=len(view.sessions))
    return sorted(view.sessions[code] for code in np.flatnonzero(chars > CHARS_PER_TOKEN * min(limits)).tolist())
