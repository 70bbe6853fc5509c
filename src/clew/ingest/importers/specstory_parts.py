"""The parts of an agent's message in SpecStory's histories: text, thoughts, and calls of tools with their results."""

import re
from collections.abc import Iterator, Sequence

from clew.ingest.formats.blocks import call_part
from clew.ingest.importers.json_fields import without_none
from clew.ingest.importers.specstory_sections import RULE, command_of, section, section_parts
from clew.ingest.importers.transcript import without_rule
from clew.types import Part

_OPENING = re.compile(r"<(?P<kind>tool-use|think)\b(?P<marks>[^>]*)>")
_NAMED = re.compile(r'data-tool-name="([^"]*)"')
_KIND = re.compile(r'data-tool-type="([^"]*)"')
_FRAME = re.compile(r"(?:</?details>|</?tool-use>|</?think>|\s)*")
_FENCE = "```"
_PLAIN = ("", "text")  # languages of a block that holds a result
_QUOTED = re.compile(r"`([^`]+)`$")
_SUMMARY_LINES = 3  # the first, one of which is the summary


def agent_parts(lines: Sequence[str], *, has_tags: bool) -> Iterator[Part]:
    """The parts of an agent's message: its text, its thoughts, its calls and their results.

    A user's message is text, whatever tags are written in it.

    Args:
        has_tags: whether the version of the file encloses each call in tags.
    """
    said: list[str] = []
    unclosed: set[tuple[str, bool]] = set()
    at = calls = 0
    begins, is_paired = True, True  # a section; whether code in it ends
    inside = 0  # the line behind a section that is no call: rules before it are its own
    while at < len(lines):
        if begins and not has_tags and lines[at].strip():
            inside, is_call, is_paired = section(lines, at, is_paired=is_paired)
            if is_call:
                yield from text_parts(said)
                said.clear()
                calls += 1
                yield from section_parts(lines[at:inside], str(calls))
                at = inside + (inside < len(lines))  # behind the rule
                continue
        opening = _OPENING.match(lines[at])
        is_bare = opening is not None and opening["kind"] == "think" and "<details>" not in lines[at]
        form = (opening["kind"], is_bare) if opening else ("", False)
        end = _end(lines, at, form[0], is_bare=is_bare) if opening and form not in unclosed else None
        if opening is None or end is None:
            unclosed.add(form)
            begins = at >= inside and (lines[at].rstrip() == RULE or (begins and not lines[at].strip()))
            said.append(lines[at])
            at += 1
            continue
        yield from text_parts(said)
        said.clear()
        block = [lines[at][opening.end() :], *lines[at + 1 : end]]
        if is_bare:  # the model's own tags, behind which its answer may begin at once
            block[-1], _, answer = block[-1].partition("</think>")
            said.append(answer.lstrip())
        if opening["kind"] == "think":
            yield from _thoughts(block)
        else:
            calls += 1
            yield from _call(block, opening["marks"], str(calls))
        at = end
    yield from text_parts(said)


def _end(lines: Sequence[str], start: int, kind: str, *, is_bare: bool) -> int | None:
    """The number of the line behind a block; None where it is not closed.

    SpecStory closes a block at the end of a line, so that a tag quoted in the block does not end it.
    """
    closing = f"</{kind}>"
    numbers = range(start, len(lines))
    return next(
        (n + 1 for n in numbers if (closing in lines[n] if is_bare else lines[n].rstrip().endswith(closing))), None
    )


def text_parts(lines: Sequence[str]) -> Iterator[Part]:
    """The lines as a text without the rule at its end; nothing for blank ones."""
    text = without_rule("\n".join(lines)).strip("\n")
    if text.strip():
        yield Part(type="text", text=text)


def _thoughts(block: Sequence[str]) -> Iterator[Part]:
    text = "\n".join(_inside(block)[1]).strip("\n")
    if text.strip():
        yield Part(type="thinking", text=text)


def _call(block: Sequence[str], tags: str, call_id: str) -> Iterator[Part]:
    """A call and its result. Cursor's files repeat calls without their content, which give nothing."""
    summary, body = _inside(block)
    kind = (_KIND.search(tags) or ("", ""))[1]
    name = (_NAMED.search(tags) or ("", ""))[1] or kind or "tool"
    result = _result_start(body, last=kind == "write")
    asked = body if result is None else body[:result]
    arguments = _arguments(kind, summary, "\n".join(asked).strip())
    if not arguments and result is None:
        return
    yield call_part(name, arguments, call_id)
    if result is not None:
        closing = max((n for n in range(result + 1, len(body)) if body[n].rstrip() == _FENCE), default=len(body))
        text = "\n".join([*body[result + 1 : closing], *filter(str.strip, body[closing + 1 :])])
        yield Part(type="tool_result", text=text, name=name, call_id=call_id)


def _inside(block: Sequence[str]) -> tuple[str, list[str]]:
    """What the summary of a block says beside the tool's name, and its other lines, both without their tags.

    Args:
        block: the lines behind the opening tag; the first is the rest of the line of that tag.
    """
    found = ((n, _summary(line)) for n, line in enumerate(block[:_SUMMARY_LINES]))
    at, summary, rest = next(((n, *texts) for n, texts in found if texts is not None), (-1, "", ""))
    before = [line for line in block[: max(at, 0)] if not _FRAME.fullmatch(line)]
    body = [*before, *filter(None, (rest,)), *block[at + 1 :]]
    start, end = 0, len(body)
    while end > start and _FRAME.fullmatch(body[end - 1]):
        end -= 1
    while start < end and _FRAME.fullmatch(body[start]):
        start += 1
    body = body[start:end]
    if body:
        body[0] = body[0].removeprefix("<details>")
        body[-1] = body[-1].removesuffix("</tool-use>").removesuffix("</think>").removesuffix("</details>")
    return summary, body


def _summary(line: str) -> tuple[str, str] | None:
    """What a line of summary says beside the tool's name, and what stands behind it; None for another line."""
    opening, _, rest = line.partition("<summary>")
    summary, closing, behind = rest.rpartition("</summary>")
    if not closing or not _FRAME.fullmatch(opening):
        return None
    summary = summary.removeprefix("Tool use:").strip()
    if summary.startswith("**"):
        summary = summary[2:].partition("**")[2]
    return "" if summary == "Thought Process" else summary.strip(" •"), behind


def _result_start(body: Sequence[str], *, last: bool) -> int | None:
    """The number of the line that opens the result: the first block of plain text, or of a tool that writes the last.

    What such a tool writes may be plain text itself. Code before the result is what was asked.
    """
    found: int | None = None
    language: str | None = None
    for n, line in enumerate(body):
        if language is not None:
            language = None if line.rstrip() == _FENCE else language
        elif line.startswith(_FENCE) and line.rstrip()[len(_FENCE) :] in _PLAIN:
            if not last:
                return n
            found, language = n, ""
        elif line.startswith(_FENCE):
            language = line
    return found


def _arguments(kind: str, summary: str, asked: str) -> object:
    """What a tool was asked: the command or the file by its name, as the clients themselves write it, else the text."""
    if kind == "shell":
        command, note = command_of(asked, summary)
        return without_none(command=command or None, description=note or None) or ""
    file = _QUOTED.fullmatch(asked) if kind == "read" else None
    if file and not summary:
        return {"file_path": file[1]}
    return "\n".join(filter(None, (summary, asked)))
