"""Finds the quests of a session: tasks that were asked for, done, checked and handed over (SIGMA, phase 4).

A fold over what each turn did, in order; the words of a turn count only where they hand over or confirm. A quest ends
when its last check passed after its last change and the answer to the user comes without a further call, when the user
says that it is done, or when the work is committed. The user's next request then opens another one; a request before
that goes on with the same quest.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from clew.condense.recap_lines import as_sentence
from clew.errors import InputError, shown
from clew.project.links import TurnLinks
from clew.text.printable import cut_line
from clew.types.ids import node_id
from clew.types.quests import Quest, QuestCheck, QuestStage
from clew.types.record import Record

_QUEST_ID: Final = re.compile(r"(?P<session>[^\s:]+):quest:(?P<first>\d{1,18})")

TITLE: Final = 120
"""Characters of a title that is made from a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnActs:
    """What a turn did, as far as quests go.

    Attributes:
        role: `user` only where a person speaks.
    """

    seq: int
    role: str
    links: TurnLinks = field(default_factory=TurnLinks)

    @property
    def asks(self) -> bool:
        """Whether a person says something in it."""
        return self.role == "user" and not self.links.wordless

    @property
    def hands_over(self) -> bool:
        """Whether an assistant answers without calling a tool."""
        return self.role == "assistant" and not self.links.calls and not self.links.wordless


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestState(Record):
    """The quests of a session after some of its turns, as far as they are needed to continue with later turns.

    Attributes:
        shown: the last quest that led to work, or that a person opened.
        last: the quest that is open, or was completed last; perhaps without any work yet.
        waiting: id of a call -> command and seq of a check of `last` that has no result yet.
        edits: path of a file of `last` -> number of calls that changed it and were not refused.
        editing: id of a call -> the path that it changes.
        answered: whether the last words were an answer of the assistant without a call of a tool.
        until: seq of the last turn that was read.
    """

    shown: Quest | None = None
    last: Quest | None = None
    waiting: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    edits: Mapping[str, int] = field(default_factory=dict)
    editing: Mapping[str, str] = field(default_factory=dict)
    answered: bool = False
    until: int = -1


@dataclass(slots=True)
class _Open:
    """A quest while its turns are read."""

    first: int
    last: int
    stage: QuestStage = QuestStage.GENESIS
    began: dict[str, int] = field(default_factory=dict)
    files: dict[str, None] = field(default_factory=dict)
    checks: dict[tuple[str, int], QuestCheck] = field(default_factory=dict)
    waiting: dict[str, tuple[str, int]] = field(default_factory=dict)  # call id -> check
    edits: Counter[str] = field(default_factory=Counter)
    editing: dict[str, str] = field(default_factory=dict)  # call id -> path
    answered: bool = False

    @classmethod
    def of(cls, quest: Quest, state: QuestState) -> "_Open":
        """A quest as it was, to go on with."""
        return cls(
            first=quest.first,
            last=quest.last,
            stage=quest.stage,
            began=dict(quest.began),
            files=dict.fromkeys(quest.files),
            checks={(check.command, check.seq): check for check in quest.checks},
            waiting=dict(state.waiting),
            edits=Counter(state.edits),
            editing=dict(state.editing),
            answered=state.answered,
        )

    def held(self, path: str) -> str:
        """A path as the quest has it: shells write `src/a.py` where editors write `/srv/app/src/a.py`."""
        if path in self.files:
            return path
        return next((file for file in self.files if _is_same_file(file, path) or _is_same_file(path, file)), path)

    def undo(self, call: str) -> None:
        """Take back the change of a call whose result says that nothing was changed."""
        path = self.editing.pop(call, None)
        if path is None:
            return
        self.edits[path] -= 1
        if self.edits[path] <= 0:
            del self.edits[path]
            self.files.pop(path, None)
        if not self.files:
            self.stage = QuestStage.GENESIS
            self.began = {QuestStage.GENESIS.value: self.first}

    def enter(self, stage: QuestStage, seq: int) -> None:
        self.stage = stage
        self.began.setdefault(stage.value, seq)

    @property
    def is_checked(self) -> bool:
        """Whether the last check that says anything passed, and there was one since the last change."""
        told = [check for check in self.checks.values() if check.passed is not None]
        return self.stage == QuestStage.VERIFY and bool(told) and bool(told[-1].passed)

    def has_led_to_something(self, opened: Collection[int]) -> bool:
        """Whether the quest led to changes or checks, or a person opened it."""
        return bool(self.files or self.checks) or self.first in opened


