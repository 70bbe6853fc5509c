"""The form in which a quoted phrase and its source are the same: case, accents, marks and white space do not count.

Borders: whole words as they were written, no stems and no stop words; `clew.text.terms` is for search.
"""

import re
import unicodedata

from clew.text.scripts import CUT_APART, MARKS, fold_accents

_APOSTROPHES = str.maketrans("", "", "'\u2019\u02bc\u2018")
_NO_WORD_ASCII = re.compile(r"[^a-z0-9]+")
_LIMIT = re.compile(rf"[ {CUT_APART}]")
_NO_WORD = re.compile(rf"(?:[^\w{MARKS}]|_)+")


def fold(text: str) -> str:
    """The words of a text in their plain form, with one space between them and none at the ends.

    Compatibility characters are unified, case and accents folded, apostrophes closed up ("Don't" -> "dont"), and every
    run of other marks becomes one space. A text without letter or digit gives "". Folding twice is folding once.
    """
    text = text.translate(_APOSTROPHES)
    if text.isascii():
        return _NO_WORD_ASCII.sub(" ", text.lower()).strip()
    # Case folding may set accents free, and taking them off may leave what folds again (İ).
    plain = fold_accents(fold_accents(unicodedata.normalize("NFKC", text)).casefold()).casefold()
    return _NO_WORD.sub(" ", unicodedata.normalize("NFKC", plain).translate(_APOSTROPHES)).strip()


def fold_contains(text: str, phrase: str) -> bool:
    """Whether a text holds a phrase, both folded, from the beginning of a word to the end of one.

    Scripts without spaces, and Hangul with its endings, have such limits everywhere. A phrase without letter or digit
    is nowhere.
    """
    whole, part = fold(text), fold(phrase)
    at = whole.find(part) if part else -1
    while at >= 0:
        if _is_limit(whole, at) and _is_limit(whole, at + len(part)):
            return True
        limit = _LIMIT.search(whole, at + 1)
        at = whole.find(part, limit.start()) if limit else -1
    return False


def _is_limit(folded: str, at: int) -> bool:
    """Whether a word may begin or end before this character of a folded text."""
    return at in {0, len(folded)} or _LIMIT.match(folded, at - 1) is not None or _LIMIT.match(folded, at) is not None
