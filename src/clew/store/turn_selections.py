"""Some columns of the turns, typed; `selections` has those of the other tables, and says how to use them."""

from typing import Final, NamedTuple

from clew.store.protocol import Reader
from clew.store.table_columns import Column, Columns
from clew.store.tables import TURN


class TurnPlace(NamedTuple):
    """Where a turn stands; its id is made of this."""

    session: str
    seq: int


class TurnActor(NamedTuple):
    """Where a turn stands, and who acts in it."""

    seq: int
    ordinal: int
    role: str
    origin: str


class TurnOrigin(NamedTuple):
    """A turn's place in its session, and whose words it has."""

    seq: int
    origin: str


class SessionOrdinal(NamedTuple):
    """A turn's session and its number in the space."""

    session: str
    ordinal: int


class TurnArrival(NamedTuple):
    """Where a turn stands, its number in the space, and when it came."""

    session: str
    seq: int
    ordinal: int
    ingested_at: int


class TurnTimes(NamedTuple):
    """Where a turn stands, its number in the space, and its times."""

    session: str
    seq: int
    ordinal: int
    at: int | None
    ingested_at: int


class OrdinalArrival(NamedTuple):
    """A turn's number in the space and when it came."""

    ordinal: int
    ingested_at: int


class OrdinalBranch(NamedTuple):
    """A turn's number in the space and its branch."""

    ordinal: int
    branch: str


class TurnContent(NamedTuple):
    """Where a turn stands, and the hash of its content."""

    session: str
    seq: int
    hash: bytes


class TurnDigest(NamedTuple):
    """A turn's place in its session, the hash of its content, and its number in the space."""

    seq: int
    hash: bytes
    ordinal: int


class TurnIdentity(NamedTuple):
    """What tells a turn that comes again."""

    hash: bytes
    at: int | None
    external_id: str | None


class TurnLink(NamedTuple):
    """A turn's place in its session, what tells it when it comes again, and what it follows."""

    seq: int
    hash: bytes
    at: int | None
    external_id: str | None
    branch: str
    parent: str | None


class TurnParent(NamedTuple):
    """Where a turn stands, and the turn that it answers."""

    session: str
    seq: int
    parent: str | None


class TurnBranch(NamedTuple):
    """Where a turn stands, its branch, and who made it."""

    session: str
    seq: int
    branch: str
    origin: str


TURN_PLACES: Final = Columns(TURN, TurnPlace)
TURN_ACTORS: Final = Columns(TURN, TurnActor)
TURN_ORIGINS: Final = Columns(TURN, TurnOrigin)
TURN_SESSION_ORDINALS: Final = Columns(TURN, SessionOrdinal)
TURN_ARRIVALS: Final = Columns(TURN, TurnArrival)
TURN_TIMES: Final = Columns(TURN, TurnTimes)
TURN_ORDINAL_ARRIVALS: Final = Columns(TURN, OrdinalArrival)
TURN_CONTENTS: Final = Columns(TURN, TurnContent)
TURN_DIGESTS: Final = Columns(TURN, TurnDigest)
TURN_IDENTITIES: Final = Columns(TURN, TurnIdentity)
TURN_LINKS: Final = Columns(TURN, TurnLink)
TURN_PARENTS: Final = Columns(TURN, TurnParent)
TURN_BRANCHES: Final = Columns(TURN, TurnBranch)
TURN_ORDINAL_BRANCHES: Final = Columns(TURN, OrdinalBranch)
TURN_AT: Final = Column[int | None](TURN, "at")
TURN_HASH: Final = Column[bytes](TURN, "hash")
TURN_METADATA: Final = Column[str | None](TURN, "metadata")
TURN_ORDINAL: Final = Column[int](TURN, "ordinal")
TURN_ORIGIN: Final = Column[str](TURN, "origin")
TURN_PARTS: Final = Column[str | None](TURN, "parts")
TURN_SEQ: Final = Column[int](TURN, "seq")
TURN_SESSION: Final = Column[str](TURN, "session")
TURN_TEXT: Final = Column[str](TURN, "text")


def newest_ordinal(reader: Reader, space: str) -> int:
    """The last turn's ordinal; -1 if there are no turns."""
    newest = TURN_ORDINAL.first(reader, (space,), (space,), index="ordinal", reverse=True)
    return -1 if newest is None else newest
