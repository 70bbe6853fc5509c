"""The receipt of a compaction: what it covers, what left the prompt, how to get it back, and how much smaller it is."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from clew.assemble.receipt import receipt_id
from clew.condense.recap import Recap
from clew.config import CondenseConfig
from clew.rows.compactions import KIND
from clew.types.context import Receipt
from clew.types.ids import turn_id


@dataclass(frozen=True, slots=True)
class CompactionSummary:
    """What a compaction did.

    Attributes:
        counter: name of the counter of all tokens.
        first: seq of the first turn that is new in it; -1 if there is none.
        covered: how many turns it and those before it cover.
        classes: how many new turns are preserved, summarised and routine.
        tokens: of the prompt before and after: of all turns, and of the recap with the last turns.
        shown: tokens of what stands for the covered turns, with the last turns.
        lost: uses of values that are not in the recap, by kind, of all covered turns.
        returned: of those of earlier turns that it shows again, by kind.
        previous: id of the receipt of the compaction before.
    """

    number: int
    reason: str
    counter: str
    first: int
    covered: int
    classes: Mapping[str, int]
    tokens: tuple[int, int]
    shown: int
    lost: Mapping[str, int] = field(default_factory=dict)
    returned: Mapping[str, int] = field(default_factory=dict)
    previous: str | None = None
    scale: float = 1.0


def compaction_receipt(
    config: CondenseConfig,
    recap: Recap,
    made: CompactionSummary,
    ledger: Sequence[Mapping[str, Any]],
    importance: Mapping[int, float],
    now: datetime,
) -> Receipt:
    """The receipt of a compaction.

    Args:
        ledger: rows of `condense.loss`.
        importance: of the turns that have a line in the recap, by seq.
    """
    settings = {"session": recap.session, "number": made.number, "counter": made.counter, **asdict(config)}
    nothing: dict[str, Any] = {"signals": {}, "ranks": {}}
    chosen = (
        {
            **nothing,
            "turn_ids": [turn_id(recap.session, seq)],
            "rendering": "line",
            "tokens": 0,
            "rank": rank,
            "score": importance.get(seq, 0.0),
            "signals": {"importance": importance.get(seq, 0.0)},
            "restore": turn_id(recap.session, seq),
        }
        for rank, seq in enumerate(recap.shown, 1)
    )
    omitted = ({**nothing, **row, "rank": rank, "score": 0.0} for rank, row in enumerate(ledger, 1))
    return Receipt(
        id=receipt_id(recap.session, settings, now),
        kind=KIND,
        query="",
        created_at=now,
        settings=settings,
        understood=_understood(config, recap, made),
        considered=made.covered,
        tokens=recap.tokens,
        chosen=tuple(chosen),
        omitted=tuple(omitted),
    )


def _understood(config: CondenseConfig, recap: Recap, made: CompactionSummary) -> dict[str, Any]:
    before, after = made.tokens
    understood: dict[str, Any] = {
        "compacted": True,
        "reason": made.reason,
        "style": recap.style,
        "first": made.first,
        "last": recap.last,
        "classes": dict(sorted(made.classes.items())),
        "tokens_before": before,
        "tokens_after": after,
        "ratio": round(before / after, 2) if after else 0.0,
        "shown": made.shown,
        "lost": dict(made.lost),
        "returned": dict(made.returned),
    }
    if config.window:
        understood["fill"] = round(made.shown / config.window, 4)
    if made.scale != 1.0:
        understood["recap_scale"] = made.scale
    if made.previous is not None:
        understood["previous"] = made.previous
    return understood


def refused_receipt(config: CondenseConfig, session: str, why: str, last: int, now: datetime) -> Receipt:
    """The receipt of a compaction that was not made."""
    settings = {"session": session, "number": 0, **asdict(config)}
    return Receipt(
        id=None,
        kind=KIND,
        query="",
        created_at=now,
        settings=settings,
        understood={"compacted": False, "why": why, "last": last},
        considered=0,
        tokens=0,
        chosen=(),
        omitted=(),
    )
