"""Sessions of a memory in the SIGMA document's shapes: their state over provider sessions, their lattice, its files.

A conversation keeps one anchor, the session of its turns, however many sessions its provider starts for it. Files lie
as the document lays them out, each replaced in one step:

    {provider session}.lattice.json     the compressed lattice
    {provider session}.recap.txt        what `Memory.recap` gives
    {anchor}.state.json                 provider sessions and statistics
    archives/                           lattices and recaps of former provider sessions

Start at `export_session`.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from clew.errors import InputError, NotFoundError, shown
from clew.index.vectors import vectors_at
from clew.memory.facade import Memory
from clew.rows.annotations import annotation_values
from clew.rows.provider_sessions import (
    REASONS,
    ProviderSession,
    Reason,
    anchor_of,
    provider_sessions,
    put_provider_sessions,
)
from clew.store.home import sync_directory
from clew.store.protocol import Reader, Transaction
from clew.store.rows import to_us, turn_from_row
from clew.store.tables import ANALYSIS, TURN
from clew.types import IngestReport, Turn
from clew.types.exact import exact_choice
from clew.views.sigma_checks import check_tokens
from clew.views.sigma_compress import MINIMUM_TURNS, compress_context
from clew.views.sigma_files import (
    load_lattice,
    load_state,
    save_lattice,
    save_recap,
    save_state,
    session_file,
    update_session_stats,
)
from clew.views.sigma_lattice import build_conversation_lattice
from clew.views.sigma_options import CompressorOptions
from clew.views.sigma_shapes import ConversationNode, OverlayScores, SessionState, Transition, TurnAnalysis
from clew.views.typed_arguments import typed

ARCHIVES: Final = "archives"
"""Folder of the files of former provider sessions."""

_FILES: Final = ("lattice.json", "recap.txt")
_MS: Final = 1_000  # microseconds


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """Where `export_session` wrote, and the files that it moved into `archives/`."""

    lattice: Path
    recap: Path
    state: Path
    archived: tuple[Path, ...] = ()


@typed
def continue_session(
    memory: Memory,
    session: str,
    provider_session: str,
    *,
    reason: Reason = "restart",
    tokens: int | None = None,
) -> SessionState:
    """Note that a conversation goes on in another session of its provider; the turns stay where they are.

    The first one that is named counts as `initial`. Naming the current one again changes nothing.

    Args:
        session: the conversation's anchor: the session of its turns.
        tokens: of the conversation when the provider session was started.

    Raises:
        InputError: the reason is unknown, a name is empty, or the number of tokens is none.
        NotFoundError: there is no such session.
    """
    reason = exact_choice(reason, "reason", REASONS)
    if not provider_session or not isinstance(provider_session, str):
        raise InputError(f"provider session {provider_session!r} is not a name; expected a text that is not empty")
    check_tokens(tokens)
    now = to_us(memory.reads.clock())

    def note(tx: Transaction) -> None:
        known = provider_sessions(tx, memory.space, session)
        if known and known[-1].name == provider_session:
            return
        new = ProviderSession(provider_session, now, reason if known else "initial", tokens)
        if not put_provider_sessions(tx, memory.space, session, [*known, new]):
            raise _unknown(session)

    memory.reads.store.transaction(note)
    return session_state(memory, session)


@typed
def anchor(memory: Memory, provider_session: str) -> str | None:
    """The session in which the turns of a provider session are; None for an unknown one."""
    with memory.reads.store.snapshot() as reader:
        return anchor_of(reader, memory.space, provider_session)


@typed
def session_state(memory: Memory, session: str) -> SessionState:
    """The document's state of a conversation: its provider sessions and the statistics of its analysed turns.

    `compression_history` begins with the first provider session, whose `old_session` is empty. A session of which no
    provider session was named has itself as the current one.

    Raises:
        NotFoundError: there is no such session.
    """
    turns = session_turns(memory, session)
    with memory.reads.store.snapshot() as reader:
        known = provider_sessions(reader, memory.space, session)
        stored = [] if turns or known else _stored(reader, memory.space, session)  # of tools alone
    times = [turn.timestamp for turn in turns] + [each.started // _MS for each in known]
    times = times or [_milliseconds(turn) for turn in stored]
    state = SessionState(
        anchor_id=session,
        current_session=known[-1].name if known else session,
        created_at=min(times),
        last_updated=max(times),
        compression_history=tuple(
            Transition(
                old_session=before,
                new_session=each.name,
                timestamp=each.started // _MS,
                reason=each.reason,
                token_count_at_compression=each.tokens,
            )
            for before, each in zip(["", *(each.name for each in known)], known, strict=False)
        ),
    )
    return update_session_stats(state, [turn for turn in turns if turn.importance_score], now=max(times))


@typed
def session_turns(memory: Memory, session: str) -> list[TurnAnalysis]:
    """What the user and the assistant said in a session, in order, with what the analysis says of it.

    Results of tools, which are not turns in the document, and text that Clew injected are left out. The ids are the
    memory's, so that `restore` gives turns whole. A turn that is not analysed yet has an importance of 0. Vectors are
    those of the embedder that serves now.

    Raises:
        NotFoundError: there is no such session.
    """
    view = memory.reads.live.view()
    with memory.reads.store.snapshot() as reader:
        turns = [turn for turn in _stored(reader, memory.space, session) if _is_said(turn)]
        said = annotation_values(reader, memory.space, ANALYSIS.name, [turn.ordinal or 0 for turn in turns])
    embedder = memory.reads.ranker.serving(view)
    places = [view.position(session, turn.seq or 0) for turn in turns]
    known = [place for place in places if place is not None]
    vectors = {} if embedder is None else vectors_at(view, embedder.name, known)
    return [
        TurnAnalysis(
            turn_id=str(turn.id),
            content=turn.text,
            role="user" if turn.role == "user" else "assistant",
            timestamp=_milliseconds(turn),
            embedding=() if place is None else tuple(map(float, vectors.get(place, ()))),
            novelty=float(values.get("novelty", 0.0)),
            overlay_scores=OverlayScores.of(values.get("overlays", {})),
            importance_score=float(values.get("importance", 0.0)),
            is_paradigm_shift=bool(values.get("paradigm_shift", False)),
            is_routine=bool(values.get("routine", False)),
            references=tuple(values.get("references", ())),
            semantic_tags=tuple(values.get("tags", ())),
        )
        for turn, place, values in zip(turns, places, (found or {} for found in said), strict=True)
    ]


@typed
def export_session(
    memory: Memory,
    session: str,
    folder: Path | str,
    *,
    options: CompressorOptions | None = None,
    archive: bool = False,
) -> SessionFiles:
    """Write the lattice, the recap and the state of a session; see above for their names.

    The lattice is compressed from five turns on. Tokens are counted by the counter in the settings. Each file is old or
    new as a whole, also after a crash; the state is written last.

    Args:
        archive: move the files of former provider sessions into `archives/`.

    Raises:
        NotFoundError: there is no such session.
        OSError: the folder cannot be written.
    """
    folder = Path(folder)
    state = session_state(memory, session)
    turns, made, name = session_turns(memory, session), state.created_at, state.current_session
    if len(turns) < MINIMUM_TURNS:
        lattice = build_conversation_lattice(turns, created_at=made, session_id=name)
    else:
        counting = memory.config.counter
        lattice = compress_context(turns, options, created_at=made, session_id=name, counter=counting).lattice
    recap = memory.recap(session, budget=memory.config.condense.recap_tokens)
    return SessionFiles(
        save_lattice(lattice, folder, state.current_session),
        save_recap(recap.text, folder, state.current_session),
        save_state(state, folder),
        _archived(state, folder) if archive else (),
    )


@typed
def import_session(memory: Memory, folder: Path | str, anchor_id: str) -> IngestReport:
    """Read back what `export_session`, or another program, wrote of a conversation: its turns and provider sessions.

    Lattices are read from the folder and its `archives/`. Turns that the memory has are left as they are: those that it
    exported, and those that were read before. A node of a compressed lattice brings the text that it holds; the turn's
    metadata say of which class it was. The recap is in `{session}.recap.txt` for whoever wants it (`load_recap`); the
    memory makes its own.

    Raises:
        NotFoundError: the folder has no state of the conversation.
        FormatError: a file is not a JSON object. InputError: it is not a state or no lattice.
    """
    folder = Path(folder)
    path = folder / session_file(anchor_id, "state.json")
    if not path.exists():
        raise NotFoundError(f"{str(folder)!r} has no {path.name}; export the session first, or name its anchor")
    state = load_state(path)
    nodes: dict[str, ConversationNode] = {}
    for name in _names(state):
        for place in (folder / ARCHIVES, folder):
            file = place / session_file(name, "lattice.json")
            if file.exists():
                nodes |= _by_own_id(load_lattice(file).nodes)
    with memory.reads.store.snapshot() as reader:
        rows = TURN.scan(reader, (memory.space, state.anchor_id), (memory.space, state.anchor_id))
        stored = {str(turn_from_row(row).id) for row in rows}
    new = [node for name, node in nodes.items() if name not in stored and node.content.strip()]
    turns = [_turn(node, state.anchor_id) for node in sorted(new, key=lambda node: node.timestamp)]
    report = memory.add_many(turns)
    memory.reads.store.transaction(partial(_merge, memory.space, state))
    return report


def _by_own_id(nodes: Iterable[ConversationNode]) -> dict[str, ConversationNode]:
    """The nodes of a lattice by an id that each has alone: the document's are times, which two turns may share."""
    by_id: dict[str, ConversationNode] = {}
    times: Counter[str] = Counter()
    for node in nodes:
        name = node.turn_id
        while name in by_id:
            times[node.turn_id] += 1
            name = f"{node.turn_id}+{times[node.turn_id]}"
        by_id[name] = node if name == node.turn_id else replace(node, turn_id=name)
    return by_id


