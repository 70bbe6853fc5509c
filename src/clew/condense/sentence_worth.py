"""What a sentence is worth to a reader who was not there, by its form and by what it holds. Pure.

A greeting, thanks, praise, a question or what only leads on tells little; names, numbers and other marks of evidence
tell much. Between people, what a speaker says of themselves tells more than what they wish or advise the other.
"""

import re
from collections import Counter as Tally
from collections.abc import Iterable
from itertools import chain
from math import log
from typing import Final, NamedTuple

from clew.text.ascii_runs import WORDS, runs
from clew.text.evidence import evidence
from clew.text.sentences import sentence_spans
from clew.text.stopwords import STOPWORDS
from clew.text.terms import terms
from clew.text.text_cache import cached_by_text

MARK: Final = 0.6  # what a new mark of evidence adds, as a share of what the words are worth
NAME: Final = 0.3
MOST_NEW: Final = 2  # marks that count, and names
FULL: Final = 6
"""Different terms of a sentence that counts in full: "Wow, that's great!" has one."""

_QUESTION: Final = 0.7
LEAD: Final = 0.4  # "Here are the steps:"
_TALK: Final = 0.2  # a greeting, thanks or praise
_TO_OTHER: Final = 0.5  # "Don't forget to take breaks": the speaker tells nothing of themselves or others
_NEARLY: Final = 0.75  # of the best passage's worth, from which on an earlier one is shown instead
_READ: Final = 2_000  # characters of a turn that are read
_KEPT: Final = 1_024
_AFTER_TALK: Final = 0.8
_SO: Final = re.compile(r"\A(?:so|really|very) (?=glad|happy|sorry|proud|cool|nice|great|awesome)", re.IGNORECASE)
_ASKS: Final = ("?", "\uff1f")
_NONE: Final[frozenset[str]] = frozenset()
_NAMES: Final = re.compile(  # begins with a set of letters, which is found faster than what stands before them
    r"[A-Z](?<=[\w,;:\"'(] [A-Z])[\w'-]*[a-z][\w'-]*(?: [A-Z][\w'-]*[a-z][\w'-]*)*"
)
_CALLED: Final = re.compile(r"(?:^|, )[A-Z][\w'-]*(?=[,.!?]|$)")
"""Who is spoken to by name: "Thanks, Ann!"."""
_ANNOUNCES: Final = re.compile(r"(?:(?:now|first|next|then|okay|ok),? )?(?:let me|let's|i'll|i will)\b", re.IGNORECASE)
_SMALL_TALK: Final = re.compile(
    r"(?:(?:wow|hey|hi|hello|thanks|thank you|thx|congrats|congratulations|yeah|yep|yes|yay|oh|ah|haha|lol|aww?|cool"
    r"|nice|ok|okay|sure|awesome|amazing|great|glad|sorry|absolutely|definitely|totally|exactly|sounds|looks like"
    r"|let me know|i hope|feel free|happy to help|you're welcome|long time|thankfully|good (?:morning|night|luck))\b"
    r"|(?:i )?hope (?:this|that|it) helps\b|(?:good|nice) (?:catch|call|point|question)\b"
    r"|if you(?:'d| would)? (?:have|need|want|like) [^.,?!]{0,60}"
    r"\b(?:questions?|concerns?|help|assistance|guidance|clarifications?|details)\b"
    r"|i'm (?:so |really )?(?:glad|happy|sorry)\b|(?:that|it|this)(?:'s|\u2019s| is| was| sounds| looks)(?: \w+){0,2}"
    r" (?:awesome|amazing|great|good|nice|cool|lovely|wonderful|beautiful|fantastic|inspiring)\b)",
    re.IGNORECASE,
)
_MARK_SIGN: Final = re.compile(r"[0-9/_`\\@]")  # a text without one has hardly a mark of evidence
_SELF: Final = re.compile(r"\b(?:i|we|my|our|me|us)\b", re.IGNORECASE)
_OTHER: Final = re.compile(r"\b(?:you|your|yours|yourself|you're|you\u2019re|ya)\b", re.IGNORECASE)
_ORDER: Final = re.compile(
    r"(?:please |always |just )?(?:do not|don't|don\u2019t|never|keep|let's|let\u2019s)\b", re.IGNORECASE
)


class WeighedSentence(NamedTuple):
    """A sentence of a text by its places, and what it is worth: 0 where it tells nothing."""

    start: int
    worth: float
    end: int


