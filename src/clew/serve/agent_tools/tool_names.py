"""The names of tools: as they are listed, which tool a call means, and which names in it are unknown."""

import json
from collections.abc import Container, Mapping
from typing import Any, Final

from clew.serve.agent_tools.tool import Tool

PREFIXES: Final = ("clew_", "vc_")
"""What a tool's name may begin with where the tools of several servers stand in one list."""

OFFERED: Final = (
    "expand_topic",
    "find_quote",
    "query_facts",
    "remember_when",
    "recall_all",
    "file_decisions",
    "restore",
)
"""Virtual Context's tools, and one for files: the proxy offers them, and MCP lists them by the same names."""


def listed_name(name: str) -> str:
    """A tool's name in a list over MCP."""
    return f"{PREFIXES[0]}{name}" if name in OFFERED else name


def with_names(text: str, shown: Mapping[str, str]) -> str:
    """A description in which other tools have the names by which they are listed (plain name -> shown name)."""
    for plain, name in shown.items():
        text = text.replace(plain, name)
    return text


def plain_name(name: str, known: Container[str]) -> str:
    """The tool that a name means: itself, or without its prefix, or Virtual Context's `vc_restore_tool`."""
    plain = name
    for prefix in PREFIXES:
        plain = plain.removeprefix(prefix)
    plain = "restore" if plain == "restore_tool" else plain
    return plain if name not in known and plain in known else name


def unknown(tools: Mapping[str, Tool], name: str, arguments: Mapping[str, Any]) -> str | None:
    """Describes the unknown names in a call, with the known ones; None if all are known."""
    tool = tools.get(name)
    if tool is None:
        return f"there is no tool {shortly(name)}; there are {', '.join(tools)}"
    unexpected = [shortly(argument) for argument in arguments if argument not in tool.arguments]
    if unexpected:
        return f"{name} takes no argument {', '.join(unexpected)}; it takes {', '.join(tool.arguments)}"
    return None


def shortly(value: object) -> str:
    """A value as an error message repeats it: quoted, and cut to 60 characters."""
    text = json.dumps(str(value)[:60])
    return text if len(str(value)) <= 60 else text[:-1] + '..."'
