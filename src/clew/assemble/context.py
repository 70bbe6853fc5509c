"""Ranked candidates -> a Context: fetches the words of what may fit, packs, renders, names what was left out."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from clew.assemble.fit import fit
from clew.assemble.receipt import context_items, left_out, omissions
from clew.assemble.render import Evidence
from clew.recall.search import Ranking
from clew.store.rows import from_us
from clew.text.counters import Counter
from clew.text.pieces import piece_spans
from clew.types.context import Context
from clew.types.turn import ROLES

LONG: Final = 600
"""Characters from which a turn that does not fit whole is offered by its best piece."""


Fetch = Callable[[Sequence[tuple[str, int]]], Sequence[str | None]]
"""From sessions and places in them to the words of the turns there; None for one that was forgotten meanwhile."""


def build_context(ranking: Ranking, fetch: Fetch, *, budget: int, counter: Counter, receipt_id: str) -> Context:
    """The block for ranked candidates."""
    lengths = ranking.frame.view.turns.chars[ranking.positions]
    chars: list[int] = lengths.tolist()
    words: dict[int, str | None] = {}
    packed = fit(
        np.minimum(lengths, LONG).tolist(),
        lambda places: words.update(zip(places, fetch(_names(ranking, places)), strict=True)),
        lambda place: _renderings(ranking, place, words[place]),
        budget,
        counter,
    )
    left = left_out(len(ranking), packed)
    candidates = ranking.candidates([*(item.rank - 1 for item in packed.items), *left])
    shown = len(packed.items)
    return Context(
        text=packed.text,
        tokens=packed.tokens,
        budget=budget,
        items=context_items(packed, candidates[:shown]),
        omitted=omissions(candidates[shown:], [chars[place] for place in left], budget - packed.tokens),
        receipt_id=receipt_id,
    )


def _names(ranking: Ranking, places: Sequence[int]) -> list[tuple[str, int]]:
    """Session and place in it of the turns of some candidates."""
    turns, sessions = ranking.frame.view.turns, ranking.frame.view.sessions
    positions = ranking.positions[np.asarray(places, dtype=np.int64)]
    named = [sessions[number] for number in turns.session[positions].tolist()]
    return list(zip(named, turns.seq[positions].tolist(), strict=True))


def _renderings(ranking: Ranking, place: int, words: str | None) -> list[Evidence]:
    if words is None:
        return []
    view, position = ranking.frame.view, int(ranking.positions[place])
    turns = view.turns
    speaker, at = int(turns.speaker[position]), int(turns.at[position])
    whole = Evidence(
        rank=place + 1,
        session=view.sessions[int(turns.session[position])],
        seq=int(turns.seq[position]),
        at=None if at == view.NO_TIME else from_us(at),
        speaker=(view.speakers[speaker] if speaker >= 0 else "") or ROLES[int(turns.role[position])],
        text=words.strip(),
        rendering="full",
    )
    if int(turns.chars[position]) <= LONG:
        return [whole]
    number = ranking.frame.best_piece(position)
    start, end = piece_spans(words)[number]
    return [whole, replace(whole, text=words[start:end].strip(), piece=number)]
