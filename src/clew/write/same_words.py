"""Recognises a conversation that arrives in two ways: through the proxy, and from the client's own file.

The two cut it into turns differently: a file of Claude Code has a line for each block of an answer, a request has one
message for all of them. So turns are compared by what their parts say: calls and results by the id of the call, words
as they are but for white space. Reasoning may be told in other words by the two ways (Gemini CLI keeps a summary), so
it decides only for a turn that has nothing else. Turns of a file have external ids, those of the proxy have none.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from clew.ingest.branches import SUBAGENTS
from clew.ingest.identity import TurnKey
from clew.ingest.media import holds_text
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.types import Part, Turn

SOURCES: Final = frozenset(("claude-code", "codex", "gemini-cli"))
"""Programs whose conversations are named alike by both ways."""

NEAR: Final = timedelta(hours=1)
"""Furthest apart in time that one and the same turn may come by the two ways."""

Piece = tuple[str, ...]

_THOUGHT: Final = "thinking"


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where a part is stored: the turn's place in the session, the turn, and by which pieces it is found."""

    seq: int
    turn: Turn
    pieces: tuple[Piece, ...]


class SpokenPieces:
    """What the turns of a session say that arrived in one of the ways. Each piece is found only once."""

    def __init__(self, turns: Iterable[Turn]) -> None:
        """Takes the turns in their order."""
        self._places: dict[Piece, list[_Place]] = defaultdict(list)
        for turn in turns:
            if turn.seq is not None:
                for part in turn.parts:
                    place = _Place(turn.seq, turn, _stored_as(turn.role, part))
                    for piece in place.pieces:
                        self._places[piece].append(place)

    def find(self, turn: Turn) -> tuple[int, ...]:
        """The places of the stored turns that together say everything that a turn says; empty if they do not."""
        chosen: list[_Place] = []
        said = [part for part in turn.parts if _piece(turn.role, part)]
        is_thought_alone = all(part.type == _THOUGHT for part in said)
        for part in said:
            taken = self._free(turn, part, chosen)
            if taken is not None:
                chosen.append(taken)
            elif part.type != _THOUGHT or is_thought_alone:
                return ()
        for place in chosen:
            for piece in place.pieces:
                self._places[piece].remove(place)
        return tuple(sorted({place.seq for place in chosen}))

    def _free(self, turn: Turn, part: Part, chosen: Sequence[_Place]) -> _Place | None:
        """The first place where a part is stored that was not found yet."""
        free = (
            place
            for piece in _found_as(turn.role, part)
            for place in self._places.get(piece, ())
            if _is_near(turn, place.turn) and not any(place is other for other in chosen)
        )
        return next(free, None)


def stored_words(reader: Reader, space: str, session: str, *, from_file: bool | None) -> SpokenPieces:
    """What the turns of a session say that came out of a file, or else through the proxy; None for both."""
    rows = TURN.scan(reader, (space, session), (space, session))
    return SpokenPieces(turn_from_row(row) for row in rows if from_file in (None, row.external_id is not None))


def comes_twice(turns: Sequence[Turn], stored: Sequence[TurnKey]) -> bool:
    """Whether turns of a file belong to a session of which the proxy stored turns."""
    is_file = turns[0].source in SOURCES and any(turn.external_id is not None for turn in turns)
    return is_file and any(key.external_id is None for key in stored)


def named_alike(
    words: SpokenPieces,
    turns: Sequence[Turn],
    incoming: Sequence[TurnKey],
    seqs: Sequence[int],
    stored: Sequence[TurnKey],
) -> tuple[list[TurnKey], list[TurnKey]]:
    """The keys of turns of a file and of a session, where turns that say the same have the same id.

    Args:
        turns, incoming: of the file.
        seqs, stored: places and keys of the session's turns.
    """
    named = [
        key if key.external_id is not None else replace(key, external_id=_id(seq))
        for seq, key in zip(seqs, stored, strict=True)
    ]
    keys_by_seq = dict(zip(seqs, named, strict=True))
    known = {key.external_id for key in stored}
    keys: list[TurnKey] = []
    for turn, key in zip(turns, incoming, strict=True):
        is_apart = turn.branch.startswith(SUBAGENTS)  # the proxy stores these as sessions of their own
        places = () if key.external_id in known or is_apart else words.find(turn)
        same = keys_by_seq.get(places[-1]) if places else None
        keys.append(key if same is None else replace(key, external_id=same.external_id, hash=same.hash))
    return keys, named


def _stored_as(role: str, part: Part) -> tuple[Piece, ...]:
    """By which pieces a stored part is found: a call with an id also by its arguments, for one without."""
    piece = _piece(role, part)
    if part.type == "tool_call" and part.call_id:
        return (piece, ("named call", part.name or "", part.text))
    return (piece,) if piece else ()


def _found_as(role: str, part: Part) -> tuple[Piece, ...]:
    """The pieces by which a part is looked for, the surest first.

    Gemini's answers may have calls without ids, which the program then gives them. Two ids are never the same call.
    """
    piece = _piece(role, part)
    if part.type == "tool_call":
        return (piece, ("call" if part.call_id else "named call", part.name or "", part.text))
    return (piece,)


def _piece(role: str, part: Part) -> Piece:
    """What one part says, in a form that is the same by both ways; empty for one that says nothing."""
    if part.type == "tool_call":
        return ("call", _call_id(part)) if part.call_id else ("call", part.name or "", part.text)
    if part.call_id is not None:
        return ("result", _call_id(part), part.type)
    if holds_text(part) or part.blob is not None:
        return ("blob", part.blob or "")
    text = part.text.replace("**", "") if part.type == _THOUGHT else part.text  # which marks the subject of a thought
    words = " ".join(text.split())
    return (part.type, "" if part.type == "injected" else role, words) if words else ()


def _call_id(part: Part) -> str:
    """The id of a call without the name of its tool, which Gemini CLI writes before it in its file."""
    return (part.call_id or "").removeprefix(f"{part.name}__")


def _is_near(one: Turn, other: Turn) -> bool:
    return one.at is None or other.at is None or abs(one.at - other.at) <= NEAR


def _id(seq: int) -> str:
    """The id that a stored turn without one gets for the comparison; no source has such an id."""
    return f"\0{seq}"
