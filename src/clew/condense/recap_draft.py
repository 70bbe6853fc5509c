"""A recap while it is written: its lines by section, and what they cost."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from clew.text.counters import Counter

STATUS: Final = "Status"
"""The section without a heading, at the beginning."""


@dataclass(slots=True)
class RecapDraft:
    """Lines by section, and what they cost. A section's heading is paid with its first line.

    Attributes:
        held: tokens held back for what is to come.
        head: tokens of the head, which is paid already.
        values: how each value is shown.
    """

    budget: int
    count: Counter
    lines: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    spent: int = 0
    shown: set[int] = field(default_factory=set)
    head: int = field(init=False)
    values: dict[str, str] = field(default_factory=dict)
    held: int = 0

    def __post_init__(self) -> None:
        self.head = self.spent

    def beside_head(self, share: float) -> float:
        """The share of the budget that the head and a share of all else have together."""
        return (self.head + (self.budget - self.head) * share) / max(1, self.budget)

    def add(self, section: str, seq: int, line: str, *, limit: float = 1.0) -> bool:
        """Adds a line if the share `limit` of the budget has room for it."""
        cost = self.count(line + "\n") + (0 if section in self.lines else self.count(heading(section)))
        if self.spent + cost > min(self.budget * limit, self.budget - self.held):
            return False
        self.lines.setdefault(section, []).append((seq, line))
        self.spent += cost
        self.shown.add(seq)
        return True

    def drop_last(self, order: Sequence[str]) -> bool:
        """Takes back the last line of the last section that has one."""
        for section in reversed(order):
            if self.lines.get(section):
                self.lines[section].pop()
                return True
        return False


def heading(section: str) -> str:
    """What stands before the lines of a section."""
    return "\n" if section == STATUS else f"\n### {section}\n"
