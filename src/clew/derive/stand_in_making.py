"""Makes the shorter forms that stand for turns of a compaction; older turns are shortened further to make room.

Beats are shown by their renderings as those are stored; turns whose beat is not closed yet, or is covered in part, by
sentences of their own.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from clew.condense.loss import TurnLedger
from clew.condense.renderings import Rendering, salient, title
from clew.condense.stand_ins import CoveredTurns, StandIn, shorter
from clew.rows.annotations import TAG
from clew.rows.renderings import renderings_of
from clew.rows.stand_ins import stand_ins_from
from clew.store.protocol import Reader
from clew.store.row_types import NodeRow
from clew.store.tables import LABEL, NODE
from clew.structure.hierarchy_codec import seqs_of
from clew.types.ids import BEAT
from clew.types.shown import ShownAs

_BATCH: Final = 32
_SUMMARY: Final = 960  # characters of the summary of loose turns
_DIGEST: Final = 240
_KINDS: Final = ("summary", "salient", "digest", "title")

_STEPS: Final[Sequence[tuple[ShownAs, ShownAs]]] = (
    ("summary", "digest"),
    ("digest", "title"),
    ("full", "title"),
    ("title", "recap"),
)
"""What is shown shorter where there is no room, in this order, each from the oldest on."""


def passages_of(reader: Reader, space: str, session: str, turns: Sequence[TurnLedger]) -> list[CoveredTurns]:
    """The turns of a compaction by beat, those of a beat that is not wholly among them as they follow each other.

    Reads the newest beats only.
    """
    if not turns:
        return []
    by_seq = {turn.seq: turn for turn in turns}
    beats = {node.node: _present(node, by_seq) for node in _beats_since(reader, space, session, turns[0].seq)}
    whole = {name: seqs for name, seqs in beats.items() if seqs and all(seq in by_seq for seq in seqs)}
    beat_of = {seq: name for name, seqs in whole.items() for seq in seqs}
    shown = {kind: _by_node(reader, space, list(whole), kind) for kind in _KINDS}
    passages = []
    for members in _runs(turns, beat_of):
        name = beat_of.get(members[0].seq)
        if name is None:
            passages.append(CoveredTurns(members, _own_texts(members)))
            continue
        rendered = {
            kind: rendered_by_node[name] for kind, rendered_by_node in shown.items() if name in rendered_by_node
        }
        best = rendered.get("summary") or rendered.get("salient")
        own = _own_texts(members) if best is None else {}
        texts: dict[ShownAs, str] = {
            "summary": own["summary"] if best is None else best.text,
            "digest": rendered["digest"].text if "digest" in rendered else own.get("digest", ""),
            "title": rendered["title"].text if "title" in rendered else own.get("title", ""),
        }
        method = "extract" if best is None else best.method
        passages.append(CoveredTurns(members, texts, _labels(reader, space, name), method))
    return passages


def made_shorter(
    reader: Reader, space: str, session: str, new: Sequence[StandIn], total: int, room: int, cursors: dict[str, int]
) -> tuple[list[StandIn], int]:
    """The stand-ins that change so that all of a session's fit, the new ones included.

    Args:
        total: tokens of all of them as they are shown now.
        room: most tokens that they may have.
        cursors: how far each step has come; goes on by what is done.

    Returns:
        The new stand-ins and the older ones that changed, and the tokens of all.
    """
    changed = {stand_in.low: stand_in for stand_in in new}
    for number, (rendering, _) in enumerate(_STEPS):
        if total <= room:
            break
        low = cursors.get(str(number), 0)
        for stand_in in _from(reader, space, session, low, new):
            if total <= room:
                break
            current = changed.get(stand_in.low, stand_in)
            if current.rendering == rendering:
                changed[stand_in.low] = after = shorter(current)
                total += after.tokens - current.tokens
            cursors[str(number)] = stand_in.low + 1
    return sorted(changed.values(), key=lambda each: each.low), total


def _from(reader: Reader, space: str, session: str, low: int, new: Sequence[StandIn]) -> Iterator[StandIn]:
    """The stored stand-ins from a turn on, then the new ones."""
    yield from stand_ins_from(reader, space, session, low)
    yield from (stand_in for stand_in in new if stand_in.low >= low)


def _beats_since(reader: Reader, space: str, session: str, low: int) -> list[NodeRow]:
    """The beats that may have a turn at `low` or later: the newest, up to a batch of which none has."""
    nodes: list[NodeRow] = []
    end: tuple[str, str, int] | tuple[str, str, int, int] = (space, session, BEAT)
    while True:
        rows = NODE.scan(reader, (space, session, BEAT), end, index="level", limit=_BATCH, reverse=True)
        nodes += [row for row in rows if row.high >= low]
        if len(rows) < _BATCH or all(row.high < low for row in rows):
            return nodes
        end = (space, session, BEAT, rows[-1].place - 1)


def _present(node: NodeRow, turns: Mapping[int, TurnLedger]) -> tuple[int, ...]:
    """The turns of a beat; none if the first is not among those looked for."""
    seqs = seqs_of(node.data) or ()
    return seqs if seqs and seqs[0] in turns else ()


def _runs(turns: Sequence[TurnLedger], beat_of: Mapping[int, str]) -> list[list[TurnLedger]]:
    """The turns by beat, in the order of their first turns; loose turns that follow each other are one run."""
    runs: dict[str | int, list[TurnLedger]] = {}
    loose = -1
    for turn in turns:
        name = beat_of.get(turn.seq)
        loose = -1 if name is not None else turn.seq if loose < 0 else loose
        runs.setdefault(loose if name is None else name, []).append(turn)
    return list(runs.values())


def _own_texts(turns: Sequence[TurnLedger]) -> Mapping[ShownAs, str]:
    text = "\n".join(turn.line for turn in turns if turn.grade != "preserved")
    return {"summary": salient(text, most=_SUMMARY), "digest": salient(text, most=_DIGEST), "title": title(text)}


def _by_node(reader: Reader, space: str, nodes: Sequence[str], kind: str) -> dict[str, Rendering]:
    made = renderings_of(reader, space, nodes, kind)
    return {node: each for node, each in zip(nodes, made, strict=True) if each is not None}


def _labels(reader: Reader, space: str, node: str) -> frozenset[str]:
    return frozenset(row.name for row in LABEL.scan(reader, (space, node, TAG), (space, node, TAG)))