def _merge(space: str, state: SessionState, tx: Transaction) -> None:
    known = {(session.name, session.started): session for session in provider_sessions(tx, space, state.anchor_id)}
    for step in state.compression_history:
        key = (step.new_session, step.timestamp * _MS)
        if not any(name == key[0] and started // _MS == step.timestamp for name, started in known):
            known[key] = ProviderSession(*key, step.reason, step.token_count_at_compression)
    if known:
        put_provider_sessions(tx, space, state.anchor_id, sorted(known.values(), key=lambda each: each.started))


def _names(state: SessionState) -> list[str]:
    """The provider sessions of a conversation, the first one first, each once."""
    steps = [name for step in state.compression_history for name in (step.old_session, step.new_session)]
    return [name for name in dict.fromkeys([*steps, state.current_session]) if name]


def _archived(state: SessionState, folder: Path) -> tuple[Path, ...]:
    """Moves what is there of former provider sessions."""
    moved = []
    for name in _names(state):
        for kind in _FILES:
            file = folder / session_file(name, kind)
            if name != state.current_session and file.exists():
                (folder / ARCHIVES).mkdir(exist_ok=True)
                moved.append(file.replace(folder / ARCHIVES / file.name))
    if moved:
        sync_directory(folder / ARCHIVES)
        sync_directory(folder)
    return tuple(moved)


def _stored(reader: Reader, space: str, session: str) -> list[Turn]:
    turns = [turn_from_row(row) for row in TURN.scan(reader, (space, session), (space, session))]
    if not turns:
        raise _unknown(session)
    return turns


def _is_said(turn: Turn) -> bool:
    return turn.origin != "injected" and turn.role != "tool"


def _unknown(session: str) -> NotFoundError:
    return NotFoundError(f"there is no session {session!r}; `clew sessions` lists those that there are")


def _milliseconds(turn: Turn) -> int:
    at = turn.at or turn.ingested_at
    return 0 if at is None else to_us(at) // _MS


def _turn(node: ConversationNode, session: str) -> Turn:
    try:
        at = datetime.fromtimestamp(node.timestamp / 1_000, UTC) if node.timestamp > 0 else None
    except (ValueError, OverflowError, OSError) as error:
        told = f"the turn {shown(node.turn_id)} has the timestamp {node.timestamp}"
        raise InputError(f"{told}; expected milliseconds since 1970") from error
    return Turn(
        role=node.role,
        content=node.content,
        session=session,
        external_id=node.turn_id,
        at=at,
        metadata={"sigma": node.compression} if node.compression else {},
    )
