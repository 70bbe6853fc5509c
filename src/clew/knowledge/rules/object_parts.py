"""Objects of several parts: "works at X as a Y", "moved from Y to X", "has a hamster called Nugget".

Each reader takes the object or leaves it to the next; the first that takes it decides.
"""

from collections.abc import Callable
from typing import Final

from clew.knowledge.morphology import Form
from clew.knowledge.rules.given_values import numbered_setting
from clew.knowledge.rules.hollow import is_acquaintance
from clew.knowledge.rules.jobs import job_of
from clew.knowledge.rules.lexicon import ADVERB, DETERMINER, NAME, POSSESSIVE, PREPOSITION, TO, words
from clew.knowledge.rules.meanings import ClauseReading, StatementDraft, status_of
from clew.knowledge.rules.nouns import kin_sort
from clew.knowledge.rules.phrases import head_of, text_of
from clew.knowledge.rules.switches import is_product, moved_to_product, switch, without_scope, word_at
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.slots import slot_of
from clew.types.facts import Effect, FactStatus, FactType

_WORKS: Final = frozenset(("works at", "works for", "works in"))


def _work(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Works at X as a Y"."""
    if base.verb not in _WORKS:
        return None
    s, at = reading.s, word_at(reading, low + 1, high, "as")
    job = text_of(s, at + 1, high) if at is not None else job_of(s, high, min(reading.clause.stop, len(s)))
    if not job:
        return None
    employer = base if at is None else base._replace(object=text_of(s, low, at))
    return [employer, base._replace(verb="works as", object=job)]


def _choice(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Decided on X over Y for Z", "decided to use X", "prefers X to Y"."""
    s = reading.s
    if base.verb == "decides" and (length := _to_use(s, low, high)):
        status = FactStatus.ACTIVE if base.status is FactStatus.COMPLETED else base.status
        base, low = base._replace(verb="decides on", status=status), low + length
    elif base.verb == "decides on" and s.low[low] == "to" and s.form[low + 1] & Form.BASE:
        return [base._replace(verb="decides", status=status_of(reading))]  # "chose to write a book"
    if base.verb not in words("decision", "verbs"):
        return None
    for at in range(low + 1, high - 1):
        length = _alternative(s.low[at], s.low[at + 1], base.verb)
        if length and not _is_purpose(s, at):
            base, high = without_scope(reading, base, at + length, high), at
            base = base._replace(instead_of=base.object or None)
            break
    base = without_scope(reading, base, low, high)
    return [base] if base.object else []


def _is_purpose(s: SentenceTokens, at: int) -> bool:
    """As in "prefers diagrams to fully grasp it", where "to" leads to no alternative."""
    after = at + 1 + bool(s.bits[at + 1] & ADVERB)
    return bool(s.bits[at] & TO and s.form[after] & Form.BASE and not s.bits[after] & (NAME | DETERMINER | POSSESSIVE))


def _to_use(s: SentenceTokens, low: int, high: int) -> int:
    """The number of words of "to use", "to go with" before what is chosen; 0 for others."""
    if s.low[low] != "to":
        return 0
    length = 2 if s.low[low + 1] in _CHOOSING else 3 if (s.low[low + 1], s.low[low + 2]) in _CHOOSING_WITH else 0
    return length if low + length < high else 0


_CHOOSING: Final = frozenset(("use", "choose", "adopt", "pick"))
_CHOOSING_WITH: Final = frozenset((("go", "with"), ("switch", "to"), ("stick", "with"), ("settle", "on")))


def _alternative(word: str, after: str, verb: str) -> int:
    """The number of words that open an alternative at a place; 0 if none does."""
    if (word, after) in (("instead", "of"), ("rather", "than")):
        return 2
    return int(word == "over" or (verb == "prefers" and word == "to"))


def _moved(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Moved to X from Y", "moved from Y to X"."""
    if base.verb not in ("lives in", "moves from") or reading.clause.group.verb != "move":
        return None
    if (used := moved_to_product(reading, base, low, high)) is not None:
        return used
    if head_of(reading.s, low, high) in words("place", "no_home"):
        return [base._replace(verb="moves to")] if base.verb == "lives in" else None
    if not reading.is_person and base.verb == "lives in":  # an office moves to a town, a newsletter to Mondays
        placed = reading.s.bits[low] & NAME and reading.s.low[low].rstrip("s") not in words("bare", "times")
        return [base._replace(verb="is located in")] if placed else []
    s, leaving = reading.s, base.verb == "moves from"
    at = word_at(reading, low, high, "to" if leaving else "from")
    parts = [text_of(s, low, high if at is None else at), text_of(s, at + 1, high) if at is not None else ""]
    home, left = reversed(parts) if leaving else parts
    status = FactStatus.ACTIVE if base.status is FactStatus.COMPLETED else base.status
    base = base._replace(verb="lives in", where=None, status=status)
    found = [base._replace(object=home)] if home else []
    if left and status is FactStatus.ACTIVE:
        found.append(base._replace(object=left, status=FactStatus.CEASED, effect=Effect.CEASES))
    return found


def _lives_with(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Lives with her parents in Leeds"."""
    placed = low < high < len(reading.s) and reading.s.low[high] == "in"
    if base.verb != "lives with" or not base.where or not placed or reading.clause.group.negated:
        return None
    return [base, base._replace(verb="lives in", object=base.where, where=None)]


def _traded(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Traded the Golf for a Tesla"."""
    at = word_at(reading, low + 1, high, "for") if base.verb in _TRADES else None
    if at is None:
        return None
    s, out = reading.s, reading.s.low[at - 1] == "out" and at - 1 > low
    given, taken = text_of(s, low, at - out), text_of(s, at + 1, high)
    if base.verb == "swaps" and base.status is FactStatus.COMPLETED and is_product(s.low[low]):
        in_place = next((place for place in range(at + 2, high) if s.bits[place] & PREPOSITION), high)
        used = base._replace(verb="uses", object=text_of(s, at + 1, in_place), status=FactStatus.ACTIVE)
        return [base._replace(verb="migrates from", object=given), used._replace(instead_of=given)]
    return [base._replace(object=given), base._replace(verb="gets", object=taken)]


_TRADES: Final = frozenset(("trades", "swaps", "exchanges"))


def _took_over(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Took over the billing service from Tom"."""
    if base.verb != "takes over" or not reading.is_person:
        return None
    at = word_at(reading, low + 1, high, "from") or high
    base = base._replace(object=text_of(reading.s, low, at))
    if base.status is not FactStatus.COMPLETED or reading.clause.group.negated:
        return [base]
    return [base, base._replace(verb="is responsible for", status=FactStatus.ACTIVE, type=FactType.PERSONAL)]


def _called(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Has a hamster called Nugget", "works at a company called Kaleva"."""
    at = word_at(reading, low + 1, high, "called", "named")
    if at is None or not reading.s.bits[at + 1] & NAME or reading.clause.group.negated:
        return None
    name, what = text_of(reading.s, at + 1, high), text_of(reading.s, low, at)
    slot = slot_of(base.verb)
    if slot is not None and slot.ground and not slot.stages:
        return [base._replace(object=name)]
    noun = head_of(reading.s, low, at)
    if base.verb not in _HAVING or kin_sort(noun) in (None, "several") or " and " in name:
        return None
    named = StatementDraft(f"{base.subject}'s {noun}", "is named", name, type=FactType.PERSONAL)
    return [named] if is_acquaintance(reading.s, low, at) else [base._replace(object=what), named]


def _numbered(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "The API listens on port 8080", "the dev server uses port 3000"."""
    lasts = base.status in (FactStatus.ACTIVE, FactStatus.RECURRING) and not reading.clause.group.negated
    given = None if reading.is_person or not lasts else numbered_setting(base.subject, reading, low, high)
    return None if given is None else [given._replace(effect=base.effect)]


_HAVING: Final = frozenset(("has", "gets", "owns", "adopts", "buys"))
_Reader = Callable[[ClauseReading, StatementDraft, int, int], list[StatementDraft] | None]

_READERS: Final[tuple[_Reader, ...]] = (
    _numbered,
    _work,
    switch,
    _choice,
    _moved,
    _lives_with,
    _traded,
    _took_over,
    _called,
)


def divided(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft]:
    """The statements that the parts of an object make; the given one alone if it has no parts."""
    parts = (read(reading, base, low, high) for read in _READERS)
    return next((drafts for drafts in parts if drafts is not None), [base])
