"""What is kept of a chat when the memory fails after its question is stored."""

import io
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

import pytest

from clew import Memory
from clew.config import ServeConfig
from clew.errors import StoreCorrupt, StoreError
from clew.serve.access import Principal
from clew.serve.event_log import EventLog
from clew.serve.metrics import Metrics
from clew.serve.proxy.chats import Chat, ChatTicket, PreparedChat, Unchanged
from clew.serve.proxy.economy.ledger import read_ledger
from clew.serve.proxy.headers import RequestOptions
from clew.serve.proxy.kept_answer import KeptAnswer
from clew.serve.proxy.pipeline import Pipeline
from clew.serve.proxy.prepare import SafePreparation
from clew.serve.proxy.wires import wire_of
from clew.serve.spaces import Spaces
from clew.store.memory import MemoryStore
from clew.store.protocol import Committed, Transaction
from clew.store.tables import INJECTION
from clew.types import Turn
from tests.support.memories import empty_store, quiet

T = TypeVar("T")

PATH = "/v1/chat/completions"
ASKED = json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": "Which tea?"}]}).encode()
SAID = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Green."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1000, "completion_tokens": 10},
}


class WithBug(Pipeline):
    """A pipeline that stores questions, and then fails."""

    def add(self, chat: Chat, stored: PreparedChat) -> PreparedChat:
        raise ZeroDivisionError((chat, stored))


def exchange(memory: Memory) -> PreparedChat:
    """A chat and its answer through a pipeline with a bug."""
    wire = wire_of("POST", PATH)
    assert wire is not None
    spaces = Spaces(lambda _: memory)
    events = EventLog(lambda: datetime(2026, 3, 1, tzinfo=UTC), io.StringIO())
    preparation = SafePreparation(WithBug(spaces, ServeConfig()), spaces, events, Metrics())
    chat = Chat(wire, PATH, {}, ASKED, "", Principal("default"), RequestOptions(), ChatTicket())
    prepared = preparation.prepare(chat)
    answer = KeptAnswer(200, [], 10_000)
    answer.take(json.dumps(SAID).encode())
    preparation.after(chat, prepared, answer)()
    return prepared


class Disk(MemoryStore):
    """A store whose disk the test holds up, or lets fail."""

    def __init__(self) -> None:
        super().__init__()
        self.ready = threading.Event()
        self.error: StoreError | None = None
        self.asked = threading.Event()

    def committed(self, work: Callable[[Transaction], T]) -> Committed[T]:
        return Committed(self.transaction(work), self._wait)

    def _wait(self) -> None:
        self.asked.set()
        assert self.ready.wait(30)
        if self.error is not None:
            raise self.error


def preparation_of(memory: Memory, log: io.StringIO) -> SafePreparation:
    spaces = Spaces(lambda _: memory)
    events = EventLog(lambda: datetime(2026, 3, 1, tzinfo=UTC), log)
    return SafePreparation(Pipeline(spaces, ServeConfig()), spaces, events, Metrics())


def asked_chat(session: str | None = None) -> Chat:
    wire = wire_of("POST", PATH)
    assert wire is not None
    options = RequestOptions(session=session)
    return Chat(wire, PATH, {}, ASKED, "", Principal("default"), options, ChatTicket())


def prepared_on(disk: Disk, memory: Memory, log: io.StringIO) -> PreparedChat:
    """A chat about what is stored, prepared while the disk is held up; it must not get through before."""
    preparation, chat = preparation_of(memory, log), asked_chat()
    with ThreadPoolExecutor(1) as pool:
        preparing = pool.submit(preparation.prepare, chat)
        assert disk.asked.wait(30)
        assert memory.turns(session=None)[-1].text == "Which tea?"
        with memory.reads.store.snapshot() as reader:
            assert not INJECTION.scan(reader, (memory.space,), (memory.space,))
        assert not preparing.done()
        assert chat.ticket.give_up(), "nobody has taken the ticket, so a slow disk costs the patience at most"
        chat.ticket._given_up = False
        disk.ready.set()
        return preparing.result(30)


