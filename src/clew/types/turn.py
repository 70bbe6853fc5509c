"""One message, verbatim, and the parts it is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal, cast, get_args

from clew.errors import TurnRejected
from clew.types.exact import exact_choice, exact_moment, exact_text
from clew.types.ids import turn_id
from clew.types.record import Record

Role = Literal["user", "assistant", "system", "tool"]
PartType = Literal["text", "tool_call", "tool_result", "image", "thinking", "injected"]
Origin = Literal["user", "assistant", "tool", "web", "injected"]

ROLES: tuple[str, ...] = get_args(Role)
ORIGINS: tuple[str, ...] = get_args(Origin)
PART_TYPES: tuple[str, ...] = get_args(PartType)

_Kinds = tuple[tuple[type, tuple[str, ...]], ...]
_PART_FIELDS: _Kinds = (
    (str, ("text", "name", "call_id", "blob", "media_type")),
    (bytes, ("data",)),
    (dict, ("extra",)),
)
_TURN_FIELDS: _Kinds = (
    (str, ("session", "speaker", "external_id", "parent", "branch", "source", "text")),
    (dict, ("metadata",)),
)
_NEVER_NONE = ("session", "branch", "text", "metadata")

MAX_TURN_CHARS = 8_000_000
"""Most characters of one turn; longer ones are rejected, since they are documents rather than messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Record):
    """One part of a turn.

    Attributes:
        text: the text; the caption of an image, if any; the arguments of a tool call as JSON text.
        name: name of the tool, for a tool call or result.
        call_id: connects a tool call to its result.
        blob: SHA-256 (hexadecimal) of the original bytes, if they were moved to the blob store.
        media_type: MIME type of the blob or image.
        data: the original bytes, on input only; never stored in the turn's row.
        extra: fields of the source that Clew stores without interpreting them.
    """

    type: PartType
    text: str = ""
    name: str | None = None
    call_id: str | None = None
    blob: str | None = None
    media_type: str | None = None
    data: bytes | None = None
    extra: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        _check_choice(self, "type", PART_TYPES, "part type")
        for kind, names in _PART_FIELDS:
            _check_kinds(self, kind, names)


