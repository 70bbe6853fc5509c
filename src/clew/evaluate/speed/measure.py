"""One measured figure, with the reference that was measured in the same run."""

from dataclasses import dataclass

from clew.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(Record):
    """One figure.

    Attributes:
        name: identifies the figure in bars and comparisons.
        title: the figure's description.
        turns: number of turns in the memory measured; None if that does not matter.
        reference: the reference's value in the same unit; None when there is none.
        against: what the reference is.
        parts: the single measurements behind the figure, in order, if they are of interest.
    """

    name: str
    title: str
    value: float
    unit: str
    turns: int | None = None
    reference: float | None = None
    against: str | None = None
    parts: tuple[float, ...] = ()

    @property
    def ratio(self) -> float | None:
        """Value divided by reference; None without a reference."""
        return self.value / self.reference if self.reference else None
