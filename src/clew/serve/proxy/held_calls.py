"""Calls of Clew's tools that were answered beside calls of the client's own, and how they are put back.

A model may call tools of both in one answer, or ours first and then the client's. The client sees only its own calls.
When it comes with their results, the provider must find the whole exchange again: calls of ours have results, and
signed thinking stands before the calls that it led to. So the client's message is replaced by the provider's own
answers, and the results of ours go in front of the client's. The same bytes go there in every later request, as long as
the client sends that message: so the provider's prompt cache holds. An exchange that ended without calls of the
client's is not put back: the client's own history is stable without it, and its results would be paid for in each later
request.
"""

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from clew.condense.wires import Message
from clew.rows.injections import Injection, keep_injection
from clew.rows.pause import is_session_paused
from clew.serve.proxy.exchange import ChatRequest, Edit, Span, ToolCall
from clew.serve.proxy.rounds import joiner_of
from clew.serve.proxy.wires import edits as editing
from clew.serve.proxy.wires.protocol import ProxyWire
from clew.store.protocol import Reader, Store
from clew.store.row_types import InjectionRow
from clew.store.tables import INJECTION, TOMBSTONE
from clew.store.values import past_prefix

PREFIX: Final = "held-"
"""Begins the id of a row that holds an exchange; no block has such an id."""

_BARE: Final = "."
"""Ends the id of a row that holds no word of an exchange, see `_without_words`."""

_GONE: Final = "(this result is no longer there; call the tool again)"

MOST: Final = 256
"""Exchanges that are held in memory alone."""


@dataclass(frozen=True, slots=True)
class HeldExchange:
    """What the provider said and was told in one answer that the client saw in part.

    Attributes:
        wire: name of the format; a client that goes on in another one gets nothing put back.
        calls: the client's own calls, at the end of it.
        messages: the provider's answers with the results of ours between them, to take the place of the client's.
        results: messages with the results of ours that belong beside the client's results; empty when all came before.
        turns: ids of the turns that the results quote; None when they cannot all be named.
        is_stored: whether the provider stores the answer itself. A row does not hold it.
    """

    wire: str
    calls: tuple[ToolCall, ...]
    messages: tuple[Message, ...]
    results: tuple[Message, ...]
    turns: frozenset[str] | None = frozenset()
    is_stored: bool = False


class HeldCalls:
    """The held exchanges of one space, as rows, so that they outlast the process and go with the turns they quote.

    One whose turns cannot be named is kept in memory alone, until anything of the space is forgotten; so is everything
    while the session is paused. Of calls in an answer that the provider stores a second row stays, without their
    results. Threads may share it.
    """

    def __init__(self, store: Store, space: str) -> None:
        """Takes the store and the space; one object serves all threads of a process."""
        self._store, self._space = store, space
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], HeldExchange] = OrderedDict()
        self._forgotten = 0  # turns of the space, when the first of those in memory was kept

    def keep(self, session: str, exchange: HeldExchange, now: datetime) -> None:
        """Keeps an exchange; durable on return, unless it is kept in memory."""
        name = name_of(exchange.calls[0])
        with self._store.snapshot() as reader:
            is_paused = is_session_paused(reader, self._space, session)
            forgotten = self._count(reader)
        if not is_paused and (bare := _without_words(exchange)) is not None:
            self._put(session, name + _BARE, bare, now)
        if exchange.turns is None or is_paused:
            with self._lock:
                self._drop_after(forgotten)
                self._kept[session, name] = exchange
                while len(self._kept) > MOST:
                    self._kept.popitem(last=False)
            return
        self._put(session, name, exchange, now)

    def _put(self, session: str, name: str, exchange: HeldExchange, now: datetime) -> None:
        calls = [[call.id, call.name, call.arguments] for call in exchange.calls]
        block = json.dumps(
            {"wire": exchange.wire, "calls": calls, "messages": exchange.messages, "results": exchange.results}
        )
        row = Injection(session, name, b"", b"", block, tuple(sorted(exchange.turns or ())), now, retired=now)
        keep_injection(self._store, self._space, row)

    def of(self, session: str, rows: Iterable[InjectionRow] | None = None) -> dict[str, HeldExchange]:
        """The exchanges of a session, by the name of the first call that the client was shown.

        Args:
            rows: all rows of the session, where they were read already.
        """
        forgotten = None
        if rows is None or self._kept:  # rows and forgets of one moment: what is in memory may be forgotten by now
            with self._store.snapshot() as reader:
                low, high = (self._space, session, PREFIX), (self._space, session, past_prefix(PREFIX))
                rows = INJECTION.scan(reader, low, high)
                forgotten = self._count(reader) if self._kept else None
        with self._lock:
            if forgotten is not None:  # else what is in memory by now was kept just now
                self._drop_after(forgotten)
            calls = {name: held for (owner, name), held in self._kept.items() if owner == session}
        held = [row for row in rows if row.injection.startswith(PREFIX)]
        bare = {row.injection.removesuffix(_BARE): row for row in held if row.injection.endswith(_BARE)}
        whole = {row.injection: row for row in held if not row.injection.endswith(_BARE)}
        return {name: _exchange(row.block) for name, row in (bare | whole).items()} | calls

    def _count(self, reader: Reader) -> int:
        return reader.count(TOMBSTONE.name, (self._space,), (self._space,))

    def _drop_after(self, forgotten: int) -> None:
        """Drops what is in memory when turns were forgotten since: it may quote them."""
        if forgotten != self._forgotten:
            self._kept.clear()
            self._forgotten = forgotten


