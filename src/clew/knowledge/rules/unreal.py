"""What is told and is not so: what nearly happened, what somebody "basically" is, and what happens in a story."""

from typing import Final

from clew.knowledge.morphology import Form
from clew.knowledge.rules.lexicon import COMMA, DETERMINER, NAME, NUMBER, POSSESSIVE, SUBJECT, words
from clew.knowledge.rules.others import is_noun
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.rules.verb_groups import VerbGroup

_BEFORE_STORY: Final = 4
"""Words from the beginning of a sentence to the story that it tells of: "in the second novel"."""
_OPENING: Final = frozenset(("in", "throughout"))
_TELLERS: Final = frozenset(("i", "we"))
_PARTS: Final = frozenset(("where", "which", "that", "about", "how"))
"""What joins a clause to the story that is ordered: "write a story in which I live on Mars"."""
_NEAR: Final = 5
"""Words after "then" or "until" among which the verb of their clause stands."""
_WAS: Final = frozenset(("was", "were", "had", "'d"))
_APART: Final = frozenset((";", "-", "–", "—"))
_BEFORE_PLAN: Final = 6
"""Words from "was" to the verb of what was intended: "was originally going to finally move"."""


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


def is_of_story(s: SentenceTokens, first: int, verb: str) -> bool:
    """Whether a clause tells what happens in a story: "in the film I saw, the hero lives in Norway".

    What the speaker does is not part of a film, but may be part of a dream, or of a story that is the speaker's own or
    to be written ("write a story in which I live on Mars").

    Args:
        first: place of its subject.
        verb: its verb; what authors do they do themselves ("in my novel I use short chapters").
    """
    if first <= 1:
        return False  # nothing before the clause says where it takes place
    by_teller = s.low[first] in _TELLERS
    if by_teller and verb in words("words", "authoring"):
        return False
    if by_teller and not words("words", "invented").isdisjoint(s.low[1:first]) and _is_ordered(s, first):
        return True
    if s.low[0] not in _OPENING:
        return False
    kinds = words("words", "invented") if by_teller else words("words", "story") | words("words", "invented")
    return any(
        s.low[at] in kinds and not is_noun(s, at + 1)  # "in the film industry"
        for at in range(1, min(first, _BEFORE_STORY))
    )


def _is_ordered(s: SentenceTokens, first: int) -> bool:
    """Whether a sentence orders something to be written or told, of which the clause at a place is part."""
    part = not _PARTS.isdisjoint(s.low[:first])
    return part and any(s.low[at] in words("words", "inventing") for at in range(min(_BEFORE_STORY, first)))


def is_given_up(s: SentenceTokens, group: VerbGroup) -> bool:
    """Whether what was intended did not come about: "was going to run, but I withdrew", "had planned to sell; we keep".

    That something was intended says nothing against it by itself: "I was planning to visit Rome. Any tips?"
    """
    return group.via == "plan" and _is_past(s, group) and any(_turns(s, at) for at in range(group.end, len(s) - 1))


def _is_past(s: SentenceTokens, group: VerbGroup) -> bool:
    """Whether a plan was made before: "was going to", "had planned to", "were planning on"."""
    return group.tense == "past" or any(s.low[at] in _WAS for at in range(max(0, group.at - _BEFORE_PLAN), group.at))


def _turns(s: SentenceTokens, at: int) -> bool:
    """Whether what follows a place stands against what is said before it."""
    low = s.low[at]
    if low in words("words", "turn"):
        return s.low[at + 1] != "first"  # "but first I need a visa" puts it off
    if low in _APART:
        return bool(s.bits[at + 1] & (SUBJECT | DETERMINER | POSSESSIVE | NAME))
    later = low == "until" or (low == "then" and s.bits[at - 1] & COMMA)
    return bool(later) and any(s.form[place] & Form.PAST for place in range(at + 2, min(at + _NEAR, len(s))))
