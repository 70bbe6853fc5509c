"""OpenHands' events: a list, one in each file of `events/`, or the `history` of a run on a line of `output.jsonl`.

What follows is true of OpenHands before version 1; later events are those of its SDK (`openhands_sdk`).

An event is an action of the person or the agent, or an observation: the result of the action that `cause` names.
Events of the client itself (recalled context, changes of state) are skipped; the summary of a condensation is kept as
`injected`. Older events have neither ids nor sources, and the members of `args` and `extras` in the event itself.
"""

import re
from collections.abc import Iterator
from typing import Any

from clew.ingest.formats.blocks import call_part, linked_part, result_parts, to_parts
from clew.ingest.importers.file_shape import file_shape
from clew.ingest.importers.json_fields import dict_of, list_of, text_of, without_none
from clew.ingest.importers.message_turns import ImportedMessage, ToolNames, injected, message_turns
from clew.ingest.importers.openhands_sdk import said_by
from clew.ingest.importers.record import ImportRecord, Skipped, or_skipped
from clew.ingest.importers.source import JsonRecord, Source, json_document, json_lines, json_list
from clew.types import Part, Rejection

NAME = "openhands"
_EVENT_FILE = re.compile(r"(?:^|.*/)(?P<session>[^/]+)/events/(?:\d+|event-\d+-[0-9a-fA-F-]+)$")
_CLIENT_EVENTS = frozenset("recall null change_agent_state agent_state_changed think_logged noop".split())
_NOT_ARGUMENTS = frozenset(
    "thought content image_urls images_urls is_confirmed confirmation_state action_risk action keep_prompt hidden id "
    "timestamp source message tool_call_metadata llm_metrics kernel_init_code security_risk blocking is_static".split()
)


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads the events of one run, or of every run of an output file."""
    shape = file_shape(source)
    limit = source.limits.max_conversation_bytes
    if shape.kind == "list":
        items = json_list(source, None)
    elif shape.kind == "object":
        items = json_list(source, "history", limit) if shape.has("history") else iter([json_document(source)])
    else:
        items = json_lines(source)
    run = _Run(source, None, {})
    for item in items:
        if isinstance(item, Rejection):
            yield item
        elif isinstance(item.value.get("history"), list):
            yield from or_skipped(_output(source, item), "run without events", item.where)
        else:
            yield from run.event(item)


def _output(source: Source, item: JsonRecord) -> Iterator[ImportRecord]:
    """A run with its history: an instance of a benchmark, or an issue that was worked on."""
    value = item.value
    issue = dict_of(value, "issue")
    title = text_of(issue, "title")
    run = _Run(source, text_of(value, "instance_id") or f"{source.stem}:{item.place}", without_none(title=title))
    for place, event in enumerate(value["history"]):
        where = f"{item.where}.history[{place}]"
        if isinstance(event, dict):
            yield from run.event(JsonRecord(where, event, place))
        else:
            yield Rejection(where=where, reason=f"expected an event, found {type(event).__name__} {event!r:.40}")


def _conversation(source: Source) -> str | None:
    """The name of the folder that has the file in its `events/`, also where a folder inside of it is imported."""
    path = None if source.path is None else source.path.absolute().with_suffix("").as_posix()
    match = _EVENT_FILE.match(source.stem) or (_EVENT_FILE.match(path) if path else None)
    return match["session"] if match else None


class _Run:
    """Reads the events of one run."""

    def __init__(self, source: Source, session: str | None, metadata: dict[str, Any]) -> None:
        self._session = source.session_for(session or _conversation(source))
        self._metadata = metadata
        self._names = ToolNames()
        self._has_begun = False
        self._last_call: str | None = None

    def event(self, item: JsonRecord) -> Iterator[ImportRecord]:
        value = item.value
        action, observation = text_of(value, "action"), text_of(value, "observation")
        if action is None and observation is None and (kind := text_of(value, "kind")):
            yield from self._of_sdk(item, kind)
        elif action is None and observation is None:
            yield Rejection(where=item.where, reason="no event of OpenHands: it has neither action nor observation")
        elif (action or observation) in _CLIENT_EVENTS or observation == "think":
            yield Skipped(f"event:{action or observation}", item.where)
        elif action is not None:
            yield from self._action(item, action, {**value, **dict_of(value, "args")})
        else:
            yield from self._observation(item, str(observation), {**value, **dict_of(value, "extras")})

    def _of_sdk(self, item: JsonRecord, kind: str) -> Iterator[ImportRecord]:
        said = said_by(item.value, kind)
        if said is None:
            yield Skipped(f"event:{kind}", item.where)
            return
        is_web = (text_of(item.value, "tool_name") or "").startswith("browser")
        yield from self._turns(item, *said, is_web=is_web and said[0] == "tool")

    def _action(self, item: JsonRecord, action: str, arguments: dict[str, Any]) -> Iterator[ImportRecord]:
        thought, content = text_of(arguments, "thought"), text_of(arguments, "content")
        if action == "message":
            is_first, self._has_begun = not self._has_begun, True
            by_person = item.value.get("source") == "user" or ("source" not in item.value and is_first)
            images = [
                url
                for url in (*list_of(arguments, "image_urls"), *list_of(arguments, "images_urls"))
                if isinstance(url, str)
            ]
            parts = (*to_parts(content), *(linked_part(url) for url in images))
            yield from self._turns(item, "user" if by_person else "assistant", parts)
        elif action == "system":
            yield from self._turns(item, "system", injected(to_parts(content)))
        elif action == "condensation":
            yield from self._turns(item, "system", injected(to_parts(text_of(arguments, "summary"))))
        elif action == "think":
            yield from self._turns(item, "assistant", (Part(type="thinking", text=thought or content or ""),))
        elif action in ("finish", "reject"):
            said = text_of(arguments, "final_thought") or thought or text_of(item.value, "message")
            yield from self._turns(item, "assistant", to_parts(said))
        else:
            yield from self._call(item, action, arguments, thought)

    def _call(self, item: JsonRecord, action: str, held: dict[str, Any], thought: str | None) -> Iterator[ImportRecord]:
        named = dict_of(item.value, "tool_call_metadata")
        arguments = {
            name: value
            for name, value in (dict_of(item.value, "args") or held).items()
            if name not in _NOT_ARGUMENTS and value not in (None, "", [], False)
        }
        self._last_call = text_of(named, "tool_call_id") or text_of(item.value, "id") or f"call:{item.place}"
        call = call_part(text_of(named, "function_name") or action, arguments, self._last_call)
        model = text_of(dict_of(named, "model_response"), "model")
        yield from self._turns(item, "assistant", (*to_parts(thought), call), without_none(model=model))

    def _observation(self, item: JsonRecord, observation: str, extras: dict[str, Any]) -> Iterator[ImportRecord]:
        named = dict_of(item.value, "tool_call_metadata")
        call_id = text_of(named, "tool_call_id") or text_of(item.value, "cause") or self._last_call
        parts = result_parts(
            text_of(item.value, "content") or "",
            call_id,
            name=text_of(named, "function_name"),
            is_error=True if observation == "error" else None,
        )
        folder = text_of(dict_of(extras, "metadata"), "working_dir")
        yield from self._turns(item, "tool", parts, without_none(cwd=folder), is_web=observation == "browse")

    def _turns(
        self,
        item: JsonRecord,
        role: str,
        parts: tuple[Part, ...],
        metadata: dict[str, Any] | None = None,
        *,
        is_web: bool = False,
    ) -> Iterator[ImportRecord]:
        own = text_of(item.value, "id")
        message = ImportedMessage(
            source=NAME,
            session=self._session,
            role=role,
            parts=self._names.name(parts),
            at=item.value.get("timestamp"),
            external_id=f"event:{own}" if own else f"place:{item.place}",
            origin="web" if is_web else None,
            metadata={**self._metadata, **(metadata or {})},
            skip_blank=True,
        )
        if parts:
            yield from message_turns(message, item.where)
        else:
            yield Skipped("event without text", item.where)
