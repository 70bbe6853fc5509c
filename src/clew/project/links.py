"""Which files, symbols and commits a turn is about, and which elements of a project they are.

What a turn says of files depends on the turn alone (`links_of`) and is stored with it. Which element of a project a
path means (`PathResolver`) depends on the project as it is now, and is never stored.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final

from clew.condense.material import prose_of
from clew.condense.statements import is_announcement, statements
from clew.project.checks import check_commands, confirms, is_commit, thanks_first, undid, verdict_of
from clew.project.names import MOST_NAMES, names_in
from clew.project.shell_writes import written_by
from clew.project.traces import plain_places
from clew.text.evidence import MOST, path_spans
from clew.text.late_pattern import late_pattern
from clew.text.shell import command_of
from clew.types.record import Record
from clew.types.turn import Part, Turn

LINKS_VERSION: Final = 13
"""Raise it with any change of what `links_of` finds: rows of other versions are made again."""

PATHS: Final = 40
"""Paths of one kind that are kept of a turn: a listing of a thousand files is about none of them."""

_PATH_KEYS: Final = (
    "file_path",
    "path",
    "notebook_path",
    "filename",
    "file",
    "absolute_path",
    "abs_path",
    "target_file",
    "relative_workspace_path",
    "filepath",
)
_COMMAND_KEYS: Final = ("command", "cmd", "script", "shell_command")
_EDITORS: Final = late_pattern(
    r"(?i)(?:^|_)(?:edit|multiedit|write|create|replace|insert|append|delete|remove|patch|apply|rename|move)(?:$|_|file)"
    r"|edit$|write$|replace$"
)
_EDITED_BY: Final = frozenset(
    ("new_string", "new_str", "old_str", "old_string", "content", "new_content", "edits", "patch", "diff", "code_edit")
)
_VIEWED_BY: Final = frozenset({"view", "read", "undo_edit"})
"""Values of `command` with which an editor changes nothing (OpenHands)."""
_ALL_IN_ONE: Final = late_pattern(r"(?i)editor$|edit_?(?:based_)?tool$")
"""Tools that look at files and change them: the argument `command` says which, or that there is something to write."""
_PATCHED: Final = late_pattern(
    r"^(?:\*\*\* (?:Update|Add|Delete) File: |\*\*\* Move to: |\+\+\+ (?:b/)?|--- a/)([^\n\t]{1,300}?)\s*$",
    re.MULTILINE,
)
_CODED: Final = late_pattern(
    r"\b(?:edit_file\w*|insert_content_at_line|append_file|create_file)\(\s*(?:\w+\s*=\s*)?['\"]([^'\"\n]{1,300})['\"]"
    r"|\bopen\(\s*['\"]([^'\"\n]{1,300})['\"]\s*,\s*(?:mode\s*=\s*)?['\"][wax]"
)
"""Files that code of an interpreter changes: by the helpers of agents, or opened to be written."""
_LINE_BEHIND: Final = late_pattern(r"(?<=[\w)]):\d[\d:-]*$")
_FILE: Final = late_pattern(r"\.[A-Za-z0-9]{1,8}$")
_TEST: Final = late_pattern(
    r"(?:test_(?P<python>\w+)|(?P<go>\w+?)_(?:test|spec)|(?P<js>[\w.-]+?)\.(?:test|spec)|(?P<java>[A-Z]\w*?)Tests?)\.\w{1,4}"
)
"""Names of tests that are those of other files with something at an end."""
_DRIVE: Final = late_pattern(r"^[A-Za-z]:/")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLinks(Record):
    """What a turn says of files. Paths are as they were written, with slashes and without a line number.

    Attributes:
        edited: paths that a tool was called to change.
        read: paths that a tool was called to look at.
        ran: paths in commands.
        said: paths in the words of the turn.
        shown: paths in results of tools.
        names: names of code in the words, see `clew.project.names`.
        decides: its words decide something about a file.
        edits: ids of calls that change files, each with a path.
        undone: ids of calls whose result says that nothing was changed.
        thanks: its words accept something, and then ask for something else.
        checks: commands that check something (tests, builds, linters), each with the id of its call.
        verdicts: ids of calls whose result shows that they passed or failed.
        calls: it calls tools.
        commits: it commits to version control.
        confirms: its words say that something is done or works, and nothing else.
        wordless: it has no words of its own, only calls, results or notes of a client.
    """

    edited: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    ran: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    checks: tuple[tuple[str, str], ...] = ()
    verdicts: tuple[tuple[str, bool], ...] = ()
    calls: bool = False
    commits: bool = False
    confirms: bool = False
    wordless: bool = False
    decides: bool = False
    edits: tuple[tuple[str, str], ...] = ()
    undone: tuple[str, ...] = ()
    thanks: bool = False

    @property
    def works(self) -> bool:
        """Whether it changes files, or checks something."""
        return bool(self.edited or self.checks)

    @property
    def paths(self) -> Iterator[tuple[str, str]]:
        """How and which: each path with the first of the attributes that has it."""
        seen: set[str] = set()
        for how in HOW:
            for path in getattr(self, how):
                if path not in seen:
                    seen.add(path)
                    yield how, path

    def __bool__(self) -> bool:
        """Whether the turn says anything of files."""
        return self is not _NO_LINKS and self != _NO_LINKS


_NO_LINKS: Final = TurnLinks()

HOW: Final = ("edited", "read", "ran", "said", "shown")
"""How a turn may concern a file, the closest first."""


def links_of(turn: Turn) -> TurnLinks:
    """What a turn says of files; empty for text that Clew injected. Accepts any turn."""
    links: dict[str, dict[str, None]] = {how: {} for how in HOW}
    checks: list[tuple[str, str]] = []
    verdicts: list[tuple[str, bool]] = []
    edits: list[tuple[str, str]] = []
    undone: list[str] = []
    for part in turn.parts:
        if part.type == "tool_call":
            changed = _read_call(part, links, checks)
            edits += [(part.call_id, path) for path in changed if part.call_id]
        elif part.type == "tool_result":
            links["shown"].update(dict.fromkeys(_paths_in(part.text)))
            if part.call_id and undid(part):
                undone.append(part.call_id)
            verdict = verdict_of(part)
            if verdict is not None:
                verdicts.append((part.call_id or "", verdict))
        elif part.type == "text":
            links["said"].update(dict.fromkeys(_paths_in(part.text)))
    if turn.origin == "injected":
        return _NO_LINKS
    prose = prose_of(turn) if turn.role == "user" else turn.text
    said = [part.text for part in turn.parts if part.type == "text"]
    names = dict.fromkeys(name for text in said for name in names_in(text))
    is_users = turn.role == turn.origin == "user"
    tells_none = not (names or any(links.values())) and len(said) == len(turn.parts) and prose.strip()
    if tells_none and not (is_users and (confirms(prose) or thanks_first(prose))):
        return _NO_LINKS  # as most turns between people
    commands = [command for part in turn.parts if part.type == "tool_call" for command in commands_of(part)]
    return TurnLinks(
        **{how: tuple(list(paths)[:PATHS]) for how, paths in links.items()},
        names=tuple(list(names)[:MOST_NAMES]),
        checks=tuple(checks[:PATHS]),
        verdicts=tuple(verdicts[:PATHS]),
        calls=any(part.type == "tool_call" for part in turn.parts),
        commits=any(map(is_commit, commands)),
        confirms=is_users and confirms(prose),
        wordless=not prose.strip(),
        edits=tuple(edits[:PATHS]),
        undone=tuple(undone[:PATHS]),
        thanks=is_users and thanks_first(prose),
        decides=bool(links["said"]) and any(True for _ in file_decisions(turn)),
    )


def file_decisions(turn: Turn) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The sentences of a turn that decide something and name files, with their paths."""
    prose = prose_of(turn)
    for start, end, kind in statements(prose):
        sentence = " ".join(prose[start:end].split())
        spans = path_spans(sentence) if kind == "decision" else ()
        paths = tuple(sentence[low:high] for low, high in spans if is_file(sentence[low:high]))
        if paths and not is_announcement(sentence):
            yield sentence, paths


