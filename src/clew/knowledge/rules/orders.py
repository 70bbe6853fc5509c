"""Standing orders to an assistant: "answer in German", "always use tabs", "don't commit without asking me".

An order for the task at hand ("add a test for this") states nothing that lasts. One counts if it says for how long
("always", "from now on", "in this repo"), if it forbids a kind of work, or if it is about how to answer or write. What
people tell each other to do is not an order to an assistant.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from clew.knowledge.morphology import Form, analyses, gerund
from clew.knowledge.rules.lexicon import (
    ADVERB,
    AUXILIARY,
    BREAK,
    COMMA,
    COORDINATOR,
    DETERMINER,
    DO,
    INTERJECTION,
    NAME,
    NEGATION,
    NUMBER,
    OPENED,
    OPENER,
    POSSESSIVE,
    PREPOSITION,
    QUESTION,
    SUBJECT,
    THIS,
    language,
    words,
)
from clew.knowledge.rules.meanings import StatementDraft
from clew.knowledge.rules.phrases import text_of
from clew.knowledge.rules.tokens import SentenceTokens
from clew.text.late_pattern import late_pattern
from clew.types.facts import Effect, FactStatus, FactType
from clew.types.turn import Turn

_NO_ORDER: Final = SUBJECT | POSSESSIVE | DETERMINER | QUESTION | BREAK | COMMA
_BEFORE: Final = INTERJECTION | OPENER | COORDINATOR | ADVERB | DO
LONGEST: Final = 1_500
"""Characters of a turn that may give standing orders: a longer one is a text to work with, or somebody's guidelines."""
TO: Final = "wants assistant to"
NOT_TO: Final = "wants assistant not to"
_ANSWERS_IN: Final = "wants answers in"
_ANSWERS: Final = "wants answers"
_PREFERS: Final = "prefers"


def is_to_assistant(turn: Turn, earlier: Sequence[Turn]) -> bool:
    """Whether a turn is said to an assistant: nobody else is named as its speaker, or an assistant spoke before."""
    if turn.role != "user" or len(turn.text) > LONGEST:
        return False
    return turn.speaker is None or any(each.role == "assistant" and each.speaker is None for each in earlier)


def orders(s: SentenceTokens, speaker: str) -> list[StatementDraft]:
    """The standing orders of a sentence that is said to an assistant, as what its speaker wants."""
    if _cues().isdisjoint(s.low):
        return []
    onwards = "from" in s.low or "going" in s.low  # "spaces from here on"
    starts = [start for start in _starts(s) if _may_open(s, start, onwards=onwards)]
    if not starts:
        return []
    sentence = s.words(0, len(s) - 1).lower().replace("’", "'")
    standing = _standing().search(sentence) is not None
    drafts = (each for start in starts for each in _order(s, start, _end(s, start), standing=standing))
    return list({(draft.verb, draft.object): draft._replace(subject=speaker) for draft in drafts}.values())


def _may_open(s: SentenceTokens, at: int, *, onwards: bool) -> bool:
    """Whether an order can begin at a place, by its first word alone; `onwards` if it may be a noun."""
    if s.low[at] in _leading() or s.low[at] in ("you", "no", "not"):
        return True
    return not s.bits[at] & _NO_ORDER and bool(s.form[at] & Form.BASE or s.bits[at] & _BEFORE or (at and onwards))


class _Lead(NamedTuple):
    """What stands before the verb of an order.

    Attributes:
        at: the place after it.
        forbids: whether it says "never" or "do not".
        always: whether it says "always", "never" or "ever".
        asks: whether it asks politely: "can you".
    """

    at: int
    forbids: bool
    always: bool
    asks: bool


