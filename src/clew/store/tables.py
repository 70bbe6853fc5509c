"""The declared tables: what a backend keeps, without saying how.

Every key begins with `space`, the unit of isolation and the shard key of a larger installation. Backends take and give
plain tuples of values in the order of a table's columns, and know tables only through this registry; everybody else
reads and writes typed rows: whole ones through a `Table`, some columns through `clew.store.selections`. A new table,
column or index also needs a migration in `sql/`: a test compares the two.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType, NoneType
from typing import Any, Final, Literal, TypeVar, get_args

from clew.store.knowledge_row_types import (
    ExtractionChunkRow,
    ExtractionRunRow,
    FactKeyRow,
    FactLinkRow,
    FactRow,
    StatementRow,
)
from clew.store.project_row_types import MentionRow, QuestRow
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import (
    AnalysisRow,
    AnnotationRow,
    BlobRow,
    CompactionRow,
    CompletionRow,
    ConversationRow,
    EdgeRow,
    EntityRow,
    FeedbackRow,
    InjectionRow,
    JobRow,
    LabelAliasRow,
    LabelRow,
    LeaseRow,
    LedgerRow,
    MaterialRow,
    MessageRow,
    MetaRow,
    NodeRow,
    OriginalRow,
    ParameterRow,
    PinRow,
    RecapStateRow,
    ReceiptRow,
    RenderingRow,
    RequestLogRow,
    SegmentRow,
    SessionRow,
    SpaceRow,
    SpeakerRow,
    StandInRow,
    TailRow,
    TombstoneRow,
    TurnRow,
    VectorRow,
    WeighingRow,
)
from clew.store.typed_reads import TypedReads
from clew.store.values import Key, Value

Kind = Literal["text", "int", "real", "bytes"]
R = TypeVar("R", bound=tuple[Value, ...])

_KINDS: Final[Mapping[type, Kind]] = MappingProxyType({str: "text", int: "int", float: "real", bytes: "bytes"})


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        row: a NamedTuple with a field for each column, in row order; the key's columns come first.
        key: how many of the first columns make the primary key.
        holds_user_text: whether a row may repeat words of a turn or of a person's note, if only as terms, names or
            compressed. Forgetting has to reach such a table, and its proof looks through it; no default, so that a new
            table has to say.
        indexes: secondary indexes, name to columns; each begins with `space`. Rows with None in a column of an index
            are not in it: a scan over it never returns them.
    """

    name: str
    row: type[tuple[Value, ...]]
    key: int
    holds_user_text: bool
    indexes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def columns(self) -> Mapping[str, Kind]:
        """Name to kind, in row order."""
        return {name: _kind(declared) for name, declared in self.row.__annotations__.items()}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Column names in row order."""
        return tuple(self.columns)

    @cached_property
    def reals(self) -> tuple[int, ...]:
        """The places of columns with numbers that are not whole."""
        return tuple(position for position, kind in enumerate(self.columns.values()) if kind == "real")

    @cached_property
    def key_names(self) -> tuple[str, ...]:
        """The primary key's columns."""
        return self.names[: self.key]

    def order(self, index: str | None) -> tuple[str, ...]:
        """The columns a scan is ordered and bounded by: the index's, then the rest of the key to break ties."""
        if index is None:
            return self.key_names
        chosen = self.indexes[index]
        return chosen + tuple(name for name in self.key_names if name not in chosen)


@dataclass(frozen=True)
class TypedTable(Table, TypedReads[R]):
    """A table and its rows as objects of their type."""

    row: type[R]

    def __post_init__(self) -> None:
        """Says to `TypedReads` what is read: whole rows, made typed ones without a look at their values."""
        for name, value in (("source", self.name), ("selected", None), ("make", partial(tuple.__new__, self.row))):
            object.__setattr__(self, name, value)

    def get(self, reader: Reader, key: Key) -> R | None:
        """The row under a full primary key, or None."""
        row = reader.get(self.name, key)
        return None if row is None else self.make(row)

    def put(self, tx: Transaction, rows: Iterable[R]) -> None:
        """Inserts rows; a row whose primary key exists is replaced."""
        tx.put(self.name, rows)


def _kind(declared: Any) -> Kind:
    """The kind of a column whose values have a type, which may allow None."""
    (plain,) = set(get_args(declared) or (declared,)) - {NoneType}
    return _KINDS[plain]


