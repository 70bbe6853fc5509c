"""Measures what the proxy costs and whether it leaves requests and answers alone, beside direct calls in one run.

The upstream is scripted and runs in this process, the proxy is a process of its own, and direct and proxied calls are
made in turn, so that other work on the machine slows both. Start at `run_proxy_bench`.
"""

import asyncio
import json
import os
import re
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from clew.evaluate.speed.clocks import quantile
from clew.evaluate.speed.measure import Measure
from clew.evaluate.speed.synthetic import ConversationGenerator
from clew.memory import Memory
from clew.serve.processes.proxy_process import ProxyProcess
from clew.serve.proxy.economy.cache_model import CacheModel
from clew.serve.scripted.refusal import compact
from clew.serve.scripted.script import Pace, RecordedRequest, Reply
from clew.serve.scripted.server import ScriptedUpstream

TURNS: Final = 10_000
CALLS: Final = 100
STREAMS: Final = 200
TOGETHER: Final = 16
SESSION: Final = 20
"""Requests of the session whose cache tokens are counted."""
PAUSE: Final = 0.1
"""Seconds between an answer and the next question of a client that pauses: less than a person or an agent's tool takes,
and enough for the proxy to have done what it does after an answer."""
_WARM_UP: Final = 10
_HEADERS: Final = {"x-api-key": "k", "anthropic-version": "2023-06-01", "content-type": "application/json"}
_ODD: Final = Pace((1, 7, 64, 3, 1000))
_STREAM: Final = re.compile(r"stream-\d+-")
_SMALL_TALK: Final = (
    "Thanks!",
    "Ok, go on.",
    "Yes.",
    "Perfect, thank you.",
    "Hm.",
    "Good morning!",
    "Sure, do it.",
    "👍",
)
"""Messages that ask for nothing that was said."""

OnStep = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Bench:
    """A running upstream, the addresses of both ways to it, questions, and the proxy's process."""

    upstream: ScriptedUpstream
    direct: str
    proxied: str
    questions: list[str]
    proxy: ProxyProcess


def run_proxy_bench(
    turns: int = TURNS, *, calls: int = CALLS, streams: int = STREAMS, on_progress: OnStep = lambda _: None
) -> list[Measure]:
    """Measures everything, in a temporary folder that is removed afterwards.

    Args:
        turns: stored before, in the memory from which blocks are added.
        calls: made on each way for each figure of time.
        streams: at once.
        on_progress: called with a description of the next measurement.

    Raises:
        MissingExtra: the packages of the extra `server` are not installed.
    """
    with tempfile.TemporaryDirectory(prefix="clew-proxy-") as name:
        on_progress(f"storing {turns:,} turns")
        home = Path(name) / "home"
        questions = _stored(home, turns, 2 * (calls + _WARM_UP))
        with _running(home, questions) as bench:
            on_progress("time to the first byte")
            measures = _first_bytes(bench, turns, calls)
            on_progress("time to the first byte, with pauses")
            measures.append(_first_byte_after_pause(bench, turns, calls))
            on_progress("requests a second")
            measures.append(_throughput(bench, calls))
            on_progress(f"{streams} streams at once")
            measures.append(asyncio.run(_streams(bench, streams)))
            on_progress("bytes of requests, and the provider's cache")
            return [*measures, *_left_alone(bench, calls), _cache(bench)]


def _stored(home: Path, turns: int, questions: int) -> list[str]:
    """Fills a memory, and gives questions about it."""
    writer = ConversationGenerator()
    said = list(writer.turns(turns))
    home.mkdir()
    (home / "clew.toml").write_text('embedder = "none"\n', encoding="utf-8")  # the proxy's process reads it, too
    with Memory.open(home) as memory:
        memory.add_many(said)
        memory.drain()
    return [probe.question for probe in writer.probes([turn.text for turn in said], questions)]


@contextmanager
def _running(home: Path, questions: list[str]) -> Iterator[_Bench]:
    upstream = ScriptedUpstream(_answered, keeps_answers=True)
    with upstream.serving() as direct:
        settings = {"upstream_anthropic": direct, "patience": 30.0}
        with ProxyProcess(str(home), "default", settings) as proxy:
            yield _Bench(upstream, direct, f"{proxy.address}/anthropic", questions, proxy)


