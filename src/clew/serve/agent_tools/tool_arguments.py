"""The arguments of a call of a tool, as a model writes them. Start at `read_arguments`."""

import re
from collections.abc import Mapping
from typing import Any, Final

from clew.errors import InputError
from clew.serve.agent_tools.tool import Tool

_WHOLE: Final = re.compile(r"-?[0-9]{1,18}")
_MOST: Final = 10**18
_SHOWN: Final = 40
_SEVERAL: Final = {"collapse": ", ", "ids": " "}
"""Arguments that name several things, and what stands between them."""


def read_arguments(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the tool takes them; a whole number may be written as 10.0 or "10", several names as a list.

    Raises:
        InputError: one is missing, or is of another kind.
    """
    missing = [name for name in tool.arguments if tool.needs(name) and name not in given]
    if missing:
        raise InputError(f"{missing[0]} is missing. {_takes(tool)}")
    kinds = tool.schema["properties"]
    return {name: _read(tool, name, kinds[name]["type"], value) for name, value in given.items()}


def _read(tool: Tool, name: str, kind: str, value: Any) -> Any:
    if kind == "string" and isinstance(value, str):
        return value
    if name in _SEVERAL and isinstance(value, list) and all(isinstance(element, str) for element in value):
        return _SEVERAL[name].join(value)
    if kind == "integer" and (number := _whole(value)) is not None:
        return number
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
    expected = "a whole number" if kind == "integer" else "text"
    raise InputError(f"{name} is {shown}; expected {expected}. {_takes(tool)}")


def _whole(value: Any) -> int | None:
    """A whole number; None for everything else, truth values among it, which Python counts as 0 and 1."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return int(value) if _WHOLE.fullmatch(value) else None
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return int(value) if is_whole and abs(value) < _MOST else None


def _takes(tool: Tool) -> str:
    return f"{tool.name} takes {', '.join(f'{name} ({about})' for name, about in tool.arguments.items())}"
