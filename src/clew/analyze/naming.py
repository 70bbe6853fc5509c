"""The part of a turn from which labels, titles and entities are made: prose, paths, identifiers and commands.

Work with tools is mostly data: the keys and code in a call's arguments, listings and logs in its result. What a beat is
about stands in the sentences around it, in the commands and in the names of the files. So data is replaced by line
breaks, one for each character, and positions in the text stay valid. A conversation without tools keeps its whole text
except fenced code and the tags that a client wrote.
"""

import re
from typing import Final

from clew.text.late_pattern import late_pattern
from clew.text.spoken import NOISE_MARK, OPENS_NOISE
from clew.types.turn import Part, Turn

_FENCE = late_pattern(r"^[^\S\n]{0,3}(```++|~~~++)[^\n]*\n.*?(?:^[^\S\n]{0,3}\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_CLIENT = late_pattern(r"<(command-(?:message|name)|uploaded_files|system-reminder)>.{0,20000}?</\1>", re.DOTALL)
_TAG = late_pattern(r"</?[a-zA-Z][\w-]{0,40}>")
_STRING = late_pattern(r'"((?:[^"\\]|\\.)*)("(?:\s*:)?|\Z)', re.DOTALL)
_BREAK = late_pattern(r"\\[nrt]")
_COMMANDS: Final = frozenset(("command", "cmd", "script"))
_DATA: Final = frozenset(("activeForm", "old_string", "new_string", "old_str", "new_str", "old_text", "new_text"))
"""Arguments that repeat another one, or hold a piece of a file."""
_FOLDERS = late_pattern(r"(?<![\w/.:~])[~.]{0,2}/?(?:[\w@.+-]+/)+(?=[\w@.+-]+/[\w@.+-]+)")
"""The folders of a path except the last one: `session/state.go` says which file it is."""
_WITH_SLASH = late_pattern(r"(?<!\S)[^\s/]*+/\S*")
"""What stands between blanks and may be a path: `_FOLDERS` tries each sign of a line of dashes in turn."""
_OPTION = late_pattern(r"(?<=\s)-{1,2}[\w-]+(?:=\S*)?|(?:\d?>>?&?\s*\S+|(?<!\|)\|(?!\|))[^&;\n]*")
"""Options of a command, redirections, and what its output is piped into."""
_PLAIN = late_pattern(
    r"(?:^|(?<=[;&|] ))(?:cat|cd|chmod|cp|echo|export|find|grep|head|ls|mkdir|mv|printf|pwd|rg|rm|sed|sleep|sudo|tail"
    r"|timeout|touch|wc)\b"
)
"""Commands that say nothing about the work."""
_WORD = late_pattern(r"[^\W\d_]{2,}")
_CODE = late_pattern(r"[{}\[\]()=;<>|$\\*&^+%]")
_TOKEN = late_pattern(r"[A-Za-z][\w.-]*")
_FILE = late_pattern(r"(?:[\w@.+~-]*/)+[\w@.+-]+/?|[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,9}")
_CAPITAL = late_pattern(r"(?<=[a-z])[A-Z]|^[A-Z]")
_PATCHED = late_pattern(r"\*\*\* (?:Add|Update|Delete) File: ([\w@.+/-]+)")

_CODE_LINE = late_pattern(
    r"[{};]\s*$|:=|\w\(|\)\s*[,:]?$|^\s*(?:</?\w|//|/\*|import\s|from\s+\S+\s+import)|\s[=!<>]?=\s"
)

_CODE_LINES: Final = 0.15
"""Most lines of code in an argument that is prose, as a share of its lines."""
_PROSE_WORDS: Final = 2
"""Fewest words of an argument that is prose, such as the description of a command."""
_CODE_SHARE: Final = 0.04
"""Most signs of code in prose, as a share of its characters."""


def naming_text(turn: Turn) -> str:
    """The turn's text with everything replaced by line breaks that is not to name anything; of the same length.

    Results of tools, system messages, what a client put in and a transcriber's marks (`{vocalsound}`) name nothing.
    """
    named = _without_data(turn)
    return NOISE_MARK.sub(_blanked, named) if any(map(named.__contains__, OPENS_NOISE)) else named


def without_markup(text: str) -> str:
    """A text without fenced code, tags and what a client wrote between its own tags."""
    for pattern in (_CLIENT, _FENCE, _TAG):
        text = pattern.sub(_blanked, text)
    return text


def _without_data(turn: Turn) -> str:
    if turn.role == "system":
        return _blank(turn.text)
    if all(part.type in ("text", "thinking", "image") for part in turn.parts):
        return _prose(turn.text) if "<" in turn.text or "```" in turn.text or "~~~" in turn.text else turn.text
    named = "\n".join(filter(None, map(_named, turn.parts)))
    return named if len(named) == len(turn.text) else turn.text


def _named(part: Part) -> str:
    if part.type == "tool_call":
        name = part.name or "tool"
        return f"{_blank(name)}\n{_arguments(part.text)}\n"
    if part.type in ("tool_result", "injected"):
        return _blank(part.text)
    return _prose(part.text)


def _prose(text: str) -> str:
    """A text without fenced code and tags; a text of nothing else is kept."""
    kept = without_markup(text)
    return kept if kept.strip() else text


def _arguments(text: str) -> str:
    """The values in the arguments of a call that are prose, a path, an identifier or a command."""
    if not text.lstrip().startswith(("{", "[")):
        return _command(text)
    pieces, end, key = [], 0, ""
    for match in _STRING.finditer(text):
        pieces.append(_blank(text[end : match.start()]))
        end = match.end()
        if match[2].endswith(":"):
            key = match[1]
            pieces.append(_blank(match[0]))
        else:
            pieces.append(f"\n{_value(key, match[1])}{_blank(match[2])}")
    return "".join((*pieces, _blank(text[end:])))


def _value(key: str, raw: str) -> str:
    """One value, as it is written in JSON."""
    if key in _DATA:
        return _blank(raw)
    text = _BREAK.sub("\n\n", raw)
    return _command(text) if key in _COMMANDS else _document(text)


def _document(text: str) -> str:
    """The prose of a text of several lines; the files that it changes, if it is code."""
    text = _FENCE.sub(_blanked, text)
    lines = [line for line in text.split("\n") if line.strip()]
    is_code = len(lines) > 1 and sum(_CODE_LINE.search(line) is not None for line in lines) > _CODE_LINES * len(lines)
    return _patched(text) if is_code else "".join(_line(line) for line in text.splitlines(keepends=True))


def _line(line: str) -> str:
    text = line.strip()
    if _FILE.fullmatch(text):
        return _path(line)
    if _TOKEN.fullmatch(text):
        return line if _CAPITAL.search(text) and len(text) > 1 else _blank(line)
    return _path(line) if _is_prose(text) else _blank(line)


def _patched(text: str) -> str:
    """The files that a patch changes; nothing of any other code."""
    kept, end = "", 0
    for match in _PATCHED.finditer(text):
        kept += _blank(text[end : match.start(1)]) + _path(match[1])
        end = match.end()
    return kept + _blank(text[end:])


def _is_prose(text: str) -> bool:
    """Whether a line is made of words rather than of code or data."""
    if not text or not (text[0].isalnum() or text[0] in "-*#>`\"'("):
        return False
    words, signs = len(_WORD.findall(text)), len(_CODE.findall(text))
    digits = sum(map(str.isdigit, text))
    return words >= _PROSE_WORDS and signs <= 1 + _CODE_SHARE * len(text) and digits * 5 < len(text)


def _command(text: str) -> str:
    """A command without options, redirections, the programs that every session calls, and documents within it."""
    first, line_end, rest = text.partition("\n")
    if _TOKEN.fullmatch(first.strip()):
        return _line(first) + line_end + _document(rest)
    kept = _path(_PLAIN.sub(_blanked, _OPTION.sub(_blanked, first)))
    return kept + line_end + _document(rest)


def _path(text: str) -> str:
    return _WITH_SLASH.sub(lambda found: _FOLDERS.sub(_blanked, found[0]), text)


def _blank(text: str) -> str:
    return "\n" * len(text)


def _blanked(match: re.Match[str]) -> str:
    return _blank(match[0])
