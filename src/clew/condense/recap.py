"""The recap of a session: what it was about, what was decided, what is open, and the values that are needed again.

Two forms (SIGMA): a *quest*, for work with tools on files, has goal, status, files, mental map, decisions, open tasks,
last action and questions one can ask; a *chat* has its breakthroughs, then its points by overlay. Made without a model,
from the words of the session: every line is a sentence or a value of a turn, with the turn's number.

The budget is exact. It goes first to the lines that every recap has, then to a line for each paradigm shift. Most of
what is left goes to values that are likely to be used again, the rest to statements.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Final

from clew.condense.material import RecapTurn
from clew.condense.mode import Mode, mode_of
from clew.condense.open_tasks import OpenTask
from clew.condense.recap_draft import RecapDraft, heading
from clew.condense.recap_lines import (
    ABOUT,
    awaits_answer,
    best_opening,
    in_plain_words,
    is_request,
    line_of_stretches,
    opening,
    says_something,
    sentences_of,
    tells,
)
from clew.condense.recap_shifts import ASKING, OTHER, SHIFTED, add_shifts, number_tokens
from clew.condense.recap_told import (
    ACTIVE,
    LINE,
    PEOPLE,
    POINTS,
    REPORTS,
    STATEMENTS,
    add_points,
    add_reports,
    add_statements,
    holds,
    phrases_to_ask,
)
from clew.condense.recap_values import choose_values, value_lines
from clew.condense.reuse import ReusedValue, values_by_worth
from clew.condense.sentence_worth import Rarity, form_of
from clew.condense.session_titles import framed_wish
from clew.text.counters import CHARS_PER_TOKEN, Counter
from clew.text.printable import printable
from clew.types.ids import session_prefix, short_session
from clew.types.quests import Quest, QuestStage
from clew.types.record import Record

BUDGET: Final = 4_000
"""Tokens of a recap, if nothing else is asked for."""

_STAGES: Final = {
    QuestStage.GENESIS: "Nothing changed yet",
    QuestStage.TRANSFORM: "Files being changed",
    QuestStage.VERIFY: "Changes being checked",
    QuestStage.COMPLETE: "Work done",
}
_BEGAN: Final = {"quest": "Goal", "chat": "Began"}
_SHIFTS: Final = {"quest": 0.18, "chat": 0.25}  # share of the budget for lines of shifts
_VALUES: Final = {"quest": 0.9, "chat": 0.3}
"""Share of the rest that goes to values first; small for a chat, where hardly a value is used again."""

_HEAD: Final = 0.08  # share of the budget above which the head is short
_STATUS, _GOAL, _OPEN, _ENDED = 0.25, 0.6, 0.6, 0.9
"""Shares of what the head leaves, up to which state, goal, open tasks and last words are added, in this order.

They bind in small recaps only; what comes after them has to do without."""

_WORDS: Final = 0.04  # share of the budget for the goal, and for each of the last words
_MAPPED: Final = 0.07  # share of the budget for the mental map
_TOLD: Final = 0.11  # share of the budget that statements have before values
_DONE: Final = 0.07  # share of the budget for what an agent did and found
_ROOMY: Final = 2_000  # tokens below which that share is smaller, since values are short of room
_STRETCHES: Final = 16
_LOOKED: Final = 6  # turns of a speaker among which the last words are looked for
_LONG_REQUEST: Final = 3  # times the room of a line from which on last words are quoted from their best sentence on
_BEGINS: Final = re.compile(r"(?:^|[\n>。！？：]|[.!?:*#-]\s)[ \t]*$")  # what precedes a line or a sentence
_FILLINGS: Final = 3
"""Passes that fill the remaining room with values: joined lines have fewer tokens than their sum, so room is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recap(Record):
    """The recap of a session up to a turn.

    Attributes:
        style: `quest` or `chat`.
        tokens: of `text`, by the counter that was passed; at most the budget.
        last: seq of the last turn covered; -1 for an empty session.
        shown: seqs of the turns that a line is about.
        values: the values that are shown literally.
        turns: how many turns the session has now; those after `last` are not in the recap. 0 where not asked.
    """

    session: str
    style: Mode
    text: str
    tokens: int
    last: int
    shown: tuple[int, ...] = ()
    values: tuple[str, ...] = ()
    turns: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class RecapSource:
    """What a recap is made from: turns, oldest first, titles of beats, open tasks, the session's title.

    Attributes:
        known: text that the reader has anyway: its values are not repeated.
        values: the values of the session by worth; None reads them from the turns.
        mode: the form that suits the session; None finds it by the turns.
        shifts: paradigm shifts that are not among the turns; they are named by their numbers.
        last: seq of the last turn covered; None if it is that of the last of the turns.
        quest: the task that the session is at, if it is one.
        is_excerpt: the turns are only what a history lost: neither goal nor state nor last words can be told from them,
            nothing is told to fill the budget, and without anything worth telling the recap is empty.
        active: score from which an overlay counts, `analyze.overlay_threshold`.
    """

    session: str
    turns: Sequence[RecapTurn]
    topics: Sequence[tuple[str, int]] = ()  # title and first turn of each beat
    tasks: Sequence[OpenTask] = ()
    title: str | None = None
    known: str = ""
    values: Sequence[ReusedValue] | None = None
    mode: Mode | None = None
    shifts: Sequence[int] = ()
    last: int | None = None
    quest: Quest | None = None
    is_excerpt: bool = False
    active: float = ACTIVE


