"""Open WebUI's chat exports: a list of chats, or one chat, as the menus of the program write them.

A chat is a tree of messages (`history.messages`). The path to `currentId` is the main branch; regenerated answers,
edits and answers of several models are other branches. Old chats have a plain list, `messages`. Reasoning and tool
calls are items of `output`, or in older versions `<details>` elements within the text. Texts that were looked up for an
answer are `injected`.
"""

import html
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from clew.ingest.encoding import parse_inner
from clew.ingest.formats.blocks import call_part, linked_part, result_parts, to_parts
from clew.ingest.formats.responses import item_parts
from clew.ingest.importers.accounts import conversations
from clew.ingest.importers.json_fields import dict_of, list_of, objects_of, text_of, texts_of, without_none
from clew.ingest.importers.message_tree import BranchPosition, branch_positions
from clew.ingest.importers.message_turns import ImportedMessage, last_id, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped, no_object
from clew.ingest.importers.source import JsonRecord, Source, read_each
from clew.types import Part

NAME = "open-webui"
_DETAILS = re.compile(r"<details\s+type=\"(?P<type>reasoning|tool_calls|code_interpreter)\"")
_DETAILS_END = "</details>"
_ATTRIBUTE = re.compile(r"(?<!\w)(\w++)=\"([^\"]*)\"")
_SUMMARY, _SUMMARY_END = "<summary>", "</summary>"
_QUOTE = re.compile(r"^> ?", re.MULTILINE)
_CODE = re.compile(r"```\w*\n(.*?)\n?```", re.DOTALL)


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads an export, chat by chat."""
    yield from read_each(conversations(source), lambda item: _Chat(source, item).records())


class _Chat:
    """Reads the messages of one chat."""

    def __init__(self, source: Source, item: JsonRecord) -> None:
        value = item.value
        self._chat = dict_of(value, "chat") or value
        self._where = item.where
        own = text_of(value, "id") or text_of(self._chat, "id")
        self._session = source.session_for(own or f"{source.stem}:{item.place}")
        self._title = text_of(value, "title") or text_of(self._chat, "title")
        self._last: dict[str | None, str | None] = {}  # message -> the last turn on the way to it, its own included

    def records(self) -> Iterator[ImportRecord]:
        history = dict_of(self._chat, "history")
        tree = dict_of(history, "messages")
        has_tree = any(isinstance(raw, dict) for raw in tree.values())
        by_name = tree if has_tree else _by_name(list_of(self._chat, "messages"))
        messages: dict[str, dict[str, Any]] = {}
        for name, raw in by_name.items():
            if isinstance(raw, dict):
                messages[name] = raw
            else:
                yield no_object(raw, f"{self._where}.messages[{name}]")
        if not messages:
            yield Skipped("chat without messages", self._where)
            return
        parents = {name: text_of(raw, "parentId") for name, raw in messages.items()}
        if not any(parents.values()):  # an old chat: its messages follow one another
            parents = dict(zip(messages, [None, *messages], strict=False))
        if system := text_of(dict_of(self._chat, "params"), "system") or text_of(self._chat, "system"):
            yield from self._turns("system", "system", (Part(type="text", text=system),), {}, None)
        for position in branch_positions(parents, text_of(history, "currentId")):
            before = self._last[position.node] = self._last.get(parents[position.node])
            yield from self._message(position, before, messages[position.node])

    def _message(self, position: BranchPosition, before: str | None, raw: dict[str, Any]) -> Iterator[ImportRecord]:
        role = text_of(raw, "role") or "missing"
        parts = (*_looked_up(raw), *_files(raw), *(_said(raw) if role == "assistant" else to_parts(raw.get("content"))))
        error = dict_of(raw, "error") or raw.get("error")
        if problem := text_of(error, "content", "detail") if isinstance(error, dict) else error:
            parts = (*parts, Part(type="injected", text=problem)) if isinstance(problem, str) else parts
        if not parts:
            yield Skipped("empty message", f"{self._where}.messages[{position.node}]")
            return
        yield from self._turns(
            position.node, role, parts, raw, before if position.parent is not None else None, position
        )

    def _turns(
        self,
        node: str,
        role: str,
        parts: tuple[Part, ...],
        raw: dict[str, Any],
        parent: str | None,
        position: BranchPosition | None = None,
    ) -> Iterator[ImportRecord]:
        names = texts_of(raw, "files", "name")
        message = ImportedMessage(
            skip_blank=True,
            source=NAME,
            session=self._session,
            role=role,
            parts=parts,
            at=raw.get("timestamp"),
            external_id=node,
            parent=parent,
            branch=position.branch if position else "",
            metadata=without_none(title=self._title, model=text_of(raw, "model"), files=names or None),
        )
        self._last[node] = last_id(message) or self._last.get(node)
        yield from message_turns(message, f"{self._where}.messages[{node}]")


def _by_name(listed: list[Any]) -> dict[str, Any]:
    """The messages of an old chat by their ids; one without an id, or with one that is taken, by its place."""
    by_id: dict[str, Any] = {}
    for place, raw in enumerate(listed):
        name = (text_of(raw, "id") if isinstance(raw, dict) else None) or str(place)
        by_id[name if name not in by_id else f"{name}#{place}"] = raw
    return by_id


def _said(raw: dict[str, Any]) -> tuple[Part, ...]:
    """The parts of an answer, in order: its output items, else its text with the `<details>` in it."""
    items = [found for item in objects_of(raw, "output") if (found := item_parts(item))]
    if items:
        return tuple(part for _, parts in items for part in parts)
    content = raw.get("content")
    return tuple(_in_text(content)) if isinstance(content, str) else to_parts(content)


class _Details(NamedTuple):
    """A `<details>` element, where it stands in a text, and its body without the summary."""

    begin: int
    end: int
    kind: str
    attributes: dict[str, str]
    body: str


def _details_in(text: str) -> Iterator[_Details]:
    """The whole elements of a text in order; where one has no end, none that follows has one."""
    end = 0
    for opening in _DETAILS.finditer(text):
        if opening.start() < end:
            continue
        begin = text.find(">", opening.end()) + 1
        close = text.find(_DETAILS_END, begin) if begin else -1
        if close < 0:
            return
        end = close + len(_DETAILS_END)
        attributes = _ATTRIBUTE.findall(text, opening.end(), begin - 1)
        body = html.unescape(_without_summary(text[begin:close])).strip("\n")
        unescaped = {name: html.unescape(value) for name, value in attributes}
        yield _Details(opening.start(), end, opening["type"], unescaped, body)


def _without_summary(body: str) -> str:
    begin = body.find(_SUMMARY)
    end = body.find(_SUMMARY_END, begin)
    return body if begin < 0 or end < 0 else body[:begin].rstrip() + body[end + len(_SUMMARY_END) :].lstrip()


def _in_text(text: str) -> Iterator[Part]:
    end = 0
    for block in _details_in(text):
        yield from to_parts(text[end : block.begin].strip("\n"))
        end = block.end + text.startswith("\n", block.end)
        attributes, body = block.attributes, block.body
        if block.kind == "reasoning":
            yield Part(type="thinking", text=_QUOTE.sub("", body))
        elif block.kind == "tool_calls":
            yield from _call(attributes.get("name"), attributes.get("arguments", "{}"), attributes, body)
        else:
            code = _CODE.search(body)
            yield from _call("code_interpreter", code[1] if code else body, attributes, attributes.get("output", ""))
    yield from to_parts(text[end:].strip("\n") if end else text)


def _call(name: str | None, arguments: str, attributes: dict[str, str], body: str) -> Iterator[Part]:
    """A call, and its result if it is done; both are JSON that may be written as text."""
    yield call_part(name, _unpacked(arguments), attributes.get("id"))
    result = attributes.get("result") or body
    if result or attributes.get("done") == "true":
        yield from result_parts(_unpacked(result), attributes.get("id"), name=name)


def _unpacked(text: str) -> str:
    try:
        value = parse_inner(text)
    except ValueError:
        return text
    return value if isinstance(value, str) else text


def _looked_up(raw: dict[str, Any]) -> Iterator[Part]:
    """The texts that were looked up for an answer, with the name of their source."""
    for source in objects_of(raw, "sources" if list_of(raw, "sources") else "citations"):
        name = text_of(dict_of(source, "source"), "name", "url")
        for text in list_of(source, "document"):
            if isinstance(text, str) and text.strip():
                yield Part(type="injected", text=text, name=name)


def _files(raw: dict[str, Any]) -> Iterator[Part]:
    """The images of a message; other files are named in the metadata."""
    for file in objects_of(raw, "files"):
        if file.get("type") == "image":
            yield linked_part(file.get("url"))
