"""The SIGMA document's two recaps of a lattice, in its form: a quest with its mental map, or the points of a chat.

Made without a model from the nodes' own words. Each line names its turn in brackets. The budget is exact, and every
paradigm shift has a line as long as the bare names of the shifts fit; the lines get shorter before one is left out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clew.analyze.overlays import Overlay
from clew.condense.material import RecapTurn, TurnScores, recap_turns
from clew.condense.recap import BUDGET
from clew.condense.recap_lines import opening, says_something
from clew.condense.renderings import TITLE, cut
from clew.condense.reuse import values_by_worth
from clew.condense.wires.protocol import call_label
from clew.text.counters import Counter, Counting
from clew.text.counters import counter as counter_named
from clew.types.turn import Turn
from clew.views.sigma_checks import check_tokens
from clew.views.sigma_options import AnalyzerOptions
from clew.views.sigma_shapes import ConversationLattice, ConversationNode
from clew.views.typed_arguments import typed

_SHIFTS: Final = 0.5  # share of the budget that the lines of shifts may take before they are cut shorter
_LENGTHS: Final = (160, 100, 60, 30, 0)  # characters of the line of a shift, tried in this order
_POINT: Final = 200  # characters of another line
_MOST: Final = 12  # lines of one section
_QUESTIONS: Final = 4
_FILES: Final = 10
_OWN: Final = re.compile(r"(?P<prefix>[^\s:]+:turn:)[0-9]+")  # the ids of a memory, whose sessions have long names
_CALL: Final = re.compile(r"\s*(?P<name>[A-Za-z_][\w.-]{0,80})\(\{")  # a tool's call, as Clew writes it into texts
_DONE, _NOW, _OPEN = "\u2705", "\u2192", "\u25cb"


@typed
def reconstruct_quest_context(
    lattice: ConversationLattice,
    *,
    budget: int = BUDGET,
    counter: Counting = "estimate",
    options: AnalyzerOptions | Mapping[str, Any] | None = None,
) -> str:
    """The recap of work: quest, status, files, mental map, key decisions, open tasks, last action, queries to ask.

    The quest is what the user's last paradigm shift says, else the first request; the mental map are the turns with a
    high O1, the last of them being the current focus. The same lattice and budget give the same bytes.

    Args:
        options: their `overlay_threshold` is the score from which O1 is high.
    """
    check_tokens(budget)
    talk = _Talk.of(lattice, AnalyzerOptions.of(options).overlay_threshold)
    draft = _Draft(budget, counter_named(counter))
    draft.open(f"## Current Quest: {talk.quest()}", *talk.note())
    draft.add("", ["", f"**Status:** {'In Progress' if talk.is_open() else 'Answered'}"])
    draft.add("", [f"**Files:** {', '.join(talk.files(draft.count))}"] if talk.has_files() else [])
    draft.add_shifts("Paradigm Shifts", talk)
    draft.add("Mental Map", talk.mental_map())
    for section, kind in (("Key Decisions", "decision"), ("Constraints", "constraint"), ("Open Tasks", "task")):
        draft.add(section, talk.statements(kind))
    draft.add("Last Action", [talk.line(turn, _POINT) for turn in talk.turns[-1:]])
    draft.add("Query Functions", talk.queries())
    return draft.text()


@typed
def reconstruct_chat_context(
    lattice: ConversationLattice,
    *,
    budget: int = BUDGET,
    counter: Counting = "estimate",
    options: AnalyzerOptions | Mapping[str, Any] | None = None,
) -> str:
    """The recap of a talk: its breakthroughs, then its important points by overlay, each in the order of time.

    An overlay lists the turns for which it is the strongest, from a score of 5. The same lattice and budget give the
    same bytes.

    Args:
        options: their `overlay_threshold` is that score.
    """
    check_tokens(budget)
    talk = _Talk.of(lattice, AnalyzerOptions.of(options).overlay_threshold)
    draft = _Draft(budget, counter_named(counter))
    draft.open(f"## Conversation: {talk.quest()}", *talk.note())
    draft.add_shifts("Breakthroughs", talk)
    for overlay in Overlay:
        draft.add(overlay.value.replace("_", " ").title(), talk.points(overlay.value))
    draft.add("Other Points", talk.points(""))
    draft.add("Last Words", [talk.line(turn, _POINT) for turn in talk.turns[-1:]])
    return draft.text()


@dataclass(slots=True)
class _Draft:
    """Sections in order, filled as far as the budget goes; a section's heading is paid with its first line."""

    budget: int
    count: Counter
    sections: list[tuple[str, list[str]]] = field(default_factory=list)

    def open(self, *lines: str) -> None:
        """The first lines; they are left out when nothing else would fit."""
        self.sections.append(("", list(lines)))
        self._shrink()

    def add(self, section: str, lines: Iterable[str]) -> None:
        """The first lines of a section that fit, in order."""
        kept: list[str] = []
        self.sections.append((section, kept))
        for line in lines:
            kept.append(line)
            if self.count(self.text()) > self.budget:
                kept.pop()
                return

    def add_shifts(self, section: str, talk: "_Talk") -> None:
        """A line for every shift, cut as far as needed; where not even their names fit, the most important.

        What stands before them makes room first.
        """
        for most in _LENGTHS:
            share = _SHIFTS if most else 1.0
            self.sections.append((section, [talk.line(turn, most) for turn in talk.shifts()]))
            if self.count(self.text()) <= self.budget * share:
                return
            if not most and len(self.sections) > 1:
                del self.sections[:-1]
                if self.count(self.text()) <= self.budget:
                    return
            self.sections.pop()
        kept: list[str] = []
        self.sections.append((section, kept))
        low, high = 0, len(talk.shifts())
        while low < high:
            middle = (low + high + 1) // 2
            kept[:] = self._named(talk, middle)
            low, high = (middle, high) if self.count(self.text()) <= self.budget else (low, middle - 1)
        kept[:] = self._named(talk, low) if low else []

    def _named(self, talk: "_Talk", most: int) -> list[str]:
        best = sorted(talk.shifts(), key=lambda turn: (-round(turn.importance, 6), turn.seq))[:most]
        left = len(talk.shifts()) - len(best)
        more = [f"- and {left} more"] if left else []
        return [*(talk.line(turn, 0) for turn in sorted(best, key=lambda turn: turn.seq)), *more]

    def text(self) -> str:
        """What is drafted, by the last count within the budget."""
        return "".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for section, lines in self.sections:
            if lines:
                yield f"\n### {section}\n\n" if section else ""
                yield "".join(f"{line}\n" for line in lines)

    def _shrink(self) -> None:
        if self.count(self.text()) > self.budget:
            self.sections.clear()


