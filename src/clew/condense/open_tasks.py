"""The tasks of an agent that are not done, from the calls by which it keeps its list."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from clew.types.turn import Part, Turn

_LISTS: Final = frozenset({"TodoWrite", "todo_write", "update_plan", "write_todos"})
"""Tools of Claude Code, Cursor, Codex and Gemini CLI whose calls repeat the whole list."""

_CREATE: Final = "TaskCreate"
_UPDATE: Final = "TaskUpdate"
"""Tools of Claude Code that create and change a single task."""

_DONE: Final = frozenset({"completed", "cancelled", "canceled", "deleted", "done"})
_NUMBER = re.compile(r"Task #(\w+) created")


def open_tasks(turns: Iterable[Turn]) -> list[str]:
    """The tasks that no call says are done, in the order in which they came."""
    tasks = _Tasks()
    for turn in turns:
        for part in turn.parts:
            if part.type == "tool_call":
                tasks.call(part)
            elif part.type == "tool_result":
                tasks.result(part)
    return tasks.left()


class _Tasks:
    """The list as the calls make it: text and state by number."""

    def __init__(self) -> None:
        self._tasks: dict[str, tuple[str, str]] = {}
        self._created: dict[str, str] = {}  # the call that created a task -> its number
        self._count = 0

    def call(self, part: Part) -> None:
        """Takes a call in; one that is cut off or of another tool changes nothing."""
        if part.name not in (*_LISTS, _CREATE, _UPDATE):
            return
        try:
            value: Any = json.loads(part.text)
        except ValueError:  # the client cut it off
            return
        if not isinstance(value, dict):
            return
        if part.name == _CREATE:
            self._count += 1
            number = str(self._count)
            self._created[part.call_id or ""] = number
            self._tasks[number] = (_text(value), "")
        elif part.name == _UPDATE:
            number = str(value.get("taskId"))
            text, state = self._tasks.get(number, ("", ""))
            self._tasks[number] = (_text(value) or text, str(value.get("status") or state))
        elif isinstance(entries := value.get("todos") or value.get("plan"), list):
            listed = [entry for entry in entries if isinstance(entry, dict)]
            self._tasks = {str(n): (_text(entry), str(entry.get("status") or "")) for n, entry in enumerate(listed)}

    def result(self, part: Part) -> None:
        """Takes the number that a client gave to a new task."""
        before, found = self._created.get(part.call_id or ""), _NUMBER.search(part.text)
        if before is not None and found and found[1] != before and before in self._tasks:
            self._tasks[found[1]] = self._tasks.pop(before)

    def left(self) -> list[str]:
        """The texts of the tasks that are not done."""
        return [text for text, state in self._tasks.values() if text and state not in _DONE]


def _text(entry: Mapping[str, Any]) -> str:
    return str(entry.get("content") or entry.get("step") or entry.get("subject") or entry.get("description") or "")
