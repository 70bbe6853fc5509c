"""Decisions about a file or symbol as text for a model."""

from collections.abc import Sequence
from typing import Final

from clew.assemble.render import quoted
from clew.types.projects import CodeDecision

_LINE: Final = 240  # characters of a decision


def code_decisions(decisions: Sequence[CodeDecision]) -> str:
    """Decisions, one a line, marked as quoted memory; empty for none."""
    return quoted("\n".join(map(_line, decisions))) if decisions else ""


def _line(each: CodeDecision) -> str:
    when = "no date" if each.at is None else each.at.date().isoformat()
    text = each.text if len(each.text) <= _LINE else f"{each.text[: _LINE - 1]}…"
    return f"[{each.turn}] {when} {each.kind}: {text}{' (the file was changed since)' if each.is_stale else ''}"