@pytest.mark.requirement("P-BYTE-01")
def test_a_question_goes_on_when_it_is_on_the_disk() -> None:
    disk, log = Disk(), io.StringIO()
    disk.migrate()
    with quiet(disk) as memory:
        memory.add(Turn(role="user", content="The best tea is green tea.", session="old"))
        prepared = prepared_on(disk, memory, log)
        assert prepared.unchanged is None
        assert b"green tea" in (prepared.body or b"")
        with memory.reads.store.snapshot() as reader:
            assert len(INJECTION.scan(reader, (memory.space,), (memory.space,))) == 1


@pytest.mark.requirement("P-BYTE-01")
def test_a_disk_that_fails_lets_the_request_go_on_as_it_came() -> None:
    disk, log = Disk(), io.StringIO()
    disk.migrate()
    with quiet(disk) as memory:
        memory.add(Turn(role="user", content="The best tea is green tea.", session="old"))
        disk.error = StoreError("the disk failed")
        prepared = prepared_on(disk, memory, log)
        assert (prepared.unchanged, prepared.body, prepared.receipt) == (Unchanged.ERROR, None, None)
        assert "failed-open" in log.getvalue()
        with memory.reads.store.snapshot() as reader:
            assert not INJECTION.scan(reader, (memory.space,), (memory.space,))


@pytest.mark.requirement("P-REV-32")
def test_a_request_that_is_sent_again_waits_for_the_disk_as_the_first_one_does() -> None:
    disk = Disk()
    disk.migrate()
    with quiet(disk) as memory, ThreadPoolExecutor(2) as pool:
        preparation = preparation_of(memory, io.StringIO())
        first = pool.submit(preparation.prepare, asked_chat("s"))
        assert disk.asked.wait(30)
        disk.asked.clear()
        again = pool.submit(preparation.prepare, asked_chat("s"))
        assert disk.asked.wait(60), "its words are committed, and nobody knows yet whether they are on the disk"
        assert not again.done()
        disk.error = StoreError("the disk failed")
        disk.ready.set()
        assert [each.result(30).unchanged for each in (first, again)] == [Unchanged.ERROR] * 2
        assert preparation.prepare(asked_chat("s")).unchanged is Unchanged.ERROR
        disk.error = None
        assert preparation.prepare(asked_chat("s")).unchanged is None


@pytest.mark.requirement("P-RLY-44")
def test_the_answer_and_its_cost_are_kept_when_the_memory_fails_after_the_question_is_stored() -> None:
    with quiet() as memory:
        prepared = exchange(memory)
        assert (prepared.body, prepared.receipt, prepared.unchanged) == (None, None, Unchanged.ERROR)
        assert [turn.text for turn in memory.turns()] == ["Which tea?", "Green."]
        with memory.reads.store.snapshot() as reader:
            total = read_ledger(reader, memory.space).total
        assert (total.requests, total.failed, total.input, total.output) == (1, 1, 1000, 10)
        assert total.cost == total.cost_without > 0


@pytest.mark.requirement("SRV-STOP-01")
@pytest.mark.parametrize("stops", [True, False])
def test_a_memory_that_a_stop_has_closed_is_no_failure(stops: bool) -> None:  # a column
    log = io.StringIO()
    with quiet() as memory:
        spaces, metrics = Spaces(lambda _: memory), Metrics()
        events = EventLog(lambda: datetime(2026, 3, 1, tzinfo=UTC), log)
        preparation = SafePreparation(Pipeline(spaces, ServeConfig()), spaces, events, metrics)
        if stops:
            preparation.stop()
        spaces.close()
        prepared = preparation.prepare(asked_chat())
    assert prepared.unchanged is (Unchanged.STOPPING if stops else Unchanged.ERROR)
    assert prepared.body is None
    assert [json.loads(line)["event"] for line in log.getvalue().splitlines()] == [
        "stopping" if stops else "failed-open"
    ]
    assert ("clew_failed_open_total{" in metrics.text({})) is not stops


