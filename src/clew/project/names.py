"""Names of code in the words of a turn, and the one file of a project that each means.

People and agents write `TodoItem`, `handle_end()`, `clew.project.links` as often as a path. A name means a file only
where nothing else in the project has it: the file that defines the symbol, that is called so, or that is the module.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from clew.project.elements import ProjectElement
from clew.text.evidence import MOST, path_spans
from clew.text.late_pattern import late_pattern

NAMES: Final = 40
"""Names that are kept of a turn."""

_DEFINED: Final = frozenset({"class", "function", "method", "module"})
_WORD: Final = late_pattern(
    r"`(?P<ticked>[A-Za-z_$][\w$]{2,60}(?:(?:\.|::|#)[A-Za-z_]\w{0,60}){0,8})(?:\(\))?`"
    r"|(?<![\w.$/-])(?P<called>[A-Za-z_]\w{2,60}(?:(?:\.|::)[A-Za-z_]\w{1,60}){0,6})\(\)"
    r"|(?<![\w.$@/-])(?P<plain>[A-Za-z]\w{0,60}_\w{1,60}|[a-z]\w{0,30}[a-z][A-Z]\w{1,60}"
    r"|[A-Z][a-z0-9]{1,30}[A-Z]\w{1,60}|[a-z]\w{1,30}(?:\.[A-Za-z_]\w{1,40}){2,8})(?![\w$@/-])"
)
_SHAPED: Final = re.compile(r"[a-z0-9][A-Z]|\w_\w|^[A-Z][a-z]|[.:#]")
"""What a name has, beyond the letters of a word."""
_SPLIT: Final = re.compile(r"\.|::|#")


def names_in(text: str) -> Iterator[str]:
    """Names of code in a text: in backticks, called, or written as no word is; those of paths are left out."""
    head = text[:MOST]
    paths = path_spans(head)
    for match in _WORD.finditer(head):
        if not any(start < match.end() and match.start() < end for start, end in paths):
            name = match[match.lastgroup or 0]
            if _SHAPED.search(name) or match.lastgroup == "called":
                yield name


@dataclass(slots=True)
class NameResolver:
    """Finds the file that a name means: the only one that defines it, is called so, or is the module of that name."""

    elements: Iterable[ProjectElement]
    _owners: dict[str, set[str]] = field(init=False)
    _files: dict[str, set[str]] = field(init=False)

    def __post_init__(self) -> None:
        self._owners, self._files = defaultdict(set), defaultdict(set)
        for each in self.elements:
            if not each.name:
                self._files[_stem(each.path)].add(each.path)
            elif each.kind in _DEFINED:
                self._owners[_plain(each.name).rpartition(".")[2]].add(each.path)
                self._owners[_plain(each.name)].add(each.path)

    def resolve(self, name: str) -> str | None:
        """The path that a name means; None where there is none, or more than one."""
        plain = ".".join(part for part in _SPLIT.split(name) if part)
        owners = self._owners.get(plain) or self._owned_by_module(plain)
        found = owners or self._modules(plain)
        return next(iter(found)) if len(found) == 1 else None

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
        """The files that are called so: `useTodos` by its stem, `clew.project.links` by its folders as well."""
        parts = name.split(".")
        end = "/".join(parts)
        found = {path for path in self._files.get(parts[-1], ()) if f"/{path}".rpartition(".")[0].endswith(f"/{end}")}
        if len(parts) > 1:
            found |= {path for path in self._files.get("__init__", ()) if f"/{path}".endswith(f"/{end}/__init__.py")}
        return found


def _is_in(path: str, name: str) -> bool:
    """Whether a file is called so, or is in such a folder, in any case: `Park::Gate` is in park/."""
    folders = path.casefold().split("/")[:-1]
    return name.casefold() in (*folders, _stem(path).casefold())


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _plain(qualified: str) -> str:
    return qualified.partition("~")[0]
