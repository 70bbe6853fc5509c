"""A quest: a task of a session with its stages, the files and checks of it, and the record that seals it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from clew.types.record import Record


class QuestStage(StrEnum):
    """The stages of a quest (SIGMA, phase 4), in their order."""

    GENESIS = "genesis"
    """It was asked for, and is being looked into."""
    TRANSFORM = "transform"
    """Files are being changed."""
    VERIFY = "verify"
    """Something checks the changes: tests, a build, a linter."""
    COMPLETE = "complete"
    """The checks passed and the work was handed over, or the user says that it is done."""


@dataclass(frozen=True, slots=True)
class QuestCheck(Record):
    """A check of a quest.

    Attributes:
        seq: place of the turn that ran it.
        passed: whether its output says so; None where it says nothing.
    """

    command: str
    seq: int
    passed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quest(Record):
    """A task of a session.

    Attributes:
        id: `<session>:quest:<seq of its first turn>`, with the session percent-encoded.
        title: the beginning of the request, or what the user calls it.
        stage: the stage that it is in.
        provenance: `rule`, or `user` where the user set title or stage.
        first: seq of the turn that asked for it; last: of the last turn that belongs to it.
        began: seq of the turn that first led to each stage.
        files: paths that were changed, in the order of the first change.
        sealed: SHA-256 of its record, hexadecimal; empty while it is not sealed.
    """

    id: str
    session: str
    title: str
    stage: QuestStage
    first: int
    last: int
    provenance: str = "rule"
    began: Mapping[str, int] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    checks: tuple[QuestCheck, ...] = ()
    sealed: str = ""

    @property
    def passed(self) -> bool | None:
        """Whether its last check that tells passed; None where none tells, or one failed and later ones are silent."""
        told = next((check.passed for check in reversed(self.checks) if check.passed is not None), None)
        return None if told is False and self.checks[-1].passed is None else told


@dataclass(frozen=True, slots=True)
class SealEntry(Record):
    """One thing that a seal covers.

    Attributes:
        kind: `turn`, `file` or `check`.
        name: id of the turn, path of the file, or the command.
        digest: SHA-256 of its content, hexadecimal; of a check `passed`, `failed` or `unknown`; `absent` for a file
            that is not there.
        link: SHA-256 over the link before and this entry, hexadecimal.
    """

    kind: str
    name: str
    digest: str
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestSeal(Record):
    """A hash-chained record of a completed quest.

    Attributes:
        previous: head of the seal before it in the space; empty for the first one.
        head: link of the last entry: who knows it can tell whether anything in the record was changed.
        root: the folder that the files were read from; empty where they were not.
        moved: ids of turns as they were sealed -> as they are here, where these differ; no part of the chain.
    """

    quest: Quest
    sealed_at: datetime
    previous: str
    entries: tuple[SealEntry, ...]
    head: str
    root: str = ""
    moved: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestVerification(Record):
    """What a seal still holds for.

    Attributes:
        problems: what is not as it was recorded: a broken chain, a turn that is gone or another.
        changed: files that are not the same any more, which is the way of files.
        before: the seal that it follows: `first` (there is none), `stored`, or `gone`: forgotten, or made again.
    """

    quest: str
    head: str
    entries: int
    problems: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    before: str = "first"

    @property
    def ok(self) -> bool:
        """Whether chain and turns are as they were sealed."""
        return not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestPattern(Record):
    """How a completed quest was done, to be used again.

    Attributes:
        name: SHA-256 over the other fields but `imported_from`, hexadecimal, 16 digits.
        steps: the stages in the order in which they came, back and forth.
        checks: the commands by which it was checked.
        endings: ends of the changed files' names with how many, such as `.py`.
        provenance: where it comes from: `quest`, `session`, `seal` (the head), `sealed_at`, `exported_at`.
        imported_from: name of the file that it was read from; empty for one of this space.
    """

    name: str
    title: str
    steps: tuple[str, ...]
    checks: tuple[str, ...]
    endings: Mapping[str, int]
    provenance: Mapping[str, str]
    imported_from: str = ""
