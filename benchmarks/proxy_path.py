"""What a question costs the proxy's thread before the upstream is called, by processor time and by calls.

The pipeline is called without a network.

`python -m benchmarks.proxy_path` measures this build. With `--against FOLDER`, the `src` of another build, a process of
each answers the same questions in turn, on copies of one home, and the ratios are shown; both must send the same bytes.
"""

import argparse
import gc
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from pathlib import Path
from statistics import median
from types import FrameType
from typing import IO, Any, Final, cast

from clew.config import ServeConfig
from clew.evaluate.speed.clocks import quantile
from clew.evaluate.speed.synthetic import ConversationGenerator
from clew.memory import Memory
from clew.serve.access import Principal
from clew.serve.event_log import EventLog
from clew.serve.metrics import Metrics
from clew.serve.proxy.chats import Chat, ChatTicket
from clew.serve.proxy.headers import RequestOptions
from clew.serve.proxy.kept_answer import KeptAnswer
from clew.serve.proxy.pipeline import Pipeline
from clew.serve.proxy.prepare import SafePreparation
from clew.serve.proxy.wires import wire_of
from clew.serve.spaces import Spaces

WARM_UP: Final = 20
COUNTED: Final = 20
"""Questions of which calls are counted; to count them takes long, so that they are not timed."""
PATH: Final = "/v1/messages"
ANSWER: Final = json.dumps(
    {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "Noted, so far."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }
).encode()


@dataclass(frozen=True, slots=True)
class Cost:
    """What a question cost.

    Attributes:
        seconds: processor time of the thread until the request could go upstream.
        after: likewise, from its answer on.
        calls: calls of functions up to there, in Python and C; 0 where they were not counted.
        statements: those of SQL among them.
        body: hash of what goes upstream.
    """

    seconds: float
    after: float
    calls: int
    statements: int
    body: str


def stored(home: Path, turns: int, questions: int) -> list[str]:
    """Fills a home with invented turns, and gives questions about them."""
    writer = ConversationGenerator()
    said = list(writer.turns(turns))
    home.mkdir()
    (home / "clew.toml").write_text('embedder = "none"\n', encoding="utf-8")
    with Memory.open(home) as memory:
        memory.add_many(said)
        memory.drain()
    return [probe.question for probe in writer.probes([turn.text for turn in said], questions)]


class Asked:
    """The proxy's preparation over one home."""

    def __init__(self, memory: Memory) -> None:
        """Takes an open memory."""
        spaces = Spaces(lambda _: memory)
        events = EventLog(lambda: datetime(2026, 1, 1, tzinfo=UTC), io.StringIO())
        self._preparation = SafePreparation(Pipeline(spaces, ServeConfig()), spaces, events, Metrics())
        self._number = count()

    def ask(self, question: str, *, counted: bool) -> Cost:
        """Prepares a question that opens a chat, and stores an answer."""
        body = {"model": "claude-sonnet-4-5", "max_tokens": 64, "messages": [{"role": "user", "content": question}]}
        wire = wire_of("POST", PATH)
        assert wire is not None
        options = RequestOptions(session=f"asked-{next(self._number)}")  # else a random name stands in later blocks
        chat = Chat(wire, PATH, {}, json.dumps(body).encode(), "", Principal("default"), options, ChatTicket())
        calls = statements = 0

        def note(_: FrameType, event: str, function: Any) -> None:
            nonlocal calls, statements
            calls += event in ("call", "c_call")
            statements += event == "c_call" and function.__name__ in ("execute", "executemany")

        if counted:
            sys.setprofile(note)
        began = time.thread_time()
        prepared = self._preparation.prepare(chat)
        seconds = time.thread_time() - began
        sys.setprofile(None)
        assert prepared.unchanged is None
        answer = KeptAnswer(200, [(b"content-type", b"application/json")], 1 << 20)
        answer.take(ANSWER)
        began = time.thread_time()
        self._preparation.after(chat, prepared, answer)()
        sent = sha256(prepared.body or b"").hexdigest()
        return Cost(seconds, time.thread_time() - began, calls, statements, sent)


