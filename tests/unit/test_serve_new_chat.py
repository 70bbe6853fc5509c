"""What the proxy reads for a question that opens a chat, and that it knows a paused one all the same."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar, cast

import pytest

from clew.config import ServeConfig
from clew.memory import Memory
from clew.serve.access import Principal
from clew.serve.event_log import EventLog
from clew.serve.metrics import Metrics
from clew.serve.proxy.chats import Chat, ChatTicket, PreparedChat
from clew.serve.proxy.headers import RequestOptions
from clew.serve.proxy.kept_answer import KeptAnswer
from clew.serve.proxy.pipeline import Pipeline
from clew.serve.proxy.prepare import SafePreparation
from clew.serve.proxy.wires import wire_of
from clew.serve.spaces import Spaces
from clew.store.memory import MemoryStore
from clew.store.protocol import Committed, Reader, Transaction
from tests.support.calls import Call, observed
from tests.support.memories import quiet, told
from tests.support.proxy_talks import Message, assistant, user

PATH = "/v1/chat/completions"
QUESTION = "What is the TTL of the price cache?"
SAID = {"id": "c", "model": "m", "choices": [{"message": assistant("A minute."), "finish_reason": "stop"}]}

T = TypeVar("T")


class CountingReader:
    """A reader that counts what it is asked for."""

    def __init__(self, reader: Reader, asked: list[str]) -> None:
        self._reader, self._asked = reader, asked

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._reader, name)
        return self._noted(found) if name in ("get", "get_many", "scan", "scan_many", "count") else found

    def _noted(self, ask: Callable[..., T]) -> Callable[..., T]:
        def noted(table: str, *more: Any, **named: Any) -> T:
            self._asked.append(table)
            return ask(table, *more, **named)

        return noted


class CountingStore(MemoryStore):
    """Counts its snapshots and what they are asked for, and does something before the disk is waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.snapshots = 0
        self.asked: list[str] = []
        self.before_disk: Callable[[], None] = lambda: None

    @contextmanager
    def snapshot(self) -> Iterator[Reader]:
        """One more."""
        self.snapshots += 1
        with super().snapshot() as reader:
            yield cast(Reader, CountingReader(reader, self.asked))

    def committed(self, work: Callable[[Transaction], T]) -> Committed[T]:
        """As `transaction`, on a disk that is not there yet."""
        return Committed(self.transaction(work), self._wait)

    def _wait(self) -> None:
        self.before_disk()


class Server:
    """The proxy's threads without its network."""

    def __init__(self, memory: Memory) -> None:
        spaces = Spaces(lambda _: memory)
        events = EventLog(lambda: datetime(2026, 3, 1, tzinfo=UTC), io.StringIO())
        self.preparation = SafePreparation(Pipeline(spaces, ServeConfig()), spaces, events, Metrics())

    def prepared(self, *messages: Message, session: str | None = None) -> PreparedChat:
        """What goes upstream."""
        return self.preparation.prepare(asking(*messages, session=session))

    def answered(self, chat: Chat, prepared: PreparedChat) -> Callable[[], None]:
        """Stores an answer; gives what remains to be done."""
        answer = KeptAnswer(200, [], 10_000)
        answer.take(json.dumps(SAID).encode())
        return self.preparation.after(chat, prepared, answer)


def asking(*messages: Message, session: str | None = None) -> Chat:
    wire = wire_of("POST", PATH)
    assert wire is not None
    body = json.dumps({"model": "m", "messages": messages}).encode()
    return Chat(wire, PATH, {}, body, "", Principal("default"), RequestOptions(session=session), ChatTicket())


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
        memory.parts.worker.stop()  # who looks for work now and then
        memory.reads.refresh()
        before = store.snapshots
        sent = server.prepared(user("Which TTL has the cache of prices?"))
        assert b"60 seconds" in (sent.body or b"")
        assert store.snapshots - before == 2  # to find the conversation, and to recall


@pytest.mark.requirement("SRV-THREADS-01")
def test_a_question_wakes_no_work_behind_the_scenes_and_its_answer_does() -> None:
    with quiet(CountingStore()) as memory:
        server, loop, chat = Server(memory), memory.parts.worker._loop, asking(user(QUESTION))
        before = loop._woken
        prepared = server.preparation.prepare(chat)
        assert prepared.session is not None
        assert loop._woken == before
        server.answered(chat, prepared)()
        assert loop._woken > before


