"""A virtual window and the ledger through the whole proxy: what goes upstream fits, is valid, and is accounted for."""

import base64
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
from tests.support.chat_requests import LISTS
from tests.support.proxies import RunningProxy, proxy
from tests.support.raw_upstreams import ask, post, split
from tests.support.wire_talks import Event, Said, Used, written

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


IMAGE = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x02\x00\x00\x00\x02\x00\x08\x02\x00\x00\x00" + b"\x00" * 3000
).decode()
IMAGES = {
    "anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": IMAGE}},
    "openai": {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE}"}},
    "responses": {"type": "input_image", "image_url": f"data:image/png;base64,{IMAGE}"},
    "gemini": {"inlineData": {"mimeType": "image/png", "data": IMAGE}},
}
PATHS = {
    "anthropic": PATH,
    "openai": "/openai/v1/chat/completions",
    "responses": "/openai/v1/responses",
    "gemini": "/gemini/v1beta/models/gemini-2.5-flash:generateContent",
}
REST: dict[str, dict[str, Any]] = {
    "anthropic": {"model": "claude-opus-4-1", "max_tokens": 200},
    "openai": {"model": "gpt-5"},
    "responses": {"model": "gpt-5", "store": False},
    "gemini": {},
}


def worked_on(wire: str, rounds: int) -> list[dict[str, Any]]:
    """A history of a coding agent: questions with images, calls in parallel of which some failed, long results."""
    events: list[Event] = []
    for number in range(rounds):
        results = [f"result {number}.{place}: " + "a line of the file\n" * (20 + 60 * place) for place in range(3)]
        calls = tuple(("Read", f"src/{number}-{place}.py", text) for place, text in enumerate(results))
        events += [
            Said("user", f"Question {number}: why does the build of part {number} fail?"),
            Used(calls, "Let me look.", failed=number % 3 == 0),
            Used(calls[: 1 + number % 2]),
            Said("assistant", f"Part {number} lacks a port. " * 20),
        ]
    messages = written([*events, Said("user", "What next?")], wire)
    for message in messages:
        parts: Any = message.get("parts", message.get("content"))
        if message.get("role") == "user" and "Question" in json.dumps(parts):
            words = [{"type": "text", "text": parts}] if isinstance(parts, str) else list(parts)
            message["parts" if wire == "gemini" else "content"] = [*words, IMAGES[wire]]
    return messages


@pytest.mark.requirement("S-LINE-10")
@pytest.mark.parametrize("wire", sorted(PATHS))
@pytest.mark.parametrize("is_broken", [False, True])
def test_requests_of_every_format_stay_valid(wire: str, is_broken: bool, tmp_path: Path) -> None:
    def broken(space: str) -> Memory:
        raise StoreError(f"the disk of {space} is gone; mount it")

    upstream = ScriptedUpstream(in_turn([f"Answer {number}." for number in range(20)]))
    keys = (*KEYS, b"authorization: Bearer k", b"x-goog-api-key: k", b"x-clew-session: workshop")
    opening = broken if is_broken else in_home(tmp_path)
    with upstream.serving() as url, proxy(url, opening, window=WINDOW) as server:
        for rounds in (1, 2, 3, 5, 8, 12):
            body = {**REST[wire], LISTS[wire]: worked_on(wire, rounds)}
            status, _, answer = split(ask(server.url, post(PATHS[wire], json.dumps(body).encode(), *keys)))
            assert status == 200, answer
    sent = json.loads(upstream.chats()[-1].body)[LISTS[wire]]
    assert len(sent) < len(worked_on(wire, 12))
    assert "What next?" in json.dumps(sent[-1])


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
