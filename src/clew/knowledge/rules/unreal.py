"""What is told and is not so: what nearly happened, what somebody "basically" is, and what happens in a story."""

from typing import Final

from clew.knowledge.rules.lexicon import NUMBER, words
from clew.knowledge.rules.others import is_noun
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.rules.verb_groups import VerbGroup

_BEFORE_STORY: Final = 4
"""Words from the beginning of a sentence to the story that it tells of: "in the second novel"."""
_OPENING: Final = frozenset(("in", "throughout"))
_TELLERS: Final = frozenset(("i", "we"))


def is_nearly(s: SentenceTokens, group: VerbGroup) -> bool:
    """Whether a verb only nearly fits: "I almost moved", "she is basically my sister"; not "almost always moves".

    Numbers are told roughly: "the budget is nearly 4,000 euros".
    """
    if group.verb != "be":
        return group.at > 0 and s.low[group.at - 1] in words("words", "nearly")
    if group.end + 1 >= len(s):
        return False
    loosely = s.low[group.end] in words("words", "nearly") or s.low[group.end] in words("words", "loosely")
    return loosely and not s.bits[group.end + 1] & NUMBER and s.low[group.end + 1] not in words("words", "habit")


def is_of_story(s: SentenceTokens, first: int) -> bool:
    """Whether a clause tells what happens in a story: "in the film I saw, the hero lives in Norway".

    Args:
        first: place of its subject. What the speaker does is no part of the story.
    """
    if s.low[0] not in _OPENING or s.low[first] in _TELLERS:
        return False
    return any(
        s.low[at] in words("words", "story") and not is_noun(s, at + 1)  # "in the film industry"
        for at in range(1, min(first, _BEFORE_STORY))
    )
