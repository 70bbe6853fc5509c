"""A server on this machine that plays the vendors' wire formats, and what Clew may be told by it."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Final, Literal

from clew.models.server_llm import ServedLLM
from clew.models.vendors import ServerOptions, anthropic_llm, gemini_llm, openai_llm
from tests.support.loopback import listening

Vendor = Literal["openai", "anthropic", "gemini"]
VENDORS: Final[tuple[Vendor, ...]] = ("openai", "anthropic", "gemini")
KEY: Final = "sk-very-secret"

Say = Callable[[Any], tuple[int, Any]]
"""From a request's body to a status and an answer; what is not bytes is sent as JSON."""


@dataclass
class Server:
    """What it was asked, and how it answers."""

    url: str = ""
    asked: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    say: Say = lambda _body: (500, {"error": {"message": "unset"}})
    headers: dict[str, str] = field(default_factory=dict)
    drip: float = 0.0  # seconds between two bytes of an answer
    leaving: threading.Event = field(default_factory=threading.Event)

    def script(self, *answers: tuple[int, Any]) -> None:
        """Gives these answers one after the other; the last one again and again."""
        left = list(answers)
        self.say = lambda _body: left.pop(0) if len(left) > 1 else left[0]

    def hang(self) -> None:
        """Answers nothing until the test ends."""

        def say(_body: Any) -> tuple[int, Any]:
            self.leaving.wait(60)
            return 200, {}

        self.say = say

    def model(self, vendor: Vendor, **reach: Any) -> ServedLLM:
        """A model of that vendor at this server, that does not wait between two tries."""
        make = {"openai": openai_llm, "anthropic": anthropic_llm, "gemini": gemini_llm}[vendor]
        reached = ServerOptions(**{"environment": {"CLEW_LLM_KEY": KEY}, "timeout": 20.0, "deadline": 30.0, **reach})
        model = make("some-model", self.url, reached)
        model._sleep = lambda _seconds: None
        return model


@contextmanager
def llm_server() -> Iterator[Server]:
    """Such a server, for as long as the block lasts."""
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            status, answer = told.say(body)
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {
                "Content-Type": "application/json",
                "Content-Length": str(len(content)),
                **told.headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            for part in [content[at : at + 1] for at in range(len(content))] if told.drip else [content]:
                self.wfile.write(part)
                time.sleep(told.drip)

        def log_message(self, *_: object) -> None:
            """Keeps the test's output clean."""

    with listening(Handler) as told.url:
        try:
            yield told
        finally:
            told.leaving.set()


def answer(vendor: Vendor, text: str | None = "hi", stop: str = "end", counts: tuple[Any, Any] = (12, 3)) -> Any:
    """A vendor's answer; `stop` is end, length or refusal."""
    if vendor == "openai":
        reason = {"end": "stop", "length": "length", "refusal": "content_filter"}[stop]
        return {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "some-model-1",
            "choices": [{"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": counts[0], "completion_tokens": counts[1], "total_tokens": 15},
        }
    if vendor == "anthropic":
        reason = {"end": "end_turn", "length": "max_tokens", "refusal": "refusal"}[stop]
        return {
            "id": "x",
            "type": "message",
            "role": "assistant",
            "model": "some-model-1",
            "content": [] if text is None else [{"type": "text", "text": text}],
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {"input_tokens": counts[0], "output_tokens": counts[1]},
        }
    reason = {"end": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}[stop]
    parts = [] if text is None else [{"text": text}]
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}],
        "usageMetadata": {"promptTokenCount": counts[0], "candidatesTokenCount": counts[1]},
        "modelVersion": "some-model-1",
    }


def refusal(status: int, message: str) -> tuple[int, Any]:
    """An error in the form that all three share, near enough."""
    return status, {"error": {"message": message, "type": "some_error", "code": status, "status": "SOME_ERROR"}}