def compose_recap(source: RecapSource, count: Counter, *, budget: int = BUDGET, style: Mode | None = None) -> Recap:
    """The recap of a session within a budget of tokens; the same source and budget give the same bytes.

    Args:
        budget: 0 gives an empty text.
        style: None decides by SIGMA's score.
    """
    turns = source.turns
    mode = style or source.mode or style_of(turns)
    head = _head(source, mode)
    if count(head) > budget * _HEAD:
        head = _head(source, mode, is_short=True)
    draft = RecapDraft(budget, count, spent=count(head))
    known = source.known.casefold()
    worthy = values_by_worth(turns, count) if source.values is None else source.values
    values = [value for value in worthy if value.mark.value.casefold() not in known]
    kept: list[ReusedValue] = []
    rarity = Rarity(turn.prose for turn in turns if turn.prose)
    if turns:
        draft.held = number_tokens(draft, [*(turn.seq for turn in turns if turn.is_shift), *source.shifts])
        if source.is_excerpt:
            _add_tasks(draft, source)
        else:
            _add_frame(draft, source, mode, rarity)
            _add_map(draft, source, mode, rarity)
        draft.held = 0
        add_shifts(draft, turns, source.shifts, rarity, draft.budget * _SHIFTS[mode])
        add_statements(draft, turns, mode, limit=draft.spent / max(1, budget) + _TOLD)
        if mode == "quest":
            add_reports(draft, turns, rarity, limit=draft.spent / max(1, budget) + _DONE * min(1.0, budget / _ROOMY))
        said = [turn.prose for turn in turns if turn.prose and turn.origin in PEOPLE]
        kept = choose_values(draft, values, draft.spent + (budget - draft.spent) * _VALUES[mode], said)
        add_statements(draft, turns, mode, limit=0.9)
        if not source.is_excerpt:
            add_points(draft, turns, mode, rarity, source.active)
        for _ in range(_FILLINGS):
            chosen = {value.mark.value for value in kept}
            rest = [value for value in values if value.mark.value not in chosen]
            kept += choose_values(draft, rest, budget, said)
            draft.spent = count(_rendered(draft, head, kept, _order(draft, mode)))
    text = _fitted(draft, head, kept, mode, count) if not source.is_excerpt or draft.lines or kept else ""
    last = source.last if source.last is not None else turns[-1].seq if turns else -1
    told = draft.shown.union(task.seq for task in source.tasks)
    shown = tuple(sorted(seq for seq in told if f"#{seq}" in text))
    literal = tuple(value.mark.value for value in kept if printable(value.mark.value) in text)
    return Recap(
        session=source.session, style=mode, text=text, tokens=count(text), last=last, shown=shown, values=literal
    )


