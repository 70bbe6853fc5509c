"""Evidence that a text is verse: by its lines, its metre and its rhymes, whatever it is about.

Words say little of it, since a poem may tell of a bridge or a cough. Verse without rhyme needs several short lines that
do not end where their sentences do. Lines of like length whose last words rhyme are verse from two on, wherever their
sentences end: in prose and lists, neighbouring lines hardly ever do both.
"""

import re
from statistics import median
from typing import Final

# A line of words alone, without a sign of code or of a table; one of free verse ends in no full stop besides.
_WORDS: Final = re.compile(r"[\"'‘“(—-]{0,2}[^\W\d_][^=(){}<>|#`/\\_]*[^=(){}<>|#`/\\_]")
_CLOSED: Final = (".", ":", "!", "?")
_LEAST, _MOST = 3, 13  # words of a line

_LINE: Final = 1.5
_RHYMED: Final = 3.0
"""What a line counts, in signs of form (`domain_words.FORMS`): a rhymed one twice, so that a couplet is heard."""

_LINES: Final = 12
"""Lines up to which they count."""

_NEAR: Final = 3
"""Lines that a rhyme may reach over: that of a quatrain's first and last."""

_ALIKE: Final = 1.5
"""Syllables that lines of one metre may differ by: one more for a feminine ending, and half a one by miscounting."""

_SYLLABLES: Final = range(4, 17)
_REGULAR: Final = 0.75
_RHYMING: Final = 0.5
"""Least share of lines of one length, and of lines that rhyme: in a ballad every other line does."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_LAST_WORD: Final = re.compile(r"([^\W\d_]+(?:['’][^\W\d_]+)?)\W*$")
_VOWELS: Final = re.compile(r"[aeiouy]+")
# The end of a word whose vowel is mute: "made", "makes", "walked", but not "table", "houses" or "wanted".
_MUTE: Final = re.compile(r"(?<![^aeiouy]l)e$|(?<![szcxgh])es$|(?<![aeiouytd])ed$")

_RIME: Final = re.compile(r"([aeiouy]+)([^aeiouy]*)(?:(e)([sd]?))?$")
"""The last vowels that sound, what follows, and a mute e with the ending after it."""

# How the vowels of a rime sound by their spelling: a rough ear, which also takes eye rhymes. At the end of a word,
# before one consonant and a mute e, and otherwise.
_LAST: Final = {**dict.fromkeys(("ie", "y", "ye", "uy", "i", "eye"), "ai"), "e": "i", "o": "ou"}
_LONG: Final = {"a": "ei", "e": "i", "i": "ai", "o": "ou", "u": "u", "y": "ai"}
_TOGETHER: Final = {
    **dict.fromkeys(("ai", "ay", "ei", "ey"), "ei"),
    **dict.fromkeys(("ee", "ea", "ie"), "i"),
    **dict.fromkeys(("oa", "oe"), "ou"),
    **dict.fromkeys(("oo", "ue", "ui", "eu"), "u"),
}
_WHOLE: Final = {"ow": "ou", "ough": "ou", "ew": "u", "igh": "ai", "eigh": "ei", "ied": "aid", "ies": "ais"}
"""Ends of words that are not heard letter by letter."""

_AFTER: Final = {"ck": "k", "ll": "l", "ss": "s", "c": "s", "z": "s", "mb": "m", "rr": "r", "tt": "t", "w": ""}
_BY_HEART: Final = {
    **dict.fromkeys("you to do who two through shoe".split(), "u"),
    **dict.fromkeys("door poor oar more four war your nor pour roar before drawer".split(), "or"),
    **dict.fromkeys("there where their bear wear care chair prayer heir".split(), "air"),
    **dict.fromkeys("here ear year near dear clear hear fear appear".split(), "ir"),
    **dict.fromkeys("love of glove above dove".split(), "uv"),
    **dict.fromkeys("come some thumb from".split(), "um"),
    **dict.fromkeys("one done none gone son won".split(), "un"),
    **dict.fromkeys("said bread dead head read instead thread spread dread".split(), "ed"),
    **dict.fromkeys("shoes news lose whose choose".split(), "us"),
    **dict.fromkeys("blood flood".split(), "ud"),
    "friend": "end",
    "heart": "art",
    "again": "en",
}
"""Frequent words at the ends of verses that do not sound as they are spelled."""


def verse(text: str) -> float:
    """Evidence of verse, 0 for prose; it grows with the lines up to twelve, and more where they rhyme."""
    if "\n" not in text:
        return 0.0
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    worded = [line for line in lines if _LEAST <= line.count(" ") + 1 <= _MOST and _WORDS.fullmatch(line)]
    if len(worded) < 2 or 2 * len(worded) < len(lines):
        return 0.0
    rhymed = _rhymed(worded)
    if rhymed >= _RHYMING * len(worded):
        return _RHYMED * min(len(worded), _LINES)
    running = sum(not line.endswith(_CLOSED) for line in worded)
    return _LINE * min(running, _LINES) if len(lines) > 3 and 2 * running >= len(lines) else 0.0


def _rhymed(lines: list[str]) -> int:
    """How many lines rhyme with one near them; none where they are of unlike length."""
    lengths = [syllables(line) for line in lines]
    middle = median(lengths)
    regular = sum(
        length in _SYLLABLES
        and (abs(length - middle) <= _ALIKE or (place > 1 and abs(length - lengths[place - 2]) <= _ALIKE))
        for place, length in enumerate(lengths)
    )
    if regular < _REGULAR * len(lines):
        return 0
    ends = [_end(line) for line in lines]
    paired: set[int] = set()
    for place, one in enumerate(ends):
        for other in range(place + 1, min(len(ends), place + _NEAR + 1)):
            word, sound = ends[other]
            if sound and sound == one[1] and word != one[0]:
                paired |= {place, other}
    return len(paired)


def syllables(line: str) -> int:
    """About how many syllables a line has: the groups of vowels of its words, without mute ones."""
    return sum(max(1, len(_VOWELS.findall(_MUTE.sub("", word)))) for word in _WORD.findall(line.lower()))


def _end(line: str) -> tuple[str, str]:
    """The last word of a line, and how it ends; empty without a word."""
    match = _LAST_WORD.search(line.lower())
    word = "" if match is None else match[1].replace("’", "").replace("'", "")
    return word, sound_of(word)


def sound_of(word: str) -> str:
    """About how an English word sounds from its last vowel on, by its spelling in small letters; empty without one."""
    if word in _BY_HEART:
        return _BY_HEART[word]
    for spelling, sound in _WHOLE.items():
        if word.endswith(spelling):
            return sound
    rime = _RIME.search(word)
    if rime is None:
        return ""
    vowels, after, mute, ending = rime[1], rime[2], rime[3], rime[4] or ""
    if after.startswith("gh"):
        vowels, after = ("ei" if len(vowels) > 1 else "ai"), after[2:]
    elif not after and vowels in _LAST:
        vowels = _LAST[vowels]
    elif mute and vowels in _LONG:
        vowels = _LONG[vowels]
    else:
        vowels = _TOGETHER.get(vowels, vowels)
    return vowels + _AFTER.get(after, after) + ending
