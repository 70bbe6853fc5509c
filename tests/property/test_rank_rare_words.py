"""A search for the two rarest words of a turn finds that turn, whatever else the space holds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.config import RecallConfig
from clew.index.entry import PieceTerms, TurnEntry
from clew.index.view import IndexView
from clew.rank.frame import make_frame
from clew.rank.intent import Intent, Wants
from clew.rank.participants import assistant_takes_part
from clew.rank.search import rank
from tests.support.effort import examples

FIRST = 5


def corpus(turns: int, random: np.random.Generator, *, assistant: bool) -> list[TurnEntry]:
    """Turns of words by Zipf's law, one in ten a hundred times as long as the others, each with a word of its own."""
    sizes = random.integers(3, 12, turns) * np.where(random.random(turns) < 0.1, 100, 1)
    log = []
    for number, size in enumerate(sizes.tolist()):
        words = [f"w{each}" for each in random.zipf(1.3, min(size, 60)) % 5000]
        counts = {word: min(words.count(word), 255) for word in {*words, f"own{number}", f"pair{number // 2}"}}
        role = ("user", "assistant", "tool")[int(random.integers(0, 3))] if assistant else "user"
        log.append(
            TurnEntry(
                number, f"s{number % 3}", number // 3, "", None, role, number, 6 * size, (PieceTerms(counts, {}, size),)
            )
        )
    return log


def places(log: list[TurnEntry], wanted: list[int], similarity: np.ndarray | None) -> list[int]:
    """The place of each wanted turn in the search for its two rarest words."""
    view, found = IndexView.of(tail=log), []
    beside = assistant_takes_part(view)
    for number in wanted:
        terms = sorted(log[number].pieces[0].body, key=lambda term: (view.document_frequency(term), term))[:2]
        intent = Intent(" ".join(terms), tuple(terms), (), (), (), " ".join(terms), Wants(exact=True))
        frame = make_frame(intent, view, RecallConfig(), similarity, with_assistant=beside)
        ranked = rank(frame, limit=FIRST).positions.tolist()
        found.append(ranked.index(number) if number in ranked else FIRST)
    return found


@pytest.mark.requirement("F-RARE-01")
@settings(max_examples=examples(9, 200))
@given(st.integers(0, 2**32 - 1), st.integers(5, 400), st.sampled_from((0.0, 0.5, 1.0)), st.booleans())
def test_the_two_rarest_words_of_a_turn_find_it(seed: int, turns: int, embedded: float, assistant: bool) -> None:
    random = np.random.default_rng(seed)
    log = corpus(turns, random, assistant=assistant)
    cosines = np.where(random.random(turns) < embedded, random.uniform(0.0, 0.7, turns), np.nan)
    similarity = np.array([cosines, cosines]) if embedded else None
    assert max(places(log, random.integers(0, turns, 5).tolist(), similarity)) < FIRST


@pytest.mark.slow
@pytest.mark.requirement("F-RARE-01")
@pytest.mark.parametrize("embedded", [0.0, 0.5, 1.0])
def test_the_two_rarest_words_of_a_turn_find_it_among_100_000(embedded: float) -> None:
    random, turns = np.random.default_rng(7), 100_000
    log = corpus(turns, random, assistant=True)
    cosines = np.where(random.random(turns) < embedded, random.uniform(0.0, 0.7, turns), np.nan)
    similarity = np.array([cosines, cosines]) if embedded else None
    assert max(places(log, random.integers(0, turns, 20).tolist(), similarity)) < FIRST
