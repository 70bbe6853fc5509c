"""How the clauses of a sentence are meant: asserted, negated, asked, conditional, imagined, or quoted."""

from collections.abc import Sequence
from typing import Final

from clew.knowledge.rules.clause_bounds import Clause
from clew.knowledge.rules.lexicon import (
    AUXILIARY,
    CONDITION,
    COORDINATOR,
    DETERMINER,
    INTERJECTION,
    MARK,
    NAME,
    NEGATION,
    OPENED,
    OPENER,
    POSSESSIVE,
    QUESTION,
    SUBJECT,
    THIS,
    words,
)
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.rules.unreal import is_nearly, is_of_story
from clew.types.facts import Mood

STATED: Final = frozenset((Mood.ASSERTED, Mood.NEGATED))
"""Moods of statements that can become or end facts."""
_FIRST: Final = frozenset(("i", "we"))
_CONTENT_LINKS: Final = frozenset(("that", "", "how"))
_FREE: Final = frozenset(("what", "whatever", "how", "why", "whether", "which", "whom", "whose"))
_NO_CONDITION: Final = frozenset("as even possible needed necessary any not so ever anything".split())
_YET_TO_BE: Final = frozenset(("when", "whenever", "once", "until", "till", "til", "before", "after"))
_GENERIC: Final = _YET_TO_BE | {"while", "as", "where"}


def moods(s: SentenceTokens, clauses: Sequence[Clause]) -> list[Mood]:
    """The mood of each clause."""
    found: list[Mood] = []
    asked_from = 0 if _mocks(s) else _asked_from(s, clauses)
    for index, clause in enumerate(clauses):
        mood = _own_mood(s, clause)
        if index >= asked_from or clause.asked:
            mood = Mood.ASKED
        elif (
            (clause.shared or _is_also_said(s, clause))
            and found
            and mood in (Mood.ASSERTED, Mood.NEGATED)
            and (above := _above(clauses, index, found)) not in (Mood.NEGATED, Mood.ASSERTED)
        ):
            mood = above
        elif mood in (Mood.ASSERTED, Mood.NEGATED):
            mood = _governed(s, clauses, index, found) or mood
        found.append(mood)
    return _with_conditions(s, clauses, found)


def _mocks(s: SentenceTokens) -> bool:
    """Whether a sentence scoffs at another one: "Sure, and I'm the Queen of Spain"."""
    first = 1 + (s.low[:2] in (["yeah", "right"], ["yeah", "sure"]))
    return s.low[first - 1] in ("sure", "right") and s.low[first : first + 3] == [",", "and", "i"]


def _above(clauses: Sequence[Clause], index: int, found: Sequence[Mood]) -> Mood:
    """The mood of the clause whose subject a clause shares, else of the one before it."""
    same = (at for at in range(index - 1, -1, -1) if clauses[at].subject == clauses[index].subject)
    return found[next(same, index - 1) if clauses[index].shared else index - 1]


def _asked_from(s: SentenceTokens, clauses: Sequence[Clause]) -> int:
    """The first clause that is asked: all from the first with the order of a question on."""
    if not s.asks:
        return len(clauses)
    for index, clause in enumerate(clauses):
        low = clause.subject[0]
        if clause.asked or (s.bits[low] & QUESTION and not clause.relative):
            return index
        if low and s.bits[low - 1] & QUESTION and s.low[low - 1] in ("what", "how", "why", "who", "which", "whose"):
            return index
    before = next((at for at in range(len(s) - 1) if _opens_question(s, at)), None)
    if before is not None:
        return next((index for index, clause in enumerate(clauses) if clause.subject[0] > before), len(clauses))
    return 0


def _opens_question(s: SentenceTokens, at: int) -> bool:
    """Whether a question begins at a place: "will that", "is my", "how about", after a mark or at the beginning."""
    if at and not s.bits[at - 1] & (MARK | COORDINATOR | INTERJECTION | OPENER):
        return False
    if s.bits[at] & AUXILIARY:
        return bool(s.bits[at + 1] & (THIS | DETERMINER | POSSESSIVE | NAME | SUBJECT))
    return bool(s.bits[at] & QUESTION) and s.low[at] in ("what", "how", "why", "which", "who", "whose")


