"""The declared tables: what a backend keeps, without saying how.

Every key begins with `space`, the unit of isolation and the shard key of a larger installation. A row is a tuple of
values in the order of the table's columns; backends know tables only through this registry. A new table, column or
index also needs a migration in `sql/`: a test compares the two.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Literal

Kind = Literal["text", "int", "real", "bytes"]
Value = str | int | float | bytes | None
Row = tuple[Value, ...]
Key = tuple[Value, ...]


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        columns: name to kind, in row order; the key's columns come first.
        key: how many of the first columns make the primary key.
        indexes: secondary indexes, name to columns; each begins with `space`. Rows with None in a column of an index
            are not in it: a scan over it never returns them.
    """

    name: str
    columns: Mapping[str, Kind]
    key: int
    indexes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Column names in row order."""
        return tuple(self.columns)

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


SPACE = Table(
    "space",
    {"space": "text", "next_ordinal": "int", "generation": "int", "salt": "bytes", "created_at": "int"},
    key=1,
)
"""One row a space. `generation` rises whenever packed segments change; `salt` keys the hashes of tombstones."""

SESSION = Table(
    "session",
    {
        "space": "text",
        "session": "text",
        "next_seq": "int",
        "title": "text",
        "details": "text",  # JSON: aliases, provider sessions with reason, watermarks
        "created_at": "int",
    },
    key=2,
)

TURN = Table(
    "turn",
    {
        "space": "text",
        "session": "text",
        "seq": "int",
        "ordinal": "int",
        "hash": "bytes",
        "at": "int",  # microseconds since 1970 UTC
        "external_id": "text",
        "branch": "text",
        "parent": "text",
        "role": "text",
        "speaker": "text",
        "origin": "text",
        "source": "text",
        "ingested_at": "int",
        "metadata": "text",  # JSON; None when empty
        "parts": "text",  # JSON; None when the turn is one text part
        "text": "text",
    },
    key=3,
    indexes={"ordinal": ("space", "ordinal"), "external": ("space", "session", "external_id")},
)

BLOB = Table("blob", {"space": "text", "sha": "text", "media_type": "text", "data": "bytes"}, key=2)

ANNOTATION = Table(
    "annotation",
    {"space": "text", "owner": "text", "kind": "text", "value": "text", "provenance": "text", "version": "int"},
    key=3,
)
"""What models and people say of turns, and what is kept of the names of labels."""

WEIGHING = Table("weighing", {"space": "text", "ordinal": "int", "value": "text", "version": "int"}, key=2)
"""What rules weigh of each turn alone; written with it."""

ANALYSIS = Table(
    "analysis",
    {
        "space": "text",
        "ordinal": "int",
        "value": "text",
        "maker": "int",  # place of its provenance in the space's list of makers
        "version": "int",
    },
    key=2,
)
"""What is said of each turn in the light of those before it."""

VECTOR = Table(
    "vector",
    {"space": "text", "model": "text", "ordinal": "int", "scale": "real", "codes": "bytes"},
    key=3,
)
"""Vectors not yet packed; the packer moves them into segments of kind `vector:<model>`, which are then their record."""

TAIL = Table("tail", {"space": "text", "ordinal": "int", "entry": "bytes"}, key=2)
"""The index entry of each turn that is in no segment yet."""

SEGMENT = Table(
    "segment",
    {
        "space": "text",
        "kind": "text",  # "terms" or "vector:<model>"
        "low": "int",  # first ordinal covered
        "high": "int",  # last ordinal covered
        "level": "int",
        "version": "int",
        "data": "bytes",
    },
    key=3,
)

JOB = Table(
    "job",
    {
        "space": "text",
        "job": "text",
        "kind": "text",
        "state": "text",  # pending, done, deferred
        "payload": "text",  # JSON
        "attempts": "int",
        "reason": "text",
        "holder": "text",
        "not_before": "int",
    },
    key=2,
    indexes={"state": ("space", "state", "kind")},
)

LEASE = Table("lease", {"space": "text", "name": "text", "holder": "text", "fence": "int", "expires": "int"}, key=2)

RECEIPT = Table("receipt", {"space": "text", "receipt": "text", "created_at": "int", "data": "bytes"}, key=2)

TOMBSTONE = Table(
    "tombstone",
    {
        "space": "text",
        "session": "bytes",  # its name, hashed with the space's salt, as are the other values of bytes
        "seq": "int",
        "digest": "bytes",  # of the content hash
        "moment": "bytes",  # of event time and content hash; None when the time is unknown
        "external_id": "bytes",
        "branch": "bytes",
        "parent": "int",  # place of the turn that it answered, when that is not simply the one before
        "forgotten_at": "int",
    },
    key=3,
    indexes={"moment": ("space", "moment")},
)
"""Where each forgotten turn stood, and nothing of what it said."""

NODE = Table(
    "node",
    {
        "space": "text",
        "node": "text",  # <session>:beat:<n>, <session>:chapter:<n>
        "session": "text",
        "level": "int",  # 1 beat, 2 chapter and above
        "place": "int",  # among the session's nodes of this level
        "low": "int",  # seq of the first turn covered
        "high": "int",  # seq of the last
        "epoch": "int",
        "parent": "text",
        "title": "text",
        "data": "text",  # JSON: pieces with their weights, domains, whether it was forced
        "version": "int",
    },
    key=2,
    indexes={"level": ("space", "session", "level", "place")},
)
"""The hierarchy's closed elements. A reference that is handed out names turns, never one of these."""

