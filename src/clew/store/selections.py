"""Some columns of a table, typed: what is read where a whole row would be too much.

`TURN_PLACES.scan(reader, low, high)` gives objects with fields, `TURN_TEXT.scan(reader, low, high)` gives the values of
one column. A test compares every selection with the table's row.
"""

from typing import Final, NamedTuple

from clew.store.table_columns import Column, Columns, OwnedRows
from clew.store.tables import (
    ANALYSIS,
    ANNOTATION,
    BLOB,
    COMPACTION,
    COMPLETION,
    EDGE,
    ENTITY,
    EXTRACTION_CHUNK,
    EXTRACTION_RUN,
    FACT,
    FACT_KEY,
    FEEDBACK,
    INJECTION,
    JOB,
    LABEL,
    MATERIAL,
    MENTION,
    META,
    NODE,
    PARAMETER,
    PIN,
    RECAP_STATE,
    RECEIPT,
    RENDERING,
    SEGMENT,
    SESSION,
    STAND_IN,
    STATEMENT,
    TAIL,
    TOMBSTONE,
    VECTOR,
    WEIGHING,
)


class FactPlace(NamedTuple):
    """Where a fact stands, or the statements of a turn."""

    ordinal: int
    place: int


class FactUntil(NamedTuple):
    """Where a fact stands, or the statements of a turn, and from when on the fact is not current."""

    ordinal: int
    place: int
    until: int | None


class ChunkRange(NamedTuple):
    """Where one chunk of a session is kept, and its turns."""

    digest: bytes
    low: int
    high: int


class InjectionEnd(NamedTuple):
    """When a block stopped being put back."""

    session: str
    injection: str
    retired: int | None


class SessionEnd(NamedTuple):
    """A session and the place that its next turn gets."""

    session: str
    next_seq: int


class MetaEntry(NamedTuple):
    """A name and its value."""

    name: str
    value: str


class OrdinalValue(NamedTuple):
    """What a table says of a turn, by the turn's number in the space."""

    ordinal: int
    value: str


class OrdinalMention(NamedTuple):
    """What a turn says of files, by the turn's number in the space."""

    ordinal: int
    data: str


class OrdinalEntry(NamedTuple):
    """The index entry of a turn."""

    ordinal: int
    entry: bytes


class OrdinalVector(NamedTuple):
    """A turn's vector as int8 codes with their scale."""

    ordinal: int
    scale: float
    codes: bytes


class SegmentKey(NamedTuple):
    """A segment's row without its bytes."""

    kind: str
    low: int
    high: int
    level: int
    version: int


class LabelOwner(NamedTuple):
    """What has a label, and the label's name."""

    owner: str
    name: str


class LabelWeight(NamedTuple):
    """What has a label, and how strongly."""

    owner: str
    weight: float


class NodeData(NamedTuple):
    """A node's name and what it consists of, as JSON."""

    node: str
    data: str


class CompactionMark(NamedTuple):
    """How far a compaction covers its session, and since when."""

    session: str
    number: int
    last: int
    made_at: int
    receipt: str


class RecapMark(NamedTuple):
    """How far a session's compactions cover it, and what stands for these turns."""

    session: str
    mark: int
    shown: int


class RenderedNode(NamedTuple):
    """A node that is rendered, from what, and how its summary was made, if it has one."""

    node: str
    source: bytes
    summary: str | None


class NodeTitle(NamedTuple):
    """A node's place in the hierarchy and its title."""

    node: str
    level: int
    low: int
    high: int
    title: str | None


class NodeOutline(NamedTuple):
    """Which turns a node covers, and its place in the hierarchy."""

    node: str
    session: str
    level: int
    low: int
    high: int
    parent: str | None


class NodeSpan(NamedTuple):
    """The places of a node's first and last turn in their session."""

    low: int
    high: int


class AnnotationSource(NamedTuple):
    """What kind of annotation it is, and who made it."""

    kind: str
    provenance: str


class AnnotationMaker(NamedTuple):
    """What an annotation is about, and who made it."""

    owner: str
    provenance: str


class ReceiptTime(NamedTuple):
    """When a receipt was written, and its name."""

    created_at: int
    receipt: str


class ReceiptData(NamedTuple):
    """A receipt with its time and name."""

    created_at: int
    receipt: str
    data: bytes


class JobPayload(NamedTuple):
    """A job and what it works on, as JSON."""

    job: str
    payload: str


class JobTime(NamedTuple):
    """A job and the time before which it is not tried, in microseconds since 1970."""

    job: str
    not_before: int | None


class TombstoneKey(NamedTuple):
    """The primary key of a tombstone."""

    space: str
    session: bytes
    seq: int


class CompletionKey(NamedTuple):
    """The primary key of a language model's answer."""

    space: str
    model: str
    digest: bytes


class ParameterValue(NamedTuple):
    """A tuned value, as JSON, and the version that set it."""

    name: str
    version: int
    value: str


INJECTION_ENDS: Final = Columns(INJECTION, InjectionEnd)
SESSION_NAME: Final = Column[str](SESSION, "session")
SESSION_ENDS: Final = Columns(SESSION, SessionEnd)
SESSION_TITLE: Final = Column[str | None](SESSION, "title")
BLOB_SHA: Final = Column[str](BLOB, "sha")

