"""Conversations that are equal for a while, side by side: sub-agents that are told the same at the same time."""

import pytest

from clew.serve.proxy.exchange import ClientMark
from tests.support.memories import quiet
from tests.support.proxy_talks import NOBODY, Message, Proxied, assistant, user

AGENT = ClientMark("claude-code", None, subagent=True, main="0b7f")
RETRY = {"x-stainless-retry-count": "1"}
PROMPT = user("Find the bug in x.py")

pytestmark = pytest.mark.requirement("P-IDN-23")


def call(name: str) -> Message:
    function = {"name": "Read", "arguments": '{"path": "x.py"}'}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": name, "type": "function", "function": function}],
    }


def result(name: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": name, "content": text}


def endings(proxied: Proxied) -> list[list[str]]:
    """What each conversation stored, but for its first turns, which are the same."""
    stored = [proxied.stored(session) for session in proxied.sessions()]
    assert all(turns[:2] == [PROMPT["content"], 'Read({"path": "x.py"})'] for turns in stored)
    return sorted(turns[2:] for turns in stored)


@pytest.mark.parametrize("client", [AGENT, NOBODY])
@pytest.mark.parametrize("found", [("same", "same"), ("one", "other")])
@pytest.mark.parametrize("staggered", [True, False])
def test_equal_conversations_stay_apart(client: ClientMark, found: tuple[str, str], *, staggered: bool) -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        first, second = proxied.ask([PROMPT], client), proxied.ask([PROMPT], client)
        asked = [[PROMPT, call(name), result(name, text)] for name, text in zip("ab", found, strict=True)]
        proxied.answered(first, call("a"), client=client)
        if not staggered:
            proxied.answered(second, call("b"), client=client)
        first = proxied.ask(asked[0], client)
        if staggered:
            proxied.answered(second, call("b"), client=client)
        second = proxied.ask(asked[1], client)
        proxied.answered(first, assistant("end of a"), client=client)
        proxied.answered(second, assistant("end of b"), client=client)
        for messages, end in zip(asked, "ab", strict=True):
            proxied.exchange([*messages, assistant(f"end of {end}"), user(f"more {end}")], assistant(end), client)
        ways = [[text, f"end of {end}", f"more {end}", end] for text, end in zip(found, "ab", strict=True)]
        assert endings(proxied) == sorted(ways)


def test_a_sub_agent_asks_for_no_other_answer() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        both = [proxied.ask([PROMPT], AGENT) for _ in range(2)]
        for name, asked in zip("ab", both, strict=True):
            proxied.answered(asked, call(name), client=AGENT)
        for name in "ab":  # the second one comes when the first has its answer
            proxied.exchange([PROMPT, call(name), result(name, "same")], assistant(f"end of {name}"), AGENT)
        assert endings(proxied) == [["same", "end of a"], ["same", "end of b"]]


def test_another_answer_is_a_branch_beside_an_equal_conversation_that_went_on() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        for _ in range(2):
            proxied.exchange([PROMPT], call("a"))
        asked = [PROMPT, call("a"), result("a", "same")]
        proxied.exchange(asked, assistant("no"))
        proxied.exchange(asked, assistant("yes"))
        assert endings(proxied) == [[], ["same", "no", "edit-1: yes"]]


@pytest.mark.parametrize("failing", [1, 2])
def test_of_equal_first_messages_one_that_failed_is_tried_again(failing: int) -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        both = [proxied.ask([PROMPT]) for _ in range(2)]
        for asked in both[:failing]:
            proxied.answered(asked, complete=False)
        tried = [proxied.ask([PROMPT], headers=RETRY) for _ in range(failing)]
        for name, asked in zip("ab", [*tried, *both[failing:]], strict=True):
            proxied.answered(asked, call(name))
            proxied.exchange([PROMPT, call(name), result(name, name)], assistant("done"))
        assert endings(proxied) == [["a", "done"], ["b", "done"]]
