"""Where the answer to a stored turn belongs: behind it, also in the branch of an edit. Start at `place_behind`."""

from typing import NamedTuple

from clew.ingest.branches import BranchTree
from clew.store.protocol import Store
from clew.store.selections import TURN_BRANCHES
from clew.types.ids import parse_turn_id
from clew.write.session_log import next_seq, read_contents


class AnswerPlace(NamedTuple):
    """A branch, and the id of the turn that an answer follows where that is not simply the branch's last one."""

    branch: str = ""
    parent: str | None = None


def place_behind(store: Store, space: str, name: str) -> AnswerPlace:
    """The place of an answer to a turn: in the turn's branch where that ends with it, otherwise in a new one."""
    session, seq = parse_turn_id(name)
    with store.snapshot() as reader:
        row = TURN_BRANCHES.get(reader, (space, session, seq))
        if row is None:  # forgotten since
            return AnswerPlace()
        if next_seq(reader, space, session) == seq + 1:
            return AnswerPlace(row.branch)
        contents = read_contents(reader, space, session, ())
    tree, place = BranchTree(contents.keys), contents.seqs.index(seq)
    if tree.goes_on(place):
        return AnswerPlace(tree.new_branch(), name)
    return AnswerPlace(row.branch, None if tree.ends[row.branch] == place else name)
