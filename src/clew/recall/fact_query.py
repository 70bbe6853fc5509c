"""A question about facts, and whether a fact meets its conditions. Start at `FactQuery`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Final

from clew.knowledge.groups import subject_key
from clew.knowledge.morphology import Form, analyses, lemma
from clew.knowledge.slots import ANY_SCOPE, SIDES, SLOTS, Slot, slot_of
from clew.rows.facts import head_of
from clew.text.terms import terms
from clew.types.facts import Fact, FactStatus

_SPEAKER: Final = "user"
_MYSELF: Final = frozenset({"i", "me", "myself"})
_BE: Final = "be"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactQuery:
    """What facts are asked for; a fact must meet every condition that is given.

    Attributes:
        subject: a name, in any spelling that is one entity with the stored one; `me` is the user without a name.
        verb: in any form: "led" finds "leads", "live" finds "lives in", "scheduled" finds "is scheduled for"; or the
            name of a slot, such as `home`.
        object: words that the object has, in any form.
        status: a fact's own status, whatever became of it since; None for facts that hold, are planned or happened.
        as_of: a moment: what held then, as far as is known.
        known_at: a moment: what followed from what had been said by then.
        limit: most facts, the newest first; None for all.
        aliases: keys of other names of the subject -> the key that stands for all of them. Facts under any of these
            names are facts of one person.
        nicknames: the same for every person, where no subject is asked for.
    """

    subject: str | None = None
    verb: str | None = None
    object: str | None = None
    status: FactStatus | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    limit: int | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    nicknames: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_about_now(self) -> bool:
        """Whether the stored facts answer the query as they are.

        If not, facts are derived again, for another moment or with names joined.
        """
        return self.as_of is None and self.known_at is None and not self.aliases

    def moment(self, now: datetime) -> datetime:
        """The moment for which the standing of facts is computed."""
        return self.as_of or self.known_at or now

    def names(self) -> list[str]:
        """The subject with all its other names; empty without a subject."""
        return [] if self.subject is None else names_of(self.subject, self.aliases)

    def fitting(self, facts: Iterable[Fact]) -> list[Fact]:
        """The facts that meet the conditions on words, in their order."""
        chosen = list(facts)
        for fits in self._tests():
            chosen = list(filter(fits, chosen))
        return chosen

    def _tests(self) -> list[Callable[[Fact], bool]]:
        """One test for each condition on words."""
        tests: list[Callable[[Fact], bool]] = []
        if self.subject is not None:
            keys = frozenset(map(subject_key, self.names()))
            tests.append(lambda fact: subject_key(fact.subject) in keys)
        if (verb := self.verb) is not None:
            tests.append(lambda fact: verb_fits(verb, fact.verb))
        if (words := self.object) is not None:
            tests.append(lambda fact: _has_words(fact.object, words))
        return tests


def _has_words(value: str, asked: str) -> bool:
    """Whether a value contains all asked words, in any form.

    If none of them carries a meaning ("the"), the value must contain them literally.
    """
    wanted = set(terms(asked))
    return wanted <= set(terms(value)) if wanted else asked.casefold() in value.casefold()


def named(subject: str) -> str:
    """The stored subject that a name stands for, such as the user for "me"."""
    return _SPEAKER if subject.strip().casefold() in _MYSELF else subject


def names_of(subject: str, aliases: Mapping[str, str]) -> list[str]:
    """All names of a subject, sorted: the name itself, and those that `FactQuery.aliases` gives it."""
    return sorted({named(subject), *aliases, *aliases.values()})


@lru_cache(maxsize=1024)
def verb_fits(asked: str, verb: str) -> bool:
    """Whether a fact's verb answers the verb of a question, in any form.

    It does if it begins with the asked words, or belongs to a slot that they name.
    """
    return _is_form(asked, verb) or slot_of(verb, ANY_SCOPE) in _slots_asked(asked)


@lru_cache(maxsize=256)
def _slots_asked(verb: str) -> tuple[Slot, ...]:
    """The slots that a word names, by the slot's own name or by one of its verbs: "uses" also asks for decisions."""
    name = verb.casefold()
    return tuple(slot for slot in SLOTS if slot.name == name or any(_is_verb(name, form) for form in slot.verbs))


def _is_form(asked: str, verb: str) -> bool:
    """Whether a verb begins with these words, the first of them in any form, with or without a leading form of "be"."""
    wanted = asked.casefold().split()
    words = _without_be(verb.casefold().split(), wanted)
    return bool(_lemmas(wanted[0]) & _lemmas(words[0])) and words[1 : len(wanted)] == wanted[1:]


def _is_verb(asked: str, verb: str) -> bool:
    wanted = asked.split()
    return len(wanted) == len(_without_be(verb.split(), wanted)) and _is_form(asked, verb)


def _without_be(words: list[str], wanted: list[str]) -> list[str]:
    """The words of a verb without a leading form of "be", if the asked word can follow one."""
    return words[1:] if len(words) > 1 and lemma(words[0]) == _BE and _follows_be(wanted[0]) else words


def _follows_be(word: str) -> bool:
    """Whether a word can stand behind "is" in a verb: "scheduled", "allergic", but not "lives" or "is"."""
    return not analyses(word) or any(bits & Form.PARTICIPLE for bits in analyses(word).values())


@lru_cache(maxsize=1024)
def _lemmas(word: str) -> frozenset[str]:
    """The verbs of which a word may be an inflected form."""
    return frozenset((lemma(word), *analyses(word.lower())))


def heads(asked: str) -> list[str]:
    """The dictionary forms of the verbs that a word may mean, or of the verbs of the slot that it names."""
    verbs = {asked, *(verb for slot in _slots_asked(asked) for verb in slot.verbs)}
    if _follows_be(head_of(asked.casefold())):
        verbs.add(_BE)
    return sorted({head for verb in verbs for head in _lemmas(head_of(verb))})


def other_side(asked: str) -> list[str]:
    """The verbs that say of an object the same as a verb in any form, or the opposite: "hates" for "loved"."""
    families = {family for verb, (family, _) in SIDES.items() if _is_form(asked, verb)}
    return [verb for verb, (family, _) in SIDES.items() if family in families]
