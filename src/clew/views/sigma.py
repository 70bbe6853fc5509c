"""The SIGMA document's interface: analysis, lattice, compression, recaps, session state and injection.

Functions over the document's own data structures (`clew.views.sigma_shapes`). `Memory` itself analyses, compacts and
recalls by its calibrated rules; `clew.views.sigma_session` gives its sessions in these shapes.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from clew.analyze.keyphrases import keyphrases
from clew.analyze.novelty import PLAIN, RECENT, Vector, novelty, word_cosine, word_counts
from clew.analyze.tags import is_name
from clew.analyze.turns import Rules, SessionHistory, TurnInput, as_seen
from clew.analyze.turns import analyze_turn as analyse
from clew.errors import ModelError
from clew.models.checked_calls import embed_checked
from clew.models.protocol import Embedder
from clew.rank.sigma import candidates, chosen, overlay_sum, relevance, snippet
from clew.rows.provider_sessions import Reason
from clew.text.terms import terms
from clew.views.sigma_compress import MINIMUM_TURNS, compress_context, is_compression_due
from clew.views.sigma_files import (
    create_session_state,
    load_lattice,
    load_recap,
    load_state,
    save_lattice,
    save_recap,
    save_state,
    update_session_state,
    update_session_stats,
)
from clew.views.sigma_lattice import build_conversation_lattice, classify_conversation_mode, cosine, vector_of
from clew.views.sigma_meet import OverlayRegistry
from clew.views.sigma_options import AnalyzerOptions, CompressorOptions, InjectorOptions
from clew.views.sigma_recap import reconstruct_chat_context, reconstruct_quest_context
from clew.views.sigma_session import (
    SessionFiles,
    anchor,
    continue_session,
    export_session,
    import_session,
    session_state,
    session_turns,
)
from clew.views.sigma_shapes import (
    Classification,
    CompressionResult,
    ConversationEdge,
    ConversationLattice,
    ConversationNode,
    ConversationTurn,
    EdgeType,
    LatticeMetadata,
    OverlayScores,
    SessionState,
    SessionStats,
    Transition,
    TurnAnalysis,
)
from clew.views.typed_arguments import typed

__all__ = [
    "MINIMUM_TURNS",
    "AnalyzerOptions",
    "Classification",
    "CompressionResult",
    "CompressorOptions",
    "ConversationEdge",
    "ConversationLattice",
    "ConversationNode",
    "ConversationTurn",
    "EdgeType",
    "InjectorOptions",
    "LatticeMetadata",
    "OverlayRegistry",
    "OverlayScores",
    "Reason",
    "SessionFiles",
    "SessionState",
    "SessionStats",
    "Transition",
    "TurnAnalysis",
    "analyze_turn",
    "anchor",
    "build_conversation_lattice",
    "calculate_novelty",
    "classify_conversation_mode",
    "compress_context",
    "continue_session",
    "create_session_state",
    "export_session",
    "import_session",
    "inject_relevant_context",
    "is_compression_due",
    "load_lattice",
    "load_recap",
    "load_state",
    "reconstruct_chat_context",
    "reconstruct_quest_context",
    "save_lattice",
    "save_recap",
    "save_state",
    "session_state",
    "session_turns",
    "update_session_state",
    "update_session_stats",
]

log = logging.getLogger("clew.views")

_TAGS: Final = 5


@typed
def calculate_novelty(current_embed: Sequence[float], recent_embeds: Sequence[Sequence[float]]) -> float:
    """`0.7 x mean + 0.3 x max` of `1 - cosine` with the recent turns, 0.5 without any; a zero vector has cosine 0.

    Raises:
        InputError: the vectors differ in length, or are not finite numbers.
    """
    now = vector_of(current_embed)
    return novelty([cosine(now, embedding) for embedding in recent_embeds], PLAIN)


@typed
def analyze_turn(
    turn: ConversationTurn,
    context: Sequence[TurnAnalysis],
    embedder: Embedder | None = None,
    project_registry: OverlayRegistry | None = None,
    options: AnalyzerOptions | Mapping[str, Any] | None = None,
) -> TurnAnalysis:
    """Analyse a turn against those before it, by the document's formulas unchanged.

    Importance is novelty x 10 plus the mean of the top 3 overlays, clamped to 1..10. It saturates, which is why
    `Memory` uses a calibrated profile by default (docs/analysis.md).

    Args:
        context: the turns before it, oldest first; the last ten are used.
        embedder: None compares words instead of vectors, as is done when it fails, which is logged.
        project_registry: the overlays of a project; None leaves words and inheritance.
        options: or a mapping of their names, as everywhere here.

    Raises:
        InputError: the registry's vectors are of another length than the embedder's.
    """
    settings = AnalyzerOptions.of(options)
    rules = Rules(PLAIN, "sigma", settings.paradigm_shift_threshold, routine=settings.routine_threshold)
    vector = None if embedder is None else _vector(turn, embedder)
    recent = tuple(as_seen(_told(each)) for each in context[-RECENT:])
    meet = None if project_registry is None else project_registry.query(turn.content, vector)
    now = TurnInput(turn.id, turn.role, turn.content, vector, meet=meet)
    found, _ = analyse(now, SessionHistory(recent), rules)
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
        semantic_tags=tuple(phrase.name for phrase in keyphrases(turn.content, _TAGS) if is_name(phrase.name)),
    )


def _vector(turn: ConversationTurn, embedder: Embedder) -> Vector | None:
    """The vector of a turn; None when the embedder fails."""
    try:
        vector: Vector = embed_checked(embedder, [turn.content])[0]
    except ModelError as error:
        log.warning("turn %s is compared by its words: %s", turn.id, error)
        return None
    return vector


@typed
def inject_relevant_context(
    user_message: str,
    turn_analyses: Sequence[TurnAnalysis],
    embedder: Embedder | None,
    options: InjectorOptions | Mapping[str, Any] | None = None,
) -> str:
    """The message with the most relevant earlier turns before it, in the document's format; unchanged without any.

    Candidates are the last 50 turns and all shifts; see `clew.rank.sigma` for the formula. The format does not mark
    recalled text as quoted memory: `Memory.recall` does.

    Args:
        turn_analyses: oldest first; turns without a vector are never relevant to a question that has one.
        embedder: without it, and where it fails, which is logged, the cosine is that of the words.

    Raises:
        InputError: the turns' vectors are of another length than the embedder's, or the message is not text.
    """
    settings = InjectorOptions.of(options)
    if not turn_analyses or not user_message.strip():
        return user_message
    shifts = (index for index, turn in enumerate(turn_analyses) if turn.is_paradigm_shift)
    turns = [turn_analyses[index] for index in candidates(len(turn_analyses), shifts, settings.window_size)]
    scores = relevance(
        np.asarray(_cosines(user_message, turns, embedder)),
        np.asarray([turn.importance_score for turn in turns]),
        np.asarray([overlay_sum(turn.overlay_scores.to_dict()) for turn in turns]),
    )
    indexes = chosen(scores, settings.min_relevance, settings.max_context_turns)
    if settings.debug:
        log.debug("injected %s", [(turns[index].turn_id, float(scores[index])) for index in indexes])
    shown = [
        f"[Recent context {number}] {'You asked' if turns[index].role == 'user' else 'I explained'}:\n"
        f"{snippet(turns[index].content, settings.max_snippet_length)}"
        for number, index in enumerate(indexes, 1)
    ]
    if not shown:
        return user_message
    return "\n\n".join([*shown, "---", f"Based on the above context:\n{user_message}"])


def _cosines(message: str, turns: Sequence[TurnAnalysis], embedder: Embedder | None) -> list[float]:
    """The cosine of the message and each turn: of their vectors, or of their words where the message has no vector."""
    if embedder is not None:
        try:
            query = embed_checked(embedder, [message])[0]
        except ModelError as error:
            log.warning("context is chosen by words: %s", error)
        else:
            return [cosine(query, turn.embedding) if turn.embedding else 0.0 for turn in turns]
    asked = word_counts(terms(message))
    return [word_cosine(asked, word_counts(terms(turn.content))) for turn in turns]


def _told(turn: TurnAnalysis) -> TurnInput:
    return TurnInput(turn.turn_id, turn.role, turn.content, vector_of(turn.embedding) if turn.embedding else None)
