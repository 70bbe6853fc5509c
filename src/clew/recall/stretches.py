"""Reads parts of conversations, given by ids of beats, chapters or turns, for `common_domains` to compare.

Of a beat that is given by some of its turns only these count: their evidence is found again, since a beat keeps the sum
over all its turns.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from clew.analyze.novelty import Vector
from clew.derive.branch_state import materials_of
from clew.derive.turn_vectors import stored_vectors
from clew.errors import InputError, NotFoundError
from clew.recall.read_path import ReadPath
from clew.rows.domain_prototypes import read_prototypes
from clew.store.protocol import Reader
from clew.store.row_types import NodeRow, TurnRow
from clew.store.tables import NODE, TURN
from clew.structure.common_domains import StretchBeat, stretch_beat
from clew.structure.hierarchy_codec import beat_of
from clew.structure.snapshot import BeatMap, map_of_turns
from clew.types.ids import BEAT, parse_turn_id, turn_id


@dataclass(frozen=True, slots=True)
class _Run:
    """Turns that are compared as one beat.

    Attributes:
        node: names the run: the id of the beat, or of the first turn where no beat has them yet; with the turns
            unless they are the whole beat.
        beat: the beat that has them; None for turns of the open beat.
        seqs: the turns, by their place in the session.
    """

    node: str
    session: str
    beat: BeatMap | None
    seqs: tuple[int, ...]

    @property
    def whole(self) -> bool:
        """Whether it is all of a beat."""
        return self.beat is not None and len(self.seqs) == len(self.beat.pieces)


def read_stretches(path: ReadPath, *stretches: Sequence[str]) -> list[list[StretchBeat]]:
    """The beats, or parts of beats, in each stretch, without repetitions.

    Raises:
        InputError: a stretch has only turns that Clew injected.
        NotFoundError: there is no such beat, chapter or turn.
    """
    view = path.live.view()
    embedder = path.ranker.serving(view)
    model = None if embedder is None else embedder.name
    with path.store.snapshot() as reader:
        vectors = partial(stored_vectors, view, model)
        runs = [list(_runs(reader, path.space, names)) for names in stretches]
        read = {run.node: _as_beat(reader, path.space, model, vectors, run) for some in runs for run in some}
    beats = [[beat for run in some if (beat := read[run.node]) is not None] for some in runs]
    if not all(beats):
        raise InputError("a stretch has only turns that Clew injected; give some of the conversation's own")
    return beats


def _runs(reader: Reader, space: str, names: Sequence[str]) -> Iterator[_Run]:
    beats: dict[str, NodeRow] = {}
    turns: dict[str, set[int]] = defaultdict(set)
    for name, row in zip(names, NODE.get_many(reader, [(space, name) for name in names]), strict=True):
        if row is None:
            session, seq = _turn_named(reader, space, name)
            turns[session].add(seq)
        else:
            beats.update({beat.node: beat for beat in _beats_under(reader, row)})
    for beat in beats.values():
        stored = beat_of(beat.data)
        yield _Run(beat.node, beat.session, stored, tuple([piece.seq for piece in stored.pieces]))
    for session, seqs in turns.items():
        yield from _runs_of_turns(reader, (space, session, BEAT), seqs, beats)


def _turn_named(reader: Reader, space: str, name: str) -> tuple[str, int]:
    try:
        session, seq = parse_turn_id(name)
    except InputError:
        session, seq = "", -1
    if seq < 0 or TURN.get(reader, (space, session, seq)) is None:
        raise NotFoundError(
            f"space {space!r} has no beat, chapter or turn {name!r}; `snapshots` lists the beats, `turns` the turns"
        )
    return session, seq


def _beats_under(reader: Reader, row: NodeRow) -> list[NodeRow]:
    """The beats below a node of the hierarchy."""
    key = (row.space, row.session, BEAT)
    beats = [row] if row.level == BEAT else NODE.scan(reader, key, key, index="level")
    return [beat for beat in beats if row.low <= beat.low and beat.high <= row.high]


def _runs_of_turns(
    reader: Reader, key: tuple[str, str, int], turns: Collection[int], given: Collection[str]
) -> Iterator[_Run]:
    """Turns of a session by the beats that have them, those of the open beat last; without those of `given` beats."""
    session, left = key[1], set(turns)
    for row in NODE.scan(reader, key, key, index="level"):
        if not any(row.low <= seq <= row.high for seq in left):
            continue
        beat = beat_of(row.data)
        seqs = tuple([piece.seq for piece in beat.pieces if piece.seq in left])
        left.difference_update(seqs)
        if seqs and row.node not in given:
            yield _Run(row.node if len(seqs) == len(beat.pieces) else f"{row.node} {seqs}", session, beat, seqs)
    if left:
        seqs = tuple(sorted(left))
        yield _Run(f"{turn_id(session, seqs[0])} {seqs}", session, None, seqs)


def _as_beat(
    reader: Reader,
    space: str,
    model: str | None,
    vectors_of: Callable[[Sequence[TurnRow]], Mapping[int, Vector]],
    run: _Run,
) -> StretchBeat | None:
    """A run as it is compared; None for a part of which nothing is the conversation's own."""
    rows = [row for row in TURN.get_many(reader, [(space, run.session, seq) for seq in run.seqs]) if row is not None]
    vectors = vectors_of(rows)
    if run.beat is not None and run.whole:
        return stretch_beat(run.node, run.beat, [(row.text, vectors.get(row.ordinal)) for row in rows])
    prototypes = None if model is None else read_prototypes(reader, space, model)
    items = materials_of(reader, space, rows, vectors, prototypes)
    if not items:
        return None
    pieces = {} if run.beat is None else {piece.seq: piece for piece in run.beat.pieces}
    part = map_of_turns(
        [pieces.get(item.seq) or item.piece() for item in items],
        [item.evidence for item in items],
        [item.vector is not None for item in items],
        "end" if run.beat is None else run.beat.reason,
    )
    return stretch_beat(run.node, part, [(item.turn.text, item.vector) for item in items])
