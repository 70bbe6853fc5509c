"""What a recap tells in sentences: decisions, constraints and failures, the weightiest words, what one can ask."""

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Final

from clew.condense.material import RecapTurn
from clew.condense.mode import Mode
from clew.condense.recap_draft import STATUS, RecapDraft
from clew.condense.recap_lines import (
    agrees,
    announces,
    as_sentence,
    best_opening,
    is_plan,
    opening,
    says_something,
    sentences_of,
    states,
    takes_a_step,
    tells,
)
from clew.condense.sentence_worth import Rarity, best_passage, is_to_other, tells_of_self, words_of, worth_of
from clew.condense.statements import is_concluded, is_expected, is_settled
from clew.config.sections import AnalyzeConfig

LINE: Final = 200
"""Characters of a statement."""

ACTIVE: Final = AnalyzeConfig().overlay_threshold
"""Score of an overlay from which on a point is told under its name."""

POINTS: Final = 12
"""Statements of one kind at most, and open tasks."""

PEOPLE: Final = frozenset({"user", "assistant"})
"""Origins of words that were said; what a tool prints is not."""

DECIDED: Final = "Key decisions"
FAILED: Final = "Tried without success"
STATEMENTS: Final = (
    ("constraint", "Constraints"),
    ("decision", DECIDED),
    ("failure", FAILED),
)
REPORTS: Final = "Done and found"
_REPORTS: Final = re.compile(
    r"\A(?:done[:,.] )?[a-z]{3,}ed\b"
    r"|\b(?:(?:i|we)(?:'ve| have| had)(?: now| already| also| successfully)? \w+(?:ed|en|un|lt|nd|de|t)\b"
    r"|(?:has|have) been|(?:is|are|was|were) (?:now|caused|due to|missing|implemented|fixed|created|added)"
    r"|now (?:has|have|works?|pass\w*)|passe[sd]|fixed|implemented|succeeded|successfully|turns out|root cause|because"
    r"|the (?:\w+ )?(?:problem|issue|cause|reason|bug|error|failure) (?:is|was)|there (?:is|are|was|were)|comes from"
    r")\b",
    re.IGNORECASE,
)
_INSTRUCTS: Final = re.compile(
    r"(?:[A-Z][^:.!?]{2,48}: )?(?:please |then |now |finally |temporarily |also )*"
    r"(?:if|add|adjust|apply|assign|avoid|build|call|change|check|clear|commit|configure|confirm|consider|create|define"
    r"|deploy|do|document|ensure|enable|explain|find|fix|follow|give|handle|identify|implement|include|inspect|install"
    r"|keep|limit|list|lock|look|make|monitor|move|notify|open|prepare|provide|put|read|refactor|remove|rename|replace"
    r"|report|return|review|run|schedule|search|select|send|set|show|start|store|submit|test|track|try|update|use"
    r"|validate|verify|wait|write)\b(?!['\u2019-]| (?:is|are|was|were|has|have|had|now|runs?|pass\w*|fail\w*)\b)",
    re.IGNORECASE,
)
"""How somebody is told what to do, or what may be: it tells of nothing done, found or tried."""
_WORK: Final = frozenset({"path", "command", "error", "identifier", "version"})
_CHOOSES: Final = re.compile(r"\b(?:instead|rather than|because|so that)\b", re.IGNORECASE)
"""What makes a decision of an announced step: what it is preferred to, or why."""
_NOTES: Final = re.compile(
    r"(?:(?:so |now |but )*(?:i (?:can )?(?:now )?(?:see|notice|understand)|it (?:seems|looks|appears)|it should)\b)",
    re.IGNORECASE,
)
"""How an agent tells what it sees."""
_OFFERS: Final = re.compile(
    r"\b(?:if you(?:'d| would)? (?:like|want|prefer)|you (?:can|could|might|may))\b", re.IGNORECASE
)
_STORY: Final = re.compile(
    r"\A(?:and |so |but |then )*(?:after|once|when|while|last|one day|yesterday|the other day)\b|\bago\b"
    r"|\b(?:we|i) (?:all |both )?(?:got to|had|went(?! with\b)|were|was|ended up)\b",
    re.IGNORECASE,
)
"""How people tell what they once did: "After the coffee we decided to take a walk" decides nothing now."""
_FEWEST: Final = (
    4  # different words of a statement in talk: "I chose this for a couple of reasons" needs what came before
)
_WORTH: Final = 0.8  # of a sentence from which on people's talk to each other is worth a line among statements
_IMPORTANCE: Final = 5.0  # added to that of a turn where its words are weighed: it may at most double their worth
_LEAST: Final = 0.15  # part of what the best point is worth: less is not worth a line
_FRESH: Final = 0.5  # share of a point's words that no line before it has
_QUESTIONS: Final = 3
_PHRASE: Final = 4  # characters of a phrase to ask about
_ASKED_OF: Final = 2  # turns at least that speak of it
_SPREAD: Final = 0.25  # share of the stretches above which a phrase tells none from another


