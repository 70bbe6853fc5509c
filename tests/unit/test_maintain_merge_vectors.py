"""Vectors in a merge: what was embedded in one home is not embedded again in the other."""

from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np
import pytest

from clew.config import load_config
from clew.maintain.merge_space import merge_space
from clew.memory import Memory
from clew.store.memory import MemoryStore
from clew.store.protocol import Store
from clew.testing import FrozenClock, HashEmbedder
from clew.types import IngestReport, Turn
from tests.support.index_stores import Wrapped, as_store
from tests.support.memories import NOON, empty_store, history, quiet, rows, told

INDEX = {"index": {"pack_minimum": 4, "fan_out": 2}}


class Counting(HashEmbedder):
    """Counts the texts that it is asked for, and can be told to have another name."""

    def __init__(self, name: str | None = None, dim: int = 64) -> None:
        super().__init__(dim)
        self.name = name or self.name
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        self.asked += len(texts)
        return super().embed(texts)


def home(turns: list[Turn], model: str | None = None, *, dim: int = 64) -> MemoryStore:
    """A store whose turns all have vectors; packed ones and loose ones."""
    store = empty_store()
    with quiet(store, embedder=Counting(model, dim), config=INDEX) as memory:
        memory.add_many(turns)
        assert memory.drain(None)
    return store


def merged(source: Store, target: Store, secrets: str = "mask") -> IngestReport:
    config = load_config(None, {"ingest": {"secrets": secrets, "batch": 3}}, {}).ingest
    return merge_space(source, target, "default", config, FrozenClock(NOON))


def opened(store: Store, model: Counting) -> Memory:
    return quiet(store, embedder=model, config=INDEX)


def near(store: Store) -> list[tuple[str, float]]:
    with opened(store, Counting()) as memory:
        assert memory.drain(None)
        return [(hit.turn.text, hit.score) for hit in memory.search("green tea in the morning")]


TEA = history(["green tea", "black tea in the morning", "coffee", "a long walk", "rain", "snow", "green fields"])


@pytest.mark.requirement("F-HOLD-04")
def test_what_was_embedded_once_is_not_embedded_again() -> None:
    source, target = home(TEA), home(history(["something else", "and more of it"], session="t"))
    report = merged(source, target)
    assert (report.added, report.vectors) == (7, 7)
    model = Counting()
    with opened(target, model) as memory:
        assert memory.drain(None)
        assert (memory.stats().vectors, model.asked) == (9, 0)
        assert memory.verify().ok
    assert merged(source, target).vectors == 0


@pytest.mark.requirement("F-HOLD-04")
def test_a_new_home_finds_by_meaning_what_the_old_one_did() -> None:
    source, target = home(TEA), empty_store()
    assert merged(source, target).vectors == 7
    assert near(target) == near(source)


@pytest.mark.requirement("F-HOLD-04")
def test_vectors_of_other_models_and_lengths_stay_behind() -> None:
    said = history(["something else"], session="t")
    for target in (home(said, "another"), home(said, Counting().name, dim=32)):
        assert merged(home(TEA), target).vectors == 0
    assert merged(home(TEA, "another"), home(said, "another")).vectors == 7


@pytest.mark.requirement("F-HOLD-04")
def test_a_turn_that_was_masked_on_its_way_gets_its_own_vector() -> None:
    source = empty_store()
    key = "sk-" + "a1B2" * 12
    with quiet(source, embedder=Counting(), config={"ingest": {"secrets": "keep"}}) as memory:
        memory.add_many([told("plain words"), told(f"my key is {key}")])
        assert memory.drain(None)
    target = empty_store()
    report = merged(source, target)
    assert (report.added, report.vectors, report.masked) == (2, 1, {"openai": 1})


@pytest.mark.requirement("F-HOLD-04")
def test_what_was_forgotten_while_it_was_merged_gets_no_vector() -> None:
    source, target = home(TEA), home([told("else", "t")])
    between = Wrapped(target)

    def forget_once_all_is_there() -> None:
        if len(rows(target, "turn")) < 8:
            between.before = forget_once_all_is_there
            return
        with quiet(target) as memory:
            assert memory.forget(match="tea").turns == 2

    between.before = forget_once_all_is_there
    assert merged(source, as_store(between)).vectors == 5
    with quiet(target) as memory:
        assert memory.stats().vectors == memory.stats().turns == 6
        assert memory.verify().ok


class BrokenOff(Exception):
    """What ends a merge in its middle."""


@pytest.mark.requirement("F-HOLD-04")
@pytest.mark.parametrize("commits", range(1, 9))
def test_a_merge_that_was_broken_off_goes_on(commits: int) -> None:
    source, whole, target = home(TEA + history("abcdef", session="u")), empty_store(), empty_store()
    once = merged(source, whole)
    between = Wrapped(target)

    def after(left: int) -> Callable[[], None]:
        def step() -> None:
            if left == 0:
                raise BrokenOff
            between.after = after(left - 1)

        return step

    between.after = after(commits - 1)
    with suppress(BrokenOff):  # it ends there, unless it is done before
        merged(source, as_store(between))
    again = merged(source, target)
    assert again.added + again.known == once.added == 13
    turns = [row[:13] + row[14:] for row in rows(whole, "turn")]
    assert [row[:13] + row[14:] for row in rows(target, "turn")] == turns
    assert rows(target, "vector") == rows(whole, "vector")
    assert near(target) == near(whole)
