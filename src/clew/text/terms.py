"""Splits text in any script into search terms.

A term is the common form of different spellings of a word: compatibility characters unified (NFKC), case folded,
accents removed, stemmed by script. Examples:

    words            running, Runs -> run; naïve -> naiv; книгами -> книг
    stop words       nothing (`STOPWORDS`)
    possessives      Caroline's -> carolin; l'amour -> amour; don't -> nothing; O'Brien -> obrien
    numbers          15; 3.5; 2.1.0; v2.1.0 -> 2.1.0; 1,500 -> 1500; 5th -> 5; 10:30; 5km -> 5 km 5km
    identifiers      camelCase, camel_case, camel-case -> camel case camelcas: the parts, then the whole closed up
    paths, hosts     src/text/terms.py -> src text term py terms.py src/text/terms.py: each level whole as well
    Han, Kana        喝茶 -> 喝 喝茶 茶: each character and each pair, so that a query of one or two finds
    Hangul           서울에서 -> 서울에서 서울 울에 에서: the word, then its pairs
    Thai, Khmer...   each pair of characters
    emoji            itself, without skin tone and variant; a joined one gives its parts

A term has at most 64 characters: a longer word is replaced by a hash, and so is a run of more than 200 characters of an
encoding such as base64. All functions take time linear in the length of the text.
"""

import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from hashlib import blake2b

import Stemmer

from clew.text.printable import without_styles
from clew.text.scripts import EMOJI, MARKS, Script, fold_accents, main_script, runs
from clew.text.stopwords import REQUEST_WORDS, STOPWORDS

MOST_WORDS = 8
"""Words of a search whose words may be the parts of one name."""

MAX_TERM = 64
"""Longest term, in characters."""

_JOINT = r"(?:[.:@'-]|:?[/\\]{1,2}\.?|(?<=\d),(?=\d{3}(?!\d)))"
_ASCII_TOKEN = re.compile(rf"\w+(?:{_JOINT}\w+)*[+#]{{0,2}}", re.ASCII)
_TOKEN = re.compile(
    rf"[\w{MARKS}]+(?:{_JOINT}[\w{MARKS}]+)*[+#]{{0,2}}|[\U0001f1e6-\U0001f1ff]{{2}}"
    rf"|[{EMOJI}][\ufe0f\u200d\U0001f3fb-\U0001f3ff\u2640\u2642]*"
)
_BLOB = re.compile(r"(?<![\w+/=-])[\w+/=-]{201,}", re.ASCII)
_WITHIN_BLOB = 100
"""Of the pieces of so many characters of a text a blob holds one as a whole: where all have a space, there is none."""
_AT_ONCE = 1 << 16
"""Characters of a text whose tokens are listed at once, which is faster; of a longer one the list would be large."""
_UNIFY_MARKS = str.maketrans("\u2019\u02bc\u2018", "'''", "\u00ad\u2060\ufeff")

_ENDS = ".,;:!?"  # of a clause or sentence
_NUMBERED = re.compile(r"(?<![^\W_])([^\W\d_]{2,}) +(\d+)(?![^\W_]|[.,:]\d)")
_UNBROKEN = re.compile(rf"(?:[^\W_]|[{MARKS}'])+")
_UNSURE = re.compile(r"['\d]")
_ADDRESS_WORDS = frozenset({"http", "https", "www", "ftp", "file"})
# The joints of a token, from the loosest to the tightest. The whole token keeps its joints, except those of the last
# level, which vary with the style of writing and are removed.
_LEVELS = (
    re.compile(r":?[/\\]+\.?"),
    re.compile(r"(?<=-\d\d)[Tt](?=\d\d:)"),  # between date and time
    re.compile(r"[:@]"),
    re.compile(r"\."),
    re.compile(r"[-_]+"),
)
_SCHEME = re.compile(r"(?:[a-z]{2,12}://)?(?:www\.)?", re.IGNORECASE | re.ASCII)
_NUMBER = re.compile(r"(?:v(?=\d+\.))?(\d+(?:,\d{3})*(?:[.:]\d+)*)([a-z]{0,12})", re.IGNORECASE | re.ASCII)
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_ABBREVIATION = re.compile(r"(?:[a-z]\.)+[a-z]", re.IGNORECASE | re.ASCII)
_CONTRACTION = re.compile(r"(.+)'(?:s|re|ve|ll|d|m)", re.IGNORECASE)
_ELISION = re.compile(r"(?:[cdjl]|qu)'(.+)", re.IGNORECASE)
_CAMEL = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+", re.ASCII)
_PLURAL_ACRONYM = re.compile(r"[A-Z]{2,}s", re.ASCII)
_TRAILING_DIGITS = re.compile(r"([a-z]{3,})\d+", re.ASCII)
_FLAG = re.compile(r"[\U0001f1e6-\U0001f1ff]")
_SIGN = re.compile(rf"[{EMOJI}]")
_WITH_SIGN = frozenset({"c++", "c#", "f#"})

