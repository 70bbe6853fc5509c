"""Ranks the turns of a frame: computes the signals, fuses and dampens them, and orders the turns.

Borders: reads the index only; texts are fetched by the caller. The result does not depend on the layout of the index.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import compress, repeat
from operator import and_
from typing import Final, NamedTuple, cast, overload

import numpy as np
from numpy.typing import NDArray

from clew.config import NO_FLOOR, RecallConfig
from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView, Mask
from clew.rank.contenders import contenders
from clew.rank.dampening import dampened, is_needed
from clew.rank.frame import Frame, Scores
from clew.rank.fusion import Fused, Lookup, Opinion, ShareTable, Tie, best, by_rank, centred, scores_at, scores_of
from clew.rank.name_order import NameOrder
from clew.rank.signals import SIGNALS, Signal
from clew.rank.signals.position import position
from clew.rank.sparse_columns import Column, whole

_ALL_TOLD: Final = CacheKey[bool]("all told")
_TOLD: Final = CacheKey[NDArray[np.bool_]]("told")
_NAME_ORDER: Final = CacheKey[NameOrder]("name order")

_GROWING: Final = frozenset(
    signal.name for signal in SIGNALS if signal.standing and signal.grows and signal.scale == "raw"
)
"""Standing signals whose values for a turn never change."""

SOMETHING: Final = 1e-6
"""Least score by the signals of the question that some turn must reach; below it nothing was found."""


LARGE: Final = 32_768
FOR_EACH: Final = 1_000
"""Turns of a space, and turns for each wanted one, from which only those that may be among the best are scored."""


BY_PLACE: Final = 20.0
"""Weight of the position where nothing else is asked for: a turn farther from the end costs a quarter of its worth in a
block, so that a long turn at the very end goes before several short ones. A choice."""


class Candidate(NamedTuple):
    """One ranked turn.

    Attributes:
        position: position of the turn in the view.
        rank: from 1.
        shares: what each signal added to the score; signals without an opinion are absent.
    """

    position: int
    session: str
    seq: int
    rank: int
    score: float
    shares: dict[str, float]


def opinions(frame: Frame, first: "Ranking | None" = None) -> tuple[list[Opinion], list[Opinion]]:
    """Computes every signal that has a weight; signals without an opinion on the question are left out.

    Args:
        first: as in `rank`.

    Returns:
        Opinions that hold for any question over this view, then opinions that depend on the question.
    """
    if not frame.size:
        return [], []
    weighted = _weighted(frame.config, with_assistant=frame.with_assistant)
    asked: dict[str, Opinion] = {}
    known = {} if first is None else first.opinions
    for signal, weight in weighted.asked:
        opinion = known.get(signal.name) or _asked(signal, weight, frame, asked)
        if opinion is not None:
            asked[signal.name] = opinion
    return _standing_opinions(frame, weighted), list(asked.values())


class _Weighted(NamedTuple):
    """The signals whose weight is not 0: those that hold for any question, and those that depend on it.

    Attributes:
        key: names the opinions of those that stand.
    """

    standing: Sequence[tuple[Signal, float]]
    asked: Sequence[tuple[Signal, float]]
    key: CacheKey[list[Opinion]]


@lru_cache(maxsize=16)
def _weighted(config: RecallConfig, *, with_assistant: bool) -> _Weighted:
    weights = [(signal, weight) for signal in SIGNALS if (weight := signal.weight(config, with_assistant))]
    standing = [pair for pair in weights if pair[0].standing]
    key: CacheKey[list[Opinion]] = CacheKey("standing", tuple((signal.name, weight) for signal, weight in standing))
    return _Weighted(standing, [pair for pair in weights if not pair[0].standing], key)


def _standing_opinions(frame: Frame, weighted: _Weighted) -> list[Opinion]:
    """The opinions that hold for any question, cached with the view for these weights."""
    return frame.view.derived(weighted.key, lambda: _made_standing(frame, weighted))


def _made_standing(frame: Frame, weighted: _Weighted) -> list[Opinion]:
    computed = ((signal, weight, _standing(signal, frame)) for signal, weight in weighted.standing)
    return [_opinion(signal, weight, values) for signal, weight, values in computed if values[0] is not None]


def _asked(signal: Signal, weight: float, frame: Frame, before: Mapping[str, Opinion]) -> Opinion | None:
    values = signal.compute(frame, before) if signal.derived else signal.compute(frame)
    return None if values is None else _opinion(signal, weight, _scaled(signal, frame, values))


def _standing(signal: Signal, frame: Frame) -> tuple[Column | None, float, float]:
    """The values of a signal that depends on no question, computed only for new turns, see `IndexView.grown`."""
    values_key: CacheKey[Scores] = CacheKey("signal", (signal.name,))
    scaled_key: CacheKey[tuple[Column | None, float, float]] = CacheKey("scaled signal", (signal.name,))

    def scaled() -> tuple[Column | None, float, float]:
        if not signal.grows:
            return _values(signal, frame)
        silent = signal.compute(frame, slice(0, 0)) is None
        values = None if silent else frame.view.grown(values_key, lambda rows: np.asarray(signal.compute(frame, rows)))
        return _scaled(signal, frame, values)

    return frame.view.derived(scaled_key, scaled)


def _values(signal: Signal, frame: Frame) -> tuple[Column | None, float, float]:
    return _scaled(signal, frame, signal.compute(frame))


def _scaled(signal: Signal, frame: Frame, values: Column | Mask | None) -> tuple[Column | None, float, float]:
    scores = cast("Column | None", values)  # a mask counts as 0 and 1 wherever scores are added up or looked up
    if scores is None or signal.scale == "raw":
        return scores, 0.0, 1.0
    mean, spread = centred(whole(scores))
    return scores, mean, spread / (signal.alone if frame.similarity is None else 1.0)


def _opinion(signal: Signal, weight: float, scaled: tuple[Column | None, float, float]) -> Opinion:
    values, mean, spread = scaled
    return Opinion(signal.name, cast(Column, values), weight, mean, spread, signal.ranks)


class Ranking(Sequence[Candidate]):
    """The best turns for a question, best first. Candidates are created on access, since few of many are shown."""

    def __init__(self, frame: Frame, fused: Fused, positions: NDArray[np.int64]) -> None:
        """Takes positions in the order of their ranks."""
        self.frame = frame
        self.positions = positions
        self._fused = fused

    @property
    def scores(self) -> Scores:
        """The fused score of each candidate, rounded to 1e-6, best first."""
        return np.round(self._fused.at(self.positions), 6)

    @property
    def opinions(self) -> dict[str, Opinion]:
        """The opinion of each signal on all turns, by the signal's name."""
        return {opinion.name: opinion for opinion in self._fused.opinions}

    def __len__(self) -> int:
        return len(self.positions)

    @overload
    def __getitem__(self, place: int) -> Candidate: ...
    @overload
    def __getitem__(self, place: slice) -> list[Candidate]: ...
    def __getitem__(self, place: int | slice) -> Candidate | list[Candidate]:
        if isinstance(place, slice):
            return self.candidates(range(*place.indices(len(self))))
        return self.candidates([range(len(self))[place]])[0]

    def __iter__(self) -> Iterator[Candidate]:
        """All candidates, created at once, which takes a tenth of the time of creating one after the other."""
        return iter(self.candidates(range(len(self))))

    def best_where(self, mask: NDArray[np.bool_], limit: int) -> NDArray[np.int64]:
        """Positions of the best turns that a mask lets through, ranked or not, best first; of equals the newest."""
        return best(self._fused.score, limit, (-self.frame.view.turns.ordinal,), mask)

    def evident(self, floor: float) -> "Ranking":
        """This ranking without turns that have no word of the question near them and score no more than a floor.

        Args:
            floor: as `RecallConfig.floor`; 0 is how near turns are on average.
        """
        opinions = self.opinions
        asked = [opinions[signal.name] for signal in SIGNALS if signal.name in opinions and not signal.standing]
        if not asked:
            return self
        near: NDArray[np.bool_] = np.sum([opinion.shares(self.positions) for opinion in asked], axis=0) > floor
        if "lexical" in opinions:
            near |= opinions["lexical"].values[self.positions] > 0
        return self.only(near)

    def only(self, mask: NDArray[np.bool_]) -> "Ranking":
        """This ranking without the candidates that a mask over them leaves out."""
        return Ranking(self.frame, self._fused, self.positions[mask])

    def including(self, positions: Collection[int]) -> "Ranking":
        """This ranking with the given turns that it lacks appended, best first."""
        ranked = np.zeros(self.frame.size, dtype=np.bool_)
        ranked[self.positions] = True
        lacking = np.array(sorted(positions), dtype=np.int64)
        lacking = lacking[~ranked[lacking] & np.isfinite(self._fused.at(lacking))]
        falling = -np.round(self._fused.at(lacking), 6)
        further = lacking[np.lexsort((-self.frame.view.turns.ordinal[lacking], falling))]
        return Ranking(self.frame, self._fused, np.concatenate((self.positions, further)))

    def rows(self, places: Sequence[int]) -> "CandidateRows":
        """The candidates at these indexes of the ranking, from 0, as columns."""
        asked = [opinion for opinion in self._fused.opinions if opinion.ranks]
        return self._rows(places, asked, self._ranks_of(asked, np.asarray(places, dtype=np.int64)))

    def _rows(
        self, places: Sequence[int], asked: Sequence[Opinion], ranks: Callable[[], NDArray[np.int64]]
    ) -> "CandidateRows":
        wanted = np.asarray(places, dtype=np.int64)
        view, positions = self.frame.view, self.positions[wanted]
        return CandidateRows(
            positions.tolist(),
            list(map(view.sessions.__getitem__, view.turns.session[positions].tolist())),
            view.turns.seq[positions].tolist(),
            (wanted + 1).tolist(),
            self._fused.at(positions),
            self._fused.shares(positions),
            [opinion.name for opinion in asked],
            ranks,
        )

    def candidates(self, places: Sequence[int]) -> list[Candidate]:
        """The candidates at these indexes of the ranking, from 0."""
        return self._rows(places, (), partial(_no_ranks, len(places))).candidates()

    def _ranks_of(self, asked: Sequence[Opinion], wanted: NDArray[np.int64]) -> Callable[[], NDArray[np.int64]]:
        """A function that computes each candidate's rank by each signal; 0 where the signal has no value."""
        if not asked:
            return partial(_no_ranks, len(wanted))
        shared = self._fused.rank_shares
        if shared is not None:
            shares = np.stack([shared[opinion.name][self.positions[wanted]] for opinion in asked])
            return partial(_ranks_of_shares, shares, [opinion.weight for opinion in asked], self.frame.config.rrf_k)
        values = np.empty((len(asked), len(self.positions)))
        for row, opinion in enumerate(asked):
            values[row] = opinion.values[self.positions]
        return partial(_ranks_of_values, values, wanted)


