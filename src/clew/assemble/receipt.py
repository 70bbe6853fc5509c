"""Makes the receipt of a recall from the ranking and the block. Pure."""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from itertools import filterfalse, islice, repeat
from types import MappingProxyType
from typing import Any, Final

from clew.assemble.fit import Packed
from clew.config import RecallConfig
from clew.rank.confidence import Confidence
from clew.rank.dampening import weights as dampening
from clew.rank.frame import Frame
from clew.rank.intent import Intent
from clew.rank.labels import QuestionLabels
from clew.rank.search import Candidate
from clew.rank.signals import SIGNALS
from clew.store.rows import dumps
from clew.text.counters import CHARS_PER_TOKEN
from clew.types.context import Context, ContextItem, Omission, Receipt
from clew.types.ids import turn_id
from clew.types.record import bulk_maker

_shown, _omitted = bulk_maker(ContextItem), bulk_maker(Omission)

NOTHING: Final[Mapping[int, str]] = MappingProxyType({})

_SHOULD: Final = "required by {}"

OMISSIONS: Final = 20
"""Most omitted candidates that a context and its receipt name."""


def receipt_id(query: str, settings: Mapping[str, Any], created_at: datetime) -> str:
    """The id of a receipt: a hash of question, settings and time, so that replaying a log gives the same ids."""
    text = dumps({"query": query, "settings": dict(settings), "at": created_at.isoformat()})
    return "r" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def timings_of(started: float, ranked: float, fitted: float) -> dict[str, float]:
    """The milliseconds of both stages, from three readings of a monotonic clock in seconds."""
    return {"rank_ms": round(1000 * (ranked - started), 3), "fit_ms": round(1000 * (fitted - ranked), 3)}


def understood(intent: Intent, speakers: Sequence[str]) -> dict[str, Any]:
    """How the question was understood, for a person to check; empty fields are absent."""
    entries: dict[str, Any] = {
        "terms": list(intent.terms),
        "speakers": [speakers[code] for code in intent.speakers],
        "dates": [
            {
                "relation": date.relation,
                "from": date.start and date.start.isoformat(),
                "to": date.end and date.end.isoformat(),
                "grain": date.grain,
            }
            for date in intent.dates
        ],
        "quotes": list(intent.quotes),
        "about": intent.about or None,
        "read": [f"{word!r} as {meant!r}" for word, meant in intent.respelt],
        "rewritten": intent.rewritten if intent.rewritten != intent.text else None,
        "wants_assistant": intent.wants.assistant or None,
        "wants_summary": intent.wants.summary or None,
        "wants_order": intent.wants.order or None,
        "wants_help": intent.wants.help or None,
        "wants_time": intent.wants.time or None,
        "wants_hop": intent.wants.hop or None,
    }
    return {name: value for name, value in entries.items() if value}


def labels_of(labels: QuestionLabels) -> dict[str, Any]:
    """The labels of the question, and those skipped because turns on the screen have them; absent if there are none."""
    labels_asked = {"labels": sorted(labels.asked), "labels_on_screen": list(labels.skipped)}
    return {name: names for name, names in labels_asked.items() if names}


def read_as(frame: Frame) -> dict[str, Any]:
    """How the question was understood, with its labels and the turns that its position phrases point at."""
    return {**understood(frame.intent, frame.view.speakers), **_found_for(frame)}


def _found_for(frame: Frame) -> dict[str, Any]:
    """The entries of `read_as` that were looked up in the space instead of read from the question."""
    places = {"places": list(frame.pointed.explained)} if frame.pointed.explained else {}
    return {**labels_of(frame.labels), **places}


def fusion_of(frame: Frame) -> dict[str, Any]:
    """What is needed to recompute a score: the weight of every computed signal, and the constant of RRF.

    Under RRF, a score is the sum of weight / (rrf_k + rank) over all `ranks`, and of the shares of the other signals.
    """
    return _fusion(frame.config, with_assistant=frame.with_assistant)


def _fusion(config: RecallConfig, *, with_assistant: bool) -> dict[str, Any]:
    weights = {signal.name: signal.weight(config, with_assistant) for signal in SIGNALS}
    weights |= dampening(config)
    settings: dict[str, Any] = {"weights": {name: weight for name, weight in weights.items() if weight}}
    return {**settings, "rrf_k": config.rrf_k} if config.fusion == "rrf" else settings


def left_out(ranked: int, packed: Packed, must: Collection[int] = ()) -> list[int]:
    """Indexes of the candidates that were not taken: required ones first, then the others, best first."""
    lacking = [place for place in must if place not in packed.taken]
    others = filterfalse(packed.taken.union(must).__contains__, range(ranked))
    return [*lacking, *islice(others, max(0, OMISSIONS - len(lacking)))]