def is_file(path: str) -> bool:
    """Whether a written path is that of a file: it has an ending."""
    return _FILE.search(path) is not None


def normal_path(path: str) -> str:
    """A path as links hold it: slashes, no line number, no quotes, no `./` at the start."""
    plain = _LINE_BEHIND.sub("", path.strip().strip("\"'`")).replace("\\", "/")
    while plain.startswith("./"):
        plain = plain[2:]
    return plain.rstrip("/") if len(plain) > 1 else plain


def _paths_in(text: str) -> Iterator[str]:
    plain = plain_places(text[:MOST])
    return (path for start, end in path_spans(plain) if (path := normal_path(plain[start:end])))


def _read_call(part: Part, links: dict[str, dict[str, None]], checks: list[tuple[str, str]]) -> Sequence[str]:
    """Takes in what a tool was called with: the paths by name, those of a patch, and the command.

    Returns:
        The paths that it changes.
    """
    given = _arguments(part)
    changes = _changes(part.name or "", given)
    named = (given.get(key) for key in _PATH_KEYS)
    paths = [normal_path(path) for path in named if isinstance(path, str) and path.strip()]
    links["edited" if changes else "read"].update(dict.fromkeys(path for path in paths if path))
    texts = [text for text in given.values() if isinstance(text, str)] if given else [part.text]
    patched = (
        match[1] for text in texts if "*** " in text or "+++ " in text for match in _PATCHED.finditer(text[:MOST])
    )
    coded = (match[1] or match[2] for match in _CODED.finditer(str(given.get("code", ""))[:MOST]))
    changed = [path for each in (*patched, *coded) if (path := normal_path(each)) != "/dev/null"]
    if not paths:
        for command in commands_of(part):
            changed += map(normal_path, written_by(command))
            links["ran"].update(dict.fromkeys(_paths_in(command)))
            checks += [(part.call_id or "", checked) for checked in check_commands(command)]
    links["edited"].update(dict.fromkeys(changed))
    return [*changed, *(path for path in paths if path and changes)]


