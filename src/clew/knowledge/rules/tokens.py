"""A sentence as words with their classes, column by column."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, chain, islice
from operator import or_
from typing import Final

from clew.knowledge.rules.lexicon import BREAK, NAME, OPENED, QUOTE, split
from clew.text.late_pattern import late_pattern

_TOKEN: Final = late_pattern(
    r"(?=[AaDEeMNnOoPS])(?:(?:Mr|Mrs|Ms|Dr|Prof|St)\.(?=\s)|(?i:not any more|no longer|any more|at the moment"
    r"|each other|one another|at the end of the day)\b)"  # most words begin with none of these letters
    r"|[^\W\d_](?:[\w'’&./@+-]*[\w+#](?:(?<=[a-z]in)['’](?!\w))?)?|[$€£]?\d(?:[\w.,:/%-]*[\w%])?\+?|`[^`\n]{1,80}`"
    r"|(?i:(?<!\w)['’](?:cause|em)\b)|--+| - |[^\w\s]"
)
_BRACKETS: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_ENCLOSING: Final = frozenset((*_BRACKETS, '"', "“", "”"))
OWN: Final = frozenset(("my", "our"))
_CLOSING: Final = "\"'”’)* "
MOST: Final = 120
"""Words of a sentence that are read; a longer one is not speech."""


@dataclass(frozen=True, slots=True)
class SentenceTokens:
    """The words of one sentence.

    Attributes:
        text: the text that the offsets refer to.
        low, bits, verb, form: columns of `lexicon.WordClass`.
        start, end: offsets of the token that the word belongs to.
        asks: whether the sentence ends with a question mark.
        named: where it may name somebody: places of words with a capital, and of "my" and "our".
    """

    text: str
    low: list[str]
    bits: list[int]
    verb: list[str]
    form: list[int]
    start: list[int]
    end: list[int]
    asks: bool
    named: Sequence[int]

    def __len__(self) -> int:
        return len(self.low)

    def words(self, low: int, high: int) -> str:
        """The text from one word up to another, as written."""
        return self.text[self.start[low] : self.end[high - 1]] if low < high else ""


def read(text: str, begin: int, stop: int) -> SentenceTokens:
    """The words of `text[begin:stop]`; what stands in brackets or quotation marks has the bit `OPENED`."""
    tokens = list(islice(_TOKEN.finditer(text, begin, stop), MOST))
    parts = [split(token[0]) for token in tokens]
    every = list(chain.from_iterable(parts))
    spans = [token.span() for token in tokens]
    if len(every) > len(spans):  # the words of a contraction stand where it does
        count = bisect_left(list(accumulate(map(len, parts))), MOST) + 1
        every = list(chain.from_iterable(parts[:count]))
        spans = [span for span, part in zip(spans[:count], parts, strict=False) for _ in part]
    low, bits, verb, form = map(list, zip(*every, strict=True)) if every else ([], [], [], [])
    start, end = map(list, zip(*spans, strict=True)) if spans else ([], [])
    if not _ENCLOSING.isdisjoint(low):
        _mark_opened(low, bits)
    if not bits or not bits[-1] & BREAK:
        for column, value in ((low, "."), (verb, "")):
            column.append(value)
        for numbers, number in ((bits, BREAK), (form, 0), (start, stop), (end, stop)):
            numbers.append(number)
    asks = text[begin:stop].rstrip(_CLOSING).endswith("?")
    named: Sequence[int] = ()
    if reduce(or_, bits) & NAME or "my" in low or "our" in low:
        named = [at for at, word in enumerate(low) if bits[at] & NAME or word in OWN]
    return SentenceTokens(text, low, bits, verb, form, start, end, asks, named)


def is_hedge(s: SentenceTokens, at: int) -> bool:
    """Whether an adverb at a place is the first word of "sort of" or "kind of": "we've sort of gone through that"."""
    return s.low[at] in ("sort", "kind") and s.low[at + 1] == "of"


def _mark_opened(low: list[str], bits: list[int]) -> None:
    """Sets the bit `OPENED` of words in brackets or quotation marks, the opening mark included."""
    depth, quoted = 0, False
    for at, word in enumerate(low):
        depth = max(0, depth + _BRACKETS.get(word, 0))
        quoted = quoted != bool(bits[at] & QUOTE)
        if depth or quoted:
            bits[at] |= OPENED