ANNOTATION_OWNER: Final = Column[str](ANNOTATION, "owner")
ANNOTATION_VALUE: Final = Column[str](ANNOTATION, "value")
ANNOTATION_MAKERS: Final = Columns(ANNOTATION, AnnotationMaker)
ANNOTATION_SOURCES: Final = Columns(ANNOTATION, AnnotationSource)
WEIGHING_VALUE: Final = Column[str](WEIGHING, "value")
WEIGHING_VALUES: Final = Columns(WEIGHING, OrdinalValue)
MENTION_VALUE: Final = Column[str](MENTION, "data")
MENTION_VALUES: Final = Columns(MENTION, OrdinalMention)
MENTION_SESSION: Final = Column[str | None](MENTION, "session")
MENTION_ORDINAL: Final = Column[int](MENTION, "ordinal")
WEIGHING_ORDINAL: Final = Column[int](WEIGHING, "ordinal")
ANALYSIS_VALUE: Final = Column[str](ANALYSIS, "value")
ANALYSIS_VALUES: Final = Columns(ANALYSIS, OrdinalValue)
ANALYSIS_ORDINAL: Final = Column[int](ANALYSIS, "ordinal")
ANALYSIS_VERSION: Final = Column[int](ANALYSIS, "version")

TAIL_ORDINAL: Final = Column[int](TAIL, "ordinal")
TAIL_ENTRY: Final = Column[bytes](TAIL, "entry")
TAIL_ENTRIES: Final = Columns(TAIL, OrdinalEntry)
VECTOR_MODEL: Final = Column[str](VECTOR, "model")
VECTOR_ORDINAL: Final = Column[int](VECTOR, "ordinal")
VECTOR_BYTES: Final = Column[bytes](VECTOR, "codes")
VECTOR_CODES: Final = Columns(VECTOR, OrdinalVector)
SEGMENT_KEYS: Final = Columns(SEGMENT, SegmentKey)
SEGMENT_KIND: Final = Column[str](SEGMENT, "kind")
SEGMENT_DATA: Final = Column[bytes](SEGMENT, "data")

NODE_SUMMARIES: Final = Columns(RENDERING, RenderedNode)
RENDERED_NODE: Final = Column[str](RENDERING, "node")
NODE_ID: Final = Column[str](NODE, "node")
NODE_TITLE: Final = Column[str | None](NODE, "title")
LABEL_OWNER: Final = Column[str](LABEL, "owner")
LABEL_NAME: Final = Column[str](LABEL, "name")
LABEL_OWNERS: Final = Columns(LABEL, LabelOwner)
LABEL_WEIGHTS: Final = Columns(LABEL, LabelWeight)
NODE_PLACE: Final = Column[int](NODE, "place")
NODE_DATA: Final = Columns(NODE, NodeData)
NODE_OUTLINES: Final = Columns(NODE, NodeOutline)
NODE_SPANS: Final = Columns(NODE, NodeSpan)
NODE_TITLES: Final = Columns(NODE, NodeTitle)
COMPACTION_MARKS: Final = Columns(COMPACTION, CompactionMark)
RECAP_MARKS: Final = Columns(RECAP_STATE, RecapMark)
STATEMENT_ORDINAL: Final = Column[int](STATEMENT, "ordinal")
FACT_KEY_ORDINAL: Final = Column[int](FACT_KEY, "ordinal")
FACT_PLACE: Final = Columns(FACT, FactPlace)
FACT_DATA: Final = Column[bytes](FACT, "data")
FACT_PLACES: Final = Columns(FACT_KEY, FactPlace)
FACT_UNTIL: Final = Columns(FACT_KEY, FactUntil)
CHUNK_RANGES: Final = Columns(EXTRACTION_CHUNK, ChunkRange)

ENTITY_KEY: Final = Column[str](ENTITY, "entity")
EDGE_SOURCE: Final = Column[str](EDGE, "source")
EDGE_TARGET: Final = Column[str](EDGE, "target")

META_VALUE: Final = Column[str](META, "value")
META_ENTRIES: Final = Columns(META, MetaEntry)
JOB_KIND: Final = Column[str](JOB, "kind")
JOB_NOT_BEFORE: Final = Column[int | None](JOB, "not_before")
JOB_PAYLOADS: Final = Columns(JOB, JobPayload)
JOB_TIMES: Final = Columns(JOB, JobTime)
RECEIPT_TIMES: Final = Columns(RECEIPT, ReceiptTime)
RECEIPTS: Final = Columns(RECEIPT, ReceiptData)
RECEIPT_DATA: Final = Column[bytes](RECEIPT, "data")
COMPLETION_KEYS: Final = Columns(COMPLETION, CompletionKey)
PARAMETER_VALUES: Final = Columns(PARAMETER, ParameterValue)
OWNED_ROWS: Final = (
    OwnedRows(LABEL, "owner"),
    OwnedRows(COMPLETION, "owner"),
    OwnedRows(FEEDBACK, "owner"),
    OwnedRows(PIN, "name"),
    OwnedRows(NODE, "session"),
    OwnedRows(COMPACTION, "session"),
    OwnedRows(RECAP_STATE, "session"),
    OwnedRows(MATERIAL, "session"),
    OwnedRows(STAND_IN, "session"),
    OwnedRows(INJECTION, "session"),
    OwnedRows(EXTRACTION_RUN, "session"),
    OwnedRows(EXTRACTION_CHUNK, "session"),
)
"""What belongs to a turn or a session and has to go when that goes."""

TOMBSTONE_KEYS: Final = Columns(TOMBSTONE, TombstoneKey)
TOMBSTONE_SEQ: Final = Column[int](TOMBSTONE, "seq")
