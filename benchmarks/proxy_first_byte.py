"""The time to the first byte through the proxies of two builds, and directly, in one run.

`python -m benchmarks.proxy_first_byte --against FOLDER`, the `src` of another build, asks a scripted upstream the same
questions on each way: at once one after the other, where each build has a stretch of them with a direct call between
two, and after pauses, where the ways take turns. Without `--against` only this build is measured. Under load,
`chrt -r 5` before the command keeps other programs from holding it up.
"""

import argparse
import os
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

import httpx2

from benchmarks.proxy_path import stored
from clew.evaluate.speed.clocks import quantile
from clew.serve.processes.proxy_process import ProxyProcess
from clew.serve.scripted.refusal import compact
from clew.serve.scripted.script import Reply
from clew.serve.scripted.server import ScriptedUpstream

WARM_UP: Final = 20
STRETCH: Final = 50
"""Questions at once of one build before the other one has its turn."""
REST: Final = 0.5
"""Seconds after a stretch, in which a proxy does what remains."""
HEADERS: Final = {"x-api-key": "k", "anthropic-version": "2023-06-01", "content-type": "application/json"}


@dataclass(slots=True)
class Way:
    """A way to the upstream.

    Attributes:
        base: its address.
        times: milliseconds to the first byte of each call.
        beside: of the direct call made before each of them, where there was one.
    """

    name: str
    base: str
    times: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)


@contextmanager
def proxy(source: Path | None, home: Path, upstream: str) -> Iterator[str]:
    """The address of a build's proxy, which runs in the block; None for this build."""
    before = os.environ.get("PYTHONPATH")
    running = ProxyProcess(str(home), "default", {"upstream_anthropic": upstream, "patience": 30.0})
    with ExitStack() as stack:
        try:
            if source is not None:
                os.environ["PYTHONPATH"] = str(source)
            stack.enter_context(running)
        finally:  # the next one to start is of another build
            os.environ.pop("PYTHONPATH", None)
            if before is not None:
                os.environ["PYTHONPATH"] = before
        yield f"{running.address}/anthropic"


def first_byte(client: httpx2.Client, base: str, question: str) -> float:
    """Milliseconds until the first byte of an answer; the rest of it is read, too."""
    asked = [{"role": "user", "content": question}]
    body = compact({"model": "claude-sonnet-4-5", "max_tokens": 64, "stream": True, "messages": asked}).encode()
    began = time.perf_counter()
    with client.stream("POST", f"{base}/v1/messages", content=body, headers=HEADERS) as got:
        pieces = got.iter_raw()
        next(pieces)
        took = 1000 * (time.perf_counter() - began)
        deque(pieces, maxlen=0)
    return took


def at_once(client: httpx2.Client, direct: str, ways: list[Way], questions: list[str]) -> None:
    """Asks without pauses; the builds take turns after each stretch, and which one begins changes, too."""
    for number, start in enumerate(range(0, len(questions), STRETCH)):
        for way in ways if number % 2 else reversed(ways):
            for question in questions[start : start + STRETCH]:
                way.beside.append(first_byte(client, direct, question))
                way.times.append(first_byte(client, way.base, question))
            time.sleep(REST)


def after_pauses(client: httpx2.Client, direct: str, ways: list[Way], questions: list[str], pause: float) -> None:
    """Asks each question on each way, with a pause before each call."""
    for number, question in enumerate(questions):
        time.sleep(pause)
        beside = first_byte(client, direct, question)
        for way in ways if number % 2 else reversed(ways):
            time.sleep(pause)
            way.beside.append(beside)
            way.times.append(first_byte(client, way.base, question))


def figures(title: str, ways: list[Way]) -> str:
    """A line for each way; with two, also the differences and the ratio of the second to the first."""
    added = [median(way.times) - median(way.beside) for way in ways]
    lines = [title]
    for way, more in zip(ways, added, strict=True):
        p10, p95 = (quantile(sorted(way.times), share) for share in (0.1, 0.95))
        lines.append(
            f"  {way.name}: p10 {p10:.2f}, p50 {median(way.times):.2f}, p95 {p95:.2f} ms; "
            f"direct p50 {median(way.beside):.2f}; added {more:.2f} ms"
        )
    if len(ways) > 1:
        apart = median(new - old for old, new in zip(ways[0].times, ways[1].times, strict=True))
        lines.append(f"  median of the differences {apart:+.2f} ms; ratio of what is added {added[1] / added[0]:.3f}")
    return "\n".join(lines)


def main() -> None:
    """Measures one build, or two in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--pause", type=float, default=0.2, help="seconds before each call of the second part")
    parser.add_argument("--against", type=Path, help="src of the build that is compared with")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        questions = stored(folder / "home", given.turns, WARM_UP + 2 * given.questions)
        direct = stack.enter_context(ScriptedUpstream(lambda _: Reply("Noted, so far.")).serving())
        bases = {}
        for build, source in {"before": given.against, "this build": None}.items():
            if source is not None or build == "this build":
                shutil.copytree(folder / "home", folder / build)
                bases[build] = stack.enter_context(proxy(source, folder / build, direct))
        client = stack.enter_context(httpx2.Client(timeout=60))
        for question in questions[:WARM_UP]:
            for base in (direct, *bases.values()):
                first_byte(client, base, question)
        time.sleep(REST)
        fast, slow = ([Way(*each) for each in bases.items()] for _ in range(2))
        at_once(client, direct, fast, questions[WARM_UP : WARM_UP + given.questions])
        print(figures("at once", fast), flush=True)
        after_pauses(client, direct, slow, questions[WARM_UP + given.questions :], given.pause)
        print(figures(f"{given.pause:g} s after the call before", slow))


if __name__ == "__main__":
    main()
