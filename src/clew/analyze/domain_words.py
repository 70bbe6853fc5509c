"""How much each word and each sign of form speaks for or against each domain: `data/domain_words.txt.gz`.

A line of the file is a stem (`lexicon.fold`) and one character for each domain in the order of `lexicon.DOMAINS`. A
character is a weight in steps of `STEP`: "O" is 0, the next character one step more. Lines that begin with "#" weigh
signs of form. There are about 25,000 stems of English. `benchmarks/domain_words.py` learned the weights from the
definitions of WordNet, our own lists and texts of our own, and says how (data/NOTICE).
"""

import gzip
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from importlib import resources
from string import digits
from typing import Final

from clew.analyze.verse import verse
from clew.analyze.words import Reading

FILE: Final = "domain_words.txt.gz"
"""Packed, since it is read by the program alone and the core has a limit of size."""

STEP: Final = 0.22
"""One step of a weight, in logits."""

ZERO: Final = ord("O")
FORM: Final = "#"
FORMS: Final = ("conv_q", "first", "second", "gend", "past", "inter", "code", "eq", "verse", "digits", "neut")
"""The signs of form in the order of `forms_of`; each has a line, named with `FORM` before it."""

BIAS: Final = "#bias"
"""The line of what is added whatever the text: most texts are not about a given domain."""

CONTENT_KINDS: Final = "cvwuo"
"""The kinds of content words (`lexicon`)."""

_KEPT: Final = 1 << 15
_DIGITS: Final = 12


class Rows(dict[str, bytes]):
    """The characters by stem, empty for a stem that the file does not have; a cache, emptied when full."""

    def __init__(self) -> None:
        """Reads nothing before it is asked."""
        self._lines: Sequence[bytes] = ()

    def load(self, words: bytes) -> None:
        """Takes another file's unpacked content instead of the package's, whose return an empty one means.

        For measurements with a source left out.
        """
        self.clear()
        self._lines = words.split(b"\n") if words else ()

    def __missing__(self, stem: str) -> bytes:
        lines = self._lines = self._lines or _lines()
        line = stem.encode("utf-8", "surrogatepass") + b" "
        place = bisect_left(lines, line)
        row = lines[place][len(line) :] if place < len(lines) and lines[place].startswith(line) else b""
        if len(self) >= _KEPT:
            self.clear()
        self[stem] = row
        return row


rows: Final = Rows()
"""Of the package's file; the cache never changes a result."""


def forms_of(reading: Reading) -> tuple[float, ...]:
    """How often each sign of form occurs, up to a limit, in the order of `FORMS`."""
    text = reading.text
    count, kinds = text.count, reading.grammar.count
    return (
        min(count("?") + count("!"), 5),
        min(kinds("I"), 6),
        min(kinds("Y"), 6),
        min(kinds("H"), 8),
        min(kinds("w"), 12),
        kinds("j"),
        min(count("`") + count("()") + count("{") + count("_"), 10),
        min(count("=") + count("\\"), 8),
        verse(text),
        _digits(reading),
        min(kinds("T"), 8),
    )


def _digits(reading: Reading) -> int:
    """Digits, up to 12 and up to one for every two content words that are not numbers.

    Dates and amounts beside few words, as in a phone number, a timetable or a note on a release, tell of no subject.
    """
    text = reading.text
    found = min(sum(map(text.count, digits)) if text.isascii() else sum(map(str.isdigit, text)), _DIGITS)
    if not found:
        return 0
    words = 0
    for sentence in reading.sentences:
        for kind, form in zip(sentence.kinds, sentence.forms, strict=True):
            words += kind in CONTENT_KINDS and not form[0].isdigit()
        if words >= 2 * found:
            return found
    return words // 2


@cache
def _lines() -> Sequence[bytes]:
    return gzip.decompress((resources.files(__package__) / "data" / FILE).read_bytes()).split(b"\n")
