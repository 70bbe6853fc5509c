"""The threads that do the jobs of the proxy's event loop."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from clew.serve.proxy.job_threads import JobThreads


def _thread() -> int:
    return threading.get_ident()


@pytest.mark.requirement("SRV-THREADS-01")
def test_the_thread_that_rested_last_gets_the_next_job_and_no_other_is_woken() -> None:
    async def jobs() -> None:
        threads, all_begun = JobThreads(3, "test"), threading.Barrier(3)
        busy = [threads.run(lambda: (all_begun.wait(60), _thread())[1]) for _ in range(3)]
        assert len(set(await asyncio.gather(*busy))) == 3, "each is started while all others are busy"
        done = []
        for _ in range(20):
            while len(threads._resting) < 3:
                await asyncio.sleep(0.001)
            done.append(await threads.run(_thread))
        assert len(set(done)) == 1
        threads.close()
        threads.join()

    asyncio.run(jobs())


@pytest.mark.requirement("SRV-THREADS-01")
def test_a_job_waits_for_a_thread_and_one_that_waits_when_they_are_closed_is_cancelled() -> None:
    done: list[str] = []

    async def jobs() -> None:
        threads, go, at_work = JobThreads(1, "test"), threading.Event(), threading.Event()

        def hold() -> bool:
            at_work.set()
            return go.wait(60)

        held = threads.run(hold)
        second = threads.run(lambda: done.append("second"))
        await asyncio.sleep(0.01)
        assert not done
        go.set()
        await asyncio.gather(held, second)
        go.clear()
        at_work.clear()
        held = threads.run(hold)
        waiting = threads.run(lambda: done.append("never"))
        await asyncio.to_thread(at_work.wait, 60)  # what no thread has taken yet would be cancelled
        threads.close()
        go.set()
        assert await held, "the job at hand is done"
        with pytest.raises(asyncio.CancelledError):
            await waiting
        threads.join()
        with pytest.raises(RuntimeError, match="closed"):
            threads.run(lambda: None)

    asyncio.run(jobs())
    assert done == ["second"]


@pytest.mark.requirement("SRV-THREADS-01")
def test_what_a_job_raises_is_its_futures_and_the_thread_goes_on() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    async def jobs() -> None:
        threads = JobThreads(1, "test")
        for work in (fail, fail):
            with pytest.raises(ZeroDivisionError):
                await threads.run(work)
        left = threads.run(lambda: None)
        left.cancel()
        assert await threads.run(lambda: 1) == 1
        threads.close()
        threads.join()

    asyncio.run(jobs())


_ENDS: Callable[[str], str] = """
import asyncio, time
from clew.serve.proxy.job_threads import JobThreads

def work():
    time.sleep(0.2)
    print("done", flush=True)

async def begin():
    JobThreads(1, "first").run(work)
    {}

asyncio.run(begin())
""".format


@pytest.mark.requirement("SRV-THREADS-01")
@pytest.mark.parametrize("more", ["pass", "await JobThreads(2, 'resting').run(lambda: None)"])
def test_a_process_ends_when_the_jobs_at_hand_are_done_also_without_closing(more: str) -> None:
    ended = subprocess.run([sys.executable, "-c", _ENDS(more)], capture_output=True, timeout=60, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("done\n", "")
