"""Whom a subject means: the speaker, somebody named, a relative of somebody, or whom a pronoun stands for.

A pronoun is resolved to the only person named before it that it can mean, in its own turn or in the nearest of the
turns before it that names one. Where two are possible, it means nobody: a fact about the wrong person is worse than
none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from clew.analyze.domain_words import rows
from clew.analyze.entities import is_no_name, listed_type
from clew.analyze.lexicon import fold
from clew.knowledge.morphology import Form
from clew.knowledge.rules.clause_bounds import Clause
from clew.knowledge.rules.lexicon import (
    ADVERB,
    AUXILIARY,
    BREAK,
    CONNECTOR,
    DETERMINER,
    INTERJECTION,
    MARK,
    NAME,
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
from clew.knowledge.rules.nouns import Sort, is_given_name, kin_sort
from clew.knowledge.rules.tokens import OWN, SentenceTokens

USER: Final = "user"
"""The speaker of a turn that names none."""

REACH: Final = 3
"""Turns before a turn in which its pronouns are looked up."""

_PRONOUNS: Final[dict[str, Sort]] = {"he": "male", "his": "male", "him": "male", "she": "female", "her": "female"}
_CALLED: Final = frozenset(("him", "her", "me"))
"""Words before a name that names nobody else: "everyone calls her Liz"."""
_IS: Final = frozenset(("is", "was", "'s"))
_PRONOUNS_OF_MANY: Final = frozenset(("they", "their", "them"))


@dataclass(frozen=True, slots=True)
class Referent:
    """Somebody or something that statements are about.

    Attributes:
        name: as statements name it.
        sort: what pronouns can stand for it; `person` is somebody of unknown sex, `name` has a name that is not listed.
        general: whether it is only named by a common noun ("the launch").
        kin: how it is related to `of`, such as "sister", if the phrase says both that and a name.
    """

    name: str
    sort: Sort
    general: bool = False
    kin: str = ""
    of: str = ""


NOBODY: Final = Referent("", "thing")
"""A subject that is not known, where a clause may still tell something of its object."""


@dataclass(slots=True)
class Mentions:
    """Who was mentioned so far in a turn and in the turns before it, the nearest last.

    `listener` is empty where it is not sure who is spoken to; where it is `asked`, "you" means the listener. `others`
    tells that the talk is of somebody else, who may be meant where a subject is left out; `unsure`, that a name was
    the last subject of the turn of which nobody knows whether it is a person's, so that "he" may mean it or not;
    `unnamed` holds the sorts of those who were named by no more than a noun ("a little girl") since somebody was named
    whom the same pronoun can mean.
    """

    speaker: str
    turns: list[list[Referent]] = field(default_factory=list)
    listener: str = ""
    asked: bool = False
    others: bool = False
    unsure: bool = False
    unnamed: frozenset[str] = frozenset()

    def add(self, referent: Referent) -> None:
        """Note a mention in the current turn; the speaker is never meant by "he" or "she"."""
        if referent.name != self.speaker and referent.sort != "thing":
            self.turns[-1].append(referent)
            self.unsure = False
            self.unnamed = frozenset(sort for sort in self.unnamed if referent.sort not in (sort, "person"))

    def names(self, word: str) -> bool:
        """Whether somebody mentioned has a name that begins with a word in lower case."""
        return any(mention.name.casefold().partition(" ")[0] == word for turn in self.turns for mention in turn)

    def meant(self, pronoun: str) -> Referent | None:
        """The only one whom a pronoun can mean; None if nobody or several fit."""
        if pronoun in _PRONOUNS and (self.unsure or _PRONOUNS[pronoun] in self.unnamed):
            return None
        for turn in reversed(self.turns):
            fitting = {mention.name: mention for mention in turn if _fits(mention, pronoun)}
            if len(fitting) == 1:
                return next(iter(fitting.values()))
            if fitting:
                return None
        return None


def _fits(referent: Referent, pronoun: str) -> bool:
    if pronoun in _PRONOUNS_OF_MANY:
        return referent.sort == "several"
    return referent.sort in (_PRONOUNS[pronoun], "person")


def addressed(s: SentenceTokens, clause: Clause, mentions: Mentions) -> Referent | None:
    """The listener, where they are told how they are related to somebody: "you're my sister"; else nobody."""
    if mentions.asked:
        return Referent(mentions.listener, "person")
    end = clause.group.end
    related = clause.group.verb == "be" and clause.group.tense == "present" and s.low[end] in OWN
    known = related and any(kin_sort(s.low[at]) for at in range(end, min(clause.stop, end + 4, len(s))))
    return Referent(mentions.listener, "person") if known and mentions.listener else None


def subject_of(s: SentenceTokens, span: tuple[int, int], mentions: Mentions) -> Referent | None:
    """Whom the subject of a clause means; None if that is unknown, or the listener."""
    low, high = span
    first = s.low[low]
    if high == low + 1:
        if first in ("i", "we", "us"):
            return Referent(mentions.speaker, "person")
        if first in _PRONOUNS or first in _PRONOUNS_OF_MANY:
            return mentions.meant(first)
        if s.bits[low] & (SUBJECT | THIS):
            return None
    entity = phrase(s, low, high, mentions)
    if entity is not None and entity.name.casefold() == mentions.speaker.casefold():
        return None  # nobody speaks of themselves by name: what does was pasted, or is to be believed of them
    return entity


def phrase(s: SentenceTokens, low: int, high: int, mentions: Mentions) -> Referent | None:
    """Whom or what a noun phrase means; "the user" is not the speaker of whom no name is known."""
    entity = _phrase(s, low, high, mentions)
    return None if entity is None or entity.name.casefold() == USER else entity


def _phrase(s: SentenceTokens, low: int, high: int, mentions: Mentions) -> Referent | None:
    first = s.low[low]
    if s.bits[low] & NAME and not s.bits[low] & (POSSESSIVE | DETERMINER):
        own = high == low + 1 and first in words("kin", "own")  # "Dad retired"
        return Referent(f"{mentions.speaker}'s {first}", kin_sort(first) or "person") if own else _named(s, low, high)
    if first in OWN:
        owned = _owned(s, low + 1, high, mentions.speaker)
        if owned and owned.general and first == "our":  # of a group: whoever says so means the same
            return replace(owned, name=s.words(low + 1, high))
        return owned
    if first in _PRONOUNS or first in _PRONOUNS_OF_MANY:
        owner = mentions.meant(first)
        return _owned(s, low + 1, high, owner.name) if owner else None
    if first == "the" and high > low + 1:
        return Referent(_bare(s, low + 1, high), "thing", general=True)
    return None


def _named(s: SentenceTokens, low: int, high: int) -> Referent | None:
    for place in range(low + 1, high - 1):
        if s.low[place] == "'s":  # Tom's sister
            return _owned(s, place + 1, high, _bare(s, low, place))
    if any(
        not s.bits[place] & (NAME | NUMBER) and s.low[place] not in ("of", "and", "the") for place in range(low, high)
    ):
        return None
    if any(s.low[place] == "and" for place in range(low, high)):
        return None
    if is_acronym(s, low, high):
        return Referent(_bare(s, low, high), "thing", general=True)
    return Referent(_bare(s, low, high), sort_of_name(s.low[low]))


def is_acronym(s: SentenceTokens, low: int, high: int) -> bool:
    """Whether a word is written in capitals among words that are not, as what a team measures is: "MRR is $19,100"."""
    raw = s.words(low, low + 1)
    shouted = high < len(s) and s.words(high, min(high + 2, len(s))).isupper()
    return high == low + 1 and raw.isalpha() and raw.isupper() and 1 < len(raw) <= _LONGEST_ACRONYM and not shouted


_LONGEST_ACRONYM: Final = 5


def sort_of_name(first: str) -> Sort:
    """The sort of what a name names, by its first word in lower case."""
    if is_given_name(first):
        return "person"
    if first[0] == "`":
        return "thing"  # of code
    return "name" if listed_type(first) is None else "thing"


def _owned(s: SentenceTokens, low: int, high: int, owner: str) -> Referent | None:
    """What belongs to somebody: "my older sister Anna" is Anna, "my sister" the sister of the owner."""
    if low >= high:
        return None
    name_at = next((at for at in range(low, high) if s.bits[at] & NAME), high)
    head = s.low[name_at - 1] if name_at > low else ""
    sort = kin_sort(head)
    if sort is not None and name_at < high and all(s.bits[at] & NAME for at in range(name_at, high)):
        return Referent(_bare(s, name_at, high), sort, kin=s.words(low, name_at), of=owner)
    inner = next((at for at in range(low + 1, high - 1) if s.low[at] == "'s"), None)
    if inner is not None:
        between = _owned(s, low, inner, owner)
        return _owned(s, inner + 1, high, between.name) if between else None
    sort = kin_sort(s.low[high - 1])
    return Referent(f"{owner}'s {_bare(s, low, high)}", sort or "thing", general=sort is None)


def _bare(s: SentenceTokens, low: int, high: int) -> str:
    """Words as written, without a possessive ending."""
    return s.words(low, high).removesuffix("'s").removesuffix("’s")


def mentioned(s: SentenceTokens, low: int, high: int, mentions: Mentions) -> Iterator[Referent]:
    """The people named in part of a sentence, subject or not: names, and relatives of somebody."""
    past = low
    for at in s.named:
        if not past <= at < high:
            continue
        bits = s.bits[at]
        if (
            bits & NAME
            and not bits & (OPENED | _NO_NAME)
            and not _is_determined(s, at)
            and (s.low[at - 1] not in _CALLED if at else is_given_name(s.low[0]) or is_unknown_person(s))
        ):
            past = at + 1
            while past < high and s.bits[past] & NAME:
                past += 1
            if (
                (sort_of_name(s.low[at]) == "person" or (at == 0 and is_unknown_person(s)))
                and not (_is_addressed(s, at, past) or _is_place(s, at, past))
                and not is_no_name(s.words(at, past))
            ):
                yield Referent(_bare(s, at, past), "person")
        elif s.low[at] in OWN:
            end = next((end for end in range(at + 1, min(high, at + 5)) if kin_sort(s.low[end]) is not None), None)
            if end is not None:
                past = end + 1
                while past < high and s.bits[past] & NAME:
                    past += 1
                found = _owned(s, at + 1, past, mentions.speaker)
                same = at > 1 and past == end + 1 and s.low[at - 1] in _IS and s.bits[at - 2] & NAME
                if found and not same:  # "Josh is my brother" names one person
                    yield found


def _is_place(s: SentenceTokens, at: int, end: int) -> bool:
    """Whether a given name is that of a place here: "back from Jordan", "we fly to Georgia"."""
    if end != at + 1 or s.low[at] not in words("place", "also_people") or at == 0:
        return False
    led = at > 1 and s.low[at - 1] == "to" and s.verb[at - 2] in words("time", "arranged")
    return led or s.low[at - 1] in words("place", "before")


def opens_with_unknown(s: SentenceTokens) -> bool:
    """Whether a sentence begins with a name that no list knows, which may be somebody's: "Femi prefers long days".

    Not where it is clear whose it is: somebody's ("Femi lives in Porto") or a company's ("Vela pays him").
    """
    if len(s) < 3 or not ((s.form[1] | s.form[2]) & (Form.THIRD | Form.PAST) or s.low[1] in _IS or s.low[2] in _IS):
        return False  # as most sentences, which need not be looked at closely
    at = _after_unknown(s)
    if not at or is_unknown_person(s) or _is_employer(s, at):
        return False
    does = s.form[at] & Form.THIRD and not s.bits[at] & (NAME | AUXILIARY)
    did = s.form[at] & Form.PAST and not s.bits[at] & (NAME | AUXILIARY) and not _is_english(s.low[0])
    is_one = s.bits[at] & AUXILIARY and s.low[at] in _IS and s.low[at] != "'s"
    return bool(does or did or is_one)


def _after_unknown(s: SentenceTokens) -> int:
    """The place after the unknown name with which a sentence begins; 0 if it begins with none."""
    if len(s) < 3 or not s.bits[0] & NAME or s.bits[0] & _NOT_UNKNOWN or s.form[0] or s.low[0][0] == "`":
        return 0
    unknown = sort_of_name(s.low[0]) == "name" and not is_no_name(s.words(0, 1))
    return 1 + bool(s.bits[1] & NAME and not s.form[1]) if unknown and kin_sort(s.low[0]) is None else 0


def is_unknown_person(s: SentenceTokens) -> bool:
    """Whether a sentence begins with an unknown name of somebody, by what it does: "Femi works at Vela"."""
    personal = _personal()
    if len(s) < 3 or (s.verb[1] not in personal and s.verb[2] not in personal):
        return False  # as most sentences, which need not be looked at closely
    at = _after_unknown(s)
    if not at or not s.form[at] & (Form.THIRD | Form.PAST) or s.bits[at] & NAME or at + 2 >= len(s):
        return False
    after = personal.get(s.verb[at])
    if not after or _is_english(s.low[0]) or _is_known_as_place(s):
        return False
    follows, bits = s.low[at + 1], s.bits[at + 1]
    told = follows in after and s.bits[at + 2] & (NAME | DETERMINER | POSSESSIVE)
    return bool(told or ("NAME" in after and bits & NAME) or ("ANY" in after and not bits & (SUBJECT | ADVERB)))


@cache
def _personal() -> dict[str, tuple[str, ...]]:
    """What follows the verbs by which a name is known to be somebody's."""
    return {verb: tuple(after.split()) for verb, after in language()["name"]["personal"].items()}


