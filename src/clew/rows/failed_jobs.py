"""Stores failed work: one JOB row per turn and kind of work, retried until it failed `ATTEMPTS` times, then set aside.

Where a rule fails there is one try (`clew.rows.set_aside`).

What has not failed has no row: it is found from the state (docs/decisions/0002).
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, cast

from clew.store.protocol import JobState, Reader, Transaction
from clew.store.row_types import JobRow
from clew.store.rows import dumps
from clew.store.selections import COMPLETION_KEYS
from clew.store.tables import JOB

ATTEMPTS: Final = 3
"""How often a turn is tried before it is given up as `deferred`."""

LATER_US: Final = (60_000_000, 600_000_000)
"""How long after its first and second failure a turn is tried again."""

EMBED: Final = "embed"
"""Kind of the jobs for turns that the embedder could not do; the others are named by the stage whose rules failed, or
by the question that a language model was asked."""


class RuleStage(StrEnum):
    """A stage of the background work whose rules may fail; its value is the kind of its jobs.

    Attributes:
        ANALYSIS: novelty, importance, tags and the beat of a turn.
        BEATS: what a turn closes or continues in its session.
        ENTITIES: the names in a turn.
        NAMES: the names that a named-entity model finds in it.
        MENTIONS: the files that it is about.
        FACTS: what it states.
        MEET: what it has to do with the project.
        RENDERINGS: the short forms of a session's beats and chapters, or of a label's.
        CONDENSING: the compaction of a session.
    """

    ANALYSIS = "analyse"
    BEATS = "beats"
    ENTITIES = "entities"
    NAMES = "recognise"
    MENTIONS = "mentions"
    FACTS = "facts"
    MEET = "meet"
    RENDERINGS = "render"
    CONDENSING = "condense"


_OF_NO_LLM: Final = frozenset((EMBED, *RuleStage))

_REASON: Final = 500  # characters of an error that are kept with the job


@dataclass(frozen=True, slots=True)
class Deferred:
    """Work that failed too often and waits until somebody asks for another try.

    Attributes:
        job: kind and turn.
        reason: what the last attempt ended with, None when nobody said.
    """

    job: str
    attempts: int
    reason: str | None

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"job": self.job, "attempts": self.attempts, "reason": self.reason}


def job_name(kind: str, owner: str) -> str:
    """The name of the job that stands for a failed turn."""
    return f"{kind}:{owner}"


def reason_of(said: str) -> str:
    """The beginning of an error's message, in characters that every store can hold."""
    return said[:_REASON].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def next_try(attempts: int, now: int) -> int:
    """When a turn that has failed this often is tried again, in microseconds since 1970."""
    return now + LATER_US[min(attempts, len(LATER_US)) - 1]


def failed_row(space: str, kind: str, payload: dict[str, Any], attempts: int, tells: tuple[str, int]) -> JobRow:
    """The row of a turn that failed.

    Args:
        payload: with the turn's id under `turn`.
        tells: what the failure said, and the time in microseconds since 1970.
    """
    why, now = tells
    ends = attempts >= ATTEMPTS
    state, later = (JobState.DEFERRED, 0) if ends else (JobState.PENDING, next_try(attempts, now))
    name = job_name(kind, payload["turn"])
    return JobRow(space, name, kind, state.value, dumps(payload), attempts, reason_of(why), None, later)


def jobs_of(reader: Reader, space: str, kind: str | None = None) -> list[JobRow]:
    """The jobs of one kind, or of all kinds, that wait or were given up; by state and name."""
    rest = () if kind is None else (str(kind),)  # a member of an enumeration is not a value of a column
    return [
        row
        for state in (JobState.PENDING.value, JobState.DEFERRED.value)
        for row in JOB.scan(reader, (space, state, *rest), (space, state, *rest), index="state")
    ]


def deferred(reader: Reader, space: str) -> list[Deferred]:
    """The jobs that were given up, by name."""
    aside = (row for row in jobs_of(reader, space) if row.state == JobState.DEFERRED)
    return sorted((Deferred(row.job, row.attempts or 0, row.reason) for row in aside), key=lambda job: job.job)


def owner_of(row: JobRow) -> dict[str, Any]:
    """What a job is about; empty if the row cannot be read, which `clew verify` reports."""
    try:
        payload = json.loads(row.payload)
    except (ValueError, TypeError):
        return {}
    return payload if isinstance(payload, dict) else {}


def drop_jobs(tx: Transaction, space: str, kind: str) -> None:
    """Deletes all jobs of one kind."""
    for row in jobs_of(tx, space, kind):
        tx.delete("job", (space, row.job), (space, row.job))


def retry_jobs(tx: Transaction, space: str) -> int:
    """Makes every job that nobody is working on due again, with all attempts; returns how many.

    Recorded answers of a language model about a turn that was given up are deleted, so that the model is asked again.
    """
    free = [row for row in jobs_of(tx, space) if row.holder is None]
    for row in free:
        if row.state == JobState.DEFERRED and row.kind not in _OF_NO_LLM:
            _drop_answers(tx, space, row.payload)
    JOB.put(tx, [row._replace(state=JobState.PENDING.value, attempts=0, not_before=0) for row in free])
    return len(free)


def _drop_answers(tx: Transaction, space: str, payload: str) -> None:
    try:
        owner = cast(str, json.loads(payload)["turn"])
    except (ValueError, TypeError, KeyError):  # the row may hold anything; `clew verify` names it
        return
    for key in COMPLETION_KEYS.scan(tx, (space, owner), (space, owner), index="owner"):
        tx.delete("completion", key, key)
