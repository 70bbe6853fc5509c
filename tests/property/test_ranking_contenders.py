"""The best of few turns are the best of all: whatever the signals, the filter and the limit."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.rank.contenders import contenders
from clew.rank.fusion import Opinion, best, scores_at, scores_of
from clew.rank.sparse_columns import BySession, FewTurns, whole

SIZES = st.sampled_from((40, 333, 1000, 4097))


def _by_session(random: np.random.Generator, size: int) -> BySession:
    lengths = np.bincount(np.sort(random.integers(0, 9, size)), minlength=9)
    runs = np.flatnonzero(lengths)
    return BySession(random.standard_normal(9), np.repeat(np.arange(9, dtype=np.int32), lengths), (runs, lengths[runs]))


def _few_turns(random: np.random.Generator, size: int) -> FewTurns:
    positions = np.sort(random.choice(size, int(random.integers(1, 9)), replace=False))
    return FewTurns(size, positions, 5 * random.standard_normal(len(positions)))


def _every_turn(random: np.random.Generator, size: int) -> np.ndarray[Any, Any]:
    values = np.round(random.gamma(0.3, 3.0, size), int(random.integers(0, 4)))
    if random.random() < 0.2:
        values[random.random(size) < 0.2] = np.nan
    return values


def _opinion(random: np.random.Generator, size: int) -> Opinion:
    make = random.choice(np.array([_by_session, _few_turns, _every_turn]))
    values = make(random, size)
    weight = float(random.choice((-1.0, 0.7, 2.0)))
    if isinstance(values, np.ndarray):
        return Opinion("z", values, weight, float(np.nanmean(values)), float(np.nanstd(values) or np.inf), ranks=True)
    return Opinion("raw", values, weight)


@pytest.mark.requirement("F-SPEED-58")
@given(st.integers(0, 2**32 - 1), SIZES, st.integers(1, 30), st.booleans())
def test_the_best_of_the_contenders_are_the_best_of_all(seed: int, size: int, limit: int, filtered: bool) -> None:
    random = np.random.default_rng(seed)
    asked = [_opinion(random, size) for _ in range(int(random.integers(1, 5)))]
    prior = np.round(random.standard_normal(size), 1)
    allowed = random.random(size) < 0.6 if filtered else None
    found = contenders(asked, prior, float(prior.max()), limit, allowed, partial(scores_at, asked))
    if found is None:
        return
    spoken = scores_of(asked, size)
    assert found.spoken.tobytes() == spoken[found.positions].tobytes()
    order = best(found.scores, limit, [found.positions], None)
    expected = best(prior + spoken, limit, [np.arange(size)], allowed)
    assert found.positions[order].tolist() == expected.tolist()
    known = found.at(expected)
    assert known is not None
    assert known.tolist() == (prior + spoken)[expected].tolist()
    others = np.setdiff1d(np.arange(size), found.positions)
    assert all(found.at(np.append(expected, other)) is None for other in (*others[:1], *others[-1:]))


@pytest.mark.requirement("F-SPEED-58")
def test_few_turns_of_many_are_contenders() -> None:
    random = np.random.default_rng(1)
    words, session = random.gamma(0.3, 3.0, 50_000), _by_session(random, 50_000)
    asked = [Opinion("lexical", words, 1.0, 0.9, 1.6, ranks=True), Opinion("session", session, 2.0)]
    asked.append(Opinion("rare", FewTurns(50_000, np.array([7]), np.array([30.0])), 1.0))
    found = contenders(asked, np.zeros(50_000), 0.0, 10, None, partial(scores_at, asked))
    assert found is not None
    assert found.positions[np.argmax(found.scores)] == 7
    assert 10 <= len(found.positions) < 5_000
    flat = [Opinion("lexical", np.full(50_000, 1.0), 1.0, 1.0, np.inf, ranks=True)]
    assert contenders(flat, np.zeros(50_000), 0.0, 10, None, partial(scores_at, flat)) is None, "nothing leads"


@pytest.mark.requirement("F-SPEED-58")
@given(st.integers(0, 2**32 - 1), SIZES)
def test_a_column_in_less_room_has_the_values_of_the_whole_one(seed: int, size: int) -> None:
    random = np.random.default_rng(seed)
    wanted = random.integers(0, size, 20)
    for column in (_by_session(random, size), _few_turns(random, size)):
        assert len(whole(column)) == size
        assert whole(column)[wanted].tolist() == column[wanted].tolist()
    few = _few_turns(random, size)
    assert np.count_nonzero(whole(few)) == np.count_nonzero(few.values)
    assert whole(few)[few.positions].tolist() == few.values.tolist()