@pytest.mark.requirement("P-IDN-12")
def test_an_answer_is_stored_by_what_its_question_told_and_leaves_nothing_for_the_next_one_to_read() -> None:
    store = CountingStore()
    store.migrate()
    with quiet(store) as memory:
        memory.add(told("The TTL of the price cache is 60 seconds.", session="s"))
        memory.drain()
        memory.parts.worker.stop()  # whose writing would have the next question look again
        server = Server(memory)
        chat = asking(user(QUESTION))
        prepared = server.preparation.prepare(chat)
        before = store.snapshots
        remains = server.answered(chat, prepared)
        assert store.snapshots == before
        assert [turn.text for turn in memory.turns()][-1] == "A minute."
        remains()
        before = store.snapshots
        sent = server.prepared(user("Which TTL has the cache of prices?"))
        assert b"60 seconds" in (sent.body or b"")
        assert store.snapshots - before == 2


@pytest.mark.requirement("P-RLY-61")
def test_a_question_that_goes_on_is_answered_from_three_states_and_few_statements() -> None:
    store = CountingStore()
    store.migrate()
    with quiet(store) as memory:
        memory.add(told("The TTL of the price cache is 60 seconds.", session="s"))
        memory.drain()
        memory.parts.worker.stop()  # whose writing would have the next question look again
        server = Server(memory)
        history = [user(QUESTION)]
        chat = asking(*history)
        server.answered(chat, server.preparation.prepare(chat))()
        history += [assistant("A minute."), user("Which TTL has the cache of prices?")]
        before = store.snapshots
        store.asked.clear()
        sent = server.prepared(*history)
        assert sent.body is not None
        assert store.snapshots - before == 3  # the conversation, blocks with held calls, and to recall
        assert store.asked.count("injection") == 1
        assert store.asked.count("message") <= 3  # the question, the answer before it, and an edit of the question


@pytest.mark.requirement("P-RLY-61")
def test_lines_that_may_be_of_a_summary_are_looked_up_at_once() -> None:
    store = CountingStore()
    store.migrate()
    with quiet(store) as memory:
        memory.add(told("The TTL of the price cache is 60 seconds.", session="s"))
        memory.drain()
        server = Server(memory)
        server.prepared(user(QUESTION))
        lines = "\n".join(f"Line {number} of a question that is longer than most lines are." for number in range(9))
        store.asked.clear()
        server.prepared(user(f"{lines}\nWhich TTL has the cache?"))
        assert store.asked.count("message") == 2  # the history, and all of its lines


@pytest.mark.requirement("P-RLY-61")
def test_what_the_worker_wrote_is_read_before_the_next_question() -> None:
    store = CountingStore()
    store.migrate()
    with quiet(store) as memory:
        memory.add(told("The TTL of the price cache is 60 seconds.", session="s"))
        memory.drain()
        memory.parts.worker.stop()  # its steps are made here
        server = Server(memory)
        chat = asking(user(QUESTION))
        server.answered(chat, server.preparation.prepare(chat))()
        version = store.version()
        while memory.parts.worker.step():
            pass
        assert store.version() > version
        store.asked.clear()
        assert b"60 seconds" in (server.prepared(user("Which TTL has the cache of prices?")).body or b"")
        assert not {"lease", "parameter", "pin", "tail", "vector"} & set(store.asked)


def _add_name(names: set[str], call: Call) -> None:
    names.add(call.function.co_name)


@pytest.mark.requirement("P-RLY-61")
def test_what_depends_on_no_question_is_made_once_the_answer_is_stored() -> None:
    once = {"_starts", "announced", "_find_distant", "may_have_marks"}
    with quiet() as memory:
        memory.add_many([told(f"The TTL of price cache {n} is {n} seconds.", session="s") for n in range(40)])
        memory.drain()
        memory.parts.worker.stop()
        server = Server(memory)
        for number in range(3):
            made: set[str] = set()
            chat = asking(user(f"What is the TTL of price cache {number}?"))
            with observed(partial(_add_name, made)):
                prepared = server.preparation.prepare(chat)
            assert b"seconds" in (prepared.body or b"")
            server.answered(chat, prepared)()
        assert not made & once


@pytest.mark.requirement("P-IDN-12")
def test_an_answer_is_taken_into_the_index_while_the_disk_is_at_work() -> None:
    store = CountingStore()
    store.migrate()
    with quiet(store) as memory:
        memory.add(told("The TTL of the price cache is 60 seconds.", session="s"))
        memory.parts.worker.stop()  # it writes to the disk as well
        server = Server(memory)
        chat = asking(user(QUESTION))
        remains = server.answered(chat, server.preparation.prepare(chat))
        ready: list[bool] = []
        store.before_disk = lambda: ready.append(memory.reads.live.version() == store.version())
        remains()
        assert ready == [True]


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
