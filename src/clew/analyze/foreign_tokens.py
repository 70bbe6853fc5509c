"""The tokens of a text in another language than English that may be words of a phrase: no grammar, no replies.

Scripts tell where nouns may stand without a dictionary: Japanese writes its grammar in Hiragana and its nouns in Kanji
and Katakana; Korean ends each sentence with its verb. Chinese and the scripts of South-East Asia show clauses alone,
which name nothing unless they are short (`is_clause`).
"""

import re
from typing import Final

from clew.analyze.other_languages import function_words
from clew.text.scripts import CUT_APART

LEFT_OUT: Final = ","
"""What stands for a token that is not a word of a phrase; it ends a run of words, and no sentence."""

_ENDS: Final = frozenset(".!?\n。！？؟।")
"""Ends of sentences."""

_PAUSES: Final = frozenset((*_ENDS, *",:،，、：;；…"))
"""Signs before which a word that opens a sentence is a reply of its own: "Parfait.", "Anotado: ..."."""

_HIRAGANA = re.compile(r"[\u3041-\u309f]+")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_UNSPACED = re.compile(rf"[{CUT_APART}]")
_TWO_HAN = re.compile(r"[\u3400-\u9fff]{2}")
_JAPANESE_WORD = re.compile(r"[\w.-]*[\u30a1-\u30ff\u3400-\u9fff][\w.-]*")
_CLAUSE = re.compile(r"[\u3400-\u9fff]{5}|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{13}")
"""More than a word in Chinese, of which hardly any has five characters, and in scripts of South-East Asia."""
_LONGEST: Final = 12
"""Signs of a Japanese word; a longer run is a clause."""

_CODE = re.compile(r"[\w-]*(?:[_/.]\w|\d)[\w./+#-]*|[a-z]+[A-Z]\w*|[A-Z]{2,}s?")


def is_short_word(form: str) -> bool:
    """Whether a form of two signs may be a whole word: of two Han characters."""
    return _TWO_HAN.fullmatch(form) is not None


def is_clause(name: str) -> bool:
    """Whether a phrase is a clause that its script does not divide into words."""
    return not name.isascii() and _CLAUSE.search(name) is not None


def content_tokens(text: str, language: str, pattern: re.Pattern[str]) -> list[str]:
    """The tokens of a text, with `LEFT_OUT` in place of those that are not words of a phrase.

    Args:
        language: of the text, see `language_of` and `script_language`; not English.
        pattern: finds the tokens.
    """
    if language == "ja":
        text = _HIRAGANA.sub(f" {LEFT_OUT} ", text)
    raws = pattern.findall(text)
    empty, tokens, opens = function_words(language), [], True
    for raw, after in zip(raws, [*raws[1:], "\n"], strict=True):
        if raw in _ENDS:
            tokens.append("\n" if raw not in ".!?" else raw)
            opens = True
            continue
        is_reply = opens and after in _PAUSES and _CODE.fullmatch(raw) is None and not is_clause(raw)
        is_left_out = is_reply or raw.lower() in empty or not _may_be_noun(raw, after, language)
        tokens.append(LEFT_OUT if is_left_out else raw)
        opens = False
    return tokens


def _may_be_noun(raw: str, after: str, language: str) -> bool:
    """Whether the grammar of a language lets a word be a noun, as far as the writing shows."""
    if language == "de":  # nouns have a capital
        return not raw.islower() or _CODE.fullmatch(raw) is not None
    if raw.isascii() or _UNSPACED.search(raw) is None:
        return True
    if _HANGUL.search(raw) is not None:
        return after not in _ENDS
    if language == "ja":
        return len(raw) <= _LONGEST and _JAPANESE_WORD.fullmatch(raw) is not None
    return not is_short_word(raw)
