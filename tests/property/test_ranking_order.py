"""The order of a ranking: a full sort's, whatever the scores, the filter and the limit; the same for any layout."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.config import RecallConfig
from clew.index.columns import Columns
from clew.index.entry import TurnEntry
from clew.index.tail import Tail
from clew.index.view import IndexView
from clew.rank.frame import make_frame
from clew.rank.fusion import GROUP, best
from clew.rank.intent import Intent, Wants
from clew.rank.participants import agent_share, assistant_takes_part
from clew.rank.search import rank
from tests.support.index_logs import WORDS, layouts, logs

steps = st.integers(-20, 20).map(lambda n: n / 1e7) | st.floats(-1e3, 1e3) | st.just(-np.inf)


@st.composite
def scored(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None, int]:
    """Scores that are near each other or not, two columns for ties, perhaps a mask, and a limit."""
    pool = draw(st.lists(steps, min_size=1, max_size=12))
    size = draw(st.integers(0, 5 * GROUP))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    score = random.choice(np.array(pool), size)
    ties = random.integers(0, 3, size), random.permutation(size)
    mask = random.random(size) < draw(st.sampled_from((0.0, 0.1, 0.9))) if draw(st.booleans()) else None
    limit = draw(st.integers(0, 5) | st.integers(0, size + 1))
    return score, *ties, mask, limit


@pytest.mark.requirement("F-RANKING-04")
@given(scored())
def test_the_best_are_those_of_a_full_sort(
    case: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None, int],
) -> None:
    score, first, second, mask, limit = case
    allowed = [at for at in range(len(score)) if np.isfinite(score[at]) and (mask is None or mask[at])]
    rounded = np.round(score, 6)
    expected = sorted(allowed, key=lambda at: (-rounded[at], first[at], second[at]))[:limit]
    assert best(score, limit, (first, second), mask).tolist() == expected


@pytest.mark.requirement("F-RANKING-03", "F-RANKING-10")
@given(st.data(), st.sampled_from(("score", "rrf")))
def test_every_layout_of_the_index_gives_the_same_ranking(data: st.DataObject, fusion: str) -> None:
    log: list[TurnEntry] = data.draw(logs())
    words = data.draw(st.lists(st.sampled_from(WORDS), unique=True, max_size=4))
    named = (0,) if data.draw(st.booleans()) else ()
    intent = Intent("", tuple(words), named, (), (), "", Wants(assistant=data.draw(st.booleans())))
    cosines = data.draw(st.lists(st.floats(-1, 1) | st.just(np.nan), min_size=len(log), max_size=len(log)))
    similarity = np.array([cosines, cosines], dtype=np.float64) if data.draw(st.booleans()) else None
    limit = data.draw(st.integers(0, len(log) + 1))
    config = RecallConfig(fusion=fusion, floor=data.draw(st.sampled_from((0.0, -1e9, 1.0))))

    def ranked(view: IndexView, most: int) -> list[tuple[object, ...]]:
        found = rank(make_frame(intent, view, config, similarity, with_assistant=bool(len(log) % 2)), limit=most)
        return [(each.session, each.seq, each.rank, each.score, each.shares) for each in found]

    one = ranked(data.draw(layouts(log)), limit)
    tail = IndexView.of(tail=log)
    assert one == ranked(tail, limit) == ranked(tail, len(log))[:limit]
    for _, _, _, score, shares in one:
        assert isinstance(shares, dict)
        assert sum(shares.values()) == pytest.approx(score, abs=13e-6)


@pytest.mark.requirement("P-BYTE-03")
@given(st.data(), logs())
def test_a_ranking_of_a_view_that_grew_is_that_of_a_new_one(data: st.DataObject, log: list[TurnEntry]) -> None:
    moments = st.sampled_from((None, 0, 60_000_000))
    log = [replace(entry, at=data.draw(moments), chars=entry.chars % 50) for entry in log]
    words = data.draw(st.lists(st.sampled_from(WORDS), unique=True, max_size=4))
    intent = Intent("", tuple(words), (), (), (), "", Wants(assistant=data.draw(st.booleans())))

    def ranked(view: IndexView) -> list[tuple[object, ...]]:
        beside = assistant_takes_part(view)
        frame = make_frame(intent, view, RecallConfig(), None, with_assistant=beside)
        shares = (agent_share(view).tolist(), beside)
        return [shares, *((each.session, each.seq, each.score, each.shares) for each in rank(frame, limit=len(log)))]

    columns, tail, views = Columns(), Tail(), dict[int, IndexView]()
    for count, entry in enumerate(log, start=1):
        tail.add(entry, columns.pieces)
        columns.add(entry)
        if data.draw(st.booleans()):
            views[count] = IndexView(columns, (), tail, before=next(reversed(views.values()), None))
            for size in data.draw(st.lists(st.sampled_from(list(views)), max_size=3)):  # older ones, too, as in threads
                assert ranked(views[size]) == ranked(IndexView.of(tail=log[:size]))
