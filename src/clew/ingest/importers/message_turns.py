"""Converts a message, as any importer read it, to turns, or to a rejection with its reason."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from typing import Any

from clew.errors import TurnRejected
from clew.ingest.client_marks import ASKED, ATTACHED, is_summary, split_words
from clew.ingest.importers.record import AT_RAW, ImportedTurn, ImportRecord, Skipped
from clew.ingest.when import parse_when
from clew.types import MAX_TURN_CHARS, Origin, Part, Rejection, Role, Turn

_NAMES: Mapping[Role, str] = {
    "user": "user human person prompter customer",
    "assistant": "assistant ai bot model gemini chatgpt gpt claude agent",
    "system": "system developer",
    "tool": "tool function",
}
ROLES: Mapping[str, Role] = {name: role for role, names in _NAMES.items() for name in names.split()}
"""The names that sources use for roles, in lower case."""

PIECE_CHARS = 1_000_000
"""Most characters of the turns that a message becomes which is too long for one: far fewer than a turn may have, since
each stage behind holds a turn several times.
"""

WEB_TOOLS = frozenset(
    "webfetch websearch web_fetch web_search google_web_search browser web web.run web.search".split()
)
"""Names, in lower case, of tools whose results come from the web."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMessage:
    """One message of a source.

    Attributes:
        role: as the source writes it.
        at: as the source writes it; a time that cannot be read is kept in the turn's metadata as `at_raw`.
        parent: external id of the message that it answers, if that is not the message before.
        origin: None to derive it from role and parts.
        skip_blank: whether a message of white space alone is usual in the source; elsewhere it is rejected.
    """

    source: str
    session: str
    role: str
    parts: tuple[Part, ...]
    at: Any = None
    external_id: str | None = None
    speaker: str | None = None
    parent: str | None = None
    branch: str = ""
    origin: Origin | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    skip_blank: bool = False


def message_turns(message: ImportedMessage, where: str) -> Iterator[ImportRecord]:
    """The turns of a message: one for each run of parts from the same author.

    Tool results, and text that a client inserted, are not by the author of the message that holds them; so a message
    that mixes them gives several turns, and so does one that is too long for a turn. The first has the message's id,
    the others `<id>#1`, `<id>#2`, ...
    """
    n = -1
    for n, (kind, parts) in enumerate(_content_runs(message.parts)):
        try:
            yield ImportedTurn(_turn(message, kind, parts, n), where)
        except TurnRejected as error:
            yield Rejection(where=where, reason=str(error))
    if n < 0 and message.parts and message.skip_blank and not any(part.extra for part in message.parts):
        yield Skipped("blank message", where)
    elif n < 0:
        yield Rejection(where=where, reason="empty: the message says nothing")


def has_content(parts: tuple[Part, ...]) -> bool:
    """Whether the parts say anything, so that they give a turn."""
    return any(map(_has_content, parts))


def last_id(message: ImportedMessage) -> str | None:
    """External id of a message's last turn; None if it gives no turn or has no id."""
    count = sum(1 for _ in _content_runs(message.parts))
    return _numbered(message.external_id, count - 1) if count else None


def as_role(name: Any) -> Role:
    """The role that a source's name stands for.

    Raises:
        TurnRejected: the name is unknown.
    """
    role = ROLES.get(name.strip().lower()) if isinstance(name, str) else None
    if role is None:
        raise TurnRejected(f"role {name!r:.60} is unknown; expected user, assistant, system or tool")
    return role


class ToolNames:
    """Remembers the names of tool calls, to name results that carry only the call's id."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """The parts, with the tool's name added to each result whose call came before."""
        for part in parts:
            if part.type == "tool_call" and part.call_id and part.name:
                self._names[part.call_id] = part.name
        return tuple(self._named(part) for part in parts)

    def _named(self, part: Part) -> Part:
        if part.name or part.call_id is None or part.call_id not in self._names:
            return part
        return replace(part, name=self._names[part.call_id])


