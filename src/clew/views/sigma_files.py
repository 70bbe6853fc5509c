"""The SIGMA document's session state and its files: lattice, recap and state of a session."""

import json
from collections.abc import Sequence
from pathlib import Path

from clew.errors import FormatError
from clew.rows.provider_sessions import Reason
from clew.store.replace_file import replace_file
from clew.types.ids import session_prefix
from clew.views.sigma_shapes import ConversationLattice, SessionState, SessionStats, Transition, TurnAnalysis


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


def save_recap(text: str, folder: Path, session: str) -> Path:
    """Write `{session}.recap.txt`, with the name percent-encoded, and return its path."""
    path = folder / f"{session_prefix(session)}.recap.txt"
    replace_file(path, text.encode("utf-8", "surrogatepass"))
    return path


def load_recap(path: Path) -> str:
    """Read what `save_recap` wrote, character for character.

    Raises:
        FormatError: the file is not text in UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise FormatError(f"{str(path)!r} is not text in UTF-8: {error}") from error


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
