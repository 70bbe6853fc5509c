"""A sub-agent's session: who asks in it, what it is called, and that it does not pass for the last talk."""

from datetime import timedelta

import pytest

from clew.memory import Memory
from clew.testing import FrozenClock
from clew.types import Turn
from tests.support.ranking_spaces import NOON

PARENT = "f7633853-6663-4dbb-bbf4-6159afa29df8"
AGENT = f"claude-code/{PARENT}/a1b2c3d"


def agents_at_work() -> Memory:
    """A person's session, and a later one of a sub-agent that its agent started."""
    memory = Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON))
    ask = Turn(role="user", content="Which port is free for the proxy?", session=PARENT, source="claude-code", at=NOON)
    told = Turn(role="assistant", content="I ask an agent.", session=PARENT, source="claude-code", at=NOON)
    at = NOON + timedelta(minutes=1)
    order = Turn(
        role="user",
        origin="assistant",
        content="List the ports that listen near the proxy.",
        session=AGENT,
        source="claude-code",
        at=at,
    )
    answer = Turn(role="assistant", content="8080 listens.", session=AGENT, source="claude-code", at=at)
    for turn in (ask, told, order, answer):
        memory.add(turn)
    return memory


@pytest.mark.requirement("F-AGENT-82")
def test_an_order_to_a_sub_agent_is_the_agents_and_names_the_session() -> None:
    with agents_at_work() as memory:
        block = memory.recall("Which ports listen near the proxy?").text
        assert "[f7633853/a1b2c3d] " in block
        assert "\n0 assistant: List the ports" in block
        assert "\n0 user: Which port" in block
        recap = memory.recap(AGENT).text
        assert "User: List" not in recap
        titles = {session.name: session.title for session in memory.sessions()}
    assert titles[AGENT] == "List the ports that listen near the proxy."


@pytest.mark.requirement("A-LINE-04")
def test_a_sub_agents_session_is_not_the_last_one() -> None:
    with agents_at_work() as memory:
        told = memory.brief()
    assert f"Name: {PARENT}" in told
    assert "a1b2c3d" not in told
