"""Properties of a vocabulary under any additions and removals of names."""

import gc
import itertools
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from clew.structure.vocabulary import LabelEntry, Vocabulary, is_near, parts_of, resolve

NAMES = st.sampled_from(
    "auth authentication authenticate kubernetes kubernets kubernetess config configuration configurations key keys "
    "api-key api-keys api-keyboards repository repo repositories conf confi configu".split()
)
SIZES = (500, 1000)
MOST_OBJECTS = 6
"""Of a name of two words: its entry, itself, its key, an ordinal and two hashes."""
COMING = st.lists(st.tuples(NAMES, st.integers(0, 40)), max_size=25)


def vector(name: str) -> NDArray[np.int8]:
    """A similarity for which names with the same beginning are near."""
    return np.array([(ord(letter) % 7 - 3) * 20 for letter in name[:3]], np.int8)


def entered(coming: list[tuple[str, int]], *, vectors: bool = False) -> Vocabulary:
    words = Vocabulary()
    for name, born in coming:
        words.add(name, born)
        if vectors:
            words.give_vector(name, vector(name))
    return words


def state(words: Vocabulary) -> dict[str, tuple[int, str | None]]:
    return {name: (label.born, label.target) for name, label in sorted(words.labels.items())}


@pytest.mark.requirement("W-TAG-12")
@given(COMING, st.lists(NAMES, max_size=6), COMING, st.booleans())
def test_aliases_lead_to_earlier_names_and_never_form_a_cycle(
    coming: list[tuple[str, int]], going: list[str], again: list[tuple[str, int]], vectors: bool
) -> None:
    words = entered(coming, vectors=vectors)
    words.drop(going)
    for name, born in again:
        words.add(name, born)
    aliases = {name: label.target for name, label in words.labels.items() if label.target is not None}
    for name, target in aliases.items():
        assert words.labels[target].age < words.labels[name].age
        assert resolve(name, aliases) not in aliases
        assert words.root(name) == resolve(name, aliases)


@pytest.mark.requirement("W-TAG-07", "W-TAG-12")
@given(COMING, st.randoms(use_true_random=False), st.booleans())
def test_the_order_in_which_names_come_does_not_matter(
    coming: list[tuple[str, int]], random: Random, vectors: bool
) -> None:
    mixed = list(coming)
    random.shuffle(mixed)
    assert state(entered(mixed, vectors=vectors)) == state(entered(coming, vectors=vectors))


@pytest.mark.requirement("W-TAG-12")
@given(COMING, st.lists(NAMES, max_size=6), st.booleans())
def test_removed_names_leave_no_trace(coming: list[tuple[str, int]], going: list[str], vectors: bool) -> None:
    words = entered(coming, vectors=vectors)
    words.drop(going)
    assert state(words) == state(entered([each for each in coming if each[0] not in going], vectors=vectors))


@pytest.mark.requirement("W-TAG-12")
@given(NAMES, NAMES)
def test_nearness_is_symmetric(one: str, other: str) -> None:
    assert is_near(one, other) == is_near(other, one)


@pytest.mark.requirement("W-TAG-08")
@given(st.lists(st.frozensets(st.sampled_from("abcdef"), min_size=1), max_size=40))
def test_parts_are_other_names_that_stand_beside_the_label(beats: list[frozenset[str]]) -> None:
    held = [sorted({*each, "a"}) for each in beats]
    parts = parts_of("a", held)
    assert len(parts) != 1
    assert "a" not in parts
    counts = [sum(part in each for each in held) for part in parts]
    assert counts == sorted(counts, reverse=True)


@pytest.mark.requirement("W-TAG-12")
def test_words_that_only_look_similar_remain_separate() -> None:
    assert not is_near("contact", "contract")
    assert not is_near("auth", "author")
    assert not is_near("port", "portugal")
    assert not is_near("v12345678", "v12345679")
    assert is_near("auth", "authentication")
    assert is_near("api-auth", "api-authentication")
    assert not is_near("api-auth", "web-authentication")
    assert Vocabulary([LabelEntry("a", 1, target=None)]).root("A") == "a"


def objects_of(words: Vocabulary) -> int:
    """How many objects a vocabulary keeps in memory."""
    seen, waiting = set[int](), [words.labels, *gc.get_referents(words)]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen and not isinstance(each, type):
            seen.add(id(each))
            waiting += gc.get_referents(each)
    return len(seen)


@pytest.mark.requirement("F-GROW-01")
def test_a_name_keeps_itself_its_entry_and_numbers_but_no_containers() -> None:
    letters = ["".join(four) for four in itertools.product("bdgklmnp", repeat=4)]
    pairs = [f"{one}-{other}" for one, other in zip(letters, reversed(letters), strict=True)]
    few, many = (objects_of(entered([(name, 1000 + each) for each, name in enumerate(pairs[:size])])) for size in SIZES)
    assert (many - few) / (SIZES[1] - SIZES[0]) <= MOST_OBJECTS