def _order(s: SentenceTokens, start: int, stop: int, *, standing: bool) -> Iterator[StatementDraft]:
    """The order between two places."""
    lead = _after_leads(s, start, stop)
    at, lasts = lead.at, standing or lead.always
    if (start and s.low[0] == "if") or (_is_for_once(s, stop) and not standing):
        return  # what counts in one case only
    if at >= stop or s.bits[at] & OPENED or (s.asks and not (lead.asks and lasts)):
        return
    released = None if lead.forbids else _released(s, start, stop)
    if released is not None:
        yield released
    elif s.low[at] == "no":
        if at + 1 < stop and (lasts or _has(s, at + 1, stop, words("order", "formats"))):
            yield _wish(NOT_TO, "use " + _told(s, at + 1, stop))
    elif s.form[at] & Form.BASE:
        yield from _stopped(s, at, stop) if s.verb[at] == "stop" else _of_verb(s, start, stop, lead, lasts=lasts)
    elif standing and not lead.forbids and s.low[at] not in words("order", "leads"):
        yield from _chosen(s, at, stop, named=True)


def _is_for_once(s: SentenceTokens, stop: int) -> bool:
    """Whether an order says that it counts once: "answer in French this time", "just for now"."""
    last = s.low[max(0, stop - 3) : stop]
    return last[-2:] in (["this", "time"], ["for", "now"], ["just", "once"], ["for", "once"]) or last[-1:] == ["today"]


def _stopped(s: SentenceTokens, at: int, stop: int) -> Iterator[StatementDraft]:
    """As in "stop adding comments"."""
    if at + 1 < stop and s.form[at + 1] & Form.GERUND and s.verb[at + 1] in words("order", "careful"):
        yield _wish(NOT_TO, f"{s.verb[at + 1]} {_told(s, at + 2, stop)}".strip())


def _of_verb(s: SentenceTokens, start: int, stop: int, lead: _Lead, *, lasts: bool) -> Iterator[StatementDraft]:
    """An order whose verb stands after what leads to it."""
    at = lead.at
    is_past = at + 1 < stop and s.form[at] & Form.PAST and lead.always  # "never put"
    if s.bits[at + 1] & (SUBJECT | AUXILIARY) or is_past:
        return
    if s.verb[at] == "call" and s.low[at + 1] == "me":
        if not lead.forbids and at + 2 < stop and all(bits & NAME for bits in s.bits[at + 2 : stop]):
            yield _wish("goes by", text_of(s, at + 2, stop))
        return  # "call me tomorrow"
    answers = None if lead.forbids else _of_answers(s, at, stop, lasts=lasts)
    if answers is not None:
        yield answers
        return
    chosen = list(_chosen(s, at + 1, stop)) if s.verb[at] in words("order", "choosing") and not lead.forbids else []
    yield from chosen
    if not chosen and _is_work(s, at, stop) and _is_lasting(s, at, stop, forbids=lead.forbids, lasts=lasts):
        told = filter(None, (_told(s, at, stop), _condition(s, start)))
        yield _wish(NOT_TO if lead.forbids else TO, " ".join(told))


def _is_work(s: SentenceTokens, at: int, stop: int) -> bool:
    """Whether a verb is one of what an assistant does: one of the list, or any if it is done "when I ask"."""
    if s.verb[at] in words("order", "work"):
        return True
    asks = (place for place in range(at + 1, stop - 2) if s.low[place] in _ON_REQUEST and s.low[place + 1] == "i")
    return any(s.verb[place + 2] in words("order", "requesting") for place in asks)


_ON_REQUEST: Final = frozenset(("when", "whenever", "unless", "until", "if"))


def _is_lasting(s: SentenceTokens, at: int, stop: int, *, forbids: bool, lasts: bool) -> bool:
    """Whether an order to do some work, or not to, outlives the task at hand."""
    around = s.low[at : stop + 1]
    compound = s.low[at + 1].endswith("s") and at + 2 < stop and s.form[at + 2] & Form.BASE  # "commit messages follow"
    if compound or at + 1 >= stop or not words("order", "passing").isdisjoint(around):
        return False
    points = s.bits[at + 1] & SUBJECT or s.low[at + 1] in _POINTS
    if points and not (forbids and lasts):
        return False  # "use that from now on" says nothing without the talk
    return not points if lasts else forbids and s.verb[at] in words("order", "careful") and not points


