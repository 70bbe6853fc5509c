"""Ranked candidates -> a Context: fetches the words of what may fit, packs, renders, names what was left out."""

from collections.abc import Callable
from typing import Final, cast

from clew.assemble.fit import fit
from clew.assemble.receipt import context_items, omissions
from clew.assemble.render import Evidence
from clew.recall.search import Ranking
from clew.text.counters import Counter
from clew.text.pieces import piece_spans
from clew.types.context import Context
from clew.types.turn import Turn

LONG: Final = 600
"""Characters from which a turn that does not fit whole is offered by its best piece."""


def build_context(
    ranking: Ranking, fetch: Callable[[str, int], Turn], *, budget: int, counter: Counter, receipt_id: str
) -> Context:
    """The block for ranked candidates.

    Args:
        fetch: gives the turn of a session and place.
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


def _renderings(ranking: Ranking, place: int, chars: int, fetch: Callable[[str, int], Turn]) -> list[Evidence]:
    view, position = ranking.frame.view, int(ranking.positions[place])
    turn = fetch(view.sessions[int(view.turns.session[position])], int(view.turns.seq[position]))
    forms = [_evidence(turn, place + 1, turn.text, None)]
    if chars > LONG:
        number = ranking.frame.best_piece(position)
        start, end = piece_spans(turn.text)[number]
        forms.append(_evidence(turn, place + 1, turn.text[start:end], number))
    return forms


def _evidence(turn: Turn, rank: int, words: str, piece: int | None) -> Evidence:
    return Evidence(
        rank=rank,
        session=turn.session,
        seq=cast(int, turn.seq),
        at=turn.at,
        speaker=turn.speaker or turn.role,
        text=words.strip(),
        rendering="full",
        piece=piece,
    )
