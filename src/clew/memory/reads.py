"""The methods of a memory that change no turn. Each checks its arguments and delegates."""

from collections.abc import Callable, Iterable
from typing import TypeVar

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
from clew.recall.read_path import ReadPath
from clew.recall.session_names import is_session, no_such_session
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

T = TypeVar("T")


class MemoryReads(MemoryRecalls):
    """The reads of one space. Threads may share it."""

    def __init__(self, parts: Parts) -> None:
        """Takes finished parts; `Memory.open` is the usual way."""
        super().__init__(parts.reads, parts.models)
        self.parts = parts

    def stats(self) -> Stats:
        """Counts what the space holds, and what background work is pending."""
        self._check_open()
        return stats_of(self.parts)

    def annotations(self, ref: str) -> dict[str, Annotation]:
        """Returns the annotations of a turn, beat or chapter by kind, sorted; kinds not computed yet are absent.

        Args:
            ref: its id.
        """
        self._check_open()
        with reading_derived(self.reads.store) as reader:
            return annotations_of(reader, self.space, given_name(ref, "id"))

    def snapshots(self, session: str) -> list[ContextSnapshot]:
        """Returns the closed beats of a session in order, each with its turns as weighted chunks.

        The turns after the last closed beat belong to none yet. A session that is not analysed yet has no beats;
        `drain` waits until all turns are analysed.

        Raises:
            NotFoundError: there is no such session.
        """
        self._check_open()
        with self.reads.store.snapshot() as reader:
            snapshots = snapshots_of(reader, self.space, given_session(session))
        return snapshots or _none_of(self.reads, session, snapshots)

    def labels(self, namespace: str = TAG) -> list[LabelCount]:
        """Counts the labels of the space, the most frequent first, equally frequent ones by name.

        Args:
            namespace: `tag`, or `domain`.
        """
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return label_counts(reader, self.space, given_text(namespace, "namespace"))

    def labelled(self, name: str, namespace: str = TAG) -> list[Labelled]:
        """Returns the beats and turns that have a label, in order of sessions and turns; none for an unknown label.

        Args:
            name: in upper or lower case, singular or plural. An alias stands for its label, and a label includes its
                parts; `label/part` names one part.

        Raises:
            InputError: the name is empty.
        """
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return labelled(reader, self.space, given_name(name, "name"), given_text(namespace, "namespace"))

    def topics(self, names: Iterable[str] | None = None, *, limit: int | None = None) -> list[Topic]:
        """Summarises each topic of the space, the most frequent first, equally frequent ones by name.

        Args:
            names: labels or aliases; None for all. Unknown names are ignored.
            limit: the most topics to return; None for all.

        Raises:
            InputError: the limit is negative.
        """
        self._check_open()
        chosen = None if names is None else given_names(names, "names", "name")
        most = None if limit is None else given_count(limit, "limit", "the number of topics wanted")
        with self.reads.store.snapshot() as reader:
            return topics_of(reader, self.space, chosen, most)

    def entities(self) -> tuple[Entity, ...]:
        """Lists the people, places and things that the turns name, the most frequent first, equally frequent by name.

        They are counted in the background; `drain` waits until all turns are counted. A nickname that occurred at least
        twice counts for the person who has it.
        """
        self._check_open()
        view = self.reads.live.view()
        with self.reads.store.snapshot() as reader:
            return entities_of(reader, self.space, view)

    def entity(self, name: str) -> EntityPage:
        """Returns an entity, found by any of its names, with its strongest neighbours and the newest turns naming it.

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
        """Tells what a session had been about before something was first mentioned in it.

        Args:
            concept: a word or phrase; it is first mentioned by the first turn that contains all of its terms.

        Returns:
            None if no turn mentions it. A mention may be in the open beat, whose position is the next one.
        """
        self._check_open()
        return state_before_mention(self.reads, given_session(session), given_text(concept, "concept"))

    def evolution(self, session: str) -> tuple[Movement, ...]:
        """Tells how the domains of a session changed from each closed beat to the next.

        Raises:
            NotFoundError: there is no such session.
        """
        self._check_open()
        evolution = domain_evolution(self.reads, given_session(session))
        return evolution or _none_of(self.reads, session, evolution)

    def in_common(self, first: Iterable[str], second: Iterable[str]) -> InCommon:
        """Tells which domains two stretches of conversation share.

        A domain that is weak in one of them counts the more, the closer the turns of both are related.

        Args:
            first, second: ids of beats, chapters or turns of any session; `snapshots` returns the ids of beats.

        Raises:
            InputError: a stretch has no ids, or only turns that Clew injected.
            NotFoundError: there is no such beat, chapter or turn.
        """
        self._check_open()
        names = [given_names(ids, name, "id") for ids, name in ((first, "first"), (second, "second"))]
        if not all(names):
            raise InputError("a stretch has no beats; give the ids of at least one beat, chapter or turn for each")
        return domains_in_common(self.reads, *names)

    def domains(self, *, current: str | None = None) -> Merged:
        """Merges the domains of all sessions of the space; older sessions count less.

        Args:
            current: name of the session in progress, whose beats count in full.
        """
        self._check_open()
        return merged_domains(self.reads, None if current is None else given_name(current, "session"))

    def pins(self) -> list[Pin]:
        """Lists the pins, oldest first."""
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return read_pins(reader, self.space)

    def learned(self) -> list[Change]:
        """Lists every change of the learned values, oldest first; the last one is in force."""
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return history(reader, self.space)

    def verify(self, on_progress: Callable[[int, int], None] | None = None) -> VerifyReport:
        """Checks hashes, references, the index against the log, and the database file; changes nothing.

        `on_progress` is called with the number of turns examined and of all turns.
        """
        self._check_open()
        return verify(self.reads.store, self.space, given_progress(on_progress))


def _none_of(path: ReadPath, session: str, nothing: T) -> T:
    """What is said of a session of which nothing is made yet.

    Raises:
        NotFoundError: there is no such session.
    """
    if not is_session(path, session):
        raise no_such_session(path, session)
    return nothing
