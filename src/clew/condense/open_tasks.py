"""The tasks that are not done: of an agent's list, from the calls that keep it, and what was written down as open."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from clew.condense.spoken_tasks import SpokenTasks
from clew.types.turn import Part, Turn

_LISTS: Final = frozenset({"TodoWrite", "todo_write", "update_plan", "write_todos"})
"""Tools of Claude Code, Cursor, Codex and Gemini CLI whose calls repeat the whole list."""

_CREATE: Final = "TaskCreate"
_UPDATE: Final = "TaskUpdate"
"""Tools of Claude Code that create and change a single task."""

_DONE: Final = frozenset({"completed", "cancelled", "canceled", "deleted", "done"})
_NUMBER = re.compile(r"Task #(\w+) created")


class OpenTask(NamedTuple):
    """A task that is not done, and the turn that told it: created or changed it, or listed it first as it is."""

    text: str
    seq: int


def open_tasks(turns: Iterable[Turn]) -> list[OpenTask]:
    """The tasks that no call says are done, in the order in which they came."""
    tasks = OpenTasks()
    for turn in turns:
        tasks.read(turn)
    return tasks.left_by_turn()


def tasks_by_turn(turns: Iterable[Turn]) -> list[tuple[Turn, list[str]]]:
    """The open tasks by the turn that told them last: each turn with its tasks, in the order in which tasks came."""
    state, told = OpenTasks(), dict[str, Turn]()
    for turn in turns:
        before = state.tasks
        state.read(turn)
        renewed = state.tasks is not before  # by a call that repeats the whole list
        left = state.left()
        told = {text: turn if renewed or text not in told else told[text] for text in left}
    tasks = dict[int, tuple[Turn, list[str]]]()
    for text, turn in told.items():
        tasks.setdefault(id(turn), (turn, []))[1].append(text)
    return list(tasks.values())


def is_list(part: Part | str) -> bool:
    """Whether a part is a call that makes or changes a list of tasks; of parts as JSON, whether one may be."""
    if isinstance(part, str):
        return OpenTasks.concerns(part)
    return part.type == "tool_call" and part.name in (*_LISTS, _CREATE, _UPDATE)


@dataclass(slots=True)
class OpenTasks:
    """The list as the calls make it.

    Attributes:
        tasks: text and state by number.
        created: the call that created a task -> its number.
        count: how many tasks were created one by one.
        told: the turn that told a task as it is, by number.
        spoken: what was written down as open; it is not part of the list.
    """

    tasks: dict[str, tuple[str, str]] = field(default_factory=dict)
    created: dict[str, str] = field(default_factory=dict)
    count: int = 0
    told: dict[str, int] = field(default_factory=dict)
    spoken: SpokenTasks = field(default_factory=SpokenTasks)

    def read(self, turn: Turn) -> None:
        """Takes in the next turn."""
        self.spoken.read(turn)
        for part in turn.parts:
            if part.type == "tool_call":
                before = dict(self.tasks)
                self.call(part)
                changed = (number for number, task in self.tasks.items() if before.get(number) != task)
                self.told |= dict.fromkeys(changed, turn.seq or 0)
            elif part.type == "tool_result":
                self.result(part)

    def call(self, part: Part) -> None:
        """Takes a call in; one that is cut off or of another tool changes nothing."""
        if part.name not in (*_LISTS, _CREATE, _UPDATE):
            return
        try:
            value: Any = json.loads(part.text)
        except (ValueError, RecursionError):  # the client cut it off, or it is not a list of tasks
            return
        if not isinstance(value, dict):
            return
        if part.name == _CREATE:
            self.count += 1
            number = str(self.count)
            self.created[part.call_id or ""] = number
            self.tasks[number] = (_text(value), "")
        elif part.name == _UPDATE:
            number = str(value.get("taskId"))
            text, state = self.tasks.get(number, ("", ""))
            self.tasks[number] = (_text(value) or text, str(value.get("status") or state))
        elif isinstance(entries := value.get("todos") or value.get("plan"), list):
            listed = [entry for entry in entries if isinstance(entry, dict)]
            self.tasks = {str(n): (_text(entry), str(entry.get("status") or "")) for n, entry in enumerate(listed)}

    def result(self, part: Part) -> None:
        """Takes the number that a client gave to a new task."""
        before, found = self.created.get(part.call_id or ""), _NUMBER.search(part.text)
        if before is not None and found and found[1] != before and before in self.tasks:
            self.tasks[found[1]] = self.tasks.pop(before)
            self.told[found[1]] = self.told.pop(before, -1)

    def left(self) -> list[str]:
        """The texts of the list's tasks that are not done."""
        return [task.text for task in self._of_list()]

    def left_by_turn(self) -> list[OpenTask]:
        """The tasks that are not done, each with the turn that named it; -1 where an older version stored none."""
        listed = self._of_list()
        known = {task.text.casefold() for task in listed}
        return [*listed, *(OpenTask(*each) for each in self.spoken.left() if each[0].casefold() not in known)]

    def _of_list(self) -> list[OpenTask]:
        left = ((number, text) for number, (text, state) in self.tasks.items() if text and state not in _DONE)
        return [OpenTask(text, self.told.get(number, -1)) for number, text in left]

    def copy(self) -> "OpenTasks":
        """A copy, which can read further turns without changing this list."""
        return OpenTasks(dict(self.tasks), dict(self.created), self.count, dict(self.told), self.spoken.copy())

    @property
    def is_completed(self) -> bool:
        """Whether there were tasks, and all are done."""
        texts = [text for text, _ in self.tasks.values() if text]
        return bool(texts) and not self.left()

    @staticmethod
    def concerns(parts: str) -> bool:
        """Whether the parts of a turn, as JSON, may change a list: a quick look without reading them."""
        return any(name in parts for name in (*_LISTS, _CREATE, _UPDATE))

    def keep_last(self, most: int) -> None:
        """Forgets the oldest tasks where there are more than `most`."""
        self.tasks = dict(list(self.tasks.items())[-most:])
        self.created = dict(list(self.created.items())[-most:])
        self.told = {number: seq for number, seq in self.told.items() if number in self.tasks}


def _text(entry: Mapping[str, Any]) -> str:
    return str(entry.get("content") or entry.get("step") or entry.get("subject") or entry.get("description") or "")