SPACE: Final = TypedTable("space", SpaceRow, key=1, holds_user_text=False)
SESSION: Final = TypedTable("session", SessionRow, key=2, holds_user_text=True)
TURN: Final = TypedTable(
    "turn",
    TurnRow,
    key=3,
    holds_user_text=True,
    indexes={"ordinal": ("space", "ordinal"), "external": ("space", "session", "external_id")},
)
BLOB: Final = TypedTable("blob", BlobRow, key=2, holds_user_text=True)
ANNOTATION: Final = TypedTable("annotation", AnnotationRow, key=3, holds_user_text=True)
WEIGHING: Final = TypedTable("weighing", WeighingRow, key=2, holds_user_text=False)
ANALYSIS: Final = TypedTable("analysis", AnalysisRow, key=2, holds_user_text=True)
VECTOR: Final = TypedTable("vector", VectorRow, key=3, holds_user_text=False)
TAIL: Final = TypedTable("tail", TailRow, key=2, holds_user_text=True)
SEGMENT: Final = TypedTable("segment", SegmentRow, key=3, holds_user_text=True)
JOB: Final = TypedTable("job", JobRow, key=2, holds_user_text=True, indexes={"state": ("space", "state", "kind")})
LEASE: Final = TypedTable("lease", LeaseRow, key=2, holds_user_text=False)
RECEIPT: Final = TypedTable("receipt", ReceiptRow, key=2, holds_user_text=True)
TOMBSTONE: Final = TypedTable(
    "tombstone", TombstoneRow, key=3, holds_user_text=False, indexes={"moment": ("space", "moment")}
)
NODE: Final = TypedTable(
    "node", NodeRow, key=2, holds_user_text=True, indexes={"level": ("space", "session", "level", "place")}
)
LABEL: Final = TypedTable(
    "label", LabelRow, key=4, holds_user_text=True, indexes={"name": ("space", "namespace", "name", "weight")}
)
LABEL_ALIAS: Final = TypedTable("label_alias", LabelAliasRow, key=3, holds_user_text=True)
ENTITY: Final = TypedTable("entity", EntityRow, key=4, holds_user_text=True)
EDGE: Final = TypedTable(
    "edge", EdgeRow, key=4, holds_user_text=True, indexes={"target": ("space", "target", "source")}
)
SPEAKER: Final = TypedTable(
    "speaker", SpeakerRow, key=5, holds_user_text=True, indexes={"name": ("space", "name", "session")}
)
COMPLETION: Final = TypedTable(
    "completion", CompletionRow, key=3, holds_user_text=True, indexes={"owner": ("space", "owner")}
)
LEDGER: Final = TypedTable("ledger", LedgerRow, key=4, holds_user_text=False)
PARAMETER: Final = TypedTable("parameter", ParameterRow, key=3, holds_user_text=False)
FEEDBACK: Final = TypedTable("feedback", FeedbackRow, key=4, holds_user_text=False)
PIN: Final = TypedTable("pin", PinRow, key=3, holds_user_text=True)
ORIGINAL: Final = TypedTable("original", OriginalRow, key=2, holds_user_text=True)
COMPACTION: Final = TypedTable("compaction", CompactionRow, key=3, holds_user_text=True)
RECAP_STATE: Final = TypedTable("recap_state", RecapStateRow, key=2, holds_user_text=True)
MATERIAL: Final = TypedTable("material", MaterialRow, key=3, holds_user_text=True)
STAND_IN: Final = TypedTable("stand_in", StandInRow, key=3, holds_user_text=True)
RENDERING: Final = TypedTable("rendering", RenderingRow, key=2, holds_user_text=True)
CONVERSATION: Final = TypedTable("conversation", ConversationRow, key=2, holds_user_text=True)
MESSAGE: Final = TypedTable(
    "message",
    MessageRow,
    key=4,
    holds_user_text=False,
    indexes={"chain": ("space", "chain"), "digest": ("space", "digest")},
)
INJECTION: Final = TypedTable("injection", InjectionRow, key=3, holds_user_text=True)
REQUEST_LOG: Final = TypedTable(
    "request_log", RequestLogRow, key=3, holds_user_text=False, indexes={"session": ("space", "session", "at")}
)
STATEMENT: Final = TypedTable("statement", StatementRow, key=3, holds_user_text=True)
FACT: Final = TypedTable("fact", FactRow, key=3, holds_user_text=True)
FACT_KEY: Final = TypedTable("fact_key", FactKeyRow, key=4, holds_user_text=False)
FACT_LINK: Final = TypedTable(
    "fact_link", FactLinkRow, key=6, holds_user_text=False, indexes={"target": ("space", "target", "target_place")}
)
EXTRACTION_RUN: Final = TypedTable(
    "extraction_run", ExtractionRunRow, key=2, holds_user_text=True, indexes={"state": ("space", "state")}
)
EXTRACTION_CHUNK: Final = TypedTable("extraction_chunk", ExtractionChunkRow, key=3, holds_user_text=True)
MENTION: Final = TypedTable(
    "mention", MentionRow, key=2, holds_user_text=True, indexes={"session": ("space", "session")}
)
QUEST: Final = TypedTable("quest", QuestRow, key=3, holds_user_text=True)
META: Final = TypedTable("meta", MetaRow, key=2, holds_user_text=True)

TABLES: Mapping[str, TypedTable[Any]] = MappingProxyType(
    {
        table.name: table
        for table in (
            SPACE,
            SESSION,
            TURN,
            BLOB,
            ANNOTATION,
            WEIGHING,
            ANALYSIS,
            VECTOR,
            TAIL,
            SEGMENT,
            JOB,
            LEASE,
            RECEIPT,
            TOMBSTONE,
            NODE,
            LABEL,
            LABEL_ALIAS,
            ENTITY,
            EDGE,
            SPEAKER,
            COMPLETION,
            LEDGER,
            PARAMETER,
            FEEDBACK,
            PIN,
            ORIGINAL,
            COMPACTION,
            RECAP_STATE,
            MATERIAL,
            STAND_IN,
            RENDERING,
            CONVERSATION,
            MESSAGE,
            INJECTION,
            REQUEST_LOG,
            STATEMENT,
            FACT,
            FACT_KEY,
            FACT_LINK,
            EXTRACTION_RUN,
            EXTRACTION_CHUNK,
            MENTION,
            QUEST,
            META,
        )
    }
)
