"""Where people take back or correct what they said: "no, I meant March 5", "just kidding"."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Final

from clew.knowledge.rules.clauses import clauses
from clew.knowledge.rules.given_values import same_measure
from clew.knowledge.rules.lexicon import (
    AUXILIARY,
    BREAK,
    COMMA,
    CONNECTOR,
    MODAL,
    NAME,
    QUESTION,
    SUBJECT,
    language,
    words,
)
from clew.knowledge.rules.meanings import ClauseReading, StatementDraft, is_appointment
from clew.knowledge.rules.moods import STATED
from clew.knowledge.rules.phrases import text_of
from clew.knowledge.rules.times import Validity, appointed, time_phrases, validity, word_before
from clew.knowledge.rules.tokens import SentenceTokens, read
from clew.knowledge.slots import slot_of
from clew.knowledge.values import same_value
from clew.text.dates import on_side
from clew.types.facts import Effect, FactStatus, FactType, Mood

_LONGEST: Final = 6
"""Words of a value that stands in for another."""


def repaired(reading: ClauseReading, draft: StatementDraft) -> StatementDraft:
    """The draft with what its sentence rejects, and as a correction or withdrawal where the sentence says so."""
    s = reading.s
    if draft.mood is Mood.NEGATED and not words("repair", "jokes").isdisjoint(s.low):
        return draft._replace(mood=Mood.ASSERTED, effect=Effect.RETRACTS)
    opens = s.low[0] in words("repair", "openings") or _is_meant(s, reading.clause.subject[0])
    if opens and draft.mood is Mood.ASSERTED and draft.effect is Effect.STATES:
        draft = draft._replace(effect=Effect.CORRECTS)
    rejected = _rejected(s, reading.clause.group.end, min(reading.clause.stop, len(s)))
    if not rejected or draft.mood is not Mood.ASSERTED or draft.instead_of:
        return draft
    corrects = not words("repair", "cues").isdisjoint(s.low[: reading.clause.subject[1] + 1])
    return draft._replace(instead_of=rejected, effect=Effect.CORRECTS if corrects else draft.effect)


def _is_meant(s: SentenceTokens, at: int) -> bool:
    """Whether "I meant" stands before a place; "I mean" says nothing."""
    said = [word for word in s.low[max(0, at - 5) : at] if word not in ("that", "to", "say")]
    return said[-2:] == ["i", "meant"]


def _rejected(s: SentenceTokens, at: int, stop: int) -> str:
    """The words of "..., not X" after an object."""
    place = next((place for place in range(at, stop - 1) if s.bits[place] & COMMA and s.low[place + 1] == "not"), None)
    if place is None:
        return ""
    end = place + 2
    while end < len(s) and not s.bits[end] & (BREAK | COMMA | SUBJECT | CONNECTOR | QUESTION):
        end += 1
    return text_of(s, place + 2, end) if end - place <= _LONGEST else ""


@cache
def _elliptical() -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(language()["repair"][name], re.IGNORECASE) for name in ("elliptical", "contrasted", "moved_on")
    )


def _bare(sentence: str) -> re.Match[str] | None:
    """The expression of a sentence that says no more than a value, and that another one was wrong or is over."""
    found = next((found for each in _elliptical() if (found := each.fullmatch(sentence)) is not None), None)
    return None if found is None or is_whole(found["value"]) else found


def is_elliptical(sentence: str) -> bool:
    """Whether a sentence names nothing but the right value: "No, I meant March 5", "It's Milan now"."""
    return _bare(sentence) is not None


@cache
def _jest() -> re.Pattern[str]:
    jest = language()["repair"]["jest"]
    return re.compile(rf"\W*(?:{jest})(?P<end>\W*$|[,;:–—-]+ )", re.IGNORECASE)


def is_jest(sentence: str) -> bool:
    """Whether a sentence begins by calling what was said before it a joke: "Just kidding, we stay."."""
    return _jest().match(sentence) is not None


@cache
def _inner_jest() -> re.Pattern[str]:
    jest = language()["repair"]["jest"]
    pause, short = r"[,;:(–—…]|\.\.|(?<=\s)-{1,2}(?=\s)", r"\s(?:(?:lol|haha+),? )?(?:just kidding|j/?k)[\s.!)]*$"
    return re.compile(rf"(?:(?:{pause})[\s.]*(?:{jest})(?P<end>\W*$|[,;:.!)–—…-]+\s*| -+ )|{short})", re.IGNORECASE)


def inner_jest(text: str, low: int, high: int) -> tuple[int, int] | None:
    """Both ends of the words by which a sentence calls what it said a joke: "it's green, just kidding, it's blue"."""
    match = _inner_jest().search(text, low + 1, high)
    return None if match is None else match.span()


def is_whole(value: str) -> bool:
    """Whether words are a sentence of their own: "No, I meant the launch is on March 5"."""
    s = read(value, 0, len(value))
    return any(clause.subject[0] < clause.subject[1] for clause in clauses(s, lambda _: True))


def is_fragment(value: str) -> bool:
    """Whether words have neither a subject nor a verb that agrees with one: "May 5", "no second replica"."""
    told = any(bits & (AUXILIARY | MODAL | SUBJECT) and not bits & NAME for bits in read(value, 0, len(value)).bits)
    return not told and not is_whole(value)  # "May" is a name


@cache
def _denying() -> re.Pattern[str]:
    return re.compile(language()["answer"]["no"], re.IGNORECASE)


def is_denial(text: str) -> bool:
    """Whether a turn begins by denying what was asked, without saying it again: "No, I don't."."""
    return text[:1] in "NnOoWwAaUuHh" and _denying().match(text) is not None


def denied(asked: Sequence[StatementDraft], speaker: str) -> Iterator[StatementDraft]:
    """The last of the statements that somebody was asked about, denied."""
    last = next((draft for draft in reversed(asked) if draft.subject == speaker and draft.mood is Mood.ASKED), None)
    if last is not None:
        yield last._replace(mood=Mood.NEGATED, effect=Effect.STATES, because=())


def is_bare_date(text: str, at: datetime | None) -> bool:
    """Whether a turn is nothing but a date, as the answer to "when" is: "From July.", "Oh, next Friday I think"."""
    if len(text) > _LONGEST_ANSWER or at is None:
        return False
    dates = time_phrases(text, at).dates
    return (
        len(dates) == 1
        and _bare_date().fullmatch(text[: dates[0].phrase_span[0]]) is not None
        and (_after_date().fullmatch(text[dates[0].phrase_span[1] :]) is not None)
    )


_LONGEST_ANSWER: Final = 60
"""Characters of an answer that is a date and nothing else."""


@cache
def _bare_date() -> re.Pattern[str]:
    return re.compile(language()["answer"]["before_date"], re.IGNORECASE)


@cache
def _after_date() -> re.Pattern[str]:
    return re.compile(language()["answer"]["after_date"], re.IGNORECASE)


def dated(
    asked: Sequence[StatementDraft], answer: str, at: datetime, speaker: str, *, past: bool
) -> Iterator[StatementDraft]:
    """The last of the statements that somebody was asked the time of, with the date of the answer.

    Args:
        asked: what the question asks.
        answer: a bare date.
        at: when it was said.
        past: whether the question asks of what has happened.
    """
    last = next((draft for draft in reversed(asked) if draft.subject == speaker and draft.mood is Mood.ASKED), None)
    if last is None:
        return
    found = time_phrases(answer, at).dates[0]
    link = word_before(answer, found)
    if found.guessed:
        found = on_side(found, at.date(), ahead=not past and link != "since")
    lasts = last.verb in words("state", "verbs")
    ahead = found.start > at.date()
    status = FactStatus.PLANNED if ahead else FactStatus.ACTIVE if lasts else FactStatus.COMPLETED
    if link == "since" or (not ahead and not past):
        status = FactStatus.ACTIVE
    when = answer[slice(*found.phrase_span)]
    held = validity(answer, found, status, lasts=lasts)
    yield last._replace(
        mood=Mood.ASSERTED, status=status, when=when, valid_from=held.start, valid_to=held.end, because=(), reason=None
    )


def corrections(sentence: str, said: Sequence[StatementDraft], at: datetime | None) -> Iterator[StatementDraft]:
    """The latest statement with a value of the same kind as the one that the sentence puts right, corrected.

    Args:
        said: what the speaker stated before, in order.
    """
    found = _bare(sentence.strip())
    if found is None:
        return
    expression, value = _elliptical().index(found.re), found["value"].strip()
    if expression == _MOVED_ON:
        telling = value_kind(value, at) == "date" and sentence.lstrip()[:2].lower() == "it"  # "It's Monday now"
        if not (telling or "'s " in value.replace("\u2019", "'")):  # "it is now Sam's turn"
            yield from _moved_on(value, said, at, changed=found["changed"] or "")
        return
    rejected = found["rejected"]
    if expression == _CONTRASTED:
        said = [each for each in said if each.object and same_value(each.object, rejected)]
    kind = value_kind(value, at)
    if kind == "other" and sentence.lstrip().startswith("*"):
        return  # "*laughs"
    for draft in reversed(said):
        if draft.mood in STATED and draft.object and value_kind(draft.object, at) == kind:
            yield put_right(draft, value, rejected, at)
            return


_CONTRASTED: Final = 1
_MOVED_ON: Final = 2
"""Places in `_elliptical`."""


def _moved_on(
    value: str, said: Sequence[StatementDraft], at: datetime | None, *, changed: str
) -> Iterator[StatementDraft]:
    """The latest statement whose value is another one now; the first held until then.

    Args:
        changed: the words that tell that somebody gave a thing its value, if there are some: people are no "it".
    """
    kind = value_kind(value, at)
    for draft in reversed(said):
        slot = slot_of(draft.verb, draft.scope)
        fits = slot is not None or (kind == "number" and draft.type is FactType.WORLD)
        if changed:
            is_name = draft.verb == "is named"
            fits = fits and draft.type is FactType.WORLD and is_name == ("renamed" in changed.lower())
        elif kind == "other":
            return  # "it's better now"
        stated = draft.mood is Mood.ASSERTED and draft.effect is not Effect.CEASES
        if stated and fits and draft.object and value_kind(draft.object, at) == kind:
            if kind == "number" and not same_measure(draft.object, value):
                continue
            if not same_value(draft.object, value):
                due = put_right(draft, value, None, at)
                yield due._replace(effect=Effect.STATES, when=value if kind == "date" else None, reason=None)
            return


def put_right(
    draft: StatementDraft, value: str, rejected: str | None, at: datetime | None, *, when: str = ""
) -> StatementDraft:
    """A statement with another value, as a correction of the first.

    Args:
        rejected: the words that the sentence rejects; None for the value that the statement has.
        when: the time of a plan that is put right instead of its value.
    """
    due = due_on(when, at, draft.status) if when else _due(draft, value, at)
    is_date = value_kind(value, at) == "date"
    return draft._replace(
        object=value,
        instead_of=(rejected or "").strip() or draft.object,
        effect=Effect.CORRECTS,
        mood=Mood.ASSERTED,
        when=when or (value if is_date else draft.when),
        valid_from=due.start,
        valid_to=due.end,
        because=(),
    )


def _due(draft: StatementDraft, value: str, at: datetime | None) -> Validity:
    """When an appointment is due that a value puts right; nothing for what is not an appointment."""
    return due_on(value, at, draft.status) if is_appointment(draft.verb) else Validity()


def due_on(value: str, at: datetime | None, status: FactStatus) -> Validity:
    """The time that a date means for what is due on it; nothing for what is not a date."""
    dates = time_phrases(value, at).dates or time_phrases(f"in {value}", at).dates
    if not dates:
        return Validity()
    if at is None or status is FactStatus.COMPLETED:  # "was scheduled for May 5": on either side
        return appointed(value, dates[0])
    return appointed(value, on_side(dates[0], at.date(), ahead=True))


def value_kind(value: str, at: datetime | None) -> str:
    """What sort of value words are, so that only one of the same sort takes their place."""
    if time_phrases(value, at).dates:
        return "date"
    if value[:1].isdigit() or value[:1] in "$€£":
        return "number"
    if value[:1].isupper():
        return "date" if time_phrases(f"in {value}", at).dates else "name"  # "July" alone may be somebody
    return "other"
