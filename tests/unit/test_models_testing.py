"""The fakes that Clew offers to its users' tests."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from clew.errors import InputError
from clew.memory import Memory
from clew.models.prompt import Prompt
from clew.testing import FrozenClock, HashEmbedder, MemoryStore, ScriptedLLM
from clew.types import Turn
from tests.support.memories import NOON

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
    for wrong in ("64", 64.5):
        with pytest.raises(InputError, match="whole number"):
            HashEmbedder(wrong)  # type: ignore[arg-type]  # what is tested
    for revision in (0, 10**20):
        with pytest.raises(InputError, match="revision="):
            HashEmbedder(revision=revision)


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
    with pytest.raises(InputError, match="time zone"):
        FrozenClock("2024-03-15")  # type: ignore[arg-type]  # what is tested


@pytest.mark.requirement("F-MODELS-15")
def test_a_frozen_clock_stays_within_the_calendar() -> None:
    with pytest.raises(InputError, match="outside the years"):
        FrozenClock(datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-2))))
    clock = FrozenClock(NOON)
    for seconds in (1e15, -1e15, float("inf"), float("nan")):
        with pytest.raises(InputError, match="outside the years"):
            clock.advance(seconds)
    assert clock() == NOON


@pytest.mark.requirement("F-MODELS-15")
def test_a_script_is_no_single_text() -> None:
    with pytest.raises(InputError, match="expected a list of answers"):
        ScriptedLLM("one answer")


@pytest.mark.requirement("F-MODELS-15")
def test_threads_share_the_answers_of_a_generator() -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def script() -> Iterator[str]:
        begun.set()
        goes_on.wait(10)
        yield "first"
        yield "second"

    model = ScriptedLLM(script())
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(model.complete, Prompt.of("", "?"), max_tokens=9)
        begun.wait(10)
        other = pool.submit(model.complete, Prompt.of("", "?"), max_tokens=9)
        threading.Timer(0.1, goes_on.set).start()  # while the other one waits
        assert (one.result().text, other.result().text) == ("first", "second")


@pytest.mark.requirement("F-MODELS-15")
def test_a_store_in_memory_holds_a_memory_for_a_test() -> None:
    store = MemoryStore()
    with Memory.open(store, embedder="none") as memory:
        name = memory.add(Turn(role="user", content="We picked Redis."))
        assert [hit.turn.id for hit in memory.search("redis")] == [name]
