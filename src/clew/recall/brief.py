"""What a project was about last time, and what stayed open, for the start of a session. Start at `brief`."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np

from clew.index.view import IndexView
from clew.recall.read_path import ReadPath
from clew.recall.sessions import list_sessions
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.selections import NODE_TITLES
from clew.store.tables import TURN
from clew.types.ids import BEAT
from clew.types.session import SessionInfo
from clew.types.turn import Turn

EARLIER: Final = 4
"""Sessions before the last one that are named."""

TOPICS: Final = 8
"""Latest topics of the last session that are named."""

TAIL: Final = 400
"""Last turns of the last session that are read for its last words and its open tasks."""

WORDS: Final = 300
"""Most characters of a quoted turn."""

_TASK_LISTS: Final = frozenset({"TodoWrite", "update_plan", "write_todos"})
"""Tools by which Claude Code, Codex and Gemini CLI keep a list of tasks; each call repeats the whole list."""

_DONE: Final = frozenset({"completed", "cancelled", "done"})


def brief(path: ReadPath, *, project: str | None = None, branch: str | None = None) -> str:
    """The last session of a project, or of all, as text; empty if there is none.

    Args:
        project: name of the project folder, or a path that contains it.
        branch: git branch at the first or last turn of a session.
    """
    view = path.live.view()
    with path.store.snapshot() as reader:
        found = list_sessions(reader, path.space, view, project=project, branch=branch, limit=1 + EARLIER)
        if not found:
            return ""
        last, *earlier = found
        turns = _tail(reader, path.space, view, last.name)
        topics = _topics(reader, path.space, last.name)
    lines = [*_last(last, turns, topics), *_open(turns)]
    if earlier:
        lines += ["", "Earlier:", *(f"- {_day(session.end)} {session.title or session.name}" for session in earlier)]
    return "\n".join(lines)


def _last(session: SessionInfo, turns: Sequence[Turn], topics: Sequence[str]) -> Iterator[str]:
    where = " on ".join(place for place in (session.project, session.branch) if place)
    yield f"Last session: {_day(session.end)}, {session.turns} turns" + (f", {where}" if where else "")
    yield f"Name: {session.name}"
    if session.title:
        yield f"Request: {session.title}"
    if topics:
        yield f"Topics: {'; '.join(topics)}"
    for role, what in (("user", "Last request"), ("assistant", "Last answer")):
        said = next((text for turn in reversed(turns) if turn.origin == role and (text := _prose(turn))), "")
        if said:
            yield f"{what}: {_short(said)}"


def _open(turns: Sequence[Turn]) -> list[str]:
    """The tasks of the last task list that are not done, under a heading; none if there is no such list."""
    lists = (listed for turn in reversed(turns) if (listed := _tasks(turn)) is not None)
    newest: list[tuple[str, str]] = next(lists, [])
    tasks = [text for text, state in newest if state not in _DONE]
    return ["", "Open tasks:", *(f"- {_short(text)}" for text in tasks)] if tasks else []


def _tasks(turn: Turn) -> list[tuple[str, str]] | None:
    """The tasks of a turn that writes a task list, with their states; None for any other turn."""
    for part in reversed(turn.parts):
        if part.type == "tool_call" and part.name in _TASK_LISTS:
            try:
                value: Any = json.loads(part.text)
            except ValueError:  # cut off or not JSON: the client's own affair
                continue
            entries = value.get("todos") or value.get("plan") if isinstance(value, dict) else None
            if isinstance(entries, list):
                return [_task(entry) for entry in entries if isinstance(entry, dict)]
    return None


def _task(entry: dict[str, Any]) -> tuple[str, str]:
    text = entry.get("content") or entry.get("step") or entry.get("description") or ""
    return str(text), str(entry.get("status") or "")


def _tail(reader: Reader, space: str, view: IndexView, session: str) -> list[Turn]:
    places = np.flatnonzero(view.turns.session == view.sessions.index(session))[-TAIL:]
    rows = TURN.get_many(reader, [(space, session, seq) for seq in view.turns.seq[places].tolist()])
    return [turn_from_row(row) for row in rows if row is not None]


def _topics(reader: Reader, space: str, session: str) -> list[str]:
    """The titles of the latest beats, in their order, each once."""
    nodes = NODE_TITLES.scan(reader, (space, session), (space, session), index="level")
    beats = sorted((node.low, node.title) for node in nodes if node.level == BEAT and node.title)
    return list(dict.fromkeys(title for _, title in beats[-TOPICS:]))


def _prose(turn: Turn) -> str:
    """The text of a turn without tool calls, results and notes of the client."""
    texts = (part.text.strip() for part in turn.parts if part.type == "text")
    return " ".join(text for text in texts if text and not text.startswith("<"))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WORDS else line[:WORDS].rpartition(" ")[0] + " …"


def _day(at: datetime | None) -> str:
    return "no date" if at is None else at.date().isoformat()
