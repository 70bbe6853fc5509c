"""Turns as they were stored."""

import pytest

from clew import Turn
from tests.support.memories import quiet


@pytest.mark.requirement("F-TURNS-01")
def test_turns_of_a_conversation_and_of_the_space_come_in_order_of_arrival() -> None:
    with quiet() as memory:
        for session, said in (("a", "one"), ("b", "two"), ("a", "three")):
            memory.add(Turn(role="user", content=said, session=session))
        assert [turn.text for turn in memory.turns("a")] == ["one", "three"]
        assert [turn.text for turn in memory.turns()] == ["one", "two", "three"]
        assert memory.turns("a")[1].seq == 1
        assert memory.turns("unknown") == []
        memory.forget(turn_ids=["a:turn:0"])
        assert [turn.text for turn in memory.turns("a")] == ["three"]
