"""The turns of the stored beginning of a history."""

from dataclasses import dataclass

from clew.rows.conversations import messages_of
from clew.serve.proxy.history.conversation_lookup import Look


@dataclass(frozen=True, slots=True)
class StoredPath:
    """What is stored of the beginning of a history.

    Attributes:
        turns: for each unit the places of its turns.
        cut: whether the history lacked something when it came.
    """

    turns: tuple[tuple[int, ...], ...] = ()
    relayed: int = 0
    cut: bool = False


def read_path(look: Look, key: bytes, at: int) -> StoredPath:
    """The turns of a stored beginning, read in one scan."""
    stored = {(each.depth, each.chain): each for each in messages_of(look.reader, look.space, key)}
    turns: list[tuple[int, ...]] = []
    relayed, cut, place = 0, False, at
    while place >= 0:
        message = stored.get((place, look.chains[place]))
        if message is None:
            turns.append(())
            place -= 1
            continue
        relayed = max(relayed, message.relayed)
        cut = cut or len(message.turns) > 1
        turns += reversed(message.turns)
        place -= len(message.turns)
    turns.reverse()
    return StoredPath(tuple(turns[-at - 1 :]), relayed, cut)
