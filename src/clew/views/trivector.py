"""The Tri-Vector document's interface: one session in, its three vectors out, or None and a recorded reason.

Up to `safe_processing_limit_tokens` a session is extracted in one pass; above it, whole turns are gathered into chunks
`<session>:chunk:<n>`, each is extracted by itself, and the results are reduced in order. Where a chunk has no valid
result, the reduce is not begun, and the run's state says which chunk failed and why (docs/extraction.md).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from clew.config import ExtractConfig
from clew.derive.extraction import SessionExtractor
from clew.derive.extraction_reading import shown_turns
from clew.derive.llm.completion_cache import CompletionCache
from clew.errors import InputError, shown
from clew.knowledge.chunks import planned
from clew.memory import Memory
from clew.models.protocol import LLM
from clew.text.counted import counted
from clew.text.counters import Counting, counter
from clew.types.extraction import (
    ChunkRecord,
    Extraction,
    ExtractionMode,
    ExtractionRun,
    ExtractionState,
    GraphEdge,
    GraphNode,
    OpenDelta,
    TriVector,
    Unresolved,
)
from clew.types.turn import Turn
from clew.views.typed_arguments import typed, typed_record

__all__ = [
    "ChunkRecord",
    "Extraction",
    "ExtractionMode",
    "ExtractionRun",
    "ExtractionState",
    "GraphEdge",
    "GraphNode",
    "OpenDelta",
    "TriVector",
    "TriVectorOptions",
    "Unresolved",
    "chunk_session",
    "execute_tri_vector_extraction",
    "run_state",
]

SAFE_PROCESSING_LIMIT_TOKENS: Final = ExtractConfig().safe_limit_tokens
_DOCUMENTS: Final = dict.fromkeys(("safeProcessingLimitTokens", "safe_limit_tokens"), "safe_processing_limit_tokens")
"""Other names of options, of the document and of the settings and `Memory.extract`, and those of the fields."""

CONCURRENCY: Final = ExtractConfig().concurrency


@typed_record
@dataclass(frozen=True, slots=True, kw_only=True)
class TriVectorOptions:
    """How a session is extracted.

    Attributes:
        safe_processing_limit_tokens: tokens of a prompt above which a session is read in chunks; what is not a valid
            number of tokens means one pass.
        memory: where the session is stored, with its model; the run's state and the answers are kept there.
        llm: reads a session that is given as turns; None leaves that to rules.
        counter: how tokens are counted.
        concurrency: chunks of turns that are asked about at the same time; a memory has its own setting.
        semantic_calls: most calls of the semantic reduce; 0 leaves open questions open.
        on_run: writes the state of the run, whatever became of it; an error of it is raised.
    """

    safe_processing_limit_tokens: Any = SAFE_PROCESSING_LIMIT_TOKENS
    memory: Memory | None = None
    llm: LLM | None = None
    counter: Counting = "estimate"
    concurrency: int = CONCURRENCY
    semantic_calls: int = 0
    on_run: Callable[[ExtractionRun], None] | None = None

    @classmethod
    def of(cls, options: "TriVectorOptions | Mapping[str, Any] | None") -> "TriVectorOptions":
        """The options that a caller gave, some of them by name, the document's or the setting's name too, or none.

        Raises:
            InputError: a name is unknown, or they are neither.
        """
        if isinstance(options, TriVectorOptions):
            return options
        if options is not None and not isinstance(options, Mapping):
            raise InputError(f"options are {shown(options, 80)}; expected TriVectorOptions, a mapping or None")
        named = {_DOCUMENTS.get(name, name): value for name, value in (options or {}).items()}
        if unknown := sorted(map(str, named.keys() - {field.name for field in fields(cls)})):
            raise InputError(f"unknown options: {', '.join(unknown)}; there are {', '.join(cls.__slots__)}")
        return cls(**named)


@typed
def execute_tri_vector_extraction(
    session: str | Iterable[Turn], options: TriVectorOptions | Mapping[str, Any] | None = None
) -> TriVector | None:
    """The three vectors of a session; None when a chunk failed or the model could not be asked.

    Args:
        session: the name of a session of `options.memory`; or turns, all of one session, which are stored nowhere.
        options: a mapping has some of them by name.

    Raises:
        InputError: `session` is a name and there is no memory, it is neither a name nor turns of one session, or an
            option is unknown.
        NotFoundError: the memory has no such session.
    """
    chosen = TriVectorOptions.of(options)
    made = _in_memory(session, chosen) if isinstance(session, str) else _of_turns(_given_turns(session), chosen)
    if chosen.on_run is not None:
        chosen.on_run(made.run)
    return made.vector


@typed
def run_state(memory: Memory, session: str) -> ExtractionRun | None:
    """The state of a session's latest extraction, with its chunks; None when there was none."""
    return next((extraction.run for extraction in memory.extractions(session)), None)


@typed
def chunk_session(
    turns: Iterable[Turn], options: TriVectorOptions | Mapping[str, Any] | None = None
) -> list[ChunkRecord]:
    """The chunks in which stored turns of one session would be read; one where they fit one pass."""
    chosen = TriVectorOptions.of(options)
    stored = _given_turns(turns)
    if any(turn.seq is None for turn in stored):
        raise InputError("a turn was never stored, so it has no position; take turns that `Memory.turns` gives")
    count = counter(chosen.counter)
    plan = planned(_session_of(stored), shown_turns(stored)[0], chosen.safe_processing_limit_tokens, count)
    return [chunk.record("") for chunk in plan.chunks]


def _in_memory(session: str, options: TriVectorOptions) -> Extraction:
    if options.memory is None:
        raise InputError(f"session {session!r} is a name, and options.memory is None; give the memory that holds it")
    return options.memory.extract(
        session,
        safe_limit_tokens=options.safe_processing_limit_tokens,
        semantic_calls=options.semantic_calls,
        counter=options.counter,
    )[0]


def _of_turns(turns: list[Turn], options: TriVectorOptions) -> Extraction:
    session = _session_of(turns)
    with Memory.open(":memory:", embedder="none", config={"llm": {"model": "none"}}) as memory:
        if not memory.add_many(replace(turn, seq=None, ordinal=None) for turn in turns).added:
            raise InputError(f"none of the {len(turns)} turns holds any text; expected one or more that do")
        reads, config = memory.reads, memory.config
        answers = None
        if options.llm is not None:  # the memory itself has no model, which would be asked about every turn as well
            answers = CompletionCache(reads.store, memory.space, options.llm, config.llm, reads.clock)
        else:
            memory.drain()  # the relations that rules find are made in the background
        return SessionExtractor(
            store=reads.store,
            space=memory.space,
            config=replace(config.extract, concurrency=options.concurrency, semantic_calls=options.semantic_calls),
            limit=options.safe_processing_limit_tokens,
            count=counter(options.counter),
            clock=reads.clock,
            answers=answers,
        ).extract(session)


def _given_turns(turns: Iterable[Turn]) -> list[Turn]:
    """The turns that a caller gave.

    Raises:
        InputError: they are something else.
    """
    given = list(turns) if isinstance(turns, Iterable) else [turns]
    if strange := [value for value in given if not isinstance(value, Turn)]:
        raise InputError(f"the session has {shown(strange[0])} for a turn; expected its name, or its turns")
    return given


def _session_of(turns: list[Turn]) -> str:
    names = {turn.session for turn in turns}
    if len(names) != 1:
        raise InputError(
            f"the turns are of {counted(len(names), 'session')}; expected one or more turns of one session"
        )
    return names.pop()
