"""A LangGraph store, and a checkpointer that also remembers the messages that pass through it.

    store = ClewStore(memory)
    graph = builder.compile(store=store, checkpointer=RememberingSaver(InMemorySaver(), memory))

Needs `langgraph`. Items are documents (`documents`), one conversation of the memory for each namespace, so that any
recall finds them too. `search` with a query ranks as `Memory.search` does; no index needs to be configured.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import ge, gt, le, lt
from typing import Any, Final
from urllib.parse import quote, unquote

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from clew.adapters.documents import Document, Documents
from clew.adapters.given import given_memory
from clew.adapters.session_log import sessions_beginning
from clew.errors import ClewError, InputError, shown
from clew.memory import Memory
from clew.memory.arguments import given_text

log = logging.getLogger("clew.adapters")

PREFIX: Final = "langgraph/"
"""What the names of the conversations that hold the items begin with."""

_MOST_HITS: Final = 10_000
_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}


class ClewStore(BaseStore):
    """A LangGraph store over an open memory, which its owner closes. Threads may share it."""

    __slots__ = ("_documents", "_memory")

    def __init__(self, memory: Memory) -> None:
        self._memory = given_memory(memory)
        self._documents: dict[tuple[str, ...], Documents] = {}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carries out operations in order: a read after a write of the same batch sees the write.

        Raises:
            InputError: an operation of an unknown kind, or a value that is not JSON.
        """
        return [self._done(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """`batch` in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _done(self, op: Op) -> Result:
        match op:
            case GetOp():
                item = self._in(op.namespace).get(op.key)
                return None if item is None else Item(**_fields(op.namespace, item))
            case SearchOp():
                return self._searched(op)
            case PutOp():
                if op.value is None:
                    self._in(op.namespace).delete(op.key)
                else:
                    self._in(op.namespace).put(op.key, op.value)
                return None
            case ListNamespacesOp():
                return self._namespaces(op)
        raise InputError(f"operation {type(op).__name__}: expected GetOp, SearchOp, PutOp or ListNamespacesOp")

    def _in(self, namespace: tuple[str, ...]) -> Documents:
        return self._documents.setdefault(namespace, Documents(self._memory, session_name(namespace)))

    def _stored(self, prefix: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The namespaces below a prefix that hold or held an item, sorted."""
        names = sessions_beginning(self._memory, PREFIX)
        below = (tuple(unquote(part) for part in name.removeprefix(PREFIX).split("/")) for name in names)
        return sorted(namespace for namespace in below if namespace[: len(prefix)] == prefix)

    def _searched(self, op: SearchOp) -> list[SearchItem]:
        items = (
            (namespace, document, score)
            for namespace, document, score in self._candidates(op)
            if _passes(document.value, op.filter or {})
        )
        chosen = list(items)[op.offset : op.offset + op.limit]
        return [SearchItem(**_fields(namespace, document), score=score) for namespace, document, score in chosen]

    def _candidates(self, op: SearchOp) -> Iterator[tuple[tuple[str, ...], Document, float | None]]:
        """Documents below a prefix: by the query, the best first; without one in the order in which they were put."""
        below = {namespace: self._in(namespace).all() for namespace in self._stored(op.namespace_prefix)}
        if not op.query:
            for namespace, documents in below.items():
                yield from ((namespace, document, None) for document in documents.values())
            return
        current = {
            document.turn_ids[-1]: (namespace, document)
            for namespace, documents in below.items()
            for document in documents.values()
        }
        session = session_name(next(iter(below))) if len(below) == 1 else None
        for hit in self._memory.search(op.query, limit=_MOST_HITS, session=session) if below else ():
            if hit.turn.id in current:
                yield (*current[hit.turn.id], hit.score)

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        namespaces = [namespace for namespace in self._stored(()) if self._in(namespace).all()]
        matching = [item for item in namespaces if all(_matches(item, test) for test in op.match_conditions or ())]
        cut = dict.fromkeys(namespace[: op.max_depth] for namespace in matching)
        return list(cut)[op.offset : op.offset + op.limit]


class RememberingSaver(BaseCheckpointSaver[Any]):
    """A checkpointer that leaves checkpoints to another one, and stores the messages of each thread in a memory.

    Messages are stored under the thread's id, each once, also those that the graph later trims from its state. Those of
    a subgraph are stored once they are in the state of the graph itself: before, they are another conversation, which
    starts over with each call. Where the memory refuses messages, as while it is paused, a warning says so, and the
    graph goes on.
    """

    def __init__(self, saver: BaseCheckpointSaver[Any], memory: Memory, channel: str = "messages") -> None:
        """Wraps a checkpointer; `channel` is the part of the state that holds the messages."""
        if not isinstance(saver, BaseCheckpointSaver):
            raise InputError(f"saver is {shown(saver)}; expected a checkpointer of LangGraph, such as InMemorySaver()")
        super().__init__(serde=saver.serde)
        self._saver, self._memory, self._channel = saver, given_memory(memory), given_text(channel, "channel")

    @property
    def config_specs(self) -> list[Any]:
        """As of the checkpointer inside."""
        return list(self._saver.config_specs)

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """Saves a checkpoint, then stores the messages that are new."""
        saved = self._saver.put(config, checkpoint, metadata, new_versions)
        self._remember(config, checkpoint)
        return saved

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """`put`, with the memory's part in a thread."""
        saved = await self._saver.aput(config, checkpoint, metadata, new_versions)
        await asyncio.to_thread(self._remember, config, checkpoint)
        return saved

    def _remember(self, config: Any, checkpoint: Any) -> None:
        if config["configurable"].get("checkpoint_ns"):
            return  # of a subgraph
        messages = checkpoint.get("channel_values", {}).get(self._channel) or []
        thread = str(config["configurable"]["thread_id"])
        history = [as_message(message) for message in messages]
        try:
            if history:
                self._memory.update(history, session=thread)
        except ClewError as error:  # the checkpoint is saved, and the graph goes on
            log.warning("messages of the thread %r are not remembered: %s", thread, error)


def _passed_on(name: str) -> Callable[..., Any]:
    """A method that is left to the checkpointer inside, whatever it takes and gives."""

    def method(self: RememberingSaver, *values: Any, **named: Any) -> Any:
        return getattr(self._saver, name)(*values, **named)

    method.__name__ = name
    method.__doc__ = "As of the checkpointer inside; the memory keeps its messages until `Memory.forget`."
    return method


for _name, _member in vars(BaseCheckpointSaver).items():  # also what later versions of LangGraph add
    if callable(_member) and not _name.startswith("_") and _name not in ("put", "aput", "with_allowlist"):
        setattr(RememberingSaver, _name, _passed_on(_name))


_ROLES: Final = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}


def as_message(message: Any) -> dict[str, Any]:
    """A LangChain message in the shape of Chat Completions; a dict is given back as it is."""
    if isinstance(message, Mapping):
        return dict(message)
    said: dict[str, Any] = {"role": _ROLES.get(message.type, "user"), "content": message.content}
    if calls := getattr(message, "tool_calls", None):
        said["tool_calls"] = [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["args"]}}
            for call in calls
        ]
    if call_id := getattr(message, "tool_call_id", None):
        said["tool_call_id"] = call_id
    if name := getattr(message, "name", None):
        said["name"] = name
    return said


