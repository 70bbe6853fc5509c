"""Makes failed jobs and turns that were set aside due again. Start at `retry_all`."""

from collections.abc import Sequence
from dataclasses import replace

from clew.derive.analysis_dropped import analyse_again
from clew.derive.project_meeting import meet_again
from clew.rows.entity_progress import ENTITY_PROGRESS, read_entity_progress
from clew.rows.extraction_runs import retry_extractions
from clew.rows.fact_progress import read_fact_progress, write_fact_progress
from clew.rows.failed_jobs import RuleStage, drop_jobs, jobs_of, retry_jobs
from clew.rows.mentions import note_read, read_again, read_until
from clew.rows.name_spans import RECOGNISER, read_asked
from clew.rows.renderings import render_again
from clew.rows.set_aside import names_aside, sessions_aside, turns_aside
from clew.store.protocol import Store, Transaction
from clew.store.row_types import MetaRow
from clew.store.tables import META
from clew.types.ids import parse_turn_id


def retry_all(store: Store, space: str) -> int:
    """Lets jobs and extractions that failed or were given up be tried again; returns how many these are."""

    def work(tx: Transaction) -> int:
        sessions = _analyse_again(tx, space)
        _read_again(tx, space)
        rendered = _render_again(tx, space)
        met = turns_aside(tx, space, RuleStage.MEET)
        meet_again(tx, space, met)
        condensed = len(jobs_of(tx, space, RuleStage.CONDENSING))
        for stage in (RuleStage.MEET, RuleStage.CONDENSING):
            drop_jobs(tx, space, stage)
        return sessions + rendered + len(met) + condensed + retry_jobs(tx, space) + retry_extractions(tx, space)

    return store.transaction(work)


def _analyse_again(tx: Transaction, space: str) -> int:
    """Has sessions analysed again of which a turn or a beat was set aside; returns how many notes said so."""
    turns = names_aside(tx, space, RuleStage.ANALYSIS)
    sessions = sessions_aside(tx, space, RuleStage.BEATS)
    for stage in (RuleStage.ANALYSIS, RuleStage.BEATS):
        drop_jobs(tx, space, stage)
    analyse_again(tx, space, sorted(sessions.union(parse_turn_id(name)[0] for name in turns)))
    return len(turns) + len(sessions)


def _render_again(tx: Transaction, space: str) -> int:
    """Has the short forms made again on which rules failed; returns the jobs."""
    rows = jobs_of(tx, space, RuleStage.RENDERINGS)
    sessions = sorted(sessions_aside(tx, space, RuleStage.RENDERINGS))
    render_again(tx, space, sessions, labels=len(rows) > len(sessions))
    drop_jobs(tx, space, RuleStage.RENDERINGS)
    return len(rows)


def _read_again(tx: Transaction, space: str) -> None:
    """Notes the turns that were set aside where each stage looks for its work; their jobs go once they are done."""
    if mentions := turns_aside(tx, space, RuleStage.MENTIONS):
        text, start = read_until(tx, space)
        note_read(tx, space, start, _joined(read_again(text), mentions, start))
    if entities := turns_aside(tx, space, RuleStage.ENTITIES):
        _, counted = read_entity_progress(tx, space)
        again = _joined(counted.again, entities, counted.next)
        META.put(tx, [MetaRow(space, ENTITY_PROGRESS, replace(counted, again=again).to_json())])
    if names := turns_aside(tx, space, RuleStage.NAMES):
        _, asked = read_asked(tx, space)
        if asked is not None:
            after = replace(asked, again=_joined(asked.again, names, asked.next))
            META.put(tx, [MetaRow(space, RECOGNISER, after.to_json())])
    if facts := turns_aside(tx, space, RuleStage.FACTS):
        seen = read_fact_progress(tx, space)
        write_fact_progress(tx, space, seen, replace(seen, redo=_joined(seen.redo, facts, seen.next)))


def _joined(known: Sequence[int], aside: frozenset[int], upto: int) -> tuple[int, ...]:
    """The turns to be read again, in order; those from `upto` on will be read anyway."""
    return tuple(sorted(ordinal for ordinal in aside.union(known) if ordinal < upto))
