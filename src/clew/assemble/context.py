"""Ranked candidates -> a Context: fetches the words of what may fit, packs, renders, names what was left out."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from clew.assemble.fit import fit
from clew.assemble.receipt import context_items, omissions
from clew.assemble.render import Evidence
from clew.recall.search import Ranking
from clew.store.rows import from_us
from clew.text.counters import Counter
from clew.text.pieces import piece_spans
from clew.types.context import Context
from clew.types.turn import ROLES

LONG: Final = 600
"""Characters from which a turn that does not fit whole is offered by its best piece."""


def build_context(
    ranking: Ranking, fetch: Callable[[str, int], str | None], *, budget: int, counter: Counter, receipt_id: str
) -> Context:
    """The block for ranked candidates.

    Args:
        fetch: gives the words of the turn of a session and place; None when it was forgotten meanwhile.
    """
    chars: list[int] = ranking.frame.view.turns.chars[ranking.positions].tolist()
    packed = fit(
        [min(size, LONG) for size in chars],
        lambda place: _renderings(ranking, place, chars[place], fetch),
        budget,
        counter,
    )
    return Context(
        text=packed.text,
        tokens=packed.tokens,
        budget=budget,
        items=context_items(ranking, packed),
        omitted=omissions(ranking, chars, packed, budget),
        receipt_id=receipt_id,
    )


def _renderings(ranking: Ranking, place: int, chars: int, fetch: Callable[[str, int], str | None]) -> list[Evidence]:
    view, position = ranking.frame.view, int(ranking.positions[place])
    turns = view.turns
    session, seq = view.sessions[int(turns.session[position])], int(turns.seq[position])
    words = fetch(session, seq)
    if words is None:
        return []
    speaker, at = int(turns.speaker[position]), int(turns.at[position])
    whole = Evidence(
        rank=place + 1,
        session=session,
        seq=seq,
        at=None if at == view.NO_TIME else from_us(at),
        speaker=(view.speakers[speaker] if speaker >= 0 else "") or ROLES[int(turns.role[position])],
        text=words.strip(),
        rendering="full",
    )
    if chars <= LONG:
        return [whole]
    number = ranking.frame.best_piece(position)
    start, end = piece_spans(words)[number]
    return [whole, replace(whole, text=words[start:end].strip(), piece=number)]