def weight(turn: RecapTurn, rarity: Rarity | None = None) -> float:
    """What a turn's words are worth for a recap: what they tell by themselves, and how important the turn is."""
    if not turn.prose or not says_something(turn):
        return 0.0
    worth = best_passage(turn.prose, rarity).worth
    if turn.origin == "assistant" and any(mark.kind == "task" for mark in turn.marks):
        worth *= _share_of_steps(turn)
    return round(worth * (_IMPORTANCE + turn.importance), 4)


def _share_of_steps(turn: RecapTurn) -> float:
    """The share of an assistant's words that is not a plan: "Run the test to verify it" reports nothing done."""
    planned = sum(len(mark.value) for mark in turn.marks if mark.kind == "task")
    return max(0.0, 1.0 - planned / len(turn.prose))


def is_among_people(voices: Iterable[tuple[str, str | None]]) -> bool:
    """Whether those who talk are all known by names, as in a chat of two friends: no assistant is among them.

    Args:
        voices: role and speaker of each turn that says something.
    """
    said = [(role, speaker) for role, speaker in voices if role in PEOPLE]
    return bool(said) and all(speaker and speaker.casefold() != role for role, speaker in said)


def add_statements(draft: RecapDraft, turns: Sequence[RecapTurn], mode: Mode, *, limit: float) -> None:
    """Decisions and the like by turns, of each kind first what was settled or forbidden by people, then the newest."""
    kinds = []
    social = mode == "chat" and is_among_people((turn.role, turn.speaker) for turn in turns if turn.prose)
    for kind, section in STATEMENTS:
        told = {
            mark.value: turn
            for turn in turns
            for mark in turn.marks
            if mark.kind == kind
            and states(mark.value)
            and _has_kind(kind, mark.value, turn, mode)
            and not (mode == "chat" and _is_short(kind, mark.value))
            and not (social and is_chatter(kind, mark.value))
        }
        best = sorted(told.items(), key=lambda said: (not holds(kind, *said), -said[1].seq))
        kinds.append([(section, turn.seq, opening(as_sentence(text), LINE)) for text, turn in best[:POINTS]])
    for section, seq, text in (each for rank in zip_longest(*kinds) for each in rank if each):
        others = draft.lines if section == FAILED else dict(STATEMENTS).values()
        if any(text.casefold() in line.casefold() for name in others for _, line in draft.lines.get(name, ())):
            continue
        goal = (line for known, line in draft.lines.get(STATUS, ()) if known == seq)
        if section == DECIDED and any(text.casefold() in line.casefold() for line in goal):
            continue
        words = words_of(text)
        if len(words - _told(draft, section)) >= _FRESH * len(words):
            draft.add(section, seq, f"- [#{seq}] {text}", limit=limit)


def _told(draft: RecapDraft, section: str | None = None) -> frozenset[str]:
    """The words of the lines so far, or of those of one section."""
    some = draft.lines.values() if section is None else [draft.lines.get(section, [])]
    return words_of(" ".join(line for lines in some for _, line in lines))


def add_reports(draft: RecapDraft, turns: Sequence[RecapTurn], rarity: Rarity, *, limit: float) -> None:
    """What an agent says that it did or found: the worthiest report of a turn, of late turns rather than early ones."""
    last = max(1, *(turn.seq for turn in turns), 1)
    found = []
    for turn in turns:
        if turn.origin == "assistant" and turn.prose and turn.seq not in draft.shown:
            said = [text for text in sentences_of(turn.prose) if reports(text)]
            worths = [worth_of(text) * rarity.of(text) for text in said]
            weighs = (_IMPORTANCE + turn.importance) * (1 + turn.seq / last)
            found += [(round(max(worths) * weighs, 4), turn.seq, said[worths.index(max(worths))])] if said else []
    told = _told(draft)
    for _, seq, text in sorted(found, reverse=True)[: 2 * POINTS]:
        words = words_of(text)
        line = f"- [#{seq}] {opening(as_sentence(text), LINE)}"
        if len(words - told) >= _FRESH * len(words) and draft.add(REPORTS, seq, line, limit=limit):
            told |= words


def reports(sentence: str) -> bool:
    """Whether a sentence tells what was done, or what was found to be so."""
    is_told = _REPORTS.search(sentence) is not None and states(sentence) and tells(sentence)
    return is_told and not is_plan(sentence) and not instructs(sentence)


def instructs(sentence: str) -> bool:
    """Whether a sentence tells somebody what to do ("Return a summary of what was created"), or only what may be."""
    return _INSTRUCTS.match(as_sentence(sentence)) is not None


def _is_short(kind: str, text: str) -> bool:
    """Whether a statement in talk has too few words to be understood alone; "We switch to Adyen" names its outcome."""
    return len(words_of(text)) < _FEWEST and not (kind == "decision" and is_concluded(text))


