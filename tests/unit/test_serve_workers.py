"""The order in which threads work on chats: a question comes after the answers that its client has seen."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from clew.serve.access import Principal
from clew.serve.metrics import Metrics
from clew.serve.proxy.chats import Chat, ChatTicket, PreparedChat, Unchanged
from clew.serve.proxy.headers import RequestOptions
from clew.serve.proxy.held_calls import HeldExchange
from clew.serve.proxy.history.fetched_answers import Fetch
from clew.serve.proxy.kept_answer import KeptAnswer
from clew.serve.proxy.wires import wire_of
from clew.serve.proxy.workers import Workers

LONG = 60.0


class Noted:
    """Notes what begins and ends; what is named in `held` ends only when it may."""

    def __init__(self, held: str) -> None:
        self.log: list[str] = []
        self.go = threading.Event()
        self._held = held

    def _note(self, step: str) -> None:
        self.log.append(f"{step} begins")
        if step == self._held:
            self.go.wait(LONG)
        self.log.append(f"{step} ends")

    def prepare(self, chat: Chat) -> PreparedChat:
        self._note(f"prepare {chat.path}")
        return PreparedChat()

    def stop(self) -> None:
        pass

    def without_memory(self, chat: Chat, why: Unchanged) -> PreparedChat:
        assert chat.path
        return PreparedChat(unchanged=why)

    def fetched(self, space: str, fetch: Fetch, answer: KeptAnswer) -> None:
        raise NotImplementedError

    def hold(self, chat: Chat, prepared: PreparedChat, held: HeldExchange) -> None:
        raise AssertionError((chat, prepared, held))

    def after(self, chat: Chat, prepared: PreparedChat, answer: KeptAnswer | None) -> Callable[[], None]:
        assert answer is None
        self._note(f"after {chat.path} {prepared.unchanged}")
        return lambda: self._note(f"finish {chat.path}")


def chat(name: str, space: str = "default") -> Chat:
    wire = wire_of("POST", "/v1/messages")
    assert wire is not None
    return Chat(wire, name, {}, b"", "", Principal(space), RequestOptions(), ChatTicket())


@pytest.mark.requirement("P-IDN-19")
def test_a_slow_chat_and_its_answer_are_stored_before_its_next_request_is_looked_at() -> None:
    noted = Noted("prepare 1")

    async def talk() -> None:
        workers = Workers(noted, 4, 0.05, Metrics())
        first = await workers.prepared(chat("1"))
        workers.afterwards(chat("1"), first, None)
        second = await workers.prepared(chat("2"))
        assert (first.sent.unchanged, second.sent.unchanged) == (Unchanged.SLOW, Unchanged.SLOW)
        workers.afterwards(chat("2"), second, None)
        noted.go.set()
        await workers.close()

    asyncio.run(talk())
    steps = ("prepare 1", "after 1 slow", "prepare 2", "after 2 slow")
    in_turn = [line for line in noted.log if not line.startswith("finish")]
    assert in_turn == [f"{step} {word}" for step in steps for word in ("begins", "ends")]
    assert {"finish 1 ends", "finish 2 ends"} < set(noted.log)


@pytest.mark.requirement("P-IDN-19")
def test_an_answer_that_the_client_has_is_stored_before_its_next_request_is_looked_at() -> None:
    noted = Noted("after 1 None")

    async def talk() -> None:
        workers = Workers(noted, 4, LONG, Metrics())
        workers.afterwards(chat("1"), await workers.prepared(chat("1")), None)
        second = asyncio.ensure_future(workers.prepared(chat("2")))
        await until(lambda: "after 1 None begins" in noted.log)
        await workers.prepared(chat("of another", "other"))  # does not wait
        assert not second.done()
        noted.go.set()
        assert (await second).sent.unchanged is None
        await workers.close()

    asyncio.run(talk())
    assert noted.log.index("after 1 None ends") < noted.log.index("prepare 2 begins")
    assert noted.log.index("prepare of another ends") < noted.log.index("after 1 None ends")


@pytest.mark.requirement("SRV-QUIET-01")
@pytest.mark.parametrize("quiet", [LONG, 0.0])
def test_what_remains_of_an_answer_waits_for_chats_that_are_under_way_but_not_for_ever(quiet: float) -> None:
    noted = Noted("")

    async def talk() -> None:
        workers = Workers(noted, 4, LONG, Metrics(), quiet)
        with workers.underway():
            first = await workers.prepared(chat("1"))
            workers.afterwards(chat("1"), first, None)
            await until(lambda: "after 1 None ends" in noted.log)
            if quiet:
                await asyncio.sleep(0.05)
                assert "finish 1 begins" not in noted.log
            else:
                await until(lambda: "finish 1 ends" in noted.log)
        await until(lambda: "finish 1 ends" in noted.log)
        await workers.close()

    asyncio.run(talk())


@pytest.mark.requirement("SRV-QUIET-01")
def test_what_remains_of_several_answers_is_done_together_and_closing_does_not_wait_for_a_quiet_moment() -> None:
    noted = Noted("")

    async def talk() -> None:
        workers = Workers(noted, 4, LONG, Metrics(), LONG)
        with workers.underway():
            for name in ("1", "2"):
                workers.afterwards(chat(name), await workers.prepared(chat(name)), None)
            await until(lambda: "after 2 None ends" in noted.log)
            await workers.close()

    asyncio.run(talk())
    assert noted.log[-4:] == ["finish 1 begins", "finish 1 ends", "finish 2 begins", "finish 2 ends"]


@pytest.mark.requirement("SRV-QUIET-01")
def test_an_answer_that_is_stored_while_the_rest_of_another_is_done_keeps_its_own_rest() -> None:
    noted = Noted("after 2 None")

    async def talk() -> None:
        workers = Workers(noted, 4, LONG, Metrics())
        begun = [await workers.prepared(chat(name)) for name in ("1", "2")]
        workers.afterwards(chat("2"), begun[1], None)
        await until(lambda: "after 2 None begins" in noted.log)
        workers.afterwards(chat("1"), begun[0], None)
        await until(lambda: "finish 1 ends" in noted.log)
        noted.go.set()
        await workers.close()

    asyncio.run(talk())
    assert noted.log[-1] == "finish 2 ends"


@pytest.mark.requirement("F-SPEED-41")
def test_the_next_request_waits_neither_for_the_disk_nor_for_the_ledger_of_an_answer_but_closing_does() -> None:
    noted = Noted("finish 1")

    async def talk() -> None:
        workers = Workers(noted, 4, LONG, Metrics())
        workers.afterwards(chat("1"), await workers.prepared(chat("1")), None)
        await until(lambda: "finish 1 begins" in noted.log)
        await workers.prepared(chat("2"))
        assert "finish 1 ends" not in noted.log
        noted.go.set()
        await workers.close()

    asyncio.run(talk())
    assert noted.log[-1] == "finish 1 ends"


@pytest.mark.requirement("P-IDN-19")
@pytest.mark.parametrize("patience", [LONG, 0.05])
def test_a_request_whose_client_leaves_while_it_is_prepared_got_no_answer(patience: float) -> None:
    noted = Noted("prepare 1")
    left = chat("1")

    async def talk() -> None:
        workers = Workers(noted, 4, patience, Metrics())
        first = asyncio.ensure_future(workers.prepared(left))
        await until(lambda: "prepare 1 begins" in noted.log)
        if patience < LONG:
            await first
            workers.afterwards(left, await first, None)
        else:
            first.cancel()
            await asyncio.wait((first,))
        noted.go.set()
        await workers.prepared(chat("2"))
        await workers.close()

    asyncio.run(talk())
    after = f"after 1 {'slow' if patience < LONG else None} ends"
    assert noted.log.index("prepare 1 ends") < noted.log.index(after) < noted.log.index("prepare 2 begins")
    assert not left.ticket.take(), "nothing of it is recorded as sent"


async def until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        await asyncio.sleep(0.001)
