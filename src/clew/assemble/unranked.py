"""What a block shows beside ranked turns: how a stretch of turns is named, and the items of such lines. Pure."""

from clew.assemble.render import Evidence
from clew.text.counted import counted
from clew.text.counters import Counter
from clew.types.context import ContextItem


def named_range(low: int, high: int, turns: int) -> str:
    """What follows the number of a stretch's first turn in place of a speaker: `to 12 (10 turns)`.

    Args:
        low, high: seqs of the first and the last turn.
        turns: how many turns are meant, which may be fewer than those between.
    """
    count = f"({counted(turns, 'turn')})"
    return f"to {high} {count}" if high != low else count


def unranked_item(
    shown: Evidence,
    turn_ids: tuple[str, ...],
    counter: Counter,
    *,
    node_id: str | None = None,
    required: str | None = None,
) -> ContextItem:
    """The item of a line that nothing ranked; its first turn is what `restore` names."""
    return ContextItem(
        turn_ids=turn_ids,
        rendering=shown.rendering,
        text=shown.text,
        tokens=counter(shown.line),
        rank=0,
        score=0.0,
        signals={},
        session=shown.session,
        at=shown.at,
        node_id=node_id,
        restore=turn_ids[0],
        required=required,
    )