def _answered(request: RecordedRequest) -> Reply:
    """An answer that names the stream that was asked for, in odd pieces; a short one to everything else."""
    name = _STREAM.search(str((request.value or {})["messages"][-1]["content"]))
    if name is None:
        return Reply("Noted, so far.")
    return Reply(" ".join(f"{name[0]} {number} ä🐈" for number in range(60)), pace=_ODD)


def _body(*messages: str, stream: bool = True, **more: Any) -> bytes:
    roles = ("user", "assistant")
    said = [{"role": roles[place % 2], "content": text} for place, text in enumerate(messages)]
    return compact(
        {"model": "claude-sonnet-4-5", "max_tokens": 64, "stream": stream, **more, "messages": said}
    ).encode()


def _first_bytes(bench: _Bench, turns: int, calls: int) -> list[Measure]:
    """Times to the first byte, and processor time, for questions that follow one another without a pause."""
    times, spent = _asked_in_turn(bench, bench.questions[: calls + _WARM_UP], 0.0)
    direct, proxied = times
    measures = [
        Measure(
            name=f"proxy.first_byte.p{100 * share:.0f}",
            title=f"first byte of an answer, p{100 * share:.0f}",
            value=quantile(proxied, share),
            reference=quantile(direct, share),
            unit="ms",
            turns=turns,
            against="without the proxy",
        )
        for share in (0.5, 0.95)
    ]
    if spent:
        measures.append(
            Measure(
                name="proxy.processor",
                title="processor time of the proxy for a request",
                value=1000 * spent / calls,
                unit="ms",
                turns=turns,
            )
        )
    return measures


def _first_byte_after_pause(bench: _Bench, turns: int, calls: int) -> Measure:
    """Time to the first byte for questions that come after a pause, as those of a person or an agent at work."""
    (direct, proxied), _ = _asked_in_turn(bench, bench.questions[-(calls + _WARM_UP) :], PAUSE)
    return Measure(
        name="proxy.first_byte.paused",
        title=f"first byte of an answer, p50, {1000 * PAUSE:.0f} ms after the one before",
        value=quantile(proxied, 0.5),
        reference=quantile(direct, 0.5),
        unit="ms",
        turns=turns,
        against="without the proxy",
    )


def _asked_in_turn(bench: _Bench, questions: list[str], pause: float) -> tuple[list[list[float]], float]:
    """Milliseconds to the first byte directly and through the proxy in turn, sorted, and the proxy's processor time.

    The first questions only warm up.
    """
    import httpx2  # of the extra server

    took: dict[str, list[float]] = {bench.direct: [], bench.proxied: []}
    before = 0.0
    with httpx2.Client(timeout=60) as client:
        for number, question in enumerate(questions):
            if number == _WARM_UP:
                before = _processor_of(bench.proxy.pid)
            for base, times in took.items():
                time.sleep(pause)
                began = time.perf_counter()
                with client.stream("POST", f"{base}/v1/messages", content=_body(question), headers=_HEADERS) as got:
                    pieces = got.iter_raw()
                    next(pieces)
                    times.append(1000 * (time.perf_counter() - began))
                    deque(pieces, maxlen=0)
    return [sorted(times[_WARM_UP:]) for times in took.values()], _processor_of(bench.proxy.pid) - before


def _processor_of(pid: int) -> float:
    """Processor seconds of a process; 0.0 where Linux's /proc is missing."""
    stat = Path(f"/proc/{pid}/stat")
    if sys.platform != "linux" or not stat.exists():
        return 0.0
    fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _throughput(bench: _Bench, calls: int) -> Measure:
    rates = {base: asyncio.run(_rate(base, bench.questions, calls)) for base in (bench.direct, bench.proxied)}
    return Measure(
        name="proxy.throughput",
        title=f"answers, {TOGETHER} requests at a time",
        value=rates[bench.proxied],
        reference=rates[bench.direct],
        unit="/s",
        against="without the proxy",
    )


async def _rate(base: str, questions: list[str], calls: int) -> float:
    import httpx2  # of the extra server

    waiting = [_body(question, stream=False) for question in questions[:calls]]
    async with httpx2.AsyncClient(timeout=60) as client:

        async def work() -> None:
            while waiting:
                await client.post(f"{base}/v1/messages", content=waiting.pop(), headers=_HEADERS)

        began = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(TOGETHER)))
        return calls / (time.perf_counter() - began)


