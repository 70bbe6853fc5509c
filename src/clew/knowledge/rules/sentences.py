"""The statements of one sentence: its clauses one by one, each about whom its subject means, with reasons joined."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from clew.analyze.entities import listed_type
from clew.knowledge.rules.actions import action
from clew.knowledge.rules.clause_bounds import Clause
from clew.knowledge.rules.clauses import clauses
from clew.knowledge.rules.copulas import copula
from clew.knowledge.rules.idioms import is_about_another
from clew.knowledge.rules.lexicon import ADVERB, COMMA, COORDINATOR, DETERMINER, NAME, PREPOSITION, SUBORDINATOR, words
from clew.knowledge.rules.meanings import ClauseReading, StatementDraft, timed
from clew.knowledge.rules.moods import STATED, moods
from clew.knowledge.rules.nouns import is_given_name
from clew.knowledge.rules.objects import object_of
from clew.knowledge.rules.others import calls_by_name, unnamed
from clew.knowledge.rules.repairs import repaired
from clew.knowledge.rules.subjects import (
    NOBODY,
    Mentions,
    Referent,
    addressed,
    is_acronym,
    is_unknown_person,
    mentioned,
    opens_with_unknown,
    phrase,
    sort_of_name,
    subject_of,
)
from clew.knowledge.rules.switches import leaving
from clew.knowledge.rules.times import TimePhrases
from clew.knowledge.rules.tokens import SentenceTokens
from clew.text.spoken import BROKEN_OFF
from clew.text.text_cache import cached_by_word
from clew.types.facts import FactType, Mood


def drafts(
    s: SentenceTokens, mentions: Mentions, when: TimePhrases, at: datetime | None, *, every_mood: bool
) -> Iterator[StatementDraft]:
    """The statements of a sentence, clause by clause; whom it names is noted in passing.

    Args:
        when: what the sentence says of time.
        at: when it was said.
        every_mood: also what is asked, imagined, conditional or quoted.
    """
    measured = s.bits[0] & NAME and sort_of_name(s.low[0]) == "name" and is_acronym(s, 0, 1)
    mentions.unsure = mentions.unsure or opens_with_unknown(s)
    first = s.low[0] if measured or is_unknown_person(s) else ""
    parts = clauses(s, lambda word: is_name(word) or mentions.names(word) or word == first)
    if len(parts) > 1 and when.dates:
        _lead_in(s, parts, when)
    meant = moods(s, parts) if parts else []
    made: list[list[StatementDraft]] = []
    noted, owner, known = 0, None, len(mentions.turns[-1])
    for index, (clause, mood) in enumerate(zip(parts, meant, strict=True)):
        noted = _note(s, noted, clause.subject[0], mentions)
        owner = owner if clause.shared else _owner(s, parts, index, mentions)
        noted = _note(s, noted, min(clause.stop, len(s)), mentions)
        _note_whom(s, clause, owner, mentions)
        if owner is None or not (every_mood or mood in STATED):
            made.append([])
            continue
        reading = ClauseReading(
            s=s,
            clause=clause,
            owner=owner,
            speaker=mentions.speaker,
            listener=mentions.listener,
            when=_when(s, parts, index, when),
            name_of=_namer(s, mentions),
            today=at.date() if at else None,
        )
        made.append([repaired(reading, leaving(reading, draft)) for draft in _of_clause(reading, mood)])
    _note(s, noted, len(s), mentions)
    mentions.unnamed |= unnamed(s)
    yield from _with_reasons(s, parts, made)
    yield from [
        _related(mention) for mention in mentions.turns[-1][known:] if mention.kin and mention.sort != "several"
    ]


@cached_by_word(1 << 12)
def is_name(word: str) -> bool:
    """Whether a lower-case word is a name wherever it occurs."""
    return listed_type(word) is not None or is_given_name(word) or word in words("kin", "own")


def _of_clause(reading: ClauseReading, mood: Mood) -> Iterator[StatementDraft]:
    owner, clause = reading.owner, reading.clause
    if owner.kin and owner.of and mood in STATED:
        yield _related(owner)
    obj = object_of(reading.s, clause.group.end, clause.stop, reading.when.spans())
    if reading.listener and calls_by_name(reading.s, obj.low, obj.high, reading.listener):
        obj = replace(obj, high=obj.high - 1)
    if reading.s.low[min(clause.stop, len(reading.s) - 1)] == BROKEN_OFF and max(obj.low, obj.high) >= clause.stop - 1:
        return  # nobody knows what would have followed
    for draft in copula(reading, obj) if clause.group.verb == "be" else action(reading, obj):
        yield timed(reading, draft._replace(mood=mood, reason=obj.reason or None))


def _related(named: Referent) -> StatementDraft:
    """How somebody who is named with a word of kinship is related to its owner, whatever else is said of them."""
    return StatementDraft(named.name, f"is {named.kin.split()[-1]} of", named.of, type=FactType.PERSONAL)


def _namer(s: SentenceTokens, mentions: Mentions) -> Callable[[int, int], str | None]:
    def name_of(low: int, high: int) -> str | None:
        pronoun = s.low[low]
        if high == low + 1 and pronoun == "me":
            return mentions.speaker
        known = high == low + 1 and pronoun in ("him", "her", "them")
        found = mentions.meant(pronoun) if known else phrase(s, low, high, mentions)
        return found.name if found else None

    return name_of


def _note(s: SentenceTokens, low: int, high: int, mentions: Mentions) -> int:
    if s.named:
        for referent in mentioned(s, low, high, mentions):
            mentions.add(referent)
    return max(low, high)


def _owner(s: SentenceTokens, parts: Sequence[Clause], index: int, mentions: Mentions) -> Referent | None:
    """Whom the subject means: in what somebody reports, a pronoun can mean the one who says it."""
    clause = parts[index]
    if clause.subject[0] == clause.subject[1]:
        return None if mentions.others else Referent(mentions.speaker, "person")
    if s.low[clause.subject[0]] == "you":
        return addressed(s, clause, mentions) or (NOBODY if is_about_another(clause.group.verb) else None)
    if index and s.low[clause.subject[0]] in ("he", "she"):
        above = parts[index - 1]
        if above.group.verb in words("talk", "report") and s.low[above.subject[0]] not in ("i", "we"):
            reporter = subject_of(s, above.subject, mentions)
            if reporter is not None:
                return reporter
    owner = subject_of(s, clause.subject, mentions)
    return NOBODY if owner is None and is_about_another(clause.group.verb) else owner


def _note_whom(s: SentenceTokens, clause: Clause, owner: Referent | None, mentions: Mentions) -> None:
    """Note whether the talk is of the speaker or of somebody else, for a sentence without a subject after it."""
    first = s.low[clause.subject[0]] if clause.subject[0] < clause.subject[1] else ""
    if first in ("i", "we"):
        mentions.others = False
    elif first in ("he", "she") or (owner is not None and owner.sort not in ("thing", "name") and first):
        mentions.others = True


def _when(s: SentenceTokens, parts: Sequence[Clause], index: int, when: TimePhrases) -> TimePhrases:
    """What a clause says of time: in it, and for the first clause also before it."""
    clause = parts[index]
    first = clause.group.at if clause.shared else clause.subject[0]
    low = 0 if index == 0 else min(parts[index - 1].stop, first)
    own = when.within(s.start[low], s.end[min(clause.stop, len(s)) - 1])
    moves = len(own.dates) > 1 and not words("reschedule", "verbs").isdisjoint(s.verb)
    return own.moved(s.text) if moves else own


def _lead_in(s: SentenceTokens, parts: Sequence[Clause], when: TimePhrases) -> None:
    """Gives dates that stand right before a clause to it: "I'm a nurse, and on Friday I fly to Oslo"."""
    for above, clause in pairwise(parts):
        begin, end = clause.subject[0], clause.subject[0]
        while end > above.group.end and s.bits[end - 1] & (COMMA | ADVERB):
            end -= 1
        apart = end < begin  # "when we met, in 2015, we lived here": it may belong to either
        dates = [date.phrase_span for date in when.dates if s.end[end - 1] == date.phrase_span[1]]
        if clause.shared or clause.relative or begin == 0 or not dates:
            continue
        while end > above.group.end and s.start[end - 1] >= dates[0][0]:
            end -= 1
        while end > above.group.end and s.bits[end - 1] & (PREPOSITION | DETERMINER):
            end -= 1
        links = COORDINATOR | SUBORDINATOR | (0 if apart else COMMA)
        if end > above.group.end and s.bits[end - 1] & links:
            above.stop, clause.gap = min(above.stop, end - 1), None
            clause.link = "," if s.bits[end - 1] & COMMA else s.low[end - 1]


def _is_reason(clause: Clause, after: Clause) -> bool:
    """Whether a clause is the reason of the one before; "since I was a boy" says when."""
    temporal = after.link == "since" and clause.group.perfect
    return after.link in words("words", "reason") and after.link != "as" and not temporal


def _with_reasons(
    s: SentenceTokens, parts: Sequence[Clause], made: Sequence[list[StatementDraft]]
) -> Iterator[StatementDraft]:
    """The statements of all clauses; one after "because" is the reason of the one before."""
    for index, found in enumerate(made):
        after = parts[index + 1] if index + 1 < len(parts) else None
        if after is None or not _is_reason(parts[index], after):
            yield from found
            continue
        reason = " ".join(s.words(after.subject[0], min(after.stop, len(s))).split())
        causes = tuple([draft for draft in made[index + 1] if draft.mood in STATED])
        for each in found:
            yield each._replace(reason=each.reason or reason, because=causes)