_POINTS: Final = frozenset(("it", "this", "that", "these", "those", "them", "both", "one"))


def _of_answers(s: SentenceTokens, at: int, stop: int, *, lasts: bool) -> StatementDraft | None:
    """As in "answer in German", "keep your replies short", "be brief"."""
    if stop < len(s) and s.low[stop] == ":":
        return None  # "answer in German: what is a beetle?"
    tongue = next((place for place in range(at + 1, stop) if s.low[place] in words("order", "languages")), None)
    if tongue is not None and _is_tongue(s, at, tongue, lasts=lasts):
        scope = _scope(s, tongue + 1, stop)
        return _wish(_ANSWERS_IN, s.words(tongue, tongue + 1).capitalize(), scope)
    measure = next((place for place in range(at + 1, stop) if s.low[place] in words("order", "measures")), None)
    if measure is None:
        return None
    about = _has(s, at + 1, stop, words("order", "answers"))
    if (s.low[at] in ("keep", "make", "give", "write") and about) or (s.low[at] == "be" and measure <= at + 2):
        return _wish(_ANSWERS, s.low[measure])
    brief = s.verb[at] in words("order", "answering") and lasts
    return _wish(_ANSWERS, s.low[measure]) if brief else None


def _is_tongue(s: SentenceTokens, at: int, tongue: int, *, lasts: bool) -> bool:
    """Whether the language at a place is that of the answers which are ordered."""
    before, verb = s.low[tongue - 1], s.verb[at]
    if verb in ("switch", "go"):
        return before == "to" and s.low[at + 1] in ("to", "back")
    if verb in words("order", "answering"):
        return before == "in" or (verb == "speak" and tongue == at + 1)
    to_me = "me" in s.low[at:tongue] and before == "in"
    return lasts and (to_me or (verb in words("order", "choosing") and before in ("to", "with", s.low[at])))


def _chosen(s: SentenceTokens, low: int, stop: int, *, named: bool = False) -> Iterator[StatementDraft]:
    """What is to be used for which purpose: "tabs", "pnpm, not npm", "metric units".

    Args:
        named: whether no verb stands before it: "spaces from here on".
    """
    while low < stop and s.low[low] in ("to", "with", "back", "only", "the"):
        low += 1
    conventions: dict[str, str] = language()["convention"]
    end = next((at for at in range(low, stop) if s.bits[at] & (PREPOSITION | COMMA | NEGATION | ADVERB)), stop)
    if low >= end:
        return
    value = text_of(s, low, end)
    tail = s.low[low:end]
    purpose = next((conventions[word] for word in (*tail, " ".join(tail)) if word in conventions), None)
    if named and purpose is None and len(tail) == 1 and tail[0] in words("order", "languages"):
        yield _wish(_ANSWERS_IN, value.capitalize(), _scope(s, end, stop))
        return
    rejected = _rejected(s, end, stop)
    in_code = _place(s, end, stop)
    if purpose is None and (named or not (rejected or in_code)):
        return
    if s.bits[low] & (THIS | SUBJECT) or s.low[low] in _POINTS:
        return
    scope = purpose or _scope(s, end, stop)
    yield _wish(_PREFERS, value, scope)._replace(instead_of=rejected or None, where=in_code or None)


def _rejected(s: SentenceTokens, low: int, stop: int) -> str:
    """What an order rejects: "not npm", "instead of npm", "rather than npm"; empty if nothing."""
    for at in range(low, stop - 1):
        denied = s.low[at] == "not" and at == low + bool(s.bits[low] & COMMA)
        length = int(denied or s.low[at] == "over")
        length = 2 if (s.low[at], s.low[at + 1]) in (("instead", "of"), ("rather", "than")) else length
        if length and at + length < stop:
            ends = (place for place in range(at + length, stop) if s.bits[place] & (PREPOSITION | COMMA))
            return text_of(s, at + length, next(ends, stop))
    return ""


