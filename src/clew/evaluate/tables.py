"""Formats figures as tables, as `clew bench` prints and docs/benchmarks.md shows them. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from clew.evaluate.results import (
    DEPTHS,
    MEASURES,
    Difference,
    QuestionOutcome,
    Run,
    by_category,
    mean,
    mean_tokens,
    of_role,
    recall_at,
)
from clew.evaluate.speed.measure import Measure
from clew.evaluate.statistics import Estimate

TITLES: Final = {
    "recall": "Evidence turns found, %",
    "all": "Questions with all their evidence found, %",
    "soft": "Soft cover of the evidence, %",
}
UNKNOWN: Final = "-"

assert TITLES.keys() == MEASURES.keys(), "every measure has a title"  # noqa: S101 - two tables that must agree


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table: a title, column names, and rows with a cell for each column."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def text(self) -> str:
        """The table for a terminal: columns of numbers to the right, others to the left."""
        lines = [self.columns, *self.rows]
        widths = [max(len(line[index]) for line in lines) for index in range(len(self.columns))]
        right = [self._is_numeric(index) for index in range(len(self.columns))]
        shown = (
            (cell.rjust(width) if is_right else cell.ljust(width))
            for line in lines
            for cell, width, is_right in zip(line, widths, right, strict=True)
        )
        return "\n".join("  ".join(next(shown) for _ in self.columns).rstrip() for _ in lines)

    def markdown(self) -> str:
        """The table for a Markdown page."""
        rules = ("---:" if self._is_numeric(index) else "---" for index in range(len(self.columns)))
        head = [f"| {' | '.join(self.columns)} |", f"|{'|'.join(rules)}|"]
        return "\n".join([self.title, "", *head, *(f"| {' | '.join(row)} |" for row in self.rows)])

    def _is_numeric(self, index: int) -> bool:
        return index > 0 and all(row[index][:1] in "-+0123456789" for row in self.rows)


def percent(value: Estimate | None, *, interval: bool = False) -> str:
    """`81.2`, or `81.2 (79.0 to 83.1)` where there is an interval to show."""
    if value is None:
        return UNKNOWN
    if not interval or value.low is None or value.high is None:
        return f"{100 * value.mean:.1f}"
    return f"{100 * value.mean:.1f} ({100 * value.low:.1f} to {100 * value.high:.1f})"


def headline(run: Run) -> str:
    """A one-line description of a run."""
    conversations = len({outcome.conversation for outcome in run.outcomes})
    parts = [
        f"{run.data}: {len(run.outcomes):,} questions on {run.turns:,} turns of {conversations} conversations",
        run.embedder or "no embedder",
        *(f"{path}={value}" for path, value in run.settings.items()),
        *(f"{count} questions left out: {reason}" for reason, count in run.skipped.items()),
    ]
    return "; ".join(parts)


def run_sheets(run: Run) -> list[Sheet]:
    """All figures of a run: each measure by form and budget, the ranking, then recall by category and by role."""
    sizes = tuple(f"{budget:,}" for budget in run.budgets)
    sheets = [
        Sheet(
            f"{title} (95 % interval over conversations), within tokens",
            ("form", *sizes),
            tuple(
                (form, *(percent(mean(run.outcomes, form, size, measure), interval=True) for size in run.budgets))
                for form in run.forms
            ),
        )
        for measure, title in TITLES.items()
    ]
    lengths = tuple(
        (form, *(f"{mean_tokens(run.outcomes, form, size):,.0f}" for size in run.budgets)) for form in run.forms
    )
    sheets.append(Sheet("Tokens used, mean, of", ("form", *sizes), lengths))
    ranked = ("evidence turns", *(percent(recall_at(run.outcomes, depth)) for depth in DEPTHS))
    sheets.append(Sheet("Among the first ranked turns, %", ("share", *(f"R@{depth}" for depth in DEPTHS)), (ranked,)))
    for form in run.forms:
        sheets.append(_categories(run, form, sizes))
        sheets.append(_roles(run, form, sizes))
    return sheets


def _categories(run: Run, form: str, sizes: tuple[str, ...]) -> Sheet:
    rows = tuple(
        (f"{name} ({len(some)})", *(percent(mean(some, form, budget, "recall")) for budget in run.budgets))
        for name, some in by_category(run.outcomes).items()
    )
    return Sheet(f"{TITLES['recall']}, {form}, by category (questions)", ("category", *sizes), rows)


def _roles(run: Run, form: str, sizes: tuple[str, ...]) -> Sheet:
    """Recall and soft cover of each role's evidence turns, each turn weighing the same."""
    rows = tuple(
        (f"{role} ({_said_by(run.outcomes, role)})", *(_pair(run.outcomes, role, form, size) for size in run.budgets))
        for role in sorted({role for outcome in run.outcomes for role in outcome.roles})
    )
    return Sheet(f"{TITLES['recall']} / soft cover, {form}, by role (evidence turns)", ("role", *sizes), rows)


def _pair(outcomes: Sequence[QuestionOutcome], role: str, form: str, budget: int) -> str:
    found = of_role(outcomes, role, form, budget)
    return f"{percent(found['recall'])} / {percent(found['soft'])}"


def _said_by(outcomes: Sequence[QuestionOutcome], role: str) -> int:
    return sum(outcome.roles.count(role) for outcome in outcomes)


def ablation_sheet(whole: Run, changes: Mapping[str, Sequence[Difference]]) -> Sheet:
    """A row for each signal left out: the change in points at each budget; a star marks a significant change."""
    sizes = tuple(f"{budget:,}" for budget in whole.budgets)
    first = ("nothing", *(percent(mean(whole.outcomes, "bare", budget, "recall")) for budget in whole.budgets))
    rows = [
        (
            name,
            *(
                f"{100 * difference.change.mean:+.1f}{'*' * difference.significant}"
                for difference in differences
                if difference.category is None
            ),
        )
        for name, differences in changes.items()
    ]
    return Sheet(f"{TITLES['recall']}, bare, and the change without", ("without", *sizes), (first, *rows))


def difference_sheet(differences: Sequence[Difference], measure: str) -> Sheet:
    """One row for each form, budget and category; a star marks an interval that excludes 0."""
    rows = tuple(
        (
            f"{difference.form} {difference.budget:,} {difference.category or 'all'}",
            f"{difference.change.count:,}",
            f"{100 * difference.change.mean:+.1f}",
            _limits(difference.change),
            "*" if difference.significant else "",
        )
        for difference in differences
    )
    title = f"{TITLES[measure]}: second minus first, in points (95 % interval over conversations)"
    return Sheet(title, ("what", "questions", "change", "interval", ""), rows)


def _limits(change: Estimate) -> str:
    if change.low is None or change.high is None:
        return UNKNOWN
    return f"{100 * change.low:+.1f} to {100 * change.high:+.1f}"


def speed_sheet(measures: Sequence[Measure], title: str = "Speed and size") -> Sheet:
    """One row for each figure, with its reference."""
    rows = tuple(
        (
            measure.title if measure.turns is None else f"{measure.title} ({measure.turns:,} turns)",
            number(measure.value),
            UNKNOWN if measure.reference is None else number(measure.reference),
            measure.unit,
            UNKNOWN if measure.ratio is None else f"{measure.ratio:.2f}",
            measure.against or UNKNOWN,
        )
        for measure in measures
    )
    return Sheet(title, ("what", "Clew", "reference", "unit", "ratio", "reference is"), rows)


def number(value: float) -> str:
    """A number with three significant digits: `12,300`, `4.56`, `0.0789`."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"