def session_name(namespace: tuple[str, ...]) -> str:
    """The conversation that holds the items of a namespace: its parts with `/` between them, percent-encoded."""
    return PREFIX + "/".join(quote(part, safe=" .-_") for part in namespace)


def _fields(namespace: tuple[str, ...], document: Document) -> dict[str, Any]:
    return {
        "namespace": namespace,
        "key": document.key,
        "value": document.value,
        "created_at": document.created,
        "updated_at": document.updated,
    }


def _matches(namespace: tuple[str, ...], test: MatchCondition) -> bool:
    """Whether a namespace begins or ends with a path, in which `*` stands for any one part."""
    count = len(test.path)
    if len(namespace) < count:
        return False
    parts = namespace[:count] if test.match_type == "prefix" else namespace[len(namespace) - count :]
    return all(wanted in ("*", part) for wanted, part in zip(test.path, parts, strict=True))


def _passes(value: Any, wanted: Any) -> bool:
    """Whether a value meets a filter: equality, inside of mappings and lists too, or operators (`{"$gte": 3}`)."""
    if isinstance(wanted, dict):
        if any(name.startswith("$") for name in wanted):
            return all(_holds(value, operator, limit) for operator, limit in wanted.items())
        return isinstance(value, dict) and all(_passes(value.get(name), inner) for name, inner in wanted.items())
    if isinstance(wanted, list | tuple):
        same = isinstance(value, list | tuple) and len(value) == len(wanted)
        return same and all(_passes(*pair) for pair in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _holds(value: Any, operator: str, limit: Any) -> bool:
    if operator == "$eq":
        return bool(value == limit)
    if operator == "$ne":
        return bool(value != limit)
    if operator not in _ORDERS:
        raise InputError(f"filter operator {operator!r} is unknown; expected $eq, $ne, {', '.join(_ORDERS)}")
    try:
        return _ORDERS[operator](float(value), float(limit))
    except (TypeError, ValueError):
        return False


__all__ = ["PREFIX", "ClewStore", "RememberingSaver", "as_message", "session_name"]
