"""The entrance of the rules: the statements in turns.

A turn's statements depend on the turn and on the `subjects.REACH` turns before it in its conversation, never on more,
so that the same turns give the same statements however they are divided into batches.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from clew.analyze.entities import listed_type
from clew.knowledge.rules.actions import action
from clew.knowledge.rules.clauses import Clause, clauses
from clew.knowledge.rules.copulas import copula
from clew.knowledge.rules.lexicon import words
from clew.knowledge.rules.meanings import ClauseReading, StatementDraft, timed
from clew.knowledge.rules.moods import moods
from clew.knowledge.rules.objects import object_of
from clew.knowledge.rules.speech import speech
from clew.knowledge.rules.subjects import REACH, USER, Mentions, Referent, mentioned, phrase, subject_of, window
from clew.knowledge.rules.tokens import SentenceTokens, read
from clew.text.dates import ResolvedDate, resolve
from clew.text.sentences import sentence_spans
from clew.types.facts import FactType, Mood, Statement
from clew.types.turn import Turn

STATED: Final = frozenset((Mood.ASSERTED, Mood.NEGATED))
"""Moods of statements that can become or end facts."""
MOST: Final = 40
"""Statements of one turn; more are a list or a table."""
VERSION: Final = 1
"""Rises with every change of what the rules find."""


def statements(
    turns: Sequence[Turn], before: Sequence[Turn] = (), *, every_mood: bool = False
) -> tuple[Statement, ...]:
    """The statements of stored turns, in order.

    Args:
        turns: turns of one branch of a conversation, in order.
        before: the turns before them, at least the last `REACH`; more change nothing.
        every_mood: also what is asked, imagined, conditional or quoted.
    """
    past = [_mentions_of(turn) for turn in before[-REACH:]]
    found: list[Statement] = []
    for turn in turns:
        mine, drafted = _read_turn(turn, past)
        past = [*past, mine][-REACH:]
        kept = [draft for draft in drafted if every_mood or draft.mood in STATED]
        found += [_statement(turn, ordinal, draft) for ordinal, draft in enumerate(_unique(kept)[:MOST])]
    return tuple(found)


class RuleStatements:
    """The rules as a maker of statements, for the background (`clew.derive.facts`)."""

    reach: int = REACH
    version: int = VERSION

    def __call__(self, turns: Sequence[Turn], before: Sequence[Turn] = (), /) -> tuple[Statement, ...]:
        """See `statements`."""
        return statements(turns, before)


def _unique(found: list[StatementDraft]) -> list[StatementDraft]:
    return list(
        {(each.subject, each.verb, each.object.casefold(), each.mood): each for each in reversed(found)}.values()
    )[::-1]


def _statement(turn: Turn, ordinal: int, draft: StatementDraft) -> Statement:
    fields = {name: getattr(draft, name) for name in StatementDraft.__slots__}
    return Statement(turn=turn.id or "", ordinal=ordinal, said_at=turn.at, **fields)


def _mentions_of(turn: Turn) -> list[Referent]:
    """Whom a turn names, for the pronouns of later turns."""
    return _read_turn(turn, [], only_mentions=True)[0]


def _read_turn(
    turn: Turn, past: Sequence[list[Referent]], *, only_mentions: bool = False
) -> tuple[list[Referent], list[StatementDraft]]:
    text = speech(turn)
    speaker = turn.speaker or USER
    mentions = window(past, speaker)
    found: list[StatementDraft] = []
    if text.strip():
        dates = [] if only_mentions else resolve(text, turn.at)
        for low, high in sentence_spans(text):
            s = read(text, low, high)
            if only_mentions:
                for referent in mentioned(s, 0, len(s), mentions):
                    mentions.add(referent)
                continue
            found += _sentence(s, mentions, [date for date in dates if low <= date.phrase_span[0] < high], turn.at)
    return mentions.turns[-1], found


def _sentence(
    s: SentenceTokens, mentions: Mentions, dates: Sequence[ResolvedDate], at: datetime | None
) -> Iterator[StatementDraft]:
    """The statements of a sentence; whom it names is noted in passing."""
    parts = clauses(s, is_name)
    named_to = 0
    made: list[list[StatementDraft]] = []
    meant = moods(s, parts) if parts else []
    before: Referent | None = None
    for index, (clause, mood) in enumerate(zip(parts, meant, strict=True)):
        low = clause.subject[0]
        if low > named_to:
            _note(s, named_to, low, mentions)
            named_to = low
        owner = before if clause.shared else _owner(s, parts, index, mentions)
        before = owner
        stop = max(named_to, min(clause.stop, len(s)))
        _note(s, named_to, stop, mentions)
        named_to = stop
        if owner is None:
            made.append([])
            continue
        said = ClauseReading(
            s,
            clause,
            mood,
            owner,
            mentions.speaker,
            _dates_of(s, parts, index, dates),
            _namer(s, mentions),
            at.date() if at else None,
        )
        made.append(list(_made(said, mood)))
    _note(s, named_to, len(s), mentions)
    _add_reasons(s, parts, made)
    for drafted in made:
        yield from drafted


def _made(said: ClauseReading, mood: Mood) -> Iterator[StatementDraft]:
    owner = said.owner
    if owner.kin and owner.kin != "attribute" and owner.of and mood in STATED:
        relation = owner.kin.split()[-1]
        yield StatementDraft(owner.name, f"is {relation} of", owner.of, type=FactType.PERSONAL)
    clause = said.clause
    obj = object_of(said.s, clause.group.end, clause.stop, [date.phrase_span for date in said.dates])
    for draft in copula(said, obj) if clause.group.verb == "be" else action(said, obj):
        yield timed(said, replace(draft, mood=mood, reason=obj.reason or None))


def _namer(s: SentenceTokens, mentions: Mentions) -> Callable[[int, int], str | None]:
    def name_of(low: int, high: int) -> str | None:
        pronoun = s.low[low]
        known = high == low + 1 and pronoun in ("him", "her", "them")
        found = mentions.meant(pronoun) if known else phrase(s, low, high, mentions)
        return found.name if found else None

    return name_of


def _note(s: SentenceTokens, low: int, high: int, mentions: Mentions) -> None:
    for referent in mentioned(s, low, high, mentions):
        mentions.add(referent)


def _owner(s: SentenceTokens, parts: Sequence[Clause], index: int, mentions: Mentions) -> Referent | None:
    """Whom the subject means: in what somebody reports, a pronoun can mean the one who says it."""
    clause = parts[index]
    if index and s.low[clause.subject[0]] in ("he", "she"):
        above = parts[index - 1]
        if above.group.verb in words("talk", "report") and s.low[above.subject[0]] not in ("i", "we"):
            reporter = subject_of(s, above.subject, mentions)
            if reporter is not None:
                return reporter
    return subject_of(s, clause.subject, mentions)


def _dates_of(
    s: SentenceTokens, parts: Sequence[Clause], index: int, dates: Sequence[ResolvedDate]
) -> list[ResolvedDate]:
    """The dates of a clause: those in it, and those before the first clause of the sentence."""
    if not dates:
        return []
    clause = parts[index]
    low = 0 if index == 0 else min(parts[index - 1].stop, clause.subject[0] if not clause.shared else clause.group.at)
    begin, end = s.start[low], s.end[min(clause.stop, len(s)) - 1]
    return [date for date in dates if begin <= date.phrase_span[0] < end]


def _add_reasons(s: SentenceTokens, parts: Sequence[Clause], made: list[list[StatementDraft]]) -> None:
    """A clause after "because" is the reason of the clause before it."""
    for index in range(1, len(parts)):
        link = parts[index].link
        if link in words("words", "reason") and link != "as" and made[index - 1]:
            low = parts[index].subject[0]
            reason = " ".join(s.words(low, min(parts[index].stop, len(s))).split())
            made[index - 1] = [replace(each, reason=each.reason or reason) for each in made[index - 1]]


def is_name(word: str) -> bool:
    """Whether a word in lower case is a listed name."""
    return listed_type(word) is not None
