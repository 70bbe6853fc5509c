"""What a request that only continues a known long chat costs: few calls for each message that it sends again."""

import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest

from clew.config import ServeConfig
from clew.ingest.client_marks import AFTER_EXAMPLES, STAGING
from clew.memory import Memory
from clew.serve.access import Principal
from clew.serve.event_log import EventLog
from clew.serve.metrics import Metrics
from clew.serve.proxy.chats import Chat, ChatTicket, PreparedChat
from clew.serve.proxy.economy.cache_model import LastPrompts, read_prompt
from clew.serve.proxy.economy.prices import price_list
from clew.serve.proxy.economy.prompt_blocks import BlockReader
from clew.serve.proxy.exchange import ChatRequest
from clew.serve.proxy.headers import RequestOptions
from clew.serve.proxy.history.conversation_lookup import hashes
from clew.serve.proxy.history.conversations import Conversations
from clew.serve.proxy.history.message_form import MessageReader, units_of
from clew.serve.proxy.pipeline import Pipeline
from clew.serve.proxy.prepare import SafePreparation
from clew.serve.proxy.wires import wire_of
from clew.serve.spaces import Spaces
from clew.text.counters import counter
from clew.types import Turn
from tests.support.calls import observed
from tests.support.chat_requests import chat_request
from tests.support.effort import examples
from tests.support.memories import quiet
from tests.support.proxy_talks import NOBODY

PATHS = {
    "anthropic": ("/v1/messages", "messages"),
    "openai": ("/v1/chat/completions", "messages"),
    "responses": ("/v1/responses", "input"),
    "gemini": ("/v1beta/models/gemini-2.5-pro:generateContent", "contents"),
}
SHORT, LONG = 60, 360
CALLS = 12
"""Most calls of Python functions for a message that is sent again, the steps of generators included."""


def message(wire: str, role: str, text: str) -> dict[str, Any]:
    if wire == "gemini":
        return {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]}
    return {"role": role, "content": text}


class Program:
    """A program that sends its whole history with every question."""

    def __init__(self, memory: Memory, wire: str) -> None:
        spaces = Spaces(lambda _: memory)
        events = EventLog(lambda: datetime(2026, 3, 1, tzinfo=UTC), io.StringIO())
        self._preparation = SafePreparation(Pipeline(spaces, ServeConfig()), spaces, events, Metrics())
        self._wire, self.messages = wire, list[dict[str, Any]]()

    def says(self, role: str, text: str) -> None:
        self.messages.append(message(self._wire, role, text))

    def asks(self, text: str) -> PreparedChat:
        self.says("user", text)
        path, name = PATHS[self._wire]
        wire = wire_of("POST", path)
        assert wire is not None
        body = json.dumps({"model": "gpt-5", "max_tokens": 1000, name: self.messages}).encode()
        chat = Chat(wire, path, {}, body, "", Principal("default"), RequestOptions(session="long"), ChatTicket())
        prepared = self._preparation.prepare(chat)
        self._preparation.after(chat, prepared, None)()
        return prepared


def calls_to_go_on(wire: str, count: int) -> int:
    """Calls of Python functions that the next question takes in a chat of so many messages."""
    with quiet() as memory:
        memory.add(Turn(role="user", content="The best tea is green tea.", session="old"))
        program, calls = Program(memory, wire), 0

        def note(_: object) -> None:
            nonlocal calls
            calls += 1

        for n in range(count // 2):
            program.says("user", f"Tell me what number {n} is good for.")
            program.says("assistant", f"It is good for {n} things. " + "One of them is counting. " * 20)
        for n in range(3):
            program.asks(f"Which tea is the best for {n}?")
            program.says("assistant", "Green tea.")
        with observed(note):
            prepared = program.asks("And which tea is best at night?")
        assert prepared.unchanged is None
        assert prepared.decision is not None
        return calls


@pytest.mark.requirement("P-RLY-45")
@pytest.mark.parametrize("wire", PATHS)
def test_a_message_that_is_sent_again_costs_few_calls(wire: str) -> None:
    calls_to_go_on(wire, SHORT)  # what is made once in a process, as expressions that are compiled
    short = calls_to_go_on(wire, SHORT)
    more = calls_to_go_on(wire, LONG) - short
    assert more < CALLS * (LONG - SHORT)


def asked(pieces: Sequence[str]) -> ChatRequest:
    """A request with a message for each piece: `u` of the user, `a` an answer, `r` reasoning, and what aider writes."""
    texts = {"s": STAGING[0], "e": AFTER_EXAMPLES}
    kinds: list[dict[str, Any]] = []
    for number, piece in enumerate(pieces):
        if piece == "r":
            kinds.append({"role": "assistant", "content": [{"type": "thinking", "thinking": f"hm {number}"}]})
        else:
            role = "assistant" if piece == "a" else "user"
            kinds.append({"role": role, "content": texts.get(piece, f"{piece} {number}")})
    return chat_request("anthropic", kinds)


@pytest.mark.thorough
@pytest.mark.requirement("P-RLY-45")
@pytest.mark.parametrize("seed", range(examples(10, 40)))
def test_a_history_that_is_read_on_from_an_earlier_one_is_what_it_is_when_read_anew(seed: int) -> None:
    chance = Random(seed)  # noqa: S311 - the same chats on every run
    reader, cache, rules = MessageReader(), LastPrompts(), price_list().rules("openai", "gpt-5")
    kinds = "uuaaar" if seed % 2 else "uuaaarsse"
    pieces = [chance.choice(kinds) for _ in range(40)]
    with quiet() as memory:
        count = counter(memory.config.counter)
        blocks = BlockReader(count)
        memory.add(Turn(role="user", content="The best tea is green tea."))
        conversations = Conversations(memory.parts)
        for _ in range(25):
            at = chance.choice((len(pieces), len(pieces), chance.randrange(len(pieces)), len(pieces) - 2))
            pieces = [*pieces[:at], *(chance.choice(kinds) for _ in range(chance.randrange(1, 5))), *pieces[at + 1 :]]
            request = asked(pieces)
            units = reader.units(request)
            assert units == units_of(request.messages)
            found = conversations.identify(request, NOBODY)
            assert (found.digests, found.chains) == hashes(found.salt, found.units)
            made = blocks.blocks(request)
            assert made == BlockReader(count).blocks(request)
            assert cache.read(rules, "scope", made, "s") == read_prompt(rules, "scope", made)