def _own_mood(s: SentenceTokens, clause: Clause) -> Mood:
    """The mood of a clause by its own words."""
    group, link = clause.group, clause.link
    if is_condition(s, clause) or _after_condition(s, clause):
        return Mood.CONDITIONAL
    if link in ("how", "what") or is_of_story(s, clause.subject[0], group.verb):
        return Mood.QUOTED
    names = group.verb == "call" and group.modal == "can"  # "you can call me Bob"
    unsure = group.modal not in ("", "let") and not _wishes(clause) and not names
    doubted = not words("words", "doubt").isdisjoint(group.adverbs) or _doubted(s, clause)
    ended = group.progressive or "no longer" in group.adverbs  # "so I no longer take it", "so I'm not going"
    purpose = link == "so" and group.negated and group.tense == "present" and not ended
    # "so I don't run into issues"
    if link == "if" or link in _FREE or unsure or doubted or purpose or is_nearly(s, group):
        return Mood.HYPOTHETICAL
    if link in _YET_TO_BE and group.perfect and group.tense == "present" and not group.progressive:
        return Mood.CONDITIONAL  # "until I've completed it"
    if link in _GENERIC and group.tense != "past" and not group.perfect and not group.progressive:
        return Mood.CONDITIONAL
    return Mood.NEGATED if group.negated else Mood.ASSERTED


def is_condition(s: SentenceTokens, clause: Clause) -> bool:
    """Whether a clause is a condition; after "see", "wonder" and the like "if" means "whether"."""
    if clause.link not in words("words", "condition"):
        return False
    at = clause.subject[0] - 1
    while at > 0 and s.low[at] != clause.link:
        at -= 1
    before = at - 1
    return before < 0 or (s.verb[before] or s.low[before]) not in words("talk", "whether")


def _wishes(clause: Clause) -> bool:
    return clause.group.modal in ("'d", "would") and clause.group.verb in ("like", "love", "prefer")


def _after_condition(s: SentenceTokens, clause: Clause) -> bool:
    at = clause.subject[0] - 1
    if at > 0 and s.low[at] == "like" and s.verb[at - 1] in words("talk", "appear"):
        return True  # "feels like I'm solving a puzzle"
    return at > 0 and bool(
        s.bits[at] & CONDITION or (s.low[at] in ("as", "like", "case") and s.bits[at - 1] & CONDITION)
    )


def _doubted(s: SentenceTokens, clause: Clause) -> bool:
    """Whether "maybe" or its like stands before the subject in the same part of the sentence."""
    at = clause.subject[0]
    return any(s.low[place] in words("words", "doubt") for place in range(max(0, at - 3), at))


def _governed(s: SentenceTokens, clauses: Sequence[Clause], index: int, found: Sequence[Mood]) -> Mood | None:
    """The mood that the clause before gives to one that it reports, supposes or wishes; None if it gives none."""
    if index == 0:
        return _ordered(s, clauses[0])
    clause, above = clauses[index], clauses[index - 1]
    if clause.link not in _CONTENT_LINKS or clause.relative or clause.gap or clause.shared:
        return None
    between = s.low[above.group.end : clause.subject[0]]
    verb = above.group.verb
    if not words("talk", "securing").isdisjoint(between) or (above.group.negated and _tells(s, above, clause)):
        return Mood.HYPOTHETICAL  # "to make sure it works", "don't want you telling him she lives in Rome"
    if verb == "be":
        told = between and s.verb[above.group.end] in words("talk", "report")
        return Mood.QUOTED if told else _felt(above, between)
    if (
        verb in words("talk", "securing")
        or verb in words("talk", "want")
        or (verb in words("talk", "demand") and "," not in between)
    ):
        return Mood.HYPOTHETICAL  # "he suggested I go"
    talks = any(verb in words("talk", name) for name in ("report", "know", "suppose"))
    return _talked(s, clause, above, found[-1]) if talks and len(between) <= _NEAR else None


def _is_also_said(s: SentenceTokens, clause: Clause) -> bool:
    """Whether a clause is one more of those that the same verb leads to: "make sure it is right and that it runs"."""
    low = clause.subject[0]
    return low > 1 and s.low[low - 1] == "that" and s.low[low - 2] in ("and", "or")


