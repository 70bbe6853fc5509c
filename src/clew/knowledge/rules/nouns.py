"""What the nouns for people say of them: "sister" names a woman, "parents" several people."""

from typing import Literal

from clew.analyze.entities import listed_type
from clew.knowledge.rules.lexicon import words
from clew.types.entity import NodeType

Sort = Literal["female", "male", "person", "name", "several", "thing"]


def kin_sort(noun: str) -> Sort | None:
    """The sort of person that a noun of kinship or acquaintance names; None for another noun."""
    if noun in words("kin", "female"):
        return "female"
    if noun in words("kin", "male"):
        return "male"
    if noun in words("kin", "other") or noun in words("kin", "pet"):
        return "person"
    return "several" if noun in words("kin", "plural") else None


def is_given_name(word: str) -> bool:
    """Whether a lower-case word is the name of a person."""
    kind = listed_type(word)
    return word in words("name", "given") if kind is None else kind is NodeType.PERSON
