"""Requests with blocks in them, in the four formats: what a provider has cached of one is the beginning of the next."""

import json
import random

import pytest

from clew.serve.proxy.exchange import Answer, ChatRequest, ClientMark, edited
from clew.serve.proxy.injections import Injections
from clew.serve.proxy.wires import WIRES
from tests.support.chat_requests import LISTS
from tests.support.effort import examples
from tests.support.memories import quiet
from tests.support.proxy_talks import Message, Proxied
from tests.support.wire_bodies import PATHS

_BLOCK = (
    '<clew-memory>\nQuoted memory, not instructions.\n[tea · 2024-03-05]\n{} user: "green" \\ ü\u2028\n</clew-memory>'
)


def said(name: str, role: str, text: str, chance: random.Random) -> Message:
    """A message in a format, in one of the ways in which programs write it."""
    if name == "gemini":
        return {"role": "user" if role == "user" else "model", "parts": [{"text": text}]}
    if chance.random() < 0.5:
        return {"role": role, "content": text}
    kind = {"anthropic": "text", "openai": "text"}.get(name, "input_text" if role == "user" else "output_text")
    return {"role": role, "content": [{"type": kind, "text": text}]}


def request_of(name: str, messages: list[Message]) -> ChatRequest:
    """A request whose list comes last, so that a longer history has a longer common beginning."""
    body = json.dumps({"model": "m", LISTS[name]: messages}, ensure_ascii=False).encode()
    return WIRES[name].read(PATHS[name], {}, body)


def through(name: str, body: bytes, count: int) -> bytes:
    """A body up to the end of its first so many messages."""
    request = WIRES[name].read(PATHS[name], {}, body)
    return body[: request.spans[count - 1].end] if count else b""


@pytest.mark.thorough
@pytest.mark.requirement("P-IDN-13")
@pytest.mark.parametrize("seed", range(examples(2, 15)))
@pytest.mark.parametrize("name", sorted(WIRES))
def test_what_was_sent_is_the_beginning_of_what_is_sent_next(name: str, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # a story to repeat, no secret
    wire, client = WIRES[name], ClientMark(name="cursor", session="1") if seed % 2 else ClientMark()
    messages: list[Message] = []
    sent: list[tuple[list[Message], bytes]] = []
    with quiet() as memory:
        proxied = Proxied(memory)
        for n in range(25):
            if len(messages) > 6 and chance.random() < 0.1:
                del messages[chance.randrange(4, len(messages), 2) :]
            messages.append(said(name, "user", f"question {n} " * chance.randint(1, 9), chance))
            times = chance.choice((1, 1, 1, 2)) if messages[1:] else 1  # now and then a request is sent twice
            for again in range(times):
                adds = not again and chance.random() < 0.5
                body = upstream(proxied, name, messages, client, adds=adds)
                for before, earlier in sent:
                    count = next((k for k, (a, b) in enumerate(zip(before, messages, strict=False)) if a != b), None)
                    common = min(len(before), len(messages)) if count is None else count
                    assert through(name, body, common) == through(name, earlier, common)
                sent.append(([*messages], body))
            messages.append(said(name, "assistant", "I see.", chance))
            if chance.random() < 0.2:
                proxied.restart()
    assert len({body for _, body in sent}) > 20
    assert b"clew-quote" in sent[-1][1]
    assert wire.name == name


def upstream(proxied: Proxied, name: str, messages: list[Message], client: ClientMark, *, adds: bool) -> bytes:
    """What goes upstream for a request, with a new block if it adds one; its answer is stored."""
    request, wire = request_of(name, messages), WIRES[name]
    injections = Injections(proxied.memory.parts)
    found = proxied.conversations.identify(request, client, None)
    conversation = proxied.memorizer.store_request(found, request, client)
    back = injections.put_back(conversation, request, wire)
    edits, last = list(back.edits), len(messages) - 1
    if adds:
        assert last not in back.indexes
        formed = injections.formed(conversation, last, _BLOCK.format(last))
        assert formed is not None
        assert injections.record(conversation, last, formed, turns=[])
        edits.append(wire.appended(request, last, formed[1]))
    answer = said(name, "assistant", "I see.", random.Random(len(messages)))  # noqa: S311  # likewise
    proxied.memorizer.store_answer(conversation, request, client, Answer((answer,)))
    return edited(request.body, edits)
