"""The order of statements: by the time of their turns, never by the time at which they were stored."""

from datetime import UTC, datetime
from typing import NamedTuple

from clew.types.facts import Statement
from clew.types.ids import parse_turn_id

_UNKNOWN = datetime.min.replace(tzinfo=UTC)


class Order(NamedTuple):
    """Sorts statements by time, then by place; a statement without a time comes first."""

    at: datetime
    session: str
    seq: int
    ordinal: int
    maker: str


def order_of(statement: Statement) -> Order:
    """The place of a statement among all others.

    Raises:
        InputError: its turn is not a turn id.
    """
    session, seq = parse_turn_id(statement.turn)
    return Order(statement.said_at or _UNKNOWN, session, seq, statement.ordinal, statement.provenance)


def is_decided(first: Order, second: Order) -> bool:
    """Whether it is known which of two statements was made later.

    Within a session the positions of the turns decide between equal times. Between sessions only times decide.
    """
    if _UNKNOWN in (first.at, second.at):
        return first.session == second.session and first.at == second.at
    return first.session == second.session or first.at != second.at
