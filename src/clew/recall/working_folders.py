"""In which folders sessions worked, and which project a path of a turn is in.

Turns write paths as they see them: from their session's folder, or from the root of the disk. `src/x.py` of a session
in one project is no file of another one. A session of which no folder is known may belong to any project.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.project.links import TurnLinks, normal_path, touches
from clew.project.project import root_of
from clew.recall.sessions import project_name
from clew.store.protocol import Reader
from clew.store.selections import TURN_METADATA

_FOLDERS: Final = CacheKey[dict[str, tuple[str, ...]]]("working folders")


def working_folders(reader: Reader, space: str, view: IndexView, sessions: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The folders in which sessions began and ended, as their clients say; empty for a session that says none."""
    known = view.derived(_FOLDERS, dict[str, tuple[str, ...]])
    new = [(name, ends) for name in dict.fromkeys(sessions) if name not in known and (ends := view.ends(name))]
    keys = [(space, name, int(view.turns.seq[place])) for name, ends in new for place in ends]
    said = [json.loads(each).get("cwd") if each else None for each in TURN_METADATA.get_many(reader, keys)]
    for (name, _), pair in zip(new, zip(said[::2], said[1::2], strict=True), strict=True):
        known[name] = tuple(dict.fromkeys(each for each in pair if isinstance(each, str) and each))
    return known


def project_root(file: str, folder: str | None) -> str:
    """The folder of the project that a file is in.

    It is the nearest one with a repository or a project's store, else `folder` if that contains the file, else the
    file's own.

    Args:
        file: an absolute path.
        folder: in which a program works.
    """
    place = Path(file)
    marked = next((each for each in place.parents if (each / ".git").exists()), None) or root_of(place.parent)
    if marked is not None and marked != Path.home():
        return marked.as_posix()
    return folder if folder and place.is_relative_to(folder) else place.parent.as_posix()


@dataclass(frozen=True, slots=True)
class ProjectPlace:
    """A project, by its folder."""

    root: str

    def has(self, folders: Iterable[str]) -> bool | None:
        """Whether a session that worked in these folders worked on the project; None where it is not known.

        One that worked in a folder that is gone, or on another machine, is known by the name of its folder.
        """
        known = list(folders)
        return any(self._has(folder) for folder in known) if known else None

    def _has(self, folder: str) -> bool:
        root, place = PurePath(self.root), PurePath(folder)
        if place.is_relative_to(root) or root.is_relative_to(place):
            return True
        return project_name(folder) == project_name(self.root) and not Path(folder).is_dir()

    def inside(self, path: str, folders: Iterable[str]) -> str | None:
        """A path that a turn writes as it is from the project's folder; None for one that leads elsewhere."""
        plain = normal_path(path)
        if not plain.startswith("/"):
            return plain
        for folder in (self.root, *folders):
            if plain.startswith(f"{folder.rstrip('/')}/"):
                return plain[len(folder.rstrip("/")) + 1 :]
        return None

    def touches(self, links: TurnLinks, name: str, folders: Iterable[str]) -> str | None:
        """How a turn concerns a file of the project, by its path from there; None where it does not."""
        known = tuple(folders)
        for how, path in links.paths:
            inside = self.inside(path, known)
            if inside is not None and touches(TurnLinks(said=(inside,)), name) is not None:
                return how
        return None
