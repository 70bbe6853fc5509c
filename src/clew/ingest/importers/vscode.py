"""Chats in VS Code, with GitHub Copilot and others: session files, and what "Chat: Export Chat..." writes.

A session is one JSON object with `requests`: each has what the person asked and the parts of the response
(`vscode_response`). Exports and files of earlier versions hold it as a whole; newer session files (`.jsonl`) are a log
of changes to it (`vscode_log`). Follow-ups, references and the state of the input are left out.
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from clew.ingest.encoding import escape_surrogates
from clew.ingest.importers.file_shape import file_shape
from clew.ingest.importers.json_fields import dict_of, list_of, objects_of, text_of, texts_of, without_none
from clew.ingest.importers.message_turns import ImportedMessage, has_content, injected, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped, no_object
from clew.ingest.importers.source import JsonRecord, Source, json_header, json_list, read_each
from clew.ingest.importers.vscode_log import replayed
from clew.ingest.importers.vscode_response import response_parts
from clew.types import Part, Rejection

NAME = "vscode"
_FOLDER = "chatSessions"
_WORKSPACE = "workspace.json"  # beside the folder of the sessions: names the folder that was open
_LARGEST = 1 << 16  # bytes of that file
_RUNNING = 0
"""The state of a response that is still being written."""
_IMPLICIT = ("vscode.implicit", "vscode.prompt.instructions", "vscode.customizations")
"""How the names of what VS Code attaches by itself begin."""


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads one session."""
    shape = file_shape(source)
    if shape.kind == "lines" or (shape.has("kind", "v") and not shape.has("requests")):
        state, problems = replayed(source)
        yield from problems
        requests = list_of(state, "requests")
        session = _Session(source, state, next((raw for raw in requests if isinstance(raw, dict)), {}))
        for place, raw in enumerate(requests):
            where = source.where(f"requests[{place}]")
            if isinstance(raw, dict):
                yield from session.request(JsonRecord(where, raw, place))
            else:
                yield no_object(raw, where)
    else:
        first = next((item.value for item in _requests(source) if isinstance(item, JsonRecord)), {})
        yield from read_each(_requests(source), _Session(source, json_header(source), first).request)


def _requests(source: Source) -> Iterator[JsonRecord | Rejection]:
    return json_list(source, "requests", source.limits.max_conversation_bytes)


class _Session:
    """Reads the requests of one session."""

    def __init__(self, source: Source, header: dict[str, Any], first: dict[str, Any]) -> None:
        """Begins a session; an export does not name it, but the result of its first request does."""
        of_result = dict_of(dict_of(first, "result"), "metadata")
        self._session = source.session_for(text_of(header, "sessionId") or text_of(of_result, "sessionId"))
        self._begun = header.get("creationDate")
        self._metadata = without_none(
            title=text_of(header, "customTitle", "computedTitle"),
            client=text_of(header, "responderUsername"),
            cwd=_folder(source),
        )

    def request(self, item: JsonRecord) -> Iterator[ImportRecord]:
        """What was asked and what was answered."""
        asked, result = item.value, dict_of(item.value, "result")
        own = text_of(asked, "requestId") or f"{self._session}:{item.place}"
        at = asked.get("timestamp") or (self._begun if item.place == 0 else None)
        yield from self._turns(
            item, "user", _question(asked), at, own, self._metadata | without_none(files=_attached(asked))
        )
        state = dict_of(asked, "modelState")
        if state.get("value") == _RUNNING and not result:
            yield Skipped("response that is not finished", item.where)
            return
        answer = tuple(response_parts(asked))
        took = dict_of(result, "timings").get("totalElapsed")
        done = state.get("completedAt") or _later(asked.get("timestamp"), took)
        named = text_of(asked, "responseId") or f"{own}:response"
        yield from self._turns(
            item, "assistant", answer, done, named, self._metadata | without_none(model=_model(asked))
        )

    def _turns(
        self, item: JsonRecord, role: str, parts: tuple[Part, ...], at: Any, own: str, metadata: dict[str, Any]
    ) -> Iterator[ImportRecord]:
        if not has_content(parts):
            yield Skipped("request without words" if role == "user" else "response without words", item.where)
            return
        message = ImportedMessage(
            source=NAME,
            session=self._session,
            role=role,
            parts=parts,
            at=at,
            external_id=own,
            metadata=metadata,
            skip_blank=True,
        )
        yield from message_turns(message, item.where)


def _question(asked: dict[str, Any]) -> tuple[Part, ...]:
    """What the person wrote, and code that they pasted; a request that VS Code made itself is not theirs."""
    raw = asked.get("message")
    text = raw if isinstance(raw, str) else text_of(raw, "text") if isinstance(raw, dict) else None
    if text is None and isinstance(raw, dict):
        text = "".join(texts_of(raw, "parts", "text"))
    parts = (Part(type="text", text=text),) if text and text.strip() else ()
    pasted = tuple(
        Part(type="injected", text=code, name=text_of(each, "name"))
        for each in objects_of(dict_of(asked, "variableData"), "variables")
        if text_of(each, "kind") == "paste" and (code := text_of(each, "code", "value"))
    )
    return (*(injected(parts) if asked.get("isSystemInitiated") is True else parts), *pasted)


def _attached(asked: dict[str, Any]) -> list[str] | None:
    """The names of what the person attached; what VS Code adds by itself, such as the file at hand, is left out."""
    names = [
        name.removeprefix("file:")
        for each in objects_of(dict_of(asked, "variableData"), "variables")
        if (name := text_of(each, "name"))
        and text_of(each, "kind") != "paste"
        and not (text_of(each, "id") or "").startswith(_IMPLICIT)
    ]
    return names or None


def _model(asked: dict[str, Any]) -> str | None:
    """The model that answered, without its vendor; where VS Code chose it, the one that it chose."""
    chosen = [text_of(part, "resolvedModel") for part in objects_of(asked, "response")]
    named = next((model for model in reversed(chosen) if model), None) or text_of(asked, "modelId")
    return named.rpartition("/")[2] or None if named else None


def _later(at: Any, milliseconds: Any) -> Any:
    """When a response was whole; the time of the request where it is not known how long it took."""
    is_known = all(isinstance(n, int | float) and not isinstance(n, bool) for n in (at, milliseconds))
    try:
        return at + milliseconds if is_known else at
    except OverflowError:
        return at


def _folder(source: Source) -> str | None:
    """The folder that was open in VS Code, which a file beside the sessions names; None for a session elsewhere."""
    if source.path is None or source.path.absolute().parent.name != _FOLDER:
        return None
    try:
        with source.path.absolute().parent.with_name(_WORKSPACE).open("rb") as stream:
            known = json.loads(stream.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    address = text_of(known, "folder") if isinstance(known, dict) else None
    try:
        return escape_surrogates(unquote(urlsplit(address).path)) or None if address else None
    except ValueError:
        return None
