"""The lenses of the projects that a space is attached to, read again when a project has changed."""

import logging
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from clew.analyze.novelty import Vector
from clew.analyze.overlays import Overlay, strongest
from clew.errors import NotFoundError, StoreError
from clew.project.lens import ProjectLens, lens_digest, lens_of
from clew.project.project import Project
from clew.rows.projects import attached
from clew.store.protocol import Store

log = logging.getLogger("clew.project")

_State = tuple[int, str, int]
"""What tells that a project is as it was."""
_UNREADABLE: Final = (NotFoundError, StoreError, OSError)
"""Memory goes on without a project that is not there now."""


@dataclass(frozen=True, slots=True)
class Meet:
    """The lenses of all attached projects that can be read, with which turns are compared."""

    lenses: tuple[ProjectLens, ...]

    @property
    def digest(self) -> str:
        """Changes with any of them."""
        return _digest(lens.digest for lens in self.lenses)

    def scores(self, terms: Sequence[str], vector: Vector | None, model: str | None) -> dict[Overlay, float]:
        """The meet of a turn with the project that it is nearest to in each overlay; see `OverlayNodes.scores`."""
        return strongest(*(lens.nodes.scores(terms, vector, model) for lens in self.lenses))


@dataclass(slots=True)
class LensBook:
    """Loads the lenses of a space, and tells whether they have changed without loading them. Threads may share it.

    Attributes:
        changes: the setting `project.overlays`.
        model: of the space's embedder.
    """

    store: Store
    space: str
    changes: Sequence[str] = ()
    model: str | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _held: dict[str, tuple[_State, ProjectLens | None]] = field(default_factory=dict)

    def is_attached(self) -> bool:
        """Whether the space is attached to a project, readable or not."""
        return bool(self._roots())

    def digest(self) -> str | None:
        """What `meet().digest` would be, without reading what the projects consist of; None where none is attached."""
        roots = self._roots()
        if not roots:
            return None
        with self._lock:
            return _digest(digest for root in roots if (digest := self._digest_of(root)))

    def meet(self) -> Meet | None:
        """The lenses of the attached projects as they are now; None where none is attached."""
        roots = self._roots()
        if not roots:
            return None
        with self._lock:
            lenses = [lens for root in roots if (lens := self._lens(root)) is not None]
        return Meet(tuple(lenses))

    def _roots(self) -> tuple[str, ...]:
        with self.store.snapshot() as reader:
            return attached(reader, self.space)

    def _digest_of(self, root: str) -> str | None:
        """The digest of a project's lens; None if the project cannot be read or its lens could not be built."""
        try:
            with Project.open(root) as project:
                cached = self._held.get(root)
                if cached is None or cached[0] != _state(project):
                    return lens_digest(project, self.changes, self.model)
                return None if cached[1] is None else cached[1].digest
        except _UNREADABLE as error:
            log.info("the project in %s is left out: %s", root, error)
            return None

    def _lens(self, root: str) -> ProjectLens | None:
        state = None
        try:
            with Project.open(root) as project:
                state, cached = _state(project), self._held.get(root)
                if cached is not None and cached[0] == state:
                    return cached[1]
                lens = lens_of(project, self.changes, self.model)
        except _UNREADABLE as error:
            log.info("the project in %s is left out: %s", root, error)
            if state is not None:  # it is left out until it changes, also by `digest`
                self._held[root] = state, None
            return None
        self._held[root] = state, lens
        return lens


def _state(project: Project) -> _State:
    return project.generation, project.digest, project.embedded  # the digest is set when a run ends


def _digest(digests: Iterable[str]) -> str:
    return sha256(" ".join(digests).encode()).hexdigest()[:16]
