"""The rows of the tables of facts and of long extractions; see `clew.store.row_types`."""

from typing import NamedTuple


class StatementRow(NamedTuple):
    """What one maker (rules, a model, a person) found stated in a turn; facts are made of all of these together."""

    space: str
    ordinal: int  # of the turn
    provenance: str
    data: bytes  # compressed JSON, see `clew.rows.fact_codec`


class FactRow(NamedTuple):
    """A fact, under the earliest statement that it is made of."""

    space: str
    ordinal: int  # of the turn of that statement
    place: int  # of the statement among those of the turn
    data: bytes  # compressed JSON: what differs from that statement


class FactKeyRow(NamedTuple):
    """One way to find a fact, or statements of a turn: the hash of a subject, verb or word, or a key of the reducer."""

    space: str
    digest: int
    ordinal: int  # of the fact, as is place
    place: int  # -1: the turn has statements with this key
    until: int | None  # in microseconds: from then on the fact is not current; 0 where it is over; None: not known


class FactLinkRow(NamedTuple):
    """A link from one fact to another."""

    space: str
    ordinal: int  # of the fact that it leads from, as is place
    place: int
    kind: str
    target: int  # ordinal of the fact that it leads to
    target_place: int
    rests: int  # 1 where the fact that it leads from is stale once the other is superseded, else 0


class ExtractionRunRow(NamedTuple):
    """The latest extraction of a session."""

    space: str
    session: str
    run: int  # counts the extractions of the session
    state: str  # running, done, failed, deferred
    mode: str  # single, chunked
    extractor: str
    source: bytes  # digest of what was read
    last: int  # seq of the last turn covered
    attempts: int
    reason: str | None
    holder: str | None
    until: int  # when the claim ends, or before which it is not tried again
    started_at: int
    finished_at: int | None
    telemetry: str  # JSON: counts only
    data: bytes | None  # compressed JSON


class ExtractionChunkRow(NamedTuple):
    """What was extracted from one chunk of a session: kept under the hash of its content, so that it is asked once."""

    space: str
    session: str
    digest: bytes  # of its turns, the extractor and the version of the prompt
    chunk: int  # the number in `<session>:chunk:<n>`
    low: int  # seq of its first turn
    high: int  # seq of its last turn
    tokens: int
    state: str
    attempts: int
    reason: str | None
    not_before: int
    data: bytes | None  # compressed JSON
