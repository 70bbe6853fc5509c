"""Embedders behind HTTP: OpenAI's protocol, which most servers support, and Ollama's own.

Every failure becomes a `ModelError`. There are no retries here, since the background worker retries failed jobs.
Redirects are refused, since they would carry the key to another host.
"""

import http.client
import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.message import Message
from typing import IO, Any, Final

from clew.errors import ModelError, ModelUnavailable
from clew.models.function_embedder import FunctionEmbedder
from clew.models.server_address import KeyVariables, checked_host, is_loopback

OPENAI_URL: Final = "https://api.openai.com/v1"
OLLAMA_URL: Final = "http://127.0.0.1:11434"
TIMEOUT: Final = 60.0  # seconds without a byte; a batch on a slow processor takes half of it
KEY: Final = "CLEW_EMBEDDER_KEY"
OPENAI_KEY: Final = "OPENAI_API_KEY"
KEYS: Final = KeyVariables(KEY, OPENAI_KEY, "api.openai.com")

_LARGEST_ANSWER: Final = 64 << 20
_TOLD: Final = 200  # characters of a server's text that a message quotes
_READ: Final = 2_000  # bytes of it that are read for that, so that a key in it is masked as a whole
_UNAVAILABLE: Final = frozenset({401, 403, 404, 408, 429})  # like 5xx: may work later, or with other settings


def openai_embedder(
    model: str, base_url: str = OPENAI_URL, *, timeout: float = TIMEOUT, environment: Mapping[str, str] = os.environ
) -> FunctionEmbedder:
    """An embedder at `<base_url>/embeddings`, named `openai:<model>@<host>`.

    The key is read from the environment for each request and never stored: CLEW_EMBEDDER_KEY is sent to any server,
    OPENAI_API_KEY only to OpenAI and to this machine, so that a wrong setting cannot leak it to a third party.

    Raises:
        ConfigError: the address is not an HTTP address, or contains a user name or query.
    """
    host = checked_host(base_url, "embedder", KEY)

    def ask(texts: list[str]) -> list[Any]:
        key = KEYS.find(base_url, environment)
        answer = _post(f"{base_url.rstrip('/')}/embeddings", {"model": model, "input": texts}, key, timeout)
        try:
            rows = {entry["index"]: entry["embedding"] for entry in answer["data"]}
            return [rows[index] for index in range(len(texts))]
        except (KeyError, TypeError) as error:
            raise ModelError(f"{base_url} returned no OpenAI embeddings: {_told(repr(answer), key)}") from error

    return FunctionEmbedder(f"openai:{model}@{host}", ask)


def ollama_embedder(model: str, base_url: str = OLLAMA_URL, *, timeout: float = TIMEOUT) -> FunctionEmbedder:
    """An embedder served by Ollama, named `ollama:<model>@<tag>`; the tag defaults to `latest`.

    Raises:
        ConfigError: the address is not an HTTP address, or contains a user name or query.
    """
    checked_host(base_url, "embedder", KEY)
    base, _, tag = model.partition(":")

    def ask(texts: list[str]) -> list[Any]:
        answer = _post(f"{base_url.rstrip('/')}/api/embed", {"model": model, "input": texts}, None, timeout)
        try:
            return list(answer["embeddings"])
        except (KeyError, TypeError) as error:
            raise ModelError(f"{base_url} returned no Ollama embeddings: {_told(repr(answer), None)}") from error

    return FunctionEmbedder(f"ollama:{base}@{tag or 'latest'}", ask)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        """Follows no redirect, so that the caller sees the status."""


def _post(url: str, body: Mapping[str, Any], key: str | None, timeout: float) -> Any:
    """Posts JSON and reads JSON; every failure becomes a `ModelError` whose message does not contain the key."""
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers)  # noqa: S310 - the scheme was checked with the setting
    proxies = urllib.request.ProxyHandler({} if is_loopback(url) else None)
    opener = urllib.request.build_opener(proxies, _NoRedirects)
    try:
        with opener.open(request, timeout=timeout) as response:
            answer = response.read(_LARGEST_ANSWER + 1)
    except urllib.error.HTTPError as error:
        raise _refusal(url, error, key) from error
    except (OSError, http.client.HTTPException, UnicodeError) as error:  # URLError and time-outs are OSErrors
        reason = getattr(error, "reason", None) or error
        raise ModelUnavailable(f"{url} cannot be reached ({reason!r}); is the server running?") from error
    if len(answer) > _LARGEST_ANSWER:
        raise ModelError(f"{url} returned more than {_LARGEST_ANSWER >> 20} MB; is it an embedding model?")
    try:
        return json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{url} did not return JSON: {_told(_text(answer), key)}") from error


def _refusal(url: str, error: urllib.error.HTTPError, key: str | None) -> ModelError:
    status, body = error.code, b""
    try:
        with error:
            body = error.read(_READ)
    except (OSError, http.client.HTTPException):
        pass  # the status tells enough
    hint = {401: f"; set {KEY}", 403: f"; check {KEY}", 404: "; check the model's name and the address"}.get(status, "")
    kind = ModelUnavailable if status in _UNAVAILABLE or status >= 500 else ModelError
    return kind(f"{url} answered {status}: {_told(_text(body), key)}{hint}")


def _text(body: bytes) -> str:
    return body[:_READ].decode("utf-8", "replace")


def _told(text: str, key: str | None) -> str:
    """The beginning of a server's text, on one line, without the key."""
    if key is not None:
        text = text.replace(key, "[key]")
    return re.sub(r"\s+", " ", text)[:_TOLD] or "nothing"
