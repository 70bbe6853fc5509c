"""What tuning found out, and what it changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from clew.types.record import Record

_DIGITS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Record):
    """Whether a family of parameters should change, judged on history that did not help to choose the change.

    Attributes:
        family: `recall`, `weights` (window and nuance weights of layer 1) or `beats`.
        adopted: it is significantly better.
        reason: in one sentence, why or why not.
        pairs: questions with known use that judged; `helpers`: silver ones that only helped to choose.
        groups: conversations, or stretches of one, that are drawn and kept together as a whole.
        before, after: mean score over the judging pairs, 0..1; `after` is out of fold. None when nothing was tried.
        low, high: 95 % interval of the difference.
        p: one-sided, of the paired test; None when nothing was tried.
        alpha: what `p` must not pass.
        values: the values to adopt by name; what does not change is absent.
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
        """The wire form with measures to 6 digits."""
        return {
            name: round(value, _DIGITS) if isinstance(value, float) else value for name, value in self.to_dict().items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Record):
    """One version of the learned values.

    Attributes:
        version: counts from 1; the highest holds.
        values: every value that this version changed, by name; `null` takes a value back to the setting or default.
        reason: what it was measured on (`Verdict.rounded`), or which version it goes back to.
    """

    version: int
    at: datetime
    values: dict[str, float | None]
    reason: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneReport(Record):
    """What `tune` looked at and did.

    Attributes:
        feedback: recalls of which it is known what was used, by kind of evidence (`used`, `quoted`, `restored`).
        silver: turns that refer back, made into questions.
        verdicts: one a family.
        version: the version of the learned values that holds now; 0 when nothing was ever learned.
        changed: the values that were adopted now, or would be in a dry run: name to value.
        dry_run: True when nothing was written.
    """

    feedback: dict[str, int]
    silver: int
    verdicts: tuple[Verdict, ...]
    version: int
    changed: dict[str, float] = field(default_factory=dict)
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedValues(Record):
    """The learned values that hold.

    Attributes:
        version: 0 when nothing was ever learned.
        structure: the newest version that changed window, nuance weights or beats; the analysis goes by it.
        values: by name: `window`, `maturity`, `flag:<nuance flag>`, `recall.<setting>`.
    """

    version: int = 0
    structure: int = 0
    values: Mapping[str, float] = field(default_factory=dict)
