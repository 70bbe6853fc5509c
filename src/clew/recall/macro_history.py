"""What the macro layer tells of conversations: the state before a mention, how domains moved, what a space is about."""

from clew.recall.positions import macro_nodes_of
from clew.recall.read_path import ReadPath
from clew.store.rows import turn_from_row
from clew.structure.macro import Merged, Movement, StateBefore, evolution, first_mention, merge, state_before


def state_before_mention(path: ReadPath, session: str, concept: str) -> StateBefore | None:
    """What a conversation had been about before something was first mentioned; None when no closed beat mentions it."""
    with path.store.snapshot() as reader:
        nodes = macro_nodes_of(reader, path.space, session)
        rows = reader.scan("turn", (path.space, session), (path.space, session))
    texts = ((turn.seq or 0, turn.text) for turn in map(turn_from_row, rows) if turn.origin != "injected")
    mention = first_mention(concept, texts)
    return None if mention is None else state_before(nodes, mention)


def domain_evolution(path: ReadPath, session: str) -> tuple[Movement, ...]:
    """How the domains of a conversation moved, closed beat by closed beat."""
    with path.store.snapshot() as reader:
        return evolution(macro_nodes_of(reader, path.space, session))


def merged_domains(path: ReadPath, current: str | None) -> Merged:
    """What all conversations are about, older ones fading; the beats of the `current` session do not fade."""
    with path.store.snapshot() as reader:
        rows = reader.scan("session", (path.space,), (path.space,), columns=("session",))
        beats = {name: macro_nodes_of(reader, path.space, name) for name in (str(row[0]) for row in rows)}
    return merge(beats, path.clock(), current=current)
