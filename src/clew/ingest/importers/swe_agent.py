"""SWE-agent's trajectories, `<instance>.traj`: one JSON document for each run.

`history` holds the messages that the model saw: demonstrations are skipped, observations are results of the tool; older
files do not mark these, and what follows an action is one. Files
without it are read from `trajectory`, the list of steps with thought, action and observation. So are files of newer
versions, where it stands behind a long `trajectory`; only the messages before the first step, the task, are read from
it. Nothing has a time or an id; turns are named by their place in the run.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from clew.errors import TurnRejected
from clew.ingest.formats.blocks import call_part, result_parts, to_parts
from clew.ingest.importers.file_shape import file_shape
from clew.ingest.importers.json_fields import list_of, text_of, without_none
from clew.ingest.importers.message_fields import read_message
from clew.ingest.importers.message_turns import ImportedMessage, ToolNames, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import JsonRecord, Source, json_header, json_list
from clew.types import Part, Rejection

NAME = "swe-agent"


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads one run."""
    run = _Run(source)
    has_history = file_shape(source).has("history")
    longest = source.limits.max_conversation_bytes
    if not has_history:
        yield from run.task(json_list(source, "history", longest))
    for item in json_list(source, "history" if has_history else "trajectory", longest):
        if isinstance(item, Rejection):
            yield item
        elif has_history:
            yield from run.message(item)
        else:
            yield from run.step(item)


class _Run:
    """Reads the messages or steps of one run."""

    def __init__(self, source: Source) -> None:
        header = json_header(source)
        self._session = source.session_for(text_of(header, "instance_id"))
        self._names = ToolNames()
        self._has_acted = False
        self._acted_last = False  # whether the message before is an action
        self._metadata = without_none(environment=text_of(header, "environment"))

    def message(self, item: JsonRecord) -> Iterator[ImportRecord]:
        """One message of `history`."""
        value = item.value
        if value.get("is_demo") is True:
            yield Skipped("demonstration", item.where)
            return
        kind = value.get("message_type")
        is_observed = self._acted_last if kind is None else kind == "observation" and self._has_acted  # first: the task
        is_result = is_observed or value.get("role") == "tool"
        self._acted_last = value.get("role") == "assistant" and bool(text_of(value, "action"))
        self._has_acted = self._has_acted or value.get("role") == "assistant"
        calls = [call for call in list_of(value, "tool_call_ids") if isinstance(call, str)]
        if is_result:
            yield from self._turns(item, "tool", result_parts(value.get("content"), calls[0] if calls else None))
            return
        acted = () if list_of(value, "tool_calls") else self._action(value)
        yield from self._read(item, {name: member for name, member in value.items() if name != "thought"}, acted=acted)

    def _read(
        self, item: JsonRecord, value: dict[str, Any], part: str = "", acted: tuple[Part, ...] = ()
    ) -> Iterator[ImportRecord]:
        """A message as the model saw it, and what it did with it."""
        try:
            role, parts, _ = read_message(value)
        except TurnRejected as error:
            yield Rejection(where=item.where, reason=str(error))
        else:
            yield from self._turns(item, role, (*parts, *acted), part)

    def task(self, items: Iterable[JsonRecord | Rejection]) -> Iterator[ImportRecord]:
        """The messages of `history` before the first step."""
        for item in items:
            if isinstance(item, Rejection):
                return  # what broke off is reported where the steps are read
            if item.value.get("is_demo") is True:
                yield Skipped("demonstration", item.where)
            elif item.value.get("role") == "assistant":
                return
            else:
                yield from self._read(item, item.value, ":task")

    def step(self, item: JsonRecord) -> Iterator[ImportRecord]:
        """One step of `trajectory`: what the model said and did, and what came of it."""
        said = to_parts(text_of(item.value, "thought", "response"))
        yield from self._turns(item, "assistant", (*said, *self._action(item.value)))
        observation = text_of(item.value, "observation")
        if observation is not None:
            yield from self._turns(item, "tool", result_parts(observation, None), ":observation")

    def _action(self, value: dict[str, Any]) -> tuple[Part, ...]:
        action = text_of(value, "action")
        return (call_part("shell", action.strip(), None),) if action else ()

    def _turns(self, item: JsonRecord, role: str, parts: tuple[Part, ...], part: str = "") -> Iterator[ImportRecord]:
        message = ImportedMessage(
            source=NAME,
            session=self._session,
            role=role,
            parts=self._names.name(parts),
            external_id=f"{self._session}:{item.place}{part}",
            metadata=self._metadata,
            skip_blank=True,
        )
        yield from message_turns(message, item.where)
