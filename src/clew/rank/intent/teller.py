"""Which of several people that a question names is its subject: in "What did Ann say about Bob's plan?" it is Ann.

Only the words of the question and the names in it are looked at.
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
"""What stands between two names that are one subject together: "Ann and Bob", "Ann's or Bob's"."""

_CLAUSE: Final = late_pattern(r"[.?!;]\s|\b(?:and|or|but)\s+(?:how|wh\w+|(?:d(?:id|oes)|is|was|has)\b)", re.IGNORECASE)
"""The beginning of another clause; between two names, it makes each of them a possible subject."""

_TOGETHER: Final = late_pattern(
    r"\b(?:both|together|each other|one another|same|in common|share[ds]?|between|compared?|differ\w*|than|unlike)\b",
    re.IGNORECASE,
)
"""Words of questions about people together, or compared."""

_UNKNOWN: Final = late_pattern(
    r"^\s*who(?:ever| else)?\s+(?!(?:did|does|do|is|was|are|were|has|have|had|will|would|can|could|might)\b)",
    re.IGNORECASE,
)
"""The beginning of a question for the subject itself ("Who gave Bob the map?"): nobody whom it names is its subject."""

_BY: Final = late_pattern(r"\bby\s+$", re.IGNORECASE)


def teller(text: str, named: Mapping[int, Collection[str]]) -> int | None:
    """The speaker who is the subject of a question that names several; None if that is nobody or more than one.

    The subject is the speaker named after "by", else the one named first. People tell about themselves, so the answer
    is most often in the subject's words.

    Args:
        named: code of each speaker -> the words of the question that name the speaker.
    """
    if len(named) < 2 or _TOGETHER.search(text) or _UNKNOWN.search(text):
        return None
    mentions = sorted(
        (*match.span(), code) for code, words in named.items() for match in re.finditer(any_of(words), text)
    )
    for (_, end, one), (start, _, other) in pairwise(mentions):
        if one != other:
            apart = text[end:start]
            return None if _JOINED.fullmatch(apart) or _CLAUSE.search(apart) else _agent(text, mentions)
    return None


def _agent(text: str, mentions: list[tuple[int, int, int]]) -> int:
    """The speaker of the first mention after "by", or of the first one."""
    return next((code for start, _, code in mentions if _BY.search(text[:start])), mentions[0][2])
