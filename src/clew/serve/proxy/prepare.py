"""The one place where the proxy fails open: whatever breaks below it, the request goes upstream and the answer arrives.

What broke is an event with the type of the error and its place, never its message. Inside a virtual window, where the
upstream would refuse what the client sends, the request is cut instead of being forwarded as it is.
"""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from clew.errors import ClewError, ClosedError, FormatError, MissingExtra
from clew.serve.event_log import EventLog
from clew.serve.metrics import Metrics
from clew.serve.proxy.chats import Chat, PreparedChat, Unchanged
from clew.serve.proxy.encodings import is_readable
from clew.serve.proxy.held_calls import HeldExchange
from clew.serve.proxy.history.fetched_answers import Fetch
from clew.serve.proxy.kept_answer import KeptAnswer
from clew.serve.proxy.pipeline import Pipeline
from clew.serve.spaces import Spaces


class SafePreparation:
    """Runs the pipeline, and raises nothing. Threads share it."""

    def __init__(self, pipeline: Pipeline, spaces: Spaces, events: EventLog, metrics: Metrics) -> None:
        self._pipeline, self._spaces, self._events, self._metrics = pipeline, spaces, events, metrics
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Ends what takes long, since the server stops."""
        self._stopping.set()
        self._pipeline.stop()

    def prepare(self, chat: Chat) -> PreparedChat:
        """What goes upstream: what the pipeline makes of the request, or the request as it came."""
        faults = self._spaces.faults
        try:
            request = self._pipeline.read(chat)
        except (FormatError, MissingExtra) as error:
            why = Unchanged.UNREADABLE if is_readable(chat.encoding) else Unchanged.COMPRESSED
            return self._unchanged(chat, why, error)
        except Exception as error:  # noqa: BLE001  # a bug in reading must not hold up the request
            return self._unchanged(chat, Unchanged.ERROR, error)
        stored = PreparedChat()
        try:
            stored = self._pipeline.store(chat, request)
            prepared = self._pipeline.add(chat, stored)
        except Exception as error:  # noqa: BLE001  # the one place: any bug of the memory ends here
            if isinstance(error, ClosedError) and self._stopping.is_set():
                return self._unchanged(chat, Unchanged.STOPPING, None, stored)
            self._spaces.failed(chat.principal.space, error)
            return self._unchanged(chat, Unchanged.ERROR, error, stored)
        self._worked(chat, prepared, faults)
        if prepared.receipt is not None:
            self._metrics.add("clew_injected_total")
        return prepared

    def without_memory(self, chat: Chat, why: Unchanged) -> PreparedChat:
        """What goes upstream when there is no time for the memory."""
        return self._unchanged(chat, why, None)

    def hold(self, chat: Chat, prepared: PreparedChat, exchange: HeldExchange) -> None:
        """Keeps calls of Clew's tools; what fails is an event, and the client's next request may be refused."""
        try:
            self._pipeline.hold(prepared, exchange)
        except Exception as error:  # noqa: BLE001  # the one place, in the middle of an answer
            self._events.failed("calls-not-kept", error, space=chat.principal.space)

    def fetched(self, space: str, fetch: Fetch, answer: KeptAnswer) -> None:
        """Stores an answer that a client fetched by its id; what fails is an event."""
        try:
            self._pipeline.fetched(space, fetch, answer)
        except Exception as error:  # noqa: BLE001  # the one place, for an answer without a chat
            self._spaces.failed(space, error)
            self._events.failed("answer-not-stored", error, space=space)

    def after(self, chat: Chat, prepared: PreparedChat, answer: KeptAnswer | None) -> Callable[[], None]:
        """Stores the answer, and gives what remains: the wait for the disk, and the ledger.

        What fails is an event, and the client has its answer already.
        """
        try:
            finish = self._pipeline.after(chat, prepared, answer)
        except Exception as error:  # noqa: BLE001  # the one place, on the way back
            self._not_stored(chat, error)
            return lambda: None
        return partial(self._finish, chat, prepared, answer, finish)

    def _finish(
        self, chat: Chat, prepared: PreparedChat, answer: KeptAnswer | None, finish: Callable[[], None]
    ) -> None:
        faults = self._spaces.faults
        try:
            finish()
        except Exception as error:  # noqa: BLE001  # the one place, at the end
            self._not_stored(chat, error)
        else:
            self._worked(chat, prepared, faults)
            if answer is not None and answer.is_unreadable:
                self._events.write("answer-not-read", space=chat.principal.space, wire=chat.wire.name)

    def _not_stored(self, chat: Chat, error: Exception) -> None:
        self._spaces.failed(chat.principal.space, error)
        self._events.failed("answer-not-stored", error, space=chat.principal.space)

    def _worked(self, chat: Chat, prepared: PreparedChat, since: int) -> None:
        was_asked = prepared.remembered is not None  # as it is not for a chat incognito
        if was_asked and prepared.unchanged is not Unchanged.ERROR:
            self._spaces.worked(chat.principal.space, since)

    def _unchanged(
        self, chat: Chat, why: Unchanged, error: Exception | None, stored: PreparedChat | None = None
    ) -> PreparedChat:
        """The request as it came; with its place in the memory if it has one, so that its answer is stored."""
        event = "stopping" if why is Unchanged.STOPPING else "failed-open"
        if event == "failed-open":
            self._metrics.add("clew_failed_open_total", reason=why)
        fields = {"reason": str(why), "space": chat.principal.space, "wire": chat.wire.name}
        if error is None:
            self._events.write(event, **fields)
        else:
            cause = type(error.__cause__).__name__ if isinstance(error, ClewError) and error.__cause__ else None
            self._events.failed(event, error, cause=cause, **fields)
        prepared = replace(stored or PreparedChat(), unchanged=why)
        if why in (Unchanged.UNREADABLE, Unchanged.COMPRESSED):
            return prepared
        try:
            return self._pipeline.cut_to_fit(chat, prepared)
        except Exception as broken:  # noqa: BLE001  # what cannot be cut goes on as it came
            self._events.failed("not-cut", broken, space=chat.principal.space)
            return prepared