def style_of(turns: Sequence[RecapTurn]) -> Mode:
    """The form that suits the turns, by SIGMA's score."""
    return mode_of(
        tool_turns=sum(bool(turn.calls) for turn in turns),
        structural=sum(turn.overlays.get("O1_structural", 0.0) for turn in turns),
        code_blocks=sum(turn.prose.count("```") // 2 for turn in turns),
        files=sum(len({mark.value for mark in turn.marks if mark.kind == "path"}) for turn in turns),
    )


def _head(source: RecapSource, mode: Mode, *, is_short: bool = False) -> str:
    wishes = (turn.prose for turn in source.turns if turn.by_user and turn.prose)
    summed_up = (turn.prose for turn in source.turns if turn.origin == "injected" and turn.prose)
    asked = next(chain(wishes, summed_up), "")
    named = source.quest.title if source.quest is not None and source.quest.provenance == "user" else ""
    title = opening(named or source.title or asked, LINE // 2, by_user=True)
    if title.endswith("\u2026") and (whole := _from_title(asked, source.title)):
        title = opening(whole, LINE // 2, by_user=True)
    name = "Current quest" if mode == "quest" else "Conversation"
    if mode == "chat" and (people := _people(source.turns)):
        title = people
    name = "No longer in this history" if source.is_excerpt else name
    when = _when(source.turns)
    if is_short:
        session = short_session(source.session)
        ref = _in_a_shell(session)
        head = opening(title, LINE // 4, by_user=True) or session
        return f"## {name}: {head}\n{when}[#n]: `clew restore {ref}:turn:n`\n"
    return (
        f"## {name}: {title or source.session}\n"
        f"{when}[#n] is turn n of this session; `clew restore {_in_a_shell(source.session)}:turn:n` opens it in full.\n"
    )


def _in_a_shell(session: str) -> str:
    """The session in a turn id that a shell takes as one word: percent-encoded if its name has a blank, say."""
    return session if shlex.quote(session) == session else session_prefix(session)


def _from_title(wish: str, title: str | None) -> str | None:
    """A request from the session's title on, where that begins a line or sentence behind what a client put there."""
    before, words, rest = wish.partition((title or "").rstrip("\u2026 ") or "\0")
    return words + rest if words and _BEGINS.search(before) else None


def _people(turns: Sequence[RecapTurn]) -> str:
    """Who talks, if they have names of their own: the first two, and how many there are besides."""
    said = (turn for turn in turns if turn.speaker and turn.role in PEOPLE)
    names = list(dict.fromkeys(turn.name for turn in said if turn.name.casefold() != turn.role))
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return f"{', '.join(names[:2])}{more}" if more else " and ".join(names) if len(names) > 1 else ""


def _when(turns: Sequence[RecapTurn]) -> str:
    days = sorted(turn.at.date().isoformat() for turn in turns if turn.at is not None)  # a clock may have gone back
    if not days:
        return ""
    return f"{days[0]}. " if days[0] == days[-1] else f"{days[0]} to {days[-1]}. "


_MAP, _TASKS, _LAST, _ASK = "Mental map", "Open tasks", "Last words", "You can ask"


def _add_frame(draft: RecapDraft, source: RecapSource, mode: Mode, rarity: Rarity) -> None:
    """Goal, state, open tasks and last words: what every recap has."""
    long = min(2 * LINE, max(LINE // 2, int(_WORDS * CHARS_PER_TOKEN * draft.budget)))
    asked = [turn for turn in source.turns if turn.by_user and turn.prose]
    answered = [turn for turn in source.turns if turn.origin == "assistant" and turn.prose]
    waits = awaits_answer((turn.origin, turn.prose) for turn in reversed(source.turns))
    if mode == "quest":
        line = f"**Status:** {_status(source, waits=waits)}"
        draft.add("Status", -1, line, limit=draft.beside_head(_STATUS))
    if asked:
        first = asked[0] if mode == "quest" else next(filter(_tells_something, asked[:_LOOKED]), asked[0])
        begun = f"**{_BEGAN[mode]}** [#{first.seq}]: "
        framed = _from_title(first.prose, framed_wish(first.prose))
        wish = _from_title(first.prose, source.title) or framed or first.prose
        most = long if wish == first.prose else long // 2  # the title says the same
        _add_opening(draft, "Status", first, begun, most, limit=draft.beside_head(_GOAL), text=wish)
    _add_tasks(draft, source)
    for said in (answered, asked[1:]):
        for turn in _last_telling(said):
            # A long request may open with what every request of its client opens with.
            text = turn.prose
            if len(text) >= _LONG_REQUEST * long:
                text = best_opening(text, long, rarity, by_user=turn.by_user)
            before = f"- [#{turn.seq}] {turn.name}: "
            _add_opening(draft, _LAST, turn, before, long, limit=draft.beside_head(_ENDED), text=text)


def _add_map(draft: RecapDraft, source: RecapSource, mode: Mode, rarity: Rarity) -> None:
    """What the stretches were about, evenly over the session: of work the requests first, of talk what was told."""
    limit = draft.spent / max(1, draft.budget) + _MAPPED
    turns = [turn for turn in source.turns if turn.role != "system"]
    told = line_of_stretches(source.topics, turns, rarity)
    asked = {turn.seq for turn in turns if turn.origin == "user"}
    about = [line for line in told if line[1].startswith(ABOUT)]
    stated = {turn.seq for turn in turns if any(holds(mark.kind, mark.value, turn) for mark in turn.marks)}
    said = [line for line in told if line not in about and line[0] not in stated] or about
    best = [line for line in said if (line[0] in asked if mode == "quest" else not line[1].endswith("?"))]
    ranked = [_evenly(best), _evenly([line for line in said if line not in best])]
    for seq, line in [*chain(*ranked)][:_STRETCHES]:
        if seq not in draft.shown:
            draft.add(_MAP, seq, f"- [#{seq}] {line}", limit=limit)
    phrases = list(map(in_plain_words, phrases_to_ask(source.topics, source.turns)))
    for most in range(len(phrases) if draft.budget >= ASKING else 0, 0, -1):
        asked_for = " or ".join(filter(None, [", ".join(phrases[: most - 1]), phrases[most - 1]]))
        if draft.add(_ASK, -1, f"- What was said about {asked_for}?", limit=limit + 0.02):
            break


def _evenly(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """The lines in an order of which every beginning covers the session: last, first, middle, then those between."""
    order: dict[int, None] = dict.fromkeys((len(lines) - 1, 0) if lines else ())
    parts = 2
    while len(order) < len(lines):
        order |= dict.fromkeys((len(lines) - 1) * part // parts for part in range(parts - 1, 0, -1))
        parts *= 2
    return [lines[place] for place in order]


def _tells_something(turn: RecapTurn) -> bool:
    """Whether a turn states something: "Hey, how have you been?" does not."""
    return any(form_of(sentence) >= 1.0 and tells(sentence) for sentence in sentences_of(turn.prose))


def _last_telling(turns: Sequence[RecapTurn]) -> Sequence[RecapTurn]:
    """At most one turn: the last of the last few that says something, else the last of all."""
    last = reversed(turns[-_LOOKED:])
    telling = (turn for turn in last if turn.prose.endswith("?") or (says_something(turn) and is_request(turn.prose)))
    return [turn for turn in (next(telling, None),) if turn is not None] or turns[-1:]


def _status(source: RecapSource, *, waits: bool) -> str:
    """How far the work is, how its last check ended, and what is open: each as it is, since both can be so at once."""
    if source.quest is None:
        return "In progress" if source.tasks or waits else "Last request answered"
    passed = source.quest.passed
    ended = "" if passed is None else f", last check {'passed' if passed else 'failed'}"
    left = "last request not answered yet" if waits else "tasks open" if source.tasks else "last request answered"
    is_done = source.quest.stage == QuestStage.COMPLETE
    stage = "In progress" if is_done and source.tasks else "Earlier work done" if is_done and waits else None
    return f"{stage or _STAGES[source.quest.stage]}{ended}; {left}"


def _add_opening(
    draft: RecapDraft, section: str, turn: RecapTurn, before: str, long: int, *, limit: float, text: str
) -> None:
    """A line with the beginning of a text of a turn, as long as there is room for."""
    is_framed = text != turn.prose and framed_wish(turn.prose) is not None
    for most in (long, long // 2, long // 4):
        said = opening(text, most, by_user=turn.by_user, is_begun=is_framed)
        if draft.add(section, turn.seq, before + said, limit=limit):
            return


def _add_tasks(draft: RecapDraft, source: RecapSource) -> None:
    limit = draft.beside_head(_OPEN)
    for seq, tasks in groupby(source.tasks[:POINTS], key=lambda task: task.seq):
        before = f"- [#{seq}] " if seq >= 0 else "- "
        told = [opening(task.text, LINE) for task in tasks]
        while told and not draft.add(_TASKS, -1, before + "; ".join(told), limit=limit):
            told.pop()


def _fitted(draft: RecapDraft, head: str, kept: list[ReusedValue], mode: Mode, count: Counter) -> str:
    """The text of a draft, within the budget by the counter itself: parts may count differently from the whole."""
    order = _order(draft, mode)
    text = _rendered(draft, head, kept, order)
    while count(text) > draft.budget:
        if kept:
            kept.pop()
        elif not draft.drop_last(order):
            return head if count(head) <= draft.budget else ""
        text = _rendered(draft, head, kept, order)
    return text


def _order(draft: RecapDraft, mode: Mode) -> list[str]:
    first = ["Status", _TASKS, _LAST] if mode == "quest" else ["Status", SHIFTED, OTHER, _TASKS, _LAST]
    rest = [_MAP, REPORTS, *(section for _, section in STATEMENTS), SHIFTED, OTHER]
    named = list(dict.fromkeys([*first, *rest]))
    return [*named, *sorted(set(draft.lines) - {*named, _ASK}), _ASK]


def _rendered(draft: RecapDraft, head: str, kept: Sequence[ReusedValue], order: Sequence[str]) -> str:
    return printable(head + "".join(_sections(draft, kept, order)))


def _sections(draft: RecapDraft, kept: Sequence[ReusedValue], order: Sequence[str]) -> Iterator[str]:
    for section in order:
        lines = sorted(draft.lines.get(section, ()), key=lambda line: line[0])
        if lines:
            yield heading(section) + "".join(f"{line}\n" for _, line in lines)
    yield from value_lines(draft, kept)
