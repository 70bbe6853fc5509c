"""AsyncMemory is Memory, call by call, for asyncio."""

import asyncio
import inspect
import threading
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, assert_type

import pytest

from clew.aio import ASKING, QUESTIONS, THREADS, AsyncMemory, Opening
from clew.errors import ClosedError, ConfigError, InputError, StoreFull
from clew.memory import Memory
from clew.testing import HashEmbedder
from tests.support.memories import history, quiet, told
from tests.unit.test_memory_calls import CALLS


def public(cls: type) -> dict[str, Any]:
    return {name: each for name, each in inspect.getmembers(cls, inspect.isroutine) if not name.startswith("_")}


@pytest.mark.requirement("F-MEMORY-08")
def test_every_public_name_is_mirrored() -> None:
    assert public(AsyncMemory).keys() == public(Memory).keys()
    ours, theirs = ({name for name in dir(cls) if not name.startswith("_")} for cls in (AsyncMemory, Memory))
    assert ours == theirs


@pytest.mark.requirement("F-MEMORY-08")
def test_what_is_known_without_waiting_is_a_value() -> None:
    async def main() -> None:
        async with await opened() as memory:
            assert (memory.is_empty, memory.is_writable) == (True, True)
            await memory.add(told("tea"))
            assert memory.is_empty is False

    asyncio.run(main())


@pytest.mark.requirement("F-MEMORY-08")
@pytest.mark.parametrize("name", sorted(public(Memory)))
def test_a_mirrored_method_takes_and_tells_the_same(name: str) -> None:
    ours, theirs = getattr(AsyncMemory, name), getattr(Memory, name)
    if name != "open":  # what that returns can be awaited, and entered by `async with`
        assert inspect.iscoroutinefunction(inspect.unwrap(ours, stop=inspect.iscoroutinefunction))
    assert inspect.getdoc(ours)
    if name != "close":
        assert inspect.signature(ours) == inspect.signature(theirs)
    if name not in ("open", "close"):
        assert inspect.getdoc(ours) == inspect.getdoc(theirs)


class Own(AsyncMemory):
    """A program's own kind of memory."""


@pytest.mark.requirement("F-MEMORY-08")
def test_what_is_opened_and_wrapped_keeps_its_type() -> None:
    """For the type checker above all: mypy reads the tests, too."""

    async def chat(prompt: str) -> str:
        return prompt

    async def main() -> None:
        async with Own.open(":memory:", embedder="none") as memory:
            assert_type(memory, Own)
            asked = await memory.wrap_chat(chat)
            assert_type(await asked("hello"), str)
            assert "hello" in await asked("hello")

    asyncio.run(main())
    assert "async with" in (inspect.getdoc(AsyncMemory.open) or "")


async def opened(path: Any = ":memory:") -> AsyncMemory:
    return AsyncMemory(quiet(path))


@pytest.mark.requirement("F-MEMORY-08")
def test_it_works_side_by_side(tmp_path: Path) -> None:
    async def main() -> None:
        async with await opened(tmp_path) as memory:
            names = await asyncio.gather(*(memory.add(told(f"tea {n}")) for n in range(40)))
            assert sorted(names) == sorted(f"s:turn:{n}" for n in range(40))
            report, context, hits, quotes, stats = await asyncio.gather(
                memory.add_many(history("abc", session="t")),
                memory.recall("tea", budget=300),
                memory.search("tea", limit=3),
                memory.find_quote("tea 7"),
                memory.stats(),
            )
            assert (report.added, len(hits), len(quotes), stats.turns >= 40) == (3, 3, 1, True)
            assert 0 < context.tokens <= 300
            assert (await memory.explain(context.receipt_id)).query == "tea"
            assert await memory.drain(None)
            assert (await memory.forget(session="t")).turns == 3
            assert await memory.rebuild() == 40
            assert (await memory.verify()).ok
            assert await memory.export(tmp_path / "out.jsonl") == 40

    asyncio.run(main())


@pytest.mark.requirement("F-MEMORY-08")
def test_opening_takes_and_refuses_what_memory_does() -> None:
    async def main() -> None:
        async with await AsyncMemory.open(":memory:", space="a", embedder="none") as memory:
            assert memory.memory.space == "a"
        with pytest.raises(ConfigError, match="'nonsense' is not a setting"):
            await AsyncMemory.open(":memory:", config={"nonsense": 1})

    asyncio.run(main())


