"""The SIGMA document's interface without compression: analysis, lattice, mode, session state, injection.

Functions over the document's own data structures (`clew.views.sigma_shapes`). `Memory` itself analyses and recalls by
its calibrated rules. `compress_context` and the two recaps are not implemented yet.
"""

import json
import logging
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal

import numpy as np

from clew.analyze.keyphrases import keyphrases
from clew.analyze.novelty import PLAIN, RECENT, Vector, novelty, vector_cosine
from clew.analyze.turns import Rules, SessionHistory, TurnInput, as_seen
from clew.analyze.turns import analyze_turn as analyse
from clew.condense.mode import mode_of
from clew.errors import FormatError, InputError, ModelError
from clew.models.checked_calls import embed_checked
from clew.models.protocol import Embedder
from clew.rank.sigma import candidates, chosen, overlay_sum, relevance, snippet
from clew.store.replace_file import replace_file
from clew.types.ids import session_prefix
from clew.views.sigma_shapes import (
    AnalyzerOptions,
    Classification,
    ConversationEdge,
    ConversationLattice,
    ConversationNode,
    ConversationTurn,
    EdgeType,
    InjectorOptions,
    LatticeMetadata,
    OverlayScores,
    Reason,
    SessionState,
    SessionStats,
    Transition,
    TurnAnalysis,
)

__all__ = [
    "AnalyzerOptions",
    "Classification",
    "ConversationEdge",
    "ConversationLattice",
    "ConversationNode",
    "ConversationTurn",
    "EdgeType",
    "InjectorOptions",
    "LatticeMetadata",
    "OverlayScores",
    "SessionState",
    "SessionStats",
    "Transition",
    "TurnAnalysis",
    "analyze_turn",
    "build_conversation_lattice",
    "calculate_novelty",
    "classify_conversation_mode",
    "create_session_state",
    "inject_relevant_context",
    "load_lattice",
    "load_state",
    "save_lattice",
    "save_state",
    "update_session_state",
    "update_session_stats",
]

log = logging.getLogger("clew.views")

SIMILAR: Final = 0.7
"""Cosine above which two turns get a similarity edge (appendix C; DESIGN's lattice)."""
REFERENCE_WEIGHT: Final = 1.0
TEMPORAL_WEIGHT: Final = 0.5
"""Weights of the other edges, for which the document gives only a range."""

_TAGS: Final = 5
_TOOL: Final = re.compile(r"^[ \t]*[A-Za-z_][\w.-]*\(\{|\btool_use\b|\[Tool\b", re.MULTILINE)
_CODE: Final = re.compile(r"^[ \t]*```", re.MULTILINE)
_FILE: Final = re.compile(
    r"(?<![\w/.-])(?:[\w.-]+/)*[\w-]+\.(?:[jt]sx?|py|md|json|ya?ml|toml|rs|go|java|c|h|cpp|cs|rb|sh|sql|html|css)\b"
)


def calculate_novelty(current_embed: Sequence[float], recent_embeds: Sequence[Sequence[float]]) -> float:
    """`0.7 x mean + 0.3 x max` of `1 - cosine` with the recent turns, 0.5 without any; a zero vector has cosine 0.

    Raises:
        InputError: the vectors differ in length.
    """
    now = _vector(current_embed)
    return novelty([_cosine(now, each) for each in recent_embeds], PLAIN)


def analyze_turn(
    turn: ConversationTurn,
    context: Sequence[TurnAnalysis],
    embedder: Embedder | None = None,
    options: AnalyzerOptions | None = None,
) -> TurnAnalysis:
    """Analyse a turn against those before it, by the document's formulas unchanged.

    Importance is novelty x 10 plus the mean of the top 3 overlays, clamped to 1..10. It saturates, which is why
    `Memory` uses a calibrated profile by default (docs/analysis.md).

    Args:
        context: the turns before it, oldest first; the last ten are used.
        embedder: None compares words instead of vectors.

    Raises:
        ModelError: the embedder failed.
    """
    settings = options or AnalyzerOptions()
    rules = Rules(PLAIN, "sigma", settings.paradigm_shift_threshold, routine=settings.routine_threshold)
    vector = None if embedder is None else embed_checked(embedder, [turn.content])[0]
    recent = tuple(as_seen(_told(each)) for each in context[-RECENT:])
    found, _ = analyse(TurnInput(turn.id, turn.role, turn.content, vector), SessionHistory(recent), rules)
    return TurnAnalysis(
        turn_id=turn.id,
        content=turn.content,
        role=turn.role,
        timestamp=turn.timestamp,
        embedding=() if vector is None else tuple(float(value) for value in vector),
        novelty=found.novelty,
        overlay_scores=OverlayScores.of(found.overlays),
        importance_score=found.importance,
        is_paradigm_shift=found.paradigm_shift,
        is_routine=found.routine,
        references=found.references,
        semantic_tags=tuple(phrase.name for phrase in keyphrases(turn.content, _TAGS)),
    )


