"""Whose words a question asks for that names two people or more: "What did Ann say about Bob's plan?" asks for Ann's.

Borders: looks at the words of the question and at the names in it.
"""

import re
from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Final

from clew.rank.intent.rewriting import any_of
from clew.text.late_pattern import late_pattern

_JOINED: Final = late_pattern(
    r"(?:['’]s?\b)?(?:[\s,/&+]|\b(?:and|or|with|both|versus|vs|und|oder|et|ou|y|e|o)\b\.?)*", re.IGNORECASE
)
"""What stands between two names that are one subject."""

_CLAUSE: Final = late_pattern(r"[.?!;]\s|\b(?:and|or|but)\s+(?:how|wh\w+|(?:d(?:id|oes)|is|was|has)\b)", re.IGNORECASE)
"""Where between two names another clause begins, each may be a subject."""

_TOGETHER: Final = late_pattern(
    r"\b(?:both|together|each other|one another|same|in common|share[ds]?|between|compared?|differ\w*|than|unlike)\b",
    re.IGNORECASE,
)
_UNKNOWN: Final = late_pattern(
    r"^\s*who(?:ever| else)?\s+(?!(?:did|does|do|is|was|are|were|has|have|had|will|would|can|could|might)\b)",
    re.IGNORECASE,
)
"""The question asks who did it, so nobody whom it names."""

_BY: Final = late_pattern(r"\bby\s+$", re.IGNORECASE)


def teller(text: str, named: Mapping[int, Collection[str]]) -> int | None:
    """The one of several named speakers whose words are asked for; None where that is nobody or more than one.

    It is the one after "by", else the first: the subject, of whom people tell themselves.

    Args:
        named: the words of the question that name each speaker.
    """
    if len(named) < 2 or _TOGETHER.search(text) or _UNKNOWN.search(text):
        return None
    mentions = sorted(
        (*found.span(), code) for code, words in named.items() for found in re.finditer(any_of(words), text)
    )
    for (_, end, one), (start, _, other) in pairwise(mentions):
        if one != other:
            apart = text[end:start]
            return None if _JOINED.fullmatch(apart) or _CLAUSE.search(apart) else _agent(text, mentions)
    return None


def _agent(text: str, mentions: list[tuple[int, int, int]]) -> int:
    """The speaker of the first mention after "by", or of the first one."""
    return next((code for start, _, code in mentions if _BY.search(text[:start])), mentions[0][2])