def omissions(
    candidates: Sequence[Candidate],
    ranks: Sequence[dict[str, int]],
    chars: Sequence[int],
    spare: int,
    must: Mapping[int, str] = NOTHING,
    unshown: Mapping[int, str] = NOTHING,
) -> tuple[Omission, ...]:
    """Candidates that were not taken, each with the reason and the way to get it back.

    Args:
        ranks: each one's places before fusion.
        chars: length of each one's turn.
        spare: tokens of the budget that were left.
        must: places that should have been there, with the reason.
        unshown: places of candidates that are left out whatever the room, with the reason.
    """
    sizes = [-(-size // CHARS_PER_TOKEN) for size in chars]
    names = [turn_id(candidate.session, candidate.seq) for candidate in candidates]
    room_left = f"{max(spare, 0)} were left"
    numbers = (item.rank for item in candidates)
    why = (_SHOULD.format(must[rank - 1]) if rank - 1 in must else f"rank {rank}" for rank in numbers)
    reasons = [f"{what}: takes about {tokens} tokens, {room_left}" for what, tokens in zip(why, sizes, strict=True)]
    for number, item in enumerate(candidates):
        if item.rank - 1 in unshown:
            reasons[number] = f"rank {item.rank}: {unshown[item.rank - 1]}"
    return tuple(
        _omitted(
            len(candidates),
            zip(names, strict=True),
            reasons,
            [candidate.score for candidate in candidates],
            sizes,
            names,
            [candidate.rank for candidate in candidates],
            [candidate.shares for candidate in candidates],
            ranks,
        )
    )


def context_items(
    packed: Packed,
    candidates: Sequence[Candidate],
    ranks: Sequence[dict[str, int]],
    must: Mapping[int, str] = NOTHING,
    replies: Mapping[int, str] = NOTHING,
) -> tuple[ContextItem, ...]:
    """The items of a block, in its order, with the scores and reasons of the candidates that they show.

    Args:
        must: places of those that go before all others, with the reason.
        replies: places of those that are shown for the sake of a short reply, with its id.
    """
    items = packed.items
    names = [turn_id(item.session, item.seq) for item in items]
    return tuple(
        _shown(
            len(items),
            zip(names, strict=True),
            [item.rendering for item in items],
            [item.text for item in items],
            packed.costs,
            [candidate.rank for candidate in candidates],
            [candidate.score for candidate in candidates],
            [candidate.shares for candidate in candidates],
            [item.session for item in items],
            [item.at for item in items],
            [
                f"{name}:piece:{item.pieces[0]}" if len(item.pieces) == 1 else None
                for name, item in zip(names, items, strict=True)
            ],
            ranks,
            [None if item.rendering == "full" else name for name, item in zip(names, items, strict=True)],
            [must.get(candidate.rank - 1) for candidate in candidates] if must else repeat(None),
            [replies.get(candidate.rank - 1) for candidate in candidates] if replies else repeat(None),
        )
    )


def _left(omission: Omission) -> dict[str, Any]:
    """What `to_dict` gives, in a sixth of the time."""
    return {
        "turn_ids": list(omission.turn_ids),
        "reason": omission.reason,
        "score": omission.score,
        "tokens": omission.tokens,
        "restore": omission.restore,
        "rank": omission.rank,
        "signals": omission.signals,
        "ranks": omission.ranks,
    }


def receipt_maker(
    context: Context,
    frame: Frame,
    *,
    settings: Mapping[str, Any],
    created_at: datetime,
    timings: Mapping[str, float],
    sure: Confidence | None = None,
) -> Callable[[], Receipt]:
    """Returns a function that makes the receipt of a context that was made for this frame.

    The function holds neither the index nor scores of all turns, so that it may wait.

    Args:
        sure: the confidence with its parts; None where it is not calibrated.
    """
    intent, speakers, found_for, size = frame.intent, frame.view.speakers, _found_for(frame), frame.size
    config, with_assistant = frame.config, frame.with_assistant

    def make() -> Receipt:
        return Receipt(
            id=context.receipt_id,
            kind="recall",
            query=intent.text,
            created_at=created_at,
            settings={**settings, **_fusion(config, with_assistant=with_assistant)},
            understood={**understood(intent, speakers), **found_for},
            considered=size,
            tokens=context.tokens,
            chosen=tuple(map(_chosen, context.items)),
            omitted=tuple(map(_left, context.omitted)),
            timings=dict(timings),
            confidence={} if sure is None else dict(sure.parts),
        )

    return make


def _chosen(item: ContextItem) -> dict[str, Any]:
    return {
        "turn_ids": list(item.turn_ids),
        "rendering": item.rendering,
        "tokens": item.tokens,
        "rank": item.rank,
        "score": item.score,
        "signals": item.signals,
        "ranks": item.ranks,
        **({} if item.rank or item.node_id is None else {"node_id": item.node_id}),
        **({} if item.restore is None else {"restore": item.restore}),
        **({} if item.required is None else {"required": item.required}),
        **({} if item.answered_by is None else {"answered_by": item.answered_by}),
    }