def serve(home: Path) -> None:
    """Answers lines with questions by lines with costs; run by this module in a process of its own."""
    with Memory.open(home) as memory:
        asked = Asked(memory)
        for number, line in enumerate(sys.stdin):
            if number == WARM_UP:
                gc.collect()
                gc.freeze()
            question, counted = json.loads(line)
            cost = asked.ask(question, counted=counted)
            print(json.dumps([getattr(cost, name) for name in Cost.__slots__]), flush=True)


class Build:
    """A process of one build, on a home of its own."""

    def __init__(self, source: Path | None, home: Path) -> None:
        """Starts it; None for this build."""
        env = os.environ if source is None else {**os.environ, "PYTHONPATH": str(source)}
        command = [sys.executable, str(Path(__file__)), "--serve", str(home)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def __enter__(self) -> "Build":
        return self

    def __exit__(self, *_: object) -> None:
        cast("IO[str]", self._process.stdin).close()
        self._process.wait()

    def ask(self, question: str, *, counted: bool) -> Cost:
        """What one question costs."""
        given, told = cast("IO[str]", self._process.stdin), cast("IO[str]", self._process.stdout)
        given.write(json.dumps([question, counted]) + "\n")
        given.flush()
        return Cost(*json.loads(told.readline()))


def figures(costs: list[list[Cost]], timed: int) -> str:
    """A line for each figure of a build, or of two, with the ratio of the second to the first.

    Args:
        timed: questions that are timed; of the others calls are counted.
    """
    measured = {
        "processor time before the upstream, p10, ms": (
            0.1,
            [[1000 * c.seconds for c in each[:timed]] for each in costs],
        ),
        "processor time before the upstream, p50, ms": (
            0.5,
            [[1000 * c.seconds for c in each[:timed]] for each in costs],
        ),
        "processor time after the answer, p50, ms": (0.5, [[1000 * c.after for c in each[:timed]] for each in costs]),
        "calls of functions before the upstream": (0.5, [[float(c.calls) for c in each[timed:]] for each in costs]),
        "statements before the upstream": (0.5, [[float(c.statements) for c in each[timed:]] for each in costs]),
    }
    lines = []
    for title, (share, found) in measured.items():
        values = [quantile(sorted(each), share) for each in found]
        ratio = f"; ratio {values[1] / values[0]:.3f}" if len(values) > 1 and values[0] else ""
        lines.append(f"{title}: {', '.join(f'{value:,.2f}' for value in values)}{ratio}")
    if len(costs) > 1:
        ratios = [new.seconds / old.seconds for old, new in zip(costs[0][:timed], costs[1][:timed], strict=True)]
        same = sum(old.body == new.body for old, new in zip(*costs, strict=True))
        lines.append(f"median of the questions' ratios: {median(ratios):.3f}")
        lines.append(f"requests with the same bytes: {same} of {len(costs[0])}")
    return "\n".join(lines)


def main() -> None:
    """Measures one build, or two in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds before each question")
    parser.add_argument("--against", type=Path, help="src of the build that is compared with")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve is not None:
        serve(given.serve)
        return
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        questions = stored(folder / "home", given.turns, WARM_UP + given.questions + COUNTED)
        sources = [None] if given.against is None else [given.against, None]
        builds = []
        for number, source in enumerate(sources):
            shutil.copytree(folder / "home", folder / str(number))
            builds.append(stack.enter_context(Build(source, folder / str(number))))
        costs: list[list[Cost]] = [[] for _ in builds]
        for number, question in enumerate(questions):
            counted = number >= WARM_UP + given.questions
            order = list(enumerate(builds))
            for place, build in order if number % 2 else reversed(order):
                time.sleep(given.pause)
                costs[place].append(build.ask(question, counted=counted))
        print(figures([each[WARM_UP:] for each in costs], given.questions))


if __name__ == "__main__":
    main()