def _scope(s: SentenceTokens, low: int, stop: int) -> str | None:
    """What an order is for: "in emails", "for the cover letters"; None if it says nothing of it, or only the talk."""
    at = next((place for place in range(low, stop - 1) if s.low[place] == "for"), None)
    if at is None or s.low[at + 1] in ("now", "me", "everything", "all"):
        return None
    ends = (place for place in range(at + 1, stop) if s.bits[place] & (PREPOSITION | COMMA))
    return text_of(s, at + 1, next(ends, stop)) or None


def _place(s: SentenceTokens, low: int, stop: int) -> str:
    """The code that an order is for: "in this repo"; empty if it names none."""
    for at in range(low, stop - 2):
        own = s.low[at] in ("in", "for", "across") and s.low[at + 1] in ("this", "the", "our", "my")
        if own and s.low[at + 2] in words("place", "code"):
            return s.low[at + 2]
    return ""


def _released(s: SentenceTokens, start: int, stop: int) -> StatementDraft | None:
    """As in "you don't have to run the linter any more", "you can use emojis again"."""
    if s.low[start] != "you" or start + 3 > stop:
        return None
    if s.low[start + 1] in ("can", "may") and s.low[start + 2] in ("switch", "go", "be"):
        return _of_answers(s, start + 2, stop, lasts=True)
    again = not {"again", "anymore", "any more", "now"}.isdisjoint(s.low[start : stop + 1])
    may = s.low[start + 1] in ("can", "may")
    need = s.low[start + 1 : start + 3] == ["do", "not"] and s.low[start + 3 : start + 5] in (
        ["have", "to"],
        ["need", "to"],
    )
    at = start + (2 if may else 5)
    if not again or not (may or need) or at + 1 >= stop or s.verb[at] not in words("order", "work"):
        return None
    return _wish(NOT_TO if may else TO, _told(s, at, stop))._replace(status=FactStatus.CEASED, effect=Effect.CEASES)


# ----------------------------------------------------------------------------------------------------- where it stands


def _starts(s: SentenceTokens) -> Iterator[int]:
    """Where an order may begin: at the beginning of the sentence, after a mark, and after "and" or "but"."""
    yield 0
    for at in range(1, len(s) - 1):
        joins = s.bits[at - 1] & COORDINATOR and not s.bits[at - 2] & (COMMA | BREAK) if at > 1 else False
        if (s.bits[at - 1] & (BREAK | COMMA) and s.low[at - 1] not in _HYPHENS) or joins:
            yield at


_HYPHENS: Final = frozenset(("/", "-", "."))


def _after_leads(s: SentenceTokens, start: int, stop: int) -> _Lead:
    """What leads to an order: "please", "from now on", "I want you to", "never"."""
    at, forbids, always, asks = start, False, False, False
    phrases = _leading()
    while at < stop:
        length = next(
            (len(phrase) for phrase in phrases.get(s.low[at], ()) if s.low[at : at + len(phrase)] == phrase), 0
        )
        denies = s.low[at : at + 2] == ["do", "not"] and not s.asks
        if length:
            asks = asks or "you" in s.low[at : at + length]
            at += length
        elif denies or s.low[at] in ("always", "never"):
            always = always or not denies or s.low[at + 2] == "ever"
            forbids = forbids or denies or s.low[at] == "never"
            at += 1 + denies
        elif _is_lead(s, at) or (at > start and s.bits[at] & COMMA):
            at += 1
        else:
            break
    return _Lead(at, forbids, always, asks)


def _is_lead(s: SentenceTokens, at: int) -> bool:
    return s.low[at] in words("order", "leads") or bool(s.bits[at] & (INTERJECTION | OPENER | COORDINATOR))


