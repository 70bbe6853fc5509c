"""One message, verbatim, and the parts it is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal, cast, get_args

from clew.errors import TurnRejected
from clew.types.ids import turn_id
from clew.types.record import Record

Role = Literal["user", "assistant", "system", "tool"]
PartType = Literal["text", "tool_call", "tool_result", "image", "thinking", "injected"]
Origin = Literal["user", "assistant", "tool", "web", "injected"]

ROLES: tuple[str, ...] = get_args(Role)
ORIGINS: tuple[str, ...] = get_args(Origin)
PART_TYPES: tuple[str, ...] = get_args(PartType)

_Kinds = tuple[tuple[type, tuple[str, ...]], ...]
_PART_FIELDS: _Kinds = ((str, ("name", "call_id", "blob", "media_type")), (bytes, ("data",)), (dict, ("extra",)))
_TURN_FIELDS: _Kinds = ((str, ("speaker", "external_id", "parent", "branch", "source", "text")), (dict, ("metadata",)))
_NEVER_NONE = ("branch", "text", "metadata")

MAX_TURN_CHARS = 8_000_000
"""Most characters of one turn; a longer one is rejected, since it would be a document and not a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Record):
    """One part of a turn.

    Attributes:
        text: what the part says; for an image its caption, if any; for a tool call its arguments as JSON text.
        name: the tool's name, of a call or a result.
        call_id: joins a tool call to its result.
        blob: SHA-256 (hexadecimal) of the original bytes, when they were moved to the blob store.
        media_type: MIME type of the blob or image.
        data: the original bytes, only on the way in; never stored in the turn's row.
        extra: the source's own fields that Clew carries along without reading them.
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
        if self.type not in PART_TYPES:
            raise TurnRejected(f"part type {self.type!r} is unknown; expected one of {', '.join(PART_TYPES)}")
        if not isinstance(self.text, str):
            raise TurnRejected(f"the text of a {self.type} part is {type(self.text).__name__}; expected str")
        for kind, names in _PART_FIELDS:
            _check_kinds(self, kind, names)


Content = str | tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Record):
    """One message of a conversation.

    On the way in only `role` and `content` are needed. What the store decides (`seq`, `ordinal`, `ingested_at`) is None
    until the turn is stored.

    Attributes:
        role: who speaks, as the wire formats say it.
        content: text, or parts; text becomes one text part.
        session: the conversation's anchor id.
        speaker: the person's or program's own name, when there is one besides the role.
        at: event time, aware; a time without a zone is taken as UTC.
        external_id: the source's own id; adding it twice adds nothing.
        parent: id of the turn this one answers, when it is not simply the one before.
        branch: empty for the main line; else the name of the line that an edit or regeneration opened.
        origin: whose words these are (the taint); by default the role's.
        source: which importer or client brought the turn.
        seq: place in the session, from 0, in order of arrival.
        ordinal: place in the space, from 0, in order of arrival.
        ingested_at: when Clew stored it.
        text: the plain projection that is searched; made from the parts when not given.
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
    text: str = ""

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise TurnRejected(f"role {self.role!r} is unknown; expected one of {', '.join(ROLES)}")
        if not isinstance(self.session, str) or not self.session.strip():
            raise TurnRejected(f"session {self.session!r} is empty; name the conversation or leave the field out")
        for kind, names in _TURN_FIELDS:
            _check_kinds(self, kind, names)
        parts = as_parts(self.content)
        set_field = object.__setattr__  # the instance is frozen for everyone else
        set_field(self, "content", parts)
        if not self.text:
            set_field(self, "text", plain_text(parts))
        if self.origin is None:
            set_field(self, "origin", default_origin(self.role, parts))
        elif self.origin not in ORIGINS:
            raise TurnRejected(f"origin {self.origin!r} is unknown; expected one of {', '.join(ORIGINS)}")
        for name in ("at", "ingested_at"):
            set_field(self, name, aware(getattr(self, name), name))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The content as parts, in order."""
        return cast("tuple[Part, ...]", self.content)

    @property
    def id(self) -> str | None:
        """`<session>:turn:<seq>` with the session percent-encoded; None until stored."""
        return None if self.seq is None else turn_id(self.session, self.seq)

    def stored(self, *, seq: int, ordinal: int, ingested_at: datetime) -> "Turn":
        """The same turn with the places that the store gave it."""
        return replace(self, seq=seq, ordinal=ordinal, ingested_at=ingested_at)


def _check_kinds(record: Record, kind: type, names: Sequence[str]) -> None:
    for name in names:
        value = getattr(record, name)
        if not isinstance(value, kind) and (value is not None or name in _NEVER_NONE):
            what = type(record).__name__.lower()
            raise TurnRejected(f"{name} of a {what} is {type(value).__name__}; expected {kind.__name__}")


def as_parts(content: object) -> tuple[Part, ...]:
    """Normalises what callers pass as content.

    Raises:
        TurnRejected: content is neither text nor parts (or mappings that describe parts).
    """
    if isinstance(content, str):
        return (Part(type="text", text=content),)
    if isinstance(content, Part):
        return (content,)
    if isinstance(content, list | tuple):
        return tuple(_as_part(item) for item in content)
    raise TurnRejected(f"content is {type(content).__name__}; expected text or a list of parts")


def _as_part(item: object) -> Part:
    if isinstance(item, Part):
        return item
    if isinstance(item, str):
        return Part(type="text", text=item)
    if isinstance(item, Mapping):
        return Part.from_dict(item)
    raise TurnRejected(f"a part is {type(item).__name__}; expected a Part, text, or a mapping with 'type' and 'text'")


def plain_text(parts: Sequence[Part]) -> str:
    """The words of a turn in order, one part a paragraph; a tool call is shown as `name(arguments)`."""
    return "\n".join(filter(None, (_plain_part(part) for part in parts)))


def _plain_part(part: Part) -> str:
    if part.type == "tool_call":
        return f"{part.name or 'tool'}({part.text})"
    return part.text


def default_origin(role: str, parts: Sequence[Part]) -> Origin:
    """Whose words a turn holds when nobody said so: tool results are the tool's even in a user's message."""
    if parts and all(part.type == "injected" for part in parts):
        return "injected"
    if role == "tool" or (parts and all(part.type == "tool_result" for part in parts)):
        return "tool"
    return "assistant" if role == "assistant" else "user"


def aware(moment: object, name: str) -> datetime | None:
    """A moment in UTC; one without a zone is taken as UTC, since sources that leave it out mean it.

    Raises:
        TurnRejected: it is neither None nor a datetime.
    """
    if moment is None:
        return None
    if not isinstance(moment, datetime):
        raise TurnRejected(f"{name} is {type(moment).__name__}; expected a datetime, as datetime.fromisoformat reads")
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise TurnRejected(f"{name} {moment!r} is outside the years 1 to 9999 in UTC") from error
