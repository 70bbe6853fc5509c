"""Split a text into sentences and words, once for all rules of the analysis.

The words of a sentence come with its separators (commas, brackets, dashes), in order, in lower case. Scripts written
without spaces are cut into pairs of characters, so that a repeated word gives the same pairs. This tokeniser is for
weighing only: the search index has its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from clew.analyze.grammar import Shape, order, shapes
from clew.analyze.lexicon import FUNCTION, UNLISTED, UNSPACED, Word, bare, describe, kind_of
from clew.text.late_pattern import late_pattern
from clew.text.sentences import paragraph_spans, sentences_within

# Characters that are weighed; the rest is ignored. Long turns are cut into pieces before they come here, so this only
# bounds the cost of a text that was not cut.
ANALYSED_CHARACTERS: Final = 20_000

# Letters, and marks that combine with them: accents, vowel signs of Hebrew, Arabic, Indic and South-East Asian script.
_LETTER = (
    r"\w\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670"
    r"\u0900-\u0963\u0971-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17d3"
)
# A sign that is not part of a word; separators are such signs.
SIGN = late_pattern(rf"[^{_LETTER}\s]")
_TOKEN = late_pattern(rf"[{_LETTER}]+(?:'[{_LETTER}]+)?|[,;:()\[\]|—–、，；：（）]|--")
_HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SOUTH_EAST = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_UNSPACED = f"{_SOUTH_EAST}\u3040-\u30ff\uac00-\ud7af{_HAN}"
_HAS_UNSPACED = late_pattern(f"[{_UNSPACED}]")
# Letters beyond Latin and Cyrillic.
_HAS_UNLISTED = late_pattern("[^\\W\\d_\u0000-\u024f\u0400-\u04ff]")
_RUN = late_pattern(
    f"(?P<hiragana>[\u3040-\u309f]+)|(?P<katakana>[\u30a0-\u30ff]+)|(?P<hangul>[\uac00-\ud7af]+)|(?P<han>[{_HAN}]+)"
    f"|(?P<south_east>[{_SOUTH_EAST}]+)|(?P<other>[^{_UNSPACED}]+)"
)
# Bounds of the records kept: about 8 MB each of words and runs when full.
_KEPT: Final = 1 << 15
_KEPT_LENGTH: Final = 40


_Record = tuple[str, str, str, int, float, tuple[tuple[int, float], ...], str]
"""The fields of a `Word`, plain: many thousands are kept, and the garbage collector stops looking at plain tuples."""


class _Words(dict[str, _Record]):
    """A cache from token to record, cleared when full. Its content never changes a result."""

    def __missing__(self, token: str) -> _Record:
        word = describe(token)
        if not token.isascii() and _HAS_UNLISTED.search(token):
            flags = word.flags | UNLISTED
            word = word._replace(flags=flags, kind=kind_of(flags))
        record = _plain(word)
        if len(token) <= _KEPT_LENGTH:
            if len(self) >= _KEPT:
                self.clear()
            self[token] = record
        return record


class _Runs(dict[str, tuple[_Record, ...]]):
    """A cache from a run without white space to its words and separators, cleared when full.

    Most runs repeat ("the", "well,"), so that most of a text is looked up and little is cut.
    """

    def __missing__(self, run: str) -> tuple[_Record, ...]:
        words = tuple([word for token in _TOKEN.findall(run) for word in _cut(token)])
        if len(run) <= _KEPT_LENGTH:
            if len(self) >= _KEPT:
                self.clear()
            self[run] = words
        return words


def _plain(word: Word) -> _Record:
    return word.kind, word.form, word.stem, word.flags, word.valence, word.domains, word.tie


_words = _Words()
_runs = _Runs()


def word_of(token: str) -> Word:
    """The record of one lower-case token in a script that separates words by spaces."""
    return Word(*_words[token])


class Sentence(NamedTuple):
    """The words and separators of one sentence, column by column of their records, in order.

    Columns rather than records because every rule reads one or two of them for all words. `kinds` is one string, so
    that a pattern can read the grammar.
    """

    kinds: str
    forms: tuple[str, ...]
    stems: tuple[str, ...]
    flags: tuple[int, ...]
    valences: tuple[float, ...]
    domains: tuple[tuple[tuple[int, float], ...], ...]
    ties: tuple[str, ...]


_WORDLESS: Final = Sentence("", (), (), (), (), (), ())


@dataclass(frozen=True, slots=True)
class Reading:
    """A text split into paragraphs, sentences and words for weighing.

    `text` is what was analysed: the first `ANALYSED_CHARACTERS` characters; `lower` is the same in lower case, place by
    place. `paragraphs` holds how many sentences each paragraph has.
    `spans`, `sentences` and `shapes`, which says how each is built, run in parallel; a sentence may be without words.
    `grammar` is the kinds of all sentences, each with a full stop after it, and `order` how orderly they are.
    """

    text: str
    lower: str
    paragraphs: list[int]
    spans: list[tuple[int, int]]
    sentences: list[Sentence]
    shapes: list[Shape]
    grammar: str
    order: float


def read(text: str) -> Reading:
    """Split a text into paragraphs, sentences and words. Accepts any string."""
    return _reading(text, {})


def read_joined(readings: Sequence[Reading]) -> Reading:
    """`read` of texts joined by line breaks, which were read one by one: few of their sentences are cut up again."""
    known = {
        reading.lower[first:last]: sentence
        for reading in readings
        for (first, last), sentence in zip(reading.spans, reading.sentences, strict=True)
    }
    return _reading("\n".join([reading.text for reading in readings]), known)


def _reading(text: str, known: Mapping[str, Sentence]) -> Reading:
    """The reading of a text; `known` has sentences that were cut up before, by their text in lower case."""
    text = text[:ANALYSED_CHARACTERS]
    lower = text.lower()
    if not text.isascii():
        if len(lower) != len(text):  # "İ" grows: keep the places right by leaving such letters as they are
            lower = "".join(low if len(low := char.lower()) == 1 else char for char in text)
        lower = lower.replace("’", "'")
    spans: list[tuple[int, int]] = []
    sentences: list[Sentence] = []
    paragraphs: list[int] = []
    for start, end in paragraph_spans(text):
        within = sentences_within(text, start, end)
        paragraphs.append(len(within))
        spans += within
        for first, last in within:
            said = lower[first:last]
            sentences.append(known.get(said) or _sentence(said))
    kinds = [sentence.kinds for sentence in sentences]
    grammar = ".".join([*kinds, ""])
    return Reading(text, lower, paragraphs, spans, sentences, shapes(kinds, grammar), grammar, order(grammar))


def _sentence(lower: str) -> Sentence:
    """The words of one sentence in lower case."""
    columns = tuple(zip(*chain.from_iterable(map(_runs.__getitem__, lower.split())), strict=True))
    # Not Sentence(...), which costs twice as much.
    return tuple.__new__(Sentence, ("".join(columns[0]), *columns[1:])) if columns else _WORDLESS


def _cut(token: str) -> Iterator[_Record]:
    """The words of a token that may contain a script without spaces."""
    if not _HAS_UNSPACED.search(token):
        yield _words[token]
        return
    for run in _RUN.finditer(token):
        part = run.group()
        match run.lastgroup:
            case "hiragana":  # the grammar of Japanese: endings and particles
                yield _plain(bare(part, FUNCTION | UNSPACED))
            case "han":
                yield from _han(part)
            case "hangul":
                yield from _hangul(part)
            case "south_east":
                yield from _pairs(part, UNSPACED | UNLISTED)
            case "katakana":
                yield _plain(bare(part, UNSPACED))
            case _:
                yield _words[part]


def _han(run: str) -> Iterator[_Record]:
    """Pairs of characters between the function characters."""
    part = ""
    for char in run:
        if word_of(char).flags & FUNCTION:
            yield from _pairs(part, UNSPACED)
            yield _plain(bare(char, FUNCTION | UNSPACED))
            part = ""
        else:
            part += char
    yield from _pairs(part, UNSPACED)


def _hangul(word: str) -> Iterator[_Record]:
    """The word without its last syllable when that is a particle or an ending, which then follows by itself."""
    last = word_of(word[-1])
    if len(word) > 1 and last.flags & FUNCTION:
        yield _plain(bare(word, UNSPACED, word[:-1]))
        yield _plain(bare(last.form, FUNCTION | UNSPACED))
    else:
        yield _plain(bare(word, UNSPACED))


def _pairs(part: str, flags: int) -> Iterator[_Record]:
    if part:
        for at in range(max(1, len(part) - 1)):
            yield _plain(bare(part[at : at + 2], flags))