LABEL = Table(
    "label",
    {
        "space": "text",
        "owner": "text",  # a turn or a node
        "namespace": "text",
        "name": "text",
        "weight": "real",
        "provenance": "text",
        "version": "int",
    },
    key=4,
    indexes={"name": ("space", "namespace", "name", "weight")},
)

LABEL_ALIAS = Table("label_alias", {"space": "text", "namespace": "text", "name": "text", "target": "text"}, key=3)
"""Old name to new name; read through, and never in a circle."""

ENTITY = Table(
    "entity",
    {
        "space": "text",
        "entity": "text",  # what all spellings of its name have in common
        "type": "text",  # what a mention says it is, as a letter
        "name": "text",  # what a mention's spelling has more than the key
        "turns": "int",  # how many turns have such a mention
        "version": "int",
    },
    key=4,
)
"""What turns name. Every number is a count over turns: a turn that is forgotten is taken off again."""

EDGE = Table(
    "edge",
    {"space": "text", "source": "text", "target": "text", "type": "text", "turns": "int", "version": "int"},
    key=4,
    indexes={"target": ("space", "target", "source")},
)
"""How entities hang together, each pair once: by which names come first, or from who speaks to what is spoken of."""

SPEAKER = Table(
    "speaker",
    {
        "space": "text",
        "session": "text",
        "speaker": "text",
        "kind": "text",  # speaks; listener: calls the other by the name; speaker: goes by it
        "name": "text",  # empty for speaks
        "turns": "int",
        "version": "int",
    },
    key=5,
    indexes={"name": ("space", "name", "session")},
)
"""Who speaks in a session, and what they call each other and themselves."""

COMPLETION = Table(
    "completion",
    {
        "space": "text",
        "model": "text",
        "digest": "bytes",  # of the request
        "owner": "text",  # what the request was about: forgetting it takes the answer along
        "answer": "text",
        "created_at": "int",
    },
    key=3,
    indexes={"owner": ("space", "owner")},
)
"""What a language model answered, so that it is asked once."""

LEDGER = Table(
    "ledger",
    {
        "space": "text",
        "day": "int",  # days since 1970 UTC
        "model": "text",
        "purpose": "text",
        "calls": "int",
        "failures": "int",
        "tokens_in": "int",
        "tokens_out": "int",
        "micros": "int",  # millionths of the currency in which prices are given
        "reserved_tokens": "int",  # of calls under way
        "reserved_micros": "int",
    },
    key=4,
)
"""What language models cost, by day."""

PARAMETER = Table(
    "parameter",
    {
        "space": "text",
        "name": "text",
        "version": "int",
        "value": "text",  # JSON
        "adopted_at": "int",
        "reason": "text",  # JSON: what it was measured on
    },
    key=3,
)
"""Tuned values and their history; the highest version holds."""

FEEDBACK = Table(
    "feedback",
    {
        "space": "text",
        "receipt": "text",
        "owner": "text",  # a turn that was recalled
        "kind": "text",  # used, quoted, restored
        "at": "int",
    },
    key=4,
)
"""What became of recalled turns."""

PIN = Table(
    "pin",
    {
        "space": "text",
        "kind": "text",  # turn, where
        "name": "text",  # the turn's id, or the expression
        "most": "int",  # turns that it brings at most
        "note": "text",
        "pinned_at": "int",
    },
    key=3,
)
"""What its owner wants in every block."""

META = Table("meta", {"space": "text", "name": "text", "value": "text"}, key=2)
"""Schema and builder versions; the installation's own rows have the empty space."""

TABLES: Mapping[str, Table] = MappingProxyType(
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
            META,
        )
    }
)
