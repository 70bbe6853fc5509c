"""What the proxy keeps beside turns goes when it is too old."""

from datetime import timedelta

import pytest

from clew.maintain.proxy_retention import EVERY, MOST, ProxyRetention
from clew.memory import Memory
from clew.rows.conversations import messages_of
from clew.rows.injections import Injection, injections_of, keep_injection
from clew.rows.request_log import logged_requests
from clew.serve.proxy.exchange import ClientMark
from clew.store.memory import MemoryStore
from clew.store.row_types import MetaRow, RequestLogRow
from clew.store.rows import to_us
from clew.store.selections import META_VALUE
from clew.store.tables import CONVERSATION, META, REQUEST_LOG
from clew.testing import FrozenClock
from tests.support.memories import NOON, quiet, told
from tests.support.proxy_talks import Proxied, Talk

pytestmark = pytest.mark.requirement("P-LFT-08")

CODE = ClientMark(name="claude-code", session="0b7f")


def swept(memory: Memory, clock: FrozenClock, days: int = 30) -> int:
    """How many steps a sweep takes."""
    sweep = ProxyRetention(memory.reads.store, memory.space, days, clock)
    steps = 0
    while sweep.step():
        steps += 1
    return steps


def request(number: int, clock: FrozenClock) -> RequestLogRow:
    empty = dict.fromkeys(RequestLogRow._fields)
    row = {**empty, "space": "default", "at": to_us(clock()) + number, "request": f"r{number}", "client": ""}
    return RequestLogRow(**{**row, "wire": "", "model": "", "decision": "", "reason": "", "block_tokens": 0})  # type: ignore[arg-type]  # the rest may be None


def test_hashes_of_an_old_conversation_go_and_a_newer_one_stays() -> None:
    clock = FrozenClock(NOON)
    with quiet(clock=clock) as memory:
        proxied = Proxied(memory)
        old = Talk(proxied).says("which tea?", "green").session
        named = Talk(proxied, client=CODE).says("fix the test", "done").session
        clock.advance(31 * 86_400)
        young = Talk(proxied).says("which cup?", "blue").session
        assert swept(memory, clock) == 2
        with memory.reads.store.snapshot() as reader:
            rows = {row.session: row for row in CONVERSATION.scan(reader, ("default",), ("default",))}
            assert rows.keys() == {named, young}
            assert not messages_of(reader, "default", rows[named].conversation)
            assert len(messages_of(reader, "default", rows[young].conversation)) == 2
        assert proxied.stored(old) == ["which tea?", "green"]


def test_a_pruned_conversation_with_a_name_goes_on_without_doubles() -> None:
    clock = FrozenClock(NOON)
    with quiet(clock=clock) as memory:
        proxied = Proxied(memory)
        talk = Talk(proxied, client=CODE)
        session = talk.says("fix the test", "done").session
        clock.advance(31 * 86_400)
        swept(memory, clock)
        proxied.restart()
        assert talk.says("and the other", "done, too").session == session
        assert proxied.stored(session) == ["fix the test", "done", "and the other", "done, too"]


@pytest.mark.requirement("DOOR-NAME-01")
def test_a_chat_with_a_second_name_is_known_by_it_after_a_sweep() -> None:
    clock = FrozenClock(NOON)
    with quiet(clock=clock) as memory:
        proxied = Proxied(memory)
        talk = Talk(proxied, client=ClientMark("other"))
        session = talk.says("fix the test", "done").session
        talk.client = ClientMark("other", "own-id")
        assert talk.says("and the other", "done, too").session == session
        clock.advance(31 * 86_400)
        swept(memory, clock)
        assert swept(memory, clock) == 0
        proxied.restart()
        assert talk.says("and the last", "all done").session == session
        assert proxied.stored(session) == [
            "fix the test",
            "done",
            "and the other",
            "done, too",
            "and the last",
            "all done",
        ]


def test_what_was_forgotten_does_not_come_back_after_a_sweep() -> None:
    clock = FrozenClock(NOON)
    with quiet(clock=clock) as memory:
        proxied = Proxied(memory)
        talk = Talk(proxied)
        session = talk.says("the vault opens with 4711", "noted").session
        memory.forget(session=session)
        clock.advance(31 * 86_400)
        swept(memory, clock)
        proxied.restart()
        talk.says("and the lamp is green", "noted, too")
        assert not any("4711" in turn.text for turn in memory.turns())


def test_retired_blocks_and_old_requests_go_in_bounded_steps() -> None:
    clock = FrozenClock(NOON)
    with quiet(clock=clock) as memory:
        store = memory.reads.store
        session = Talk(Proxied(memory)).says("which tea?", "green").session
        count = 2 * MOST + 1
        store.transaction(lambda tx: REQUEST_LOG.put(tx, [request(n, clock) for n in range(count)]))
        for name, retired in (("old", clock()), ("used", None)):
            keep_injection(store, "default", Injection(session, name, b"", b"", "x", (), clock(), retired=retired))
        clock.advance(31 * 86_400)
        store.transaction(lambda tx: REQUEST_LOG.put(tx, [request(count, clock)]))
        assert swept(memory, clock) == 4
        with store.snapshot() as reader:
            assert [row.request for row in logged_requests(reader, "default")] == [f"r{count}"]
            assert [each.id for each in injections_of(reader, "default", session)] == ["used"]
        clock.advance((EVERY - timedelta(minutes=1)).total_seconds())
        assert swept(memory, clock) == 0
        assert swept(memory, clock, days=0) == 0
        clock.advance(120)
        assert swept(memory, clock) > 0


def test_the_worker_prunes_by_the_setting() -> None:
    clock = FrozenClock(NOON)
    with quiet(clock=clock, config={"serve": {"keep_days": 10}}) as memory:
        Talk(Proxied(memory)).says("which tea?", "green")
        clock.advance(11 * 86_400)
        memory.drain()
        with memory.reads.store.snapshot() as reader:
            assert CONVERSATION.scan(reader, ("default",), ("default",)) == []


@pytest.mark.parametrize("text", ["", "x", "1 2 3", "1 x", f"{2**80} 30"])
def test_a_note_of_the_last_sweep_that_cannot_be_read_has_another_one_made(text: str) -> None:
    """And keeps the worker from nothing."""
    clock, store = FrozenClock(NOON), MemoryStore()
    with quiet(store) as memory:
        memory.add(told("The hive is weak."))
    rows = [MetaRow("default", name, text) for name in ("swept", "pruned")]
    store.transaction(lambda tx: REQUEST_LOG.put(tx, [request(0, clock)]))
    store.transaction(lambda tx: META.put(tx, rows))
    with quiet(store, clock=clock, config={"keep_days": 30}) as memory:
        assert memory.drain(200)
        assert memory.stats().details["worker_failure"] is None
        with store.snapshot() as reader:
            assert [META_VALUE.get(reader, ("default", row.name)) for row in rows] == [
                f"{to_us(NOON)} 30",
                f"{to_us(NOON)} 365",
            ]
