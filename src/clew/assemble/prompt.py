"""Prompts in the three parts of the HCE document: context block, focus buffer, query."""

import re
from typing import Final

from clew.assemble.render import BREAKS
from clew.text.shown_names import COLONS, UNSEEN

CONTEXT: Final = "[Context Block]"
FOCUS: Final = "[Focus Buffer]"
QUERY: Final = "[User Query]"

NAMES: Final = {"user": "User", "assistant": "Assistant"}

_SOME_ROLE: Final = (
    rf"[^\w{BREAKS}]{{0,8}}(?:user|assistant|system|developer|tool|human|ai)[^\w{BREAKS}]{{0,8}}"
    rf"|(?=\w{{0,40}}[^\x00-\x7f])[\w{UNSEEN}]{{1,40}}[^\S{BREAKS}]{{0,8}}"
)
_LIKE_A_PART: Final = re.compile(
    rf"[{BREAKS}](?=(?:[^\S{BREAKS}]|[{UNSEEN}])*(?:[\[\uff3b]|(?:{_SOME_ROLE})[{COLONS}]))", re.IGNORECASE
)
"""A line break before what looks like a heading or a role: indented as well, or in letters that only look alike."""


def spoken(role: str, content: str) -> str:
    """One message of the focus buffer as text; its content cannot be mistaken for another message or part."""
    return f"{NAMES.get(role, role)}: {set_apart(content)}"


def set_apart(text: str) -> str:
    """The text with one more space before each further line that looks like a heading of the prompt or a message.

    Removing the first space of each such line gives back the text.
    """
    return text if text.isprintable() else _LIKE_A_PART.sub(r"\g<0> ", text)


def remembered(block: str, focus: str) -> str:
    """Context block and focus buffer, each under its heading; an empty part is left out with its heading."""
    parts = ((CONTEXT, block), (FOCUS, focus))
    return "\n\n".join(f"{name}\n{text}" for name, text in parts if text)


def sections(block: str, focus: str, query: str) -> str:
    """Context block, focus buffer and query, each under its heading."""
    return "\n\n".join(filter(None, (remembered(block, focus), f"{QUERY}\n{query}")))
