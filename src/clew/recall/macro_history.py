"""What the macro layer tells of conversations: the state before a mention, how domains moved, what a space is about."""

from collections.abc import Sequence

from clew.derive.analysis import stored_vectors
from clew.errors import NotFoundError
from clew.index.view import IndexView
from clew.recall.positions import macro_nodes_of
from clew.recall.read_path import ReadPath
from clew.store.protocol import Reader
from clew.store.row_types import NodeRow
from clew.store.selections import SESSION_NAME
from clew.store.tables import NODE, TURN
from clew.structure.common_domains import InCommon, StretchBeat, in_common, stretch_beat
from clew.structure.hierarchy_codec import beat_of
from clew.structure.macro import Merged, Movement, StateBefore, evolution, first_mention, merge, state_before
from clew.types.ids import BEAT


def state_before_mention(path: ReadPath, session: str, concept: str) -> StateBefore | None:
    """What a conversation had been about before something was first mentioned; None when nothing mentions it."""
    with path.store.snapshot() as reader:
        nodes = macro_nodes_of(reader, path.space, session)
        rows = TURN.scan(reader, (path.space, session), (path.space, session))
    texts = ((row.seq, row.text) for row in rows if row.origin != "injected")
    mention = first_mention(concept, texts)
    return None if mention is None else state_before(nodes, mention, max(row.seq for row in rows))


def domain_evolution(path: ReadPath, session: str) -> tuple[Movement, ...]:
    """How the domains of a conversation moved, closed beat by closed beat."""
    with path.store.snapshot() as reader:
        return evolution(macro_nodes_of(reader, path.space, session))


def merged_domains(path: ReadPath, current: str | None) -> Merged:
    """What all conversations are about, older ones fading; the beats of the `current` session do not fade."""
    with path.store.snapshot() as reader:
        sessions = SESSION_NAME.scan(reader, (path.space,), (path.space,))
        beats = {session: macro_nodes_of(reader, path.space, session) for session in sessions}
    return merge(beats, path.clock(), current=current)


def domains_in_common(path: ReadPath, first: Sequence[str], second: Sequence[str]) -> InCommon:
    """What two stretches have in common, each given by the ids of beats or chapters.

    Raises:
        NotFoundError: there is no such beat or chapter.
    """
    view = path.live.view()
    embedder = path.ranker.serving(view)
    model = None if embedder is None else embedder.name
    with path.store.snapshot() as reader:
        stretches = [_beats_under(reader, path.space, names) for names in (first, second)]
        held = {row.node: row for rows in stretches for row in rows}
        read = {name: _as_stretch(reader, view, model, row) for name, row in held.items()}
    mine, theirs = ([read[row.node] for row in rows] for rows in stretches)
    return in_common(mine, theirs)


def _beats_under(reader: Reader, space: str, names: Sequence[str]) -> list[NodeRow]:
    """The beats that are named, or that a named chapter covers, each once."""
    found: dict[str, NodeRow] = {}
    for name, row in zip(names, NODE.get_many(reader, [(space, name) for name in names]), strict=True):
        if row is None:
            raise NotFoundError(f"space {space!r} has no beat or chapter {name!r}; `snapshots` lists the beats")
        key = (space, row.session, BEAT)
        beats = [row] if row.level == BEAT else NODE.scan(reader, key, key, index="level")
        found.update({beat.node: beat for beat in beats if row.low <= beat.low and beat.high <= row.high})
    return list(found.values())


def _as_stretch(reader: Reader, view: IndexView, model: str | None, row: NodeRow) -> StretchBeat:
    beat = beat_of(row.data)
    keys = [(row.space, row.session, piece.seq) for piece in beat.pieces]
    turns = [turn for turn in TURN.get_many(reader, keys) if turn is not None]
    vectors = stored_vectors(view, model, turns)
    return stretch_beat(row.node, beat, [(turn.text, vectors.get(turn.ordinal)) for turn in turns])
