"""Errors of the proxy itself, in the shape of the API that the client speaks."""

from clew.serve.proxy.upstreams import Provider
from clew.serve.proxy.wires import WIRES


def error_answer(provider: Provider | None, status: int, message: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Headers and body of an error; OpenAI's shape where no provider is meant, since most programs read it."""
    body = WIRES[provider or Provider.OPENAI].error(status, f"Clew: {message}")
    return [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))], body
