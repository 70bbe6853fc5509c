"""Splits text into sentences and paragraphs, as character spans.

By rules, for any script. Every character except white space is in exactly one span. Apart from a short list of
abbreviations the rules do not depend on words or languages.
"""

import re
from collections.abc import Iterator
from itertools import chain

_WORD = re.compile(r"\w")
_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n\s*")
# A run of marks with the quotes and brackets that close after it, or a line break. One set of characters begins every
# match, which lets the search skip all others quickly; the possessive repeats keep it linear.
_WESTERN = ".!?…"
_OTHER = "。！？｡؟।॥۔．"
_MARK = re.compile(rf"[\n{_WESTERN}{_OTHER}](?:(?<!\n)[{_WESTERN}{_OTHER}]*+[\"'”’»)\]*_」』）】》]*+)?")
_LIST_ITEM = re.compile(r"(?:[-*+•–—>|#]|\d{1,3}[.)]\s|[a-zA-Z][.)]\s)")
# A line this long that goes on below was broken by an editor, not by its writer (mail, books); a shorter one is a
# line of its own (lists, poems, chat).
_WRAPPED_LINE = 50
# Text looked at before a full stop to find the word that it ends: longer than any abbreviation after a bracket.
_LOOK_BACK = 8
_OPENERS = "\"'“‘«([*_"

_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof rev hon sen rep gov capt lt sgt st mt jr sr vs cf eg ie e.g i.e al ca approx dept fig figs eq "
    "eqs vol nr pp eds inc ltd co corp bros jan feb jun jul aug sep sept oct nov dec a.m p.m u.s u.k u.n ph.d b.c a.d "
    "bzw z.b d.h usw".split()
)
# These end a sentence as often as not, so what follows decides: only a lower-case letter keeps the sentence open.
_OPEN_ABBREVIATIONS = frozenset("etc inc ltd co corp a.m p.m u.s u.k u.n jr sr ph.d b.c a.d al usw".split())

# What follows the full stop of an ordinal number in dates: "Ich komme am 1. Dezember", "vom 12. bis 17. Mai".
_AFTER_ORDINAL = re.compile(
    r"(?:januar|jänner|februar|märz|marts|april|mai|maj|juni|juli|august|september|oktober|november|de[zcs]ember|bis)\b",
    re.IGNORECASE,
)


def paragraph_spans(text: str) -> tuple[tuple[int, int], ...]:
    """The paragraphs (separated by blank lines) as `(start, end)` in text order, without surrounding white space."""
    return tuple(_paragraphs(text))


def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """The sentences as `(start, end)` in text order, without surrounding white space; none for a blank text.

    No sentence crosses a blank line. A part without letters and digits ("...", an emoji) belongs to the preceding
    sentence of the same paragraph.
    """
    return tuple(sentences_in(text))


def sentences_in(text: str) -> Iterator[tuple[int, int]]:
    """`sentence_spans`, found a paragraph at a time, for a reader who may need the first ones only."""
    return chain.from_iterable(sentences_within(text, start, end) for start, end in _paragraphs(text))


def sentences_within(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The sentences of one paragraph `text[start:end]`; their spans count from the start of the text."""
    spans: list[tuple[int, int]] = []
    begin = start
    for mark in _MARK.finditer(text, start, end):
        at, stop = mark.span()
        after = stop
        while after < end and text[after].isspace():
            after += 1
        if begin < stop and after < end and _ends_sentence(text, begin, at, stop, after):
            _append(spans, text, begin, stop)
            begin = after
    _append(spans, text, begin, end)
    return spans


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for gap in _PARAGRAPH_BREAK.finditer(text):
        yield from _trimmed(text, begin, gap.start())
        begin = gap.end()
    yield from _trimmed(text, begin, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    part = text[start:end]
    body = part.strip()
    if body:
        lead = len(part) - len(part.lstrip())
        yield start + lead, start + lead + len(body)


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while end > start and text[end - 1].isspace():
        end -= 1
    if spans and not (text[start:end][:1].isalnum() or _WORD.search(text, start, end)):
        spans[-1] = (spans[-1][0], end)
    elif end > start:
        spans.append((start, end))


def _ends_sentence(text: str, begin: int, at: int, stop: int, after: int) -> bool:
    """Whether the mark `text[at:stop]` of the sentence begun at `begin` ends it; what follows begins at `after`."""
    mark = text[at]
    if mark == "\n":
        return _ends_line(text, begin, at, after)
    if mark in _OTHER:
        return True
    if after == stop:  # "3.14", "clew.toml", "U.S.A"
        return False
    single = stop - at == 1
    if mark == "." and single:
        return _ends_after_word(text, begin, at, after)
    if single and mark != "…":
        return True
    # "Where to?" he asked. / I thought ... perhaps not. / What?! No!
    return not text[after].islower()


def _ends_after_word(text: str, begin: int, at: int, after: int) -> bool:
    """Whether the single full stop at `at` ends the sentence; the word before it and what follows decide."""
    first = max(begin, at - _LOOK_BACK)
    word = text[max(first, text.rfind(" ", first, at) + 1) : at].lstrip(_OPENERS)
    if len(word) == 1 or word.isdigit():
        if at - len(word) == begin:  # the number of a list item: "1. Open the file"
            return False
        if word.isdigit() and len(word) <= 2 and _AFTER_ORDINAL.match(text, after):
            return False
        return not word.isupper() or word == "I"  # an initial: "J. Smith"
    lower = word.lower()
    if lower in _OPEN_ABBREVIATIONS:
        return not text[after].islower()
    return lower not in _ABBREVIATIONS


def _ends_line(text: str, begin: int, at: int, after: int) -> bool:
    """Whether the line break at `at` ends the sentence; the next line begins at `after`, indentation aside."""
    if _LIST_ITEM.match(text, after):
        return True
    line = max(begin, text.rfind("\n", begin, at) + 1)
    return at - line < _WRAPPED_LINE and not text[after].islower()