def _is_employer(s: SentenceTokens, at: int) -> bool:
    """Whether the verb at a place is what a company does to somebody, who is not the company: "Vela pays him"."""
    if not s.form[at] & (Form.THIRD | Form.PAST) or s.verb[at] not in words("name", "employing"):
        return False
    return bool(s.low[at + 1] in _EMPLOYED or s.bits[at + 1] & NAME)


_EMPLOYED: Final = frozenset(("him", "her", "me", "us", "them"))


def _is_known_as_place(s: SentenceTokens) -> bool:
    """Whether the first word stood behind "at" or its like before, as the names of companies and towns do."""
    before, name = s.text[: s.start[0]].lower(), s.low[0]
    return any(f" {link} {name}" in before for link in ("at", "joined", "in", "from"))


def _is_english(word: str) -> bool:
    """Whether a word in lower case is one of those of English that are known, and so no name that nobody knows."""
    return bool(rows[fold(word)])


_NOT_UNKNOWN: Final = (
    POSSESSIVE
    | DETERMINER
    | SUBJECT
    | THIS
    | INTERJECTION
    | OPENER
    | NUMBER
    | PREPOSITION
    | ADVERB
    | QUESTION
    | CONNECTOR
)


def _is_addressed(s: SentenceTokens, at: int, end: int) -> bool:
    """Whether a name between marks calls the listener: "Hey Joey, he is here"; "thanks, Tom!"."""
    before = s.bits[at - 1] if at else BREAK
    after = s.bits[end] if end < len(s) else BREAK
    return bool(before & (MARK | INTERJECTION | OPENER)) and bool(after & MARK)


_NO_NAME: Final = POSSESSIVE | DETERMINER | SUBJECT | THIS


def _is_determined(s: SentenceTokens, at: int) -> bool:
    """Whether an article stands before a name: "the Indians", "the Grand Canyon" are not persons."""
    return at > 0 and bool(s.bits[at - 1] & DETERMINER)


def window(before: Sequence[list[Referent]], speaker: str) -> Mentions:
    """Mentions for the next turn of a speaker, after those of the turns before it."""
    return Mentions(speaker, [*before[-REACH:], []])
