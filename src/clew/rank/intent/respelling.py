"""Words of a question that nobody said, read as the words that somebody did say: "dentst" as "dentist".

Only plain words in small letters are read so: names, identifiers, numbers, hashes and what is quoted stay as they are,
and so does every word that English has. Borders: gets the index's terms by two functions, and never looks at turns.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from string import ascii_lowercase
from typing import Final, Protocol

from clew.rank.intent.reading import Intent
from clew.text.edits import within
from clew.text.foreign_dates import shown_languages
from clew.text.late_pattern import late_pattern
from clew.text.terms import terms

SHORTEST: Final = 4
"""Letters of a word from which it is read as another one."""

ANY_SLIP: Final = 5
"""Letters from which any one edit is allowed; shorter words are one edit from too many others, and are read otherwise
only where two neighbours changed places. Of names and terms with four letters that English lacks ("json", "tofu"),
27 % were one edit from a word that was said, and 1 % with neighbours exchanged."""

LONG: Final = 8
"""Letters from which two edits are allowed."""

LONGEST: Final = 24
MOST_WORDS: Final = 4
"""Words of one question that are read otherwise: more of them are another language, or a log."""

OFTEN: Final = 2
"""Turns that must have a word that English lacks before a shorter word is read as it."""

WEIGHT: Final = 0.7
"""What a word that was read otherwise weighs, of what a word as written does."""

ENDINGS: Final = ("", "s", "ed", "ing", "er", "ers", "e")
"""What the stem of a word that English lacks, such as a trade's or a pastime's, may have lost."""

_CUT: Final = max(map(len, ENDINGS))
_PLAIN: Final = late_pattern(
    rf"(?<![\w@#$%&./\\:=+~<>({{\[`'\"’-])[a-z]{{{SHORTEST},{LONGEST}}}(?![\w@#$%&/\\:=+~<({{\[`-]|[.\"]\w|['’](?!s\b)\w)",
    re.ASCII,
)


class EnglishWords(Protocol):
    """Words that people use at large."""

    def __contains__(self, word: str) -> bool:
        """Whether it is one of them."""

    def similar(self, word: str, edits: int) -> Iterable[str]:
        """Those that may be so many edits from a word, by their letters."""


def with_respelt_words(
    intent: Intent,
    frequency: Callable[[str], int],
    similar: Callable[[str, int, int], Iterable[str]],
    words: EnglishWords,
) -> Intent:
    """The question with its unknown words read as known ones that are an edit or two from them.

    Args:
        frequency: how many turns have a term.
        similar: terms that may be so many edits from a word, without so many letters at its end.
        words: those that people use at large.
    """
    text = intent.about or intent.text
    if not intent.terms or all(map(frequency, intent.terms)) or shown_languages(text):
        return intent
    strange = (word for word in _unknown(text, intent, frequency) if _may_be_slip(word, words))
    unknown = list(islice(strange, MOST_WORDS + 1))
    if not 0 < len(unknown) <= MOST_WORDS:
        return intent
    read = {word: meant for word in unknown if (meant := _read(word, frequency, similar, words))}
    if not read:
        return intent
    written = {terms(word)[0]: terms(meant)[0] for word, meant in read.items()}

    def respell(words: str) -> str:
        return _PLAIN.sub(lambda match: read.get(match[0], match[0]), words)

    return replace(
        intent,
        terms=tuple(dict.fromkeys(written.get(term, term) for term in intent.terms)),
        about=respell(text),
        rewritten=respell(intent.rewritten),
        respelt=tuple(read.items()),
    )


def _unknown(text: str, intent: Intent, frequency: Callable[[str], int]) -> Iterator[str]:
    """The plain words of a question that no turn has, each once."""
    quoted, asked = " ".join(intent.quotes), frozenset(intent.terms)
    for word in dict.fromkeys(_PLAIN.findall(text)):
        word_terms = terms(word)
        if len(word_terms) == 1 and word_terms[0] in asked and not frequency(word_terms[0]) and word not in quoted:
            yield word


def _is_english(word: str, words: EnglishWords) -> bool:
    """Whether a word, or what stands before its ending, is one that people use at large."""
    return any(word.endswith(ending) and word[: len(word) - len(ending)] in words for ending in ENDINGS)


def _may_be_slip(word: str, words: EnglishWords) -> bool:
    """Whether a word is not English; a short one only if it is English with two neighbours exchanged."""
    if _is_english(word, words):
        return False
    return len(word) >= ANY_SLIP or any(variant in words for variant in _exchanged(word))


def _read(
    word: str,
    frequency: Callable[[str], int],
    similar: Callable[[str, int, int], Iterable[str]],
    words: EnglishWords,
) -> str:
    """The word that was meant: the fewest edits away, then the one in most turns; empty if there is none."""
    if len(word) < ANY_SLIP:
        return min(_said(_exchanged(word), frequency, words), default=(0, ""))[1]
    most = 2 if len(word) >= LONG else 1
    said = _said(_alike(word, words.similar(word, most), most), frequency, words)
    candidates = [(1 if within(word, meant, 1) else 3, often, meant) for often, meant in said]
    candidates += [(2, often, meant) for often, meant in _said(_with_other_beginning(word), frequency, words)]
    if not candidates:  # a word that English lacks
        known = (term for term in similar(word, 1, _CUT) if term.isascii() and term.isalpha())
        meant_by = {term + ending: term for term in known for ending in ENDINGS}
        least = 1 if len(word) >= LONG else OFTEN
        candidates = [
            (1, -frequency(term), meant)
            for meant in _alike(word, meant_by, 1)
            if terms(meant) == [term := meant_by[meant]] and frequency(term) >= least
        ]
    return min(candidates)[2] if candidates else ""


def _said(candidates: Iterable[str], frequency: Callable[[str], int], words: EnglishWords) -> Iterator[tuple[int, str]]:
    """Those that are words of English and that some turn has, the ones in most turns lowest."""
    for meant in candidates:
        if meant in words and len(stems := terms(meant)) == 1 and frequency(stems[0]):
            yield -frequency(stems[0]), meant


def _exchanged(word: str) -> list[str]:
    """A word with two neighbours in each other's place."""
    return [f"{word[:i]}{word[i + 1]}{word[i]}{word[i + 2 :]}" for i in range(len(word) - 1)]


def _with_other_beginning(word: str) -> list[str]:
    """What a word may be that lacks its first letter, or has its first two exchanged.

    Of 2,800 words that English lacks, asked of 30 conversations, hardly any is one that was said in this way (0.07 %
    and none). With a letter too many in front ("mtime", "cmake") 0.5 % are, with another first letter ("bummer" as
    "summer") 1.2 %, and slips at the first letter are rare.
    """
    return [f"{word[1]}{word[0]}{word[2:]}", *(letter + word for letter in ascii_lowercase)]


def _alike(word: str, others: Iterable[str], most: int) -> list[str]:
    """Those that are at most so many edits from a word."""
    letters, alike = set(word), []
    for other in others:
        if abs(len(word) - len(other)) > most or len(letters.symmetric_difference(other)) > 2 * most:
            continue  # a hundred times as fast as looking at the order of the letters
        if within(word, other, most):
            alike.append(other)
    return alike