@dataclass(frozen=True, slots=True, eq=False)
class CandidateRows:
    """Some candidates of a ranking as columns. They do not keep the scores of all other turns in memory.

    Attributes:
        places: ranks, from 1.
        asked: names of the signals that rank.
        places_by: returns the rank of each candidate by each of those signals; 0 for none.
    """

    positions: Sequence[int]
    sessions: Sequence[str]
    seqs: Sequence[int]
    places: Sequence[int]
    scores: Scores
    shares: ShareTable
    asked: Sequence[str]
    places_by: Callable[[], NDArray[np.int64]]

    def candidates(self) -> list[Candidate]:
        """The candidates as objects."""
        scores = np.round(self.scores, 6).tolist()
        rows = zip(self.positions, self.sessions, self.seqs, self.places, scores, self.shares.by_name(), strict=True)
        return list(map(partial(tuple.__new__, Candidate), rows))  # what Candidate(...) does, without a call for each

    def ranks(self) -> list[dict[str, int]]:
        """The rank that each ranking signal alone gives to these candidates.

        From 1, ties sharing the best rank; among all turns under reciprocal rank fusion, else among the candidates. A
        signal without a value for a turn is absent.
        """
        ranks_by_signal = self.places_by()
        if ranks_by_signal.all():
            return list(map(dict, map(zip, repeat(self.asked), ranks_by_signal.T.tolist())))
        return [dict(compress(zip(self.asked, row, strict=True), row)) for row in ranks_by_signal.T.tolist()]


