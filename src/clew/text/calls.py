"""Calls of tools and commands to a client as a person reads them: `Bash(make)` for `Bash({"command": "make"})`.

Borders: knows how `clew.types.turn.plain_text` writes a call and how Claude Code stores a command, and nothing of the
tools and commands. Start at `readable`.
"""

import json
import re
from collections.abc import Sequence
from typing import Final, TypeGuard

from clew.text.shell import command_of
from clew.text.text_cache import cached_by_text

_CALL: Final = re.compile(r"^([A-Za-z_][\w.:/-]*)\((?=\{\")", re.MULTILINE)
_BEGIN: Final = '({"'
_QUOTE: Final = re.compile(r'(?<!\\)((?:\\\\)*+)\\"')
"""A quotation mark as JSON writes it; a backslash before it may be one of the text."""
_Arguments = Sequence[tuple[str, object]]
_DECODER: Final = json.JSONDecoder(object_pairs_hook=tuple, parse_float=str, parse_int=str, parse_constant=str)
"""Keeps a name that is given twice, and numbers as they are written."""

_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_MOST_BROKEN: Final = 8
"""Beginnings without an end after which no more are looked for, as each costs a look at all that follows."""

_OBJECTS: Final = frozenset(
    ("command", "cmd", "file_path", "path", "notebook_path", "pattern", "query", "url", "skill")
)
"""Arguments that say by themselves what a call is about, so that their name need not stand before them."""

_COMMAND_LISTS: Final = frozenset(("command", "cmd"))
"""Arguments that may be a list of words, as Codex gives its commands."""

_COMMANDS: Final = ("<command-name>", "<command-message>", "<bash-input>")
_COMMAND: Final = re.compile(
    r"\A(?:<command-message>[^<]*</command-message>\s*)?<command-name>\s*/?([^\s<>]+)\s*</command-name>"
    r"(?:\s*<command-message>[^<]*</command-message>)?(?:\s*<command-args>(.*?)</command-args>)?",
    re.DOTALL,
)
"""A command that a person gave to Claude Code, with its arguments."""
_SHELL_LINE: Final = re.compile(r"\A<bash-input>\s*(.*?)\s*</bash-input>", re.DOTALL)
"""A command line that a person had Claude Code carry out."""


def begins_with_call(text: str) -> bool:
    """Whether a text opens with a call of a tool, as `plain_text` writes it."""
    return _CALL.match(text) is not None


def readable(text: str) -> str:
    """A text with its calls of tools and its commands as a person reads them; see `readable_calls`.

    A command that Claude Code stored as `<command-name>/plan</command-name>` and `<command-args>the api</command-args>`
    reads `/plan the api`, as it was typed; `<bash-input>make test</bash-input>` reads `! make test`.
    """
    return _readable(text) if _BEGIN in text or text.startswith(_COMMANDS) else text


def may_read_better(text: str) -> bool:
    """Whether `readable` may change a part of a text; fast for long texts, so ask it of many together."""
    return _BEGIN in text or any(sign in text for sign in _COMMANDS)


@cached_by_text(most=256, longest=4000)  # the next question often finds the same calls
def _readable(text: str) -> str:
    shown = readable_calls(text)
    if not shown.startswith(_COMMANDS):
        return shown
    return _SHELL_LINE.sub(lambda line: f"! {line[1]}", _COMMAND.sub(_typed, shown, count=1), count=1)


def _typed(command: re.Match[str]) -> str:
    return f"/{command[1]} {(command[2] or '').strip()}".rstrip()


def readable_calls(text: str) -> str:
    r"""A text whose calls of tools are written without the marks of JSON; whatever is not a whole call stays as it is.

    Only calls with plain arguments are rewritten: text, numbers, true, false and null, and a command that is a list of
    words. What the call is about comes first, without its name. A text of several lines keeps its escapes and so stays
    on one.

    | Stored | Shown |
    |---|---|
    | `Bash({"command": "make", "timeout": 60})` | `Bash(make, timeout: 60)` |
    | `shell({"command": ["bash", "-lc", "make"]})` | `shell(make)` |
    | `Edit({"old": "a\nb", "file_path": "x.py"})` | `Edit(x.py, old: a\nb)` |
    | `TodoWrite({"todos": [{"content": "one"}]})` | the same |
    """
    if _BEGIN not in text:
        return text
    shown, last, broken = [], 0, 0
    for call in _CALL.finditer(text):
        if call.start() < last:
            continue
        try:
            arguments, end = _DECODER.raw_decode(text, call.end())
        except (ValueError, RecursionError):  # no whole call: somebody wrote what looks like the beginning of one
            broken += 1
            if broken == _MOST_BROKEN:
                break
            continue
        if text[end : end + 1] != ")" or text[end + 1 : end + 2] not in {"", "\n"} or not _is_plain(arguments):
            continue
        words = _in_words(arguments)
        if len(words) < end - call.end() and not _SURROGATE.search(words):  # half a character cannot be written
            shown += [text[last : call.end()], words]
            last = end
    return "".join([*shown, text[last:]]) if shown else text


def _is_plain(arguments: _Arguments) -> bool:
    return not any(
        isinstance(value, tuple | list) and not (name in _COMMAND_LISTS and _is_of_words(value))
        for name, value in arguments
    )


def _is_of_words(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and bool(value) and all(isinstance(word, str) for word in value)


def _in_words(arguments: _Arguments) -> str:
    about = next((place for place, (name, _) in enumerate(arguments) if name in _OBJECTS), None)
    named = [f"{_value(name)}: {_value(value)}" for place, (name, value) in enumerate(arguments) if place != about]
    return ", ".join([*([] if about is None else [_value(arguments[about][1])]), *named])


def _value(value: object) -> str:
    if _is_of_words(value):
        value = command_of(value)
    if isinstance(value, str) and value.isprintable():
        return value
    written = json.dumps(value, ensure_ascii=False)
    return _QUOTE.sub(r'\1"', written[1:-1]) if isinstance(value, str) else written
