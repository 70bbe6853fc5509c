"""The forms of English verbs: "led" is a form of "lead", as are "leads" and "leading".

The verbs and their irregular forms are data (`data/verbs.tsv`, from the SPECIALIST Lexicon); regular forms are made by
rule. A verb that is not in the list ("refactored") is taken as regular, so that its forms still find one another.
"""

from collections import Counter
from functools import cache
from importlib import resources
from typing import Final

from clew.text.text_cache import cached_by_word

_SIBILANT: Final = ("s", "x", "z", "ch", "sh")
_VOWELS: Final = frozenset("aeiou")
_RARER: Final = frozenset({"crow", "fee", "overlie", "rebind", "rend", "underlie", "wee"})
"""Verbs of which a past form is seldom meant, since another verb looks like it: "rent" is not a form of "rend"."""


class Form:
    """Bits that say which forms of a verb a word can be; plain numbers, since many are compared."""

    BASE: Final = 1
    PAST: Final = 2
    PARTICIPLE: Final = 4
    GERUND: Final = 8
    THIRD: Final = 16


_INFLECTED: Final = (Form.PAST, Form.PARTICIPLE, Form.GERUND, Form.THIRD)


def regular_forms(verb: str) -> tuple[str, str, str, str]:
    """The past, past participle, -ing form and third person of a regular verb that doubles no consonant."""
    final_y = verb.endswith("y") and verb[-2:-1] not in _VOWELS
    past = verb + "d" if verb.endswith("e") else verb[:-1] + "ied" if final_y else verb + "ed"
    drops_e = verb.endswith("e") and not verb.endswith(("ee", "oe", "ye"))
    gerund = verb[:-2] + "ying" if verb.endswith("ie") else (verb[:-1] if drops_e else verb) + "ing"
    third = verb + "es" if verb.endswith(_SIBILANT) else verb[:-1] + "ies" if final_y else verb + "s"
    return past, past, gerund, third


@cache
def _verbs() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Each listed verb with its alternatives for each of the four inflected forms."""
    table: dict[str, tuple[tuple[str, ...], ...]] = {}
    text = (resources.files(__package__) / "data" / "verbs.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        verb, *cells = line.split("\t")
        cells += [""] * (4 - len(cells))
        forms = zip(cells, regular_forms(verb), strict=True)
        table[verb] = tuple([tuple((cell or regular).split("/")) for cell, regular in forms])
    return table


@cache
def _analyses() -> dict[str, dict[str, int]]:
    """Each form with the verbs it can belong to; a verb of which it is an irregular past stands first."""
    table: dict[str, dict[str, int]] = {}
    for verb, forms in _verbs().items():
        for kind, alternatives in zip(_INFLECTED, forms, strict=True):
            for form in alternatives:
                entry = table.setdefault(form, {})
                entry[verb] = entry.get(verb, 0) | kind
    for verb in _verbs():  # after the inflected forms: "left" is leave before it is left, "saw" see before saw
        entry = table.setdefault(verb, {})
        entry[verb] = entry.get(verb, 0) | Form.BASE
        for rarer in _RARER & entry.keys() - {verb}:
            del entry[rarer]
    return table


def analyses(word: str) -> dict[str, int]:
    """The verbs of which a lower-case word can be a form, the likeliest first; empty if the list has none."""
    return _analyses().get(word, {})


@cached_by_word(1 << 14)
def lemma(word: str) -> str:
    """The dictionary form of a verb's form: "led" -> "lead"; of an unlisted word by the endings of regular verbs.

    Of several verbs the one of which the word is an irregular form: "left" -> "leave", "saw" -> "see". A word that does
    not look like a verb's form is returned in lower case.
    """
    word = word.lower()
    known = _analyses().get(word)
    return next(iter(known)) if known else _regular_lemma(word)


def forms(verb: str) -> tuple[str, ...]:
    """All forms of a verb, each once, the dictionary form first: "lead", "led", "leading", "leads".

    Any form may be given; each verb of which it is a form adds its forms.
    """
    word = verb.lower()
    verbs = tuple(_analyses().get(word, ())) or (_regular_lemma(word),)
    all_forms = [form for each in verbs for form in (each, *_all_forms(each))]
    return tuple(dict.fromkeys(all_forms))


def third_person(verb: str) -> str:
    """The third person singular of a verb in its dictionary form: "redo" -> "redoes"; of "be" it is "is"."""
    listed = _verbs().get(verb)
    return listed[3][0] if listed else regular_forms(verb)[3]


def gerund(verb: str) -> str:
    """The -ing form of a verb in its dictionary form: "commit" -> "committing"."""
    listed = _verbs().get(verb)
    return listed[2][0] if listed else regular_forms(verb)[2]


def _all_forms(verb: str) -> tuple[str, ...]:
    listed = _verbs().get(verb)
    return regular_forms(verb) if listed is None else tuple([form for forms in listed for form in forms])


def _regular_lemma(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ied", "ed"):
        stem = word[: -len(ending)]
        if word.endswith(ending) and len(stem) > 2 and not _VOWELS.isdisjoint(stem):
            return stem + "y" if ending == "ied" else _base_of(stem)
    if word.endswith("es") and word[:-2].endswith(_SIBILANT):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word


def _base_of(stem: str) -> str:
    """The verb of an unlisted form without its ending: with a final e where most verbs that end alike have one."""
    endings = (stem[-3:], stem[-2:])
    if len(stem) > 2 and stem[-1] == stem[-2]:
        return stem if stem[-1] in "lsz" else stem[:-1]
    votes = _votes_for_e()
    return stem + "e" if next((votes[ending] for ending in endings if votes[ending]), 0) > 0 else stem


@cache
def _votes_for_e() -> Counter[str]:
    """For the last two and three letters of a stem, how many more verbs of that stem end in e than in its letters."""
    votes: Counter[str] = Counter()
    for verb in _verbs():
        silent = verb.endswith("e") and not verb.endswith(("ee", "oe", "ye"))
        stem = verb[:-1] if silent else verb
        for ending in {stem[-3:], stem[-2:]}:
            votes[ending] += 1 if silent else -1
    return votes
