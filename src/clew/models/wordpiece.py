"""The WordPiece tokenizer of BERT's uncased vocabulary (Devlin et al., 2018).

Words end at white space, punctuation and CJK characters, are lower-cased and lose their accents; each word is then
split greedily into the longest pieces of the vocabulary. It is implemented here because it is short, accepts any text
(lone surrogates included) and avoids the dozen packages of the usual tokenizer library. It differs from that library
on purpose in two ways: "[SEP]" in a text is five characters, never the control token, and an overlong text keeps its
end as well as its beginning.
"""

import gzip
import hashlib
import unicodedata
import zlib
from functools import lru_cache
from importlib.resources import files
from typing import Final

from clew.errors import ModelUnavailable

VOCABULARY: Final = "bert-base-uncased-vocab.txt.gz"
VOCABULARY_SHA256: Final = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
UNKNOWN, START, END = 100, 101, 102  # lines of the vocabulary: [UNK] [CLS] [SEP]
LONGEST_WORD: Final = 100  # characters; a longer run (base64, a URL's key) is one unknown token, as in BERT
_CACHED_WORDS: Final = 1 << 16
_CJK: Final = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
_DROPPED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Mn"})  # controls, surrogates, private characters, accents


def vocabulary() -> list[str]:
    """The entries of the vocabulary by their ids: after the control tokens and characters, the commonest words first.

    Raises:
        ModelUnavailable: the file is not the one that belongs to the model.
    """
    packed = (files("clew.models") / "data" / VOCABULARY).read_bytes()
    try:
        data = gzip.decompress(packed)
    except (OSError, EOFError, zlib.error) as error:
        raise ModelUnavailable(f"{VOCABULARY} is damaged ({error}); install Clew again") from error
    if hashlib.sha256(data).hexdigest() != VOCABULARY_SHA256:
        raise ModelUnavailable(f"{VOCABULARY} is damaged (its SHA-256 is wrong); install Clew again")
    return data.decode("utf-8").split("\n")


class WordPiece:
    """The tokenizer; holds the vocabulary and remembers the words it has split. Safe to share between threads."""

    def __init__(self) -> None:
        self._ids = {word: number for number, word in enumerate(vocabulary())}
        self._pieces = lru_cache(_CACHED_WORDS)(self._split)

    def encode(self, text: str, limit: int) -> list[int]:
        """Token ids of the text between [CLS] and [SEP], at most `limit` in all; just those two for text without words.

        A longer text keeps its beginning in two thirds of the room and its end in one third, the shares in which
        `clip_for_embedding` cuts characters.
        """
        ids: list[int] = []
        for word in _words(text):
            ids += self._pieces(word)
        room = limit - 2
        if len(ids) > room:
            tail = room // 3
            ids = ids[: room - tail] + ids[len(ids) - tail :]
        return [START, *ids, END]

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return (UNKNOWN,)
        pieces: list[int] = []
        begin = 0
        while begin < len(word):
            prefix = "##" if begin else ""
            for end in range(len(word), begin, -1):
                number = self._ids.get(prefix + word[begin:end])
                if number is not None:
                    break
            else:
                return (UNKNOWN,)
            pieces.append(number)
            begin = end
        return tuple(pieces)


class _Spelling(dict[int, str]):
    """For `str.translate`: how a character is spelt in BERT's alphabet, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = spelt = _spell(chr(code))
        return spelt


def _spell(char: str) -> str:
    category = unicodedata.category(char)
    if char in "\t\n\r" or category.startswith("Z"):
        return " "
    if category in _DROPPED or char == "\ufffd":
        return ""
    if category.startswith("P") or (char.isascii() and not char.isalnum()) or _is_cjk(ord(char)):
        return f" {char} "
    return char.lower()


def _is_cjk(code: int) -> bool:
    return code >= _CJK[0][0] and any(low <= code <= high for low, high in _CJK)


_SPELLING = _Spelling()


def _words(text: str) -> list[str]:
    decomposed = text if text.isascii() else unicodedata.normalize("NFD", text)
    return decomposed.translate(_SPELLING).split()
