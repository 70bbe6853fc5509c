"""The conditions of a question about facts, and whether a fact meets them. Start at `FactQuery`."""

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
        """Whether stored facts answer it as they are; if not, whole groups are derived again."""
        return self.as_of is None and self.known_at is None and not self.aliases

    def moment(self, now: datetime) -> datetime:
        """The moment of the standings."""
        return self.as_of or self.known_at or now

    def names(self) -> list[str]:
        """The subject and its other names; none without a subject."""
        return [] if self.subject is None else names_of(self.subject, self.aliases)

    def fitting(self, facts: Iterable[Fact]) -> list[Fact]:
        """The facts whose words meet the conditions, in their order."""
        chosen = list(facts)
        for fits in self._tests():
            chosen = list(filter(fits, chosen))
        return chosen

    def _tests(self) -> list[Callable[[Fact], bool]]:
        """A test for each condition that is about words."""
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
    """Whether a value has all words, in any form; what has no word that tells anything, such as "the", as it stands."""
    wanted = set(terms(asked))
    return wanted <= set(terms(value)) if wanted else asked.casefold() in value.casefold()


def named(subject: str) -> str:
    """The subject that a name stands for."""
    return _SPEAKER if subject.strip().casefold() in _MYSELF else subject


def names_of(subject: str, aliases: Mapping[str, str]) -> list[str]:
    """All names of a subject, sorted: its own, and those of `FactQuery.aliases`."""
    return sorted({named(subject), *aliases, *aliases.values()})


@lru_cache(maxsize=1024)
def verb_fits(asked: str, verb: str) -> bool:
    """Whether a fact's verb is the asked one, in any form: its first words, the name of its slot, or a verb of that."""
    return _is_form(asked, verb) or slot_of(verb, ANY_SCOPE) in _slots_asked(asked)


@lru_cache(maxsize=256)
def _slots_asked(verb: str) -> tuple[Slot, ...]:
    """The slots that have a name, or a verb in any form: "uses" also asks for what was decided."""
    name = verb.casefold()
    return tuple(slot for slot in SLOTS if slot.name == name or any(_is_verb(name, form) for form in slot.verbs))


def _is_form(asked: str, verb: str) -> bool:
    """Whether words are the first words of a verb, the first of them in any form, with or without its "is"."""
    wanted = asked.casefold().split()
    words = _without_be(verb.casefold().split(), wanted)
    return bool(_lemmas(wanted[0]) & _lemmas(words[0])) and words[1 : len(wanted)] == wanted[1:]


def _is_verb(asked: str, verb: str) -> bool:
    wanted = asked.split()
    return len(wanted) == len(_without_be(verb.split(), wanted)) and _is_form(asked, verb)


def _without_be(words: list[str], wanted: list[str]) -> list[str]:
    """The words of a verb without a form of "be" at their beginning, if what is asked for can stand behind one."""
    return words[1:] if len(words) > 1 and lemma(words[0]) == _BE and _follows_be(wanted[0]) else words


def _follows_be(word: str) -> bool:
    """Whether a word can stand behind "is" in a verb: "scheduled", "allergic", but not "lives" or "is"."""
    return not analyses(word) or any(bits & Form.PARTICIPLE for bits in analyses(word).values())


@lru_cache(maxsize=1024)
def _lemmas(word: str) -> frozenset[str]:
    """The verbs of which a word can be a form."""
    return frozenset((lemma(word), *analyses(word.lower())))


def heads(asked: str) -> list[str]:
    """The dictionary forms of the verbs that a word may stand for, or of those of the slot that it names."""
    verbs = {asked, *(verb for slot in _slots_asked(asked) for verb in slot.verbs)}
    if _follows_be(head_of(asked.casefold())):
        verbs.add(_BE)
    return sorted({head for verb in verbs for head in _lemmas(head_of(verb))})


def other_side(asked: str) -> list[str]:
    """The verbs that say the same of an object as a verb in any form, or the opposite: "loved" has "hates"."""
    families = {family for verb, (family, _) in SIDES.items() if _is_form(asked, verb)}
    return [verb for verb, (family, _) in SIDES.items() if family in families]
