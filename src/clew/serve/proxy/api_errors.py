"""Errors of the proxy itself, in the shape of the API that the client speaks."""

import json
from typing import Any, Final

from clew.serve.proxy.upstreams import Provider

_ANTHROPIC: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
}
_GEMINI: Final = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    502: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def error_answer(provider: Provider | None, status: int, message: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Headers and body of an error; OpenAI's shape where no provider is meant, since most programs read it."""
    text = f"Clew: {message}"
    value: dict[str, Any]
    if provider is Provider.ANTHROPIC:
        kind = _ANTHROPIC.get(status, "invalid_request_error" if status < 500 else "api_error")
        value = {"type": "error", "error": {"type": kind, "message": text}}
    elif provider is Provider.GEMINI:
        name = _GEMINI.get(status, "FAILED_PRECONDITION" if status < 500 else "INTERNAL")
        value = {"error": {"code": status, "message": text, "status": name}}
    else:
        kind = "invalid_request_error" if status < 500 else "server_error"
        value = {"error": {"message": text, "type": kind, "param": None, "code": None}}
    body = json.dumps(value).encode()
    return [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))], body
