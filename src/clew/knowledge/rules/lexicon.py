"""What the rules know of single English words: their classes, read from `data/english.toml`, and their verb forms."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

from clew.knowledge.morphology import Form, analyses
from clew.text.late_pattern import late_pattern
from clew.text.text_cache import cached_by_word

# Classes of words, as bits.
SUBJECT: Final = 1 << 0  # I, we, you, he, she, they, it
OBJECT: Final = 1 << 1
POSSESSIVE: Final = 1 << 2
DETERMINER: Final = 1 << 3
BE: Final = 1 << 4
HAVE: Final = 1 << 5
DO: Final = 1 << 6
MODAL: Final = 1 << 7
NEGATION: Final = 1 << 8
PREPOSITION: Final = 1 << 9
COORDINATOR: Final = 1 << 10
SUBORDINATOR: Final = 1 << 11
CONDITION: Final = 1 << 12
QUESTION: Final = 1 << 13
RELATIVE: Final = 1 << 14
ADVERB: Final = 1 << 15
INTERJECTION: Final = 1 << 16
NUMBER: Final = 1 << 17
NAME: Final = 1 << 18  # written with a capital
COMMA: Final = 1 << 19
BREAK: Final = 1 << 20  # a mark that ends a clause
THIS: Final = 1 << 21
TO: Final = 1 << 22
QUOTE: Final = 1 << 23
OPENED: Final = 1 << 24  # in brackets or quotation marks
OPENER: Final = 1 << 25  # may stand before a clause like an interjection: "well", "sure"

AUXILIARY: Final = BE | HAVE | DO | MODAL
MARK: Final = COMMA | BREAK | QUOTE
CONNECTOR: Final = COORDINATOR | SUBORDINATOR | CONDITION

_LISTS: Final = {
    "subject": SUBJECT,
    "object": OBJECT,
    "possessive": POSSESSIVE,
    "this": THIS,
    "determiner": DETERMINER,
    "be": BE,
    "have": HAVE,
    "do": DO,
    "modal": MODAL,
    "negation": NEGATION,
    "preposition": PREPOSITION,
    "coordinator": COORDINATOR,
    "condition": CONDITION,
    "subordinator": SUBORDINATOR,
    "question": QUESTION,
    "relative": RELATIVE,
    "adverb": ADVERB,
    "interjection": INTERJECTION,
    "opener": OPENER,
    "number": NUMBER,
}
_SHORT: Final = 4
_CLOSED: Final = (
    SUBJECT | OBJECT | POSSESSIVE | AUXILIARY | MODAL | NEGATION | PREPOSITION | CONNECTOR | QUESTION | DETERMINER
)
_MARKS: Final = {",": COMMA, '"': QUOTE, "“": QUOTE, "”": QUOTE}
_STUTTER: Final = late_pattern(r"(?i)^([\w'’]+)(?:-\1)+(?=\b)")


class WordClass(NamedTuple):
    """One word: its lower-case form, its classes, and what forms of verbs it can be."""

    low: str
    bits: int
    verb: str  # the likeliest verb; empty if it is none
    form: int


@cache
def language() -> dict[str, Any]:
    """The word lists and tables of `data/english.toml`."""
    text = (resources.files("clew.knowledge") / "data" / "english.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def words(section: str, name: str) -> frozenset[str]:
    """One list of the data; phrases are separated by commas, words by spaces."""
    text: str = language()[section][name]
    return frozenset(text.split(",") if "," in text else text.split())


@cache
def _classes() -> dict[str, int]:
    table: dict[str, int] = {"to": TO}
    for name, bit in _LISTS.items():
        for word in words("words", name):
            table[word] = table.get(word, 0) | bit
    return table


@cache
def _fused() -> dict[str, int]:
    table: dict[str, int] = {"-": BREAK}
    for phrase, names in language()["fused"].items():
        for name in names.split():
            table[phrase] = table.get(phrase, 0) | _LISTS[name]
    return table


@cached_by_word(1 << 14)
def split(raw: str) -> tuple[WordClass, ...]:
    """The words of a token: contractions are taken apart, "don't" -> "do", "not"."""
    if "-" in raw:
        raw = _STUTTER.sub(r"\1", raw)
    low = raw.lower().replace("’", "'")
    if " " in low:
        low = " ".join(low.split())
        return (WordClass(low, _fused().get(low, 0), "", 0),)
    if low.endswith("in'"):  # "livin'", but not the last word of a quotation
        doing = f"{low[:-1]}g"
        return (_word(doing, raw),) if analyses(doing) else split(raw[:-1])
    table = language()["contractions"]
    if low in table:
        return tuple([_word(part, "") for part in table[low].split()])
    for ending, meaning in language()["endings"].items() if "'" in low else ():  # as each ending has
        if low.endswith(ending) and len(low) > len(ending):
            return (*split(raw[: -len(ending)]), _word(meaning, ""))
    return (_word(low, raw),)


def _word(low: str, raw: str) -> WordClass:
    bits = _classes().get(low, 0)
    if low[0] in "$€£" and low[1:2].isdigit():
        return WordClass(low, bits | NUMBER, "", 0)
    if low[0] == "`" and len(low) > 1:
        return WordClass(low, bits | NAME, "", 0)
    if not low[0].isalnum():
        return WordClass(low, bits or _MARKS.get(low, BREAK if low[0] not in "#@$€£'`_/~" else 0), "", 0)
    if low[0].isdigit():
        return WordClass(low, bits | NUMBER, "", 0)
    if raw[:1].isupper() and low != "i":
        bits |= NAME
    found = analyses(low)
    form = 0
    for each in found.values():
        form |= each
    if not found and len(low) > 4 and low.endswith("ing") and not bits & (THIS | PREPOSITION):
        form = Form.GERUND
    adverb = low.endswith("ly") and len(low) > _SHORT and not found and not bits & _CLOSED
    if adverb and low not in words("words", "not_adverb"):
        bits |= ADVERB
    return WordClass(low, bits, next(iter(found), ""), form)
