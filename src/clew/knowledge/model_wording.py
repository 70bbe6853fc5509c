"""A model's verbs and dates in the form that the rules give theirs, so that both fill the same slots."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Final

from clew.knowledge.morphology import Form, analyses, lemma
from clew.knowledge.rules.lexicon import words
from clew.knowledge.rules.meanings import DATING, canonical, third
from clew.knowledge.slots import slot_of
from clew.text.dates import on_side, resolve
from clew.types.facts import FactStatus, Statement

_BE: Final = frozenset("am are is was were be been being".split())
_WAS: Final = frozenset(("was", "were", "been"))
_AUXILIARY: Final = frozenset("have has had will would do does did going to am are is was were be been being".split())
_VERB_FORMS: Final = Form.BASE | Form.PAST | Form.PARTICIPLE | Form.GERUND
_SINCE: Final = frozenset(("since", "from"))
_UNTIL: Final = frozenset(("until", "till", "til", "through"))
_OVER: Final = frozenset((FactStatus.COMPLETED, FactStatus.CEASED))
_POINTS: Final = frozenset((FactStatus.COMPLETED, FactStatus.PLANNED, FactStatus.CEASED, FactStatus.ABANDONED))


def canonical_verb(told: str) -> str:
    """The canonical form of a verb with its preposition: "lived in", "has been living in" and "move to" -> "lives in".

    A denied verb ("does not eat") and what does not look like a verb stay as they are, in lower case.
    """
    parts = told.lower().replace("_", " ").split()
    whole = " ".join(parts)
    if not parts or "not" in parts or slot_of(whole, "any") is not None:
        return whole
    if parts[0] in _BE:
        copula = f"{'was' if parts[0] in _WAS else 'is'} {' '.join(parts[1:])}"
        for form in (copula, f"is {' '.join(parts[1:])}", f"was {' '.join(parts[1:])}"):
            if slot_of(form, "any") is not None:
                return form
    while len(parts) > 1 and parts[0] in _AUXILIARY and _is_verb_form(parts[1]) and not _is_passive(parts):
        parts = parts[1:]
    if parts[0] in _BE:
        return canonical(" ".join(parts[1:])) or f"is {' '.join(parts[1:])}".strip()
    verb, rest = lemma(parts[0]), " ".join(parts[1:])
    key = f"{verb} {rest}".strip()
    return canonical(key) or canonical(" ".join(parts)) or third(verb, rest)


def worded(statement: Statement) -> Statement:
    """A statement with the canonical verb and the time that its words say; they are resolved against `said_at`.

    An event that leads to a state ("moved to") makes it hold from then on.
    """
    verb = canonical_verb(statement.verb)
    status = statement.status
    led = status is FactStatus.COMPLETED and lemma(statement.verb.split()[0]) != lemma(verb.split()[0])
    if led and verb in words("state", "verbs"):
        status = FactStatus.ACTIVE
    start, end = _time(replace(statement, verb=verb), led=led)
    return replace(statement, verb=verb, status=status, valid_from=start, valid_to=end)


def _time(statement: Statement, *, led: bool) -> tuple[datetime | None, datetime | None]:
    slot = slot_of(statement.verb, statement.scope)
    dated = slot is not None and slot.dated
    text = statement.object if dated else statement.when or ""
    dates = resolve(text, statement.said_at)
    if not dates:
        return None, None
    date = dates[0]
    ahead = _side(statement, text[: date.phrase_span[0]], is_appointment=slot is not None and dated and slot.event)
    if ahead is not None and statement.said_at is not None:
        date = on_side(date, statement.said_at.date(), ahead=ahead)
    start, end = (datetime.combine(day, time(), UTC) for day in (date.start, date.end + timedelta(days=1)))
    first = text.lower().split()[0]
    if first in _UNTIL:
        return None, end
    if dated or (statement.status in _POINTS and not led):
        return start, end
    return (start, None) if led or first in _SINCE else (None, None)


def _side(statement: Statement, link: str, *, is_appointment: bool) -> bool | None:
    """Whether a date lies ahead of today where its year or week is not said; None where it may be on either side.

    Args:
        link: the words before the date.
    """
    words_before = link.lower().split()
    if words_before[-1:] == ["since"]:
        return False
    if statement.status is FactStatus.PLANNED or (is_appointment and statement.status is not FactStatus.COMPLETED):
        return True
    prepares = lemma(statement.verb.split()[0]) in words("time", "preparing")  # "booked a room for May"
    dates_verb = not prepares and DATING.issuperset(words_before[-1:])
    return False if dates_verb and statement.status in _OVER else None


def _is_passive(parts: Sequence[str]) -> bool:
    """Whether words begin with a form of "be" and a participle: "is held on"."""
    bits = 0
    for form in analyses(parts[1]).values():
        bits |= form
    return parts[0] in _BE and bool(bits & Form.PARTICIPLE) and parts[1] not in _AUXILIARY


def _is_verb_form(word: str) -> bool:
    return any(form & _VERB_FORMS for form in analyses(word).values()) or word in _AUXILIARY