@dataclass(frozen=True, slots=True)
class _Talk:
    """The nodes of a lattice as the parts of a recap need them, in the order of time."""

    turns: Sequence[RecapTurn]
    nodes: Sequence[ConversationNode]
    prefix: str
    active: float  # score from which an overlay counts

    @classmethod
    def of(cls, lattice: ConversationLattice, active: float) -> "_Talk":
        nodes = lattice.nodes
        names = {match["prefix"] if (match := _OWN.fullmatch(node.turn_id)) else "" for node in nodes}
        turns = recap_turns((_turn(node, seq), _scores(node)) for seq, node in enumerate(nodes))
        return cls(turns, nodes, names.pop() if len(names) == 1 else "", active)

    def line(self, turn: RecapTurn, most: int) -> str:
        """A turn on one line of at most so many characters of its words; 0 gives its name alone."""
        name = f"- [{self._name(turn.seq)}]"
        return f"{name} {turn.name}: {_said(turn, most)}" if most else name

    def note(self) -> list[str]:
        """What short names stand for, where turns have them."""
        return [f"[#n] is {self.prefix}n"] if self.prefix else []

    def _name(self, seq: int) -> str:
        name = " ".join(self.nodes[seq].turn_id.split())
        return f"#{name.removeprefix(self.prefix)}" if self.prefix else name

    def shifts(self) -> list[RecapTurn]:
        return [turn for turn in self.turns if turn.is_shift]

    def quest(self) -> str:
        """What the user's last shift says, else what was asked first, else the last shift in words."""
        words = [turn for turn in self.shifts() if says_something(turn) and not _CALL.match(turn.prose)]
        asked = [turn for turn in self.turns if turn.role == "user" and says_something(turn)]
        told = [turn for turn in words if turn.role == "user"][-1:] or asked[:1] or words[-1:] or list(self.turns[:1])
        return _said(told[0], TITLE) if told else "(nothing was said)"

    def is_open(self) -> bool:
        """Whether the last word is the user's, or a task is open."""
        return bool(self.turns) and (self.turns[-1].role == "user" or bool(self._told("task")))

    def has_files(self) -> bool:
        return any(mark.kind == "path" for turn in self.turns for mark in turn.marks)

    def files(self, count: Counter) -> list[str]:
        """The files that are most likely needed again."""
        ranked = values_by_worth(self.turns, count)
        return [value.mark.value for value in ranked if value.mark.kind == "path"][:_FILES]

    def mental_map(self) -> list[str]:
        """The structural turns: done, the current focus, and the tasks that wait; what waits is not done."""
        waiting = {_short(text, TITLE): name for name, text in self._told("task")[-_QUESTIONS:]}
        steps = [turn for turn in self.turns if turn.overlays.get(Overlay.STRUCTURAL.value, 0.0) >= self.active]
        focus = steps[-1:]
        best = sorted(steps, key=lambda turn: (-round(turn.importance, 6), -turn.seq))[:_MOST]
        done = [turn for turn in best if turn not in focus and _said(turn, TITLE) not in waiting]
        lines = [
            f"{_DONE} {_said(turn, TITLE)} [{self._name(turn.seq)}]" for turn in sorted(done, key=lambda turn: turn.seq)
        ]
        for turn in focus:
            said = _said(turn, TITLE)
            waiting.pop(said, None)
            lines.append(f"{_NOW} {said} (current focus) [{self._name(turn.seq)}]")
        lines += [f"{_OPEN} {text} (pending) [{name}]" for text, name in waiting.items()]
        return [f"{number}. {line}" for number, line in enumerate(lines, 1)]

    def statements(self, kind: str) -> list[str]:
        """The last sentences of a kind."""
        return [f"- [{name}] {_short(text, _POINT)}" for name, text in self._told(kind)[-_MOST:]]

    def points(self, overlay: str) -> list[str]:
        """The most important turns of an overlay that are not shifts; of none for the empty name."""
        told = [turn for turn in self.turns if not turn.is_shift and self._strongest(turn) == overlay]
        best = sorted(told, key=lambda turn: (-round(turn.importance, 6), -turn.seq))[:_MOST]
        return [self.line(turn, _POINT) for turn in sorted(best, key=lambda turn: turn.seq)]

    def _strongest(self, turn: RecapTurn) -> str:
        """The overlay with the highest score that counts as active; empty if none does. Ties go to the earlier one."""
        name, score = max(turn.overlays.items(), key=lambda each: round(each[1], 6), default=("", 0.0))
        return name if score >= self.active else ""

    def queries(self) -> list[str]:
        """Questions that the memory can answer, by the tags of the weightiest turns, else by what they say."""
        weighty = sorted(self.turns, key=lambda turn: (-round(turn.importance, 6), -turn.seq))
        said = [(turn, _said(turn, TITLE).rstrip(" .!?")) for turn in weighty]
        names = [(self.nodes[turn.seq].semantic_tags or (words,))[0] for turn, words in said]
        asked = [f'- "What was said about {name}?"' for name in dict.fromkeys(names)][:_QUESTIONS]
        return ["You can ask:", "", *asked] if asked else []

    def _told(self, kind: str) -> list[tuple[str, str]]:
        """Sentences of a kind with the names of their turns; a repeated one where it was last."""
        told = [(mark.value, turn.seq) for turn in self.turns for mark in turn.marks if mark.kind == kind]
        last = sorted(dict(told).items(), key=lambda found: found[1])
        return [(self._name(seq), text) for text, seq in last]


def _turn(node: ConversationNode, seq: int) -> Turn:
    return Turn(role=node.role, content=node.content or "(empty)", seq=seq)


def _scores(node: ConversationNode) -> TurnScores:
    return TurnScores(node.importance_score, node.is_paradigm_shift, node.overlay_scores.to_dict())


def _said(turn: RecapTurn, most: int) -> str:
    """What a turn says, or does, in short."""
    return _short(turn.one_line, most, by_user=turn.by_user)


def _short(text: str, most: int, *, by_user: bool = False) -> str:
    """The first sentences that say something, on one line, within so many characters; of a call its label."""
    call = _CALL.match(text)
    if call is not None:
        return cut(call_label(call["name"], text[call.end("name") + 1 :].strip().removesuffix(")")), most)
    return opening(text, most, by_user=by_user) or cut(" ".join(text.split()), most)
