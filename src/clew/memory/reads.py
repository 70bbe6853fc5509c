"""The methods of a memory that change no turn. Each checks its arguments and delegates."""

from collections.abc import Callable, Iterable

from clew.derive.entity_counts import entities_of, entity_page
from clew.derive.hierarchy import snapshots_of
from clew.errors import InputError, NotFoundError
from clew.maintain.verify import verify
from clew.memory.arguments import given_count, given_name, given_names, given_progress, given_session, given_text
from clew.memory.recalls import MemoryRecalls
from clew.memory.statistics import stats_of
from clew.memory.wiring import Parts
from clew.recall.label_index import label_counts, labelled
from clew.recall.macro_history import domain_evolution, domains_in_common, merged_domains, state_before_mention
from clew.recall.topics import topics_of
from clew.rows.annotations import TAG, annotations_of
from clew.rows.damaged_rows import reading_derived
from clew.rows.parameters import history
from clew.rows.pins import read_pins
from clew.structure.common_domains import InCommon
from clew.structure.macro import Merged, Movement, StateBefore
from clew.types import Stats, VerifyReport
from clew.types.annotation import Annotation
from clew.types.chunk import ContextSnapshot
from clew.types.entity import Entity, EntityPage
from clew.types.labels import LabelCount, Labelled, Topic
from clew.types.pins import Pin
from clew.types.tuning import Change


class MemoryReads(MemoryRecalls):
    """The reads of one space. Threads may share it."""

    def __init__(self, parts: Parts) -> None:
        """Takes finished parts; `Memory.open` is the usual way."""
        super().__init__(parts.reads, parts.models)
        self.parts = parts

    def stats(self) -> Stats:
        """What the space holds, in numbers."""
        self._check_open()
        return stats_of(self.parts)

    def annotations(self, ref: str) -> dict[str, Annotation]:
        """All annotations of a turn, by kind, sorted; kinds that were not computed, or not yet, are absent.

        Args:
            ref: the turn's id, or the id of a beat or chapter.
        """
        self._check_open()
        with reading_derived(self.reads.store) as reader:
            return annotations_of(reader, self.space, given_name(ref, "id"))

    def snapshots(self, session: str) -> list[ContextSnapshot]:
        """The closed beats of a session in their order, each with its turns as weighed chunks.

        The turns since the last closed beat are in none yet; a session that is unknown, or not analysed yet, has none.
        `drain` waits until all turns are analysed.
        """
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return snapshots_of(reader, self.space, given_session(session))

    def labels(self, namespace: str = TAG) -> list[LabelCount]:
        """What the space is about: its labels, the most frequent first; of equal ones by name.

        Args:
            namespace: `tag`, or `domain`.
        """
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return label_counts(reader, self.space, given_text(namespace, "namespace"))

    def labelled(self, name: str, namespace: str = TAG) -> list[Labelled]:
        """The beats and turns that a label marks, in the order of sessions and turns; none for an unknown one.

        Args:
            name: in any case or number; an alias finds what its label marks, a broad label also what its parts do, and
                `label/part` one part.

        Raises:
            InputError: the name is empty.
        """
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return labelled(reader, self.space, given_name(name, "name"), given_text(namespace, "namespace"))

    def topics(self, names: Iterable[str] | None = None, *, limit: int | None = None) -> list[Topic]:
        """What the space is about, with a summary of each topic; the most frequent first, of equal ones by name.

        Args:
            names: labels or aliases; None for all. Unknown ones are left out.
            limit: how many at most; None for all.

        Raises:
            InputError: the limit is negative.
        """
        self._check_open()
        chosen = None if names is None else given_names(names, "names", "name")
        most = None if limit is None else given_count(limit, "limit", "the number of topics wanted")
        with self.reads.store.snapshot() as reader:
            return topics_of(reader, self.space, chosen, most)

    def entities(self) -> tuple[Entity, ...]:
        """The people, places and things that the turns name, the most named first; of equal ones by name.

        Turns are counted behind the acknowledgement; `drain` waits until all are. A nickname that was seen twice is
        counted for its bearer.
        """
        self._check_open()
        view = self.reads.live.view()
        with self.reads.store.snapshot() as reader:
            return entities_of(reader, self.space, view)

    def entity(self, name: str) -> EntityPage:
        """One entity by any of its names, with its strongest neighbours and the newest turns that name it.

        Raises:
            NotFoundError: no turn names it.
        """
        self._check_open()
        view = self.reads.live.view()
        with self.reads.store.snapshot() as reader:
            page = entity_page(reader, self.space, view, given_name(name, "name"))
        if page is None:
            raise NotFoundError(f"no turn of space {self.space!r} names {name!r}; `entities` lists what is named")
        return page

    def state_before(self, session: str, concept: str) -> StateBefore | None:
        """What a conversation had been about before something was first mentioned in it.

        Args:
            concept: a word or phrase; the first turn that holds all of its terms counts.

        Returns:
            None when nothing mentions it. The beat that is still open counts: its position is the next one.
        """
        self._check_open()
        return state_before_mention(self.reads, given_session(session), given_text(concept, "concept"))

    def evolution(self, session: str) -> tuple[Movement, ...]:
        """How the domains of a conversation moved, closed beat by closed beat."""
        self._check_open()
        return domain_evolution(self.reads, given_session(session))

    def in_common(self, first: Iterable[str], second: Iterable[str]) -> InCommon:
        """Which domains two stretches of conversation share, each read in the light of the other.

        A domain that is faint in one of them counts more, the more their turns have to do with each other, and less the
        less they have.

        Args:
            first, second: ids of beats, chapters or turns, of any sessions of the space; `snapshots` gives those of
                beats. Turns count by themselves, whichever beats have them.

        Raises:
            InputError: one of them names nothing, or only turns that Clew injected.
            NotFoundError: there is no such beat, chapter or turn.
        """
        self._check_open()
        names = [given_names(ids, name, "id") for ids, name in ((first, "first"), (second, "second"))]
        if not all(names):
            raise InputError("a stretch has no beats; give the ids of at least one beat, chapter or turn for each")
        return domains_in_common(self.reads, *names)

    def domains(self, *, current: str | None = None) -> Merged:
        """What all conversations of the space are about, old ones fading, so that they do not outvote the present.

        Args:
            current: the session that is going on; its beats do not fade.
        """
        self._check_open()
        return merged_domains(self.reads, None if current is None else given_name(current, "session"))

    def pins(self) -> list[Pin]:
        """What is pinned, the oldest first."""
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return read_pins(reader, self.space)

    def learned(self) -> list[Change]:
        """Every change of the learned values, the first one first; the last one holds."""
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return history(reader, self.space)

    def verify(self, on_progress: Callable[[int, int], None] | None = None) -> VerifyReport:
        """Checks hashes, references, the index against the log, and the database file; changes nothing.

        `on_progress` is called with the turns that are examined so far, and with all of them.
        """
        self._check_open()
        return verify(self.reads.store, self.space, given_progress(on_progress))