@pytest.mark.requirement("F-MEMORY-08")
def test_errors_are_those_of_memory() -> None:
    async def main() -> None:
        async with await opened() as memory:
            with pytest.raises(InputError, match="not a turn id"):
                await memory.get("tea")

    asyncio.run(main())


@pytest.mark.requirement("F-MEMORY-08", "F-MEMORY-03")
@pytest.mark.parametrize("name", CALLS)
def test_a_closed_one_says_so(tmp_path: Path, name: str) -> None:
    async def main() -> None:
        memory = await opened()
        await memory.close()
        await memory.close()
        with pytest.raises(ClosedError):
            await CALLS[name](memory, tmp_path)

    asyncio.run(main())


@pytest.mark.requirement("F-MEMORY-08")
def test_the_loop_goes_on_while_threads_wait_and_their_number_is_bounded() -> None:
    release = threading.Event()
    at_work: list[int] = []

    def wait(done: int) -> None:
        at_work.append(done)
        assert release.wait(60)

    async def main() -> None:
        async with await opened() as memory:
            calls: list[Awaitable[Any]] = [
                asyncio.ensure_future(memory.add_many([told("x", f"s{n}")], wait)) for n in range(3 * THREADS)
            ]
            while len(at_work) < THREADS:
                await asyncio.sleep(0)
            await asyncio.sleep(0.05)
            assert len(at_work) == THREADS
            release.set()
            reports = await asyncio.gather(*calls)
            assert sum(report.added for report in reports) == 3 * THREADS

    asyncio.run(main())


@pytest.mark.requirement("F-MEMORY-08", "F-AGENT-88")
@pytest.mark.parametrize(("embedder", "most"), [("none", QUESTIONS), (HashEmbedder(), ASKING)], ids=["none", "own"])
def test_few_questions_compute_at_once_and_hold_up_no_other_call(embedder: Any, most: int) -> None:
    release = threading.Event()
    at_work: list[str] = []

    def counting(text: str) -> int:
        at_work.append(text)
        assert release.wait(60)
        return len(text)

    async def main() -> None:
        async with AsyncMemory(Memory.open(":memory:", embedder=embedder)) as memory:
            await memory.add(told("tea"))
            questions = [asyncio.ensure_future(memory.recall("tea", counter=counting)) for _ in range(20)]
            while len(at_work) < most:
                await asyncio.sleep(0)
            assert await memory.add(told("more tea")) == "s:turn:1"
            await asyncio.sleep(0.05)
            assert len(at_work) == most
            release.set()
            assert len(await asyncio.gather(*questions)) == 20

    asyncio.run(main())


@pytest.mark.requirement("F-MEMORY-08")
@pytest.mark.parametrize("is_open", [False, True])
def test_a_memory_whose_opening_was_cancelled_is_closed(is_open: bool, tmp_path: Path) -> None:
    """Also one that was just opened, and of which its caller has not heard."""
    begun, release, ended = threading.Event(), threading.Event(), threading.Event()
    made: list[Memory] = []

    def start() -> Memory:
        begun.set()
        assert is_open or release.wait(60)
        made.append(quiet(tmp_path))
        ended.set()
        return made[0]

    async def main() -> None:
        opening = asyncio.ensure_future(Opening(AsyncMemory, start))
        while not begun.is_set():
            await asyncio.sleep(0)
        assert not is_open or ended.wait(60)  # which keeps the loop from telling the caller
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        release.set()

    asyncio.run(main())  # it waits for the loop's threads
    assert made[0].closed


@pytest.mark.requirement("F-MEMORY-08")
def test_a_closing_that_fails_ends_the_threads_all_the_same() -> None:
    class Failing(Memory):
        def close(self) -> None:
            """Closes it, and tells of a full disk."""
            super().close()
            raise StoreFull

    async def main() -> None:
        memory = AsyncMemory(Failing.open(":memory:", embedder="none"))
        with pytest.raises(StoreFull):
            await memory.close()
        assert memory.threads._shutdown
        assert memory.questions._shutdown

    asyncio.run(main())


@pytest.mark.requirement("F-MEMORY-08")
def test_a_cancelled_call_still_ends_in_its_thread() -> None:
    begun, release = threading.Event(), threading.Event()

    def wait(_: int) -> None:
        begun.set()
        assert release.wait(60)

    async def main() -> None:
        async with await opened() as memory:
            call = asyncio.ensure_future(memory.add_many([told("x")], wait))
            while not begun.is_set():
                await asyncio.sleep(0)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            release.set()
            assert (await memory.get("s:turn:0")).text == "x"

    asyncio.run(main())
