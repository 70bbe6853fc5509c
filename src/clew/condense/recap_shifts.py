"""The turning points of a recap: a line for each paradigm shift that says something, numbers for the others.

Start at `add_shifts`.
"""

from collections.abc import Sequence
from typing import Final

from clew.condense.material import RecapTurn
from clew.condense.recap_draft import RecapDraft, heading
from clew.condense.recap_lines import best_opening, line_of_calls, says_something
from clew.condense.sentence_worth import Rarity
from clew.text.counters import Counter

SHIFTED, OTHER = "Turning points", "Other turning points"
"""The sections: shifts told in a line, and those told by their numbers."""

ASKING: Final = 1_000
"""Tokens of a recap from which on it names what one can ask, and calls by their names."""

_SHIFT: Final = (140, 100, 70, 45)  # characters of the line of a shift: the most with which every one has a line
_MANY_SHIFTS: Final = 0.25  # share of the budget where the shortest lines do not fit into the room for shifts
_FRAME: Final = 60  # tokens that a small recap has for goal and last words before the numbers of shifts
_LISTED: Final = 8  # turning points without words from which on only their numbers are told


def number_tokens(draft: RecapDraft, shifts: Sequence[int]) -> int:
    """Most tokens that the numbers of these shifts need; 0 where the parts that every recap has need the room."""
    told = f"{heading(OTHER)}- {' '.join(f'#{seq}' for seq in shifts)}\n"
    return int(max(0, min(draft.count(told), _MANY_SHIFTS * draft.budget - _FRAME))) if shifts else 0


def add_shifts(draft: RecapDraft, turns: Sequence[RecapTurn], more: Sequence[int], rarity: Rarity, room: float) -> None:
    """A line for each paradigm shift that says something, the most important first; then the others by their numbers.

    Args:
        more: further shifts, which have no line.
        room: tokens for lines, as far as the shortest ones fit into it.
    """
    shifts = [turn for turn in turns if turn.is_shift]
    untold = (turn for turn in shifts if turn.seq not in draft.shown and turn.role != "system" and says_something(turn))
    telling = sorted(untold, key=lambda turn: (-round(turn.importance, 4), turn.seq))
    reserve = number_tokens(draft, (*(turn.seq for turn in shifts), *more))
    lines = _shift_lines(telling, room - reserve, draft.count, rarity)
    crowded = sum(draft.count(line + "\n") for line in lines) > room - reserve
    limit = draft.spent + (draft.budget * _MANY_SHIFTS if crowded else room)
    for turn, line in zip(telling, lines, strict=True):
        if not draft.add(SHIFTED, turn.seq, line, limit=(min(limit, draft.budget) - reserve) / max(1, draft.budget)):
            break
    left = {turn.seq: line_of_calls(turn) for turn in shifts if turn.seq not in draft.shown}
    left |= {seq: f"#{seq}" for seq in more}
    if not left:
        return
    said = "- " + "; ".join(left[seq] for seq in sorted(left))
    if (
        draft.budget < ASKING
        or len(left) > _LISTED
        or draft.spent + draft.count(said) > limit
        or not draft.add(OTHER, min(left), said)
    ):
        draft.add(OTHER, min(left), "- " + " ".join(f"#{seq}" for seq in sorted(left)))
    draft.shown |= set(left)


def _shift_lines(telling: Sequence[RecapTurn], room: float, count: Counter, rarity: Rarity) -> list[str]:
    """The lines of shifts, as long as all of them have room; else the shortest ones."""
    lines: list[str] = []
    for most in _SHIFT:
        said = [best_opening(turn.prose, most, rarity, by_user=turn.by_user) for turn in telling]
        lines = [f"- [#{turn.seq}] {turn.name}: {line}" for turn, line in zip(telling, said, strict=True)]
        if sum(count(line + "\n") for line in lines) <= room:
            break
    return lines
