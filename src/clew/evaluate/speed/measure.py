"""One measured figure, with the plain reference that was measured beside it."""

from dataclasses import dataclass

from clew.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(Record):
    """One figure.

    Attributes:
        name: what bars and comparisons know it by.
        title: what it is, in words.
        turns: turns of the memory it was measured on; None where that does not matter.
        reference: the same for the thing it is measured against, in the same unit; None when there is none.
        against: what the reference is.
        parts: the single figures behind it, in order, where they tell something.
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
        """Value by reference; None without a reference."""
        return self.value / self.reference if self.reference else None
