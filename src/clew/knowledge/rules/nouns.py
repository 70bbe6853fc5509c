"""What nouns say of whom they name: "sister" a woman, "parents" several people; and the names beside them."""

from typing import Final, Literal

from clew.analyze.entities import listed_type
from clew.knowledge.rules.lexicon import DETERMINER, NAME, POSSESSIVE, words
from clew.knowledge.rules.tokens import SentenceTokens
from clew.text.text_cache import cached_by_word
from clew.types.entity import NodeType

Sort = Literal["female", "male", "person", "name", "several", "thing"]


@cached_by_word(1 << 12)
def kin_sort(noun: str) -> Sort | None:
    """The sort of person that a noun of kinship or acquaintance names; None for another noun."""
    if noun in words("kin", "female"):
        return "female"
    if noun in words("kin", "male"):
        return "male"
    if noun in words("kin", "other") or noun in words("kin", "pet"):
        return "person"
    return "several" if noun in words("kin", "plural") else None


@cached_by_word(1 << 12)
def is_given_name(word: str) -> bool:
    """Whether a lower-case word is the name of a person."""
    kind = listed_type(word)
    return word in words("name", "given") if kind is None else kind is NodeType.PERSON


def begins_name(s: SentenceTokens, at: int) -> bool:
    """Whether a name begins after a noun that it does not belong to: not "my sister Anna"."""
    return bool(s.bits[at] & NAME) and not s.bits[at - 1] & NAME and kin_sort(s.low[at - 1]) is None


def names_which(s: SentenceTokens, at: int, place: int) -> bool:
    """Whether a preposition with a name tells which one is meant: "my flight to Oslo", "the contract with Acme".

    Args:
        at: where the phrase begins.
        place: that of the preposition.
    """
    if s.low[place] not in _WHICH or not s.bits[at] & (POSSESSIVE | DETERMINER) or kin_sort(s.low[place - 1]):
        return False
    return place > at + 1 and place + 1 < len(s) and bool(s.bits[place + 1] & NAME)


_WHICH: Final = frozenset(("to", "with", "from"))
