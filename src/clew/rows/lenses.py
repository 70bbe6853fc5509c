"""The lenses of the projects that a space is attached to, read again when a project has changed."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from clew.analyze.novelty import Vector
from clew.analyze.overlays import Overlay, strongest
from clew.errors import NotFoundError, StoreError
from clew.project.lens import ProjectLens, lens_of
from clew.project.project import Project
from clew.rows.projects import attached
from clew.store.protocol import Store

log = logging.getLogger("clew.project")


@dataclass(frozen=True, slots=True)
class Meet:
    """What turns are met with: the lenses of all attached projects that can be read."""

    lenses: tuple[ProjectLens, ...]

    @property
    def digest(self) -> str:
        """Changes with any of them."""
        return sha256(" ".join(lens.digest for lens in self.lenses).encode()).hexdigest()[:16]

    def scores(self, found: Sequence[str], vector: Vector | None, model: str | None) -> dict[Overlay, float]:
        """The meet of a turn with the project that it is nearest to in each overlay; see `OverlayNodes.scores`."""
        return strongest(*(lens.nodes.scores(found, vector, model) for lens in self.lenses))


@dataclass(slots=True)
class LensBook:
    """Gives the lenses of a space. Threads may share it.

    Attributes:
        changes: the setting `project.overlays`.
        model: of the space's embedder.
    """

    store: Store
    space: str
    changes: Sequence[str] = ()
    model: str | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _held: dict[str, tuple[tuple[int, str, int], ProjectLens]] = field(default_factory=dict)

    def meet(self) -> Meet | None:
        """The lenses of the attached projects as they are now; None where none is attached."""
        with self.store.snapshot() as reader:
            roots = attached(reader, self.space)
        if not roots:
            return None
        with self._lock:
            found = [lens for root in roots if (lens := self._lens(root)) is not None]
        return Meet(tuple(found))

    def _lens(self, root: str) -> ProjectLens | None:
        try:
            with Project.open(root) as project:
                state = project.generation, project.digest, project.embedded  # the digest is set when a run ends
                held = self._held.get(root)
                if held is not None and held[0] == state:
                    return held[1]
                lens = lens_of(project, self.changes, self.model)
        except (NotFoundError, StoreError, OSError) as error:  # memory goes on without what is not there now
            log.info("the project in %s is left out: %s", root, error)
            return None
        self._held[root] = state, lens
        return lens