class Rarity:
    """How rare words are in a session: what everybody says there all the time tells nothing of a turn."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Counts in how many of the texts each word is."""
        words_by_text = [words_of(text[:_READ]) for text in texts]
        self._in = Tally(chain.from_iterable(words_by_text))
        self._most = log(len(words_by_text) + 1)

    def of(self, sentence: str) -> float:
        """The mean rarity of a sentence's words: near 0 if all of many texts have each, 1 if one or none has."""
        words = words_of(sentence)
        if not words or not self._most:
            return 0.0
        return sum(1 - log(self._in[word] or 1) / self._most for word in sorted(words)) / len(words)


def best_passage(text: str, rarity: Rarity | None = None, most: int = _READ) -> WeighedSentence:
    """The sentence from which on a text should be quoted: its worthiest, or an earlier one that is nearly as good.

    Args:
        rarity: sentences of rare words are preferred.
        most: characters up to which a sentence can be quoted whole; longer ones are worth less.
    """
    weighed = [_in_session(sentence, text, rarity, most) for sentence in _weighed(text[:_READ])]
    best = max((sentence.worth for sentence in weighed), default=0.0)
    return next(
        (sentence._replace(worth=best) for sentence in weighed if sentence.worth >= _NEARLY * best),
        WeighedSentence(0, 0.0, 0),
    )


def _in_session(each: WeighedSentence, text: str, rarity: Rarity | None, most: int) -> WeighedSentence:
    rare = 1.0 if rarity is None else rarity.of(text[each.start : each.end])
    return each._replace(worth=each.worth * rare * min(1.0, most / max(1, each.end - each.start)))


@cached_by_text(_KEPT, _READ)
def _weighed(text: str) -> list[WeighedSentence]:
    return [WeighedSentence(start, worth_of(text[start:end]), end) for start, end in sentence_spans(text)]


def worth_of(sentence: str) -> float:
    """What a sentence of talk tells by itself; 1 is a plain remark of enough words."""
    sentence = " ".join(sentence.split()).strip("#*_- ")
    words = words_of(sentence)
    bare = _CALLED.sub("", sentence).strip(",.!? ") + sentence[-1:]
    more = MARK * min(MOST_NEW, len(marks_in(bare))) + NAME * min(MOST_NEW, len(names_in(bare)))
    share = 1.0 if tells_of_self(sentence) or not is_to_other(sentence) else _TO_OTHER
    return round(min(1.0, len(words) / FULL) * _form_behind(bare) * share * (1.0 + more), 4)


def _form_behind(sentence: str) -> float:
    """The form of a sentence, or of what follows its greeting: "Hey, we moved to Lisbon"."""
    form = form_of(_SO.sub("", sentence))
    if form > _TALK:
        return form
    _, comma, rest = sentence.partition(", ")
    return max(form, _AFTER_TALK * form_of(_SO.sub("", rest))) if comma and len(words_of(rest)) > 2 else form


def tells_of_self(sentence: str) -> bool:
    """Whether a speaker tells of themselves: what they wish, advise or propose to the other is something else."""
    return _SELF.search(sentence) is not None and _ORDER.match(sentence) is None


def is_to_other(sentence: str) -> bool:
    """Whether a sentence is about or for the person who is spoken to."""
    return _OTHER.search(sentence) is not None or _ORDER.match(sentence) is not None


def form_of(sentence: str) -> float:
    """The share of its worth that a sentence has by its form."""
    if _SMALL_TALK.match(sentence):
        return _TALK
    if sentence.endswith(_ASKS):
        return _QUESTION
    return LEAD if sentence.endswith(":") or _ANNOUNCES.match(sentence) else 1.0


def marks_in(text: str) -> frozenset[str]:
    """The marks of evidence in a text, case-folded."""
    if _MARK_SIGN.search(text) is None and "." not in text[:-1] and "rror" not in text:
        return _NONE
    return frozenset(text[low:high].casefold() for low, high, _ in evidence(text))


def names_in(text: str) -> list[str]:
    """Capitalised words inside a sentence, in order."""
    return _NAMES.findall(text)


def words_of(text: str) -> frozenset[str]:
    """The words that tell something; stems, or pairs of characters, where the script asks for them."""
    if not text.isascii():
        return frozenset(terms(text))
    return frozenset([word for word in runs(text.lower().replace("'", ""), WORDS) if len(word) > 1]) - STOPWORDS
