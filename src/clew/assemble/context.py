"""Ranked candidates -> a Context: fetches the words of what may fit, packs, renders, names what was left out."""

from collections.abc import Callable, Sequence
from typing import Final

from clew.assemble.fit import Offer, fit
from clew.assemble.receipt import context_items, omissions
from clew.assemble.render import Evidence
from clew.recall.frame import Frame
from clew.recall.search import Candidate
from clew.text.counters import Counter
from clew.text.pieces import piece_spans
from clew.types.context import Context
from clew.types.turn import Turn

LONG: Final = 600
"""Characters from which a turn that does not fit whole is offered by its best piece."""


def build_context(
    frame: Frame,
    candidates: Sequence[Candidate],
    fetch: Callable[[str, int], Turn],
    *,
    budget: int,
    counter: Counter,
    receipt_id: str,
) -> Context:
    """The block for ranked candidates.

    Args:
        fetch: gives the turn of a session and place.
    """
    chars = [int(frame.view.turns.chars[candidate.position]) for candidate in candidates]
    offers = [
        Offer(chars=min(size, LONG), renderings=_renderings(frame, candidate, size, fetch))
        for candidate, size in zip(candidates, chars, strict=True)
    ]
    packed = fit(offers, budget, counter)
    return Context(
        text=packed.text,
        tokens=packed.tokens,
        budget=budget,
        items=context_items(candidates, packed),
        omitted=omissions(candidates, chars, packed, budget),
        receipt_id=receipt_id,
    )


def _renderings(
    frame: Frame, candidate: Candidate, chars: int, fetch: Callable[[str, int], Turn]
) -> Callable[[], list[Evidence]]:
    def give() -> list[Evidence]:
        turn = fetch(candidate.session, candidate.seq)
        forms = [_evidence(turn, candidate, turn.text, None)]
        if chars > LONG:
            number = frame.best_piece(candidate.position)
            start, end = piece_spans(turn.text)[number]
            forms.append(_evidence(turn, candidate, turn.text[start:end], number))
        return forms

    return give


def _evidence(turn: Turn, candidate: Candidate, words: str, piece: int | None) -> Evidence:
    return Evidence(
        rank=candidate.rank,
        session=candidate.session,
        seq=candidate.seq,
        at=turn.at,
        speaker=turn.speaker or turn.role,
        text=words.strip(),
        rendering="full",
        piece=piece,
    )
