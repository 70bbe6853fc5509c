"""What stands beside an object: where something is, and the event that it is for."""

from typing import Final

from clew.knowledge.rules.lexicon import NAME, PREPOSITION, words
from clew.knowledge.rules.tokens import SentenceTokens

_PLACE: Final = frozenset(("in", "at", "near"))


def place_of(s: SentenceTokens, low: int, high: int) -> tuple[int, str] | None:
    """Where the place begins that ends a phrase, and its name: "at Central Park", "near my office"."""
    at = high - 1
    while at > low and not s.bits[at] & PREPOSITION:
        at -= 1
    if at <= low or s.low[at] not in _PLACE:
        return None
    first = at + 1 + (s.low[at + 1] in ("the", "my", "our", "this"))
    named = first < high and all(s.bits[place] & NAME and s.low[place][0] != "`" for place in range(first, high))
    code = high == first + 1 and s.low[first] in words("place", "code")
    if first >= high or not (named or code or s.low[at] == "near"):
        return None
    at -= at - 1 > low and s.low[at - 1] in _TOWARDS
    return at, s.words(first, high)


_TOWARDS: Final = frozenset(("up", "down", "over", "out", "back", "here"))
"""What stands before a place and tells nothing by itself: "law here in Trier"."""


def event_of(s: SentenceTokens, low: int, high: int) -> tuple[int, str] | None:
    """Where the event begins that ends a phrase, and its name: "for the wedding", "before the release"."""
    at = high - 1
    while at > low and s.low[at] not in _FOR_EVENT:
        at -= 1
    owned = "'s" in s.low[at + 1 : high]  # "for Carla's wedding"
    known = at + 2 < high and s.low[high - 1] in words("event", "nouns") and (s.low[at + 1] in _KNOWN or owned)
    first = at + 1 if owned and s.low[at + 1] not in _KNOWN else at + 2
    return (at, s.words(first, high)) if at >= low and known and s.low[at] in _FOR_EVENT else None


_FOR_EVENT: Final = frozenset(("for", "before"))
_KNOWN: Final = frozenset(("the", "my", "our", "his", "her", "their"))
