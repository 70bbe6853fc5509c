"""Runs the measurement of compactions over histories, and shows it. Start at `run_condense`."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clew.errors import InputError
from clew.evaluate.compression.answers import answer_questions
from clew.evaluate.compression.extracts import CondenseSetup
from clew.evaluate.compression.histories import History
from clew.evaluate.compression.later_use import SENTENCES, VALUES
from clew.evaluate.compression.survival import FOUND, RECAP, REFERENCE, SITUATION, CompactedCut, compact_history
from clew.evaluate.results import QuestionOutcome, by_category, mean
from clew.evaluate.tables import UNKNOWN, Sheet, percent
from clew.types.record import Record
from clew.version import __version__

BUDGETS: Final = (1_000, 2_000, 4_000)
"""Tokens of the contexts in which questions are answered."""

READ: Final = 0.8
"""Share of an answer's words from which it can be read from a text."""

ALL: Final = "all"

GROUPS: Final = {
    ALL: VALUES | SENTENCES,
    "values and decisions": VALUES | {"decision"},
    "values": VALUES,
    "statements": SENTENCES,
}
"""Kinds that are also counted together; the bar is set for values and decisions."""

OnProgress = Callable[[str, int, int], None]
"""Called with a finished history's name, its number from 1, and the number of histories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CondenseRun(Record):
    """Compactions of some histories, and the answers to the questions about them.

    Attributes:
        data: name of the data.
        embedder: None when there was none.
    """

    version: str
    data: str
    embedder: str | None = None
    budgets: tuple[int, ...]
    cuts: tuple[CompactedCut, ...]
    outcomes: tuple[QuestionOutcome, ...] = ()


def run_condense(
    histories: Sequence[History],
    setup: CondenseSetup,
    *,
    data: str,
    budgets: Sequence[int] = BUDGETS,
    on_progress: OnProgress | None = None,
) -> CondenseRun:
    """Compacts each history at its cuts and asks its questions.

    Raises:
        InputError: there is nothing to measure.
    """
    cuts: list[CompactedCut] = []
    outcomes: list[QuestionOutcome] = []
    for number, history in enumerate(histories, start=1):
        cuts += compact_history(history, setup)
        outcomes += answer_questions(history, setup, budgets)
        if on_progress is not None:
            on_progress(history.name, number, len(histories))
    if not any(cut.used for cut in cuts) and not outcomes:
        raise InputError(f"{data} is too short: nothing of its beginning is used again; give longer conversations")
    return CondenseRun(
        version=__version__,
        data=data,
        embedder=None if setup.embedder is None else setup.embedder.name,
        budgets=tuple(sorted(budgets)),
        cuts=tuple(cuts),
        outcomes=tuple(outcomes),
    )


def share(cuts: Sequence[CompactedCut], form: str, kind: str = ALL) -> float | None:
    """Share of the evidence used again that is there in a form, over all cuts; None if nothing is used again.

    Args:
        kind: one kind, or a name of `GROUPS`.
    """
    used = _number((cut.used for cut in cuts), kind)
    return _number((cut.kept.get(form, {}) for cut in cuts), kind) / used if used else None


def _number(counts: Iterable[Mapping[str, int]], kind: str) -> int:
    meant = GROUPS.get(kind, frozenset({kind}))
    return sum(number for by_kind in counts for name, number in by_kind.items() if name in meant)


def condense_sheets(run: CondenseRun) -> list[Sheet]:
    """Sizes and times, what survives by kind, and the questions."""
    return [_sizes(run.cuts), _survival(run.cuts), *_answers(run)]


def summarise_condense(run: CondenseRun) -> dict[str, Any]:
    """The figures of a run, for programs."""
    forms = _forms(run.cuts)
    kinds = [*GROUPS, *_kinds(run.cuts)]
    return {
        "data": run.data,
        "embedder": run.embedder,
        "compactions": [
            {name: value for name, value in cut.to_dict().items() if name not in ("used", "kept")} for cut in run.cuts
        ],
        "used": dict(sum((Counter(cut.used) for cut in run.cuts), Counter())),
        "survival": {form: {kind: share(run.cuts, form, kind) for kind in kinds} for form in forms},
        "questions": len(run.outcomes),
        "answers": {
            form: {str(budget): _answered(run.outcomes, form, budget) for budget in run.budgets}
            for form in _answer_forms(run.outcomes)
        },
    }


def _answered(outcomes: Sequence[QuestionOutcome], form: str, budget: int) -> dict[str, float | None]:
    found = {measure: mean(outcomes, form, budget, measure) for measure in ("recall", "soft")}
    answers = dict(zip(("answered", "answer"), readable_answers(outcomes, form, budget), strict=True))
    return {measure: None if value is None else value.mean for measure, value in found.items()} | answers


def readable_answers(outcomes: Sequence[QuestionOutcome], form: str, budget: int) -> tuple[float | None, float | None]:
    """The share of questions whose answer can be read, and how much of it can be read in the mean; None without any."""
    found = [outcome.found.get(form, {}).get(str(budget)) for outcome in outcomes]
    shares = [coverage.answer for coverage in found if coverage is not None and coverage.answer is not None]
    if not shares:
        return None, None
    return sum(share >= READ for share in shares) / len(shares), sum(shares) / len(shares)


def _sizes(cuts: Sequence[CompactedCut]) -> Sheet:
    rows = tuple(
        (
            cut.history,
            f"{cut.tokens:,}",
            f"{cut.recap:,}",
            _times(cut.covered, cut.recap),
            f"{cut.after:,}",
            _times(cut.tokens, cut.after),
            f"{cut.cpu:.2f}",
        )
        for cut in cuts
    )
    columns = ("history", "prompt", "recap", "covered turns / recap", "prompt after", "before / after", "CPU s")
    return Sheet("Compactions, in tokens", columns, rows)


def _times(before: int, after: int) -> str:
    return f"{before / after:.1f}" if after else UNKNOWN


def _forms(cuts: Sequence[CompactedCut]) -> list[str]:
    ours = (RECAP, FOUND, SITUATION, REFERENCE)
    others = dict.fromkeys(form for cut in cuts for form in cut.kept if form not in ours)
    return [*ours, *others]


def _kinds(cuts: Sequence[CompactedCut]) -> list[str]:
    total: Counter[str] = sum((Counter(cut.used) for cut in cuts), Counter())
    return [kind for kind, _ in total.most_common()]


def _survival(cuts: Sequence[CompactedCut]) -> Sheet:
    forms = _forms(cuts)
    rows = []
    for kind in (*GROUPS, *_kinds(cuts)):
        used = _number((cut.used for cut in cuts), kind)
        rows.append((kind, f"{used:,}", *(_share(share(cuts, form, kind)) for form in forms)))
    return Sheet("Evidence that is used again later, %", ("kind", "used again", *forms), tuple(rows))


def _share(value: float | None) -> str:
    return UNKNOWN if value is None else f"{100 * value:.0f}"


def _answer_forms(outcomes: Sequence[QuestionOutcome]) -> list[str]:
    return list(dict.fromkeys(form for outcome in outcomes for form in outcome.found))


def _answers(run: CondenseRun) -> list[Sheet]:
    """Evidence turns found and their soft cover, and answers, by form; then evidence by category at the last budget."""
    if not run.outcomes:
        return []
    sizes = tuple(f"{budget:,}" for budget in run.budgets)
    forms = _answer_forms(run.outcomes)
    rows = tuple((form, *(_pair(run.outcomes, form, budget) for budget in run.budgets)) for form in forms)
    title = f"Evidence of {len(run.outcomes):,} questions found / covered, %, within tokens"
    most = run.budgets[-1]
    by_kind = tuple(
        (f"{name} ({len(some)})", *(_pair(some, form, most) for form in forms))
        for name, some in by_category(run.outcomes).items()
    )
    return [
        Sheet(title, ("form", *sizes), rows),
        *_answer_sheet(run, forms, sizes),
        Sheet(f"Evidence by category, within {most:,} tokens", ("category", *forms), by_kind),
    ]


def _answer_sheet(run: CondenseRun, forms: Sequence[str], sizes: Sequence[str]) -> list[Sheet]:
    """The answers that can be read, and their words; none where the data has no answers."""
    counted = sum(
        any(coverage.answer is not None for by in outcome.found.values() for coverage in by.values())
        for outcome in run.outcomes
    )
    if not counted:
        return []
    rows = tuple(
        (form, *(" / ".join(map(_tenths, readable_answers(run.outcomes, form, budget))) for budget in run.budgets))
        for form in forms
    )
    return [
        Sheet(
            f"Answers of {counted:,} questions that can be read / their words, %, within tokens", ("form", *sizes), rows
        )
    ]


def _tenths(value: float | None) -> str:
    return UNKNOWN if value is None else f"{100 * value:.1f}"


def _pair(outcomes: Sequence[QuestionOutcome], form: str, budget: int) -> str:
    return " / ".join(percent(mean(outcomes, form, budget, measure)) for measure in ("recall", "soft"))
