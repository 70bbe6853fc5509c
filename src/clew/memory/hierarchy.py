"""What a memory says of its turns, and the beats and chapters that they make."""

from clew.derive.entity_counts import entities_of, entity_page
from clew.derive.hierarchy import snapshots_of
from clew.errors import NotFoundError
from clew.ingest.encoding import escape_surrogates
from clew.memory.times import Times
from clew.recall.label_index import label_counts, labelled
from clew.recall.positions import macro_nodes_of
from clew.rows.annotations import TAG, annotations_of
from clew.store.rows import turn_from_row
from clew.structure.macro import Merged, Movement, StateBefore, evolution, first_mention, merge, state_before
from clew.types.annotation import Annotation
from clew.types.chunk import ContextSnapshot
from clew.types.entity import Entity, EntityPage
from clew.types.labels import LabelCount, Labelled


class Hierarchy(Times):
    """Annotations, snapshots and labels."""

    def annotations(self, ref: str) -> dict[str, Annotation]:
        """All that is said of a turn, by kind, sorted; what nobody computed, or not yet, is absent.

        Args:
            ref: the turn's id, or the id of a beat or chapter.
        """
        self._check_open()
        with self._store.snapshot() as reader:
            return annotations_of(reader, self.space, escape_surrogates(ref))

    def snapshots(self, session: str) -> list[ContextSnapshot]:
        """The closed beats of a session in their order, each with its turns as weighed chunks.

        The turns since the last closed beat are in none yet; a session that is unknown, or not analysed yet, has none.
        `drain` waits until all turns are analysed.
        """
        self._check_open()
        with self._store.snapshot() as reader:
            return snapshots_of(reader, self.space, escape_surrogates(session))

    def labels(self, namespace: str = TAG) -> list[LabelCount]:
        """What the space is about: its labels, the most frequent first; of equal ones by name.

        Args:
            namespace: `tag`, or `domain`.
        """
        self._check_open()
        with self._store.snapshot() as reader:
            return label_counts(reader, self.space, namespace)

    def labelled(self, name: str, namespace: str = TAG) -> list[Labelled]:
        """The beats and turns that a label marks, in the order of sessions and turns; none for an unknown one.

        Args:
            name: in any case or number; an alias finds what its label marks, a broad label also what its parts do, and
                `label/part` one part.

        Raises:
            InputError: the name is empty.
        """
        self._check_open()
        with self._store.snapshot() as reader:
            return labelled(reader, self.space, escape_surrogates(name), namespace)

    def entities(self) -> tuple[Entity, ...]:
        """The people, places and things that the turns name, the most named first; of equal ones by name.

        Turns are counted behind the acknowledgement; `drain` waits until all are. A nickname that was seen twice is
        counted for who has it.
        """
        self._check_open()
        view = self._live.view()
        with self._store.snapshot() as reader:
            return entities_of(reader, self.space, view)

    def entity(self, name: str) -> EntityPage:
        """One of them by any of its names, with its strongest neighbours and the newest turns that name it.

        Raises:
            NotFoundError: no turn names it.
        """
        self._check_open()
        view = self._live.view()
        with self._store.snapshot() as reader:
            found = entity_page(reader, self.space, view, escape_surrogates(name))
        if found is None:
            raise NotFoundError(f"no turn of space {self.space!r} names {name!r}; `entities` lists what is named")
        return found

    def state_before(self, session: str, concept: str) -> StateBefore | None:
        """What a conversation had been about before something was first mentioned in it.

        Args:
            concept: a word or phrase; the first turn that holds all of its terms counts.

        Returns:
            None when nothing in a closed beat mentions it.
        """
        self._check_open()
        session = escape_surrogates(session)
        with self._store.snapshot() as reader:
            nodes = macro_nodes_of(reader, self.space, session)
            rows = reader.scan("turn", (self.space, session), (self.space, session))
        said = ((turn.seq or 0, turn.text) for turn in map(turn_from_row, rows) if turn.origin != "injected")
        mention = first_mention(escape_surrogates(concept), said)
        return None if mention is None else state_before(nodes, mention)

    def evolution(self, session: str) -> tuple[Movement, ...]:
        """How the domains of a conversation moved, closed beat by closed beat."""
        self._check_open()
        with self._store.snapshot() as reader:
            return evolution(macro_nodes_of(reader, self.space, escape_surrogates(session)))

    def domains(self, *, current: str | None = None) -> Merged:
        """What all conversations of the space are about, old ones fading, so that they do not outvote the present.

        Args:
            current: the session that is going on; its beats do not fade.
        """
        self._check_open()
        with self._store.snapshot() as reader:
            names = [str(row[0]) for row in reader.scan("session", (self.space,), (self.space,), columns=("session",))]
            beats = {name: macro_nodes_of(reader, self.space, name) for name in names}
        return merge(beats, self._clock(), current=None if current is None else escape_surrogates(current))
