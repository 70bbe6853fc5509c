"""What the renderings of beats would have told of the turns that were used after a recall, by their length."""

from collections.abc import Mapping, Sequence
from typing import Final

from clew.condense.node_renderings import lengths_of
from clew.derive.rendering import BEAT_SIZE, beat_sources
from clew.rank.tuning.renderings import SCALES, ToldByScale
from clew.store.protocol import Reader
from clew.store.row_types import NodeRow
from clew.store.tables import NODE
from clew.store.turn_selections import TURN_TEXT
from clew.structure.hierarchy_codec import seqs_of
from clew.text.terms import terms
from clew.types.context import Receipt
from clew.types.ids import BEAT, parse_turn_id

MOST: Final = 8
"""Beats of one recall that are looked at, those of its best turns."""

SHARE: Final = 10
"""What a recall's budget is divided by for renderings, as in a block that gives an overview."""

LEAST: Final = 200
"""Tokens for renderings in any case."""

_CHARS: Final = 4  # of a token


class RenderingUses:
    """Looks at recalls of one space; renders each beat once."""

    def __init__(self, reader: Reader, space: str) -> None:
        self._reader, self._space = reader, space
        self._sessions: dict[str, dict[int, NodeRow]] = {}
        self._rendered: dict[str, tuple[str, ...]] = {}

    def told(self, receipt: Receipt, used: Sequence[str], group: str) -> ToldByScale | None:
        """How much of the used turns would have been told; None where none of them is in a closed beat."""
        places = [(name, self._beat(name)) for name in used]
        wanted = [(name, beat) for name, beat in places if beat is not None]
        if not wanted:
            return None
        rows = sorted((*receipt.chosen, *receipt.omitted), key=lambda row: row.get("rank") or 0)
        named = [beat for row in rows for name in row["turn_ids"] if (beat := self._beat(name)) is not None]
        best = list({beat.node: beat for beat in named}.values())[:MOST]
        room = _CHARS * max(LEAST, int(receipt.settings.get("budget", 0)) // SHARE)
        texts = {name: self._terms(name) for name, _ in wanted}
        by_scale = zip(*(self._by_scale(beat) for beat in best), strict=True) if best else [()] * len(SCALES)
        told = tuple(self._share(wanted, texts, _shown(each, best, room)) for each in by_scale)
        return ToldByScale(told, group)

    def _share(
        self, wanted: Sequence[tuple[str, NodeRow]], texts: Mapping[str, set[str]], shown: Mapping[str, str]
    ) -> float:
        shares = []
        for name, beat in wanted:
            said = texts[name]
            shares.append(len(said & set(terms(shown.get(beat.node, "")))) / len(said) if said else 0.0)
        return sum(shares) / len(shares)

    def _terms(self, name: str) -> set[str]:
        return set(terms(TURN_TEXT.get(self._reader, (self._space, *parse_turn_id(name))) or ""))

    def _beat(self, name: str) -> NodeRow | None:
        session, seq = parse_turn_id(name)
        if session not in self._sessions:
            key = (self._space, session, BEAT)
            rows = NODE.scan(self._reader, key, key, index="level")
            self._sessions[session] = {seq: row for row in rows for seq in seqs_of(row.data) or ()}
        return self._sessions[session].get(seq)

    def _by_scale(self, beat: NodeRow) -> tuple[str, ...]:
        if beat.node not in self._rendered:
            ((source, _),) = beat_sources(self._reader, self._space, [beat])
            self._rendered[beat.node] = lengths_of(source, [BEAT_SIZE.scaled(factor) for factor in SCALES])
        return self._rendered[beat.node]


def _shown(texts: Sequence[str], beats: Sequence[NodeRow], room: int) -> dict[str, str]:
    """The renderings that fit, best beats first, by beat; the last one as far as it fits."""
    shown = {}
    for beat, text in zip(beats, texts, strict=True):
        shown[beat.node] = text[: max(0, room)]
        room -= len(text)
    return shown
