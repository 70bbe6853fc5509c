"""Announcements of tool calls and the results of the calls."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.rank.announcements import SHORT, announced
from clew.rank.search import rank
from clew.types import Turn
from tests.support.effort import examples
from tests.support.ranking_spaces import answered, asked, order, said, space

CALL = 'Bash({"command": "make"})'
RESULT = said("gcc: zlib.h is missing", role="tool")

WORDS = ("build", "zlib", "run", "test", "make", "missing", "let", "me", "now", "the", "server", "log")

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
steps = st.tuples(texts, st.booleans(), texts)
"""One step of an agent: an announcement, whether the call is a turn of its own, and the result."""


def work(steps: list[tuple[str, bool, str]]) -> list[Turn]:
    """A session: a wish of the person, and the steps."""
    turns = [said("Please build the server.")]
    for announcement, apart, result in steps:
        turns.append(answered(announcement[:SHORT]))
        turns += [answered(CALL)] if apart else []
        turns.append(said(result, role="tool"))
    return turns


@pytest.mark.requirement("F-AGENT-07")
@settings(max_examples=examples(15, 300))
@given(st.lists(steps, min_size=1, max_size=8), texts, st.sampled_from(["score", "rrf"]))
def test_an_announcement_never_ranks_before_its_result(
    done: list[tuple[str, bool, str]], question: str, fusion: str
) -> None:
    view = space(*work(done))
    ranks = {position: place for place, position in enumerate(order(asked(view, question, fusion=fusion, exact=0.0)))}
    for announcement, result in zip(*map(list, announced(view)), strict=True):
        assert ranks.get(result, 0) < ranks.get(announcement, 1)


@pytest.mark.requirement("F-AGENT-07")
def test_what_is_announced_by_the_assistant_alone_shortly_before_a_result() -> None:
    view = space(
        *("Build it.", answered("Let me run the build:"), answered(CALL), RESULT, said("again", role="tool")),
        *(answered("The header is missing. " * 5), RESULT, answered("I'll look:"), "Do not!", RESULT),
        *(answered("One."), answered("Two."), answered("Three."), answered("Four."), RESULT),
    )
    assert set(zip(*map(list, announced(view)), strict=True)) == {(1, 3), (2, 3), (11, 14), (12, 14), (13, 14)}


@pytest.mark.requirement("F-AGENT-07", "F-RARE-01")
@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_a_search_for_words_of_an_announcement_alone_finds_it(fusion: str) -> None:
    view = space("Build it.", answered("Let me find zlib:"), RESULT, answered("Let me sleep:"), said("ok", role="tool"))
    assert order(asked(view, "let sleep", fusion=fusion))[0] == 3


@pytest.mark.requirement("F-AGENT-07")
def test_a_receipt_says_what_an_announcement_lost() -> None:
    view = space("Build it.", answered("Let me find the missing zlib:"), RESULT)

    def shares(**weights: Any) -> list[float]:
        found = {each.position: each for each in rank(asked(view, "missing zlib", exact=0.0, **weights), limit=9)}
        assert found[1].score == pytest.approx(sum(found[1].shares.values()), abs=1e-5)
        return [found[1].shares.get("announcement", 0.0), found[2].shares.get("announcement", 0.0)]

    lost, kept = shares(lexical=9.0, call=0.0)
    assert lost < 0 == kept
    assert shares(lexical=9.0, call=0.0, announcement=0.0) == [0.0, 0.0]