def build_conversation_lattice(
    turns: Sequence[TurnAnalysis],
    classification: Classification | None = None,
    *,
    created_at: int,
    session_id: str | None = None,
) -> ConversationLattice:
    """Build nodes for the kept turns, and edges between them: references, neighbours in time, similarity.

    Args:
        classification: None keeps all turns.
        created_at: milliseconds since 1970.

    Raises:
        InputError: vectors of two turns differ in length.
    """
    chosen_turns = turns if classification is None else (*classification.preserved, *classification.summarized)
    kept = sorted(chosen_turns, key=lambda turn: (turn.timestamp, turn.turn_id))
    names = {turn.turn_id for turn in kept}
    edges = [
        ConversationEdge(turn.turn_id, name, "conversation_reference", REFERENCE_WEIGHT)
        for turn in kept
        for name in turn.references
        if name in names
    ]
    edges += (ConversationEdge(a.turn_id, b.turn_id, "temporal", TEMPORAL_WEIGHT) for a, b in pairwise(kept))
    edges += _likenesses(kept)
    return ConversationLattice(
        tuple(_node(turn) for turn in kept),
        tuple(edges),
        LatticeMetadata(
            created_at=created_at,
            original_turn_count=len(turns),
            compressed_turn_count=len(kept),
            compression_ratio=len(turns) / len(kept) if kept else 1.0,
            session_id=session_id,
        ),
    )


