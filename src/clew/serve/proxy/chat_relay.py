"""One chat: prepared in a thread, sent upstream, its answer relayed and stored, calls of Clew's tools answered."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from clew.serve.proxy.answering import ClientAnswer
from clew.serve.proxy.chats import Chat, PreparedChat
from clew.serve.proxy.headers import RawHeaders, backward, in_header, only_readable_encodings, without
from clew.serve.proxy.kept_answer import KeptAnswer
from clew.serve.proxy.network.forward import Broken, Forwarder, Outgoing, ReceivedAnswer, Unreachable
from clew.serve.proxy.request_body import ClientGone
from clew.serve.proxy.tool_loop import ToolLoop
from clew.serve.proxy.workers import Workers

_SUCCESS: Final = 200


class FailedAfterAsking(Exception):
    """A bug of the proxy once the upstream was asked, which must not be asked again; `__cause__` says which."""


@dataclass(frozen=True, slots=True)
class ChatRelay:
    """A chat's way upstream and back.

    Attributes:
        headers: of the request as they go on, without its length.
        most: bytes of an answer that are kept for storing.
    """

    chat: Chat
    method: str
    url: str
    target: bytes
    headers: RawHeaders
    forwarder: Forwarder
    workers: Workers
    most: int

    async def run(self, answer: ClientAnswer) -> None:
        """Prepares the chat, sends it upstream, relays the answer and has it stored.

        Raises:
            Unreachable: the upstream gave no answer.
            Broken: its answer broke off.
            FailedAfterAsking: a bug raised something once the upstream was asked; before, its own error is raised.
        """
        with self.workers.underway():
            await self._run(answer)

    async def _run(self, answer: ClientAnswer) -> None:
        self.forwarder.preconnect(self.url)
        preparing = await self.workers.prepared(self.chat)
        prepared = preparing.sent
        if prepared.reply is not None:
            kind = (b"content-type", prepared.reply.content_type.encode())
            await answer.own(_SUCCESS, [kind, *_about(prepared)], prepared.reply.body)
            return
        kept: KeptAnswer | None = None
        asked = stored = False
        try:
            body = self.chat.raw if prepared.body is None else prepared.body
            outgoing = self._outgoing(body, prepared)
            asked = True
            sent = await self.forwarder.send(outgoing)
            kept = KeptAnswer(sent.status, sent.headers, self.most)
            loop = self._loop(prepared, sent)
            if loop is None:
                await self._plain(prepared, sent, answer, kept)
            else:
                await self._joined(loop, loop.answer(body, sent), prepared, answer, kept)
            self.workers.afterwards(self.chat, preparing, kept)  # before the client sees the end and asks again
            stored = True
            await answer.end()
        except (ClientGone, Unreachable, Broken):
            raise
        except Exception as error:
            if asked:
                raise FailedAfterAsking from error
            raise
        finally:
            if not stored:
                self.workers.afterwards(self.chat, preparing, kept)

    def _outgoing(self, body: bytes, prepared: PreparedChat) -> Outgoing:
        headers = only_readable_encodings(self.headers)
        if prepared.body is not None:
            headers = without(headers, b"content-encoding")
        if prepared.box is not None:
            headers = [*without(headers, b"accept-encoding"), (b"accept-encoding", b"identity")]
        headers.append((b"content-length", b"%d" % len(body)))
        return Outgoing(self.method, self.url, self.target, headers, body)

    async def _plain(
        self, prepared: PreparedChat, sent: ReceivedAnswer, answer: ClientAnswer, kept: KeptAnswer
    ) -> None:
        """Relays an answer as it comes."""
        async with aclosing(sent):
            await answer.start(sent.status, backward(sent.headers, _about(prepared)))
            async for piece in sent.pieces():
                kept.take(piece)
                await answer.piece(piece)

    def _loop(self, prepared: PreparedChat, sent: ReceivedAnswer) -> ToolLoop | None:
        """What answers the calls of Clew's tools; None where none are offered, or the answer is an error."""
        box, request = prepared.box, prepared.request
        if box is None or request is None or sent.status != _SUCCESS or sent.is_encoded:
            return None
        return ToolLoop(
            self.chat.wire, request, box, lambda further: self.forwarder.send(self._outgoing(further, prepared))
        )

    async def _joined(
        self,
        loop: ToolLoop,
        pieces: AsyncGenerator[bytes],
        prepared: PreparedChat,
        answer: ClientAnswer,
        kept: KeptAnswer,
    ) -> None:
        """Relays an answer from which the calls of Clew's tools are taken; their results go upstream."""
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    if answer.status is None and isinstance(loop.shown, ReceivedAnswer):
                        headers = without(backward(loop.shown.headers, _about(prepared)), b"content-length")
                        await answer.start(loop.shown.status, headers)
                    kept.take(piece)
                    await answer.piece(piece)
        finally:
            kept.spent = loop.spent
            kept.status = kept.status if answer.status is None else answer.status
        if loop.held is not None:
            await self.workers.hold(self.chat, prepared, loop.held)


def _about(prepared: PreparedChat) -> list[tuple[bytes, bytes]]:
    """The headers of Clew in an answer."""
    told = {b"x-clew-receipt": prepared.receipt, b"x-clew-session": prepared.session}
    return [(name, in_header(value)) for name, value in told.items() if value]
