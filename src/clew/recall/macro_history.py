"""Answers of the macro layer: the state before a mention, how domains changed, what a space is about."""

from collections.abc import Sequence

from clew.recall.positions import macro_nodes_of
from clew.recall.read_path import ReadPath
from clew.recall.stretches import read_stretches
from clew.store.selections import SESSION_NAME
from clew.store.tables import TURN
from clew.structure.common_domains import InCommon, in_common
from clew.structure.macro import Merged, Movement, StateBefore, evolution, first_mention, merge, state_before


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
    """What two stretches have in common, each given by the ids of beats, chapters or turns.

    Raises:
        InputError: a stretch has only turns that Clew injected.
        NotFoundError: there is no such beat, chapter or turn.
    """
    return in_common(*read_stretches(path, first, second))
