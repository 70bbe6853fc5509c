"""How long `AsyncMemory` holds up an event loop. Run `python -m benchmarks.event_loop [--seconds 6] [--users 20]`.

Users add a turn and recall, each as soon as the last answer is there, over 10,000 invented turns. Meanwhile a coroutine
sleeps for 2 ms again and again; the lag is how much later than asked it goes on. Linux counts for each thread how long
it was ready to run without a processor. On a machine that other programs keep busy, what the program itself is to blame
for lies between the lag without the loop's own waits and the lag without any thread's. It is also at most the processor
time that the program used meanwhile, in all of its threads: on a free machine that is as long as the loop could wait.
"""

import asyncio
import contextlib
import gc
import statistics
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import click

from clew.aio import AsyncMemory
from clew.evaluate.speed.synthetic import ConversationGenerator
from clew.types import Turn

NAP: Final = 0.002
MOST: Final = 50_000
"""Turns that the users may add. They are made one by one: a list of them takes 30 ms of a full garbage collection."""

NAMES: Final = (
    "lag",
    "without the loop's waits for a processor",
    "of that at most the processor time used meanwhile",
    "without the waits of any thread",
)


def waited(path: Path) -> float:
    """Seconds for which a thread was ready to run and had no processor; 0 if it has ended."""
    with contextlib.suppress(OSError):  # the thread has ended
        return int((path / "schedstat").read_text().split()[1]) / 1e9
    return 0.0


def waits() -> tuple[float, float]:
    """What the loop's own thread waited for a processor, and what all threads of the program did."""
    tasks = Path("/proc/self/task")
    return waited(tasks / str(threading.get_native_id())), sum(map(waited, tasks.iterdir()))


async def probe(lags: list[tuple[float, ...]], until: float) -> None:
    """Notes each lag, as `NAMES` says."""
    while time.perf_counter() < until:
        before, start, used = waits(), time.perf_counter(), time.process_time()
        await asyncio.sleep(NAP)
        lag, used = time.perf_counter() - start - NAP, time.process_time() - used
        own, every = (max(0.0, lag - after + first) for after, first in zip(waits(), before, strict=True))
        lags.append((lag, own, min(own, used), every))


async def user(memory: AsyncMemory, more: Iterator[Turn], until: float) -> int:
    """Adds and recalls in turn; gives the number of calls."""
    calls = 0
    while time.perf_counter() < until:
        turn = next(more)
        await memory.add(turn)
        await memory.recall(turn.text[:60], budget=1_000)
        calls += 2
    return calls


@contextlib.asynccontextmanager
async def opened(
    embedder: str, turns: int, writer: ConversationGenerator, *, freeze: bool
) -> AsyncIterator[AsyncMemory]:
    """A memory of so many turns, with nothing left to do; `freeze` as a server should (docs/chat.md)."""
    with tempfile.TemporaryDirectory() as folder:
        async with await AsyncMemory.open(folder, embedder=embedder) as memory:
            await memory.add_many(writer.turns(turns))
            await memory.drain(None)
            await memory.warm_up()
            if freeze:
                gc.collect()
                gc.freeze()
            yield memory


async def measure(embedder: str, turns: int, users: int, seconds: float, *, freeze: bool) -> None:
    """Prints the lags."""
    writer = ConversationGenerator()
    async with opened(embedder, turns, writer, freeze=freeze) as memory:
        more = iter(writer.turns(MOST))
        lags: list[tuple[float, ...]] = []
        until = time.perf_counter() + seconds
        calls = await asyncio.gather(probe(lags, until), *(user(memory, more, until) for _ in range(users)))
        print(f"{users} users, {sum(call or 0 for call in calls)} calls, {len(lags)} naps")
        for name, values in zip(NAMES, zip(*lags, strict=True), strict=True):
            cuts = statistics.quantiles(values, n=100)
            shown = ", ".join(f"p{p} {1_000 * cuts[p - 1]:.1f}" for p in (50, 95, 99))
            print(f"{name}: {shown}, most {1_000 * max(values):.1f} ms")


@click.command()
@click.option("--embedder", default="none", show_default=True)
@click.option("--turns", default=10_000, show_default=True)
@click.option("--users", default=20, show_default=True)
@click.option("--seconds", default=6.0, show_default=True)
@click.option("--freeze", is_flag=True, help="Call gc.freeze after warm_up, as a server should.")
def main(embedder: str, turns: int, users: int, seconds: float, *, freeze: bool) -> None:
    """Measures the lag of an event loop beside an AsyncMemory."""
    asyncio.run(measure(embedder, turns, users, seconds, freeze=freeze))


if __name__ == "__main__":
    main()
