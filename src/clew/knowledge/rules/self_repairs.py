"""What a turn puts right itself: "The deadline is May 3 - sorry, May 5", "I'm a vegetarian. Actually, I'm vegan now".

A repair has a mark ("sorry,", "I mean", "scratch that") and what takes the place of something said before it: a clause
with the same subject about the same slot or with the same verb, or only a value. A value takes the place of one of its
kind in the sentence before; what is said of another matter, or beside the first ("too", "and"), repairs nothing.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Final, NamedTuple

from clew.knowledge.rules.lexicon import language, words
from clew.knowledge.rules.meanings import StatementDraft
from clew.knowledge.rules.repairs import is_fragment, is_whole, put_right, value_kind
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.slots import slot_of
from clew.knowledge.values import same_value
from clew.types.facts import Effect, FactStatus, Mood

_LONGEST: Final = 6
"""Words of a value that is given alone."""

_BESIDE: Final = "as well"
_ARTICLE: Final = re.compile(r"(?:an?|the|my|our)\s+", re.IGNORECASE)


class RepairMark(NamedTuple):
    """Where a sentence takes back what was said.

    Attributes:
        start: where the mark begins, at the start of the sentence or behind a comma or dash.
        end: where what takes the place begins.
        is_plain: whether the mark means nothing else ("scratch that"); "wait," and "actually" may also add something.
    """

    start: int
    end: int
    is_plain: bool


@cache
def _marks() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The expressions of a mark: at the start of a sentence, and within one."""
    said = language()["repair"]
    marks, pauses, turns, stop = said["marks"], said["pauses"], said["turns"], r"[,:;!.…]+"
    plain = rf"(?:{marks})\b[,:;.…]*|(?:{pauses})(?:{stop}|(?= (?:{pauses}|{marks}|{turns})\b))"
    either = rf"(?:(?P<{{}}>{plain})|(?:{turns})(?:{stop}|(?= )))"
    units = rf"(?:(?:{said['fillers']})[,.…]* +)*{either.format('plain')}(?: +{either.format('more')})*"
    begins = re.compile(rf"{units}(?: +|$)", re.IGNORECASE)
    within = re.compile(rf"(?:[,;:—–…]|\.\.|(?<=\s)-{{1,2}}(?=\s))[\s.]*(?P<mark>{units}) +", re.IGNORECASE)
    return begins, within


def opening_mark(text: str, low: int, high: int) -> RepairMark | None:
    """The mark with which a sentence begins."""
    match = _marks()[0].match(text, low, high)
    return None if match is None else _mark(match, low)


def inner_mark(text: str, low: int, high: int) -> RepairMark | None:
    """The first plain mark within a sentence, with something before and after it."""
    match = _marks()[1].search(text, low + 1, high)
    mark = None if match is None else _mark(match, match.start())
    return mark if mark is not None and mark.is_plain else None


def _mark(match: re.Match[str], start: int) -> RepairMark:
    return RepairMark(start, match.end(), bool(match["plain"] or match["more"]))


class SelfRepairs:
    """The sentences of one turn, where later ones may put earlier ones right."""

    def __init__(
        self,
        text: str,
        at: datetime | None,
        said: Sequence[StatementDraft],
        read: Callable[..., list[StatementDraft]],
    ) -> None:
        """Makes it for a turn.

        Args:
            text: its text.
            at: when it was said.
            said: what it states so far; whoever calls adds what `sentence` finds.
            read: gives the statements of a part of the text by its offsets, and its words if these are known.
        """
        self._text, self._at, self._said, self._read = text, at, said, read
        self._last: list[StatementDraft] = []
        self._carried = False

    def sentence(self, low: int, high: int, s: SentenceTokens) -> list[StatementDraft]:
        """The statements of the next sentence."""
        if not self._carried and words("repair", "hints").isdisjoint(s.low):
            self._last = self._read(low, high, s)
            return self._last
        opening = opening_mark(self._text, low, high) if self._said else None
        end, carried = (low if opening is None else opening.end), self._carried
        self._carried = False
        tail = self._text[end:high]
        if opening is None and not carried:
            inner = inner_mark(self._text, low, high)
            self._last = self._unmarked(low, high, s) if inner is None else self._split(low, inner, high, s)
        elif not tail.strip(" .!…"):  # "Scratch that."
            self._carried = opening is not None and opening.is_plain
            return []
        else:
            is_plain = carried or (opening is not None and opening.is_plain)
            right = self._given(tail, self._last, is_plain=is_plain)
            self._last = [right] if right else self._repairing(self._read(low, high, s), (), tail, is_plain=is_plain)
        return self._last

    def _unmarked(self, low: int, high: int, s: SentenceTokens) -> list[StatementDraft]:
        """The statements of a sentence without a mark: what is so now takes the place of what was said before."""
        drafts = self._read(low, high, s)
        if not drafts or not self._said or words("repair", "now").isdisjoint(s.low):
            return drafts
        return self._repairing(drafts, (), self._text[low:high], is_plain=False)

    def _split(self, low: int, mark: RepairMark, high: int, s: SentenceTokens) -> list[StatementDraft]:
        """The statements of a sentence with a mark in it: of both parts, if the second puts the first right."""
        tail = self._text[mark.end : high]
        head = self._read(low, mark.start)
        right = self._given(tail, head, is_plain=True)
        if right is not None:
            return [*head, right]
        drafts = self._read(mark.end, high) if is_whole(tail) else []
        repaired = self._repairing(drafts, head, tail, is_plain=True)
        return [*head, *repaired] if repaired != drafts else self._read(low, high, s)

    def _given(self, tail: str, said: Sequence[StatementDraft], *, is_plain: bool) -> StatementDraft | None:
        value = value_alone(tail, is_plain=is_plain)
        return given_alone(value, said, self._at, is_plain=is_plain) if value and said else None

    def _repairing(
        self, new: list[StatementDraft], head: Sequence[StatementDraft], tail: str, *, is_plain: bool
    ) -> list[StatementDraft]:
        """Statements of a clause behind a mark, each with the value whose place it takes."""
        if _adds(tail):
            return new
        said = [*self._said, *head]
        return [_repairing(draft, said, tail, is_plain=is_plain) for draft in new]


