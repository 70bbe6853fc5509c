"""The records that importers produce (turns, rejections, skipped records), and their size limits."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from clew.types import Rejection, Turn

QUEUED: Final = "queued:"
"""Begins the external id of a message that waited in a client's queue; it may be delivered later, see `Delivered`."""

UNFINISHED: Final = "unfinished last line"
"""The kind in an import's report of an `UnfinishedRecord`."""

LINK: Final = "link"
IRREGULAR: Final = "no regular file"
OTHER_KIND: Final = "file of another kind"
UNKNOWN: Final = "file of no known format"
LISTING: Final = "list of a Slack export"
UNSPOKEN: Final = "text that nobody speaks in"
HOME: Final = "home of Clew"
BACKUP: Final = "backup of Clew"
DATABASE: Final = "SQLite database"
EMPTY: Final = "empty file"
UNREAD: Final = frozenset((LINK, IRREGULAR, OTHER_KIND, UNKNOWN, LISTING, UNSPOKEN, HOME, BACKUP, DATABASE, EMPTY))
"""The kinds in an import's report of files from which nothing was read."""

AT_RAW: Final = "at_raw"
"""The key in a turn's metadata of a time that could not be read, as its source writes it."""


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Size limits of imported records; a larger record is rejected without being held in memory as a whole.

    Attributes:
        max_line_bytes: one line of a line-based format, one message of a list, one paragraph.
        max_conversation_bytes: one conversation of an account export, which is read as a whole to follow its branches.
        max_file_bytes: one file inside a zip, uncompressed: guards against zip bombs.
    """

    max_line_bytes: int = 64 << 20
    max_conversation_bytes: int = 256 << 20
    max_file_bytes: int = 16 << 30


class NamedFile(NamedTuple):
    """A file after which a session is called that has no name of its own.

    Attributes:
        holder: name of the folder or zip that was imported, or else of the folder in which the file is.
        place: the file's absolute path; of a member of a zip, with its name behind `!`.
        is_member: whether it is a member of a zip.
    """

    holder: str
    place: str
    is_member: bool = False


@dataclass(frozen=True, slots=True)
class ImportedTurn:
    """A turn and its position in the source: `file:line`, or `file:messages[12]`.

    Attributes:
        names_session: whether the record itself names the session, as Clew's own exports do.
        file: after which the session is called; None where it has a name of its own.
        chat: the source's own id of its chat, where the session is called by the chat's name alone; of a file that is
            called as every chat is, that name, by which its session was called in earlier versions.
    """

    turn: Turn
    where: str
    chat: str | None = None
    names_session: bool = False
    file: NamedFile | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that is not a turn; `kind` is the source's name for it.

    Attributes:
        learned: learned values from one of Clew's own exports; None for any other record.
        quest: what such an export keeps of a quest; None for any other record.
    """

    kind: str
    where: str
    learned: Mapping[str, float] | None = None
    quest: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class SessionTitle:
    """A title that a source gives to a session after its last turn, so that no turn carries it."""

    session: str
    title: str
    where: str


@dataclass(frozen=True, slots=True)
class Delivered:
    """A message that a followed file gave as queued was delivered: read again, the file would give it only once.

    Attributes:
        external_id: of the queued message.
    """

    external_id: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedRecord(Rejection):
    """The end of a file within a line that a program is still writing; a later import reads the file again."""


@dataclass(frozen=True, slots=True)
class FileEnd:
    """The end of a file on the disk, after its last record; more may be written to one that is followed.

    Attributes:
        where: the file's absolute path.
        stamp: size, times and inode before it was read; another stamp means that it was changed.
    """

    where: str
    stamp: str


IsUnchanged = Callable[[str, str], bool]
"""Whether the file with this path and stamp was read before, so that it need not be opened."""

ImportRecord = ImportedTurn | Rejection | Skipped | SessionTitle | Delivered | FileEnd


def or_skipped(records: Iterable[ImportRecord], kind: str, where: str) -> Iterator[ImportRecord]:
    """The records of an item; if it has none, a `Skipped`, so that a report accounts for every item."""
    is_empty = True
    for record in records:
        is_empty = False
        yield record
    if is_empty:
        yield Skipped(kind, where)


def no_object(value: object, where: str) -> Rejection:
    """Says that an item of a list is not the JSON object that it should be."""
    found = "null" if value is None else f"{type(value).__name__} {value!r:.40}"
    return Rejection(where=where, reason=f"expected a JSON object, found {found}")
