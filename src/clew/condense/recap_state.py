"""What the recaps of a session are made of, gathered turn by turn: a compaction reads only the turns that are new.

Of bounded size, whatever the session's length: turns that no recap would have a line for and values that none would
show are let go. What is kept does not depend on where the stretches of turns end, but for the values of least worth.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from clew.condense.material import Mark, RecapTurn
from clew.condense.mode import Mode, mode_of
from clew.condense.open_tasks import OpenTask, OpenTasks
from clew.condense.recap import RecapSource
from clew.condense.recap_told import weight
from clew.condense.reuse import Uses
from clew.text.counters import Counter

STATE_VERSION: Final = 14
"""Raise it with any change of what is gathered: states of another version are made again from the turns."""

# How much is kept: several times what a recap of 4,000 tokens has room for.
_VALUES: Final = 2_000
_WEIGHTY: Final = 120
_SHIFTS: Final = 60
_STATEMENTS: Final = 24  # of each kind
_LAST: Final = 12
_CALLS: Final = 64  # calls whose results may be still to come
_TASKS: Final = 200
_PROSE: Final = 4_000  # characters of a turn's prose
_MARKS: Final = 24  # marks of a turn, besides its statements
_PARTS: Final = 12  # calls and results of a turn
_TOLD: Final = ("decision", "constraint", "failure", "task")


@dataclass(slots=True)
class RecapState:
    """What a session's turns up to `last` give to its recaps.

    Attributes:
        last: seq of the last turn gathered; -1 before the first.
        turns: how many were gathered.
        tokens: of their texts.
        tool_turns, structural, code_blocks, files: the sums by which SIGMA tells a quest from a chat.
        shifts: seqs of all paradigm shifts.
        kept: the turns that a recap may have a line for, by seq.
        labels: the last calls, by call id.
    """

    last: int = -1
    turns: int = 0
    tokens: int = 0
    tool_turns: int = 0
    structural: float = 0.0
    code_blocks: int = 0
    files: int = 0
    shifts: list[int] = field(default_factory=list)
    kept: dict[int, RecapTurn] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    uses: Uses = field(default_factory=Uses)
    tasks: OpenTasks = field(default_factory=OpenTasks)

    @property
    def mode(self) -> Mode:
        """The form of recap that suits the turns, by SIGMA's score."""
        return mode_of(
            tool_turns=self.tool_turns, structural=self.structural, code_blocks=self.code_blocks, files=self.files
        )

    def gather(self, turns: Iterable[RecapTurn], count: Mapping[int, int], besides: Iterable[str] = ()) -> None:
        """Takes in the turns that come next.

        Args:
            count: tokens of each turn, by seq.
            besides: values that are kept whatever they are worth, case-folded.
        """
        for turn in turns:
            self.last = turn.seq
            self.turns += 1
            self.tokens += count[turn.seq]
            self.tool_turns += bool(turn.calls)
            self.structural += turn.overlays.get("O1_structural", 0.0)
            self.code_blocks += turn.prose.count("```") // 2
            self.files += len({mark.value for mark in turn.marks if mark.kind == "path"})
            self.shifts += [turn.seq] if turn.is_shift else []
            self.uses.add(turn)
            self.kept[turn.seq] = _shortened(turn)
        self.kept = {seq: self.kept[seq] for seq in sorted(_worth_keeping(list(self.kept.values())))}
        self.labels = dict(list(self.labels.items())[-_CALLS:])
        self.tasks.keep_last(_TASKS)
        self.uses.keep_best(_VALUES, frozenset(besides))

    def source(
        self,
        session: str,
        count: Counter,
        topics: Sequence[tuple[str, int]],
        tasks: Sequence[OpenTask],
        title: str | None,
    ) -> RecapSource:
        """What a recap up to `last` is made from."""
        kept = list(self.kept.values())
        told = {turn.seq for turn in kept}
        return RecapSource(
            session,
            kept,
            topics=topics,
            tasks=tasks,
            title=title,
            values=self.uses.by_worth(count),
            mode=self.mode,
            shifts=[seq for seq in self.shifts if seq not in told],
            last=self.last,
        )


def _shortened(turn: RecapTurn) -> RecapTurn:
    told = [mark for mark in turn.marks if mark.kind in _TOLD]
    others = [mark for mark in turn.marks if mark.kind not in _TOLD]
    return replace(
        turn,
        prose=turn.prose[:_PROSE],
        marks=(*others[:_MARKS], *told[:_MARKS]),
        calls=turn.calls[:_PARTS],
        results=turn.results[:_PARTS],
    )


def _worth_keeping(turns: Sequence[RecapTurn]) -> set[int]:
    """The seqs of the turns that a recap may have a line for; which words are rare is not known before all are said."""
    said = [turn for turn in turns if turn.prose]
    weightiest = sorted(said, key=lambda turn: (-weight(turn), -turn.seq))
    shifts = sorted((turn for turn in turns if turn.is_shift), key=lambda turn: (-round(turn.importance, 4), turn.seq))
    asked = [turn for turn in said if turn.origin == "user"]
    answered = [turn for turn in said if turn.origin == "assistant"]
    chosen = [*turns[-_LAST:], *weightiest[:_WEIGHTY], *shifts[:_SHIFTS], *asked[:1], *asked[-1:], *answered[-1:]]
    chosen += said[:1]
    seqs = {turn.seq for turn in chosen}
    for kind in _TOLD:
        seqs |= _latest(turns, kind)
    return seqs


def _latest(turns: Sequence[RecapTurn], kind: str) -> set[int]:
    """The turns that said the last different statements of a kind."""
    said = {mark: turn.seq for turn in turns for mark in _marks_of(turn, kind)}
    return set(sorted(said.values())[-_STATEMENTS:])


def _marks_of(turn: RecapTurn, kind: str) -> Iterable[Mark]:
    return (mark for mark in turn.marks if mark.kind == kind)
