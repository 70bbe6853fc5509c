"""Turns that a caller has in the prompt are left out, however many they are."""

import random

import numpy as np
import pytest

from clew.rank.filter import without
from tests.support.effort import examples
from tests.support.memories import quiet, told


@pytest.mark.requirement("P-IDN-15")
def test_many_turns_are_left_out_as_one_by_one() -> None:
    chance = random.Random(7)  # noqa: S311  # the same choices on every run
    with quiet() as memory:
        memory.add_many([told(f"turn {n}", session=f"s{n % 3}") for n in range(300)])
        view = memory.reads.live.view()
        for _ in range(examples(30, 150)):
            count = chance.randrange(0, 200)
            turns = [(f"s{chance.randrange(4)}", chance.randrange(120)) for _ in range(count)]
            turns += [("s0", seq) for seq in (-1, 1 << 32, 1 << 80)]  # no turns, and not those of another session
            mask = np.array([chance.random() < 0.9 for _ in range(300)]) if chance.random() < 0.5 else None
            kept = np.ones(300, dtype=bool) if mask is None else mask.copy()
            for place in (view.position(*turn) for turn in turns):
                if place is not None:
                    kept[place] = False
            found = without(view, mask, turns)
            assert np.array_equal(np.ones(300, dtype=bool) if found is None else found, kept)
