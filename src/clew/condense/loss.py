"""The loss ledger of a compaction: what is in the turns and not in the recap, by kind, and how to get it back.

The ledger of one compaction lists the turns that are new in it, and the values that the recap before it showed and its
own does not. So the ledgers of a session's compactions together say what has left the prompt.
"""

from collections import Counter as Tally
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from clew.condense.material import RecapTurn, TurnScores, recap_turns
from clew.condense.recap import Recap
from clew.condense.reuse import Uses
from clew.text.counted import counted
from clew.text.counters import CHARS_PER_TOKEN
from clew.types.ids import turn_id
from clew.types.turn import Turn

TurnClass = Literal["preserved", "summarised", "routine"]

_SHORTENED: Final = "one of the last turns, shown in part"

LINE: Final = 300
"""Characters of the line by which a preserved turn can be shown."""


class TurnLedger(NamedTuple):
    """What a compaction has to know of a turn that it covers.

    Attributes:
        tokens: of the whole turn.
        values: what may be needed again, case-folded, and its kind.
        line: the turn on one line.
    """

    seq: int
    tokens: int
    grade: TurnClass
    values: Mapping[str, str]
    line: str


def ledger_of(turn: RecapTurn, tokens: int, *, preserve: float, routine: float) -> TurnLedger:
    """What a compaction has to know of a turn.

    Args:
        preserve, routine: the importance from which a turn is preserved, and that below which it is routine.
    """
    values = {mark.value.casefold(): mark.kind for mark in turn.marks}
    grade = class_of(turn, preserve=preserve, routine=routine)
    return TurnLedger(turn.seq, tokens, grade, values, " ".join(turn.one_line[:LINE].split()))


def class_of(turn: RecapTurn, *, preserve: float, routine: float) -> TurnClass:
    """SIGMA's three classes: shifts and important turns are preserved; those below `routine` are routine.

    A turn that is not analysed yet is summarised.
    """
    if turn.is_shift or turn.importance >= preserve:
        return "preserved"
    return "routine" if 0 < turn.importance < routine else "summarised"


def losses(turns: Sequence[TurnLedger], recap: Recap) -> list[dict[str, Any]]:
    """One row for each turn of which words or values left the prompt, in order.

    Each has `turn_ids`, `restore` (what brings it back), `tokens` of the whole turn, `lost` (number of its values that
    are not in the recap, by kind) and a `reason`. A turn is shown as far as a line of the recap is about it.
    """
    text = recap.text.casefold()
    shown = frozenset(recap.shown)
    rows = []
    for turn in turns:
        lost = dict(sorted(Tally(kind for value, kind in turn.values.items() if value not in text).items()))
        rows.append(_row(recap.session, turn.seq, turn.tokens, lost, _reason(lost, is_shown=turn.seq in shown)))
    return rows


class Moved(NamedTuple):
    """A value that one recap shows and the other does not: its kind, the last turn that used it, and its older uses.

    Attributes:
        uses: how many turns that an earlier compaction covered use it.
    """

    value: str
    kind: str
    last: int
    uses: int


def moved(uses: Uses, new: Sequence[TurnLedger], before: str, after: str) -> tuple[list[Moved], list[Moved]]:
    """The values that were in the recap before and are not in that after, and those that came back.

    Args:
        uses: of all turns covered.
        new: the turns that only the recap after covers.
    """
    fresh = Tally(value for turn in new for value in turn.values)
    old, now = before.casefold(), after.casefold()
    left: list[Moved] = []
    back: list[Moved] = []
    for key, use in sorted(uses.values.items()):
        earlier = use.count - fresh[key]
        if earlier > 0 and (key in old) != (key in now):
            (left if key in old else back).append(Moved(key, use.mark.kind, use.last, earlier))
    return left, back


def moved_rows(session: str, left: Sequence[Moved]) -> list[dict[str, Any]]:
    """A row for each value that the recap before showed and the new one does not."""
    reason = "left the recap with this compaction: {value}"
    return [
        _row(session, each.last, 0, {each.kind: each.uses}, reason.format(value=each.value)) | {"value": each.value}
        for each in left
    ]


def shortened_rows(
    session: str, turns: Sequence[Turn], shortened: Mapping[int, str], recap: Recap
) -> list[dict[str, Any]]:
    """A row for each of the last turns that is shown in part; the compaction that covers it counts its values."""
    rows = []
    for turn in recap_turns((turn, TurnScores()) for turn in turns if turn.seq in shortened):
        text = f"{recap.text}\n{shortened[turn.seq]}".casefold()
        values = {mark.value.casefold(): mark.kind for mark in turn.marks}
        lost = dict(sorted(Tally(kind for value, kind in values.items() if value not in text).items()))
        rows.append(_row(session, turn.seq, -(-turn.characters // CHARS_PER_TOKEN), lost, _SHORTENED))
    return rows


def totals(before: Mapping[str, int], rows: Sequence[Mapping[str, Any]], back: Sequence[Moved] = ()) -> dict[str, int]:
    """How many uses of values are not in the recap, by kind, in all turns that the compactions cover.

    Args:
        before: the same of the compaction before.
        rows: the ledger of this compaction.
        back: the values that its recap shows again.
    """
    counts = Tally(before)
    for row in rows:
        counts.update(row["lost"])
    for sentence in back:
        counts[sentence.kind] -= sentence.uses
    return {kind: count for kind, count in sorted(counts.items()) if count > 0}


def _row(session: str, seq: int, tokens: int, lost: dict[str, int], reason: str) -> dict[str, Any]:
    name = turn_id(session, seq)
    return {"turn_ids": [name], "restore": name, "tokens": tokens, "lost": lost, "reason": reason}


def _reason(lost: dict[str, int], *, is_shown: bool) -> str:
    form = "shown by a line" if is_shown else "left the prompt"
    values = ", ".join(counted(count, kind) for kind, count in lost.items())
    return f"{form}; values not in the recap: {values}" if values else form
