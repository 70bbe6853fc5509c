"""The result of an HSCA evaluation, one type for all of them."""

from dataclasses import dataclass, field

from clew.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCase(Record):
    """A case that missed the evaluation's criterion.

    Attributes:
        case: the case's name, unique in the run.
        found: what was found instead, in words.
    """

    case: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation(Record):
    """The result of one evaluation.

    Attributes:
        number: the evaluation's number in the specification's section 7.
        document_bar: lowest `value` that the specification accepts.
        bar: lowest `value` that Clew's own bar accepts.
        value: share of cases, in [0, 1], that meet the criterion; 0 without cases.
        cases: number of cases run.
        failures: cases that miss the criterion or any of the further figures, in order.
        figures: further shares of the cases in [0, 1], by name.
        floors: lowest values of figures that Clew's own bar also requires.
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