def _changes(tool: str, given: Mapping[str, Any]) -> bool:
    """Whether a call of a tool changes the files that it names."""
    if not _EDITED_BY.isdisjoint(given):
        return given.get("command") not in _VIEWED_BY
    if "command" not in given and _ALL_IN_ONE.search(tool):
        return False
    return _EDITORS.search(tool) is not None and given.get("command") not in _VIEWED_BY


def commands_of(part: Part) -> list[str]:
    """The command lines that a tool was called with."""
    given = _arguments(part)
    return [text for key in _COMMAND_KEYS if (text := _text_of(given.get(key))) is not None]


def _arguments(part: Part) -> Mapping[str, Any]:
    try:
        given: Any = json.loads(part.text)
    except (ValueError, RecursionError):  # plain text, or cut off
        return {}
    return given if isinstance(given, dict) else {}


def _text_of(value: Any) -> str | None:
    """A command as text: Codex gives it as a list of words."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return command_of(value)
    return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class PathMatch:
    """A path of a project that a written path means.

    Attributes:
        how: `exact`; `suffix` for the one path of which it is the end, or which is its end; `name` for a name of code;
            `test` for the one file that a test is named after.
    """

    path: str
    how: str


@dataclass(slots=True)
class PathResolver:
    """Finds the path of a project that a written one means: the same path, else the only one with that end.

    Attributes:
        root: the project's folder; a path below it is read from there.
    """

    paths: Iterable[str]
    root: str = ""
    _all: frozenset[str] = field(init=False)
    _by_name: dict[str, list[str]] = field(init=False)
    _cache: dict[str, PathMatch | None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._all = frozenset(self.paths)
        self._by_name = defaultdict(list)
        for path in sorted(self._all):
            self._by_name[path.rpartition("/")[2]].append(path)
        self.root = self.root.replace("\\", "/").rstrip("/")

    def resolve(self, written: str) -> PathMatch | None:
        """The path that a written one means; None where there is none, or more than one."""
        if written not in self._cache:
            self._cache[written] = self._found(written)
        return self._cache[written]

    def tested(self, path: str) -> PathMatch | None:
        """The file that a test of the project is named after; None where there is none, or more than one."""
        name = path.rpartition("/")[2]
        named = _TEST.fullmatch(name)
        if named is None:
            return None
        found = self._by_name.get(f"{named[named.lastgroup or 0]}.{name.rpartition('.')[2]}", ())
        return PathMatch(found[0], "test") if len(found) == 1 else None

    def _found(self, written: str) -> PathMatch | None:
        path = normal_path(written)
        is_absolute = path.startswith(("/", "~")) or _DRIVE.match(path) is not None
        if self.root and path.startswith(self.root + "/"):
            path, is_absolute = path[len(self.root) + 1 :], False
            return PathMatch(path, "exact") if path in self._all else None
        if path in self._all:
            return PathMatch(path, "exact")
        while path.startswith("../"):
            path = path[3:]
        candidates = self._by_name.get(path.rpartition("/")[2], [])
        if is_absolute:
            ends = [candidate for candidate in candidates if path.endswith(f"/{candidate}")]
            ends = [end for end in ends if "/" in end or self._is_of_root(path, end)]
            return PathMatch(max(ends, key=len), "suffix") if ends else None
        ends = [candidate for candidate in candidates if candidate.endswith(f"/{path}")]
        if not ends:  # written from a folder above the project's
            ends = [candidate for candidate in candidates if "/" in candidate and path.endswith(f"/{candidate}")]
            ends = [max(ends, key=len)] if ends else []
        return PathMatch(ends[0], "suffix") if len(ends) == 1 else None

    def _is_of_root(self, path: str, name: str) -> bool:
        """Whether an absolute path leads to a file directly in a folder that is named as the project's."""
        folder = PurePosixPath(path).parent.name
        return bool(self.root) and PurePosixPath(self.root).name == folder and path == f"{path[: -len(name)]}{name}"


def touches(links: TurnLinks, wanted: str, *, how: Sequence[str] = HOW) -> str | None:
    """How a turn concerns a file, by its path or the end of one, without a project; None where it does not."""
    end = normal_path(wanted).lstrip("/")
    for kind, path in links.paths:
        if kind in how and (path in (wanted, end) or path.endswith(f"/{end}") or _is_end(path, wanted)):
            return kind
    return None


def _is_end(path: str, wanted: str) -> bool:
    """Whether a relative path with a folder is the end of the wanted one."""
    return "/" in path and not path.startswith(("/", "~")) and normal_path(wanted).endswith(f"/{path}")
