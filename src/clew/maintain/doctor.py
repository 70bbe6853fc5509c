"""Explains the problems that `verify` finds, and makes the repairs that cannot lose a turn."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from clew.config import IndexConfig
from clew.derive.entity_counts import EntityCounting, drop_entities
from clew.derive.facts import make_afresh
from clew.errors import ClewError
from clew.index.vector_repair import remove_invalid_vectors
from clew.maintain.check_counters import drop_unreadable_counters
from clew.maintain.check_references import find_gaps, find_lost_parents, find_odd_jobs, find_orphans, stored_places
from clew.maintain.rebuild import rebuild
from clew.rows.fact_codec import is_readable
from clew.rows.fact_progress import mend_fact_progress
from clew.store.protocol import Store, Transaction
from clew.store.row_types import SessionRow
from clew.store.rows import dumps, turn_from_row, turn_row
from clew.store.selections import BLOB_SHA, SESSION_NAME
from clew.store.tables import SESSION, SPACE, STATEMENT, TURN
from clew.store.turn_selections import TURN_ARRIVALS, TURN_ORDINAL, TURN_PARTS
from clew.types.ids import parse_turn_id
from clew.types.reports import Problem
from clew.write.session_log import next_seq

log = logging.getLogger("clew.doctor")

_WORD: Final = re.compile(r"\w+")
"""What a turn's parts may hold as the name of a blob, which stands between quotes there."""


@dataclass(frozen=True, slots=True)
class Finding:
    """All problems of one kind.

    Attributes:
        meaning: what is wrong and what follows from it, for readers who do not know the internals.
        repair: what `repair` does about it, or what else helps.
        mends: whether `repair` can do anything about this kind.
    """

    kind: str
    meaning: str
    repair: str
    mends: bool
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Advice:
    meaning: str
    repair: str
    mend: Callable[[Store, str, IndexConfig], object] | None = None


def diagnose(problems: Sequence[Problem]) -> list[Finding]:
    """The problems by kind, the gravest first."""
    findings = []
    for kind, advice in ADVICE.items():
        own = tuple(problem for problem in problems if problem.kind == kind)
        if own:
            findings.append(Finding(kind, advice.meaning, advice.repair, advice.mend is not None, own))
    return findings


def repair(store: Store, space: str, findings: Sequence[Finding], config: IndexConfig) -> list[str]:
    """Repairs what can be repaired without losing a turn; returns the kinds that it worked on, in that order.

    Verify again afterwards: some problems of a kind may be beyond repair. A second call changes nothing.
    """
    done = []
    for finding in findings:
        mend = ADVICE[finding.kind].mend
        if mend is None:
            continue
        try:
            mend(store, space, config)
        except ClewError:
            raise
        except Exception as error:  # noqa: BLE001  # a row may hold anything; the next kind may still be mended
            log.warning("%s: not mended, since a row cannot be read: %s: %s", finding.kind, type(error).__name__, error)
        else:
            done.append(finding.kind)
    return done


def _mend_numbers(store: Store, space: str, _config: IndexConfig) -> None:
    """Raises counters that lie below the numbers in use, and drops the rows of sessions without turns."""

    def work(tx: Transaction) -> None:
        top, places = -1, dict[str, int]()
        turns = TURN_ARRIVALS.scan(tx, (space,), (space,))
        for turn in turns:
            top = max(top, turn.ordinal)
            places[turn.session] = max(places.get(turn.session, -1), turn.seq)
        row = SPACE.get(tx, (space,))
        if row is not None and row.next_ordinal <= top:
            SPACE.put(tx, [row._replace(next_ordinal=top + 1)])
        for session, last in places.items():
            stored = SESSION.get(tx, (space, session))
            stored = stored or SessionRow(space, session, 0, None, dumps({}), turns[0].ingested_at)
            SESSION.put(tx, [stored._replace(next_seq=max(last + 1, next_seq(tx, space, session)))])
        for name in SESSION_NAME.scan(tx, (space,), (space,)):
            if name not in places:
                tx.delete("session", (space, name), (space, name))

    store.transaction(work)


def _clear_parents(store: Store, space: str, _config: IndexConfig) -> None:
    """Removes references to missing turns, unless turns are missing that a backup could bring back."""

    def work(tx: Transaction) -> None:
        places = stored_places(tx, space)
        if any(True for _ in find_gaps(tx, space, places)):
            return
        for problem in list(find_lost_parents(tx, space, places)):
            row = TURN.get(tx, (space, *parse_turn_id(problem.where)))
            if row is not None:
                TURN.put(tx, [turn_row(space, replace(turn_from_row(row), parent=None), row.hash)])

    store.transaction(work)


def _drop_unused_blobs(store: Store, space: str, _config: IndexConfig) -> None:
    def work(tx: Transaction) -> None:
        unused = set(BLOB_SHA.scan(tx, (space,), (space,)))
        for parts in TURN_PARTS.scan(tx, (space,), (space,)):
            if parts and unused:  # not read as JSON, since a row that is damaged still names its blobs
                unused.difference_update(_WORD.findall(parts))
        for sha in sorted(unused):
            tx.delete_blob(space, sha)

    store.transaction(work)


