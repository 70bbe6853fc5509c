"""What the renderings of a beat are made from: the prose of its turns, and the files and commands of its tool calls."""

from datetime import datetime
from typing import Final

from clew.condense.material import called_values, plain_prose, prose_of, speaker_name
from clew.condense.node_renderings import NodeLine
from clew.types.turn import Turn

SILENT: Final = frozenset(("tool", "system", "injected"))
"""Roles and origins of which nothing is prose: what a tool gave back, what a client or Clew told the model."""


def plain_line(text: str, speaker: str | None, role: str, at: datetime | None) -> NodeLine | None:
    """What a turn that is a single text says to a reader; None if it says nothing."""
    if text.startswith("<"):
        return None
    return _line(plain_prose(text), speaker, role, at)


def line_of(turn: Turn) -> NodeLine | None:
    """What a turn of several parts says to a reader; None if it says nothing."""
    return _line(prose_of(turn), turn.speaker, turn.role, turn.at)


def tool_values(turn: Turn) -> list[tuple[str, str]]:
    """The files and commands that the turn's tools were called with, by kind."""
    calls = [part for part in turn.parts if part.type == "tool_call"]
    return [(mark.kind, mark.value) for part in calls for mark in called_values(part)]


def _line(prose: str, speaker: str | None, role: str, at: datetime | None) -> NodeLine | None:
    if not prose:
        return None
    return NodeLine("" if at is None else at.date().isoformat(), speaker_name(speaker, role), prose)
