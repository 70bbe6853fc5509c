"""Wall time and tokens of chunked extraction beside one pass. Run `python -m benchmarks.extraction [--turns 400]`.

The source took its chunks back because one after the other they took too long. Here a scripted model takes the time of
a slow one, scaled down: it waits for each call, reads and writes at fixed speeds, and names who speaks. An answer is as
long as what it is about, so that several answers are as long as one, and only instructions are read again.
"""

import json
import time
from typing import Final

import click

from clew.config import ExtractConfig, LLMConfig
from clew.derive.extraction import SessionExtractor
from clew.derive.llm.completion_cache import CompletionCache
from clew.errors import InputError
from clew.evaluate.speed.synthetic import ConversationGenerator
from clew.memory import Memory
from clew.models.prompt import Completion, Prompt
from clew.testing import ScriptedLLM
from clew.text.counters import counter
from clew.types import Turn
from clew.types.extraction import ExtractionRun

SESSION: Final = "talk"

CALL: Final = 0.5
"""Seconds before a call begins to be read."""

READ: Final = 1_500.0
WRITTEN: Final = 40.0
"""Tokens a second that a model of 8 billion parameters reads and writes on a laptop's graphics processor."""

SCALE: Final = 10.0
"""How many times faster the benchmark is than what it tells."""

SHARE: Final = 0.1
"""Tokens of an answer, as a share of the turns that it is about."""


def slow_model(scale: float, number: int) -> ScriptedLLM:
    """A model that takes its time; calls at the same time do not slow each other down, as where a server batches."""

    def answer(prompt: Prompt) -> Completion:
        told = json.loads(prompt.messages[0].text)
        read = sum(len(text) for text in prompt.texts()) // 4
        written = int(SHARE * len(prompt.messages[0].text) / 4)
        time.sleep((CALL + read / READ + written / WRITTEN) / scale)
        names = [{"type": "person", "name": name, "aliases": []} for name in sorted({turn["speaker"] for turn in told})]
        value = {
            "summary": "",
            "feature_namespace": "",
            "entities": names,
            "edges": [],
            "open_deltas": [],
            "closed_deltas": [],
        }
        return Completion(json.dumps(value), read, written, "slow")

    return ScriptedLLM(answer, name=f"slow-{number}")  # by whose name answers are kept


def measured(memory: Memory, limit: int, concurrency: int, scale: float) -> tuple[float, ExtractionRun]:
    """Seconds of an extraction as the slow model would take, and its run."""
    reads = memory.reads
    extractor = SessionExtractor(
        store=reads.store,
        space=memory.space,
        config=ExtractConfig(concurrency=concurrency),
        limit=limit,
        count=counter(),
        clock=reads.clock,
        answers=CompletionCache(reads.store, memory.space, slow_model(scale, concurrency), LLMConfig(), reads.clock),
    )
    start = time.perf_counter()
    made = extractor.extract(SESSION)
    seconds = (time.perf_counter() - start) * scale
    if not made.ok:
        raise InputError(f"the extraction failed: {made.run.reason}")
    return seconds, made.run


@click.command()
@click.option("--turns", default=400, show_default=True, help="Turns of the conversation.")
@click.option("--limit", default=3_000, show_default=True, help="Tokens of a prompt.")
@click.option("--scale", default=SCALE, show_default=True, help="How many times faster than told.")
def main(turns: int, limit: int, scale: float) -> None:
    """Print a line for one pass, and for chunks with 1, 2, 4, and 8 at the same time."""
    talk = ConversationGenerator().turns(turns)
    with Memory.open(":memory:", embedder="none", config={"llm": {"model": "none"}}) as memory:
        memory.add_many(
            Turn(role=turn.role, content=turn.text, speaker=turn.speaker, session=SESSION, at=turn.at) for turn in talk
        )
        memory.drain(None)
        single, run = measured(memory, 0, 1, scale)
        chunked = [(f"chunks, {n} at a time", *measured(memory, limit, n, scale)) for n in (1, 2, 4, 8)]
    print(f"{'way':24} {'calls':>5} {'read':>8} {'written':>8} {'seconds':>8} {'of one pass':>11}")
    for name, seconds, made in (("one pass", single, run), *chunked):
        counts = made.telemetry
        print(
            f"{name:24} {counts['map_calls']:5} {counts['map_tokens_in']:8,} {counts['map_tokens_out']:8,}"
            f" {seconds:8.1f} {seconds / single:11.2f}"
        )


if __name__ == "__main__":
    main()
