"""Calls of tools in SpecStory's histories of 2025, where no tags of their own enclose them.

A call is a whole message of an agent, or a section of it between two rules (`---`): `Tool use: **name**` above what was
asked and what came of it, the `<details>` of a search (`Listed directory src • **4** results`), or `Read file: path`.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from typing import Final, NamedTuple

from clew.ingest.formats.blocks import call_part, result_parts
from clew.ingest.importers.fences import Fence, fenced
from clew.ingest.importers.json_fields import without_none
from clew.types import Part

RULE: Final = "---"
_TOOL: Final = re.compile(r"Tool use: \*\*(?P<name>[^*\n]{1,120})\*\*(?P<rest>[^\n]*)")
_READ: Final = re.compile(r"Read file: (?P<path>\S[^\n]{0,300})")
_FOUND: Final = re.compile(r"(?P<what>[^\n]{1,500}) • \*{0,2}\d+\*{0,2} (?:results?|match(?:es)?|files?)\b[^\n]{0,80}")
_SUMMARY: Final = re.compile(r"\s*(?:<details>)?\s*<summary>(?P<text>.*)</summary>\s*(?P<rest>.*)")
_NAMES: Final = {"Listed": "list_dir", "Searched web": "web_search", "Grep": "grep_search", "Read": "read_file"}
"""How the account of a search begins -> the tool."""
_SEARCH: Final = "codebase_search"
_SHELL: Final = re.compile(r"bash|shell|terminal|command|exec", re.IGNORECASE)
_FENCE: Final = "```"
_ERROR: Final = "Error:"
_RESULT: Final = ("Result:", "*Result*:", _ERROR)
_PARAMETERS: Final = "*Parameters*:"
_ENDS: Final = (_FENCE, "</details>")
"""Lines that end what a tool was asked or gave."""
_QUOTED: Final = re.compile(r"`([^`]+)`$")


class Section(NamedTuple):
    """A section of a message.

    Attributes:
        end: the number of the line behind it. No section begins before, whatever rules the section holds.
        is_paired: whether code and details may still be taken to end.
    """

    end: int
    is_call: bool
    is_paired: bool


def section(lines: Sequence[str], start: int, *, is_paired: bool) -> Section:
    """The section that begins at a line.

    Args:
        start: the first line of the section that is not blank.
        is_paired: whether code and details are known to end in this message.
    """
    first = lines[start].rstrip()
    is_tool, is_file = _TOOL.fullmatch(first) is not None, _READ.fullmatch(first) is not None
    if not (is_tool or is_file or first.startswith("<details>")):
        return Section(start, is_call=False, is_paired=is_paired)
    end, is_paired = _rule(lines, start, is_paired=is_paired)
    if is_tool:
        return Section(end, is_call=True, is_paired=is_paired)
    said = [line.strip() for line in lines[start:end] if line.strip()]
    is_whole = len(said) == 1 if is_file else said[-1] == _ENDS[-1] and _found(said) is not None
    return Section(end, is_call=is_whole, is_paired=is_paired)


def is_call(lines: Sequence[str]) -> bool:
    """Whether a message begins with a call."""
    first = next((line.rstrip() for line in lines if line.strip()), "")
    return _TOOL.fullmatch(first) is not None


def section_parts(lines: Sequence[str], call_id: str) -> Iterator[Part]:
    """The call that a section is, and its result."""
    first = lines[0].rstrip()
    if tool := _TOOL.fullmatch(first):
        name = tool["name"]
        asked, result = _asked(name, tool["rest"].strip(), lines[1:])
    elif file := _READ.fullmatch(first):
        name, asked, result = "read_file", {"file_path": file["path"]}, None
    else:
        summary, inside = _details(lines)
        name = next((tool for words, tool in _NAMES.items() if summary.startswith(words)), _SEARCH)
        asked, result = summary, inside
    yield call_part(name, asked, call_id)
    if result is not None:
        given = dropwhile(lambda line: not line.strip(), result)
        failed = tool is not None and next((line.strip() for line in lines if line.strip() in _RESULT), "") == _ERROR
        yield from result_parts("\n".join(given).rstrip(), call_id, name=name, is_error=failed)


def command_of(asked: str, summary: str) -> tuple[str, str]:
    """The command of a shell, which stands in marks of code, and what the agent says about it."""
    quoted = _QUOTED.match(summary)
    if quoted:
        return quoted[1], asked
    before, fence, code = asked.partition(f"{_FENCE}bash\n")
    if fence:
        return code.removesuffix(_FENCE).strip("\n"), before.strip()
    before, _, last = asked.rpartition("\n")
    if len(last) > 1 and last.startswith("`") and last.endswith("`"):
        return last[1:-1], before.strip()
    return asked, ""


def _rule(lines: Sequence[str], start: int, *, is_paired: bool) -> tuple[int, bool]:
    """The number of the rule behind a section, or of the end; and whether code and details ended before.

    What a tool gave may hold rules, and marks of code that make its own end look like a beginning.
    """
    fence: Fence | None = None
    depth, earliest, before = 0, None, ""
    for n in range(start, len(lines)):
        line = lines[n].rstrip()
        if line == RULE:
            if not is_paired or before in _ENDS or (fence is None and depth <= 0):
                return n, is_paired
            earliest = n if earliest is None else earliest
        is_outside, fence = fenced(line, fence)
        if is_outside and fence is None:
            depth += line.count("<details>") - line.count("</details>")
        before = line or before
    is_whole = before in _ENDS or (fence is None and depth <= 0) or earliest is None
    return (len(lines) if is_whole or earliest is None else earliest), is_paired and is_whole


def _asked(name: str, summary: str, body: Sequence[str]) -> tuple[object, Sequence[str] | None]:
    """What a tool was asked, and the lines of its result; None where there is none."""
    marked = next((n for n, line in enumerate(body) if line.strip() in _RESULT), None)
    if marked is not None:
        return _arguments(name, summary, _without_manual(body[:marked])), _unfenced(body[marked + 1 :])
    if any(line.startswith("<details>") for line in body):
        what, inside = _details(body)
        if _found(body) is not None:
            return "\n".join(filter(None, (summary, what))), inside
        return "\n".join(filter(None, (summary, what, "\n".join(inside).strip("\n")))), None
    fences = [n for n, line in enumerate(body) if line.startswith(_FENCE)]
    closing = next((n for n in fences[1:] if body[n].rstrip() == _FENCE), None)
    second = next((n for n in fences if closing is not None and n > closing), None)
    if second is not None:
        return _arguments(name, summary, body[:second]), _unfenced(body[second:])
    return _arguments(name, summary, body), None


def _arguments(name: str, summary: str, lines: Sequence[str]) -> object:
    """What was asked: a command or a file by its name, as the clients themselves write it, else the text."""
    asked = "\n".join(lines).strip()
    if asked.startswith((f"{_FENCE}bash\n", f"{_FENCE}shell\n")) or _SHELL.search(name):
        command, note = command_of(asked, summary)
        return without_none(command=command or None, description=(note or summary) or None) or ""
    file = _READ.fullmatch(asked) or (_QUOTED.fullmatch(summary) if name.lower().startswith("read") else None)
    if file is not None and not (asked and summary):
        return {"file_path": file[1]}
    return "\n".join(filter(None, (summary, asked)))


def _without_manual(lines: Sequence[str]) -> Sequence[str]:
    """What was asked of a server's tool, without the tool's own manual, which stands above each call's parameters."""
    inside = [line for line in lines if not _SUMMARY.fullmatch(line) and line.strip() != "<details>"]
    named = next((n for n, line in enumerate(inside) if line.strip() == _PARAMETERS), None)
    return inside if named is None else inside[named + 1 :]


