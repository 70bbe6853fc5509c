"""Sessions and scripted models for the tests of extraction."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from clew.config import ExtractConfig, LLMConfig
from clew.derive.extraction import SessionExtractor
from clew.derive.llm.completion_cache import CompletionCache
from clew.errors import StoreReadOnly
from clew.knowledge.payload import ShownTurn
from clew.memory import Memory
from clew.models.prompt import Prompt
from clew.models.protocol import LLM
from clew.testing import Answer, ScriptedLLM
from clew.text.counters import counter
from clew.types import Turn
from clew.types.extraction import ExtractionState
from tests.support.memories import quiet, timed

DONE, FAILED = ExtractionState.DONE, ExtractionState.FAILED
DEFERRED, PENDING = ExtractionState.DEFERRED, ExtractionState.PENDING
LIMIT = 2_200
"""Tokens of a prompt by which `long_talk` takes two chunks, the second of them with room."""


def shown(count: int, text: str = "The mill of Arden turns slowly.", first: int = 0) -> list[ShownTurn]:
    """Turns as a prompt shows them, with numbers in their words."""
    return [ShownTurn(seq, "2024-03-05", "Ann", f"{text} Note {seq}.") for seq in range(first, first + count)]


def payload(**more: Any) -> dict[str, Any]:
    """An answer of the right form, empty unless said otherwise."""
    nothing: dict[str, Any] = {
        "summary": "",
        "feature_namespace": "",
        "entities": [],
        "edges": [],
        "open_deltas": [],
        "closed_deltas": [],
    }
    return nothing | more


def entity(name: str, kind: str = "person", *aliases: str) -> dict[str, Any]:
    """An entity of an answer."""
    return {"type": kind, "name": name, "aliases": list(aliases)}


def edge(source: str, verb: str, target: str, turn: int) -> dict[str, Any]:
    """A relation of an answer."""
    return {"source": source, "verb": verb, "target": target, "turn": turn}


def delta(text: str, turn: int, namespace: str = "") -> dict[str, Any]:
    """Something left to do, of an answer."""
    return {"namespace": namespace, "text": text, "turn": turn}


def is_extraction(prompt: Prompt) -> bool:
    """Whether a prompt asks for three vectors."""
    return prompt.instructions.startswith("You extract")


def is_semantic(prompt: Prompt) -> bool:
    """Whether a prompt asks to decide what the reduce left open."""
    return prompt.instructions.startswith("You decide")


def turns_of(prompt: Prompt) -> list[Mapping[str, Any]]:
    """The turns that a prompt shows."""
    found: list[Mapping[str, Any]] = json.loads(prompt.messages[0].text)
    return found


def copying(prompt: Prompt) -> dict[str, Any]:
    """What an honest model says: the speakers, and the first words of the first turn."""
    turns = turns_of(prompt)
    names = dict.fromkeys(str(turn["speaker"]) for turn in turns)
    return payload(summary=str(turns[0]["text"]).partition(".")[0] + ".", entities=[entity(name) for name in names])


def model(answer: Callable[[Prompt], Any] | Any = copying, name: str = "scripted") -> ScriptedLLM:
    """A model that answers questions about turns so, and others with an empty object."""

    def say(prompt: Prompt) -> Answer:
        if not is_extraction(prompt) and not is_semantic(prompt):
            return "{}"
        made = answer(prompt) if callable(answer) else answer
        return json.dumps(made) if isinstance(made, dict) else made

    return ScriptedLLM(say, name=name)


def asked(llm: ScriptedLLM) -> Sequence[Prompt]:
    """The prompts that asked for three vectors, each once, repairs left out."""
    return [prompt for prompt in llm.prompts if is_extraction(prompt) and len(prompt.messages) == 1]


def extractor(memory: Memory, llm: LLM | None, limit: Any = LIMIT, **config: Any) -> SessionExtractor:
    """The extractor of a memory that has no model of its own, so that nothing else asks the model."""
    reads, budget = memory.reads, LLMConfig(**config.pop("budget", {}))
    answers = None if llm is None else CompletionCache(reads.store, memory.space, llm, budget, reads.clock)
    settings = ExtractConfig(**config)
    return SessionExtractor(reads.store, memory.space, settings, limit, counter(), reads.clock, answers)


def long_talk(count: int = 60, session: str = "s", **more: Any) -> list[Turn]:
    """A conversation that takes two chunks of `LIMIT` tokens."""
    text = "The mill of Arden turns slowly. Note {} about the big wheel and the river."
    return timed([text.format(n) for n in range(count)], session=session, **{"speaker": "Ann", **more})


def memory_of_two_chunks() -> Iterator[Memory]:
    """A memory that holds `long_talk`, for a fixture."""
    with quiet() as opened:
        opened.add_many(long_talk())
        yield opened


class Unwritable:
    """A store that fails from a certain transaction on."""

    def __init__(self, store: Any, after: int) -> None:
        self._store, self._left = store, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def transaction(self, *args: Any, **more: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            raise StoreReadOnly
        return self._store.transaction(*args, **more)
