"""A virtual window and the ledger through the whole proxy: what goes upstream fits, is valid, and is accounted for."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew import Memory
from clew.condense.wires import WIRES
from clew.errors import StoreError
from clew.serve.proxy.economy.ledger import Spent, read_ledger
from clew.serve.scripted.script import Fault, FaultKind, Reply, in_turn
from clew.serve.scripted.server import ScriptedUpstream
from tests.e2e.test_proxy_chats import KEYS
from tests.e2e.test_proxy_stores import eventually, in_home
from tests.proxies import RunningProxy, proxy
from tests.raw_upstreams import ask, post, split

PATH = "/anthropic/v1/messages"
WINDOW = 6_000


def request_of(rounds: int) -> dict[str, Any]:
    """A conversation as a client with marks sends it, a question at its end."""
    messages: list[dict[str, Any]] = []
    for number in range(rounds):
        text = f"Question {number}: what about shelf {number} of the workshop? " + "Tell me more. " * 20
        messages.append({"role": "user", "content": [{"type": "text", "text": text}]})
        told = f"Shelf {number} holds {number + 3} boxes of screws. " + "They are sorted by size. " * 20
        messages.append({"role": "assistant", "content": [{"type": "text", "text": told}]})
    last = {"type": "text", "text": "What next?", "cache_control": {"type": "ephemeral"}}
    system = [{"type": "text", "text": "You help in a workshop.", "cache_control": {"type": "ephemeral"}}]
    messages.append({"role": "user", "content": [last]})
    return {"model": "claude-opus-4-1", "max_tokens": 200, "system": system, "messages": messages}


def chat(server: RunningProxy, value: dict[str, Any], *headers: bytes) -> None:
    sent = post(PATH, json.dumps(value).encode(), *KEYS, b"x-clew-session: workshop", *headers)
    status, _, body = split(ask(server.url, sent))
    assert status == 200, body


def total(memory: Memory) -> Spent:
    with memory.reads.store.snapshot() as reader:
        return read_ledger(reader, memory.space).total


@pytest.mark.requirement("P-ECO-16", "P-ECO-17")
def test_a_conversation_longer_than_the_window_goes_on(tmp_path: Path) -> None:
    upstream = ScriptedUpstream(in_turn([f"Answer {number}." for number in range(60)]))
    with upstream.serving() as url, proxy(url, in_home(tmp_path), window=WINDOW) as server:
        for rounds in range(2, 42, 2):
            chat(server, request_of(rounds))
        memory = server.services.spaces.get("default")
        eventually(lambda: len(memory.sessions()), 1)
        eventually(lambda: total(memory).requests, 20)
        spent = total(memory)
    bodies = [json.loads(request.body) for request in upstream.chats()]
    assert len(bodies) == 20
    for body in bodies:
        assert WIRES["anthropic"].problems(body["messages"]) == []
        assert len(json.dumps(body)) / 4 < 1.15 * WINDOW
        assert body["messages"][-1]["content"][0]["text"] == "What next?"
    assert len(bodies[-1]["messages"]) < 81
    assert spent.cost > 0


@pytest.mark.requirement("P-ECO-15")
def test_without_its_memory_a_request_is_cut_to_the_window_and_marked(tmp_path: Path) -> None:
    def broken(space: str) -> Memory:
        raise StoreError(f"the disk of {space} is gone; mount it")

    upstream = ScriptedUpstream(in_turn(["Answer."]))
    with upstream.serving() as url, proxy(url, broken, window=WINDOW) as server:
        chat(server, request_of(40))
    (request,) = upstream.chats()
    body = json.loads(request.body)
    assert WIRES["anthropic"].problems(body["messages"]) == []
    assert len(json.dumps(body)) / 4 < 1.15 * WINDOW
    assert "Clew left out the" in body["messages"][0]["content"][0]["text"]
    assert body["messages"][-1] == request_of(40)["messages"][-1]


@pytest.mark.requirement("P-ECO-13")
def test_a_row_is_kept_of_each_request(tmp_path: Path) -> None:
    upstream = ScriptedUpstream(in_turn(["Answer."]))
    with upstream.serving() as url, proxy(url, in_home(tmp_path)) as server:
        chat(server, request_of(3))
        memory = server.services.spaces.get("default")

        def logged() -> list[int]:
            with memory.reads.store.snapshot() as reader:
                return [each.requests for each in read_ledger(reader, memory.space).models]

        eventually(logged, [1])
        with memory.reads.store.snapshot() as reader:
            (spent,) = read_ledger(reader, memory.space).models
    assert spent.name == "claude-opus-4-1"
    assert spent.input > 0
    assert spent.output > 0
    assert spent.cost > 0
    assert spent.saved == 0


@pytest.mark.requirement("P-ECO-15")
def test_an_incognito_request_is_cut_as_well_and_leaves_room_for_tools(tmp_path: Path) -> None:
    upstream = ScriptedUpstream(in_turn(["Answer.", "Answer."]))
    with upstream.serving() as url, proxy(url, in_home(tmp_path), window=WINDOW) as server:
        chat(server, request_of(40), b"x-clew-incognito: on")
        chat(server, request_of(40), b"x-clew-tools: on")
    for request in upstream.chats():
        body = json.loads(request.body)
        assert WIRES["anthropic"].problems(body["messages"]) == []
        assert len(json.dumps(body)) / 4 < 1.15 * WINDOW
    assert len(json.loads(upstream.chats()[1].body)["tools"]) > 3


@pytest.mark.requirement("P-ECO-13")
@pytest.mark.parametrize("kind", [FaultKind.RATE_LIMIT, FaultKind.HTML_ERROR, FaultKind.RESET_BEFORE])
def test_a_request_without_an_answer_costs_nothing_and_counts_as_failed(kind: FaultKind, tmp_path: Path) -> None:
    upstream = ScriptedUpstream(in_turn([Reply(fault=Fault(kind)), "Answer."]))
    with upstream.serving() as url, proxy(url, in_home(tmp_path)) as server:
        ask(server.url, post(PATH, json.dumps(request_of(3)).encode(), *KEYS))
        memory = server.services.spaces.get("default")
        eventually(lambda: total(memory).requests, 1)
        spent = total(memory)
    assert (spent.failed, spent.cost, spent.saved, spent.block_tokens) == (1, 0.0, 0.0, 0)
