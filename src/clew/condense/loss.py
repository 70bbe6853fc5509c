"""The loss ledger of a compaction: what is in the turns and not in the recap, by kind, and how to get it back."""

from collections import Counter as Tally
from collections.abc import Sequence
from typing import Any, Literal

from clew.condense.material import RecapTurn
from clew.condense.recap import Recap
from clew.text.counters import CHARS_PER_TOKEN
from clew.types.ids import turn_id

TurnClass = Literal["preserved", "summarised", "routine"]


def class_of(turn: RecapTurn, *, preserve: float, routine: float) -> TurnClass:
    """SIGMA's three classes: shifts and important turns are preserved; those below `routine` are routine."""
    if turn.is_shift or turn.importance >= preserve:
        return "preserved"
    return "routine" if turn.importance < routine else "summarised"


def losses(turns: Sequence[RecapTurn], recap: Recap) -> list[dict[str, Any]]:
    """One row for each turn of which words or values left the prompt, in order.

    Each has `turn_ids`, `restore` (what brings it back), `tokens` of the whole turn, `lost` (number of its values that
    are not in the recap, by kind) and a `reason`. A turn is shown as far as a line of the recap is about it.
    """
    text = recap.text.casefold()
    shown = frozenset(recap.shown)
    rows = []
    for turn in turns:
        name = turn_id(recap.session, turn.seq)
        gone = {mark for mark in turn.marks if mark.value.casefold() not in text}
        lost = dict(sorted(Tally(mark.kind for mark in gone).items()))
        rows.append(
            {
                "turn_ids": [name],
                "restore": name,
                "tokens": -(-turn.characters // CHARS_PER_TOKEN),
                "lost": lost,
                "reason": _reason(lost, is_shown=turn.seq in shown),
            }
        )
    return rows


def _reason(lost: dict[str, int], *, is_shown: bool) -> str:
    form = "shown by a line" if is_shown else "left the prompt"
    values = ", ".join(f"{count} {kind}{'s' if count != 1 else ''}" for kind, count in lost.items())
    return f"{form}; values not in the recap: {values}" if values else form
