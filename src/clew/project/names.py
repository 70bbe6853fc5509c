"""Finds names of code in the words of a turn, and the file of a project that each of them means.

People and agents write `TodoItem`, `handle_end()`, `clew.project.links` as often as a path. A name means the file that
defines the symbol, has that name, or is the module of that name; it means none if several files of a project fit.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from clew.project.elements import ProjectElement
from clew.text.evidence import MOST, path_spans
from clew.text.late_pattern import late_pattern

MOST_NAMES: Final = 40
"""Most names of code that are kept for one turn."""

_DEFINED: Final = frozenset({"class", "function", "method", "module"})
_FILES: Final = (
    "LICENSE",
    "README",
    "CHANGELOG",
    "CONTRIBUTING",
    "CODEOWNERS",
    "Makefile",
    "Dockerfile",
    "Gemfile",
    "Rakefile",
)
_WORD: Final = late_pattern(
    r"`(?P<ticked>[A-Za-z_$][\w$]{2,60}(?:(?:\.|::|#)[A-Za-z_]\w{0,60}){0,8})(?:\(\))?`"
    r"|\b(?=[A-Za-z_])(?<![.$/-])(?![a-z]++(?![\w.(:]))(?:"  # not for words in small letters, which name nothing alone
    r"(?P<called>[A-Za-z_]\w{2,60}(?:(?:\.|::)[A-Za-z_]\w{1,60}){0,6})\(\)"
    r"|(?<!@)(?:(?P<plain>[A-Za-z]\w{0,60}_\w{1,60}|[a-z]\w{0,30}[a-z][A-Z]\w{1,60}"
    r"|[A-Z][a-z0-9]{1,30}[A-Z]\w{1,60}|[a-z]\w{1,30}(?:\.[A-Za-z_]\w{1,40}){2,8})(?![\w$@/-])"
    rf"|(?P<file>{'|'.join(_FILES)})(?![\w$@/.-])))"
)
_MAY_NAME: Final = re.compile(r"[A-Z`_.(](?:(?<=[a-z0-9][A-Z])|(?<=[`_])|(?<=\.)[A-Za-z_]|(?<=\()\))")
"""Each match of `_WORD` but one of `_FILES` holds one of these; ordinary prose has none, and the search is cheap.

One set of characters begins every match, so that all others are skipped.
"""
_SHAPED: Final = re.compile(r"[a-z0-9][A-Z]|\w_\w|^[A-Z][a-z]|[.:#]")
"""What tells a name of code from a word: a capital inside, an underscore, a dot."""
_CAMEL: Final = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPLIT: Final = re.compile(r"\.|::|#")


def names_in(text: str) -> Iterator[str]:
    """Names of code in a text: in backticks, with `()`, or written as no word is; parts of paths are left out."""
    head = text[:MOST]
    if not (_MAY_NAME.search(head) or any(map(head.__contains__, _FILES))):
        return
    paths = path_spans(head)
    for match in _WORD.finditer(head):
        if not any(start < match.end() and match.start() < end for start, end in paths):
            name = match[match.lastgroup or 0]
            if _SHAPED.search(name) or match.lastgroup in ("called", "file"):
                yield name


@dataclass(slots=True)
class NameResolver:
    """Finds the file that a name means: the only one that defines it, has that name, or is the module of that name.

    Where there is none, `CommandParser` means the only `command_parser.pony` or `command-parser.component.ts`.
    """

    elements: Iterable[ProjectElement]
    _owners: dict[str, set[str]] = field(init=False)
    _files: dict[str, set[str]] = field(init=False)
    _spelled: dict[str, set[str]] = field(init=False)

    def __post_init__(self) -> None:
        self._owners, self._files, self._spelled = defaultdict(set), defaultdict(set), defaultdict(set)
        for element in self.elements:
            if not element.name:
                self._files[_stem(element.path)].add(element.path)
                self._spelled[_stem(element.path).replace("-", "_").casefold()].add(element.path)
            elif element.kind in _DEFINED:
                self._owners[_plain(element.name).rpartition(".")[2]].add(element.path)
                self._owners[_plain(element.name)].add(element.path)

    def resolve(self, name: str) -> str | None:
        """The path that a name means; None where there is none, or more than one."""
        plain = ".".join(part for part in _SPLIT.split(name) if part)
        owners = self._owners.get(plain) or self._owned_by_module(plain)
        paths = owners or self._modules(plain)
        if not paths and _CAMEL.fullmatch(plain):
            paths = self._spelled.get(_HUMP.sub("_", plain).casefold(), set())
        if len(paths) > 1 and owners:  # the class with a file of its name, rather than one inside of another
            paths = {path for path in paths if _stem(path) == plain} or paths
        elif len(paths) > 1:  # `useTodos.test.ts` is not what `useTodos` means, nor a part's README
            paths = {path for path in paths if path.rpartition("/")[2].count(".") <= 1} or paths
            paths = {path for path in paths if "/" not in path} or paths
        return next(iter(paths)) if len(paths) == 1 else None

    def _owned_by_module(self, name: str) -> set[str]:
        """The files that define the last part of a name, and are or define the part before it."""
        above, _, own = name.rpartition(".")
        before = above.rpartition(".")[2]
        return {
            path
            for path in self._owners.get(own, ())
            if before and (_is_in(path, before) or path in self._owners.get(before, ()))
        }

    def _modules(self, name: str) -> set[str]:
        """The files with a name: `useTodos` is their stem, `clew.project.links` has their folders as well."""
        parts = name.split(".")
        end = "/".join(parts)
        paths = {path for path in self._files.get(parts[-1], ()) if f"/{_above(path)}{_stem(path)}".endswith(f"/{end}")}
        if len(parts) > 1:
            paths |= {path for path in self._files.get("__init__", ()) if f"/{path}".endswith(f"/{end}/__init__.py")}
        return paths


def _is_in(path: str, name: str) -> bool:
    """Whether a file or one of its folders has a name, in any case: `Park::Gate` is in park/."""
    folders = path.casefold().split("/")[:-1]
    return name.casefold() in (*folders, _stem(path).casefold())


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _above(path: str) -> str:
    """The folder of a file with a slash behind it, empty for that of the project."""
    return path[: path.rfind("/") + 1]


def _plain(qualified: str) -> str:
    return qualified.partition("~")[0]