_STEMMERS = {
    Script.LATIN: Stemmer.Stemmer("english", 0),
    Script.GREEK: Stemmer.Stemmer("greek", 0),
    Script.CYRILLIC: Stemmer.Stemmer("russian", 0),
    Script.ARMENIAN: Stemmer.Stemmer("armenian", 0),
    Script.ARABIC: Stemmer.Stemmer("arabic", 0),
    Script.DEVANAGARI: Stemmer.Stemmer("hindi", 0),
    Script.TAMIL: Stemmer.Stemmer("tamil", 0),
}
_ENGLISH = _STEMMERS[Script.LATIN]
_STEMMING = threading.Lock()  # a stemmer has an internal buffer

# Terms of recent tokens. Reads and writes of a dict are atomic; it is emptied when it is full.
_SEEN: dict[str, tuple[str, ...]] = {}
_SEEN_MAX = 1 << 15


def terms(text: str) -> list[str]:
    """The search terms of a text, in text order, with duplicates and without stop words.

    Defined for every text; the same text gives the same terms on any machine. The lower-case form of a text has no term
    that the text itself lacks, unless it has escape sequences of terminals, which are no words and often capital.
    """
    text = without_styles(text)  # else ESC[31mred would be the word 31mred
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_UNIFY_MARKS)
    if any(" " not in text[at : at + _WITHIN_BLOB] for at in range(0, len(text) - _WITHIN_BLOB + 1, _WITHIN_BLOB)):
        text = _BLOB.sub(lambda blob: _hash(blob.group()), text)
    result: list[str] = []
    pattern = _ASCII_TOKEN if text.isascii() else _TOKEN
    is_long = len(text) > _AT_ONCE
    for token in map(re.Match.group, pattern.finditer(text)) if is_long else pattern.findall(text):
        known = _SEEN.get(token)
        result += _learn(token) if known is None else known
    return result


def query_terms(text: str) -> list[str]:
    """The distinct terms of a question, in order, without request words such as "please" and "mention".

    A verb among them is a name after an article, and remains ("the explain command"). A question that consists of
    request words only keeps them; one of stop words only gives [].
    """
    every = list(dict.fromkeys(terms(text)))
    named = {term for name in _NAMED_REQUEST.findall(text) for term in terms(name)}
    return [term for term in every if term not in _REQUEST_TERMS or term in named] or every


def joined_terms(text: str, is_known: Callable[[str], bool], *, is_search: bool = False) -> list[str]:
    """The names that a question has in parts: the terms of its words written as one, as far as these are known.

    A word and the number after it are joined in every question, since a number inside a name is no term by itself: the
    terms of HAT123 are "hat" and "hat123". In a search all words that follow one another are, the most of them that
    make a known name: setRetryCount for "set retry count".

    Args:
        is_known: whether some turn has a term.
        is_search: the text is words alone, not a sentence.
    """
    joined = [word + number for word, number in _NUMBERED.findall(text) if _plain(word)]
    if is_search and len(text.split()) <= MOST_WORDS:
        joined += (name for words in _plain_runs(text) for name in _longest_known(words, is_known))
    result = dict.fromkeys(term for name in joined for term in _plain(fold_accents(name)))
    own = set(terms(text)) if result else frozenset()
    return [term for term in result if term not in own and is_known(term)]


def _plain_runs(text: str) -> list[list[str]]:
    """The words between which only blanks stand, in runs."""
    result: list[list[str]] = [[]]
    for token in text.split():
        word = token.rstrip(_ENDS)
        if word.isalnum():
            result[-1].append(word)
        if word != token or not word.isalnum():
            result.append([])
    return result


def _longest_known(words: list[str], is_known: Callable[[str], bool]) -> Iterator[str]:
    """Runs of words that are known names when they are written as one, the longest first, each word in one of them.

    No run begins with a number.
    """
    start = 0
    while start < len(words):
        ends = range(len(words), start + 1, -1) if words[start][0].isalpha() else range(0)
        names = ("".join(words[start:end]) for end in ends)
        known = (any(map(is_known, _plain(fold_accents(name)))) for name in names)
        if end := next((end for end, is_term in zip(ends, known, strict=True) if is_term), 0):
            yield "".join(words[start:end])
        start = end or start + 1


def quote_terms(phrase: str) -> list[str]:
    """Distinct terms that every text containing the phrase has, for finding such texts in an index.

    Terms that depend on the surrounding text are left out: numbers, single letters, words with an apostrophe, and
    compounds as a whole. A phrase of stop words gives none.
    """
    result: list[str] = []
    for piece in _UNBROKEN.findall(unicodedata.normalize("NFKC", without_styles(phrase)).translate(_UNIFY_MARKS)):
        if _UNSURE.search(piece) or piece.casefold() in _ADDRESS_WORDS:
            continue
        for script, run in runs(fold_accents(piece)):
            if script is Script.HANGUL:
                result += (run[at : at + 2] for at in range(len(run) - 1))
            elif len(run) > 1 or script is Script.HAN:
                result += _run(script, run.casefold())
    return list(dict.fromkeys(result))


