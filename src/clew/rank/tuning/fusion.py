"""Tunes the weights of recall on questions whose answering turns are known.

A question is kept as the values of every signal for its best candidates, so that other weights can be tried without
ranking again. Its score is the recall of the turns that were used, averaged over budgets.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.config import SETTINGS, RecallConfig
from clew.rank.dampening import dampening
from clew.rank.frame import Frame
from clew.rank.fusion import scores_of
from clew.rank.search import opinions
from clew.rank.signals.cost import CHARS_PER_TOKEN
from clew.rank.tuning.validate import Axis, TuningProblem, axis

TUNED: Final = ("lexical", "dense", "dense_rewritten", "speaker", "time", "cost")
"""Signals whose weight is tuned."""

SETTINGS_TUNED: Final = (*TUNED, "cost_assistant")
"""The settings of these weights; `cost_assistant` is the weight of cost where an assistant takes part."""

FACTORS: Final = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
"""Values that are tried, as factors of the setting's default; the first and last are the bounds."""

MIN_SPOKEN: Final = 20
"""Least number of judging questions on which a signal has an opinion before its weight is tried."""

CANDIDATES: Final = 500
"""Best turns of a question by the current weights that are considered, besides those that were used."""

BUDGETS: Final = (125.0, 4000.0)
"""Tokens of the smallest and largest budget that a score averages over, evenly by their logarithm."""

TOKENS_AN_ITEM: Final = 8.0
"""Tokens added to each turn for its line and heading in a block."""

PREFIX: Final = "recall."

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RankedQuestion:
    """One question with the signals of its candidates.

    Attributes:
        names: signals of `TUNED` with an opinion; `values` has a row for each, at weight 1.
        fixed: sum of the other signals and of dampening.
        fixed_asked: the part of `fixed` that depends on the question.
        depends: which rows of `values` depend on the question.
        tokens: tokens of each candidate.
        wanted: indexes of the candidates that were used.
        group: as in `TuningProblem`.
        judges: as in `TuningProblem`.
    """

    names: tuple[str, ...]
    values: Scores
    fixed: Scores
    fixed_asked: Scores
    depends: NDArray[np.bool_]
    tokens: Scores
    wanted: NDArray[np.int64]
    group: str
    judges: bool


def ranked_question(
    frame: Frame, used: Collection[int], allowed: NDArray[np.bool_], group: str, *, judges: bool
) -> RankedQuestion | None:
    """A ranked question for tuning; None when none of the used turns could have been found.

    Args:
        used: positions of the turns that were used.
        allowed: turns that could be found when the question was asked.
    """
    standing, spoken = opinions(frame)
    within = sorted(position for position in used if allowed[position])
    if not within or not spoken:
        return None
    total = scores_of([*standing, *spoken], frame.size)
    open_to = allowed & (frame.view.turns.chars > 0)
    taken_off = dampening(frame, total, (frame.view.turns.ordinal,), open_to, [*standing, *spoken])
    for opinion in taken_off:
        total = total + opinion.shares()
    chosen = _candidates(total, open_to, within)
    fixed, fixed_asked = np.zeros(len(chosen)), np.zeros(len(chosen))
    names, rows, depends = [], [], []
    for opinion in (*standing, *spoken, *taken_off):
        shares, is_asked = opinion.shares(chosen), any(opinion is other for other in spoken)
        if opinion.name in TUNED and np.ptp(shares) > 0.0:
            names.append(opinion.name)
            rows.append(shares / opinion.weight)
            depends.append(is_asked)
        else:
            fixed += shares
            fixed_asked += shares if is_asked else 0.0
    return RankedQuestion(
        names=tuple(names),
        values=np.array(rows).reshape(len(rows), len(chosen)),
        fixed=fixed,
        fixed_asked=fixed_asked,
        depends=np.array(depends, dtype=bool),
        tokens=frame.view.turns.chars[chosen] / CHARS_PER_TOKEN + TOKENS_AN_ITEM,
        wanted=np.searchsorted(chosen, within).astype(np.int64),
        group=group,
        judges=judges,
    )


def _candidates(total: Scores, allowed: NDArray[np.bool_], used: Sequence[int]) -> NDArray[np.int64]:
    """Positions of the best turns by score and of the used turns, ascending."""
    open_to = np.flatnonzero(allowed)
    order = np.lexsort((open_to, -np.round(total[open_to], 6)))
    return np.union1d(open_to[order[:CANDIDATES]], [position for position in used if allowed[position]]).astype(
        np.int64
    )


def fusion_problem(
    history: Sequence[RankedQuestion], config: RecallConfig, free: Collection[str], *, beside: bool
) -> TuningProblem:
    """The tuning of recall's weights on questions.

    Args:
        config: the current weights, where the search starts.
        free: names of the settings that may change: not those that the user set.
        beside: an assistant takes part, so that the cost of a turn has another setting.
    """
    settings = {signal: setting_of(signal, beside=beside) for signal in TUNED}
    tried = [signal for signal in TUNED if settings[signal] in free and _speaks(signal, history)]

    def score(values: Mapping[str, float]) -> Scores:
        weights = {
            signal: values.get(PREFIX + setting, getattr(config, setting)) for signal, setting in settings.items()
        }
        return np.array([_found(question, weights, config.floor) for question in history])

    axes = tuple(_axis(settings[signal], config) for signal in tried)
    judges = np.array([question.judges for question in history], dtype=bool)
    return TuningProblem("recall", axes, score, [question.group for question in history], judges)


def setting_of(signal: str, *, beside: bool) -> str:
    """The setting that holds a signal's weight."""
    return "cost_assistant" if signal == "cost" and beside else signal


def bounds(setting: str) -> tuple[float, float]:
    """The least and the greatest value that tuning gives a setting of recall."""
    default = float(SETTINGS[PREFIX + setting].default)
    return default * FACTORS[0], default * FACTORS[-1]


def _axis(setting: str, config: RecallConfig) -> Axis:
    default = float(SETTINGS[PREFIX + setting].default)
    return axis(PREFIX + setting, [round(default * factor, 4) for factor in FACTORS], getattr(config, setting))


def _speaks(signal: str, history: Sequence[RankedQuestion]) -> bool:
    return sum(question.judges and signal in question.names for question in history) >= MIN_SPOKEN


def _found(question: RankedQuestion, weights: Mapping[str, float], floor: float) -> float:
    """Recall of the used turns, averaged over budgets; a turn is found when it and all better ones fit the budget."""
    by_signal = np.array([weights[name] for name in question.names])
    total: Scores = np.asarray(question.fixed + by_signal @ question.values, dtype=np.float64)
    relevant = question.fixed_asked + (by_signal * question.depends) @ question.values > floor
    total = np.where(relevant, np.round(total, 6), -np.inf)
    low, high = log(BUDGETS[0]), log(BUDGETS[1])
    share = 0.0
    for place in question.wanted.tolist():
        if relevant[place]:
            first = total > total[place]
            first[:place] |= total[:place] == total[place]
            needed = float(question.tokens[first].sum() + question.tokens[place])
            share += min(1.0, max(0.0, (high - log(needed)) / (high - low)))
    return share / len(question.wanted)
