"""How a sentence is built, estimated by patterns over the kinds of its words (`Word.kind`).

Rough by design: this distinguishes sentences from lists and from words in random order; it does not parse.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

# A verb group: auxiliaries and a main verb with at most two words between ("will not easily be seen" is one), or a main
# verb alone, unless an article or preposition before it makes it a noun ("the plan").
_VERB_GROUP: Final = re.compile(r"X(?:[^,.vwX]{0,2}X)*(?:[^,.vwX]{0,2}[vw])?|(?<![AP])[vw]")
# A verb that no list knows stands between a noun and the article or pronoun of its object: "termites gnaw the porch".
# Without a verb beside it a noun hardly ever stands directly before an article. The noun may be a verb elsewhere ("the
# watch times the lock").
_TAKES_OBJECT: Final = re.compile(r"c(?<=[cv]c)(?=[AIYHT])")
# What an article or preposition is hardly ever followed by: auxiliaries, other articles, pronouns, the clause's end.
_PLACED: Final = re.compile(r"[AP]")
_MISPLACED: Final = re.compile(r"A(?=[AIYHTXPS,.])|P(?=[XP,])")
_ONLY_FUNCTIONS: Final = dict.fromkeys(map(ord, ",cjouvw"))
# Share of function words from which on a sentence counts as fully built. Running English has 0.45 to 0.6, notes 0.3,
# lists under 0.15 (measured); cut into pairs of characters, Chinese and Japanese show fewer.
BUILT_SHARE: Final = 0.25
_BUILT_SHARE_UNSPACED: Final = 0.12
# A sentence in a script without a list of function words: taken as built, with doubt.
_BUILT_UNKNOWN: Final = 0.7


class Shape(NamedTuple):
    """How one sentence is built.

    `words` counts without separators; `built` is in [0, 1], by the share of function words; `verb` says whether it has
    one. Verbs are known in English only; elsewhere every sentence is taken to have one.
    """

    words: int
    built: float
    verb: bool


_EMPTY: Final = Shape(0, 0.0, False)


def shapes(forms: Sequence[str], grammar: str) -> list[Shape]:
    """The shape of each sentence of a text; `grammar` is all forms, each followed by a full stop."""
    english = is_english(grammar)
    plain = english and "u" not in grammar and "U" not in grammar and "o" not in grammar
    listed: list[Shape] = []
    for form, functions in zip(forms, grammar.translate(_ONLY_FUNCTIONS).split("."), strict=False):
        words = len(form) - form.count(",")
        if not words:
            listed.append(_EMPTY)
            continue
        built = min(1.0, len(functions) / words / BUILT_SHARE) if plain else _built(form, words, len(functions))
        listed.append(Shape(words, built, not english or "X" in form or _has_verb(form)))
    return listed


def _has_verb(form: str) -> bool:
    return _VERB_GROUP.search(form) is not None or _takes_object(form)


def _takes_object(form: str) -> bool:
    """Whether a sentence with the function words of one has an unlisted verb before an article."""
    words = len(form) - form.count(",")
    return len(form.translate(_ONLY_FUNCTIONS)) >= BUILT_SHARE * words and _TAKES_OBJECT.search(form) is not None


def _built(form: str, words: int, functions: int) -> float:
    if 2 * form.count("o") > words:
        return _BUILT_UNKNOWN
    unspaced = 2 * (form.count("u") + form.count("U")) > words
    return min(1.0, functions / words / (_BUILT_SHARE_UNSPACED if unspaced else BUILT_SHARE))


def is_english(grammar: str) -> bool:
    """Whether the text may be English: its script is known, and most of its function words are English."""
    foreign = grammar.count("G") + grammar.count("U")
    strange = grammar.count("o") + grammar.count("u")
    if not foreign + strange:
        return True
    functions = len(grammar.translate(_ONLY_FUNCTIONS).replace(".", ""))
    return 2 * foreign <= functions and 2 * strange <= len(grammar.replace(".", "").replace(",", ""))


def clauses(grammar: str) -> int:
    """The number of verb groups that may be finite; in a sentence without one, its unlisted verb with an object."""
    groups = len(_VERB_GROUP.findall(grammar))
    for form in grammar.split(".") if groups < grammar.count(".") else ():
        groups += _VERB_GROUP.search(form) is None and _takes_object(form)
    return groups


def order(grammar: str) -> float:
    """How far articles and prepositions are in possible positions, in [0, 1]: usually 1, about 0.2 for shuffled words.

    Measured: 1 % of them are misplaced in running text, a third in shuffled text. The first one is free, since titles,
    lists and quotations misplace some.
    """
    misplaced = len(_MISPLACED.findall(grammar)) - 1
    return max(0.0, 1.0 - 2.5 * misplaced / len(_PLACED.findall(grammar))) if misplaced > 0 else 1.0
