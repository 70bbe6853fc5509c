"""What is said of a thing with "be": when it takes place, where it is, at what it is set."""

from collections.abc import Callable
from dataclasses import dataclass

from clew.analyze.entities import is_no_name
from clew.knowledge.morphology import Form
from clew.knowledge.rules.given_values import given_value, is_price, numbered_setting
from clew.knowledge.rules.lexicon import COORDINATOR, DETERMINER, MARK, NAME, POSSESSIVE, PREPOSITION, TO, words
from clew.knowledge.rules.meanings import ClauseReading, StatementDraft, ended
from clew.knowledge.rules.objects import Object
from clew.knowledge.rules.phrases import text_of
from clew.knowledge.rules.times import TO_DATE, word_before
from clew.knowledge.rules.tokens import SentenceTokens
from clew.types.facts import Effect, FactStatus


@dataclass(frozen=True, slots=True)
class Complement:
    """What stands after "be", and the statement that it completes."""

    reading: ClauseReading
    base: StatementDraft
    obj: Object

    @property
    def s(self) -> SentenceTokens:
        """The sentence."""
        return self.reading.s

    @property
    def first(self) -> str:
        """The first word in lower case; empty if there is none."""
        return self.s.low[self.obj.low] if self.obj.low < self.obj.high else ""

    @property
    def text(self) -> str:
        """The words, without an article before them."""
        return text_of(self.s, self.obj.low, self.obj.high)

    def moved_to_date(self) -> list[StatementDraft]:
        """The statement that the subject is scheduled for the first date of the clause."""
        return [self.base._replace(verb="is scheduled for", object=self.reading.date_text, status=FactStatus.ACTIVE)]

    def with_verb(self, verb: str, target: str | None = None) -> list[StatementDraft]:
        """One statement with another verb."""
        return [self.base._replace(verb=verb, object=self.text if target is None else target)]


ComplementReader = Callable[[Complement], list[StatementDraft] | None]
"""Takes a complement, or leaves it to the next reader by None."""


def numbered(c: Complement) -> list[StatementDraft] | None:
    """As in "The gateway is on port 6380"."""
    if c.reading.is_person or not (given := numbered_setting(c.base.subject, c.reading, c.obj.low, c.obj.high)):
        return None
    return [given._replace(status=c.base.status, effect=c.base.effect)]


def place_of_thing(c: Complement) -> str:
    """The name of where a thing is: "our office is in Graz"; empty in "the office is at capacity", "is in German"."""
    s, (low, high), at = c.s, c.reading.clause.subject, c.obj.low
    told = low < high and bool(s.bits[low] & (DETERMINER | POSSESSIVE)) and s.low[low] not in ("a", "an", "no")
    if not told or c.reading.is_person or s.low[high - 1] not in words("place", "located"):
        return ""
    at += s.low[at] == "the"
    end = at
    while end < c.obj.high and s.bits[end] & NAME and s.words(end, end + 1)[:1].isupper():
        end += 1
    whole = end > at and (end == c.obj.high or bool(s.bits[end] & (PREPOSITION | MARK)))
    return text_of(s, at, end) if whole and not is_no_name(s.words(at, at + 1)) else ""


def called_off(c: Complement) -> list[StatementDraft] | None:
    """As in "The wedding is off", "the launch was called off", "has been cancelled": no date holds any more."""
    s, group = c.s, c.reading.clause.group
    called = c.first == "called" and s.low[c.obj.low + 1] == "off"
    at = c.obj.low + 1 if called else group.end
    if s.low[at] not in ("off", "cancelled", "canceled") or c.reading.is_person:
        return None
    almost = called and c.obj.low > group.end
    stated = not (group.negated or almost) and c.base.status is not FactStatus.PLANNED
    last = at + 1 >= c.reading.clause.stop or bool(s.bits[at + 1] & (MARK | COORDINATOR))
    return [ended(c.reading, "is scheduled for")] if stated and last else []


def at_version(c: Complement) -> list[StatementDraft] | None:
    """As in "The gateway is at version 2.3"."""
    if c.first != "version" or c.obj.preposition not in ("at", "on", ""):
        return None
    return c.with_verb("is at version", c.s.words(c.obj.low + 1, min(c.obj.high, c.obj.low + 2)))


def is_code(text: str) -> bool:
    """Whether a word is a path, a dotted name, or marked as code."""
    return " " not in text and ("/" in text or "." in text[1:-1] or "`" in text)


def dated(c: Complement) -> list[StatementDraft] | None:
    """As in "Is due on Friday", "is scheduled for May 5"."""
    if c.first not in ("scheduled", "due", "planned"):
        return None
    after = after_preposition(c)
    target = c.reading.date_text or (text_of(c.s, after, c.obj.high) if after > c.obj.low + 1 else "")
    return c.with_verb("is due on" if c.first == "due" else "is scheduled for", target) if target else []


def after_preposition(c: Complement) -> int:
    """The word after the first and the preposition that goes with it: "allergic to [nuts]"."""
    at = c.obj.low + 1
    at += 2 * (c.s.low[at : at + 2] == ["at", "all"] and at + 2 < c.obj.high)  # "involved at all in"
    return at + (at < c.obj.high and bool(c.s.bits[at] & PREPOSITION))


def changed(c: Complement) -> list[StatementDraft] | None:
    """As in "was moved to Friday", "has been raised to 900 euros", "is set to 60 seconds", "is 900 euros"."""
    s, low = c.s, c.obj.low
    if c.reading.is_person or c.base.status is FactStatus.PLANNED or c.base.effect is not Effect.STATES:
        return None
    verb = s.verb[low] if s.form[low] & Form.PARTICIPLE else ""
    if c.reading.when.dates and verb in words("reschedule", "verbs"):
        return c.moved_to_date() if word_before(s.text, c.reading.when.dates[0]) in TO_DATE else None
    thing, value = c.reading.clause.subject, (low, c.obj.high)
    if verb in words("change", "verbs"):
        at = next((at for at in range(c.obj.high - 2, low, -1) if s.bits[at] & TO), None)
        if at is None:
            return None
        value = (at + 1, c.obj.high)
    elif c.base.status is not FactStatus.ACTIVE or not (is_price(c.reading, *value) or _is_setting(s, *thing)):
        return None
    found = given_value(c.reading, thing, value)
    return None if found is None else [found]


def _is_setting(s: SentenceTokens, low: int, high: int) -> bool:
    """Whether a subject is what is set to a number: "the session timeout"."""
    return low < high and s.low[high - 1] in words("attribute", "settings")


def in_code(c: Complement) -> list[StatementDraft] | None:
    """As in "`parse` is defined in `cli.py`"."""
    after = after_preposition(c)
    if c.reading.is_person or c.first not in words("complement", "in_code") or after == c.obj.low + 1:
        return None
    target = text_of(c.s, after, c.obj.high)
    return c.with_verb(f"is {c.first} {c.s.low[after - 1]}", target) if "`" in target or is_code(target) else None
