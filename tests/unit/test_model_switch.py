"""From one embedding model to another: the old vectors serve, the new ones come, and the two are never mixed."""

import time
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clew.analyze.keyphrases import MOST_WORDS
from clew.analyze.prototypes import sentences
from clew.derive.embedding import embed_batch
from clew.errors import ModelError
from clew.index.live import LiveIndex
from clew.memory import Memory
from clew.models.protocol import Embedder, Matrix
from clew.rows.active_model import finish
from clew.store.memory import MemoryStore
from clew.store.sqlite import SqliteStore
from clew.testing import FrozenClock, HashEmbedder
from clew.types import Turn

NOW = datetime(2025, 6, 1, tzinfo=UTC)
OLD, NEW = HashEmbedder(64), HashEmbedder(64, revision=2)
TURNS = [Turn(role="user", content=f"turn {n} about the ferry and the harbour of day {n}") for n in range(150)]


class Halting:
    """An embedder that answers for so many turns, and then no more; sentences of domains and names do not count."""

    def __init__(self, inner: Embedder, texts: int) -> None:
        self.name, self.dim = inner.name, inner.dim
        self.inner, self.left = inner, texts

    def embed(self, texts: Sequence[str]) -> Matrix:
        names = all(1 <= len(text.split()) <= MOST_WORDS and text != "word" for text in texts)
        if names or tuple(texts) == sentences():
            return self.inner.embed(texts)
        if self.left < len(texts):
            self.left = 0
            raise ModelError("the model went away")
        self.left -= len(texts)
        return self.inner.embed(texts)


def opened(home: Path | MemoryStore, embedder: Embedder, previous: Embedder | None = None) -> Memory:
    config = {"index": {"pack_minimum": 40}}
    return Memory.open(home, embedder=embedder, previous=previous, clock=FrozenClock(NOW), config=config)


def until_it_halts(memory: Memory) -> None:
    while memory.stats().details["worker_failure"] is None:
        time.sleep(0.01)


def move_as_another_program_does(home: Path) -> None:
    """Without its worker, who would wait half a minute for the lease of the one that runs."""
    with closing(SqliteStore.open(home)) as store:
        live = LiveIndex(store, "default")
        assert embed_batch(store, "default", NEW, range(len(TURNS)), now=0) == []
        assert finish(store, "default", NEW.name, live.view())
        assert not finish(store, "default", NEW.name, live.view())


def vectors(memory: Memory) -> dict[str, int]:
    found: dict[str, int] = memory.stats().details["vectors_by_model"]
    return found


def filled(home: Path) -> None:
    with opened(home, OLD) as memory:
        memory.add_many(TURNS)
        assert memory.drain()
        assert vectors(memory) == {OLD.name: len(TURNS)}


def dense(memory: Memory) -> dict[str | None, float]:
    hits = memory.search("What about the harbour?", limit=len(TURNS))
    return {hit.turn.id: hit.signals.get("dense", 0.0) for hit in hits}


@pytest.mark.requirement("S-MODEL-01")
def test_the_old_vectors_serve_until_the_new_ones_cover_every_turn(tmp_path: Path) -> None:
    filled(tmp_path)
    with opened(tmp_path, OLD) as memory:
        before = dense(memory)
    with opened(tmp_path, Halting(NEW, 70), OLD) as memory:
        until_it_halts(memory)
        stats = memory.stats()
        assert 0 < stats.pending["embed"] < len(TURNS)
        assert stats.details["embedder_serving"] == OLD.name
        assert vectors(memory) == {OLD.name: len(TURNS), NEW.name: len(TURNS) - stats.pending["embed"]}
        assert dense(memory) == before
        receipt = memory.explain(memory.recall("What about the harbour?").receipt_id)
        assert receipt.settings["embedder"] == OLD.name


@pytest.mark.requirement("S-MODEL-02")
def test_an_interrupted_switch_goes_on_and_drops_the_old_vectors(tmp_path: Path) -> None:
    filled(tmp_path)
    with opened(tmp_path, Halting(NEW, 70), OLD) as memory:
        until_it_halts(memory)
        done = vectors(memory)[NEW.name]
    left = Halting(NEW, len(TURNS) - done)
    with opened(tmp_path, left, OLD) as memory:
        assert memory.drain()
        assert left.left == 0, "no turn is embedded twice"
        assert vectors(memory) == {NEW.name: len(TURNS)}
        assert memory.stats().details["embedder_serving"] == NEW.name
        assert memory.verify().ok
    with opened(tmp_path, NEW) as memory, Memory.open(MemoryStore(), embedder=NEW, clock=FrozenClock(NOW)) as fresh:
        fresh.add_many(TURNS)
        assert fresh.drain()
        assert dense(memory) == dense(fresh)


@pytest.mark.requirement("S-MODEL-01")
def test_without_the_old_embedder_turns_are_found_by_words_and_new_vectors(tmp_path: Path) -> None:
    filled(tmp_path)
    with opened(tmp_path, Halting(NEW, 0)) as memory:
        assert memory.stats().details["embedder_serving"] == NEW.name
        assert all(share == 0.0 for share in dense(memory).values())
        assert "harbour" in memory.recall("What about the harbour?").text


@pytest.mark.requirement("S-MODEL-03")
def test_a_program_with_the_old_setting_does_not_undo_the_switch(tmp_path: Path) -> None:
    filled(tmp_path)
    with opened(tmp_path, OLD) as stale:
        move_as_another_program_does(tmp_path)
        stale.add(Turn(role="user", content="said to the program that runs on"))
        assert stale.drain()
        assert stale.stats().details["embedder_superseded_by"] == NEW.name
        assert vectors(stale) == {NEW.name: len(TURNS)}
        assert "runs on" in stale.recall("Which program runs on?").text
    with opened(tmp_path, OLD, NEW) as back:
        assert back.drain()
        assert vectors(back) == {OLD.name: len(TURNS) + 1}


@pytest.mark.requirement("S-MODEL-01")
def test_a_question_is_remembered_for_one_model_only(tmp_path: Path) -> None:
    filled(tmp_path)
    with opened(tmp_path, NEW, OLD) as memory:
        memory.search("What about the harbour?")  # perhaps with the old model
        assert memory.drain()
        after = dense(memory)
    with opened(tmp_path, NEW) as memory:
        assert dense(memory) == after
