"""What the proxy reads for a question that opens a chat, and that it knows a paused one all the same."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from clew.config import ServeConfig
from clew.memory import Memory
from clew.serve.access import Principal
from clew.serve.event_log import EventLog
from clew.serve.metrics import Metrics
from clew.serve.proxy.chats import Chat, ChatTicket, PreparedChat
from clew.serve.proxy.headers import RequestOptions
from clew.serve.proxy.pipeline import Pipeline
from clew.serve.proxy.prepare import SafePreparation
from clew.serve.proxy.wires import wire_of
from clew.serve.spaces import Spaces
from clew.store.memory import MemoryStore
from clew.store.protocol import Reader
from tests.memories import quiet, told
from tests.proxy_talks import Message, assistant, user

PATH = "/v1/chat/completions"
QUESTION = "What is the TTL of the price cache?"


class CountingStore(MemoryStore):
    """Counts its snapshots."""

    def __init__(self) -> None:
        super().__init__()
        self.snapshots = 0

    @contextmanager
    def snapshot(self) -> Iterator[Reader]:
        """One more."""
        self.snapshots += 1
        with super().snapshot() as reader:
            yield reader


class Server:
    """The proxy's threads without its network."""

    def __init__(self, memory: Memory) -> None:
        spaces = Spaces(lambda _: memory)
        events = EventLog(lambda: datetime(2026, 3, 1, tzinfo=UTC), io.StringIO())
        self.preparation = SafePreparation(Pipeline(spaces, ServeConfig()), spaces, events, Metrics())

    def prepared(self, *messages: Message, session: str | None = None) -> PreparedChat:
        """What goes upstream."""
        wire = wire_of("POST", PATH)
        assert wire is not None
        body = json.dumps({"model": "m", "messages": messages}).encode()
        options = RequestOptions(session=session)
        return self.preparation.prepare(Chat(wire, PATH, {}, body, "", Principal("default"), options, ChatTicket()))


@pytest.mark.requirement("P-IDN-12")
def test_a_question_that_opens_a_chat_is_answered_from_two_states_of_the_store() -> None:
    store = CountingStore()
    store.migrate()
    with quiet(store) as memory:
        memory.add(told("The TTL of the price cache is 60 seconds.", session="s"))
        memory.drain()
        server = Server(memory)
        server.prepared(user(QUESTION))  # reads what is kept from then on
        memory.drain()
        memory.reads.refresh()
        before = store.snapshots
        sent = server.prepared(user("Which TTL has the cache of prices?"))
        assert b"60 seconds" in (sent.body or b"")
        assert store.snapshots - before == 2  # to find the conversation, and to recall


@pytest.mark.requirement("P-IDN-12")
def test_a_chat_that_was_paused_is_left_alone_also_when_it_has_no_turn_yet() -> None:
    with quiet() as memory:
        memory.add(told("The TTL of the price cache is 60 seconds.", session="s"))
        server = Server(memory)
        memory.pause("mine")
        sent = server.prepared(user(QUESTION), session="mine")
        assert (sent.body, sent.incognito, sent.session) == (None, True, None)
        memory.resume("mine")
        first = server.prepared(user("Which TTL has the cache?"), session="mine")
        assert b"60 seconds" in (first.body or b"")
        memory.pause("mine")
        later = server.prepared(
            user("Which TTL has the cache?"), assistant("60 seconds."), user("And of prices?"), session="mine"
        )
        assert (later.body, later.incognito) == (None, True)
