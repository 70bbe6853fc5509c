"""What is used instead of something else: "switched from X to Y", "ditched X for Y", "moved from Redis to Postgres"."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final

from clew.analyze.entities import listed_type
from clew.knowledge.rules.jobs import state_led_to
from clew.knowledge.rules.lexicon import DETERMINER, NAME, NUMBER, TO, language, words
from clew.knowledge.rules.meanings import ClauseReading, StatementDraft, is_name_or_product, of_group, type_of
from clew.knowledge.rules.nouns import is_given_name
from clew.knowledge.rules.objects import Object
from clew.knowledge.rules.phrases import text_of
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.slots import is_kind
from clew.knowledge.values import same_value
from clew.text.late_pattern import late_pattern
from clew.types.entity import NodeType
from clew.types.facts import UNSAID, Effect, FactStatus, Mood

_MOVES: Final = frozenset(("move", "switch", "migrate"))
_SWITCHES: Final = frozenset(("switches from", "migrates from"))


def word_at(reading: ClauseReading, low: int, high: int, *wanted: str) -> int | None:
    """The first place of one of some words, with a word after it."""
    return next((at for at in range(low, high - 1) if reading.s.low[at] in wanted), None)


def without_scope(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> StatementDraft:
    """The words as object, up to "for", after which the scope stands."""
    at = word_at(reading, low + 1, high, "for")
    if at is None:
        return base._replace(object=text_of(reading.s, low, high))
    return base._replace(object=text_of(reading.s, low, at), scope=text_of(reading.s, at + 1, high) or None)


def is_product(word: str) -> bool:
    """Whether words in lower case are the name of a product."""
    return listed_type(word) is NodeType.PRODUCT


def names_product(s: SentenceTokens, low: int, high: int) -> bool:
    """Whether words begin with the name of a product, of one word or two: a known one, or one that is spelled so."""
    if low >= high:
        return False
    if low + 1 < high and is_version(s, low):
        return True
    if is_product(s.low[low]) or (low + 1 < high and is_product(" ".join(s.low[low : low + 2]))):
        return True
    return listed_type(s.low[low]) is not NodeType.PLACE and _SPELLED.fullmatch(s.words(low, low + 1)) is not None


def is_version(s: SentenceTokens, at: int) -> bool:
    """Whether a name stands at a place with the number of a version: "Node 20", "Postgres 15"; not "Room 12"."""
    word, numbered = s.low[at], s.bits[at] & NAME and s.bits[at + 1] & NUMBER
    if not numbered or listed_type(word) is NodeType.PLACE or is_given_name(word):
        return False
    return word not in words("place", "numbered") and not is_kind(word)


_SPELLED: Final = late_pattern(r"(?!(?:Mc|Mac|De|La|Le|Du|Van|St)[A-Z])[A-Za-z]*[a-z][A-Z]\w*|\w+\.[A-Za-z]{2,}\w*")
"""How products are spelled and places are not: "GitHub", "Fly.io"."""


def of_product(reading: ClauseReading, key: str, obj: Object) -> str | None:
    """The verb of a move to a product, which nobody lives in: "went back to Redis for sessions"."""
    table: dict[str, str] = language()["canonical_of_product"]
    verb, s = table.get(key), reading.s
    if verb is None or obj.low >= obj.high or not names_product(s, obj.low, obj.high):
        return None
    after = obj.low + 1 + is_version(s, obj.low)
    goes_on = s.low[after] in _AFTER_PRODUCT or (s.bits[after] & TO and s.bits[after + 1] & NAME)
    return verb if after == obj.high or goes_on else None


_AFTER_PRODUCT: Final = frozenset("for from over instead rather".split())


def switch(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Switched from X to Y", "migrated the queue from X to Y", "replaced X with Y"."""
    if base.verb == "migrates":
        return _migrated(reading, base, low, high)
    if base.verb == "uses" and reading.clause.group.verb in _MOVES:
        at = word_at(reading, low + 1, high, "from")
        before = None if at is None else text_of(reading.s, at + 1, high)
        return None if at is None else [base._replace(object=text_of(reading.s, low, at), instead_of=before)]
    if base.verb in _GIVEN_UP_FOR:
        return _given_up(reading, base, low, high)
    into = "to" if base.verb in _SWITCHES else None
    at = word_at(reading, low + 1, high, into) if into else None
    if at is None:
        return None
    before = text_of(reading.s, low, at)
    base = without_scope(reading, base._replace(verb="uses", instead_of=before, status=FactStatus.ACTIVE), at + 1, high)
    return [base] if base.object else None


def leaving(reading: ClauseReading, draft: StatementDraft) -> StatementDraft:
    """The draft with `UNSAID` as what is left, if it says that somebody switches to it and not from what."""
    verb, is_use = reading.clause.group.verb, draft.verb in ("uses", "decides on")
    if not is_use or verb not in ("switch", "migrate") or draft.instead_of or draft.mood is not Mood.ASSERTED:
        return draft
    status = FactStatus.ACTIVE if draft.status is FactStatus.RECURRING and not draft.when else draft.status
    return draft._replace(instead_of=UNSAID, status=status)


