"""Deletes the analysis of a space, or of sessions, which are then analysed again from the first turn."""

from collections.abc import Sequence
from typing import Final

from clew.derive.branch_state import MARK, mark_name
from clew.derive.hierarchy import TREE, drop_nodes
from clew.rows.analysis_progress import PROGRESS
from clew.rows.annotations import TAG, note_replaced
from clew.rows.failed_jobs import RuleStage, drop_jobs
from clew.rows.renderings import drop_all_renderings, drop_renderings
from clew.rows.set_aside import take_sessions_back
from clew.rows.vocabulary import adopt, drop_vocabulary, labels_in, let_go, untag
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import LabelRow, MetaRow
from clew.store.tables import LABEL, META
from clew.store.turn_selections import TURN_ORDINAL, TURN_SEQ
from clew.store.values import past_prefix
from clew.types.ids import parse_turn_id, turn_id

REDO: Final = "redo:"
"""Rows of META with this prefix name sessions that are analysed again, and hold the seq from which they are."""


def drop_analysis(tx: Transaction, space: str) -> None:
    """Takes back everything that is made here but the annotations, which the next pass replaces one by one.

    What a person marked stays, and so does what a language model said of a turn.
    """
    note_replaced(tx, space)
    for stage in (RuleStage.ANALYSIS, RuleStage.BEATS, RuleStage.MEET):
        drop_jobs(tx, space, stage)
    tx.delete("node", (space,), (space,))
    drop_all_renderings(tx, space)
    drop_vocabulary(tx, space)
    kept = [row for row in LABEL.scan(tx, (space,), (space,)) if _is_given(row)]
    tx.delete("label", (space,), (space,))
    LABEL.put(tx, kept)
    tx.delete("meta", (space, PROGRESS), (space, PROGRESS))
    adopt(tx, space, _born(tx, space, [row for row in kept if row.namespace == TAG and row.provenance != "user"]))
    for prefix in (MARK, REDO, TREE):
        tx.delete("meta", (space, prefix), (space, past_prefix(prefix)))


def analyse_again(tx: Transaction, space: str, sessions: Sequence[str]) -> None:
    """Takes back what was made of sessions, and asks for it to be made again.

    A session that has no turns left is not asked for again, so that its name goes with this transaction.
    """
    for session in sessions:
        dropped, beats = labels_in(tx, space, session)
        drop_nodes(tx, space, session)
        drop_renderings(tx, space, session)
        untag(tx, space, session)
        let_go(tx, space, _drop_lost(tx, space, session) | dropped, beats)
        name = mark_name(session, "")
        tx.delete("meta", (space, name), (space, name))
        tx.delete("meta", (space, name + ":"), (space, name + ";"))
        take_sessions_back(tx, space, [session], RuleStage.BEATS)
        if tx.count("turn", (space, session), (space, session)):
            META.put(tx, [MetaRow(space, REDO + session, "0")])
        else:
            tx.delete("meta", (space, REDO + session), (space, REDO + session))


def _is_given(row: LabelRow) -> bool:
    """Whether a label was not made by the analysis."""
    return row.provenance == "user" or (":turn:" in row.owner and row.provenance.startswith("model:"))


def _born(reader: Reader, space: str, labels: Sequence[LabelRow]) -> list[tuple[str, int]]:
    """The names of labels of turns, with the turns' ordinals."""
    ordinals = TURN_ORDINAL.get_many(reader, [(space, *parse_turn_id(row.owner)) for row in labels])
    pairs = zip(labels, ordinals, strict=True)
    return [(label.name, ordinal) for label, ordinal in pairs if ordinal is not None]


def _drop_lost(tx: Transaction, space: str, session: str) -> dict[str, int]:
    """Takes out the labels of turns of a session that are gone; returns the names of those that were no person's."""
    first = turn_id(session, 0).removesuffix("0")
    dropped: dict[str, int] = {}
    for row in LABEL.scan(tx, (space, first), (space, past_prefix(first))):
        if TURN_SEQ.get(tx, (space, *parse_turn_id(row.owner))) is None:
            key = (space, row.owner, row.namespace, row.name)
            tx.delete("label", key, key)
            if row.namespace == TAG:
                dropped[row.name] = 0  # of beats
    return dropped
