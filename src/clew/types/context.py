"""What a recall or a search returns, and the receipt that explains it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from clew.types.record import Record
from clew.types.turn import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(Record):
    """One turn found by a search.

    Attributes:
        score: the fused score; only its order means something. Rounded to 1e-6.
        signals: what each signal added to the score, by signal name; a signal that had no opinion is absent.
    """

    turn: Turn
    score: float
    signals: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem(Record):
    """One piece of evidence as it stands in the block.

    Attributes:
        turn_ids: the turns whose words are shown, in order.
        node_id: the node shown, when it is not a single turn.
        rendering: `full`, or a shorter rendering's name.
        text: the words shown, without date, speaker and id.
        tokens: what this item adds to the block by the chosen counter; headings are shared and not in it.
        rank: its place among all candidates, from 1, after fusion.
        ranks: its place by each signal that orders turns, before fusion, from 1, ties sharing the best: under RRF among
            all turns, else among the candidates. A signal that says nothing of the turn is absent.
        at: event time of the first turn; None when the source gave none.
        restore: what brings the whole turn back, when a shorter rendering is shown; else None.
        required: why it is there whatever was asked: `pin`, or a rule's expression; None for what was found.
    """

    turn_ids: tuple[str, ...]
    rendering: str
    text: str
    tokens: int
    rank: int
    score: float
    signals: dict[str, float]
    session: str
    at: datetime | None = None
    node_id: str | None = None
    ranks: dict[str, int] = field(default_factory=dict)
    restore: str | None = None
    required: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission(Record):
    """A candidate that was considered and left out, with the reason and the way to get it back.

    Attributes:
        tokens: about what the whole turn takes.
        rank: its place among all candidates, from 1; 0 in a receipt that was written before this was kept.
        signals: what each signal added to its score.
        ranks: its place by each signal that orders turns, as `ContextItem` has it.
    """

    turn_ids: tuple[str, ...]
    reason: str
    score: float
    tokens: int
    restore: str
    rank: int = 0
    signals: dict[str, float] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context(Record):
    """The block to put before a model, within its budget.

    Attributes:
        text: the block; empty when nothing was found or nothing fits.
        tokens: exact count of `text` by the chosen counter; never more than `budget`.
        items: what the block holds, in its order (by time).
        omitted: the best candidates that were left out, best first.
        confidence: 0..1, the probability that the block holds evidence for an answer, as calibrated on development
            questions (docs/recall.md); 0 for an empty block, None when not calibrated.
        receipt_id: names the receipt that `Memory.explain` shows.
    """

    text: str
    tokens: int
    budget: int
    items: tuple[ContextItem, ...]
    omitted: tuple[Omission, ...]
    receipt_id: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt(Record):
    """The record of one recall: what was asked, what was considered, what was chosen, what was left out.

    Attributes:
        kind: `recall`, or `when` for what was told of a time, whose rows docs/time.md has.
        query: the query as given.
        settings: budget, counter, strategy, filters, fusion weights: what is needed to repeat the recall.
        understood: what the query was read as (names, dates, quotes, terms).
        considered: how many turns were scored.
        chosen: one row an item: turn ids, rendering, tokens, score, rank, signals, ranks; `restore` if it is
            shortened, `required` if it had to be there.
        omitted: one row a near miss: turn ids, reason, score, tokens, how to restore it, rank, signals, ranks.
        timings: milliseconds by stage, from a monotonic clock; not part of what is deterministic.
    """

    id: str
    kind: str
    query: str
    created_at: datetime
    settings: dict[str, Any]
    understood: dict[str, Any]
    considered: int
    tokens: int
    chosen: tuple[dict[str, Any], ...]
    omitted: tuple[dict[str, Any], ...]
    timings: dict[str, float] = field(default_factory=dict)
