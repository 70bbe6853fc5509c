"""A random sequence of adding, embedding, packing, forgetting and rebuilding, against a plain dictionary."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from clew.index.bm25 import bm25f
from clew.index.entry import PieceTerms, TurnEntry
from clew.index.live import LiveIndex
from clew.index.packer import pack, verify
from clew.index.staged_rebuild import rebuild
from clew.index.vectors import cosine
from clew.index.view import IndexView
from tests.support.effort import examples
from tests.support.index_stores import MODEL, SPACE, add, embed, everything, forget, listed, memory_store, vector_of

bags = st.dictionaries(st.sampled_from(("redis", "cache", "token", "x")), st.integers(1, 2), max_size=3)


class Story(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.store = memory_store()
        self.live = LiveIndex(self.store, SPACE)
        self.turns: dict[int, TurnEntry] = {}
        self.vectors: set[int] = set()
        self.gone: list[int] = []
        self.next = 0

    @rule(
        bodies=st.lists(st.lists(bags, min_size=1, max_size=2), min_size=1, max_size=9), session=st.sampled_from("ab")
    )
    def add_turns(self, bodies: list[list[dict[str, int]]], session: str) -> None:
        made = []
        for body in bodies:
            pieces = [PieceTerms({**bag, f"unique{self.next}of{n}": 1}, {"who": 1}, 9) for n, bag in enumerate(body)]
            made.append(TurnEntry(self.next, session, self.next, "", "Ann", "user", self.next, 9, tuple(pieces)))
            self.next += 1
        add(self.store, made)
        self.turns |= {entry.ordinal: entry for entry in made}

    @rule(data=st.data())
    def embed_some(self, data: st.DataObject) -> None:
        if self.turns:
            chosen = data.draw(st.sets(st.sampled_from(sorted(self.turns)), max_size=5))
            embed(self.store, chosen)
            self.vectors |= chosen

    @rule(minimum=st.integers(1, 8), fan_out=st.integers(2, 4), steps=st.none() | st.integers(0, 2))
    def pack_some(self, minimum: int, fan_out: int, steps: int | None) -> None:
        report = pack(self.store, SPACE, minimum=minimum, fan_out=fan_out, most_steps=steps)
        assert report.finished == (steps is None) or report.steps <= (steps or 0)

    @rule(data=st.data())
    def forget_some(self, data: st.DataObject) -> None:
        if self.turns:
            chosen = data.draw(st.sets(st.sampled_from(sorted(self.turns)), max_size=3))
            forget(self.store, chosen)
            self.gone += chosen
            self.vectors -= chosen
            self.turns = {ordinal: entry for ordinal, entry in self.turns.items() if ordinal not in chosen}

    @rule()
    def rebuild_all(self) -> None:
        assert rebuild(self.store, SPACE, listed(self.turns.values()), minimum=4, fan_out=2) == len(self.turns)

    @invariant()
    def every_index_is_as_if_made_at_once(self) -> None:
        expected = IndexView.of((), list(self.turns.values()))
        terms = ["redis", "cache", "who", "unique3of0"]
        for live in (self.live, LiveIndex(self.store, SPACE)):
            asked = [live.view() for _ in range(3)]
            assert len(set(map(id, asked))) <= 2  # one more than the same: small segments are gathered once
            view = asked[-1]
            assert view.turns.ordinal.tolist() == list(self.turns)
            assert bm25f(view, terms).tobytes() == bm25f(expected, terms).tobytes()
            near = cosine(view, MODEL, vector_of(1)[None])[0]
            for position, ordinal in enumerate(self.turns):
                if ordinal in self.vectors:
                    assert near[position] == pytest.approx(float(vector_of(1) @ vector_of(ordinal)), abs=0.02)
                else:
                    assert np.isnan(near[position])

    @invariant()
    def nothing_is_wrong_and_nothing_left_behind(self) -> None:
        assert verify(self.store, SPACE, self.turns) == []
        held = everything(self.store)
        assert not any(f"unique{ordinal}of".encode() in held for ordinal in self.gone)
        with self.store.snapshot() as reader:
            assert reader.count("segment", (SPACE,), (SPACE,)) + reader.count("tail", (SPACE,), (SPACE,)) >= bool(
                self.turns
            )


@pytest.mark.thorough
@pytest.mark.requirement("F-INDEX-03", "F-INDEX-06", "F-INDEX-08", "F-INDEX-09", "F-INDEX-10", "F-INDEX-13")
def test_any_sequence_of_changes_gives_the_index_of_a_fresh_build() -> None:
    run_state_machine_as_test(Story, settings=settings(max_examples=examples(6, 60), stateful_step_count=25))
