"""The results of a run over a data set, question by question, and the figures derived from them."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from clew.errors import FormatError, InputError
from clew.evaluate.metrics import EvidenceCoverage
from clew.evaluate.statistics import Estimate, estimate
from clew.types.record import Record

FORMS: Final = ("bare", "rendered")
"""`bare`: ranked turns, each as `[date] speaker: text`, until the budget is full; `rendered`: the block of a recall."""

DEPTHS: Final = (5, 10, 20)
"""Depths of R@k."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOutcome(Record):
    """The result of one question.

    Attributes:
        roles: the role of each evidence turn.
        ranks: rank of each evidence turn, from 1; None for one that was not returned.
        found: coverage of the evidence by form, then by budget.
    """

    conversation: str
    question: str
    category: str
    roles: tuple[str, ...]
    ranks: tuple[int | None, ...]
    found: dict[str, dict[str, EvidenceCoverage]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Record):
    """One run over one data set.

    Attributes:
        data: the data set's file or folder name.
        embedder: None when there was none.
        settings: those that differ from the defaults, by path.
        skipped: questions that cannot be scored, by reason.
    """

    version: str
    data: str
    embedder: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    budgets: tuple[int, ...]
    turns: int
    skipped: dict[str, int] = field(default_factory=dict)
    outcomes: tuple[QuestionOutcome, ...]

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms that were measured."""
        return tuple(form for form in FORMS if any(form in outcome.found for outcome in self.outcomes))


MEASURES: Final[dict[str, Callable[[EvidenceCoverage], float]]] = {
    "recall": lambda found: sum(found.whole) / len(found.whole),
    "all": lambda found: float(all(found.whole)),
    "soft": lambda found: sum(found.cover) / len(found.cover),
}
"""Measures of one context: the share of evidence turns found, whether all are found, and the mean soft cover."""


def save(run: Run, path: Path) -> None:
    """Writes a run as JSON.

    Raises:
        InputError: the file cannot be written.
    """
    try:
        path.write_text(json.dumps(run.to_dict(), ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}; give another path") from error


def read(path: Path) -> Run:
    """Reads what `save` wrote.

    Raises:
        FormatError: the file cannot be read, or is not a run.
    """
    try:
        return Run.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror}; give a file that `--out` wrote") from error
    except (ValueError, TypeError, AttributeError, RecursionError, InputError) as error:
        raise FormatError(f"{path} is not a result of `clew bench recall --out`: {error}") from error


def mean(outcomes: Sequence[QuestionOutcome], form: str, budget: int, measure: str) -> Estimate | None:
    """The mean of a measure over questions; None if no question was measured in that form and budget."""
    pairs = [(MEASURES[measure](coverage), outcome) for outcome, coverage in _measured(outcomes, form, budget)]
    return estimate([value for value, _ in pairs], [outcome.conversation for _, outcome in pairs])


def mean_tokens(outcomes: Sequence[QuestionOutcome], form: str, budget: int) -> float:
    """Mean length of the contexts in tokens."""
    lengths = [coverage.tokens for _, coverage in _measured(outcomes, form, budget)]
    return sum(lengths) / len(lengths) if lengths else 0.0


def by_category(outcomes: Sequence[QuestionOutcome]) -> dict[str, list[QuestionOutcome]]:
    """The outcomes of each category, by its name."""
    names = sorted({outcome.category for outcome in outcomes})
    return {name: [outcome for outcome in outcomes if outcome.category == name] for name in names}


def of_role(outcomes: Sequence[QuestionOutcome], role: str, form: str, budget: int) -> dict[str, Estimate | None]:
    """`recall` and `soft` over all evidence turns of one role, each turn weighing the same."""
    rows = [
        (outcome.conversation, float(whole), cover)
        for outcome, coverage in _measured(outcomes, form, budget)
        for said, whole, cover in zip(outcome.roles, coverage.whole, coverage.cover, strict=True)
        if said == role
    ]
    groups = [conversation for conversation, _, _ in rows]
    return {
        "recall": estimate([whole for _, whole, _ in rows], groups),
        "soft": estimate([cover for _, _, cover in rows], groups),
    }


def recall_at(outcomes: Sequence[QuestionOutcome], depth: int) -> Estimate | None:
    """R@k: share of a question's evidence turns among the first k ranked turns."""
    shares = [
        sum(rank is not None and rank <= depth for rank in outcome.ranks) / len(outcome.ranks) for outcome in outcomes
    ]
    return estimate(shares, [outcome.conversation for outcome in outcomes])


