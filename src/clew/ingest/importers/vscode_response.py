"""The parts of a response in VS Code's chat: text, thoughts, calls of tools with their results, and edits.

`response` is what was shown, in order: pieces of Markdown between which files are named (`inlineReference`), thoughts,
tools (`toolInvocationSerialized`) and edits (`textEditGroup`). What the model asked of a tool, and what the tool gave,
is in `result.metadata`, in rounds of calls whose ids may be others: then a tool that was shown is the next call of its
name. Calls that were not shown stand where the model made them.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clew.ingest.formats.blocks import call_part, result_parts
from clew.ingest.importers.json_fields import dict_of, list_of, objects_of, text_of
from clew.types import Part

Json = Mapping[str, Any]

_TEXTS: Final = (None, "markdownContent", "markdownVuln", "treeData")
_FENCE: Final = "```"
_NOTES: Final = ("warning", "confirmation", "elicitation", "elicitationSerialized", "errorDetails")
"""What VS Code says itself."""
_SHOWN: Final = "toolInvocationSerialized"
_EDITS: Final = ("textEditGroup", "notebookEditGroup")
_WORD: Final = re.compile(r"[\w.-]+")
"""A piece of a file's name, which arguments may quote and escape."""


def response_parts(request: Json) -> Iterator[Part]:
    """The parts of the response to a request, in the order in which they were made."""
    yield from _Response(request).parts()


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as the model made it."""

    call_id: str | None
    name: str
    arguments: Any


class _Response:
    """Puts the calls of the model to the tools that were shown."""

    def __init__(self, request: Json) -> None:
        result = dict_of(request, "result")
        metadata = dict_of(result, "metadata")
        self._shown = _last_of_each(list_of(request, "response"))
        self._calls = [
            _Call(text_of(call, "id"), text_of(call, "name") or "tool", call.get("arguments", {}))
            for call_round in objects_of(metadata, "toolCallRounds")
            for call in objects_of(call_round, "toolCalls")
        ]
        self._places = _Places(self._calls)
        self._results = dict_of(metadata, "toolCallResults")
        self._words: frozenset[str] | None = None  # those of all arguments, once an edit asks for them
        self._next = 0  # the first call that was not given yet
        self._error = dict_of(result, "errorDetails")

    def parts(self) -> Iterator[Part]:
        said: list[str] = []
        last = max((n for n, item in enumerate(self._shown) if _is_tool(item)), default=None)
        if last is None:
            yield from self._until(len(self._calls))
        for n, item in enumerate(self._shown):
            piece = _piece(item)
            if piece is not None:
                said.append(piece)
                continue
            others = list(self._others(item, is_last=n == last))
            if others:
                yield from _text(said)
                said.clear()
                yield from others
        yield from _text(said)
        if problem := text_of(self._error, "message"):
            yield Part(type="injected", text=problem)

    def _others(self, item: Any, *, is_last: bool) -> Iterator[Part]:
        """The parts of what is not text; behind the last tool that was shown all calls are given."""
        kind = text_of(item, "kind") if isinstance(item, dict) else None
        if kind == _SHOWN:
            yield from self._tool(item)
            if is_last:
                yield from self._until(len(self._calls))
        elif kind == "thinking":
            yield from _thoughts(item.get("value"))
        elif kind in _EDITS:
            yield from self._edits(item)
        elif kind in _NOTES and (note := _note(item)):
            yield Part(type="injected", text=note)

    def _tool(self, item: Json) -> Iterator[Part]:
        place = self._place(item)
        if place is None:
            yield from _shown_alone(item)
            return
        yield from self._until(place)
        yield from self._called(self._calls[place], item)
        self._next = place + 1

    def _place(self, item: Json) -> int | None:
        """Which call a shown tool is: by its id, else the next of its name; None where it is none of them."""
        of_id = self._places.of_id(text_of(item, "toolCallId"), self._next)
        return self._places.of_tool(text_of(item, "toolId"), self._next) if of_id is None else of_id

    def _until(self, place: int) -> Iterator[Part]:
        """The calls before a place that were not given yet."""
        for call in self._calls[self._next : place]:
            yield from self._called(call, {})
        self._next = max(self._next, place)

    def _called(self, call: _Call, item: Json) -> Iterator[Part]:
        yield call_part(call.name, call.arguments, call.call_id)
        found = self._results.get(call.call_id or "")
        content = _content(found) if isinstance(found, dict) else None
        if content is None:
            content, is_error = _details(item)
        else:
            is_error = False
        if content is not None:
            yield from result_parts(content, call.call_id, name=call.name, is_error=is_error)

    def _edits(self, item: Json) -> Iterator[Part]:
        """An edit that no call holds, as in the mode that only edits."""
        path = _path(item.get("uri"))
        if self._words is None:
            self._words = frozenset(word for call in self._calls for word in _words(str(call.arguments)))
        name = _words(path.rpartition("/")[2])
        if name and name <= self._words:
            return
        text = "".join(_edited(item))
        if text.strip():
            yield call_part("edit_file", {"filePath": path, "content": text}, None)


class _Places:
    """The places of calls by their ids and by the names of their tools."""

    def __init__(self, calls: list[_Call]) -> None:
        self._of_ids: defaultdict[str, list[int]] = defaultdict(list)
        self._of_tools: defaultdict[str, list[int]] = defaultdict(list)
        for place, call in enumerate(calls):
            self._of_ids[call.call_id or ""].append(place)
            self._of_tools[_plain(call.name)].append(place)
        self._lengths = {len(name) for name in self._of_tools if name}

    def of_id(self, call_id: str | None, start: int) -> int | None:
        """The first call of this id that is not before `start`."""
        return _first(self._of_ids.get(call_id, ()), start) if call_id else None

    def of_tool(self, shown: str | None, start: int) -> int | None:
        """The first call, not before `start`, of a tool whose name ends the name under which it is shown."""
        name = _plain(shown or "")
        names = (name[len(name) - length :] for length in self._lengths if length <= len(name))
        places = (_first(self._of_tools.get(each, ()), start) for each in names)
        return min((place for place in places if place is not None), default=None)


def _first(places: Sequence[int], start: int) -> int | None:
    """The first of ascending places that is not before `start`."""
    n = bisect_left(places, start)
    return places[n] if n < len(places) else None


def _words(text: str) -> frozenset[str]:
    return frozenset(filter(None, (word.strip(".-") for word in _WORD.findall(text))))


def _last_of_each(items: list[Any]) -> list[Any]:
    """The parts, with each tool once: as it was at last, where it was first."""
    places: dict[str, int] = {}
    kept: list[Any] = []
    for item in items:
        own = text_of(item, "toolCallId", "id") if _is_tool(item) else None
        if own is not None and own in places:
            kept[places[own]] = item
            continue
        if own is not None:
            places[own] = len(kept)
        kept.append(item)
    return kept


def _is_tool(item: Any) -> bool:
    return isinstance(item, dict) and item.get("kind") == _SHOWN


def _piece(item: Any) -> str | None:
    """The text of a part of the answer: Markdown, or the name of a file or symbol in it; None for another part."""
    if isinstance(item, str):
        return item
    if not isinstance(item, dict):
        return None
    kind = item.get("kind")
    if kind in _TEXTS:
        text = item.get("value")
        text = text if isinstance(text, str) else _markdown(item.get("content"))
        return None if _is_bare_fence(text) else text
    if kind == "inlineReference":
        target = item.get("inlineReference")
        name = text_of(item, "name") or (text_of(target, "name") if isinstance(target, dict) else None)
        return f"`{name or _path(target).rpartition('/')[2] or 'a file'}`"
    return None


def _is_bare_fence(text: str) -> bool:
    """Whether a text is but the line that opens or closes code, as around an edit, whose code is not in the text."""
    line = text.strip()
    return line.startswith(_FENCE) and "\n" not in line and not line.strip("`").count("`")


def _text(said: list[str]) -> Iterator[Part]:
    text = "".join(said).strip("\n")
    if text.strip():
        yield Part(type="text", text=text)


def _thoughts(value: Any) -> Iterator[Part]:
    pieces = value if isinstance(value, list) else [value]
    text = "\n".join(piece for piece in pieces if isinstance(piece, str))
    if text.strip():
        yield Part(type="thinking", text=text)


def _note(item: Json) -> str:
    """What VS Code says or asks itself: a warning, or a question with its title."""
    told = (_markdown(item.get(name)) for name in ("title", "content", "message"))
    return "\n".join(filter(str.strip, told))


def _markdown(value: Any) -> str:
    """A Markdown text of VS Code: text, or an object with it."""
    if isinstance(value, str):
        return value
    return text_of(value, "value") or "" if isinstance(value, dict) else ""


def _shown_alone(item: Json) -> Iterator[Part]:
    """A tool of which only what was shown is known."""
    details, specific = item.get("resultDetails"), dict_of(item, "toolSpecificData")
    call_id, name = text_of(item, "toolCallId"), text_of(item, "toolId") or "tool"
    line = dict_of(specific, "commandLine")
    command = text_of(line, "toolEdited", "userEdited", "original") or text_of(specific, "command")
    asked = details.get("input") if isinstance(details, dict) else None
    told = _markdown(item.get("pastTenseMessage")) or _markdown(item.get("invocationMessage"))
    yield call_part(name, {"command": command} if command else asked or told, call_id)
    content, is_error = _details(item)
    if content is not None:
        yield from result_parts(content, call_id, name=name, is_error=is_error)


def _details(item: Json) -> tuple[Any, bool]:
    """What a shown tool gave: its output, the files that it found, or what the terminal wrote; None if not known."""
    details = item.get("resultDetails")
    if isinstance(details, dict):
        output = details.get("output")
        texts = [output] if isinstance(output, str) else list(_texts(output))
        return "\n".join(texts), details.get("isError") is True
    if isinstance(details, list) and details:
        return "\n".join(filter(None, map(_path, details))), False
    written = text_of(dict_of(dict_of(item, "toolSpecificData"), "terminalCommandOutput"), "text")
    return written, False


def _content(result: Json) -> str | None:
    """The text of a tool's result as the model got it: strings, and trees of prompt elements."""
    content = result.get("content")
    return None if content is None else "\n".join(_texts(content))