def quests_of(session: str, turns: Iterable[TurnActs], opened: Collection[int] = ()) -> list[Quest]:
    """The quests of a session in their order, without titles. A request that led to no work belongs to the next quest.

    Args:
        turns: in order, from the beginning.
        opened: seqs of turns that open a quest because a person says so.
    """
    quests = _read([], turns, opened)
    return [_closed(session, quest) for quest in quests if quest.has_led_to_something(opened)]


def quest_state(
    session: str, turns: Iterable[TurnActs], until: int, opened: Collection[int], before: QuestState
) -> QuestState:
    """The state of a session after further turns, up to the seq `until`.

    Args:
        turns: those after the state `before`, in order.
        opened: seqs of turns that open a quest because a person says so.
    """
    quests = _read([] if before.last is None else [_Open.of(before.last, before)], turns, opened)
    if not quests:
        return QuestState(until=until)
    shown = next((quest for quest in reversed(quests) if quest.has_led_to_something(opened)), None)
    return QuestState(
        shown=before.shown if shown is None else _closed(session, shown),
        last=_closed(session, quests[-1]),
        waiting=quests[-1].waiting,
        edits=quests[-1].edits,
        editing=quests[-1].editing,
        answered=quests[-1].answered,
        until=until,
    )


def _read(found: list[_Open], turns: Iterable[TurnActs], opened: Collection[int]) -> list[_Open]:
    """Continue a list of quests with further turns."""
    for turn in turns:
        if found and found[-1].answered and found[-1].files and turn.asks and turn.links.thanks:
            found[-1].enter(QuestStage.COMPLETE, found[-1].last)
        works = bool(turn.links.edited or turn.links.checks)
        done = not found or found[-1].stage == QuestStage.COMPLETE
        if turn.seq in opened or (done and ((turn.asks and not turn.links.confirms) or (not found and works))):
            found.append(_Open(turn.seq, turn.seq, began={QuestStage.GENESIS.value: turn.seq}))
        if found and not (found[-1].stage == QuestStage.COMPLETE and not works):
            _take(found[-1], turn)
    return found


def _is_same_file(whole: str, path: str) -> bool:
    """Whether a relative path of several parts is the end of another path."""
    return "/" in path and not path.startswith(("/", "~")) and whole.endswith(f"/{path}")


def _take(quest: _Open, turn: TurnActs) -> None:
    """Takes a turn into the quest that is open."""
    quest.last = turn.seq
    links = turn.links
    quest.answered = turn.hands_over or (quest.answered and turn.links.wordless)
    for call in links.undone:
        quest.undo(call)
    if turn.asks and links.confirms and quest.files:
        quest.enter(QuestStage.COMPLETE, turn.seq)
        return
    if links.edited:
        edited = [quest.held(path) for path in links.edited]
        quest.files.update(dict.fromkeys(edited))
        quest.edits.update(edited)
        quest.editing.update({call: quest.held(path) for call, path in links.edits})
        quest.enter(QuestStage.TRANSFORM, turn.seq)
    for call, command in links.checks:
        quest.checks[command, turn.seq] = QuestCheck(command, turn.seq)
        quest.waiting[call] = (command, turn.seq)
        if quest.files:
            quest.enter(QuestStage.VERIFY, turn.seq)
    for call, passed in links.verdicts:
        if call in quest.waiting:
            command, seq = quest.waiting.pop(call)
            quest.checks[command, seq] = QuestCheck(command, seq, passed)
    if (turn.hands_over and quest.is_checked) or (links.commits and quest.files):
        quest.enter(QuestStage.COMPLETE, turn.seq)


def _closed(session: str, quest: _Open) -> Quest:
    return Quest(
        id=quest_id(session, quest.first),
        session=session,
        title="",
        stage=quest.stage,
        first=quest.first,
        last=quest.last,
        began=quest.began,
        files=tuple(quest.files),
        checks=tuple(quest.checks.values()),
    )


def quest_id(session: str, first: int) -> str:
    """The id of the quest that a turn of a session opened."""
    return node_id(session, "quest", first)


def session_of_quest(quest: str) -> tuple[str, int]:
    """Session and first turn of a quest, by its id.

    Raises:
        InputError: that is not an id of a quest.
    """
    match = _QUEST_ID.fullmatch(quest)
    if match is None:
        raise InputError(
            f"{shown(quest, 200)} is not a quest; expected <session>:quest:<number>, as `clew quest` prints"
        )
    return unquote(match["session"], errors="surrogatepass"), int(match["first"])


def quest_title(request: str) -> str:
    """The title of a quest, from the words that asked for it."""
    return cut_line(as_sentence(" ".join(request.split())), TITLE)
