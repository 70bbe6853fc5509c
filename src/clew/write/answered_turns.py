"""Stores an answer behind the turn that it answers, which may be in the branch of an edit. Start at `add_answer`."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from clew.config import IngestConfig
from clew.errors import TurnRejected
from clew.ingest.branches import BranchTree
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import SessionRow, SpaceRow
from clew.store.turn_selections import TURN_BRANCHES
from clew.types.ids import parse_turn_id
from clew.types.turn import Turn
from clew.write.append import Appender, PlacedTurn
from clew.write.ingest import PAUSED, name_of, prepared
from clew.write.prepare import derive
from clew.write.session_log import next_seq, read_contents
from clew.write.session_writes import Fate


class AnswerPlace(NamedTuple):
    """A branch, and the seq of the turn that an answer follows where that is not simply the branch's last one."""

    branch: str = ""
    follows: int | None = None
    opens: bool = False


def add_answer(
    appender: Appender, question: str, turns: Sequence[Turn], config: IngestConfig, now: datetime
) -> tuple[str, ...]:
    """Appends the turns of an answer behind the stored turn that they answer; returns their ids.

    Of answers that come at once, from any process, each has a place of its own: it is looked up before the transaction
    that writes them, and there again if the session went on meanwhile.

    Raises:
        TurnRejected: one of them cannot be taken, or is kept out by a pattern, a pause, or because it was forgotten.
    """
    session, seq = parse_turn_id(question)
    space = appender.space
    with appender.store.snapshot() as reader:
        upcoming, place = next_seq(reader, space, session), place_behind(reader, space, session, seq)
    items = [prepared(appender, turn, config) for turn in turns]
    derived = [None if item.excluded is not None else derive(item.turn) for item in items]

    def decide(tx: Transaction, _: SpaceRow, row: SessionRow) -> list[PlacedTurn]:
        at = place if row.next_seq == upcoming else place_behind(tx, space, session, seq)
        rest = AnswerPlace(at.branch)
        places = (rest if n else at for n in range(len(items)))
        return [PlacedTurn(*fields) for fields in zip(items, derived, *zip(*places, strict=True), strict=True)]

    added = appender.add_placed(session, now, decide, _nothing_more)
    added.wait_for_disk()
    if added.result is None:
        raise TurnRejected(PAUSED)
    return tuple(name_of(item, fate) for item, fate in zip(items, added.result, strict=True))


def place_behind(reader: Reader, space: str, session: str, seq: int) -> AnswerPlace:
    """The place of an answer to a turn: the turn's own branch if the turn is its last one, otherwise a new branch."""
    row = TURN_BRANCHES.get(reader, (space, session, seq))
    if row is None:  # forgotten since
        return AnswerPlace()
    if next_seq(reader, space, session) == seq + 1:
        return AnswerPlace(row.branch)
    contents = read_contents(reader, space, session, ())
    tree, place = BranchTree(contents.keys), contents.seqs.index(seq)
    if tree.goes_on(place):
        return AnswerPlace(tree.new_branch(), seq, opens=True)
    return AnswerPlace(row.branch, None if tree.ends[row.branch] == place else seq)


def _nothing_more(tx: Transaction, space: SpaceRow, fates: Sequence[Fate]) -> None:
    """Writes nothing beside the turns."""