async def _streams(bench: _Bench, streams: int) -> Measure:
    """How many of many streams at once arrive byte for byte as the upstream sent them."""
    import httpx2  # of the extra server

    limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(timeout=120, limits=limits) as client:

        async def arrives(number: int) -> bool:
            body = _body(f"stream-{number}-")
            async with client.stream("POST", f"{bench.proxied}/v1/messages", content=body, headers=_HEADERS) as got:
                came = b"".join([piece async for piece in got.aiter_raw()])
            sent = bench.upstream.answers.get(int(got.headers.get("request-id", "-1").removeprefix("req_")))
            return came == sent and f"stream-{number}-".encode() in came

        whole = await asyncio.gather(*(arrives(number) for number in range(streams)))
    return Measure(
        name="proxy.streams",
        title="streams at once that arrive byte for byte",
        value=float(sum(whole)),
        reference=float(streams),
        unit="streams",
        against="sent",
    )


def _left_alone(bench: _Bench, calls: int) -> list[Measure]:
    """Shares of requests that reach the upstream as they were sent, or with one block put in and no byte changed."""
    import httpx2  # of the extra server

    def reached(client: httpx2.Client, body: bytes, **headers: str) -> bytes:
        client.post(f"{bench.proxied}/v1/messages", content=body, headers={**_HEADERS, **headers})
        return bench.upstream.requests[-1].body

    asked = [_body(question, stream=False) for question in bench.questions[:calls]]
    spaced = [json.dumps(json.loads(body), indent=1).encode() for body in asked]
    small = [_body(text, stream=False) for text in _SMALL_TALK]
    with httpx2.Client(timeout=60) as client:
        grown = [(body, reached(client, body)) for body in asked]
        same = sum(reached(client, body, **{"x-clew-inject": "off"}) == body for body in spaced)
        disturbed = sum(reached(client, body) != body for body in small)
    inserted = sum(_is_insertion(body, came) for body, came in grown)
    return [
        _share("proxy.identical", "requests to which nothing is added that stay byte for byte", same, len(spaced)),
        _share("proxy.inserted", "questions that only gain a block, every other byte kept", inserted, len(grown)),
        _share("proxy.small_talk", "messages such as 'Thanks!' to which something is added", disturbed, len(small)),
    ]


def _share(name: str, title: str, count: int, total: int) -> Measure:
    return Measure(name=name, title=title, value=100 * count / total, unit="%")


def _is_insertion(sent: bytes, came: bytes) -> bool:
    """Whether `came` is `sent` with one block more in its last message, and every byte outside of that as it was."""
    start = sent.rindex(b'"content":') + len(b'"content":')
    end = sent.rindex(b"}]")
    before, after = sent[:start], sent[end:]
    if not (came.startswith(before) and came.endswith(after)):
        return False
    content = json.loads(came[len(before) : len(came) - len(after)])
    own = json.loads(sent[start:end])
    return bool(content == own or (content[0] == {"type": "text", "text": own} and len(content) == 2))


def _cache(bench: _Bench) -> Measure:
    """The share of the input that is read from the provider's cache in a growing session, on both ways."""
    import httpx2  # of the extra server

    shares: dict[str, float] = {}
    mark = {"type": "ephemeral"}
    system = [{"type": "text", "text": " ".join(bench.questions) + " Answer briefly." * 400, "cache_control": mark}]
    with httpx2.Client(timeout=60) as client:
        for base in (bench.direct, bench.proxied):
            bench.upstream.cache = CacheModel()
            said: list[str] = []
            read = total = 0
            for question in bench.questions[:SESSION]:
                said.append(question)
                body = _body(*said, stream=False, cache_control=mark, system=system)
                answer = client.post(f"{base}/v1/messages", content=body, headers=_HEADERS).json()
                used = answer["usage"]
                read += used["cache_read_input_tokens"]
                total += used["input_tokens"] + used["cache_creation_input_tokens"] + used["cache_read_input_tokens"]
                said.append(answer["content"][0]["text"])
            shares[base] = 100 * read / total
    return Measure(
        name="proxy.cache",
        title=f"input read from the provider's cache, {SESSION} requests of a session",
        value=shares[bench.proxied],
        reference=shares[bench.direct],
        unit="%",
        against="without the proxy",
    )
