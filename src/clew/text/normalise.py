"""Normalises text for finding quoted phrases: ignores case, accents, punctuation and white space.

Words stay whole, without stemming or stop words; for search there is `clew.text.terms`.
"""

import unicodedata

from clew.text.late_pattern import late_pattern
from clew.text.printable import without_styles
from clew.text.scripts import CUT_APART, MARKS, fold_accents

_APOSTROPHES = str.maketrans("", "", "'\u2019\u02bc\u2018")
_NO_WORD_ASCII = late_pattern(r"[^a-z0-9]+")
_LIMIT = late_pattern(rf"[ {CUT_APART}]")
_APART = late_pattern(rf"[{CUT_APART}]")
_NO_WORD = late_pattern(rf"(?:[^\w{MARKS}]|_)+")


def fold(text: str) -> str:
    """The normalised words of a text, separated by single spaces.

    Compatibility characters are unified, case and accents folded, apostrophes removed ("Don't" -> "dont"), and every
    run of other non-word characters becomes one space. A text without letters and digits gives "". Idempotent.
    """
    if text.isalnum() and text.isascii():
        return text.lower()  # one plain word, as most names
    text = text.translate(_APOSTROPHES)
    if text.isascii():
        return _NO_WORD_ASCII.sub(" ", text.lower()).strip()
    # Case folding may set accents free, and taking them off may leave what folds again (İ).
    plain = fold_accents(fold_accents(unicodedata.normalize("NFKC", text)).casefold()).casefold()
    return _NO_WORD.sub(" ", unicodedata.normalize("NFKC", plain).translate(_APOSTROPHES)).strip()


def fold_contains(text: str, phrase: str) -> bool:
    """Whether a text contains a phrase, both normalised, at word boundaries.

    In scripts without spaces, and in Hangul with its endings, every position is a boundary. A phrase without letters
    and digits is never found. Colours and other escape sequences of terminals are no words.
    """
    whole, part = fold(without_styles(text)), fold(without_styles(phrase))
    if whole.isascii() or not _APART.search(whole):  # only spaces are boundaries: one search tells
        return bool(part) and f" {part} " in f" {whole} "
    at = whole.find(part) if part else -1
    while at >= 0:
        if _is_limit(whole, at) and _is_limit(whole, at + len(part)):
            return True
        limit = _LIMIT.search(whole, at + 1)
        at = whole.find(part, limit.start()) if limit else -1
    return False


def _is_limit(folded: str, at: int) -> bool:
    """Whether there is a word boundary before this character of a normalised text."""
    return at in {0, len(folded)} or _LIMIT.match(folded, at - 1) is not None or _LIMIT.match(folded, at) is not None
