"""The same log gives the same answers on every engine, to the last bit."""

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.store.protocol import Store
from clew.testing import HashEmbedder
from tests.contract.backends import open_backend
from tests.support.effort import examples

WORDS = "redis cache session token école 東京 🧶 paris moved 2023 café deadline Ann's".split()
START = datetime(2024, 5, 1, tzinfo=UTC)
_spaces = itertools.count()

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
turns = st.builds(
    clew.Turn,
    role=st.sampled_from(["user", "assistant"]),
    content=texts | st.text(max_size=30).map("x {}".format),
    session=st.sampled_from(["one", "zwei", "三"]),
    speaker=st.sampled_from([None, "Ann", "Øyvind"]),
    at=st.none() | st.integers(0, 90).map(lambda days: START + timedelta(days=days)),
)
steps = st.lists(
    st.tuples(st.just("add"), st.lists(turns, min_size=1, max_size=8))
    | st.tuples(st.just("forget"), st.sampled_from([word for word in WORDS if word.isalnum()]))
    | st.tuples(st.just("pack"), st.none()),
    min_size=1,
    max_size=5,
)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Store]]:
    """One of each engine; every example has a space of its own in them."""
    place = tmp_path_factory.mktemp("stores")
    opened = [open_backend(name, place) for name in ("memory", "sqlite", "postgres")]
    yield opened
    for store in opened:
        store.close()


class Unclosed:
    """A store that outlives the memories opened on it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def close(self) -> None:
        """Nothing: the fixture does it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def answers(store: Store, space: str, story: list[tuple[str, Any]], queries: list[str]) -> list[object]:
    """Everything that can be seen of a memory after a story."""
    shared: Any = Unclosed(store)
    seen: list[object] = []
    weights = {"label": 1.0, "gravity": 1.0, "hub": 1.0} if len(story) % 2 else {}
    config = {"index": {"pack_minimum": 4, "fan_out": 2}, "recall": weights}
    with clew.Memory.open(
        shared, space=space, config=config, embedder=HashEmbedder(), clock=lambda: START + timedelta(days=100)
    ) as memory:
        for what, value in story:
            if what == "add":
                seen.append(memory.add_many(value))
            elif what == "forget":
                seen.append(memory.forget(match=value, dry_run=True).turn_ids)
                memory.forget(match=value)
            else:
                assert memory.drain(200)
        assert memory.drain(200)
        for query in queries:
            context = memory.recall(query, budget=300)
            seen += [context, [(hit.turn, hit.score, hit.signals) for hit in memory.search(query)]]
        for expression in (
            "importance >= 5 OR tag:redis",
            '"session" AND NOT routine',
            "speaker = ann AND layer1 > 0.1",
        ):
            seen.append(memory.query(expression, known_at=START + timedelta(days=100)))
        problems = memory.verify()
        assert problems.ok, problems
        stats = memory.stats()
        seen.append((stats.turns, stats.sessions))
    return seen


@pytest.mark.requirement("S-POSTGRES-16", "F-LABEL-04")
@settings(max_examples=examples(3, 15))
@given(story=steps, queries=st.lists(texts, min_size=1, max_size=3))
def test_recall_is_the_same_on_every_engine(
    stores: list[Store], story: list[tuple[str, Any]], queries: list[str]
) -> None:
    space = f"space {next(_spaces)}"
    first, *others = [answers(store, space, story, queries) for store in stores]
    for other in others:
        assert other == first
