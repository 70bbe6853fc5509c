"""Checks a text that a language model wrote against its source: what it must not invent. Pure.

Every number, name, path, date, address, version and identifier has to occur in the source. A name at the beginning of a
sentence is known by not being a word of the source, nor one with which summaries begin.
"""

import re
from typing import Final

from clew.text.evidence import evidence
from clew.text.sentences import sentence_spans
from clew.text.stopwords import STOPWORDS
from clew.text.terms import terms

_NUMBER: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")
_CAPITAL: Final = re.compile(r"\b[^\W\d_a-z][\w'’]*\b")
_PLAIN: Final = frozenset("error command".split())
"""Kinds of evidence that may be a model's own words."""
_OPENINGS: Final = frozenset(
    "user users assistant speaker speakers discussion conversation summary overview later then first second third next"
    " last finally initially afterwards subsequently meanwhile eventually together both everyone someone nobody today"
    " additionally moreover however therefore thus instead despite overall following regarding concerning since soon"
    " according besides still now once several two three four five people throughout early earlier concurrently lastly"
    " simultaneously consequently accordingly similarly specifically notably importantly alongside ultimately recently"
    " previously currently gradually progressively separately likewise furthermore shortly within among toward towards"
    " upon beyond given based building working moving looking starting beginning continuing using having seeking trying"
    " planning another various key main new certain upcoming ongoing initial final further along near around".split()
)


def invented(text: str, source: str) -> str:
    """The first number, name or value that a text has and its source lacks, as a reason; empty where there is none."""
    flat = " ".join(source.split()).casefold()
    numbers = set(_NUMBER.findall(flat))
    for number in _NUMBER.findall(text):
        if number not in numbers and number.replace(",", "") not in {given.replace(",", "") for given in numbers}:
            return f"its source has no {number!r:.40}"
    for start, end, kind in evidence(text):
        value = " ".join(text[start:end].strip("`").split())
        if kind not in _PLAIN and value.casefold() not in flat:
            return f"its source has no {value!r:.60}"
    known = set(re.findall(r"[\w'’]+", flat))
    known |= {word.removesuffix("'s").removesuffix("’s") for word in known}
    stems = set(terms(source))
    for start, end in sentence_spans(text):
        for name in _CAPITAL.finditer(text, start, end):
            word = name[0].casefold().removesuffix("'s").removesuffix("’s")
            usual = name.start() == start and (word in _OPENINGS or stems.issuperset(terms(word)))
            if word not in known and word not in STOPWORDS and not usual:
                return f"its source has no {name[0]!r:.40}"
    return ""
