"""What the operations that touch many turns report back."""

from dataclasses import dataclass, field
from typing import Any

from clew.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection(Record):
    """One record that was not taken, and why.

    Attributes:
        where: what names the record for a person: `file:line`, or its place in the list.
        reason: one sentence with the next step.
    """

    where: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport(Record):
    """What became of the turns of one `add_many` or import.

    Attributes:
        added: turns that are new and durable now.
        known: turns that were stored before; nothing was written for them.
        rejected: records that could not be taken; the others were.
        turn_ids: one id for each turn that was taken, in the order they came, known ones included.
        masked: secrets that were masked before they reached the disk, by kind.
        skipped: records that hold no turn by their nature (progress, snapshots), by kind; and turns that were
            `forgotten` before, or that a pattern (`excluded`) or a pause (`paused`) keeps out.
        vectors: vectors that came along with the turns; only a merge of homes brings any.
    """

    added: int = 0
    known: int = 0
    rejected: tuple[Rejection, ...] = ()
    turn_ids: tuple[str, ...] = ()
    masked: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    vectors: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem(Record):
    """One thing that `verify` found wrong: what kind, where, and what mends it."""

    kind: str
    where: str
    detail: str
    repair: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport(Record):
    """What `verify` checked and found.

    Attributes:
        checked: how many of each kind of row were checked.
        problems: empty when everything holds.
        encryption: what the files are encrypted with, `none` when they are not; None when they are not Clew's own.
    """

    checked: dict[str, int]
    problems: tuple[Problem, ...] = ()
    encryption: str | None = None

    @property
    def ok(self) -> bool:
        """True when nothing is wrong."""
        return not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetProof(Record):
    """Where traces of forgotten turns were looked for. It names none of them.

    Attributes:
        looked_for: the forgotten turns, and what is unique to them: word runs, rare words, index terms.
        looked_in: places, with rows or turns for what is decoded and bytes for files.
        found: traces by place; empty when none is left.
    """

    looked_for: dict[str, int]
    looked_in: dict[str, int]
    found: dict[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True when no trace was found."""
        return not self.found


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReport(Record):
    """What `forget` removed, or would remove. It names nothing of what was forgotten: digests only.

    Attributes:
        turns: how many turns were removed.
        rows: how many derived rows went or were remade, by table.
        digests: keyed hashes of the removed turns, as the tombstones hold them.
        dry_run: True when nothing was removed.
        turn_ids: the turns that would go, sorted by session and place unless named one by one; only in a dry run.
        unscrubbed: why the raw files may still hold traces of forgotten turns; a worker, or the next `forget`, tries
            again. None when they hold none, and in a dry run.
    """

    turns: int
    rows: dict[str, int]
    digests: tuple[str, ...]
    dry_run: bool = False
    turn_ids: tuple[str, ...] = ()
    unscrubbed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats(Record):
    """What a space holds, in numbers.

    Attributes:
        pending: work that is accepted but not done yet, by kind.
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
