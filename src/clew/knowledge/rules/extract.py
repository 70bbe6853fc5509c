"""The entrance of the rules: the statements in turns.

A turn's statements depend on the turn and on the `subjects.REACH` turns before it in its conversation, never on more,
so that the same turns give the same statements however they are divided into batches.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from clew.analyze.other_languages import is_in_another_language, may_be_in_another_language
from clew.knowledge.rules.completions import completions
from clew.knowledge.rules.conclusions import conclusion
from clew.knowledge.rules.lexicon import words
from clew.knowledge.rules.meanings import StatementDraft
from clew.knowledge.rules.moods import STATED
from clew.knowledge.rules.orders import is_to_assistant, orders
from clew.knowledge.rules.repairs import (
    corrections,
    dated,
    denied,
    inner_jest,
    is_bare_date,
    is_denial,
    is_elliptical,
    is_jest,
)
from clew.knowledge.rules.reports import AGENT, is_report, reported
from clew.knowledge.rules.self_repairs import SelfRepairs
from clew.knowledge.rules.sentences import drafts
from clew.knowledge.rules.speech import speech
from clew.knowledge.rules.subjects import REACH, USER, Referent, mentioned, window
from clew.knowledge.rules.switches import with_what_was_left
from clew.knowledge.rules.times import TimePhrases, time_phrases
from clew.knowledge.rules.tokens import SentenceTokens, read
from clew.knowledge.third_person import in_third_person
from clew.text.late_pattern import late_pattern
from clew.text.sentences import sentence_spans
from clew.types.facts import UNSAID, Effect, Statement
from clew.types.turn import Turn

MOST: Final = 40
"""Statements of one turn; more are a list or a table."""
VERSION: Final = 50
"""Rises with every change of what the rules find."""
_AT_ONCE: Final = 32
"""Turns that are cut up together before anything is made of them; more would only take memory."""


def statements(
    turns: Sequence[Turn], before: Sequence[Turn] = (), *, every_mood: bool = False
) -> tuple[Statement, ...]:
    """The statements of stored turns, in order.

    Args:
        turns: turns of one branch of a conversation, in order.
        before: the turns before them, at least the last `REACH`; more change nothing.
        every_mood: also what is asked, imagined, conditional or quoted.
    """
    earlier = list(before[-REACH:])
    named = [_read(heard, (), (), only_names=True)[1] for heard in _heard(earlier)]
    found: list[Statement] = []
    for start in range(0, len(turns), _AT_ONCE):
        for heard in _heard(turns[start : start + _AT_ONCE]):
            turn = heard.turn
            drafted, mine = _read(heard, named, earlier, every_mood=every_mood)
            if is_report(turn, earlier):
                drafted = list(reported(turn))
            found += _numbered(turn, [each for each in drafted if every_mood or each.mood in STATED])
            earlier, named = [*earlier, turn][-REACH:], [*named, mine][-REACH:]
    return tuple(found)


class _Heard(NamedTuple):
    """What a turn says, cut up, before anything is made of it."""

    turn: Turn
    text: str
    when: TimePhrases
    spans: tuple[tuple[int, int], ...]
    sentences: list[SentenceTokens]


def _heard(turns: Sequence[Turn]) -> list[_Heard]:
    """What turns say, each kind of work for all of them before the next, which is faster than turn by turn."""
    texts = [speech(turn) for turn in turns]
    times = [time_phrases(text, turn.at) if text else TimePhrases() for text, turn in zip(texts, turns, strict=True)]
    spans = [sentence_spans(text) for text in texts]
    cut = [[read(text, low, high) for low, high in each] for text, each in zip(texts, spans, strict=True)]
    return list(map(_Heard, turns, texts, times, spans, cut))


class RuleStatements:
    """The rules as a maker of statements, for the background (`clew.derive.facts`)."""

    reach: int = REACH
    version: int = VERSION

    def __call__(self, turns: Sequence[Turn], before: Sequence[Turn] = (), /) -> tuple[Statement, ...]:
        """See `statements`."""
        return statements(turns, before)


def _key(draft: StatementDraft) -> tuple[str, str, str, str]:
    return draft.subject, draft.verb, draft.object.casefold(), draft.mood


def _is_of_itself(draft: StatementDraft) -> bool:
    """Whether the object is the subject: "My name is Kevin" of a speaker who is known as Kevin."""
    return draft.object.casefold() == draft.subject.casefold()


def _numbered(turn: Turn, found: Sequence[StatementDraft]) -> Iterator[Statement]:
    """The statements of a turn, each once, with their ordinals; reasons become the ordinals of their statements."""
    told = {_key(draft): draft for draft in reversed(found)}
    told |= {_key(draft): draft for draft in found if draft.instead_of and draft.instead_of == draft.object}
    once = list(told.values())[::-1][:MOST]  # of a plan whose time the turn puts right, the later
    once = [draft for draft in once if not _is_of_itself(draft)]
    ordinals = {_key(draft): ordinal for ordinal, draft in enumerate(once)}
    speaker = turn.speaker or (AGENT if turn.role == "assistant" else USER)
    for ordinal, draft in enumerate(once):
        fields = draft._asdict()
        causes = [ordinals[_key(cause)] for cause in draft.because if _key(cause) in ordinals]
        fields["because"] = tuple(sorted({cause for cause in causes if cause != ordinal}))
        for name in _TOLD:
            fields[name] = fields[name] and in_third_person(fields[name], speaker, draft.subject)
        yield Statement(turn=turn.id or "", ordinal=ordinal, said_at=turn.at, **fields)


_TOLD: Final = ("object", "scope", "instead_of", "where")
"""What is told of a subject in the third person; the time and the reason keep the words of the turn."""


def _read(
    heard: _Heard,
    named: Sequence[list[Referent]],
    earlier: Sequence[Turn],
    *,
    only_names: bool = False,
    asked: bool = False,
    every_mood: bool = True,
) -> tuple[list[StatementDraft], list[Referent]]:
    """What a turn states, and whom it names, for the pronouns of later turns.

    Args:
        heard: what `_heard` gives for the turn.
        named: whom the turns before it name.
        earlier: these turns.
        only_names: leave out what it states.
        asked: whether "you" means whoever answers.
        every_mood: also what is asked, imagined, conditional or quoted; a value put right may be one of these.
    """
    turn, text, when, spans, sentences = heard
    if not text.strip():
        return [], []
    speaker = turn.speaker or USER
    mentions, names = window(named, speaker), window((), speaker)
    others = {each.speaker or USER for each in earlier} - {speaker}
    mentions.listener = next(iter(others)) if len(others) == 1 else ""
    mentions.asked = asked
    mentions.others = bool(earlier) and _asks_of_another(earlier[-1], named[-1] if named else (), speaker)
    found: list[StatementDraft] = []
    if not only_names and earlier and (earlier[-1].speaker or USER) != speaker:
        found += _answered(turn, text, earlier[-1])
    ordered = not only_names and is_to_assistant(turn, earlier)
    elliptical = [] if only_names else [low for low, high in spans if is_elliptical(text[low:high])]
    every_mood = every_mood or bool(elliptical)

    def stated(low: int, high: int, s: SentenceTokens | None = None) -> list[StatementDraft]:
        s = s or read(text, low, high)
        made = list(drafts(s, mentions, when.within(low, high), turn.at, every_mood=every_mood))
        made += completions(s, speaker)
        made = [] if made and _is_foreign(s, text[low:high]) else made
        return [*orders(s, speaker), *made] if ordered else made

    repairs = SelfRepairs(text, turn.at, found, stated)
    last = len(found)  # where the statements of the sentence before begin
    for (low, high), s in _without_jests(text, zip(spans, sentences, strict=True)):
        for referent in mentioned(s, 0, len(s), names):
            names.add(referent)
        if only_names:
            continue
        last = _after_jest(found, last, s, turn, earlier if low == spans[0][0] else ())
        if low in elliptical:
            found += corrections(text[low:high], found or _said_before(turn, earlier), turn.at)
        elif decided := conclusion(s, text[low:high], turn.at, earlier, speaker):
            found.append(decided)
        else:
            found += repairs.sentence(low, high, s)
    if any(each.instead_of == UNSAID for each in found):
        found = with_what_was_left(found, lambda: _stated_before(earlier))
    return found, names.turns[-1]


def _is_foreign(s: SentenceTokens, sentence: str) -> bool:
    """Whether a sentence is of a language that the rules do not know: "war im Angebot" is not "I'm"."""
    return may_be_in_another_language(s.low) and is_in_another_language(sentence)


def _asks_of_another(turn: Turn, named: Sequence[Referent], speaker: str) -> bool:
    """Whether a turn ends with a question about somebody who does not answer it."""
    question = turn.text.rstrip().rpartition("\n")[2]
    if not question.endswith("?"):
        return False
    asked = question[max(question.rfind(mark, 0, -1) for mark in ".!?") + 1 :]
    return any(each.name != speaker for each in named) or _ANOTHER.search(asked) is not None


_ANOTHER: Final = late_pattern(r"(?i)\b(?:he|she|they)\b")


def _stated_before(earlier: Sequence[Turn]) -> Iterator[StatementDraft]:
    """What the turns before one state, each read without those before it; the latest first."""
    for turn in reversed(earlier):
        yield from reversed(_read(_heard([turn])[0], (), ())[0])


def _after_jest(found: list[StatementDraft], last: int, s: SentenceTokens, turn: Turn, earlier: Sequence[Turn]) -> int:
    """Takes back what was said right before, if a sentence calls it a joke; returns where its own statements begin.

    Args:
        found: the statements of the turn so far, of which those from `last` on are of the sentence before.
        earlier: the turns before, if the sentence is the first of its turn.
    """
    if not words("repair", "jested").isdisjoint(s.low) and is_jest(s.words(0, len(s))):
        found[last:] = _taken_back(turn, earlier)
    return len(found)


def _answered(turn: Turn, text: str, question: Turn) -> Iterator[StatementDraft]:
    """What a turn states by what it was asked: "No, I don't.", or the date of "When do you start at Vela?"."""
    if is_denial(text):
        yield from denied(_read(_heard([question])[0], (), [turn], asked=True)[0], turn.speaker or USER)
    asks = question.text.rstrip()
    asks = asks[max(asks.rfind(mark, 0, -1) for mark in ".!?\n") + 1 :]
    if turn.at is None or not asks.endswith("?") or _WHEN.search(asks) is None or not is_bare_date(text, turn.at):
        return
    asked = _read(_heard([question])[0], (), [turn], asked=True)[0]
    yield from dated(asked, text, turn.at, turn.speaker or USER, past=_WHEN_PAST.search(asks) is not None)


_WHEN: Final = late_pattern(r"(?i)\b(?:when|what (?:day|date|month|year|time)|which (?:day|month|year)|how long)\b")
_WHEN_PAST: Final = late_pattern(r"(?i)\b(?:did|have|has|was|were|'ve)\b")


_Sentence = tuple[tuple[int, int], SentenceTokens]


def _without_jests(text: str, sentences: Iterable[_Sentence]) -> Iterator[_Sentence]:
    """Sentences with their offsets; of one that calls what it said a joke, only what follows."""
    for (low, high), s in sentences:
        jested = not words("repair", "jested").isdisjoint(s.low) and not is_jest(text[low:high])
        jest = inner_jest(text, low, high) if jested else None
        if jest is None:
            yield (low, high), s
        elif text[jest[1] : high].strip():
            yield (jest[1], high), read(text, jest[1], high)


def _taken_back(turn: Turn, earlier: Sequence[Turn]) -> list[StatementDraft]:
    """The last of what the speaker stated before, which was a joke."""
    said = [each for each in _said_before(turn, earlier) if each.mood in STATED]
    return [each._replace(effect=Effect.RETRACTS, because=(), instead_of=None) for each in said[-1:]]


def _said_before(turn: Turn, earlier: Sequence[Turn]) -> list[StatementDraft]:
    """What the speaker stated in the latest of the turns before that states anything, read without those before it."""
    for each in reversed(earlier):
        if each.speaker == turn.speaker and each.role == turn.role:
            found, _ = _read(_heard([each])[0], (), ())
            if found:
                return found
    return []
