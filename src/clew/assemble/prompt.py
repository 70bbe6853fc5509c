"""Prompts in the three parts of seed 001: context block, focus buffer, query."""

from typing import Final

CONTEXT: Final = "[Context Block]"
FOCUS: Final = "[Focus Buffer]"
QUERY: Final = "[User Query]"

NAMES: Final = {"user": "User", "assistant": "Assistant"}


def spoken(role: str, content: str) -> str:
    """One message of the focus buffer as text."""
    return f"{NAMES.get(role, role)}: {content}"


def remembered(block: str, focus: str) -> str:
    """Context block and focus buffer, each under its heading; an empty part is left out."""
    parts = ((CONTEXT, block), (FOCUS, focus))
    return "\n\n".join(f"{name}\n{text}" for name, text in parts if text)


def sections(block: str, focus: str, query: str) -> str:
    """Context block, focus buffer and query, each under its heading."""
    return "\n\n".join(filter(None, (remembered(block, focus), f"{QUERY}\n{query}")))
