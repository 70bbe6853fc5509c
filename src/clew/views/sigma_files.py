"""The SIGMA document's session state and its files: lattice, recap and state of a session."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from clew.errors import FormatError, NotFoundError
from clew.memory.opening import utc_now
from clew.rows.provider_sessions import REASONS, Reason
from clew.store.replace_file import replace_file
from clew.store.rows import to_us
from clew.types.exact import exact_choice
from clew.types.ids import session_prefix
from clew.views.sigma_shapes import ConversationLattice, SessionState, SessionStats, Transition, TurnAnalysis
from clew.views.typed_arguments import typed

_LONGEST_NAME: Final = 220
"""Characters of a session's name in the name of a file: with what `replace_file` adds, a file system takes 255."""


@typed
def create_session_state(anchor_id: str, sdk_session: str, *, now: int | None = None) -> SessionState:
    """The state of a new conversation.

    Args:
        now: in milliseconds since 1970, as everywhere here; None takes the present.
    """
    moment = _moment(now)
    return SessionState(anchor_id=anchor_id, current_session=sdk_session, created_at=moment, last_updated=moment)


@typed
def update_session_state(
    state: SessionState, new_session: str, reason: Reason, *, now: int | None = None, tokens: int | None = None
) -> SessionState:
    """The state after the provider started a new session; unchanged when that session is the current one.

    Args:
        tokens: of the conversation at that time.

    Raises:
        InputError: the reason is unknown, or the number of tokens is none.
    """
    reason = exact_choice(reason, "reason", REASONS)
    if new_session == state.current_session:
        return state
    moment = _moment(now)
    step = Transition(
        old_session=state.current_session,
        new_session=new_session,
        timestamp=moment,
        reason=reason,
        token_count_at_compression=tokens,
    )
    history = (*state.compression_history, step)
    return replace(state, current_session=new_session, last_updated=moment, compression_history=history)


@typed
def update_session_stats(
    state: SessionState, stats: SessionStats | Mapping[str, Any] | Sequence[TurnAnalysis], *, now: int | None = None
) -> SessionState:
    """The state with other statistics: those that are given, also as a mapping, or those over its turns.

    Averages over turns are formatted as in the document.

    Raises:
        InputError: they are none of these.
    """
    if isinstance(stats, SessionStats):
        told = stats
    elif isinstance(stats, Mapping):
        told = SessionStats.from_dict(stats)
    else:
        told = _counted(stats)
    return replace(state, last_updated=_moment(now), stats=told)


def _counted(turns: Sequence[TurnAnalysis]) -> SessionStats:
    count = len(turns) or 1
    return SessionStats(
        total_turns_analyzed=len(turns),
        paradigm_shifts=sum(turn.is_paradigm_shift for turn in turns),
        routine_turns=sum(turn.is_routine for turn in turns),
        avg_novelty=f"{sum(turn.novelty for turn in turns) / count:.3f}",
        avg_importance=f"{sum(turn.importance_score for turn in turns) / count:.1f}",
    )


def _moment(now: int | None) -> int:
    return to_us(utc_now()) // 1_000 if now is None else now


def session_file(session: str, kind: str) -> str:
    """The name of a session's file: `{session}.{kind}`, percent-encoded.

    A name that is too long for a file system keeps its beginning, and has its hash for the rest.
    """
    name = session_prefix(session)
    if len(name) > _LONGEST_NAME:
        name = f"{name[: _LONGEST_NAME - 33]}~{sha256(name.encode()).hexdigest()[:32]}"
    return f"{name}.{kind}"


@typed
def save_lattice(lattice: ConversationLattice, folder: Path | str, session: str) -> Path:
    """Write `{session}.lattice.json`, with the name percent-encoded, and return its path."""
    return _write(Path(folder) / session_file(session, "lattice.json"), lattice.to_dict())


@typed
def load_lattice(path: Path | str) -> ConversationLattice:
    """Read what `save_lattice`, or another program, wrote.

    Raises:
        NotFoundError: there is no such file.
        FormatError: the file is not a JSON object.
        InputError: the object is not a lattice.
    """
    return ConversationLattice.from_dict(_read(Path(path)))


@typed
def save_recap(text: str, folder: Path | str, session: str) -> Path:
    """Write `{session}.recap.txt`, with the name percent-encoded, and return its path."""
    path = Path(folder) / session_file(session, "recap.txt")
    replace_file(path, text.encode("utf-8", "surrogatepass"))
    return path


@typed
def load_recap(path: Path | str) -> str:
    """Read what `save_recap` wrote, character for character.

    Raises:
        NotFoundError: there is no such file.
        FormatError: the file is not text in UTF-8.
    """
    return _text(Path(path))


@typed
def save_state(state: SessionState, folder: Path | str) -> Path:
    """Write `{anchor_id}.state.json`, with the name percent-encoded, and return its path."""
    return _write(Path(folder) / session_file(state.anchor_id, "state.json"), state.to_dict())


@typed
def load_state(path: Path | str) -> SessionState:
    """Read what `save_state`, or another program, wrote.

    Raises:
        NotFoundError: there is no such file.
        FormatError: the file is not a JSON object.
        InputError: the object is not a session state.
    """
    return SessionState.from_dict(_read(Path(path)))


def _write(path: Path, record: object) -> Path:
    replace_file(path, (json.dumps(record, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "surrogatepass"))
    return path


def _read(path: Path) -> dict[str, object]:
    text = _text(path)
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{str(path)!r} cannot be read as JSON: {error}") from error
    if not isinstance(record, dict):
        raise FormatError(f"{str(path)!r} holds a {type(record).__name__}; expected an object")
    return record


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "surrogatepass")
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no file {str(path)!r}; name one that was saved before") from error
    except OSError as error:
        raise FormatError(f"{str(path)!r} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{str(path)!r} is not text in UTF-8: {error}") from error