def is_chatter(kind: str, text: str) -> bool:
    """Whether a statement in talk among people binds nobody: advice, praise, a proposal without an outcome, a story."""
    if kind == "decision" and (not is_settled(text) or is_story(text)):
        return True
    if kind == "decision" and is_concluded(text):
        return False
    return not tells_of_self(text) or is_to_other(text) or worth_of(text) < _WORTH


def is_story(sentence: str) -> bool:
    """Whether a sentence tells of what somebody once did: what was decided then binds nobody now."""
    return _STORY.search(sentence) is not None


def _has_kind(kind: str, text: str, turn: RecapTurn, mode: Mode) -> bool:
    """Whether a statement really is of its kind.

    An agent that announces a step ("I need to create a hook"), says what it sees or offers something has decided
    nothing, unless it says what it prefers that to, or why. Stories from everyday life and expected failures
    are no failed attempts. A system prompt holds for every session, and stands in every prompt anyway.
    """
    if turn.role == "system":
        return False
    if kind == "failure":
        is_work = mode == "quest" or any(mark.kind in _WORK for mark in turn.marks)
        return is_work and turn.origin in PEOPLE and not is_expected(text) and not instructs(text)
    if kind == "constraint" and announces(text, by_user=turn.by_user):
        return False
    if kind != "decision" or turn.origin == "user":
        return kind != "decision" or not agrees(text)
    if mode == "quest":
        is_other = _OFFERS.search(text) is not None or _NOTES.match(text) is not None
        return not is_other and (is_settled(text) or (_CHOOSES.search(text) is not None and not takes_a_step(text)))
    return is_settled(text) or not takes_a_step(text)


def holds(kind: str, text: str, turn: RecapTurn) -> bool:
    """Whether a statement still holds however long ago it was made."""
    return is_settled(text) and (kind == "decision" or turn.role == "user")


def add_points(
    draft: RecapDraft, turns: Sequence[RecapTurn], mode: Mode, rarity: Rarity, active: float = ACTIVE
) -> None:
    """The weightiest words, in a chat by overlay; what was told before, or nearly, is not told again.

    Args:
        active: score from which an overlay counts.
    """
    weighed = sorted(((weight(turn, rarity), turn) for turn in turns), key=lambda each: (-each[0], -each[1].seq))
    told = set(_told(draft))
    for worth, turn in weighed:
        if worth <= _LEAST * weighed[0][0]:
            break
        if turn.seq in draft.shown or turn.role == "system":
            continue
        text = best_opening(turn.prose, LINE, rarity, by_user=turn.by_user)
        words = words_of(text)
        is_news = len(words - told) >= _FRESH * len(words)
        if not is_news or agrees(text) or (mode == "quest" and turn.origin == "assistant" and is_plan(text)):
            continue
        section = "Points" if mode == "quest" else _overlay_section(turn, active)
        if not draft.add(section, turn.seq, f"- [#{turn.seq}] {turn.name}: {text}", limit=0.95):
            break
        told |= words


def _overlay_section(turn: RecapTurn, active: float) -> str:
    """The section of the turn's strongest overlay, if it is active; ties go to the earlier overlay."""
    strongest = max(turn.overlays.items(), key=lambda score: (round(score[1], 4), score[0]), default=("", 0.0))
    return f"Points: {strongest[0].partition('_')[2]}" if strongest[1] >= active else "Points"


def phrases_to_ask(topics: Sequence[tuple[str, int]], turns: Sequence[RecapTurn]) -> list[str]:
    """Phrases of the latest stretches that several turns speak of, as these write them, the latest first.

    Not asked about: who talks, and what is in most stretches, since neither tells one matter from another.
    """
    said = [turn.prose for turn in turns if turn.prose and turn.origin in PEOPLE and turn.role != "system"]
    names = {word.casefold() for turn in turns if turn.speaker for word in turn.name.split()}
    phrases: dict[str, None] = {}
    for title, _ in sorted(topics, key=lambda topic: -topic[1]):
        for phrase in map(str.strip, title.split(",")):
            if len(phrase) < _PHRASE or phrase[0].isdigit() or names.intersection(phrase.casefold().split()):
                continue
            if _is_told_apart(phrase, [other for other, _ in topics]) and (written := _as_written(phrase, said)):
                phrases[written] = None
                break
        if len(phrases) == _QUESTIONS:
            break
    return list(phrases)


def _is_told_apart(phrase: str, titles: Sequence[str]) -> bool:
    return sum(phrase in title for title in titles) <= max(1, _SPREAD * len(titles))


def _as_written(phrase: str, said: Iterable[str]) -> str | None:
    """A phrase as it was last written; None where fewer than two turns speak of it, or only as a part of a path."""
    pattern = re.compile(rf"(?<![\w/.]){re.escape(phrase).replace('-', '[- ]')}(?![\w/])", re.IGNORECASE)
    found = [match[0] for match in map(pattern.search, said) if match is not None]
    return found[-1] if len(found) >= _ASKED_OF else None
