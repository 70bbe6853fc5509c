"""The methods of a memory that are about projects. Each checks its arguments and delegates."""

from pathlib import Path
from typing import Final

from clew.errors import InputError, NotFoundError
from clew.memory.arguments import given_count, given_name, given_text
from clew.memory.quests import MemoryQuests
from clew.project.lens import lens_of
from clew.project.links import links_of
from clew.project.project import Project
from clew.rank.algebra.syntax import About
from clew.recall.code_decisions import TurnScope, decisions_about
from clew.recall.project_drift import drift_of
from clew.recall.project_links import ElementLink, links_of_turn
from clew.recall.search import stored_turn
from clew.recall.working_folders import ProjectPlace
from clew.rows.lenses import Meet
from clew.rows.projects import attach, attached, detach
from clew.store.home import usable_path
from clew.text.evidence import path_spans
from clew.types.projects import CodeDecision, ProjectDrift

DECISIONS: Final = 10
"""Default limit of `decisions`."""


class MemoryProjects(MemoryQuests):
    """Links between the conversations of one space and code bases. Threads may share it."""

    def attach_project(self, root: str | Path, *, embed: bool = False) -> tuple[str, ...]:
        """Attaches the space to a project, so that its turns are compared with the code; returns all attached folders.

        The turns are analysed again in the background, now and whenever the project changes. While the folder cannot
        be read, the memory works as if it were not attached.

        Args:
            root: a folder in which `clew project genesis` was run.
            embed: first embed the elements that are active in an overlay, so that turns are compared with them by
                vectors; takes about 0.01 s for each. Elements that change later have no vector until this is repeated.

        Raises:
            NotFoundError: there is no project.
            InputError: there are too many projects, the space is paused, or there is no embedder to embed with.
        """
        self._check_open()
        with Project.open(usable_path(root, "the folder of the project")) as project:
            if embed:
                self._embed(project)
            folders = attach(self.reads.store, self.space, project.root)
        self.parts.worker.wake()
        return folders

    def detach_project(self, root: str | Path) -> tuple[str, ...]:
        """Detaches the space from a project; returns the folders that are still attached.

        Raises:
            NotFoundError: the project is not attached.
        """
        self._check_open()
        folder = usable_path(root, "the folder of the project")
        detached = detach(self.reads.store, self.space, folder.expanduser().resolve().as_posix())
        self.parts.worker.wake()
        return detached

    def projects(self) -> tuple[str, ...]:
        """Lists the folders of the attached projects, in the order in which they were attached."""
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return attached(reader, self.space)

    def decisions(
        self,
        about: str,
        *,
        limit: int = DECISIONS,
        project: str | Path | None = None,
        besides: str | None = None,
    ) -> list[CodeDecision]:
        """Returns what was decided, required, tried in vain or requested about a file or symbol, over all sessions.

        The newest come first, requests that led to a change last. Each says whether the file was changed since.

        Args:
            about: path of a file, or the end of it; or the name of a function or class, qualified or not. The prefix
                `file:` or `symbol:` says which.
            limit: the most decisions to return.
            project: folder of the project; sessions that worked in another folder are left out, and paths are relative
                to this one. Sessions whose folder is unknown are included.
            besides: a session to leave out.

        Raises:
            InputError: `about` is empty, or the limit is negative.
        """
        self._check_open()
        most = given_count(limit, "limit", "the number of decisions wanted")
        wanted = _wanted(given_text(about, "name of a file or symbol"))
        folder = None if project is None else usable_path(project, "the folder of the project").absolute().as_posix()
        if folder is not None and wanted.kind == "file" and wanted.name.startswith(f"{folder}/"):
            wanted = About("file", wanted.name[len(folder) + 1 :])
        left_out = None if besides is None else given_name(besides, "session")
        scope = TurnScope(None if folder is None else ProjectPlace(folder), left_out)
        view = self.reads.live.view()
        with self.reads.store.snapshot() as reader:
            return decisions_about(reader, self.space, view, wanted, most, attached(reader, self.space), scope)

    def links(self, ref: str) -> list[ElementLink]:
        """Returns the files of the attached projects that a turn is about, closest first; none without a project.

        Raises:
            InputError: `ref` is not a turn's id.
            NotFoundError: there is no such turn.
        """
        self._check_open()
        turn, meet = stored_turn(self.reads, given_name(ref, "turn id")), self.reads.lenses()
        return [] if meet is None else links_of_turn(meet.lenses, links_of(turn))

    def drift(self) -> list[ProjectDrift]:
        """Returns, for each attached project, the files that no turn is about and the decisions that no code reflects.

        Raises:
            NotFoundError: no project is attached.
        """
        self._check_open()
        view, meet = self.reads.live.view(), self._lenses()
        with self.reads.store.snapshot() as reader:
            return [drift_of(reader, self.space, view, lens) for lens in meet.lenses]

    def _embed(self, project: Project) -> None:
        if self.embedder is None:
            raise InputError("there is no embedder to embed with; set `embedder`, or attach the project without")
        lens = lens_of(project, self.config.project.overlays)
        nodes = (project.node(element.id) for element in lens.nodes.elements)
        project.embed(self.embedder, (node for node in nodes if node is not None))

    def _lenses(self) -> Meet:
        meet = self.reads.lenses()
        if meet is None:
            raise NotFoundError(f"space {self.space!r} is attached to no project; `clew project attach` does it")
        return meet


def _wanted(about: str) -> About:
    kind, _, rest = about.partition(":")
    if kind in ("file", "symbol") and rest.strip():
        return About("file" if kind == "file" else "symbol", rest.strip())
    if not about.strip():
        raise InputError("the name is empty; give the path of a file, or the name of a function or class")
    plain = about.strip()
    is_path = "/" in plain or "\\" in plain or path_spans(plain) == [(0, len(plain))]
    return About("file" if is_path else "symbol", plain)
