"""VS Code's newer session files: a log of changes, one on each line, to the session that an earlier line holds whole.

`{kind, k, v, i}`: kind 0 is the whole session `v`; 1 puts `v` at the path `k`; 2 cuts the list at `k` to `i`, if that
is given, and adds the items of `v` to it; 3 removes what is at `k`.
"""

from typing import Any, Final

from clew.ingest.importers.record import ImportRecord
from clew.ingest.importers.source import Source, appended_json_lines
from clew.types import Rejection

_WHOLE, _SET, _PUSH, _DELETE = range(4)
_LONGEST_PATH: Final = 50


def replayed(source: Source) -> tuple[dict[str, Any], list[ImportRecord]]:
    """The session after all changes, and the lines that are none."""
    state: dict[str, Any] = {}
    problems: list[ImportRecord] = []
    for item in appended_json_lines(source):
        if isinstance(item, Rejection):
            problems.append(item)
            continue
        change, value = item.value, item.value.get("v")
        if change.get("kind") == _WHOLE and isinstance(value, dict):
            state = value
        elif not _changed(state, change):
            reason = (
                "no change to the session that the lines before it hold: expected kind, k and v as VS Code writes them"
            )
            problems.append(Rejection(where=item.where, reason=reason))
    return state, problems


def _changed(state: dict[str, Any], change: dict[str, Any]) -> bool:
    """Applies a change; False where it does not fit the session."""
    kind, path = change.get("kind"), change.get("k")
    if kind not in (_SET, _PUSH, _DELETE) or not isinstance(path, list) or not 0 < len(path) <= _LONGEST_PATH:
        return False
    *way, last = path
    holder: Any = state
    for step in way:
        holder = _at(holder, step)
    if kind == _PUSH:
        return _pushed(holder, last, change)
    if isinstance(holder, dict) and isinstance(last, str):
        if kind == _DELETE or "v" not in change:
            holder.pop(last, None)
        else:
            holder[last] = change["v"]
        return True
    return _put(holder, last, change.get("v"))


def _at(holder: Any, step: Any) -> Any:
    """The member of an object or list; None where there is none."""
    if isinstance(holder, dict) and isinstance(step, str):
        return holder.get(step)
    if isinstance(holder, list) and _is_place(step) and step < len(holder):
        return holder[step]
    return None


def _put(holder: Any, place: Any, value: Any) -> bool:
    """Puts a value at a place of a list, or behind its last."""
    if not isinstance(holder, list) or not _is_place(place) or place > len(holder):
        return False
    holder[place : place + 1] = [value]
    return True


def _pushed(holder: Any, name: Any, change: dict[str, Any]) -> bool:
    added, kept = change.get("v"), change.get("i")
    items = _at(holder, name)
    if items is None and isinstance(holder, dict) and isinstance(name, str):
        items = holder[name] = []
    if not isinstance(items, list) or not isinstance(added, list | None):
        return False
    if _is_place(kept):
        del items[kept:]
    items.extend(added or ())
    return True


def _is_place(step: Any) -> bool:
    return isinstance(step, int) and not isinstance(step, bool) and step >= 0