def _talked(s: SentenceTokens, clause: Clause, above: Clause, mood: Mood) -> Mood | None:
    """The mood of a clause under a verb of saying, knowing or supposing that is meant in a mood itself."""
    if mood is Mood.ASKED:
        return mood
    first = s.low[above.subject[0]] in _FIRST
    unsure = mood in (Mood.CONDITIONAL, Mood.HYPOTHETICAL) and not (first and above.group.modal == "must")
    unsure = unsure or above.group.negated  # "I must say we love it"
    return Mood.HYPOTHETICAL if unsure else _reported(s, clause, above)


def _tells(s: SentenceTokens, above: Clause, clause: Clause) -> bool:
    """Whether a verb of saying without a subject of its own stands between two clauses."""
    return any(s.verb[at] in words("talk", "report") for at in range(above.group.end, clause.subject[0]))


_RIGHT_BEFORE: Final = 2
"""Words from "wish" to the subject of what is wished: "wish that I"."""
_NEAR: Final = 4
"""Words between a verb of saying and what is said: "told my sister that"."""


def _felt(above: Clause, between: Sequence[str]) -> Mood | None:
    """As in "I am worried (that) ..." fears it; "I am glad (that) ..." knows it."""
    fears = not words("complement", "fearing").isdisjoint(between)
    knows = not words("complement", "passing").isdisjoint(between)
    return Mood.HYPOTHETICAL if fears or (knows and above.group.negated) else None


def _reported(s: SentenceTokens, clause: Clause, above: Clause) -> Mood | None:
    """The mood of what somebody says, knows or supposes."""
    first = s.low[above.subject[0]] in _FIRST
    if first and above.group.verb == "mean":
        return None  # "I mean I visited Turin"
    if first and above.group.verb in ("hear", "read") and (above.group.perfect or above.group.tense == "present"):
        return Mood.QUOTED  # "I've heard that it scales"; "I just heard that Tom moved" is news
    if above.group.verb in words("talk", "suppose"):
        return Mood.HYPOTHETICAL if first else Mood.QUOTED
    if first:
        return None
    own = s.low[clause.subject[0]] in _FIRST
    return Mood.QUOTED if own or above.group.verb not in words("talk", "report") else None


def _ordered(s: SentenceTokens, clause: Clause) -> Mood | None:
    """The mood that an order before the first clause gives it: "imagine (that) I live in"; None for none."""
    first = clause.subject[0]
    for at in range(max(0, first - _NEAR), first):
        if s.low[at] in words("talk", "securing") and (s.low[at] != "sure" or s.verb[at - 1] == "make"):
            return Mood.HYPOTHETICAL  # "just want to make sure it works"
    for at in range(min(first, 3)):
        if s.low[at] in ("imagine", "suppose", "pretend", "say", "assume"):
            return Mood.HYPOTHETICAL
        if s.low[at] == "wish" and first - at <= _RIGHT_BEFORE:
            return Mood.HYPOTHETICAL  # "Wish I had a vacation"
        if s.bits[at] & (SUBJECT | AUXILIARY) and not s.bits[at] & NEGATION:
            return None
    return None


def _with_conditions(s: SentenceTokens, clauses: Sequence[Clause], found: list[Mood]) -> list[Mood]:
    """What follows from a condition is conditional; so is what lies in the future, wherever the condition stands."""
    places = [clause.subject[0] for clause in clauses if is_condition(s, clause)] + _lone_conditions(s, clauses)
    if not places:
        return found
    first = min(places)
    return [
        Mood.CONDITIONAL
        if mood in (Mood.ASSERTED, Mood.NEGATED) and (clause.group.at > first or clause.group.tense == "future")
        else mood
        for clause, mood in zip(clauses, found, strict=True)
    ]


def _lone_conditions(s: SentenceTokens, clauses: Sequence[Clause]) -> list[int]:
    """Places of an "if" whose clause is not recognised, as in "if all goes well"; "if possible" is not a condition."""
    found: list[int] = []
    conditions = words("words", "condition")
    if conditions.isdisjoint(s.low):
        return found
    for at in range(len(s) - 1):
        if s.low[at] not in conditions or s.low[at] == "whether" or s.bits[at] & OPENED:
            continue
        before = (s.verb[at - 1] or s.low[at - 1]) if at else ""
        follower = next((clause for clause in clauses if clause.subject[0] > at), None)
        if before in words("talk", "whether") or before in _NO_CONDITION or s.low[at + 1] in _NO_CONDITION:
            continue
        if follower is None or follower.link != s.low[at]:
            found.append(at)
    return found
