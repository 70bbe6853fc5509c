"""Reports of the operations on many turns: ingest, verify, forget, statistics."""

from dataclasses import dataclass, field
from typing import Any

from clew.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection(Record):
    """A record that was rejected, and why.

    Attributes:
        where: the record as a person can find it: `file:line`, or its position in the list.
        reason: one sentence that says what to do next.
    """

    where: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport(Record):
    """The result of `add_many` or an import.

    Attributes:
        added: number of new turns, which are now durable.
        known: number of turns that were already stored; nothing was written for them.
        rejected: records that could not be stored; all others were.
        turn_ids: ids of the added and known turns, in the order given; a session file that has only grown since the
            same process imported it is read from there on, and its earlier turns are counted as known without ids.
        masked: number of secrets that were masked before they reached the disk, by kind.
        skipped: number of records that contain no turn (progress, snapshots), by kind; also turns that were `forgotten`
            before, match an exclusion pattern (`excluded`), or arrived during a pause (`paused`).
        skipped_at: where the first 20 of each kind in `skipped` are, as in `Rejection.where`.
        undated: number of new turns with a time that could not be read; it is in their metadata as `at_raw`.
        first_undated: where the first of them is, and the time as its source writes it; None if there are none.
        vectors: number of vectors imported with the turns; only merging homes imports any.
    """

    added: int = 0
    known: int = 0
    rejected: tuple[Rejection, ...] = ()
    turn_ids: tuple[str, ...] = ()
    masked: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    skipped_at: dict[str, tuple[str, ...]] = field(default_factory=dict)
    undated: int = 0
    first_undated: str | None = None
    vectors: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem(Record):
    """A problem found by `verify`: its kind, where it is, details, and the command that repairs it."""

    kind: str
    where: str
    detail: str
    repair: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport(Record):
    """The result of `verify`.

    Attributes:
        checked: number of rows checked, by kind.
        problems: the problems found; empty if there are none.
        encryption: the cipher of the files, or `none`; None if the store has no files of its own.
        masked: number of secrets that stand masked in the turns, by kind.
    """

    checked: dict[str, int]
    problems: tuple[Problem, ...] = ()
    encryption: str | None = None
    masked: dict[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True if there are no problems."""
        return not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetProof(Record):
    """The result of searching for traces of forgotten turns; it names none of them.

    Attributes:
        looked_for: numbers of forgotten turns and of what is unique to them: word runs, rare words, index terms.
        looked_in: places searched, with the number of rows or turns decoded, or the bytes of a file.
        found: number of traces by place; empty if there are none.
    """

    looked_for: dict[str, int]
    looked_in: dict[str, int]
    found: dict[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True if no trace was found."""
        return not self.found


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReport(Record):
    """What `forget` deleted, or would delete in a dry run. It identifies forgotten turns by digests only.

    Attributes:
        turns: number of turns deleted.
        rows: number of derived rows deleted or rewritten, by table.
        digests: keyed hashes of the deleted turns, as stored in the tombstones.
        dry_run: True if nothing was deleted.
        turn_ids: the turns that would be deleted, sorted by session and position unless named one by one; only in a
            dry run.
        unscrubbed: why the raw files may still contain traces of forgotten turns; a worker, or the next `forget`, tries
            again. None if they contain none, and in a dry run.
        corrections: the corrections of facts that repeat what the turns said; they stay until they are forgotten, too.
    """

    turns: int
    rows: dict[str, int]
    digests: tuple[str, ...]
    dry_run: bool = False
    turn_ids: tuple[str, ...] = ()
    unscrubbed: str | None = None
    corrections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats(Record):
    """Statistics of a space.

    Attributes:
        pending: number of unfinished background jobs, by kind.
        details: sizes and versions, by name.
    """

    turns: int
    sessions: int
    pieces: int
    vectors: int
    segments: int
    blobs: int
    pending: dict[str, int]
    details: dict[str, Any]
