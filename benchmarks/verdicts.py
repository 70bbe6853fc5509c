"""One figure beside its bar."""

from dataclasses import dataclass

POINTS = 1.0
"""How many points lower than recorded recall may be. Vectors differ in their last bits between processors, and a change
that costs less is no worse than chance; one that costs more has to lower the record, and say why."""


@dataclass(frozen=True, slots=True)
class BarVerdict:
    """One line of the report.

    Attributes:
        ok: False when the figure is behind its floor; None when it has none, or was not measured in this run.
        met: whether the goal is met; None without a goal or a figure.
    """

    title: str
    value: float | None
    unit: str
    goal: float | None
    floor: float | None
    rising: bool

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without a goal or a figure."""
        return at_least(self.value, self.goal, rising=self.rising)

    @property
    def ok(self) -> bool | None:
        """Whether the figure holds its floor; None without a floor or a figure."""
        return at_least(self.value, self.floor, rising=self.rising)


def at_least(value: float | None, bar: float | None, *, rising: bool) -> bool | None:
    """Whether a figure is at its bar or better; None where either is missing."""
    if value is None or bar is None:
        return None
    return value >= bar - 1e-9 if rising else value <= bar + 1e-9
