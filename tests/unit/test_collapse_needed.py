"""Calls and results that what stays in the list depends on: they stay as well."""

from typing import Any

import pytest

from clew.condense.chains import collapse
from clew.condense.wires import wire
from clew.text.counters import counter

pytestmark = pytest.mark.requirement("CHAIN-STAY-01")
ANTHROPIC = wire("anthropic")
LONG = [{"type": "text", "text": "line\n" * 400}]
Message = dict[str, Any]


def round_of(name: str, *, beside: list[Message] | None = None, content: Any = LONG, **call: Any) -> list[Message]:
    use = {"type": "tool_use", "id": name, "name": "Read", "input": {"path": name}, **call}
    result = {"type": "tool_result", "tool_use_id": name, "content": content}
    return [{"role": "assistant", "content": [*(beside or []), use]}, {"role": "user", "content": [result]}]


def talk(odd: list[Message]) -> list[Message]:
    """An odd round between two plain ones."""
    ask = {"role": "user", "content": "Why does the build fail?"}
    return [ask, *round_of("first"), *odd, *round_of("last"), {"role": "assistant", "content": "The port is taken."}]


SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
LOADED = [{"type": "tool_reference", "tool_name": "mcp__mail__send"}, *LONG]
BY_CODE = {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}


@pytest.mark.parametrize(
    "odd",
    [
        round_of("odd", content=LOADED),
        round_of("odd", caller=BY_CODE),
        round_of("odd", beside=[SEARCH]),
    ],
    ids=["a result that loads a tool", "a call by the provider's code", "a call beside a search without its result"],
)
def test_what_the_rest_depends_on_stays_and_its_neighbours_leave(odd: list[Message]) -> None:
    short, chains = collapse(talk(odd), ANTHROPIC, counter(), protected=0)
    assert [each for each in short if each in odd] == odd
    assert len(chains) == 2


@pytest.mark.parametrize(
    "plain",
    [
        round_of("plain", caller={"type": "direct"}),
        round_of("plain", beside=[SEARCH, FOUND]),
        round_of("plain", content="Loaded mcp__mail__send." * 100),
    ],
    ids=["a call by the model", "a call beside a search with its result", "a result that only names a tool"],
)
def test_what_nothing_depends_on_leaves(plain: list[Message]) -> None:
    short, _ = collapse(talk(plain), ANTHROPIC, counter(), protected=0)
    assert plain[1] not in short
    assert ANTHROPIC.problems(short) == []
