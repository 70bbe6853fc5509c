"""Finds the conversation of a request that continues a stored answer of Responses instead of sending the history."""

import threading
from collections import OrderedDict
from typing import Final

from clew.serve.proxy.exchange import Answer, ChatRequest

_KEPT: Final = 50_000
"""Answers whose conversations are remembered: about 10 MB."""


class ContinuedAnswers:
    """The conversations of answers by their ids, as long as the process runs. Threads may share it.

    Providers keep answers themselves, for weeks; an id that is not known here begins a new conversation, unless the
    client names one.
    """

    def __init__(self) -> None:
        self._sessions: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, space: str, request: ChatRequest, answer: Answer, session: str) -> None:
        """Remembers the conversation of an answer, if it can be continued."""
        if request.wire != "responses" or not answer.id:
            return
        with self._lock:
            self._sessions[space, answer.id] = session
            self._sessions.move_to_end((space, answer.id))
            while len(self._sessions) > _KEPT:
                self._sessions.popitem(last=False)

    def session(self, space: str, request: ChatRequest) -> str | None:
        """The conversation whose answer a request continues; None when it continues none that is known."""
        named = request.value.get("previous_response_id") if request.wire == "responses" else None
        if not isinstance(named, str):
            return None
        with self._lock:
            return self._sessions.get((space, named))
