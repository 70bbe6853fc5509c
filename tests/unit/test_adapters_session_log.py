"""Conversations as libraries see them: cleared, and shared by several objects."""

from typing import Any

import pytest

from clew.adapters.documents import Documents
from clew.adapters.session_log import Stretches
from clew.aio import AsyncMemory
from clew.errors import InputError, TurnRejected
from clew.memory import Memory
from clew.types import Turn
from tests.support.memories import quiet

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


@pytest.mark.requirement("P-ADP-03")
@pytest.mark.parametrize("kind", [Stretches, Documents])
def test_what_is_no_memory_and_no_name_is_refused_when_it_is_given(kind: Any) -> None:
    with quiet() as memory:
        with pytest.raises(InputError, match="as Memory"):
            kind("home", "thread")
        with pytest.raises(InputError, match="give the one inside it"):
            kind(AsyncMemory(memory), "thread")
        for name in ("", " ", None, 5):
            with pytest.raises(InputError, match="session"):
                kind(memory, name)
