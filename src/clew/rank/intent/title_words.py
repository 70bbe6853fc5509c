"""The words by which a question names a conversation: "the session about the parser", "tax return"."""

from typing import Final

from clew.rank.intent.overviews import GENERIC
from clew.text.late_pattern import late_pattern
from clew.text.terms import query_terms

MOST: Final = 6
"""Most words of a title that a question repeats; a longer one asks for more than a conversation."""

_NAMES_ONE: Final = late_pattern(
    r"\b(?:session|chat|conversation|thread|discussion|gespräch|unterhaltung|sitzung|conversación|charla|fil)s?\b|会话|对话|聊天"
)


def title_words(text: str, *, exact: bool) -> frozenset[str]:
    """The terms that the title of the requested conversation must contain; empty if the question names no conversation.

    Args:
        exact: the question is a search of words alone.
    """
    if not exact and _NAMES_ONE.search(text.lower()) is None:
        return frozenset()
    words = frozenset(query_terms(text)) - GENERIC
    return words if len(words) <= MOST else frozenset()
