"""What an HSCA evaluation found: one shape for all of them."""

from dataclasses import dataclass, field

from clew.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCase(Record):
    """A case that was not as the evaluation asks.

    Attributes:
        case: its name, unique in the run.
        found: what was found instead, in words.
    """

    case: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation(Record):
    """One evaluation over its cases.

    Attributes:
        number: of the evaluation in the specification's section 7.
        document_bar: least `value` that the specification asks for.
        bar: least `value` that we ask for.
        value: share of the cases, in [0, 1], that meet the criterion which the bars are for; 0 when there are none.
        cases: how many were run.
        failures: cases that miss the criterion or any of the further figures, in the order of the cases.
        figures: further shares of the cases in [0, 1], by name.
        floors: least value of those figures that our bar asks for, too.
    """

    number: int
    name: str
    document_bar: float
    bar: float
    value: float
    cases: int
    failures: tuple[FailedCase, ...] = ()
    figures: dict[str, float] = field(default_factory=dict)
    floors: dict[str, float] = field(default_factory=dict)

    @property
    def meets_document(self) -> bool:
        """Whether the value reaches the specification's bar."""
        return self.value >= self.document_bar

    @property
    def passed(self) -> bool:
        """Whether the value reaches our bar, and each figure its floor."""
        return self.value >= self.bar and all(self.figures[name] >= least for name, least in self.floors.items())
