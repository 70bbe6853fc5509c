"""A sentence as words with their classes, column by column."""

from dataclasses import dataclass
from typing import Final

from clew.knowledge.rules.lexicon import BREAK, NAME, OPENED, QUOTE, split
from clew.text.late_pattern import late_pattern

_TOKEN: Final = late_pattern(
    r"(?:Mr|Mrs|Ms|Dr|Prof|St)\.(?=\s)|(?i:not any more|no longer|any more|each other|one another)\b"
    r"|[$€£]?\d(?:[\w.,:/%-]*[\w%])?\+?|`[^`\n]{1,80}`|[^\W\d_](?:[\w'’&./@+-]*[\w+#])?|--+| - |[^\w\s]"
)
_BRACKETS: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_ENCLOSES: Final = BREAK | QUOTE
_CLOSING: Final = "\"'”’)* "
MOST: Final = 120
"""Words of a sentence that are read; a longer one is no speech."""


@dataclass(frozen=True, slots=True)
class SentenceTokens:
    """The words of one sentence.

    Attributes:
        text: the text that the offsets refer to.
        low, bits, verb, form: columns of `lexicon.WordClass`.
        start, end: offsets of the token that the word belongs to.
        asks: whether the sentence ends with a question mark.
        names: whether it may name somebody: by a word with a capital, or as somebody's ("my").
    """

    text: str
    low: list[str]
    bits: list[int]
    verb: list[str]
    form: list[int]
    start: list[int]
    end: list[int]
    asks: bool
    names: bool

    def __len__(self) -> int:
        return len(self.low)

    def words(self, low: int, high: int) -> str:
        """The text from one word up to another, as written."""
        return self.text[self.start[low] : self.end[high - 1]] if low < high else ""


def read(text: str, begin: int, stop: int) -> SentenceTokens:
    """The words of `text[begin:stop]`; what stands in brackets or quotation marks has the bit `OPENED`."""
    low: list[str] = []
    bits: list[int] = []
    start: list[int] = []
    end: list[int] = []
    verb: list[str] = []
    form: list[int] = []
    depth, quoted = 0, False
    for found in _TOKEN.finditer(text, begin, stop):
        first, last = found.span()
        for word, flags, base, forms in split(found[0]):
            if flags & _ENCLOSES:
                depth = max(0, depth + _BRACKETS.get(word, 0))
                quoted = quoted != bool(flags & QUOTE)
            low.append(word)
            bits.append(flags | OPENED if depth or quoted else flags)
            verb.append(base)
            form.append(forms)
            start.append(first)
            end.append(last)
        if len(low) >= MOST:
            break
    if not bits or not bits[-1] & BREAK:
        for column, value in ((low, "."), (verb, "")):
            column.append(value)
        for numbers, number in ((bits, BREAK), (form, 0), (start, stop), (end, stop)):
            numbers.append(number)
    asks = text[begin:stop].rstrip(_CLOSING).endswith("?")
    names = "my" in low or "our" in low or any(flags & NAME for flags in bits)
    return SentenceTokens(text, low, bits, verb, form, start, end, asks, names)