def _texts(content: Any) -> Iterator[str]:
    for each in content if isinstance(content, list) else [content]:
        value = each.get("value", each.get("text")) if isinstance(each, dict) else each
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield "".join(_tree(value.get("node"))).strip("\n")


def _tree(node: Any) -> Iterator[str]:
    """The texts of a tree of prompt elements, whose leaves say whether they begin a line."""
    if not isinstance(node, dict):
        return
    if isinstance(text := node.get("text"), str):
        yield f"\n{text}" if node.get("lineBreakBefore") else text
    for child in list_of(node, "children"):
        yield from _tree(child)


def _edited(item: Json) -> Iterator[str]:
    """The texts that were written into a file, in order; lines that stand apart begin anew."""
    ends_line = True
    for group in list_of(item, "edits"):
        for edit in group if isinstance(group, list) else [group]:
            text = edit.get("text") if isinstance(edit, dict) else None
            if not isinstance(text, str) or not text:
                continue
            yield text if ends_line or text.startswith("\n") else f"\n{text}"
            ends_line = text.endswith("\n")


def _path(uri: Any) -> str:
    """The path of a file, a place in one, or a symbol; empty if there is none."""
    if isinstance(uri, str):
        return uri
    if not isinstance(uri, dict):
        return ""
    inner = next((uri[name] for name in ("uri", "location") if isinstance(uri.get(name), dict | str)), None)
    return text_of(uri, "fsPath", "path") or (_path(inner) if inner is not None else "")


def _plain(name: str) -> str:
    """A tool's name as it can be compared: VS Code shows `copilot_createFile` for a call of `create_file`."""
    return "".join(filter(str.isalnum, name)).lower()