def _drop_odd_jobs(store: Store, space: str, _config: IndexConfig) -> None:
    def work(tx: Transaction) -> None:
        for problem in list(find_odd_jobs(tx, space)):
            key = (space, problem.where.removeprefix("job "))
            tx.delete("job", key, key)

    store.transaction(work)


def _drop_orphans(store: Store, space: str, _config: IndexConfig) -> None:
    """Deletes rows of missing turns, unless turns are missing that a backup could bring back."""

    def work(tx: Transaction) -> None:
        places = stored_places(tx, space)
        if any(True for _ in find_gaps(tx, space, places)):
            return
        for orphan in list(find_orphans(tx, space, places)):
            tx.delete(orphan.table, orphan.key, orphan.key)

    store.transaction(work)


def _mend_vectors(store: Store, space: str, _config: IndexConfig) -> None:
    def work(tx: Transaction) -> None:
        remove_invalid_vectors(tx, space, TURN_ORDINAL.scan(tx, (space,), (space,)))

    store.transaction(work)


def _rebuild(store: Store, space: str, config: IndexConfig) -> None:
    store.transaction(lambda tx: drop_unreadable_counters(tx, space))
    rebuild(store, space, pack_minimum=config.pack_minimum, fan_out=config.fan_out)


def _count_again(store: Store, space: str, _config: IndexConfig) -> None:
    store.transaction(lambda tx: drop_entities(tx, space))
    naming = EntityCounting(store, space)
    while naming.step():
        pass


def _make_facts_again(store: Store, space: str, _config: IndexConfig) -> None:
    """Drops all facts, and statements of missing turns or that cannot be read; the background work makes them again."""

    def work(tx: Transaction) -> None:
        turns = set(TURN_ORDINAL.scan(tx, (space,), (space,), index="ordinal"))
        for row in STATEMENT.scan(tx, (space,), (space,)):
            if row.ordinal not in turns or not is_readable(row):
                tx.delete("statement", row[: STATEMENT.key], row[: STATEMENT.key])
        mend_fact_progress(tx, space)
        make_afresh(tx, space)

    store.transaction(work)


_BACKUP: Final = "Put a backup back, or copy the home from elsewhere; what is whole can be saved with clew export."

ADVICE: Final[Mapping[str, _Advice]] = MappingProxyType(
    {
        "database": _Advice("The database file itself is damaged, by the disk or by another program.", _BACKUP),
        "turn": _Advice("A turn is not, word for word, what was stored: something changed it from outside.", _BACKUP),
        "numbering": _Advice(
            "The numbers of turns do not fit: a counter is too low, a session is empty, or turns are missing.",
            "Counters are raised and empty sessions dropped; missing turns only a backup brings back.",
            _mend_numbers,
        ),
        "parent": _Advice(
            "A turn says that it answers one which is not there.",
            "The reference is taken out and the turn kept; not while turns are missing that a backup could bring back.",
            _clear_parents,
        ),
        "blob": _Advice(
            "An original (an image, a long tool output) is missing or changed, or no turn refers to it.",
            "What no turn refers to is dropped; missing or changed originals only a backup brings back.",
            _drop_unused_blobs,
        ),
        "job": _Advice(
            "A job waits that nobody can do: it is for a turn that is not there, or cannot be read.",
            "It is dropped; jobs are made from the turns.",
            _drop_odd_jobs,
        ),
        "orphan": _Advice(
            "Something is kept of a turn or conversation that is not there: a label, an answer, a beat or a mark.",
            "It is dropped; not while turns are missing that a backup could bring back.",
            _drop_orphans,
        ),
        "vector": _Advice(
            "A vector is damaged, of another model's length, or of a turn that is not there.",
            "It is dropped; the embedder makes it again.",
            _mend_vectors,
        ),
        "annotation": _Advice(
            "Weights or marks of turns are missing, not those of their words, or of a turn that is not there.",
            "They are made again from the turns, as clew rebuild does.",
            _rebuild,
        ),
        "coverage": _Advice(
            "Turns are in no beat or in several, or nothing is said of them beside each other.",
            "They are analysed again from the turns, as clew rebuild does.",
            _rebuild,
        ),
        "entity": _Advice(
            "The people, places and things that are listed are not those that the turns name.",
            "They are counted again from the turns.",
            _count_again,
        ),
        "fact": _Advice(
            "The facts that are listed are not those that the turns state, or are of turns that are not there.",
            "They are made again from what the turns state.",
            _make_facts_again,
        ),
        "index": _Advice(
            "The search index does not agree with the turns: some are found wrongly, or not at all.",
            "It is made again from the turns, as clew rebuild does.",
            _rebuild,
        ),
    }
)
"""Kind of problem -> what it means and what helps, the gravest first; the order in which they are mended."""
