"""A language model behind a server, with retries while the server is busy, up to a deadline.

The functions that call particular vendors are in vendors.py.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from clew.errors import ModelError, ModelUnavailable, RequestRefused
from clew.models.prompt import Completion, Prompt
from clew.models.protocol import LLM

TIMEOUT: Final = 60.0
"""Timeout of one request, in seconds."""

DEADLINE: Final = 120.0
"""Timeout of one answer in seconds, including retries and the pauses before them."""

BACKOFF: Final = (1.0, 4.0, 15.0)
"""Pauses before retries in seconds; a pause is longer if the server asks for it."""

_UNAVAILABLE: Final = frozenset(
    {401, 402, 403, 404, 408, 429}
)  # and every 5xx: later, or with other settings, it may work
_NOT_UNDERSTOOD: Final = frozenset({400, 422})
_BUSY: Final = 429
_BROKEN: Final = 500


@dataclass(frozen=True, slots=True)
class Refusal:
    """A server's error response.

    Attributes:
        status: HTTP status.
        told: the server's error text, shortened and without the key.
        wait: seconds that the server asks to wait before a retry; None if it does not say.
    """

    status: int
    told: str
    wait: float | None = None

    @property
    def busy(self) -> bool:
        """Whether a retry may help: too many requests (429), or a server error (5xx)."""
        return self.status == _BUSY or self.status >= _BROKEN

    def error(self, name: str) -> ModelError:
        """The error to raise for this response; such responses are not billed."""
        hint = {401: "; check the key", 403: "; check the key", 404: "; check the model's name and the address"}
        message = f"{name} answered {self.status}: {self.told or 'nothing'}{hint.get(self.status, '')}"
        gone = self.status in _UNAVAILABLE or self.status >= _BROKEN
        return ModelUnavailable(message) if gone else RequestRefused(message)


Ask = Callable[[Prompt, int, float], Completion | Refusal]
"""Sends one request: a prompt without lone surrogates, the most output tokens, the timeout in seconds.

Raises only `ModelError`s.
"""


class ServedLLM(LLM):
    """A language model around a function that calls its server. Safe to share between threads."""

    def __init__(
        self,
        name: str,
        ask: Ask,
        *,
        timeout: float = TIMEOUT,
        deadline: float = DEADLINE,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self._ask, self._timeout, self._deadline, self._sleep = ask, timeout, deadline, sleep
        self._schemas = True  # whether the server accepts schemas, as far as is known

    def complete(self, prompt: Prompt, *, max_tokens: int) -> Completion:
        """See `LLM.complete`. Requests are retried only on 429 and 5xx.

        The schema is sent with the request. If the server does not understand it, it is left out from then on, since
        the instructions contain it as well.
        """
        until = time.monotonic() + self._deadline
        prompt = _well_formed(prompt)
        if not self._schemas:
            prompt = replace(prompt, schema=None)
        said = self._patiently(prompt, max_tokens, until)
        if isinstance(said, Refusal) and said.status in _NOT_UNDERSTOOD and prompt.schema is not None:
            said = self._patiently(replace(prompt, schema=None), max_tokens, until)
            self._schemas = isinstance(said, Refusal)
        if isinstance(said, Refusal):
            raise said.error(self.name)
        return said

    def _patiently(self, prompt: Prompt, max_tokens: int, until: float) -> Completion | Refusal:
        for pause in (*BACKOFF, math.inf):
            left = until - time.monotonic()
            said = self._ask(prompt, max_tokens, max(0.001, min(self._timeout, left)))
            if isinstance(said, Completion) or not said.busy:
                return said
            rest = max(pause, said.wait or 0.0)
            if time.monotonic() + rest >= until:
                return said
            self._sleep(rest)
        return said


def _well_formed(prompt: Prompt) -> Prompt:
    """Lone surrogates have no UTF-8 form; each becomes a question mark."""
    messages = tuple(replace(message, text=_encodable(message.text)) for message in prompt.messages)
    return replace(prompt, instructions=_encodable(prompt.instructions), messages=messages)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
