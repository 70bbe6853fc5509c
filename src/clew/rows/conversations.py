"""Conversations of the proxy and their messages, as rows.

Messages are told by hashes under the space's salt, which stay when their turns are forgotten: so a client that sends
its history again does not bring them back. A conversation goes with its session's last turn, its messages stay.
"""

from clew.rows.tombstones import hashing_of
from clew.store.protocol import Transaction
from clew.store.tables import CONVERSATION


def drop_session(tx: Transaction, space: str, session: str) -> int:
    """Deletes the row of the conversation that is stored as this session; gives how many there were."""
    hashed = hashing_of(tx, space)
    if hashed is None:
        return 0
    key = (space, hashed("session", session))
    return tx.delete(CONVERSATION.name, key, key)