def with_what_was_left(
    found: Sequence[StatementDraft], before: Callable[[], Iterable[StatementDraft]]
) -> list[StatementDraft]:
    """Statements of a turn, where those with `UNSAID` get what the talk said last that the same people use.

    Args:
        before: gives what the turns before it state, the nearest first.
    """
    made: list[StatementDraft] = []
    for draft in found:
        used = None
        if draft.instead_of == UNSAID:
            used = next((earlier for earlier in chain(reversed(made), before()) if _is_left(earlier, draft)), None)
        made.append(draft if draft.instead_of != UNSAID else _left_for(draft, used))
    return made


def _left_for(draft: StatementDraft, used: StatementDraft | None) -> StatementDraft:
    """A switch with what is left for it and for what purpose; a plan leaves nothing yet."""
    if used is None:
        return draft._replace(instead_of=None)
    left = None if draft.status is FactStatus.PLANNED else used.object
    return draft._replace(instead_of=left, scope=draft.scope or used.scope)


def _is_left(used: StatementDraft, draft: StatementDraft) -> bool:
    """Whether a statement says what somebody used who now uses something else for the same purpose."""
    chosen = used.verb in ("uses", "decides on", "chooses") and used.status is not FactStatus.CEASED
    same = used.subject == draft.subject and (not draft.scope or draft.scope == used.scope)
    stated = used.mood is Mood.ASSERTED and used.effect is not Effect.CEASES
    return chosen and same and stated and not same_value(used.object, draft.object)


def _given_up(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Replaced X with Y", "ditched X for Y", "dropped X in favour of Y", of products and what has a name."""
    s, into = reading.s, word_at(reading, low + 1, high, *_GIVEN_UP_FOR[base.verb])
    if into is None or base.status is not FactStatus.COMPLETED or base.effect is not Effect.STATES:
        return None
    first = into + 1 + 2 * (s.low[into] == "in")  # "in favour of"
    if s.low[into] == "in" and s.low[into + 1 : first] not in (["favor", "of"], ["favour", "of"]):
        return None
    if first >= high or any(s.bits[at] & DETERMINER or is_given_name(s.low[at]) for at in (low, first)):
        return None
    before = text_of(s, low, into)
    named = is_name_or_product(before) and (
        base.verb == "replaces" or (s.low[into] == "in" and listed_type(s.low[low]) is None)
    )
    if not (named or names_product(s, low, into) or names_product(s, first, high)):
        return None  # "ditched Berlin for Leipzig"
    found = base._replace(verb="uses", instead_of=before, status=FactStatus.ACTIVE)
    found = without_scope(reading, found, first, high)
    return [found] if found.object else None


_GIVEN_UP_FOR: Final = {
    "replaces": ("with",),
    **dict.fromkeys(("ditches", "drops", "scraps", "abandons"), ("for", "in")),
}
"""Verbs of what is given up, with the words before what is used instead."""


def _migrated(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    leaves, into = word_at(reading, low + 1, high, "from"), word_at(reading, low + 1, high, "to")
    if leaves is None or into is None or into < leaves or base.status is not FactStatus.COMPLETED:
        return None
    s, used = reading.s, text_of(reading.s, into + 1, high)
    scope, before = text_of(s, low, leaves), text_of(s, leaves + 1, into)
    found = base._replace(verb="uses", object=used, instead_of=before, scope=scope, status=FactStatus.ACTIVE)
    return [found] if is_name_or_product(used) else None


def moved_to_product(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "We're moving from Travis to GitHub Actions": nobody lives in a product."""
    s, leaving = reading.s, base.verb == "moves from"
    at = word_at(reading, low, high, "to" if leaving else "from")
    if at is None or not (names_product(s, low, at) or names_product(s, at + 1, high)):
        return None
    parts = [text_of(s, low, at), text_of(s, at + 1, high)]
    used, before = reversed(parts) if leaving else parts
    status = FactStatus.ACTIVE if base.status is FactStatus.COMPLETED else base.status
    return [base._replace(verb="uses", object=used, instead_of=before, where=None, status=status)]


def moved_all(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I moved everything from Figma to Penpot": what is used now, and what was used before."""
    s, low, high = reading.s, obj.low, obj.high
    whole = next((place for place in range(low, high) if s.low[place] == "from"), None)
    into = None if whole is None else next((at for at in range(whole + 2, high - 1) if s.bits[at] & TO), None)
    if whole is None or into is None or s.low[low] not in _ALL or whole > low + 3:
        return None
    status = state_led_to(reading)
    products = s.bits[whole + 1] & NAME and s.bits[into + 1] & NAME and names_product(s, whole + 1, into)
    if status is None or reading.clause.group.negated or not s.bits[whole + 1] & NAME:
        return None
    if not (products or names_product(s, into + 1, high)):  # a place, or a product that nobody knows: both are left
        left = StatementDraft(reading.owner.name, "moves from", text_of(s, whole + 1, into), FactStatus.COMPLETED)
        return [left._replace(type=type_of(reading, FactStatus.COMPLETED))] if status is FactStatus.ACTIVE else None
    base = StatementDraft(reading.owner.name, "uses", "", status, type_of(reading, FactStatus.ACTIVE))
    used = without_scope(reading, base, into + 1, high)
    return [of_group(reading, used._replace(instead_of=text_of(s, whole + 1, into)))]


_ALL: Final = frozenset(("everything", "all", "it"))
