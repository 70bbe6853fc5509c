"""Answers a model's calls of Clew's tools in the middle of an answer, until it answers without them.

The client sees one answer. Text, thinking and its own calls are relayed as they come; calls of ours are withheld, their
results go upstream in a further request, and what follows is joined to what the client has (`clew.serve.proxy.rounds`).
An answer that calls tools of both is handed to the client with its own calls; ours are kept (`held_calls`) and put back
when the client comes with its results. Start at `ToolLoop.answer`.

Borders: no network and no memory of its own; whoever makes it passes a function that sends, and the tools.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, Protocol

from clew.condense.wires import Message
from clew.serve.agent_tools.toolbox import COLLAPSED, LAST, LoopCalls, ToolAnswer, Toolbox, is_collapsed
from clew.serve.proxy.exchange import Answer, ChatRequest, Edit, TokenUsage, edited
from clew.serve.proxy.held_calls import HeldExchange
from clew.serve.proxy.rounds import joiner_of
from clew.serve.proxy.rounds.sums import compact
from clew.serve.proxy.wires.edits import add_member, encoded
from clew.serve.proxy.wires.json_spans import member_spans, whole
from clew.serve.proxy.wires.protocol import AnswerReader, ProxyWire
from clew.serve.proxy.wires.whole import parsed

MOST_ROUNDS: Final = 10
"""Rounds of calls that are answered; then the model is asked to answer without tools."""

MOST_READ: Final = 32 << 20
"""Bytes of an answer in which calls are looked for; a longer one is relayed, and its calls of ours are not answered."""


class RoundAnswer(Protocol):
    """An answer of the upstream whose headers are there; its body must not be compressed."""

    status: int

    def pieces(self) -> AsyncIterator[bytes]:
        """The body as it arrives."""
        ...

    async def aclose(self) -> None:
        """Ends the answer, also in its middle."""
        ...


Send = Callable[[bytes], Awaitable[RoundAnswer]]


@dataclass(frozen=True, slots=True)
class _Round:
    """An answer that called our tools, and what they said."""

    answer: Answer
    results: Mapping[str, ToolAnswer]

    def texts(self, collapsed: frozenset[str]) -> dict[str, str]:
        """The results by call id, without the expansions of topics that were collapsed since."""
        named = {call.id: call for call in self.answer.calls}
        return {
            call: COLLAPSED if is_collapsed(named[call].name, named[call].arguments, collapsed) else result.text
            for call, result in self.results.items()
        }


def tools_edit(wire: ProxyWire, request: ChatRequest, box: Toolbox) -> Edit | None:
    """Offers the tools in a request; None where the client wants several answers or leaves the model no choice."""
    if not joiner_of(wire.name).may_offer(request):
        return None
    offered = box.offered(frozenset(request.tools))
    return wire.with_tools(request, offered) if offered else None


class ToolLoop:
    """One answer of a model that has our tools. Used once, by one task."""

    def __init__(self, wire: ProxyWire, request: ChatRequest, box: Toolbox, send: Send) -> None:
        """Takes a request as the client sent it, read; `send` sends a body in its place.

        Args:
            send: asks the upstream for an answer that is not compressed.
        """
        self._wire, self._request, self._send = wire, request, send
        self._join = joiner_of(wire.name)
        self._calls = LoopCalls(box)
        self._box, self._taken = box, frozenset(request.tools)
        self._rounds: list[_Round] = []
        self.held: HeldExchange | None = None
        """Calls of ours to be put back when the client comes with the results of its own; after the end."""
        self.shown: RoundAnswer | None = None
        """The answer whose status and headers the client gets; known when the first piece of the body is."""

    def _is_ours(self, name: str) -> bool:
        return name not in self._taken and self._box.has(name)

    async def answer(self, body: bytes, first: RoundAnswer) -> AsyncGenerator[bytes]:
        """The body of the answer that the client sees.

        Args:
            body: as it was sent upstream, with the tools.
            first: what the upstream answered, with a status of success. It is closed here, as are later ones.
        """
        pieces = self._streamed(body, first) if self._request.stream else self._whole(body, first)
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece

    @property
    def rounds(self) -> int:
        """Rounds of calls that were answered so far."""
        return len(self._rounds)

    @property
    def spent(self) -> TokenUsage:
        """Tokens of these rounds, which the client is not told of where the answer behind them is an error."""
        return sum((exchange.answer.usage for exchange in self._rounds), TokenUsage())

    async def _streamed(self, body: bytes, first: RoundAnswer) -> AsyncGenerator[bytes]:
        joined = self._join.stream(self._is_ours)
        self.shown = upstream = first
        while True:
            reader = self._wire.reader()
            async with aclosing(upstream):
                if upstream.status != 200:
                    error = await _beginning(upstream.pieces())
                    yield joined.failed(error) if self._rounds else error
                    return
                size = 0
                async for piece in upstream.pieces():
                    size += len(piece)
                    if size <= MOST_READ:
                        reader.feed(piece)
                    if out := joined.feed(piece):
                        yield out
            if size > MOST_READ:
                yield joined.finish()
                return
            further = await asyncio.to_thread(self._after, body, reader)
            if further is None:
                yield joined.finish()
                return
            if out := joined.next_round():
                yield out
            upstream = await self._send(further)

    async def _whole(self, body: bytes, first: RoundAnswer) -> AsyncGenerator[bytes]:
        upstream = first
        values: list[dict[str, Any]] = []
        while True:
            self.shown = upstream
            async with aclosing(upstream):
                pieces = upstream.pieces()
                text = await _beginning(pieces)
                if len(text) > MOST_READ:
                    yield text
                    async for piece in pieces:
                        yield piece
                    return
            value = parsed(text)
            if upstream.status != 200 or not value:
                yield text  # an error, or what cannot be read: told as the upstream told it
                return
            answer = self._wire.read_answer(text)
            further = await asyncio.to_thread(self._next, body, answer)
            values.append(value)
            if further is None:
                joined = self._join.whole(values, self._is_ours)
                yield text if joined == value else compact(joined)
                return
            upstream = await self._send(further)

    def _after(self, body: bytes, reader: AnswerReader) -> bytes | None:
        return self._next(body, reader.answer())

    def _next(self, body: bytes, answer: Answer) -> bytes | None:
        """The request that follows an answer; None when the client gets what there is."""
        ours = [call for call in answer.calls if self._is_ours(call.name)]
        if not ours or not answer.complete or len(self._rounds) == MOST_ROUNDS:
            self._hold(answer, {})
            return None
        results = {call.id: self._calls.answer(call.name, call.arguments) for call in ours}
        if len(ours) < len(answer.calls):
            self._hold(answer, results)
            return None
        self._rounds.append(_Round(answer, results))
        return self._body(body, is_last=len(self._rounds) == MOST_ROUNDS)

    def _body(self, body: bytes, *, is_last: bool) -> bytes:
        """The request with all rounds so far at its end."""
        sent = self._wire.read(self._request.path, self._request.headers, body)
        messages = self._exchange(asks_to_end=is_last)
        edits = [self._wire.replaced(sent, len(sent.messages), len(sent.messages), messages)]
        if is_last:
            members = member_spans(body, whole(body))
            for name, value in self._join.last_round().items():
                old = members.get(name)
                edits.append(add_member(body, members, name, value) if old is None else Edit(old, encoded(value)))
        return edited(body, edits)

    def _exchange(self, *, asks_to_end: bool = False) -> list[Message]:
        """The answers of all rounds, each with its results."""
        collapsed: frozenset[str] = frozenset()
        exchange: list[Sequence[Message]] = []
        for number, each in enumerate(reversed(self._rounds)):
            texts = each.texts(collapsed)
            if asks_to_end and number == 0:
                texts = {call: text + LAST for call, text in texts.items()}
            exchange.append(self._wire.tool_results(each.answer, texts))
            collapsed |= frozenset().union(*(result.collapses for result in each.results.values()))
        return [
            *self._join.sendable(self._request, (message for messages in reversed(exchange) for message in messages))
        ]

    def _hold(self, answer: Answer, results: Mapping[str, ToolAnswer]) -> None:
        """Keeps what the client must not lose: it shows calls of its own, and so comes back in the middle of a turn."""
        theirs = tuple(call for call in answer.calls if not self._is_ours(call.name))
        if not theirs or not (results or self._rounds):
            return
        said = [result for exchange in (*self._rounds, _Round(answer, results)) for result in exchange.results.values()]
        named = [result.turns for result in said]
        turns = None if None in named else frozenset().union(*(turns or frozenset() for turns in named))
        texts = {call: result.text for call, result in results.items()}
        continued = self._wire.tool_results(answer, texts) if texts else answer.messages
        self.held = HeldExchange(
            wire=self._wire.name,
            calls=theirs,
            messages=(*self._exchange(), *self._join.sendable(self._request, answer.messages)),
            results=tuple(continued[len(answer.messages) :]),
            turns=turns,
            is_stored=self._join.is_stored(self._request),
        )


async def _beginning(pieces: AsyncIterator[bytes]) -> bytes:
    """The body, or what has come of it when it is longer than `MOST_READ`."""
    chunks: list[bytes] = []
    size = 0
    async for piece in pieces:
        chunks.append(piece)
        size += len(piece)
        if size > MOST_READ:
            break
    return b"".join(chunks)
