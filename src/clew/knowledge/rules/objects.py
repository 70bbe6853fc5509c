"""What a verb is said of: its preposition and the words of its object, without dates and reasons."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clew.analyze.concepts import is_only_adjective
from clew.knowledge.morphology import Form
from clew.knowledge.rules.lexicon import (
    ADVERB,
    AUXILIARY,
    BREAK,
    COMMA,
    CONDITION,
    COORDINATOR,
    DETERMINER,
    INTERJECTION,
    MODAL,
    NAME,
    NEGATION,
    NUMBER,
    OBJECT,
    OPENED,
    POSSESSIVE,
    PREPOSITION,
    QUESTION,
    QUOTE,
    SUBJECT,
    SUBORDINATOR,
    THIS,
    TO,
    words,
)
from clew.knowledge.rules.nouns import kin_sort
from clew.knowledge.rules.phrases import head_of
from clew.knowledge.rules.tokens import SentenceTokens, is_hedge
from clew.knowledge.rules.trailing import trimmed

MOST_WORDS: Final = 12
"""Words of an object; a longer one is cut at a preposition."""

_ENDS: Final = BREAK | SUBJECT | CONDITION | MODAL


@dataclass(frozen=True, slots=True)
class Object:
    """The object of a verb.

    Attributes:
        preposition: what stands between verb and object, such as "in", "out of"; may be empty.
        low, high: places of its words; equal if there is none.
        infinitive: whether it is "to" with a verb.
        clausal: whether a verb follows it, so that it is the subject of a clause inside: "ensure my app is fast".
        reason: the words after "because of" or "due to".
    """

    preposition: str
    low: int
    high: int
    infinitive: bool = False
    reason: str = ""
    clausal: bool = False


def object_of(s: SentenceTokens, at: int, stop: int, dated: Sequence[tuple[int, int]]) -> Object:
    """The object between a verb group and the end of its clause.

    Args:
        s: the sentence.
        at: first place after the verb group.
        stop: first place after the clause.
        dated: offsets of date phrases, which end an object.
    """
    stop, reason = _without_reason(s, at, stop)
    if at + 1 < stop and s.bits[at] & COORDINATOR and s.form[at + 1] & s.form[at - 1] & Form.GERUND:
        at += 2  # "revising and perfecting the recipe"
    preposition, at, wishes = _prepositions(s, at, stop, dated)
    infinitive = at + 1 < stop and bool(s.bits[at] & TO) and bool(s.form[at + 1] & Form.BASE or wishes)
    if s.bits[at] & OBJECT and at + 1 < stop and s.bits[at + 1] & (DETERMINER | NUMBER) and not s.bits[at] & DETERMINER:
        at += 1  # "gave her a ring"
        if preposition == ["to"]:
            preposition = []  # "explained to me the plan"
    if at < stop and s.bits[at] & QUOTE:  # the title of a book
        return Object(" ".join(preposition), at, _after_titles(s, at, stop), reason=reason)
    if s.bits[at] & COMMA:
        return Object(" ".join(preposition), at, at, reason=reason)  # "we'll connect, you know"
    low, high = at, _whole_end(s, at, stop, dated, infinitive=infinitive)
    if high < low:
        return Object(" ".join(preposition), at, at, reason=reason, clausal=True)
    clausal = low < high < stop and bool(s.bits[high] & (AUXILIARY | MODAL))
    lasts = preposition == ["for"] and low < high and head_of(s, low, high) in words("frequency", "long")
    lasts = lasts or (preposition == ["in"] and _is_since_long(s, low - 1))
    if lasts or preposition in (["since"], ["until"]):
        return Object("", high, high, reason=reason)  # "for two years"
    return Object(" ".join(preposition), low, high, infinitive, reason, clausal)


def _prepositions(
    s: SentenceTokens, at: int, stop: int, dated: Sequence[tuple[int, int]]
) -> tuple[list[str], int, bool]:
    """What stands between a verb and its object, the place after it, and whether the verb may lead to another one."""
    homeward = at + 1 < stop and s.low[at] == "home" and s.bits[at + 1] & PREPOSITION
    preposition: list[str] = ["home"] if homeward else []  # "got home from work"
    if s.low[at] == "together" and s.verb[at - 1] in _TOGETHER:
        preposition.append("together")  # "put together a show"
    at = _after_adverbs(s, at, stop)
    wishes = s.verb[at - 1] in words("catenative", "keep") and at + 1 < stop and not s.bits[at + 1] & _NOT_VERB
    if s.bits[at] & PREPOSITION and " ".join(s.low[at : at + 3]) in words("words", "view"):
        return [], stop, wishes  # "decisions we made in terms of cost"
    while (
        at < stop
        and s.bits[at] & PREPOSITION
        and len(preposition) < 2
        and not (_in_date(s, at, dated) or _is_bound(s, at))
    ):
        if (
            s.low[at] == "to"
            and at + 1 < stop
            and (s.form[at + 1] & Form.BASE or wishes)
            and not _is_nominal(s, at + 1)
        ):
            break
        if s.low[at] == "like" and preposition:
            break
        if s.low[at] not in preposition[-1:]:  # "works at at Vela"
            preposition.append(s.low[at])
        at = _after_adverbs(s, at + 1, stop)
    return preposition, at, wishes


def _whole_end(s: SentenceTokens, at: int, stop: int, dated: Sequence[tuple[int, int]], *, infinitive: bool) -> int:
    """Where an object ends; -1 if somebody is wanted to do what stands elsewhere: "I want my kids to learn that"."""
    whole = _end(s, at, stop, dated, infinitive=infinitive)
    high = _without_stub(s, at, whole)
    if infinitive:
        return high
    if s.verb[at - 1] == "find" and s.low[high : high + 2] == ["to", "be"]:
        return -1  # "I find gyms to be crowded"
    if high < whole and s.bits[high] & TO and _is_somebody_wanted(s, at):
        if s.bits[whole] & (SUBJECT | OBJECT | THIS | QUESTION):
            return -1
        high = whole
    cut = high - at > _STUB and s.bits[high - 1] & AUXILIARY and s.bits[high - 2] & TO
    return -1 if cut else high  # "the kids to be [with me]"


def _is_somebody_wanted(s: SentenceTokens, at: int) -> bool:
    """Whether an object is who is wanted to do something: "I want my kids to learn", not "a car to get there"."""
    if s.verb[at - 1] not in words("catenative", "having_done"):
        return False
    definite = bool(s.bits[at] & (NAME | POSSESSIVE)) or s.low[at] == "the"
    return definite or kin_sort(s.low[at + 1]) is not None


def _after_titles(s: SentenceTokens, at: int, stop: int) -> int:
    """The place after titles in quotation marks, of which the first opens at a place; that place if none closes."""
    end, marks = at, [place for place in range(at, stop) if s.bits[place] & QUOTE]
    for opening, closing in zip(marks[::2], marks[1::2], strict=False):
        if end != at and any(s.low[place] not in ("and", ",", "or") for place in range(end, opening)):
            break
        end = closing + 1
    return end


def _without_stub(s: SentenceTokens, low: int, high: int) -> int:
    """The end without a verb whose object stands outside: "lazy loading to improve [it]", "for getting [it made]"."""
    if high - low > _STUB + 1 and " ".join(s.low[high - 3 : high]) in _BEFORE_CLAUSE:
        return trimmed(s, low, high - 3)
    if (
        high < len(s)
        and s.bits[high] & (OBJECT | THIS)
        and " ".join(s.low[max(low, high - 3) : high - 1]) == "to avoid"
    ):
        return trimmed(s, low, high - 3)  # "to avoid exposing [it]"
    if high - low < _STUB or high >= len(s) or not s.verb[high - 1] or not s.bits[high] & _MORE:
        return high
    outside = s.bits[high] & (SUBJECT | OBJECT | THIS)
    joined = s.form[high - 1] == Form.GERUND or (s.bits[low] & TO and s.form[high - 1] & Form.BASE)
    if joined and s.bits[high - 2] & COORDINATOR:
        return high - 2  # "helping people and making [it better]"
    doing = s.form[high - 1] == Form.GERUND and s.bits[high - 2] & PREPOSITION and outside and high - low > _STUB
    return trimmed(s, low, high - 2) if doing or s.bits[high - 2] & TO else high


_STUB: Final = 2
_BEFORE_CLAUSE: Final = frozenset(("to make sure", "to find out"))
_NOT_VERB: Final = NAME | DETERMINER | POSSESSIVE | NUMBER | OBJECT | SUBJECT | PREPOSITION | QUESTION | THIS
_MORE: Final = SUBJECT | OBJECT | SUBORDINATOR | QUESTION | THIS


def _is_nominal(s: SentenceTokens, at: int) -> bool:
    return bool(s.bits[at] & (NAME | DETERMINER | POSSESSIVE | NUMBER))


def _after_adverbs(s: SentenceTokens, at: int, stop: int) -> int:
    while at < stop and s.bits[at] & ADVERB and not s.bits[at] & (PREPOSITION | DETERMINER | NAME):
        at += 1 + is_hedge(s, at)
    if s.low[at] == "at" and s.low[at + 1] == "all" and s.bits[at + 2] & (PREPOSITION | BREAK):
        at += 2  # "involved at all in the planning"
    return min(at, stop)


_TOGETHER: Final = frozenset(("put", "bring", "pull", "piece"))


def _is_bound(s: SentenceTokens, at: int) -> bool:
    """Whether a preposition begins an amount: "at least 55,000 euros"."""
    return (s.low[at], s.low[at + 1]) in _BOUNDS and bool(s.bits[at + 2] & (NUMBER | DETERMINER))


_BOUNDS: Final = frozenset((("at", "least"), ("at", "most")))


def _without_reason(s: SentenceTokens, at: int, stop: int) -> tuple[int, str]:
    for place in range(at, stop - 1):
        if s.low[place + 1] in ("of", "to") and s.low[place] in ("because", "due", "thanks", "owing"):
            return place, s.words(place + 2, stop)
    return stop, ""


def _in_date(s: SentenceTokens, at: int, dated: Sequence[tuple[int, int]]) -> bool:
    """Whether a word is in a date phrase, or a preposition right before one."""
    if not dated:
        return False
    here = any(low <= s.start[at] < high for low, high in dated)
    return here or (bool(s.bits[at] & PREPOSITION) and at + 1 < len(s) and _in_date_word(s, at + 1, dated))


def _in_date_word(s: SentenceTokens, at: int, dated: Sequence[tuple[int, int]]) -> bool:
    at += s.low[at] in ("the", "of")
    return at < len(s) and any(low <= s.start[at] < high for low, high in dated)


def _end(s: SentenceTokens, at: int, stop: int, dated: Sequence[tuple[int, int]], *, infinitive: bool) -> int:
    """Where an object ends that begins at `at`."""
    place, last_preposition = at, at
    while place < stop and not _ends(s, at, place, infinitive=infinitive):
        bits = s.bits[place]
        if bits & QUOTE and (closing := _closing(s, place, stop)) is not None:
            place = closing + 1
            continue
        if _in_date(s, place, dated) or (bits & (COMMA | COORDINATOR) and not _goes_on(s, place, stop)):
            break
        doing = s.form[place + 1] & Form.GERUND and not s.form[at] & Form.GERUND
        if bits & (COORDINATOR | COMMA) and doing and s.low[place - 2] not in ("a", "an"):
            break  # "sprucing up my plan and tweaking my pitch"
        if bits & COORDINATOR and s.form[place + 1] & Form.BASE and _has_object(s, place + 1) and not infinitive:
            break  # "got a job and love gardening"
        done = s.form[place + 1] & Form.PAST and s.bits[place + 2 : place + 3] and s.bits[place + 2] & _BEFORE_NOUN
        done = done and not s.bits[place + 1] & (NAME | DETERMINER)
        unlisted = not s.bits[place + 1] and s.low[place + 1].endswith("ed")
        if bits & COORDINATOR and (done or (unlisted and s.bits[place + 2] & _BEFORE_NOUN)):
            break  # "found the issue and refactored the queries"
        if bits & PREPOSITION:
            lasts = (s.low[place] == "for" and _is_duration(s, place)) or _is_since_long(s, place)
            if place - at >= MOST_WORDS or lasts:
                break
            last_preposition = last_preposition if _is_enabled(s, at, place) else place
        if place - at > MOST_WORDS and last_preposition > at:
            place = _before_stub(s, at, last_preposition)
            break
        place += 1
    return trimmed(s, at, place)


def _is_enabled(s: SentenceTokens, at: int, place: int) -> bool:
    """Whether "to" leads to what somebody is enabled to do: "an app that allows users to track"."""
    return bool(s.bits[place] & TO) and any(
        s.verb[earlier] in _ENABLING for earlier in range(max(at, place - 3), place)
    )


def _before_stub(s: SentenceTokens, at: int, end: int) -> int:
    """Where an object ends that is cut before a preposition: "by upgrading [from]", "a concert surrounded [by]"."""
    if end - at > _STUB and s.form[end - 1] == Form.GERUND and s.bits[end - 2] & PREPOSITION:
        return end - 2
    taken = s.form[end - 1] & Form.PARTICIPLE and s.low[end - 1].endswith("ed") and not s.bits[end - 2]
    return end - 1 if taken and end - at > _STUB else end


_ENABLING: Final = frozenset(("allow", "enable", "help", "let", "encourage"))


def _closing(s: SentenceTokens, at: int, stop: int) -> int | None:
    """Where a short title ends whose opening quotation mark stands at a place: 'a novel called "Me Before You"'."""
    return next((place for place in range(at + 1, min(stop, at + _LONGEST_TITLE)) if s.bits[place] & QUOTE), None)


_LONGEST_TITLE: Final = 10


def _is_duration(s: SentenceTokens, at: int) -> bool:
    """Whether a length of time stands after "for": "for the past two years"."""
    for place in range(at + 1, min(len(s), at + _LONGEST_DURATION)):
        if s.low[place] in words("frequency", "long"):
            return place > at + 1 or s.low[place].endswith("s")
        number = s.low[place].partition("-")[0] in words("words", "number")  # "thirty-five"
        if not (number or s.bits[place] & _OF_DURATIONS or s.low[place] in ("last", "good", "half")):
            return False
    return False


def _is_since_long(s: SentenceTokens, at: int) -> bool:
    """As in "I haven't played in years"."""
    return s.low[at] == "in" and at + 1 < len(s) and s.low[at + 1] in _LONG_SINCE


_LONG_SINCE: Final = frozenset(("ages", "years", "months", "weeks", "decades"))
_LONGEST_DURATION: Final = 6
_OF_DURATIONS: Final = NUMBER | DETERMINER | ADVERB | PREPOSITION


def _ends(s: SentenceTokens, at: int, place: int, *, infinitive: bool) -> bool:
    """Whether a word ends the object that begins at `at`."""
    bits = s.bits[place]
    whatever = s.low[place] == "no" and s.low[place + 1] == "matter"  # "reach my dreams no matter what"
    if bits & _ENDS or whatever or s.low[place] in _COURTESIES:
        return not (bits & MODAL and s.low[place - 1] == "that")
    if bits & AUXILIARY:
        wanted = place > at + 1 and s.bits[place - 1] & TO and not infinitive and _is_somebody_wanted(s, at)
        return not (wanted or (infinitive and place == at + 1) or (place > at and s.low[place - 1] == "that"))
    if s.low[place] == "that" and place > at:
        return not (s.form[place + 1] or s.bits[place + 1] & AUXILIARY)  # "a flight that leaves at 8"
    if bits & (DETERMINER | POSSESSIVE) and place > at and _begins_another(s, at, place):
        return True
    if bits & NEGATION:
        return place > at and s.low[place] != "no"
    counted = bits & INTERJECTION and place > at and s.bits[place - 1] & NUMBER  # "a 200 OK response"
    linking = (
        not counted
        and bits & (SUBORDINATOR | QUESTION | INTERJECTION)
        and not bits & (PREPOSITION | COORDINATOR | ADVERB)
    )
    return bool(linking) and not infinitive and (s.low[place] != "that" or place > at)


def _has_object(s: SentenceTokens, at: int) -> bool:
    if s.bits[at + 1] & SUBJECT and s.low[at] in words("talk", "securing"):
        return True  # "a snack for energy and ensure I'm hydrated"
    return bool(s.bits[at + 1] & (DETERMINER | POSSESSIVE | THIS | TO)) or s.form[at + 1] == Form.GERUND


_BEFORE_NOUN: Final = DETERMINER | POSSESSIVE | THIS
_COURTESIES: Final = frozenset(("thank", "please", "though", "tho", "however"))


def _begins_another(s: SentenceTokens, at: int, place: int) -> bool:
    """Whether an article or possessive begins another phrase: one that neither a preposition nor "and" joins."""
    if s.bits[place] & OPENED or s.low[place : place + 2] == ["such", "as"]:
        return False  # in quotation marks, as the title of a book is; "areas such as botany"
    joined = s.bits[place - 1] & (PREPOSITION | COORDINATOR | COMMA | TO | DETERMINER | ADVERB) or s.form[place - 1]
    joined = joined or (place - 1 > at and s.bits[place - 2] & TO and not s.bits[place - 1])  # "to modularize my app"
    given = at > 0 and s.verb[at - 1] in words("ditransitive", "verbs")
    return not joined and not given and s.low[place] not in ("all", "more", "most", "much", "many")


_AND_SO_ON: Final = frozenset(("no", "anything", "something", "everything", "stuff", "whatever"))


def _goes_on(s: SentenceTokens, at: int, stop: int) -> bool:
    """Whether a list goes on after a comma or "and"."""
    if at + 1 >= stop or s.low[at] in ("but", "so", "yet", "then") or s.low[at + 1] in _AND_SO_ON:
        return False
    after = at + 1
    if s.bits[at] & COMMA and s.bits[after] & COORDINATOR:
        return s.low[after] in ("and", "or") and _goes_on(s, after, stop)
    closed = SUBJECT | AUXILIARY | BREAK | QUESTION | INTERJECTION | SUBORDINATOR | CONDITION | NEGATION
    told = s.bits[after] & THIS and after + 1 < stop and s.form[after + 1] & (Form.PAST | Form.THIRD)
    if told or (s.bits[after] & closed and not s.bits[after] & DETERMINER):
        return False  # "... and this seemed right"
    if s.bits[at] & COMMA and s.low[at - 2] in ("a", "an") and not (s.bits[after] | s.bits[after + 1]) & _NO_QUALITY:
        return not s.form[after] & Form.PAST  # "a safe, inviting place"
    if s.bits[at] & COMMA:  # a list has an "and" before its last part, but not "simple, minimal dependencies"
        ahead = range(after, min(stop, after + 8))
        joined = any(s.low[place] in ("and", "or", "&") for place in ahead)
        return _is_one_phrase(s, at, stop) or (joined and not s.bits[after] & (ADVERB | PREPOSITION))
    return not s.bits[after] & (ADVERB | OBJECT) or bool(s.bits[after] & (POSSESSIVE | DETERMINER))


def _is_one_phrase(s: SentenceTokens, at: int, stop: int) -> bool:
    """Whether the comma at a place stands between two adjectives of one noun."""
    noun = at + 2 < stop and not s.bits[at + 2] & ~NAME and s.low[at + 2][0].isalpha()
    return noun and is_only_adjective(s.low[at - 1]) and is_only_adjective(s.low[at + 1])


_NO_QUALITY: Final = (
    NAME | NUMBER | DETERMINER | POSSESSIVE | PREPOSITION | COORDINATOR | COMMA | BREAK | ADVERB | OBJECT | THIS
)


def begins_with_verb(s: SentenceTokens, at: int) -> bool:
    """Whether a word is a finite verb whose subject stands elsewhere: "the help I got made a difference"."""
    if s.bits[at] & (AUXILIARY | MODAL):
        return True
    if s.bits[at] & NAME or not s.form[at] & (Form.BASE | Form.PAST | Form.THIRD) or at + 1 >= len(s):
        return False
    linking = s.verb[at] in words("complement", "linking") and s.form[at] & (Form.BASE | Form.THIRD | Form.PAST)
    objects = DETERMINER | POSSESSIVE | OBJECT | THIS
    acts = s.bits[at + 1] & objects and not s.bits[at + 1] & PREPOSITION and s.low[at + 1] != "such"
    return bool(linking) or bool(acts)
