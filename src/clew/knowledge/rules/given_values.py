"""The value that something has or is given: "the timeout is set to 60 seconds", "changed my major to statistics"."""

import re
from typing import Final

from clew.knowledge.rules.lexicon import DETERMINER, NUMBER, OBJECT, POSSESSIVE, PREPOSITION, language, words
from clew.knowledge.rules.meanings import ClauseReading, StatementDraft
from clew.knowledge.rules.phrases import text_of
from clew.knowledge.rules.subjects import is_acronym
from clew.types.facts import FactType

_CURRENCIES: Final = frozenset("dollar dollars euro euros pound pounds buck bucks cent cents yen rupees quid".split())
_SIGNS: Final = "$€£"
_MOST_WORDS: Final = 4
"""Words of a value that a thing is set to; more are a description."""


def digits(word: str) -> str:
    """A number word up to nineteen as digits, for an age; any other word as it is."""
    ordered: list[str] = language()["words"]["number"].split()
    place = ordered.index(word) + 1 if word in ordered else 0
    return str(place) if 0 < place < _WORDS_IN_ORDER else word


_WORDS_IN_ORDER: Final = 20


def is_price(reading: ClauseReading, low: int, high: int) -> bool:
    """Whether words are an amount of money: "$40", "900 euros"."""
    s = reading.s
    if low >= high:
        return False
    return s.low[low][0] in _SIGNS or bool(s.bits[low] & NUMBER and not _CURRENCIES.isdisjoint(s.low[low:high]))


def same_measure(one: str, other: str) -> bool:
    """Whether two amounts may be of the same thing: both of money, both of time, or one of them without a unit."""
    first, second = _measure(one), _measure(other)
    return not (first and second) or first == second


def _measure(amount: str) -> str:
    unit = _AMOUNT.sub("", amount.casefold()).lstrip(" -").partition(" ")[0]
    if unit in _CURRENCIES or not _MONEY.isdisjoint(amount):
        return "money"
    unit = unit.removesuffix("s") or unit
    return "time" if unit in _OF_TIME or unit in words("frequency", "units") else unit


_MONEY: Final = frozenset(_SIGNS)
_AMOUNT: Final = re.compile(r"\A[$€£]?\d[\d.,]*")
_OF_TIME: Final = frozenset("ms millisecond s sec second min minute h hr".split())


def given_value(reading: ClauseReading, thing: tuple[int, int], value: tuple[int, int]) -> StatementDraft | None:
    """The statement that a thing has a value; None if a thing may have several such values at a time.

    Args:
        thing, value: first place and end of the words that name them.
    """
    s, name, (low, high) = reading.s, reading.name_of(*thing), value
    if not name or low >= high:
        return None
    if s.bits[low] & NUMBER or s.low[low][0].isdigit():  # "200 after the outage", but "40 euros per month"
        ends = (at for at in range(low + 1, high) if s.bits[at] & PREPOSITION and s.low[at] not in ("of", "per"))
        value = (low, next(ends, high))
    text, noun, first = text_of(s, *value), s.low[thing[1] - 1], s.low[value[0]]
    owner, mark, attribute = name.rpartition("'s ")
    if mark and (noun in _VERBS or noun in words("attribute", "nouns")):
        return StatementDraft(owner, _VERBS.get(noun, f"has {attribute}"), text, type=FactType.PERSONAL)
    if first == "version" and value[1] > value[0] + 1:
        return StatementDraft(name, "is at version", text_of(s, value[0] + 1, value[1]))
    if is_price(reading, *value) and noun not in words("attribute", "settings"):
        if noun in words("attribute", "prices"):
            return StatementDraft(name, "costs", text)
        # "our revenue is $18,400", "MRR is $19,100": it has one figure at a time
        ours = s.low[thing[0]] == "our" or is_acronym(s, thing[1] - 1, thing[1])
        return StatementDraft(name, "amounts to", text) if ours else None
    exact = bool(s.bits[value[0]] & NUMBER) or first[0].isdigit() or first[0] in f"`{_SIGNS}"
    exact = exact or (reading.clause.group.verb == "set" and high - low == 1 and not s.bits[low] & _NO_VALUE)
    is_setting = exact and not mark and value[1] - value[0] <= _MOST_WORDS
    return StatementDraft(name, "is set to", text) if is_setting else None


def numbered_setting(name: str, reading: ClauseReading, low: int, high: int) -> StatementDraft | None:
    """The setting of a thing that words name with its number, as "port 8080": it has one at a time."""
    s = reading.s
    low += low + 2 < high and bool(s.bits[low] & (DETERMINER | POSSESSIVE))
    named = low + 1 < high and s.low[low] in words("attribute", "settings") and s.low[low + 1][0].isdigit()
    whole = low + 2 == high or (named and bool(s.bits[low + 2] & PREPOSITION))
    if not name or not named or not whole:
        return None
    within = low + 3 < high and s.low[low + 2] in _WITHIN and s.low[high - 1] not in _ANYWHERE
    scope = s.words(low + 3, high) if within else None
    return StatementDraft(f"{name} {s.low[low]}", "is set to", s.words(low + 1, low + 2), scope=scope)


_WITHIN: Final = frozenset(("on", "in", "for"))
"""Before the environment or use of a setting, of which each has its own: "port 8080 on staging"."""
_ANYWHERE: Final = frozenset("now good general future moment being practice principle reasons purpose it them".split())
"""The ends of phrases that name no such thing: "in general", "for the time being"."""
_NO_VALUE: Final = OBJECT | POSSESSIVE | DETERMINER | PREPOSITION
_VERBS: Final = {"name": "is named", "major": "majors in"}
"""Attributes of people that have a verb of their own."""