def classify_conversation_mode(lattice: ConversationLattice) -> Literal["quest", "chat"]:
    """Classify a conversation as quest (work) or chat, by the document's score; 5 or more is a quest.

    More than 5 turns with tool use add 3, a sum of O1 over 15 adds 3, more than 3 code blocks add 2, more than 5 file
    names add 2. Tool use is recognised by the form `name({...})`, in which Clew writes calls, or by `tool_use`.
    """
    texts = [node.content for node in lattice.nodes]
    tools = sum(1 for text in texts if _TOOL.search(text))
    structural = sum(node.overlay_scores.O1_structural for node in lattice.nodes)
    code = sum(len(_CODE.findall(text)) // 2 for text in texts)
    files = sum(len(set(_FILE.findall(text))) for text in texts)
    return mode_of(tool_turns=tools, structural=structural, code_blocks=code, files=files)


def inject_relevant_context(
    user_message: str,
    turn_analyses: Sequence[TurnAnalysis],
    embedder: Embedder | None,
    options: InjectorOptions | None = None,
) -> str:
    """The message with the most relevant earlier turns before it, in the document's format; unchanged without any.

    Candidates are the last 50 turns and all shifts; see `clew.rank.sigma` for the formula. The format does not mark
    recalled text as quoted memory (DESIGN 1.10): `Memory.recall` does.

    Args:
        turn_analyses: oldest first; turns without a vector are never relevant.

    Returns:
        The message as it is when the embedder is None or fails, which is logged: the message must reach the model.

    Raises:
        InputError: the turns' vectors are of another length than the embedder's.
    """
    settings = options or InjectorOptions()
    if embedder is None or not turn_analyses or not user_message.strip():
        return user_message
    shifts = (place for place, turn in enumerate(turn_analyses) if turn.is_paradigm_shift)
    turns = [turn_analyses[place] for place in candidates(len(turn_analyses), shifts, settings.window_size)]
    try:
        query = embed_checked(embedder, [user_message])[0]
    except ModelError as error:
        log.warning("nothing was injected: %s", error)
        return user_message
    scores = relevance(
        np.asarray([_cosine(query, turn.embedding) if turn.embedding else 0.0 for turn in turns]),
        np.asarray([turn.importance_score for turn in turns]),
        np.asarray([overlay_sum(turn.overlay_scores.to_dict()) for turn in turns]),
    )
    places = chosen(scores, settings.min_relevance, settings.max_context_turns)
    if settings.debug:
        log.debug("injected %s", [(turns[place].turn_id, float(scores[place])) for place in places])
    shown = [
        f"[Recent context {number}] {'You asked' if turns[place].role == 'user' else 'I explained'}:\n"
        f"{snippet(turns[place].content, settings.max_snippet_length)}"
        for number, place in enumerate(places, 1)
    ]
    if not shown:
        return user_message
    return "\n\n".join([*shown, "---", f"Based on the above context:\n{user_message}"])


def create_session_state(anchor_id: str, sdk_session: str, *, now: int) -> SessionState:
    """The state of a new conversation; `now` is in milliseconds since 1970."""
    return SessionState(anchor_id=anchor_id, current_session=sdk_session, created_at=now, last_updated=now)


def update_session_state(
    state: SessionState, new_session: str, reason: Reason, *, now: int, tokens: int | None = None
) -> SessionState:
    """The state after the provider started a new session; unchanged when that session is the current one."""
    if new_session == state.current_session:
        return state
    step = Transition(
        old_session=state.current_session,
        new_session=new_session,
        timestamp=now,
        reason=reason,
        token_count_at_compression=tokens,
    )
    return SessionState(
        anchor_id=state.anchor_id,
        current_session=new_session,
        created_at=state.created_at,
        last_updated=now,
        compression_history=(*state.compression_history, step),
        stats=state.stats,
    )


def update_session_stats(state: SessionState, turns: Sequence[TurnAnalysis], *, now: int) -> SessionState:
    """The state with statistics over its turns; averages are formatted as in the document."""
    count = len(turns) or 1
    stats = SessionStats(
        total_turns_analyzed=len(turns),
        paradigm_shifts=sum(turn.is_paradigm_shift for turn in turns),
        routine_turns=sum(turn.is_routine for turn in turns),
        avg_novelty=f"{sum(turn.novelty for turn in turns) / count:.3f}",
        avg_importance=f"{sum(turn.importance_score for turn in turns) / count:.1f}",
    )
    return SessionState(
        anchor_id=state.anchor_id,
        current_session=state.current_session,
        created_at=state.created_at,
        last_updated=now,
        compression_history=state.compression_history,
        stats=stats,
    )


def save_lattice(lattice: ConversationLattice, folder: Path, session: str) -> Path:
    """Write `{session}.lattice.json`, with the name percent-encoded, and return its path."""
    return _write(folder / f"{session_prefix(session)}.lattice.json", lattice.to_dict())


def load_lattice(path: Path) -> ConversationLattice:
    """Read what `save_lattice`, or another program, wrote.

    Raises:
        FormatError: the file is not a JSON object.
        InputError: the object is not a lattice.
    """
    return ConversationLattice.from_dict(_read(path))


def save_state(state: SessionState, folder: Path) -> Path:
    """Write `{anchor_id}.state.json`, with the name percent-encoded, and return its path."""
    return _write(folder / f"{session_prefix(state.anchor_id)}.state.json", state.to_dict())


def load_state(path: Path) -> SessionState:
    """Read what `save_state`, or another program, wrote.

    Raises:
        FormatError: the file is not a JSON object.
        InputError: the object is not a session state.
    """
    return SessionState.from_dict(_read(path))


def _vector(values: Sequence[float]) -> Vector:
    return np.asarray(values, dtype=np.float32)


def _cosine(one: Vector, values: Sequence[float]) -> float:
    if len(values) != len(one):
        raise InputError(
            f"vectors of {len(one)} and {len(values)} numbers cannot be compared; analyse the turns with one embedder"
        )
    return vector_cosine(one, _vector(values))


def _told(turn: TurnAnalysis) -> TurnInput:
    return TurnInput(turn.turn_id, turn.role, turn.content, _vector(turn.embedding) if turn.embedding else None)


def _node(turn: TurnAnalysis) -> ConversationNode:
    return ConversationNode(
        id=turn.turn_id,
        turn_id=turn.turn_id,
        role=turn.role,
        content=turn.content,
        timestamp=turn.timestamp,
        embedding=turn.embedding,
        novelty=turn.novelty,
        overlay_scores=turn.overlay_scores,
        importance_score=turn.importance_score,
        is_paradigm_shift=turn.is_paradigm_shift,
        semantic_tags=turn.semantic_tags,
    )


def _likenesses(kept: Sequence[TurnAnalysis]) -> list[ConversationEdge]:
    """Edges from each turn to earlier ones with similar vectors, weighted by the cosine."""
    known = [turn for turn in kept if turn.embedding]
    found = []
    for place, turn in enumerate(known):
        now = _vector(turn.embedding)
        for earlier in known[:place]:
            weight = round(min(1.0, _cosine(now, earlier.embedding)), 6)
            if weight > SIMILAR:
                found.append(ConversationEdge(turn.turn_id, earlier.turn_id, "semantic_similarity", weight))
    return found


def _write(path: Path, record: object) -> Path:
    replace_file(path, (json.dumps(record, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "surrogatepass"))
    return path


def _read(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
    except ValueError as error:
        raise FormatError(f"{str(path)!r} cannot be read as JSON: {error}") from error
    if not isinstance(found, dict):
        raise FormatError(f"{str(path)!r} holds a {type(found).__name__}; expected an object")
    return found