def _no_ranks(count: int) -> NDArray[np.int64]:
    """The ranks of so many candidates by no signal."""
    return np.zeros((0, count), dtype=np.int64)


def _ranks_of_shares(shares: Scores, weights: Sequence[float], k: int) -> NDArray[np.int64]:
    """Ranks among all turns, derived from their reciprocal rank shares."""
    with np.errstate(divide="ignore"):
        return np.where(shares > 0, np.round(np.array(weights)[:, None] / shares) - k, 0).astype(np.int64)


def _ranks_of_values(values: Scores, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ranks among the candidates by the signals' values."""
    falling = np.round(-values, 6)
    ours = falling[:, wanted]
    falling.sort(axis=1)  # NaN sorts to the end
    better = np.stack([np.searchsorted(column, row) for column, row in zip(falling, ours, strict=True)])
    return np.where(np.isnan(ours), 0, better + 1)


def rank(frame: Frame, *, limit: int, mask: Mask | None = None, first: Ranking | None = None) -> Ranking:
    """The best turns for a question, best first; equal scores are ordered by session name, then seq.

    Nothing is found when no signal has an opinion on the question (no term, no vector, no name), or when no turn that
    the mask lets through scores `SOMETHING`. A question that asks for an overview always finds turns, since all belong
    to it.

    Args:
        limit: how many at most.
        mask: the caller's filter over the view's turns; None means no filter.
        first: the ranking of this frame before its second look-up; its opinions are reused.
    """
    if frame.pointed.alone and not frame.intent.wants.overview:
        return _by_place(frame, limit, mask)
    standing, asked = opinions(frame, first)
    if not frame.size or (not asked and not frame.intent.wants.overview):
        return Ranking(frame, Fused.of(np.zeros(frame.size), ()), np.zeros(0, dtype=np.int64))
    tie = (_ByName(frame.view), frame.view.turns.seq)
    if (few := _ranked_few(frame, standing, asked, limit, mask, tie)) is not None:
        return few
    spoken = scores_of(asked, frame.size)
    if frame.config.fusion == "rrf":
        fused = by_rank([*standing, *asked], frame.size, frame.config.rrf_k)
    else:
        fused = Fused.of(_standing_sum(frame, standing)[0] + spoken, [*standing, *asked])
    allowed = _relevant(frame, spoken, mask)
    fused = dampened(frame, fused, tie, allowed)
    return Ranking(frame, fused, best(fused.score, limit, tie, allowed))


def _by_place(frame: Frame, limit: int, mask: Mask | None) -> Ranking:
    """The turns to which the question points, and no others, ordered by how near they are to the place."""
    values = position(frame)
    near = np.zeros(frame.size) if values is None else values
    memories = _allowed(frame, mask)
    allowed = near > 0 if memories is None else memories & (near > 0)
    fused = Fused.of(near * BY_PLACE, [Opinion("position", near, BY_PLACE)])
    return Ranking(frame, fused, best(near, limit, (_ByName(frame.view), frame.view.turns.seq), allowed))


def _ranked_few(
    frame: Frame,
    standing: Sequence[Opinion],
    asked: Sequence[Opinion],
    limit: int,
    mask: Mask | None,
    tie: Tie,
) -> Ranking | None:
    """As `rank`, but scores only the turns of a large space that may be among the best; None if it has to score all."""
    is_plain = frame.config.fusion == "score" and frame.config.floor == NO_FLOOR
    if frame.size < max(LARGE, FOR_EACH * limit) or not is_plain or is_needed(frame):
        return None
    (prior, highest), spoken_at = _standing_sum(frame, standing), partial(scores_at, asked)
    few = contenders(asked, prior, highest, limit, _allowed(frame, mask), spoken_at)
    if few is None or float(few.spoken.max(initial=0.0)) < SOMETHING:
        return None

    def some(positions: NDArray[np.integer]) -> Scores:
        known = few.at(positions)
        return prior[positions] + spoken_at(positions) if known is None else known

    fused = Fused(lambda: prior + scores_of(asked, frame.size), [*standing, *asked], some=some)
    order = best(few.scores, limit, [_Among(column, few.positions) for column in tie], None)
    return Ranking(frame, fused, few.positions[order])


def prepare(frame: Frame) -> None:
    """Computes and caches all that every ranking over the frame's view needs beside its question."""
    standing, _ = opinions(frame)
    if frame.config.fusion != "rrf":
        _standing_sum(frame, standing)
    _memories(frame.view)
    is_needed(frame)  # looks for announcements


def _relevant(frame: Frame, spoken: Scores, mask: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    """The turns that may be found, as a mask; None for all.

    These are the turns that the caller's mask lets through, or none of them if none scores `SOMETHING`. Signals order
    turns and exclude none, unless a floor is configured.
    """
    allowed = _allowed(frame, mask)
    if frame.config.floor > NO_FLOOR:
        above = spoken > frame.config.floor
        allowed = above if allowed is None else allowed & above
    if frame.intent.wants.overview:
        return allowed
    if float(np.max(spoken if allowed is None else spoken[allowed], initial=0.0)) < SOMETHING:
        return np.zeros(frame.size, dtype=np.bool_)
    return allowed


def _allowed(frame: Frame, mask: Mask | None) -> Mask | None:
    """The turns that a mask lets through and that have text in the index; None for all."""
    memories = _memories(frame.view)
    return mask if memories is None else memories if mask is None else memories & mask


def _memories(view: IndexView) -> NDArray[np.bool_] | None:
    """The turns with text in the index, which injected text does not have; None if all have some."""
    if view.folded(_ALL_TOLD, lambda rows: bool((view.turns.chars[rows] > 0).all()), and_):
        return None
    return view.grown(_TOLD, lambda rows: view.turns.chars[rows] > 0)


def _standing_sum(frame: Frame, standing: Sequence[Opinion]) -> tuple[Scores, float]:
    """The sum of the standing opinions and its maximum, cached with the view for these weights.

    Plain values that never change are added first, so that their sum has to be computed for new turns only.
    """
    key: CacheKey[tuple[Scores, float]] = CacheKey("standing sum", _weights_of(standing))
    return frame.view.derived(key, lambda: _made_standing_sum(frame, standing))


def _made_standing_sum(frame: Frame, standing: Sequence[Opinion]) -> tuple[Scores, float]:
    plain = [opinion for opinion in standing if opinion.name in _GROWING]
    others = [opinion for opinion in standing if opinion.name not in _GROWING]
    plain_key: CacheKey[Scores] = CacheKey("plain sum", _weights_of(plain))
    sums = frame.view.grown(plain_key, lambda rows: _sum_of(plain, rows))
    prior = np.asarray(sums + scores_of(others, frame.size) if others else sums)
    return prior, float(prior.max()) if prior.size else 0.0  # of an empty space too the background makes it


def _weights_of(opinions: Sequence[Opinion]) -> tuple[tuple[str, float], ...]:
    return tuple([(opinion.name, opinion.weight) for opinion in opinions])


def _sum_of(opinions: Sequence[Opinion], rows: slice) -> Scores:
    sliced = [replace(opinion, values=whole(opinion.values)[rows]) for opinion in opinions]
    return scores_of(sliced, rows.stop - rows.start)


class _Among:
    """A tie-break column restricted to some turns, indexed by their places among these."""

    def __init__(self, column: NDArray[np.integer] | Lookup, positions: NDArray[np.intp]) -> None:
        self._column, self._positions = column, positions

    def __getitem__(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(self._column[self._positions[places]])


class _ByName:
    """A tie-break column with the rank of each turn's session name, looked up only for the few turns that may tie."""

    def __init__(self, view: IndexView) -> None:
        self._view = view

    def __getitem__(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        view = self._view
        return view.shared(_NAME_ORDER, NameOrder).places(view.sessions)[view.turns.session[positions]]
