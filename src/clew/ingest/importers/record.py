"""What an importer gives: a turn, a rejection, or a record that holds no turn. And the limits that it keeps to."""

from collections.abc import Mapping
from dataclasses import dataclass

from clew.types import Rejection, Turn


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """How much one record may need; what is larger is rejected and never held in memory as a whole.

    Attributes:
        max_line_bytes: one line of a line-based format, one message of a list, one paragraph.
        max_conversation_bytes: one conversation of an account export, which has to be held to follow its branches.
        max_file_bytes: one file inside a zip, uncompressed: guards against archives that unpack without end.
    """

    max_line_bytes: int = 32 << 20
    max_conversation_bytes: int = 256 << 20
    max_file_bytes: int = 16 << 30


@dataclass(frozen=True, slots=True)
class ImportedTurn:
    """A turn and where it stood: `file:line`, or `file:messages[12]`."""

    turn: Turn
    where: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that is no turn by its nature; `kind` is what the source calls it.

    Attributes:
        learned: values that one of our own exports brings along; None for any other record.
    """

    kind: str
    where: str
    learned: Mapping[str, float] | None = None


ImportRecord = ImportedTurn | Rejection | Skipped
