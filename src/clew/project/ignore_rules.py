"""The rules of .gitignore files: which paths they leave out, as git reads them (gitignore(5))."""

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pathspec import GitIgnoreSpec, RegexPattern

from clew.project.git_index import common_folder, contents, git_folder, tracked_paths

_MARK: Final = b"\xef\xbb\xbf"
"""The byte order mark that some editors put at the beginning of UTF-8; it is not part of the first rule."""
_BRACKETS: Final = re.compile(r"(?<!\\)\[[!^]?\]?(?:\[:[a-z]+:\]|[^\]])*\]")
_CLASS: Final = re.compile(r"\[:([a-z]+):\]")
_CLASSES: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \t",
    "cntrl": "\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": '"-~!',
    "lower": "a-z",
    "print": '"-~! ',
    "punct": ':-@[-`{-~"-.!',
    "space": " \t\n\r\x0b\x0c",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
"""What the classes of POSIX in brackets mean, without a `!` or `]` in front, where it would mean something else."""


class FileRules(NamedTuple):
    """The rules of one file.

    Attributes:
        start: length of the path of their folder, from the folder of the project, with a slash at the end; 0 for a
            folder above that.
        before: path of the project in a folder above it that has the rules, with a slash at the end; empty otherwise.
        spec: the rules.
    """

    start: int
    before: str
    spec: GitIgnoreSpec


def is_ignored(path: str, rules: Sequence[FileRules]) -> bool:
    """Whether the innermost rule that fits a path leaves it out; no folder above it is left out.

    Args:
        path: from the folder of the project; that of a folder ends with a slash.
        rules: the outermost first.
    """
    for start, before, spec in reversed(rules):
        for pattern in reversed(spec.patterns):
            if not isinstance(pattern, RegexPattern) or pattern.include is None:
                continue
            if _fits(pattern, before + path[start:]):
                return pattern.include
    return False


def _fits(pattern: RegexPattern, path: str) -> bool:
    """Whether a pattern means a path itself, and not only a folder above it, for which it was asked before.

    The one group in such a pattern is the slash after a folder that it means; a slash at its end outside of the group
    is that of a pattern such as `docs/**`, which means what is in the folder and not the folder.
    """
    matches = pattern.regex.finditer(path) if pattern.regex else ()
    for match in matches:
        ends = match.end() == len(path)
        if ends if match.lastgroup else not (ends and path.endswith("/")):
            return True
    return False


def rules_in(folder: Path) -> GitIgnoreSpec | None:
    """The rules of the .gitignore in a folder; None where there are none. As git does, no link is followed to them."""
    file = folder / ".gitignore"
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            return None
    except OSError:  # there is none
        return None
    return _rules_of(file)


def excluded_by(git: Path) -> GitIgnoreSpec | None:
    """The rules of a repository that are not part of it, from its folder of git."""
    return _rules_of(common_folder(git) / "info" / "exclude")


def _rules_of(file: Path) -> GitIgnoreSpec | None:
    """The rules of a file; None where it has none. Lines that git would not understand are left out, as git does."""
    data = contents(file)
    if data is None:  # there is none, or it may not be read: git ignores nothing then
        return None
    lines = data.removeprefix(_MARK).decode("utf-8", "surrogateescape").split("\n")
    rules = [spec for line in lines if (spec := rule(line.removesuffix("\r"))) is not None]
    return GitIgnoreSpec([pattern for spec in rules for pattern in spec.patterns]) if rules else None


def rule(line: str) -> GitIgnoreSpec | None:
    """The rule of one line; None for an empty or invalid one."""
    if not line.strip() or line.startswith("#"):
        return None
    if "[:" in line:
        line = _BRACKETS.sub(lambda found: found[0][0] + _CLASS.sub(_meaning, found[0][1:]), line)
    try:
        return GitIgnoreSpec.from_lines([line])
    except ValueError:
        return None


def _meaning(match: re.Match[str]) -> str:
    return _CLASSES.get(match[1], match[0])


def rules_above(root: Path) -> tuple[list[FileRules], frozenset[str]]:
    """The rules of the repository that a folder is part of, and its files in the folder that git tracks.

    There are none where the folder has a repository of its own, and where the rules leave out the folder itself, such
    as a package in an environment: it is read for its own sake then.
    """
    place = root.resolve()
    top = next((folder for folder in (place, *place.parents) if os.path.lexists(folder / ".git")), place)
    git = None if top == place else git_folder(top)
    if git is None:
        return [], frozenset()
    found = [FileRules(0, "", spec)] if (spec := excluded_by(git)) else []
    folder, path = top, ""
    for name in place.relative_to(top).parts:
        found += [FileRules(len(path), "", spec)] if (spec := rules_in(folder)) else []
        folder, path = folder / name, f"{path}{name}/"
        if is_ignored(path, found):
            return [], frozenset()
    tracked = frozenset(file[len(path) :] for file in tracked_paths(git) if file.startswith(path))
    return [FileRules(0, path[rules.start :], rules.spec) for rules in found], tracked
