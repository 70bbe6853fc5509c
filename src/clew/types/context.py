"""The results of recall and search, and the receipt that explains them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from clew.errors import InputError
from clew.types.record import DeferredValue, Record, as_given, deferrable
from clew.types.turn import Turn

DOUBTFUL: Final = 0.5
"""Confidence below which a space probably has no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(Record):
    """One turn found by a search.

    Attributes:
        score: the fused score, rounded to 1e-6; meaningful only for comparing hits of one search.
        signals: contribution of each signal to the score, by signal name; signals without a value are absent.
    """

    turn: Turn
    score: float
    signals: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem(Record):
    """One item of evidence in a block.

    Attributes:
        turn_ids: the turns whose words are shown, in order; of a beat in short its first and its last turn.
        node_id: the node shown, if it is not a single turn.
        rendering: `full`, or the name of a shorter rendering.
        text: the words shown, without date, speaker and id; calls of tools and commands as they are stored.
        tokens: tokens that this item adds to the block by the chosen counter; shared headings are not included.
        rank: rank among all candidates after fusion, from 1; 0 for a beat in short, which was not ranked.
        ranks: rank by each signal before fusion, from 1; ties share the best rank. Under RRF it is the rank among all
            turns, else among the candidates. Signals without a value for the turn are absent.
        at: event time of the first turn; None if unknown.
        restore: how to get the whole turn, if a shorter rendering is shown; else None.
        required: why the item is included whatever the question: `pin`, `open task`, `overview` (how a session
            began and ended) or a rule's expression; None if it was found.
        answered_by: id of the short reply in the block that answers this turn, which is shown for its sake; else None.
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
    answered_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission(Record):
    """A candidate that was considered and left out, with the reason and how to get it.

    Attributes:
        tokens: approximate tokens of the whole turn.
        restore: how to get the whole turn.
        rank: rank among all candidates, from 1; 0 in receipts of versions that did not record it.
        signals: contribution of each signal to the score.
        ranks: rank by each signal, as in `ContextItem`.
    """

    turn_ids: tuple[str, ...]
    reason: str
    score: float
    tokens: int
    restore: str
    rank: int = 0
    signals: dict[str, float] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)


class DeferredItems(DeferredValue[tuple[ContextItem, ...]]):
    """The items of a block, made when somebody reads them; their turns are known without that.

    Attributes:
        turn_ids: returns the ids of the turns, in the order of the items.
    """

    __slots__ = ("turn_ids",)

    def __init__(self, make: Callable[[], tuple[ContextItem, ...]], turn_ids: Callable[[], list[str]]) -> None:
        super().__init__(make)
        self.turn_ids = turn_ids


@deferrable("items", "omitted")
@dataclass(frozen=True, slots=True, kw_only=True)
class Context(Record):
    """A recalled block for a model's prompt, within a token budget.

    Attributes:
        text: the block; empty if nothing was found or nothing fits.
        tokens: exact token count of `text` by the chosen counter; never more than `budget`.
        items: the items of the block, in its order (by time).
        omitted: the best candidates that were left out, best first.
        confidence: 0..1, the probability that the block contains evidence for an answer, as calibrated on development
            questions (docs/recall.md); 0 for an empty block, None if not calibrated.
        receipt_id: id of the receipt, for `Memory.explain`.
    """

    text: str
    tokens: int
    budget: int
    items: tuple[ContextItem, ...]
    omitted: tuple[Omission, ...]
    receipt_id: str
    confidence: float | None = None

    @property
    def turn_ids(self) -> list[str]:
        """Ids of the turns that the items show, in their order; faster than to read the items."""
        items = as_given(self, "items")
        if isinstance(items, DeferredItems):
            return items.turn_ids()
        return [name for item in self.items for name in item.turn_ids]

    @property
    def is_doubtful(self) -> bool:
        """Whether the space probably has no answer; False where the confidence is not calibrated."""
        return self.confidence is not None and self.confidence < DOUBTFUL


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt(Record):
    """The record of one recall: the question, what was considered, what was chosen and what was left out.

    Attributes:
        id: for `Memory.explain`; None where nothing was kept: of a compaction that was refused or tried out.
        kind: `recall`, or `when` for a recall by time, whose rows docs/time.md describes.
        query: the query as given.
        settings: budget, counter, strategy, filters, fusion weights: everything needed to repeat the recall.
        understood: how the query was interpreted (names, dates, quotes, terms).
        considered: number of turns scored.
        chosen: one row per item: turn ids, rendering, tokens, score, rank, signals, ranks; `restore` if it is
            shortened, `required` if it was required, `answered_by` if it is shown for the sake of a short reply.
        omitted: one row per near miss: turn ids, reason, score, tokens, how to restore it, rank, signals, ranks.
        timings: milliseconds by stage, from a monotonic clock; the only part that is not deterministic.
        confidence: what each part of the evidence added to the log-odds of the context's confidence (docs/recall.md);
            empty where nothing was found or it is not calibrated.
    """

    id: str | None = None
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
    confidence: dict[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The id of a receipt that was kept.

        Raises:
            InputError: it has none, because nothing was done.
        """
        if self.id is None:
            raise InputError(f"this {self.kind} receipt has no id: nothing was done; expected one of `Memory.explain`")
        return self.id