def asking(words: str, session: str) -> Chat:
    """A chat of one question."""
    chat = asked_chat(session)
    return replace(chat, raw=json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": words}]}).encode())


@pytest.mark.requirement("F-READING-02")
def test_a_question_is_asked_of_what_was_there_before_it() -> None:
    with quiet() as memory:
        memory.add(Turn(role="user", content="The best tea is green tea.", session="old"))
        preparation = preparation_of(memory, io.StringIO())
        first = preparation.prepare(asking("Which tea is the best?", "a"))
        second = preparation.prepare(asking("Which tea is the best?", "b"))
    for prepared, known in ((first, 1), (second, 2)):
        assert prepared.remembered is not None
        assert prepared.remembered.before is not None
        assert (len(prepared.remembered.before.turns.ordinal), prepared.unchanged) == (known, None)
        assert b"green tea" in (prepared.body or b"")


@pytest.mark.requirement("F-READING-02")
def test_a_question_that_counts_from_itself_sees_itself() -> None:
    with quiet() as memory:
        memory.add(Turn(role="user", content="Our tea was oolong.", session="oldest"))
        memory.add(Turn(role="user", content="Our tea was green.", session="old"))
        prepared = preparation_of(memory, io.StringIO()).prepare(asking("Which tea in our previous chat?", "new"))
        assert prepared.receipt is not None
        receipt = memory.explain(prepared.receipt)
    assert receipt.understood["places"][0]["turns"] == ["old:turn:0 to 0", "new:turn:0 to 0"]
    assert receipt.considered == 3


@pytest.mark.requirement("F-READING-02")
def test_after_an_answer_the_next_question_finds_the_index_ready() -> None:
    with quiet() as memory:
        memory.add(Turn(role="user", content="The best tea is green tea.", session="old"))
        chat, preparation = asked_chat("s"), preparation_of(memory, io.StringIO())
        prepared = preparation.prepare(chat)
        answer = KeptAnswer(200, [], 10_000)
        answer.take(json.dumps(SAID).encode())
        preparation.after(chat, prepared, answer)()
        view = memory.reads.live.view()
        assert [int(seq) for seq in view.turns.seq] == [0, 0, 1]
        assert view.norms, "the lengths that word scores need are computed with the answer"


@pytest.mark.requirement("F-READING-02", "SRV-QUIET-01")
def test_of_several_answers_that_are_stored_the_last_one_makes_the_index_ready() -> None:
    with quiet() as memory:
        memory.add(Turn(role="user", content="The best tea is green tea.", session="old"))
        preparation, remains = preparation_of(memory, io.StringIO()), []
        for name in ("s", "t"):
            chat, answer = asked_chat(name), KeptAnswer(200, [], 10_000)
            answer.take(json.dumps(SAID).encode())
            remains.append(preparation.after(chat, preparation.prepare(chat), answer))
        remains[0]()
        assert not memory.reads.live.view().norms, "the other answer would have it made again"
        remains[1]()
        assert memory.reads.live.view().norms


@pytest.mark.requirement("P-RLY-41")
def test_an_answer_that_was_stored_does_not_hide_what_failed_while_the_disk_was_waited_for() -> None:
    disk = Disk()
    disk.migrate()
    disk.ready.set()
    with quiet(disk) as memory:
        spaces = Spaces(lambda _: memory)
        events = EventLog(lambda: datetime(2026, 3, 1, tzinfo=UTC), io.StringIO())
        preparation = SafePreparation(Pipeline(spaces, ServeConfig()), spaces, events, Metrics())
        chat, answer = asked_chat("s"), KeptAnswer(200, [], 10_000)
        answer.take(json.dumps(SAID).encode())
        remains = preparation.after(chat, preparation.prepare(chat), answer)
        disk.asked.clear()
        disk.ready.clear()
        with ThreadPoolExecutor(1) as pool:
            finishing = pool.submit(remains)
            assert disk.asked.wait(30)
            spaces.failed("default", StoreCorrupt("broken"))
            disk.ready.set()
            finishing.result(30)
        assert spaces.broken() == {"default": "StoreCorrupt"}
        again = asked_chat("t")
        assert preparation.prepare(again).unchanged is None
        assert spaces.broken() == {}


@pytest.mark.requirement("F-READING-02")
def test_a_question_is_stored_also_when_the_index_cannot_be_read() -> None:
    store = empty_store()
    with quiet(store) as memory:
        memory.add(Turn(role="user", content="The best tea is green tea.", session="old"))
        memory.drain()
    store.transaction(lambda tx: tx.put("tail", [("default", 0, b"\1 no entry")]))
    log = io.StringIO()
    with quiet(store) as memory:
        prepared = preparation_of(memory, log).prepare(asked_chat("s"))
        assert (prepared.unchanged, prepared.body) == (Unchanged.ERROR, None)
        assert [turn.text for turn in memory.turns("s")] == ["Which tea?"]
    assert "failed-open" in log.getvalue()