def _found(lines: Sequence[str]) -> str | None:
    """What was searched, if the summary of the details says how much was found."""
    texts = (match["text"].strip() for line in lines if (match := _SUMMARY.fullmatch(line)))
    return next((text for text in texts if _FOUND.fullmatch(text)), None)


def _details(lines: Sequence[str]) -> tuple[str, list[str]]:
    """The summary of details, and what is inside."""
    summary = ""
    inside: list[str] = []
    for line in lines:
        match = _SUMMARY.fullmatch(line)
        if match and not summary:
            summary = match["text"].strip()
            inside += filter(None, (match["rest"],))
        elif line.strip() not in ("<details>", "</details>"):
            inside.append(line)
    return summary, inside


def _unfenced(lines: Sequence[str]) -> list[str]:
    """The lines of a result without the marks of code around it, and without the end of its details."""
    start = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    end = _without_end(lines)
    if start < end and lines[start].startswith(_FENCE):
        closing = max((n for n in range(start + 1, end) if lines[n].rstrip() == _FENCE), default=end)
        return [*lines[start + 1 : closing], *filter(str.strip, lines[closing + 1 : end])]
    return list(lines[:end])


def _without_end(lines: Sequence[str]) -> int:
    """How many lines are before the end of the details around a result, which may itself quote such lines."""
    last = next((n for n in reversed(range(len(lines))) if lines[n].strip()), 0)
    opened = sum(line.count("<details>") for line in lines)
    closed = sum(line.count("</details>") for line in lines)
    return last if lines and lines[last].strip() == _ENDS[-1] and closed > opened else len(lines)
