"""The setting `ingest.exclude`: sessions are kept out by name, projects by their folder, turns by their text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from clew.errors import ConfigError
from clew.types.turn import Turn

SESSION: Final = "session:"
PROJECT: Final = "project:"
TEXT: Final = "text:"


@dataclass(frozen=True, slots=True)
class Exclusion:
    """The compiled patterns of `ingest.exclude`, each with the pattern as it is written in the setting."""

    sessions: tuple[tuple[str, re.Pattern[str]], ...]
    projects: tuple[tuple[str, re.Pattern[str]], ...]
    texts: tuple[tuple[str, re.Pattern[str]], ...]

    def match(self, turn: Turn) -> str | None:
        """The first pattern that keeps a turn out, as it is written in the setting; None when the turn may be stored.

        A session's name is matched as a whole, texts in any place: the searched text and each part, tool outputs too.
        """
        for written, pattern in self.sessions:
            if pattern.fullmatch(turn.session):
                return written
        if self.projects and (folder := self.of_folder(turn.metadata.get("cwd"))) is not None:
            return folder
        texts = (turn.text, *(part.text for part in turn.parts)) if self.texts else ()
        return next((written for written, pattern in self.texts if any(map(pattern.search, texts))), None)

    def of_folder(self, folder: object) -> str | None:
        """The first pattern that keeps out what is said in a folder; None when it may be stored.

        A pattern with a slash is matched against the path of the folder and of each folder above it, any other against
        their names, so that a project is kept out with everything in it.
        """
        if not self.projects or not isinstance(folder, str) or not folder:
            return None
        path = PurePosixPath(folder.replace("\\", "/"))
        names = [*map(str, (path, *path.parents)), *path.parts]
        return next((written for written, pattern in self.projects if any(map(pattern.fullmatch, names))), None)


def exclusion(patterns: Sequence[str]) -> Exclusion:
    """Compiles the patterns of `ingest.exclude`; results are cached.

    Args:
        patterns: `session:` or `project:` and a glob (`*`, `?`, `[...]`; case counts; `~/` begins a path in the home
            directory), or `text:` and a regular expression as Python's `re` reads it.

    Raises:
        ConfigError: a pattern is neither, or its expression cannot be read.
    """
    return _compiled(tuple(patterns))


@cache
def _compiled(patterns: tuple[str, ...]) -> Exclusion:
    sessions, projects, texts = [], [], []
    for written in patterns:
        if written.startswith(SESSION) and len(written) > len(SESSION):
            sessions.append((written, re.compile(translate(written[len(SESSION) :]))))
        elif written.startswith(PROJECT) and len(written) > len(PROJECT):
            projects.append((written, re.compile(translate(_folder(written[len(PROJECT) :])))))
        elif written.startswith(TEXT) and len(written) > len(TEXT):
            texts.append((written, _expression(written)))
        else:
            raise ConfigError(
                f"ingest.exclude holds {written!r}; expected session:<glob>, project:<glob> or "
                "text:<regular expression>, such as session:scratch-*, project:~/private/* or text:(?i)off the record"
            )
    return Exclusion(tuple(sessions), tuple(projects), tuple(texts))


def _folder(pattern: str) -> str:
    """A pattern of folders with the home directory in place of `~`, and without a slash at its end."""
    home = f"{Path.home().as_posix()}/" if pattern.startswith("~/") else ""
    return (home + pattern.removeprefix("~/")).rstrip("/") or pattern


def _expression(written: str) -> re.Pattern[str]:
    try:
        return re.compile(written[len(TEXT) :])
    except (re.error, OverflowError, RecursionError) as error:
        raise ConfigError(
            f"ingest.exclude holds {written!r}, whose regular expression cannot be read: {error}; mend or remove it"
        ) from error
