"""The fakes that Clew offers to its users' tests."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from clew.errors import InputError
from clew.memory import Memory
from clew.testing import FrozenClock, HashEmbedder, MemoryStore
from clew.types import Turn

HASH_OF_15 = [0, 0, 0, 1, 0, 0, 0, 0]


@pytest.mark.requirement("F-MODELS-15")
def test_texts_that_share_words_are_similar() -> None:
    texts = [
        "We picked Redis for the sessions",
        "Why did we pick Redis for a session?",
        "Grandmother cooks soup with fresh dill",
        "the recipe of my grandmother's soups",
    ]
    for dim in (64, 256):
        cosines = (rows := HashEmbedder(dim).embed(texts)) @ rows.T
        assert cosines[0, 1] > 0.6
        assert cosines[2, 3] > 0.4
        assert np.abs(cosines[:2, 2:]).max() < 0.35


@pytest.mark.requirement("F-MODELS-15")
def test_hashed_vectors_are_the_same_everywhere() -> None:
    embedder = HashEmbedder(8)
    assert embedder.name == "hash-8@1"
    rows = embedder.embed(["15", "", "15 15", "we picked Redis"])
    assert rows[0].tolist() == rows[2].tolist() == HASH_OF_15
    assert not rows[1].any()
    assert rows[3].tolist() == HashEmbedder(8).embed(["we picked Redis"])[0].tolist()


@pytest.mark.requirement("F-MODELS-15")
def test_a_hash_embedder_needs_a_dimension() -> None:
    with pytest.raises(InputError, match="dim=0"):
        HashEmbedder(0)


@pytest.mark.requirement("F-MODELS-15")
def test_a_frozen_clock_moves_only_when_told() -> None:
    clock = FrozenClock(datetime(2024, 3, 15, 12, tzinfo=timezone(timedelta(hours=2))))
    assert clock() == clock.now() == datetime(2024, 3, 15, 10, tzinfo=UTC)
    assert clock().tzinfo is UTC
    assert clock.advance(90.5) == datetime(2024, 3, 15, 10, 1, 30, 500_000, tzinfo=UTC) == clock()
    assert clock.advance(-90.5) == datetime(2024, 3, 15, 10, tzinfo=UTC)


@pytest.mark.requirement("F-MODELS-15")
def test_a_frozen_clock_needs_a_time_zone() -> None:
    with pytest.raises(InputError, match="time zone"):
        FrozenClock(datetime(2024, 3, 15))  # noqa: DTZ001 - what is tested


@pytest.mark.requirement("F-MODELS-15")
def test_a_store_in_memory_holds_a_memory_for_a_test() -> None:
    store = MemoryStore()
    with Memory.open(store, embedder="none") as memory:
        name = memory.add(Turn(role="user", content="We picked Redis."))
        assert [hit.turn.id for hit in memory.search("redis")] == [name]