def _end(s: SentenceTokens, start: int) -> int:
    """Where an order ends: at a mark, a reason, or what is said after it."""
    for at in range(start + 1, len(s)):
        if s.bits[at] & BREAK and s.low[at] not in _HYPHENS:
            return at
        if s.low[at] in words("words", "reason") and s.low[at] != "as":
            return at
        if at == start + 1 or not s.bits[at] & (COMMA | COORDINATOR):
            continue
        after = s.low[at + 1] if at + 1 < len(s) else ""
        opened = at + 1 < len(s) and (s.bits[at + 1] & (SUBJECT | POSSESSIVE | INTERJECTION | OPENER))
        if (
            opened
            or after in words("order", "ends")
            or (s.bits[at] & COMMA and at + 1 < len(s) and _is_verb(s, at + 1))
        ) and _after_leads(s, start, at).at < at:
            return at
    return len(s) - 1


def _is_verb(s: SentenceTokens, at: int) -> bool:
    return bool(s.form[at] & Form.BASE) and s.verb[at] in words("order", "work") and not s.bits[at] & NUMBER


# --------------------------------------------------------------------------------------------------------------- words


def _wish(verb: str, value: str, scope: str | None = None) -> StatementDraft:
    return StatementDraft("", verb, value, FactStatus.ACTIVE, FactType.PERSONAL, scope=scope)


def _told(s: SentenceTokens, low: int, stop: int) -> str:
    """The words of an order, told of the assistant: "run the linter before committing"."""
    told = _WHEN_YOU.sub(_without_you, text_of(s, low, stop))
    told = _FOR_HOW_LONG.sub("", told)
    if s.form[low] & Form.BASE and told[:1].isupper() and not told[1:2].isupper():
        told = told[:1].lower() + told[1:]  # the verb that begins a sentence
    return _YOUR.sub(lambda match: "its" if match[0].lower() == "your" else "it", told).strip(" ,")


def _condition(s: SentenceTokens, start: int) -> str:
    """When an order counts, if that stands before it: "whenever you write SQL, use ..."; empty if it does not."""
    if start == 0 or s.low[0] not in _CONDITIONS or s.low[1] != "you":
        return ""
    told = _WHEN_YOU.sub(_without_you, s.words(0, start).rstrip(" ,"))
    return told[:1].lower() + _YOUR.sub(lambda match: "its" if match[0].lower() == "your" else "it", told[1:])


_CONDITIONS: Final = frozenset(("when", "whenever", "before", "after", "while"))
_WHEN_YOU: Final = late_pattern(r"(?i)\b(before|after|whenever|when|while) you (\w+)\b")
_YOUR: Final = late_pattern(r"(?i)\b(?:your|you)\b")
_FOR_HOW_LONG: Final = late_pattern(
    r"(?i),?\s*\b(?:from (?:now|here) on(?:wards?)?|going forward|in (?:the )?future|please|again|any ?more"
    r"|(?:un)?til further notice|as a rule|at all times)\b"
)


def _without_you(match: re.Match[str]) -> str:
    verb = match[2].lower()
    return f"{match[1]} {gerund(verb)}" if analyses(verb) else match[0]


def _has(s: SentenceTokens, low: int, stop: int, wanted: frozenset[str]) -> bool:
    return not wanted.isdisjoint(s.low[low:stop])


@cache
def _cues() -> frozenset[str]:
    """Words one of which is in every sentence that orders something."""
    return words("order", "cues") | words("order", "measures")


@cache
def _leading() -> dict[str, list[list[str]]]:
    """Phrases before an order by their first word, the longest first."""
    table: dict[str, list[list[str]]] = {}
    for phrase in sorted((word.split() for word in words("order", "phrases")), key=len, reverse=True):
        table.setdefault(phrase[0], []).append(phrase)
    return table


@cache
def _standing() -> re.Pattern[str]:
    phrases = "|".join(sorted(words("order", "standing")))
    return re.compile(rf"\b(?:{phrases})\b")