def _without_words(exchange: HeldExchange) -> HeldExchange | None:
    """What remains of an exchange without a word of it: results that say that they are gone.

    A provider that stores the answer itself has our calls in it, and takes no request that names it without their
    results. None where nothing is needed: a client that sends its history again has none of our calls in it.
    """
    if not exchange.is_stored or not exchange.results:
        return None
    calls = tuple(ToolCall(call.id, "", "") for call in exchange.calls)
    results = tuple({**message, "output": _GONE} for message in exchange.results)
    return HeldExchange(exchange.wire, calls, (), results)


def _exchange(block: str) -> HeldExchange:
    value = json.loads(block)
    calls = tuple(ToolCall(*call) for call in value["calls"])
    return HeldExchange(value["wire"], calls, tuple(value["messages"]), tuple(value["results"]))


def name_of(call: ToolCall) -> str:
    """The name under which an exchange is kept: by the id of a call, or what it says where it has none."""
    positional = call.id.partition(":")[0].isdecimal()  # Gemini's calls have no ids
    said = f"{call.name} {_canonical(call.arguments)}" if positional or not call.id else call.id
    return PREFIX + hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _canonical(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments


def put_back(wire: ProxyWire, request: ChatRequest, exchanges: Mapping[str, HeldExchange]) -> list[Edit]:
    """The edits that put the held exchanges of a session back into a request of the client."""
    exchanges = {name: exchange for name, exchange in exchanges.items() if exchange.wire == wire.name}
    if not exchanges:
        return []
    if request.value.get("previous_response_id"):
        return _results_alone(wire, request, exchanges)
    edits: list[Edit] = []
    for start, stop, calls in _answers(wire, request):
        exchange = exchanges.get(name_of(calls[0]))
        if (
            exchange is None
            or not exchange.messages
            or {name_of(call) for call in calls} != {name_of(call) for call in exchange.calls}
        ):
            continue  # a client that rewrites its answers: without ours they are valid as they are
        results = exchange.results if stop < len(request.messages) else ()
        member = joiner_of(wire.name).results_member()
        if results and member is not None:
            parts = [part for message in results for part in message[member]]
            edits += [wire.replaced(request, start, stop, exchange.messages), *_first(request, stop, member, parts)]
        else:
            edits.append(wire.replaced(request, start, stop, (*exchange.messages, *results)))
    return edits


def _results_alone(wire: ProxyWire, request: ChatRequest, exchanges: Mapping[str, HeldExchange]) -> list[Edit]:
    """Where the provider stores the answers itself: our results, before the client's."""
    for index, message in enumerate(request.messages):
        call = str(message.get("call_id") or "")
        exchange = exchanges.get(name_of(ToolCall(call, "", ""))) if call else None
        if exchange is not None and exchange.results:
            return [wire.replaced(request, index, index, exchange.results)]
    return []


def _first(request: ChatRequest, index: int, member: str, parts: list[Any]) -> list[Edit]:
    """Adds parts at the beginning of a list in a message; nothing where there is no list."""
    span = editing.member(request, index, member)
    if not request.body.startswith(b"[", span.start):
        return []
    comma = b"," if request.messages[index].get(member) else b""
    text = b",".join(map(editing.encoded, parts)) + comma
    return [Edit(Span(span.start + 1, span.start + 1), text)]


def _answers(wire: ProxyWire, request: ChatRequest) -> Iterable[tuple[int, int, Sequence[ToolCall]]]:
    """The answers with calls in a request: from where to where they go, and the calls in them."""
    join, messages = joiner_of(wire.name), request.messages
    index = 0
    for is_answer, run in groupby(messages, join.is_answer):
        answers = list(run)
        calls = [call for message in answers for call in join.calls_of(message)] if is_answer else []
        if calls:
            yield index, index + len(answers), calls
        index += len(answers)
