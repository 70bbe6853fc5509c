"""Compares two receipts: which turns changed between the recalls, and which signal caused it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clew.types.context import Receipt
from clew.types.record import Record

KINDS: Final = ("entered", "left", "moved", "shown otherwise")
"""Kinds of changes, in the order in which they are listed."""

LEAST: Final = 1e-6
"""Smallest difference of a signal's shares that counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankChange(Record):
    """The change of one turn.

    Attributes:
        turn_id: the turn; for an outline in a receipt of kind `when`, the name of its beat or chapter.
        kind: `entered` or `left` the block, `moved` to another rank in it, or is `shown otherwise` (another rendering).
        before: rank in the first receipt; None where that receipt does not name the turn.
        after: rank in the second receipt; None where that receipt does not name the turn.
        was: rendering in the first block; None where the turn was not in it.
        shown: rendering in the second block; None where the turn is not in it.
        signal: the signal whose share changed most in the direction of the change; for a turn that one receipt does not
            name, the strongest signal in the other. Empty when no share changed, as when only the budget differs.
        share: difference of that signal's shares, or the share itself where only one receipt names the turn.
    """

    turn_id: str
    kind: str
    before: int | None = None
    after: int | None = None
    was: str | None = None
    shown: str | None = None
    signal: str = ""
    share: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptChanges(Record):
    """The differences between two receipts.

    Attributes:
        first: name of the first receipt.
        second: name of the second receipt.
        settings: settings that differ, the question included: name -> [value in the first, value in the second].
        turns: ordered by kind, then by rank in the second receipt, then in the first.
        same: number of turns with the same rank and rendering in both.
    """

    first: str
    second: str
    settings: dict[str, list[Any]] = field(default_factory=dict)
    turns: tuple[RankChange, ...] = ()
    same: int = 0


def changes(first: Receipt, second: Receipt) -> ReceiptChanges:
    """The changes from the first recall to the second."""
    shown = [{_name(row): row for row in receipt.chosen} for receipt in (first, second)]
    known = [
        {_name(row): row for row in receipt.omitted} | rows
        for receipt, rows in zip((first, second), shown, strict=True)
    ]
    differences, same = [], 0
    for name in sorted(shown[0].keys() | shown[1].keys()):
        change = _change(name, shown[0].get(name), shown[1].get(name), known[0].get(name), known[1].get(name))
        same += change is None
        differences += [] if change is None else [change]
    differences.sort(
        key=lambda difference: (
            KINDS.index(difference.kind),
            difference.after or 0,
            difference.before or 0,
            difference.turn_id,
        )
    )
    return ReceiptChanges(
        first=first.name, second=second.name, settings=_settings(first, second), turns=tuple(differences), same=same
    )


Row = Mapping[str, Any]


def _name(row: Row) -> str:
    return str(row.get("node_id") or row["turn_ids"][0])


def _change(
    name: str, shown: Row | None, now: Row | None, known: Row | None, known_now: Row | None
) -> RankChange | None:
    before, after = (None if row is None else row.get("rank") or None for row in (known, known_now))
    renderings = [None if row is None else row["rendering"] for row in (shown, now)]
    if shown is None or now is None:
        kind, rises = ("entered", True) if shown is None else ("left", False)
    elif before != after:
        kind, rises = "moved", (after or 0) < (before or 0)
    elif renderings[0] != renderings[1]:
        kind, rises = "shown otherwise", True
    else:
        return None
    signal, share = _cause(known, known_now, rises=rises)
    return RankChange(
        turn_id=name,
        kind=kind,
        before=before,
        after=after,
        was=renderings[0],
        shown=renderings[1],
        signal=signal,
        share=share,
    )


def _cause(known: Row | None, known_now: Row | None, *, rises: bool) -> tuple[str, float]:
    """The signal whose share changed most for (or against) the turn, and by how much; of equals the first by name."""
    then: Mapping[str, float] = {} if known is None else known.get("signals", {})
    now: Mapping[str, float] = {} if known_now is None else known_now.get("signals", {})
    if known is None or known_now is None:
        strongest = sorted((then or now).items(), key=lambda pair: (-pair[1], pair[0]))
        return strongest[0] if strongest else ("", 0.0)
    moves = {name: round(now.get(name, 0.0) - then.get(name, 0.0), 6) for name in sorted(then.keys() | now.keys())}
    side = 1 if rises else -1
    best = max(moves, key=lambda name: side * moves[name], default="")
    return (best, moves[best]) if best and side * moves[best] > LEAST else ("", 0.0)


def _settings(first: Receipt, second: Receipt) -> dict[str, list[Any]]:
    sides = [
        {"question": receipt.query, "considered": receipt.considered, **receipt.settings} for receipt in (first, second)
    ]
    names = sorted(sides[0].keys() | sides[1].keys())
    pairs = {name: [side.get(name) for side in sides] for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
