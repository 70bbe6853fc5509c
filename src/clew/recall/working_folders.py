"""Finds in which folders sessions worked, and to which project a path in a turn belongs.

Paths in turns are relative to the folder of their session, or absolute. `src/x.py` in a session about one project is
not the file of that name in another. A session whose folder is not known may belong to any project.
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
from clew.store.turn_selections import TURN_METADATA

_FOLDERS: Final = CacheKey[dict[str, tuple[str, ...]]]("working folders")


def working_folders(reader: Reader, space: str, view: IndexView, sessions: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The folders in which sessions began and ended, as their clients recorded them; empty for sessions without any."""
    known = view.derived(_FOLDERS, dict[str, tuple[str, ...]])
    new = [(name, ends) for name in dict.fromkeys(sessions) if name not in known and (ends := view.ends(name))]
    keys = [(space, name, int(view.turns.seq[place])) for name, ends in new for place in ends]
    folders = [json.loads(data).get("cwd") if data else None for data in TURN_METADATA.get_many(reader, keys)]
    for (name, _), pair in zip(new, zip(folders[::2], folders[1::2], strict=True), strict=True):
        known[name] = tuple(dict.fromkeys(folder for folder in pair if isinstance(folder, str) and folder))
    return known


def project_root(file: str, folder: str | None) -> str:
    """The folder of the project that a file is in.

    This is the nearest folder above the file that has a repository or a project's store; else `folder`, if the file is
    in it; else the folder that contains the file.

    Args:
        file: an absolute path.
        folder: working directory of the program that asks; None if it is not known.
    """
    place = Path(file)
    marked = next((parent for parent in place.parents if (parent / ".git").exists()), None) or root_of(place.parent)
    if marked is not None and marked != Path.home():
        return marked.as_posix()
    return folder if folder and place.is_relative_to(folder) else place.parent.as_posix()


@dataclass(frozen=True, slots=True)
class ProjectPlace:
    """A project, by its folder."""

    root: str

    def has(self, folders: Iterable[str]) -> bool | None:
        """Whether a session that worked in these folders worked on the project; None without a folder.

        A folder that does not exist here (it was moved, or is on another machine) is compared by its name alone.
        """
        known = list(folders)
        return any(self._has(folder) for folder in known) if known else None

    def _has(self, folder: str) -> bool:
        root, place = PurePath(self.root), PurePath(folder)
        if place.is_relative_to(root) or root.is_relative_to(place):
            return True
        return project_name(folder) == project_name(self.root) and not Path(folder).is_dir()

    def inside(self, path: str, folders: Iterable[str]) -> str | None:
        """The path of a file that a turn names, relative to the project's folder; None if the file is outside.

        Args:
            folders: where the turn's session worked.
        """
        plain = normal_path(path)
        if not plain.startswith("/"):
            return plain
        for folder in (self.root, *folders):
            if plain.startswith(f"{folder.rstrip('/')}/"):
                return plain[len(folder.rstrip("/")) + 1 :]
        return None

    def touches(self, links: TurnLinks, name: str, folders: Iterable[str]) -> str | None:
        """How a turn concerns a file of the project, one of `HOW`; None if it does not.

        Args:
            name: path of the file, relative to the project's folder.
            folders: where the turn's session worked.
        """
        known = tuple(folders)
        for how, path in links.paths:
            inside = self.inside(path, known)
            if inside is not None and touches(TurnLinks(said=(inside,)), name) is not None:
                return how
        return None
