"""What compactions keep, for `./dev bench --check`: on the samples, and with CLEW_DATA on real sessions of agents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.verdicts import POINTS, BarVerdict
from clew.config import Config
from clew.evaluate.compression.extracts import CondenseSetup
from clew.evaluate.compression.histories import load_histories
from clew.evaluate.compression.suite import share
from clew.evaluate.compression.survival import FOUND, LONGEST, MOST, RATIO, RECAP, CompactedCut, compact_history

KINDS: Final = "values and decisions"
SAMPLE_SIZE: Final = 120
"""Values of a compaction that are looked at."""

NEARLY: Final = 0.9
"""Share of the longest prompt from which the whole prompt has to be as many times smaller; a recap has a least size."""

LITERALLY: Final = 60.0
"""Target: percentage of the evidence used again that is in the recap."""

ASKED_FOR: Final = 95.0
"""Target: percentage that is there or found within 1,000 tokens."""


@dataclass(frozen=True, slots=True)
class RecordedCondense:
    """What was kept on one set, in % of values and decisions that are used again.

    Attributes:
        path: of the data; below CLEW_DATA where `is_real`.
        recap, found: in the recap, and there or asked for, when the floors were last set.
    """

    name: str
    path: Path
    recap: float
    found: float
    is_real: bool = True


def measure_condense(
    recorded: Sequence[RecordedCondense], data: str | None, say: Callable[[str], None]
) -> list[BarVerdict]:
    """Runs what can be run here, without a model; what cannot is said and left out."""
    verdicts = []
    for each in recorded:
        if each.is_real and not data:
            say(f"left out: compactions of {each.name}, CLEW_DATA is not set")
            continue
        say(f"compactions of {each.name}")
        setup = CondenseSetup(config=Config(), sample=SAMPLE_SIZE)
        place = Path(data or "") / each.path if each.is_real else each.path
        verdicts += judge_condense(
            [cut for history in load_histories(place) for cut in compact_history(history, setup)], each
        )
    return verdicts


def judge_condense(cuts: Sequence[CompactedCut], recorded: RecordedCondense) -> list[BarVerdict]:
    """The compactions against what was recorded, and the size of recaps against the bar."""
    name = f"compactions, {recorded.name}"
    unit = "% used again"
    verdicts = [
        BarVerdict(f"{name}, {form}", _percent(share(cuts, form, KINDS)), unit, goal, floor - POINTS, rising=True)
        for form, goal, floor in ((RECAP, LITERALLY, recorded.recap), (FOUND, ASKED_FOR, recorded.found))
    ]
    largest = max((cut.recap for cut in cuts), default=0)
    smaller = min((cut.covered / cut.recap for cut in cuts if cut.recap), default=None)
    whole = min((cut.tokens / cut.after for cut in cuts if cut.tokens >= NEARLY * LONGEST), default=None)
    return [
        *verdicts,
        BarVerdict(f"{name}, whole prompt, least", _rounded(whole), "times", RATIO, RATIO, rising=True),
        BarVerdict(f"{name}, largest recap", float(largest), "tokens", MOST, MOST, rising=False),
        BarVerdict(f"{name}, covered turns / recap, least", smaller, "times", RATIO, None, rising=True),
    ]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def _percent(value: float | None) -> float | None:
    return None if value is None else round(100 * value, 1)