Content = str | tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Record):
    """One message of a conversation.

    A new turn needs only `role` and `content`. The fields that the store assigns (`seq`, `ordinal`, `ingested_at`) are
    None until the turn is stored.

    Attributes:
        role: role of the author, as in the wire formats.
        content: text, or parts; text becomes one text part.
        session: the conversation's permanent id.
        speaker: name of the person or program, if known besides the role.
        at: event time with time zone; a time without a zone is taken as UTC.
        external_id: id of the turn in its source; adding the same id again has no effect.
        parent: id of the turn that this one answers, if it is not the preceding one.
        branch: empty for the main branch; else the name of the branch that an edit or regeneration opened.
        origin: who wrote the words (for taint tracking); derived from role and parts by default.
        source: the importer or client that added the turn.
        seq: position in the session, from 0, in order of arrival.
        ordinal: position in the space, from 0, in order of arrival.
        ingested_at: when Clew stored the turn.
        text: the plain text that is searched; made from the parts by default.
    """

    role: Role
    content: Content
    session: str = "default"
    speaker: str | None = None
    at: datetime | None = None
    external_id: str | None = None
    parent: str | None = None
    branch: str = ""
    origin: Origin | None = None
    source: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    seq: int | None = None
    ordinal: int | None = None
    ingested_at: datetime | None = None
    text: str = field(default="", repr=False)  # the parts show the same words

    def __post_init__(self) -> None:
        _check_choice(self, "role", ROLES, "role")
        for kind, names in _TURN_FIELDS:
            _check_kinds(self, kind, names)
        if not self.session.strip():
            raise TurnRejected(f"session {self.session!r} is empty; name the conversation or leave the field out")
        parts = as_parts(self.content)
        set_field = object.__setattr__  # the instance is frozen for everyone else
        set_field(self, "content", parts)
        if not self.text:
            set_field(self, "text", plain_text(parts))
        if self.origin is None:
            set_field(self, "origin", default_origin(self.role, parts))
        else:
            _check_choice(self, "origin", ORIGINS, "origin")
        for name in ("at", "ingested_at"):
            set_field(self, name, aware(getattr(self, name), name))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The content as parts, in order."""
        return cast("tuple[Part, ...]", self.content)

    @property
    def id(self) -> str | None:
        """`<session>:turn:<seq>` with the session percent-encoded; None until the turn is stored."""
        return None if self.seq is None else turn_id(self.session, self.seq)

    def stored(self, *, seq: int, ordinal: int, ingested_at: datetime) -> "Turn":
        """A copy of the turn with the fields that the store assigned."""
        return replace(self, seq=seq, ordinal=ordinal, ingested_at=ingested_at)


def _check_kinds(record: Record, kind: type, names: Sequence[str]) -> None:
    for name in names:
        value = getattr(record, name)
        if type(value) is kind or (value is None and name not in _NEVER_NONE):
            continue  # nearly always; the other tests are for subclasses and wrong values
        if isinstance(value, str) and kind is str:
            object.__setattr__(record, name, exact_text(value))
        elif not isinstance(value, kind):
            what = type(record).__name__.lower()
            raise TurnRejected(f"{name} of a {what}: expected {kind.__name__}, got {type(value).__name__}")


def _check_choice(record: Record, name: str, choices: tuple[str, ...], what: str) -> None:
    value = getattr(record, name)
    if type(value) is not str or value not in choices:
        object.__setattr__(record, name, exact_choice(value, what, choices, TurnRejected))


def as_parts(content: object) -> tuple[Part, ...]:
    """Converts content as callers pass it to parts.

    Raises:
        TurnRejected: the content is neither text nor parts (or mappings that describe parts).
    """
    if isinstance(content, str):
        return (Part(type="text", text=content),)
    if isinstance(content, Part):
        return (content,)
    if isinstance(content, list | tuple):
        return tuple(_as_part(item) for item in content)
    raise TurnRejected(f"content: expected text or a list of parts, got {type(content).__name__}")


def _as_part(item: object) -> Part:
    if isinstance(item, Part):
        return item
    if isinstance(item, str):
        return Part(type="text", text=item)
    if isinstance(item, Mapping):
        return Part.from_dict(item)
    raise TurnRejected(
        f"part of content: expected clew.Part, text, or a mapping with 'type' and 'text', got {type(item).__name__}"
    )


def own_parts(parts: Sequence[Part]) -> Sequence[Part]:
    """The parts that somebody said, without what was injected beside them; all of them where nobody said anything."""
    if not any(part.type == "injected" for part in parts):
        return parts
    return [part for part in parts if part.type != "injected" and (part.type != "text" or part.text.strip())] or parts


def plain_text(parts: Sequence[Part]) -> str:
    """The text that is searched: of the parts that somebody said, in order, one line or more per part.

    A tool call becomes `name(arguments)`. Injected parts beside others are stored, and are not memory.
    """
    return full_text(own_parts(parts))


def full_text(parts: Sequence[Part]) -> str:
    """The text of all parts in order, injected ones included, one line or more per part."""
    return "\n".join(filter(None, (_plain_part(part) for part in parts)))


def _plain_part(part: Part) -> str:
    if part.type == "tool_call":
        return f"{part.name or 'tool'}({part.text})"
    return part.text


def default_origin(role: str, parts: Sequence[Part]) -> Origin:
    """The default origin of a turn: tool results are the tool's words even in a user's message."""
    if parts and all(part.type == "injected" for part in parts):
        return "injected"
    if role == "tool" or (parts and all(part.type == "tool_result" for part in parts)):
        return "tool"
    return "assistant" if role == "assistant" else "user"


def aware(moment: object, name: str) -> datetime | None:
    """Converts a datetime to UTC; one without a zone is taken as UTC, since sources that omit the zone mean UTC.

    Raises:
        TurnRejected: the value is neither None nor a datetime, or outside the years 1 to 9999 in UTC.
    """
    if moment is None:
        return None
    if not isinstance(moment, datetime):
        raise TurnRejected(f"{name}: expected datetime.datetime, got {type(moment).__name__}")
    if type(moment) is not datetime:
        moment = exact_moment(moment, name)
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise TurnRejected(f"{name} {moment!r} is outside the years 1 to 9999 in UTC") from error