def value_alone(tail: str, *, is_plain: bool) -> str:
    """The value that is all that stands behind a mark: "May 5", "it's blue"; empty if there is more or none.

    Behind "actually," and of people ("she's great") no adjective is the value.
    """
    match = _value().fullmatch(tail)
    value = match["value"].strip() if match is not None else ""
    if not value or len(value.split()) > _LONGEST or _adds(tail):
        return ""
    if not is_fragment(value):
        return ""
    stands = match["stands"].lower() if match is not None else ""
    about = stands.startswith(("he", "she", "they")) or (stands and not is_plain)
    bare = _divided(value)[1]
    return "" if about and bare.islower() and bare[0].isalpha() else value  # "actually, it's lovely"


def given_alone(
    value: str, said: Sequence[StatementDraft], at: datetime | None, *, is_plain: bool
) -> StatementDraft | None:
    """The latest statement of a sentence with a value of the same kind, put right; None if there is none.

    Args:
        said: the statements of the sentence before the mark.
    """
    for draft in reversed(said):
        right = _in_place_of(draft, value, at)
        if draft.mood is not Mood.ASSERTED or draft.effect is Effect.CEASES or not right:
            continue
        if draft.object and _fits(draft, right, at, is_plain=is_plain) and not same_value(draft.object, right):
            return put_right(draft, right, None, at)
        planned = draft.status is FactStatus.PLANNED and draft.when and value_kind(right, at) == "date"
        if planned and value_kind(draft.object, at) != "date":
            return put_right(draft, draft.object, None, at, when=right)
    return None


@cache
def _value() -> re.Pattern[str]:
    stands = language()["repair"]["stands"]
    value = r"(?!(?:i|we|you|he|she|it|they|that|this)\b)(?:[^,;!?]|(?<=\d),(?=\d)){1,60}?"
    return re.compile(
        rf"(?P<stands>{stands})(?P<value>{value})(?:,? (?:sorry|oops|my bad|of course))?[.!…]*", re.IGNORECASE
    )


def _adds(tail: str) -> bool:
    low = tail.lower()
    return _BESIDE in low or not words("repair", "adds").isdisjoint(low.replace(".", " ").replace(",", " ").split())


def _in_place_of(draft: StatementDraft, value: str, at: datetime | None) -> str:
    """A value without the preposition that its verb has, and without its article; empty if its preposition differs."""
    preposition, rest = _divided(value)
    if preposition and not draft.verb.endswith(f" {preposition}") and value_kind(rest, at) != "date":
        return ""
    return _ARTICLE.sub("", rest, count=1)


def _divided(value: str) -> tuple[str, str]:
    """The preposition before a value, in lower case, and the value itself."""
    first, _, rest = value.partition(" ")
    return (first.lower(), rest) if rest and first.lower() in words("words", "preposition") else ("", value)


def _fits(draft: StatementDraft, value: str, at: datetime | None, *, is_plain: bool) -> bool:
    kind = value_kind(value, at)
    if kind != value_kind(draft.object, at):
        return False
    if kind != "other" or slot_of(draft.verb, draft.scope) is not None:
        return True
    return is_plain and draft.verb.partition(" ")[0] != "is"  # "it's just flattery" may be about anything


def _repairing(new: StatementDraft, said: Sequence[StatementDraft], tail: str, *, is_plain: bool) -> StatementDraft:
    if new.mood is not Mood.ASSERTED or new.effect is not Effect.STATES or new.instead_of or not new.object:
        return new
    old = next((draft for draft in reversed(said) if _is_about_the_same(draft, new, is_plain=is_plain)), None)
    if old is None:
        return new
    moved = not words("repair", "now").isdisjoint(re.findall(r"\w+", tail.lower())) or _began(new)
    happened = FactStatus.COMPLETED in (new.status, old.status)
    effect = Effect.STATES if (moved or not is_plain) and not happened else Effect.CORRECTS
    return new._replace(instead_of=old.object, effect=effect, scope=new.scope or old.scope)


def _began(draft: StatementDraft) -> bool:
    slot = slot_of(draft.verb, draft.scope)
    return draft.valid_from is not None and not (slot is not None and slot.dated)


def _is_about_the_same(old: StatementDraft, new: StatementDraft, *, is_plain: bool) -> bool:
    """Whether a statement has another value of what a later one is about."""
    if old.subject != new.subject or old.mood is not Mood.ASSERTED or old.effect is Effect.CEASES or not old.object:
        return False
    if same_value(old.object, new.object) or (old.scope and new.scope and old.scope != new.scope):
        return False
    slots = slot_of(old.verb, old.scope), slot_of(new.verb, new.scope or old.scope)
    if slots[0] is not None or slots[1] is not None:
        return slots[0] is slots[1]
    return is_plain and old.verb == new.verb and old.status is new.status
