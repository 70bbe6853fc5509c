"""Objects that say nothing to whoever did not hear the talk: they point at it, name nothing, or were cut."""

from typing import Final

from clew.knowledge.morphology import Form, lemma
from clew.knowledge.rules.lexicon import (
    ADVERB,
    AUXILIARY,
    BREAK,
    COMMA,
    COORDINATOR,
    DETERMINER,
    NAME,
    NUMBER,
    OBJECT,
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
from clew.knowledge.rules.meanings import ClauseReading, StatementDraft
from clew.knowledge.rules.nouns import kin_sort
from clew.knowledge.rules.phrases import head_of
from clew.knowledge.rules.tokens import SentenceTokens
from clew.text.late_pattern import late_pattern

_YOU: Final = late_pattern(r"\b(your?)\b(?!['’-])")  # with a capital it is part of a title
_POINTING: Final = frozenset(("this", "that", "these", "those"))
_THIRD: Final = frozenset("it they them him her its their his".split())
_MEANT: Final = frozenset("him her them his their".split())
_SOMEBODY: Final = frozenset(("him", "her", "his"))
_OWNING: Final = frozenset("its their his her".split())
_NO_NOUN: Final = SUBJECT | OBJECT | PREPOSITION | COORDINATOR | SUBORDINATOR | QUESTION | ADVERB | DETERMINER | TO
_OUTSIDE: Final = OBJECT | THIS | QUESTION
_STATES: Final = frozenset(("get", "stay", "become", "feel", "keep"))
_HOLDING: Final = frozenset(("have", "get", "find", "need", "know"))
_TAKING: Final = frozenset(("receive", "take", "make", "use", "add", "choose", "decide", "write"))
_BEFORE_NOUN: Final = DETERMINER | POSSESSIVE | NUMBER | PREPOSITION | NAME
_MOST_BEFORE_YOU: Final = 4
"""Spaces before "you" in an object that is sure to mean the listener."""
_SHORT: Final = 4
"""Words before a preposition of what everybody has one of."""


def named_object(reading: ClauseReading, text: str, low: int, high: int) -> str | None:
    """The words of an object with "you" and a leading "his" or "her" put as whom they mean; None if that is not known.

    Args:
        low: place of its first word; `high` is the place after its last one.
    """
    s = reading.s
    if s.low[low] in _MEANT and high > low + 1 and reading.owner.name == reading.speaker:
        if s.low[low] in _OWNING and not s.bits[low + 1] & _NO_NOUN and s.form[low + 1] != Form.GERUND:
            return reading.name_of(low, high)
        name = None if s.form[low + 1] & Form.GERUND else reading.name_of(low, low + 1)
        return f"{name} {' '.join(s.words(low + 1, high).split())}" if name else None
    match = _YOU.search(text)
    if match is None:
        return text
    before = text[: match.start()]
    if not reading.listener or "," in before or before.count(" ") > _MOST_BEFORE_YOU:
        return None  # further on it may mean anybody: "beating your opponents"
    return _YOU.sub(lambda each: reading.listener + ("'s" if len(each[1]) > len("you") else ""), text)


def is_hollow(
    reading: ClauseReading, draft: StatementDraft, low: int, high: int, *, infinitive: bool, beside: bool = False
) -> bool:
    """Whether the object between two places says nothing by itself.

    Args:
        draft: what is told of the object so far; what has a place or a date says something.
        infinitive: whether the object is "to" with a verb.
        beside: whether more is told beside the object: "the picture I took at the lake".
    """
    s, verb = reading.s, reading.clause.group.verb
    alone = high == low + 1 or s.bits[low + 1] & (TO | COORDINATOR)
    if (
        s.low[high - 2 : high] == ["in", "mind"]
        or not any(map(str.isalnum, draft.object))
        or draft.object.endswith(" in mind")
        or _is_cut(s, low, high, infinitive=infinitive)
        or _is_trouble(s, low, high)
        or _ends_cut(s, low, high)
        or (s.bits[high - 1] & QUOTE and not any(s.bits[at] & QUOTE for at in range(low, high - 1)))
        or (verb in _STATES and alone and is_passing(s, low, high))
        or (verb in _HOLDING and not infinitive and _is_attribute(s, low, high))
        or points_outside(reading, low, high, infinitive=infinitive)
    ):
        return True
    if verb == "find" and high == low + 1 and s.form[low] == Form.GERUND:
        return True  # "something I find rewarding"
    if high == low + 1 and (verb in _HOLDING or verb in _TAKING) and s.low[low].isalnum() and s.bits[low] & NUMBER:
        return True  # "I got 200", "we have two"
    placed = draft.where or draft.rests_on or beside or reading.when.dates or reading.when.often
    doing = infinitive or s.form[low] == Form.GERUND
    if placed or (doing and s.verb[low + infinitive] not in words("vague", "transitive")):
        return False
    if verb in _HOLDING and not reading.clause.group.negated and is_acquaintance(s, low, high):
        return True
    first = low + infinitive + doing
    none = (reading.clause.group.negated or s.low[low] == "no") and kin_sort(s.low[high - 1])  # "I have no friends"
    return not none and first < high and stands_for_nothing(s, first, high)


def is_acquaintance(s: SentenceTokens, low: int, high: int) -> bool:
    """Whether an object is somebody whom everybody has, of whom nothing is told: "a friend", "some colleagues"."""
    last = s.low[high - 1] in words("vague", "acquaintance")
    return last and all(
        s.low[at] != "no"
        and (s.bits[at] & (DETERMINER | POSSESSIVE | ADVERB) or s.low[at] in words("vague", "modifiers"))
        for at in range(low, high - 1)
    )


def is_bare_doing(s: SentenceTokens, low: int, high: int) -> bool:
    """Whether what follows a preposition is a verb without its object or place: "interested in getting into it"."""
    verb = s.verb[low] or lemma(s.low[low]) if low < high else ""
    lacks = verb in words("vague", "transitive") or verb in words("vague", "moving")
    return high == low + 1 and s.form[low] == Form.GERUND and lacks


def is_passing(s: SentenceTokens, low: int, high: int) -> bool:
    """Whether the words tell how somebody feels at the moment: "nervous", "intrigued"."""
    if s.low[low] in words("complement", "passing"):
        return True
    alone = high == low + 1 or s.bits[low + 1] & COORDINATOR or s.form[low + 1] == Form.GERUND  # "confused looking at"
    return bool(alone and s.form[low] & Form.PARTICIPLE and s.verb[low] in words("complement", "moving"))


def stands_for_nothing(s: SentenceTokens, low: int, high: int) -> bool:
    """Whether a phrase names no more than that there is something: "a few options", "the path", "an amazing woman"."""
    head = head_of(s, low, high)
    if head not in words("vague", "shell"):
        return False
    at = s.low.index(head, low)
    if any(not s.bits[place] & ADVERB for place in range(at + 1, high)):
        return False
    return all(
        s.bits[place] & (DETERMINER | ADVERB | NUMBER | POSSESSIVE | PREPOSITION)
        or s.low[place] in words("vague", "modifiers")
        for place in range(low, at)
    )


def points_outside(reading: ClauseReading, low: int, high: int, *, infinitive: bool) -> bool:
    """Whether an object points at something told elsewhere: "watching them play", "all of these reservations"."""
    s, named, somebody = reading.s, False, False
    own = reading.owner.name == reading.speaker
    for at in range(low, high):
        word, bits = s.low[at], s.bits[at]
        somebody = somebody or bool(bits & NAME) or kin_sort(word) is not None or word in words("occupation", "heads")
        if word in _POINTING:
            if at > low and not named and _points_back(s, at, high):
                return True
        elif word in _THIRD:
            last = at == high - 1 and not infinitive  # whom it means is found elsewhere
            known = (at == low and word in _MEANT) or (word in _OWNING and not own)
            known = known or (named and (somebody or word not in _SOMEBODY))  # "a fan of her songs"
            if not (last or known):
                return True
        elif not bits & _NO_NOUN and at > low:
            verb = (at == low + 1 and infinitive) or s.form[at] == Form.GERUND
            named = named or (not verb and (not s.form[at] or bool(s.bits[at - 1] & _BEFORE_NOUN)))
        named = named or bool(bits & NAME)
    return False


def _points_back(s: SentenceTokens, at: int, high: int) -> bool:
    """Whether "this", "that", "these" or "those" stands alone or before a single noun."""
    after = at + 1
    if after >= high:
        return True
    if s.low[at] == "those" and (s.bits[after] & PREPOSITION or s.low[after] == "who"):
        return False
    end = after
    while end < high and not s.bits[end] & (PREPOSITION | COORDINATOR | TO):
        end += 1
    time = s.low[after] in words("frequency", "units") or s.low[after] in ("time", "point")
    return end <= after + 1 and not time and not s.bits[after] & NAME


def _is_attribute(s: SentenceTokens, low: int, high: int) -> bool:
    """Whether an object names what everybody has one of, without its value: "my user ID", "the address with me"."""
    end = low
    while end < high and not s.bits[end] & PREPOSITION:
        end += 1
    known = s.bits[low] & (DETERMINER | POSSESSIVE) and s.low[low] not in ("a", "an", "no") and end - low <= _SHORT
    return bool(known) and not words("attribute", "nouns").isdisjoint(s.low[low:end])


def _ends_cut(s: SentenceTokens, low: int, high: int) -> bool:
    """As in "wants to try making [it]": a verb at the end whose object stands outside."""
    last = high - 1
    outside = high < len(s) and s.bits[high] & (OBJECT | THIS) and not s.bits[high] & POSSESSIVE
    doing = last > low and s.form[last] == Form.GERUND and s.form[last - 1] & Form.BASE
    if outside and doing and s.verb[last] in words("vague", "transitive"):
        return True
    if last > low and s.low[last] == "something" and s.form[last - 1]:
        return True  # "a function that looks something [like this]"
    return last > low and _is_doing(s, low, last) and (leads_outside(s, high) or bool(s.bits[high] & QUESTION))


def _is_doing(s: SentenceTokens, low: int, at: int) -> bool:
    """Whether a word behind the first one is a verb: "people go", "groups fighting", "ones that suit", "to push"."""
    if s.form[at] == Form.GERUND:
        several = s.low[at - 1].endswith("s") or s.low[at - 1] == "people"  # not "logical reasoning", "decision making"
        return bool(s.bits[at - 1] & PREPOSITION) or (not s.bits[at - 1] and (several or bool(s.form[at - 1])))
    if s.bits[at - 1] & TO or s.low[at - 1] in ("that", "who", "which"):
        return bool(s.form[at] & (Form.BASE | Form.THIRD))
    helped = any(s.verb[place] in _HELPING for place in range(max(0, low - 1), at - 1))
    return helped and bool(s.form[at] & Form.BASE) and (s.low[at - 1].endswith("s") or s.low[at - 1] == "people")


def leads_outside(s: SentenceTokens, at: int) -> bool:
    """Whether "it", "that" or the like stands at a place, alone or behind a preposition: "familiar [with that]"."""
    place = at
    while place < len(s) and place < at + _MOST_BETWEEN and s.bits[place] & (PREPOSITION | TO):
        place += 1
    if place >= len(s) or s.low[place] not in _OUTSIDE_WORDS:
        return False
    after = place + 1
    ends = COMMA | BREAK | ADVERB | COORDINATOR | PREPOSITION | TO | SUBORDINATOR | AUXILIARY
    return after >= len(s) or bool(s.bits[after] & ends) or s.low[place] in ("it", "them")


_HELPING: Final = frozenset(("help", "let", "make", "see", "watch"))
_OUTSIDE_WORDS: Final = frozenset("it them that this these those him".split())
_MOST_BETWEEN: Final = 2
"""Prepositions before what an object leads to: "up against it"."""


def _is_trouble(s: SentenceTokens, low: int, high: int) -> bool:
    """As in "has trouble understanding", "has a hard time figuring out": what is hard stands outside."""
    at = high - 1 - (s.low[high - 1] in ("out", "up", "in", "on"))
    if s.low[low] in words("vague", "trouble") and "wrapping" in s.low[low:high] and "around" not in s.low[low:high]:
        return True  # "trouble wrapping my head [around it]"
    if at <= low or s.form[at] != Form.GERUND or s.low[at - 1] not in words("vague", "trouble"):
        return False
    if leads_outside(s, high):
        return True
    verb = s.verb[at] or lemma(s.low[at])
    return verb in words("vague", "transitive") or verb in words("vague", "moving") or at < high - 1


def _is_cut(s: SentenceTokens, low: int, high: int, *, infinitive: bool) -> bool:
    """Whether an object is a verb whose own object is missing: "to use", "helping with getting [it done]"."""
    at = low + 1 if infinitive else low
    doing = s.form[at] & (Form.BASE if infinitive else Form.GERUND)
    if at >= high or not doing or high > at + 2 or (high == at + 2 and not s.bits[at + 1] & PREPOSITION):
        return False
    clause = high + 1 >= len(s) or s.bits[high + 1] & AUXILIARY or s.low[high + 1] == "'s"
    outside = not clause and s.bits[high] & _OUTSIDE
    return bool(outside) or s.verb[at] in words("vague", "transitive")
