"""A title for people's talk to each other: the sentence near its beginning that tells most of what it is about. Pure.

Whoever asks an assistant begins with a wish, and `session_titles` takes it. Friends begin with greetings, and each
tells something later on. So each sentence is weighed by what it is worth to a reader who was not there
(`sentence_worth`), by its subjects, and by its place: `Hey Mel! Long time no see! Last Friday I passed the interview.`
is called `Last Friday I passed the interview.` A subject weighs more, the more turns come back to it and the fewer
turns of other sessions have it: two friends of one choir do not tell their talks apart by "choir".
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import log
from typing import Final, NamedTuple

from clew.analyze.keyphrases import keyphrases
from clew.analyze.lexicon import INTERJECTION
from clew.analyze.naming import without_markup
from clew.analyze.words import word_of
from clew.condense.material import plain_prose
from clew.condense.sentence_worth import worth_of
from clew.condense.session_titles import TITLE, cut_title
from clew.structure.vocabulary import CALENDAR
from clew.text.sentences import sentence_spans
from clew.text.small_talk import COURTESIES
from clew.text.spoken import as_sentences
from clew.text.terms import terms

OPENING: Final = 64
"""Turns that are read at most; those of a meeting are short."""

_ROOM: Final = 2_500  # characters that are read: behind them a sentence would weigh a quarter
_READ: Final = 1_000  # of a turn
_PHRASES: Final = 6  # of a sentence; its three weightiest subjects count, each less than the one before
_SUBJECTS: Final = 3
_FADING: Final = 2  # the second counts a quarter, the third a ninth: a long sentence has many
_AGAIN: Final = 0.5  # what the logarithm of the number of turns with a subject adds to its weight
_HALF: Final = 800  # characters behind which a sentence weighs half of what it would at the beginning
_POINTING: Final = 0.6  # "It made me think": what it is about was said before
_LONGEST_LEAD: Final = 40  # characters of a beginning that names nothing: "Hey Mel, ", "In the meantime, "
_SHORTEST: Final = 20
_NOTE: Final = re.compile(r"(?<![\w\]])\[[^\[\]\n]*+\](?![(\[])")
"""A note between the words, as exports put it for a photo, and transcripts for a noise."""
_POINTS: Final = re.compile(
    r"(?:it|they|he|she|this|that|these|those|there|its|their|his|her|him|them)\b", re.IGNORECASE
)
_FARES: Final = re.compile(
    r"(?:i['\u2019]?m|i am|we['\u2019]?re|we are)(?: doing| feeling)?(?: \w+)?"
    r" (?:good|fine|well|great|ok|okay|all ?right)\b"
    r"(?:[,.!]? *(?:thanks?|thank you|and you|too|today|here|for asking))*[,.! ]*\Z",
    re.IGNORECASE,
)
"""How somebody is, and no more."""
_GOES_ON: Final = re.compile(r"(?:and|or|but|so|because|which|who|where|than)\b")
"""How a clause begins that needs the one before it."""
_CLAUSE: Final = re.compile(
    r"(?:[,;:] | ?[-\u2013\u2014]+ |\u2014) *(?:and |but |so )?"
    r"(?=(?:I|[Ww]e|[Mm]y|[Oo]ur)\b(?! (?:think|guess|mean)\b))"
)
"""Where a clause begins in which a speaker tells of themselves."""


class TalkTurn(NamedTuple):
    """The words of one turn."""

    speaker: str
    text: str


def title_of_talk(said: Sequence[TalkTurn], rarity: Callable[[str, int], float]) -> str | None:
    """The title of a talk between people; None where no sentence is about anything, as in mere greetings.

    Ties go to the earlier sentence.

    Args:
        said: its first turns, at most `OPENING`, in order.
        rarity: how rare a search term is in other talks, 0 to 1; its second argument is in how many of these turns it
            is.
    """
    texts = list(_read(said))
    terms_by_text = [set(terms(text)) for text in texts]
    weights = {
        term: rarity(term, count) * (1 + _AGAIN * log(count))
        for term, count in Counter(chain.from_iterable(terms_by_text)).items()
    }
    names = {word for turn in said for word in turn.speaker.casefold().split()}
    best, title, before = 0.0, None, 0
    for text, words in zip(texts, terms_by_text, strict=True):
        near = 1 / (1 + before / _HALF)
        most = near * _told(map(weights.__getitem__, words))  # of what any clause of the turn may tell
        for clause in _clauses(text, names) if most else ():
            told = worth_of(clause) * (_POINTING if _POINTS.match(clause) else 1.0)
            if round(told * most, 6) > best:
                worth = round(told * near * _about(clause, weights, names), 6)
                best, title = (worth, clause) if worth > best else (best, title)
        before += len(text)
    return title and cut_title(title)


def _read(said: Sequence[TalkTurn]) -> Iterator[str]:
    """The words of the first turns, as sentences."""
    left = _ROOM
    for turn in said:
        if left > 0:
            text = as_sentences(plain_prose(without_markup(_NOTE.sub(" ", turn.text[:_READ]))))
            left -= len(text)
            yield text


def _clauses(text: str, names: Collection[str]) -> Iterator[str]:
    """The sentences of a text without what leads to them, and of long ones each end that stands by itself."""
    for start, end in sentence_spans(text):
        sentence = _without_lead(" ".join(text[start:end].split()), names)
        yield sentence
        if len(sentence) > TITLE:
            rests = (sentence[match.end() :] for match in _CLAUSE.finditer(sentence, _SHORTEST))
            yield from (rest[:1].upper() + rest[1:] for rest in rests if len(rest) >= _SHORTEST)


def _without_lead(sentence: str, names: Collection[str]) -> str:
    """A sentence without a beginning that names nothing, such as "Hey Mel, " or "In the meantime, "."""
    while True:
        lead, comma, rest = sentence.partition(", ")
        if not comma or len(lead) > _LONGEST_LEAD or len(rest) < _SHORTEST or _GOES_ON.match(rest):
            return sentence
        if _subjects(lead, names) and not _calls(lead):
            return sentence
        sentence = rest[:1].upper() + rest[1:]


def _calls(lead: str) -> bool:
    """Whether words only call somebody: "Hey Mel", "Thanks, Ann"."""
    first, *rest = lead.split()
    is_call = first.casefold() in COURTESIES or word_of(first.casefold()).flags & INTERJECTION
    return bool(is_call) and all(word[:1].isupper() for word in rest)


def _subjects(sentence: str, names: Collection[str]) -> list[list[str]]:
    """The search terms of the phrases in a sentence, without the names of those who talk, and of days and months."""
    if _FARES.match(sentence) is not None:
        return []
    found = (
        [term for word in phrase.name.split("-") if not (word in names or word in CALENDAR) for term in terms(word)[:1]]
        for phrase in keyphrases(sentence, _PHRASES)
    )
    return [subject for subject in found if subject]


def _about(clause: str, weights: Mapping[str, float], names: Collection[str]) -> float:
    """What a clause is about, by the weightiest word of each of its subjects: only what is shown of it counts."""
    return _told(max(weights.get(term, 0.0) for term in subject) for subject in _subjects(cut_title(clause), names))


def _told(weights: Iterable[float]) -> float:
    ranked = sorted(weights, reverse=True)
    return sum(weight / (1 + place) ** _FADING for place, weight in enumerate(ranked[:_SUBJECTS]))
