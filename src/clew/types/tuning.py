"""The results of tuning: verdicts, and versions of the learned values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from clew.types.record import Record

_DIGITS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Record):
    """Whether a family of parameters should change, judged on history that was not used to choose the change.

    Attributes:
        family: `recall`, `weights` (window and nuance weights of layer 1), `beats`, `renderings` or
            `recaps`.
        adopted: True if the change is significantly better.
        reason: one sentence that explains the verdict.
        pairs: number of questions with known use in the test.
        helpers: number of silver questions, which only helped to choose the change.
        groups: number of conversations, or parts of one, that are resampled as units.
        before, after: mean score over the test pairs, 0..1; `after` is out of fold. None if nothing was tried.
        low, high: 95 % confidence interval of the difference.
        p: one-sided p-value of the paired test; None if nothing was tried.
        alpha: largest `p` at which the change is adopted.
        values: the values to adopt, by name; unchanged values are absent.
    """

    family: str
    adopted: bool
    reason: str
    pairs: int = 0
    helpers: int = 0
    groups: int = 0
    before: float | None = None
    after: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    alpha: float | None = None
    values: dict[str, float] = field(default_factory=dict)

    def rounded(self) -> dict[str, Any]:
        """The wire form with numbers rounded to 6 digits."""
        return {
            name: round(value, _DIGITS) if isinstance(value, float) else value for name, value in self.to_dict().items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Record):
    """One version of the learned values.

    Attributes:
        version: counts from 1; the highest version is in force.
        values: the values that this version changed, by name; `null` resets a value to the setting or default.
        reason: the verdict (`Verdict.rounded`), or the version that it reverts to.
    """

    version: int
    at: datetime
    values: dict[str, float | None]
    reason: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneReport(Record):
    """The result of `tune`.

    Attributes:
        feedback: number of recalls with known use, by kind of evidence (`used`, `quoted`, `restored`).
        silver: number of questions made from turns that refer back.
        verdicts: one per family.
        version: the version of the learned values now in force; 0 if nothing was ever learned.
        changed: the values adopted now, or that a dry run would adopt, by name.
        dry_run: True if nothing was written.
    """

    feedback: dict[str, int]
    silver: int
    verdicts: tuple[Verdict, ...]
    version: int
    changed: dict[str, float] = field(default_factory=dict)
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedValues(Record):
    """The learned values in force.

    Attributes:
        version: 0 if nothing was ever learned.
        structure: the latest version that changed window, nuance weights or beats; turns are analysed again after it.
        values: values by name: `window`, `maturity`, `flag:<nuance flag>`, `recall.<setting>`.
    """

    version: int = 0
    structure: int = 0
    values: Mapping[str, float] = field(default_factory=dict)