def summarise(run: Run) -> dict[str, Any]:
    """All figures of a run as primitives: `forms` -> form -> budget -> figures, and `ranks`."""
    outcomes = run.outcomes
    return {
        "version": run.version,
        "data": run.data,
        "embedder": run.embedder,
        "settings": run.settings,
        "conversations": len({outcome.conversation for outcome in outcomes}),
        "turns": run.turns,
        "questions": len(outcomes),
        "skipped": run.skipped,
        "ranks": {f"r@{depth}": _plain(recall_at(outcomes, depth)) for depth in DEPTHS},
        "forms": {form: {str(size): _figures(outcomes, form, size) for size in run.budgets} for form in run.forms},
    }


def _figures(outcomes: Sequence[QuestionOutcome], form: str, budget: int) -> dict[str, Any]:
    roles = sorted({role for outcome in outcomes for role in outcome.roles})
    return {
        **{measure: _plain(mean(outcomes, form, budget, measure)) for measure in MEASURES},
        "tokens": mean_tokens(outcomes, form, budget),
        "categories": {
            name: {measure: _plain(mean(some, form, budget, measure)) for measure in MEASURES}
            for name, some in by_category(outcomes).items()
        },
        "roles": {
            role: {measure: _plain(value) for measure, value in of_role(outcomes, role, form, budget).items()}
            for role in roles
        },
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Record):
    """How a second run differs from a first in one measure, over the questions that both were asked.

    Attributes:
        category: None for all questions.
        change: mean of second minus first, with its interval over conversations.
    """

    form: str
    budget: int
    category: str | None = None
    change: Estimate

    @property
    def significant(self) -> bool:
        """Whether the interval excludes 0."""
        low, high = self.change.low, self.change.high
        return low is not None and high is not None and not low <= 0 <= high


def compare(first: Run, second: Run, measure: str = "recall") -> list[Difference]:
    """The paired difference of two runs, by form and budget, for all questions and for each category.

    Raises:
        InputError: they share no question, or no form and budget.
    """
    known = {_key(outcome): outcome for outcome in first.outcomes}
    pairs = [(known[_key(outcome)], outcome) for outcome in second.outcomes if _key(outcome) in known]
    differences = [
        Difference(form=form, budget=budget, category=category, change=change)
        for form in FORMS
        for budget in sorted(set(first.budgets) & set(second.budgets))
        for category in (None, *sorted({after.category for _, after in pairs}))
        if (change := _change(pairs, form, budget, category, measure)) is not None
    ]
    if not differences:
        raise InputError(
            f"nothing to compare: {first.data} and {second.data} share {len(pairs)} questions, and budgets "
            f"{first.budgets} and {second.budgets}; run both over the same data and budgets"
        )
    return differences


def _key(outcome: QuestionOutcome) -> tuple[str, str]:
    return outcome.conversation, outcome.question


def _change(
    pairs: Sequence[tuple[QuestionOutcome, QuestionOutcome]], form: str, budget: int, category: str | None, measure: str
) -> Estimate | None:
    values: list[float] = []
    groups: list[str] = []
    for before, after in pairs:
        old, new = (outcome.found.get(form, {}).get(str(budget)) for outcome in (before, after))
        if old is not None and new is not None and category in (None, after.category):
            values.append(MEASURES[measure](new) - MEASURES[measure](old))
            groups.append(after.conversation)
    return estimate(values, groups)


def _measured(
    outcomes: Sequence[QuestionOutcome], form: str, budget: int
) -> Iterator[tuple[QuestionOutcome, EvidenceCoverage]]:
    for outcome in outcomes:
        coverage = outcome.found.get(form, {}).get(str(budget))
        if coverage is not None:
            yield outcome, coverage


def _plain(value: Estimate | None) -> dict[str, Any] | None:
    return None if value is None else value.to_dict()
