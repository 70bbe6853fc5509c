"""A sentence as words with their classes, column by column."""

from dataclasses import dataclass
from typing import Final

from clew.knowledge.morphology import Form
from clew.knowledge.rules.lexicon import BREAK, OPENED, QUOTE, WordClass, split
from clew.text.late_pattern import late_pattern

_TOKEN: Final = late_pattern(
    r"(?i:not any more|no longer|any more|each other|one another)\b"
    r"|[$€£]?\d(?:[\w.,:/%-]*[\w%])?\+?|`[^`\n]{1,80}`|[^\W\d_](?:[\w'’&./@+-]*[\w+#])?|--+| - |[^\w\s]"
)
_BRACKETS: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
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
    """

    text: str
    low: list[str]
    bits: list[int]
    verb: list[str]
    form: list[Form]
    start: list[int]
    end: list[int]
    asks: bool

    def __len__(self) -> int:
        return len(self.low)

    def words(self, low: int, high: int) -> str:
        """The text from one word up to another, as written."""
        return self.text[self.start[low] : self.end[high - 1]] if low < high else ""


def read(text: str, begin: int, stop: int) -> SentenceTokens:
    """The words of `text[begin:stop]`; what stands in brackets or quotation marks has the bit `OPENED`."""
    sentence = SentenceTokens(text, [], [], [], [], [], [], text[begin:stop].rstrip("\"'”’)* ").endswith("?"))
    depth, quoted = 0, False
    for found in _TOKEN.finditer(text, begin, stop):
        for word in split(found[0]):
            depth = max(0, depth + _BRACKETS.get(word.low, 0))
            quoted = quoted != bool(word.bits & QUOTE)
            bits = word.bits | OPENED if depth or quoted else word.bits
            _append(sentence, word, bits, found.span())
        if len(sentence.low) >= MOST:
            break
    if not sentence.bits or not sentence.bits[-1] & BREAK:
        _append(sentence, WordClass(".", BREAK, "", Form(0)), BREAK, (stop, stop))
    return sentence


def _append(sentence: SentenceTokens, word: WordClass, bits: int, span: tuple[int, int]) -> None:
    sentence.low.append(word.low)
    sentence.bits.append(bits)
    sentence.verb.append(word.verb)
    sentence.form.append(word.form)
    sentence.start.append(span[0])
    sentence.end.append(span[1])
