"""Classifies characters by script, as far as splitting text into terms depends on it.

It knows Unicode blocks, not languages. Only scripts that need their own treatment are distinguished; letters of all
others are OTHER and form words between spaces.
"""

import re
import unicodedata
from bisect import bisect_right
from enum import Enum
from itertools import groupby


class Script(Enum):
    """The scripts that are distinguished."""

    LATIN = "latin"
    GREEK = "greek"
    CYRILLIC = "cyrillic"
    ARMENIAN = "armenian"
    HEBREW = "hebrew"
    ARABIC = "arabic"
    DEVANAGARI = "devanagari"
    TAMIL = "tamil"
    UNSPACED = "unspaced"
    """Thai, Lao, Myanmar and Khmer: alphabets written without spaces between words."""
    HANGUL = "hangul"
    HAN = "han"
    """Han characters and Kana: written without spaces, one to three characters make a word."""
    OTHER = "other"


# First and last code point of each block, ascending; what lies between two rows is OTHER.
_BLOCKS = (
    (0x0041, 0x005A, Script.LATIN),
    (0x0061, 0x007A, Script.LATIN),
    (0x00AA, 0x02AF, Script.LATIN),
    (0x0370, 0x03FF, Script.GREEK),
    (0x0400, 0x052F, Script.CYRILLIC),
    (0x0530, 0x058F, Script.ARMENIAN),
    (0x0590, 0x05FF, Script.HEBREW),
    (0x0600, 0x077F, Script.ARABIC),
    (0x08A0, 0x08FF, Script.ARABIC),
    (0x0900, 0x097F, Script.DEVANAGARI),
    (0x0B80, 0x0BFF, Script.TAMIL),
    (0x0E00, 0x0EFF, Script.UNSPACED),
    (0x1000, 0x109F, Script.UNSPACED),
    (0x1100, 0x11FF, Script.HANGUL),
    (0x1780, 0x17FF, Script.UNSPACED),
    (0x1C80, 0x1C8F, Script.CYRILLIC),
    (0x1E00, 0x1EFF, Script.LATIN),
    (0x1F00, 0x1FFF, Script.GREEK),
    (0x2C60, 0x2C7F, Script.LATIN),
    (0x2DE0, 0x2DFF, Script.CYRILLIC),
    (0x2E80, 0x2FDF, Script.HAN),
    (0x3005, 0x3007, Script.HAN),
    (0x3021, 0x302F, Script.HAN),
    (0x3031, 0x312F, Script.HAN),
    (0x3130, 0x318F, Script.HANGUL),
    (0x3190, 0x4DBF, Script.HAN),
    (0x4E00, 0x9FFF, Script.HAN),
    (0xA640, 0xA69F, Script.CYRILLIC),
    (0xA720, 0xA7FF, Script.LATIN),
    (0xA960, 0xA97F, Script.HANGUL),
    (0xA9E0, 0xA9FF, Script.UNSPACED),
    (0xAA60, 0xAA7F, Script.UNSPACED),
    (0xAB30, 0xAB6F, Script.LATIN),
    (0xAC00, 0xD7FF, Script.HANGUL),
    (0xF900, 0xFAFF, Script.HAN),
    (0xFB50, 0xFDFF, Script.ARABIC),
    (0xFE70, 0xFEFF, Script.ARABIC),
    (0xFF66, 0xFF9F, Script.HAN),
    (0x1B000, 0x1B16F, Script.HAN),
    (0x20000, 0x3FFFF, Script.HAN),
)
_FIRSTS = tuple(first for first, _, _ in _BLOCKS)

_APART = frozenset({Script.HAN, Script.HANGUL, Script.UNSPACED})
CUT_APART = "".join(f"{chr(first)}-{chr(last)}" for first, last, script in _BLOCKS if script in _APART)
"""Inside of a regex class: scripts in which a word may begin or end beside a letter (in Hangul it takes endings)."""

MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0816-\u082d\u0859-\u085b"
    "\u08ca-\u0963\u0971-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ece\u0f71-\u0f84\u0f8d-\u0fbc"
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u106d\u1071-\u1074\u1082-\u108d\u109a-\u109d\u135d-\u135f"
    "\u1712-\u1734\u17b4-\u17d3\u1920-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1b00-\u1b04\u1b34-\u1b44\u1b80-\u1bad"
    "\u1be6-\u1bf3\u1c24-\u1c37\u1dc0-\u1dff\u200c\u200d\u302a-\u302f\u3099\u309a\ua66f\ua802-\ua827\ua880-\ua8c5"
    "\ua926-\ua92d\ua980-\ua9c0\uaa29-\uaa36\uaa7b-\uaa7d\uabe3-\uabed\ufb1e\ufe20-\ufe2f"
)
r"""Inside of a regex class: the vowel signs, tones and joiners that belong to the word in which they stand; `\w` of
`re` lacks them. Ranges run on over letters of the same block."""

EMOJI = (
    "\u231a-\u231b\u23e9-\u23fa\u2600-\u2793\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55"
    "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
)
"""Inside of a regex class: the signs that people read as emoji; skin tones and the letters of flags are not in it."""


# Accents of Latin and Greek, stress in Cyrillic (й and ї keep their marks, ё becomes е), points of Hebrew, vowel signs
# and lengthening of Arabic, joiners. All else stays: a dakuten or a vowel sign of Hindi makes another letter.
_ACCENTS = re.compile(
    r"[\u0300-\u0305\u0307\u0309-\u036f\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06ed\u200c\u200d]"
    r"|(?<![\u0400-\u0414\u0416-\u0434\u0436-\u052f])[\u0306\u0308]"
)
_SPELLED_OUT = str.maketrans(
    {"ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "ħ": "h", "Ħ": "H", "ŧ": "t", "Ŧ": "T", "ı": "i"}
    | {"æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "TH", "ð": "d", "Ð": "D"}
)
_OTHER_DIGITS = re.compile(r"[^\D0-9]")


def fold_accents(text: str) -> str:
    """Takes off the marks without which a script is read as well, and writes all digits as 0 to 9; the case stays."""
    if text.isascii():
        return text
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text.translate(_SPELLED_OUT)))
    bare = _OTHER_DIGITS.sub(lambda digit: str(unicodedata.decimal(digit[0])), bare)
    return unicodedata.normalize("NFC", bare)


def script_of(char: str) -> Script:
    """The script of one character; digits, punctuation and everything unlisted are OTHER."""
    code = ord(char)
    at = bisect_right(_FIRSTS, code) - 1
    return _BLOCKS[at][2] if at >= 0 and code <= _BLOCKS[at][1] else Script.OTHER


def main_script(word: str) -> Script:
    """The script of the first letter whose script is told apart; OTHER if there is none."""
    return next((script for char in word if (script := script_of(char)) is not Script.OTHER), Script.OTHER)


def runs(word: str) -> list[tuple[Script, str]]:
    """Cuts a word where a script begins or ends that needs its own treatment.

    Returns:
        (script, run) in order, the runs making up the whole word; the script is HAN, HANGUL, UNSPACED or, for
        everything else, OTHER. A combining mark stays with what it stands on.
    """
    kinds: list[Script] = []
    for char in word:
        script = script_of(char)
        marks_previous = bool(kinds) and unicodedata.combining(char) != 0
        kinds.append(kinds[-1] if marks_previous else script if script in _APART else Script.OTHER)
    pairs = groupby(zip(kinds, word, strict=True), key=lambda pair: pair[0])
    return [(kind, "".join(char for _, char in group)) for kind, group in pairs]