def _learn(token: str) -> tuple[str, ...]:
    is_plain = token.isascii() and token.isalpha() and (token.islower() or token.istitle())  # as nine of ten are
    learned = tuple(_plain(token) if is_plain else _token_terms(token))
    if len(token) <= MAX_TERM:
        if len(_SEEN) >= _SEEN_MAX:
            _SEEN.clear()
        _SEEN[token] = learned
    return learned


def _token_terms(token: str) -> list[str]:
    if token.casefold() in _WITH_SIGN:
        return [token.casefold()]
    if _FLAG.match(token):
        return [token]
    if _SIGN.match(token) and not token[0].isalnum():
        return [token[0]]
    return _compound(_SCHEME.sub("", token.rstrip("+#"), count=1), 0)


def _compound(token: str, level: int) -> list[str]:
    """The terms of a token that may contain joints of this level or a tighter one."""
    number = _NUMBER.fullmatch(token)
    if number:
        return _number(number[1].replace(",", ""), number[2])
    if _ABBREVIATION.fullmatch(token):
        closed = token.casefold().replace(".", "")
        return [_bounded(token.casefold() if closed in STOPWORDS else closed)]
    for depth in range(level, len(_LEVELS)):
        pieces = [piece for piece in _LEVELS[depth].split(token) if piece]
        if len(pieces) > 1:
            parts = [term for piece in pieces for term in _compound(piece, depth + 1)]
            return parts + _whole(token, pieces, depth) if parts else []
        token = pieces[0] if pieces else ""
    return _leaf(token)


def _number(digits: str, unit: str) -> list[str]:
    if not unit:
        return [_bounded(digits)]
    if unit.casefold() in _ORDINALS:
        return [_bounded(digits)]
    return [_bounded(digits), *_plain(unit), *_plain(digits + unit)]


def _whole(token: str, pieces: list[str], depth: int) -> list[str]:
    if depth == len(_LEVELS) - 1 and not all(piece.isdigit() for piece in pieces):
        return _plain(fold_accents("".join(pieces).replace("'", "")))
    return [_bounded(fold_accents(token.replace("\\", "/")).casefold())]


def _leaf(token: str) -> list[str]:
    """The terms of a token without joints, which may still mix scripts."""
    if token.isascii():
        return _word(token)
    return [term for script, run in runs(fold_accents(token)) for term in _run(script, run)]


def _run(script: Script, run: str) -> list[str]:
    if script is Script.OTHER:
        return _word(run)
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    if script is Script.HAN:
        return [term for pair in pairs for term in (pair[0], pair)] + [run[-1]]
    if script is Script.HANGUL and len(run) != 2:
        return [_bounded(run), *pairs]
    return pairs or [run]


def _word(word: str) -> list[str]:
    if "'" in word:
        if word.casefold().endswith("n't"):
            return []
        match = _CONTRACTION.fullmatch(word) or _ELISION.fullmatch(word)
        return _closed((match[1] if match else word).replace("'", ""))
    if word.islower() or word.istitle() or _PLURAL_ACRONYM.fullmatch(word):
        return _closed(word)
    parts = _CAMEL.findall(word)
    if 1 < len(parts) <= len(word) / 2 and "".join(parts) == word:
        return [term for part in parts for term in _plain(part)] + _closed(word)
    return _closed(word)


def _closed(word: str) -> list[str]:
    """The terms of an undivided word: itself, and the word without digits at its end."""
    word = word.casefold()
    match = _TRAILING_DIGITS.fullmatch(word)
    return _plain(match[1]) + _plain(word) if match else _plain(word)


def _plain(word: str) -> list[str]:
    """The single term of an undivided word; none for a stop word."""
    word = word.casefold()
    if not word or word in STOPWORDS:
        return []
    if len(word) > MAX_TERM:
        return [_hash(word)]
    stemmer = _ENGLISH if word.isascii() else _STEMMERS.get(main_script(word))
    if stemmer is None:
        return [word]
    with _STEMMING:
        return [stemmer.stemWord(word)]


def _bounded(term: str) -> str:
    return term if len(term) <= MAX_TERM else _hash(term)


def _hash(text: str) -> str:
    return "blob" + blake2b(text.casefold().encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


_NAMED_REQUEST = re.compile(
    r"\b(?:the|an?) (?:(?:two|three|four|five|\d+) )?"
    r"(describe|discuss|explain|give|help|provide|recall|remember|remind|show|summari[sz]e|tell)\b",
    re.IGNORECASE,
)
_REQUEST_TERMS = frozenset(term for word in REQUEST_WORDS for term in terms(word))
