"""The order of sessions by name: as a sort of all gives it, without a sort for each that comes."""

import numpy as np
import pytest

from clew.rank.name_order import NameOrder

pytestmark = pytest.mark.requirement("F-RANKING-04")


class Compared(str):
    """A name that counts how often any was compared."""

    __slots__ = ()
    compared = 0

    def __lt__(self, other: str) -> bool:
        Compared.compared += 1
        return super().__lt__(other)


def is_sorted(order: NameOrder, names: list[str]) -> bool:
    """Whether the places of these names are in the order of the names."""
    places = order.places(names)[: len(names)]
    return len(set(places.tolist())) == len(names) and [names[code] for code in np.argsort(places)] == sorted(names)


@pytest.mark.parametrize("seed", range(5))
def test_names_are_in_order_however_many_come_at_once_and_for_who_knows_fewer(seed: int) -> None:
    chance = np.random.default_rng(seed)
    names = [f"{chance.integers(10**6)}-{n}" for n in range(400)]
    order, known = NameOrder(), 0
    while known < len(names):
        known += int(chance.choice((0, 1, 2, 5, 16, 17, 60)))
        assert is_sorted(order, names[:known])
        assert is_sorted(order, names[: int(chance.integers(known + 1))])


def test_an_answer_that_was_given_does_not_change() -> None:
    order = NameOrder()
    given = order.places(["b", "d"])
    order.places(["b", "d", "a", "c"])
    assert given.tolist() == [0, 1]


def test_one_more_name_is_compared_with_few_of_many() -> None:
    names: list[str] = [Compared(n) for n in range(4096)]
    order = NameOrder()
    order.places(names)
    Compared.compared = 0
    order.places([*names, Compared("2500x")])
    assert Compared.compared <= 13
    order.places(names)
    assert Compared.compared <= 13