def injected(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts, with texts marked as inserted by a client."""
    return tuple(replace(part, type="injected") if part.type == "text" else part for part in parts)


def mark_injected(parts: tuple[Part, ...], marks: tuple[str, ...]) -> tuple[Part, ...]:
    """The parts, with texts that begin with one of a client's marks turned into injected parts."""
    return tuple(
        replace(part, type="injected") if part.type == "text" and part.text.lstrip().startswith(marks) else part
        for part in parts
    )


def pieces_by_author(part: Part) -> Iterator[Part]:
    """The pieces of a part of a user's message, with texts that a program added as injected parts."""
    if part.type != "text" or part.call_id is not None or part.data is not None or not part.text:
        yield part
        return
    for text, is_own in split_words(part.text):
        is_whole = is_own and text == part.text
        yield part if is_whole else replace(part, text=text, type="text" if is_own else "injected")


def split_attached(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts, with files that an editor attached to a text as injected parts."""
    if not any(ATTACHED in part.text for part in parts):
        return parts
    return tuple(piece for part in parts for piece in (pieces_by_author(part) if ATTACHED in part.text else (part,)))


def asked_in(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts, with what the person asked taken out of the frame in which Cursor writes it; the rest is injected."""
    if not any(map(_is_framed, parts)):
        return parts
    pieces = (piece for part in parts for piece in (pieces_by_author(part) if _is_framed(part) else (part,)))
    return tuple(replace(piece, text=piece.text.strip()) if piece.type == "text" else piece for piece in pieces)


def _is_framed(part: Part) -> bool:
    """Whether a text has Cursor's frame, which begins a line; a person may quote its name in one."""
    return ASKED in part.text and f"\n{ASKED}" in f"\n{part.text.lstrip()}"


def unsaid_command(part: Part) -> Part:
    """A command that the person gave without a word of their own is the program's text."""
    is_command = part.type == "text" and not any(is_own for _, is_own in split_words(part.text))
    return replace(part, type="injected") if is_command else part


def _voice_runs(parts: tuple[Part, ...]) -> list[tuple[str, tuple[Part, ...]]]:
    """Runs of consecutive parts from the same author."""
    return [(kind, tuple(run)) for kind, run in groupby(parts, key=_voice)]


def _content_runs(parts: tuple[Part, ...]) -> Iterator[tuple[str, tuple[Part, ...]]]:
    """The runs that have content, each without its empty parts; one that is too long for a turn in several pieces."""
    for kind, run in _voice_runs(parts):
        if any(map(_has_content, run)):
            kept = tuple(part for part in run if part.extra or _has_content(part))
            yield from ((kind, piece) for piece in _pieces(kept))


def _pieces(parts: tuple[Part, ...]) -> Iterator[tuple[Part, ...]]:
    """The parts of a turn; too long ones in groups of up to `PIECE_CHARS`, each text cut after a line if it has any.

    One group is made at a time, so that a long message is not in memory twice.
    """
    if sum(len(part.text) + 1 for part in parts) <= MAX_TURN_CHARS:
        yield parts
        return
    group: list[Part] = []
    size = 0
    for piece in chain.from_iterable(map(_cut, parts)):
        if group and size + len(piece.text) > PIECE_CHARS:
            yield tuple(group)
            group, size = [], 0
        group.append(piece)
        size += len(piece.text) + 1
    yield tuple(group)


def _cut(part: Part) -> Iterator[Part]:
    start = 0
    while len(part.text) - start > PIECE_CHARS:
        end = part.text.rfind("\n", start, start + PIECE_CHARS) + 1 or start + PIECE_CHARS
        yield replace(part, text=part.text[start:end])
        start = end
    yield replace(part, text=part.text[start:]) if start else part


def _numbered(external_id: str | None, n: int) -> str | None:
    return f"{external_id}#{n}" if n and external_id is not None else external_id


def _has_content(part: Part) -> bool:
    is_tool = part.type in ("tool_call", "tool_result")  # an empty result still says that the call was answered
    return is_tool or bool(part.text.strip()) or part.data is not None or part.blob is not None


def _voice(part: Part) -> str:
    if part.type == "tool_result" or (part.type != "tool_call" and part.call_id is not None):
        return "result"
    if part.type != "injected":
        return "own"
    return "summary" if is_summary(part.text) else "injected"  # a turn of its own: it may be all there is of a history


def _turn(message: ImportedMessage, kind: str, parts: tuple[Part, ...], n: int) -> Turn:
    role = as_role(message.role)
    metadata = dict(message.metadata)
    at = parse_when(message.at)
    if at is None and message.at not in (None, ""):
        metadata[AT_RAW] = message.at
    origin = message.origin
    if kind == "result":
        role = "tool"
        is_web = origin == "web" or all((part.name or "").lower() in WEB_TOOLS for part in parts)
        origin = "web" if is_web else "tool"
    elif kind in ("injected", "summary"):
        origin = "injected"
    return Turn(
        role=role,
        content=parts,
        session=message.session,
        speaker=message.speaker or None,
        at=at,
        external_id=_numbered(message.external_id, n),
        parent=message.parent if n == 0 else None,
        branch=message.branch,
        origin=origin,
        source=message.source,
        metadata=metadata,
    )
