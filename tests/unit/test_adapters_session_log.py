"""Conversations as libraries see them: cleared, and shared by several objects."""

import pytest

from clew.adapters.session_log import Stretches
from clew.errors import TurnRejected
from clew.memory import Memory
from clew.types import Turn
from tests.memories import quiet

KEY = "item"


def say(memory: Memory, stretches: Stretches, text: str) -> None:
    memory.add(Turn(role="user", content=text, session=stretches.session(), metadata={KEY: text}))


def said(stretches: Stretches) -> list[str]:
    return [turn.metadata[KEY] for turn in stretches.turns(KEY)]


@pytest.mark.requirement("P-ADP-03")
def test_what_one_object_clears_is_cleared_for_the_others() -> None:
    with quiet() as memory:
        one, other = Stretches(memory, "thread"), Stretches(memory, "thread")
        say(memory, one, "the first")
        assert said(other) == ["the first"]
        one.clear(KEY)
        assert said(other) == []
        say(memory, other, "the second")
        assert said(one) == said(Stretches(memory, "thread")) == ["the second"]
        other.clear(KEY)
        one.clear(KEY)  # nothing is left to be cleared
        assert {stretches.session() for stretches in (one, other)} == {"thread#3"}


@pytest.mark.requirement("P-ADP-03")
def test_a_clearing_that_is_refused_changes_nothing() -> None:
    with quiet() as memory:
        stretches = Stretches(memory, "thread")
        say(memory, stretches, "the first")
        memory.pause()
        with pytest.raises(TurnRejected, match="paused"):
            stretches.clear(KEY)
        assert said(stretches) == ["the first"]
