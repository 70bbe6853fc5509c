"""Answers requests to the API: finds the endpoint, checks scope and input, calls it in a thread.

Borders: tokens, hosts and rates are checked before (`clew.serve.access`).
"""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, unquote

from clew.errors import InputError
from clew.memory import Memory
from clew.serve.access import Principal
from clew.serve.rest.endpoints import ENDPOINTS, Endpoint
from clew.serve.rest.fields import Field, FieldLocation, checked_object, from_text
from clew.serve.rest.openapi import ROOT, document
from clew.serve.rest.problems import problem, problem_of

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

log = logging.getLogger("clew.serve")

MOST_BYTES: Final = 32 << 20
"""Bytes of a request's body."""
DOCUMENT: Final = "/clew/api/openapi.json"

_SEGMENT: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()


class _Refused(Exception):
    """The request is answered with an error before an endpoint is called."""

    def __init__(self, code: str, message: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(message)
        self.code, self.headers = code, headers


class RestPage:
    """The API. One event loop uses it; endpoints run in threads."""

    def __init__(self, memory_of: Callable[[str], Memory], threads: int) -> None:
        """Takes what gives the memory of a space, and how many requests may be at work at once."""
        self._memory_of = memory_of
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="clew-rest")
        self._routes = [(_pattern(endpoint.path), endpoint) for endpoint in ENDPOINTS]
        self._document = json.dumps(document()).encode()

    def close(self) -> None:
        """Ends the threads when their work is done."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    async def __call__(self, principal: Principal, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answers a request of ASGI."""
        try:
            answer = await self._answer(principal, scope, receive)
        except _Refused as refused:
            status, body = problem(refused.code, str(refused))
            answer = _Answer(status, _encoded(body.to_dict()), refused.headers)
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(answer.body)),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            *answer.headers,
        ]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else answer.body})

    async def _answer(self, principal: Principal, scope: "Scope", receive: "Receive") -> _Answer:
        path = scope["raw_path"].decode("latin-1")
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        if path == DOCUMENT:
            if method != "GET":
                raise _Refused("method_not_allowed", f"{DOCUMENT} takes no {method}", (b"allow", b"GET, HEAD"))
            return _Answer(200, self._document)
        endpoint, named = self._found(method, path)
        if endpoint.scope not in principal.scopes:
            raise _Refused("forbidden", f"{endpoint.name} needs the scope {endpoint.scope}, which this token has not")
        body = await _body(scope, receive) if endpoint.method == "POST" else None
        work = asyncio.get_running_loop().run_in_executor(
            self._pool, self._called, endpoint, principal.space, named, scope["query_string"], body
        )
        return await work

    def _found(self, method: str, path: str) -> tuple[Endpoint, Mapping[str, str]]:
        below = path.removeprefix(ROOT) if path.startswith(ROOT + "/") else ""
        matches = [(endpoint, found) for pattern, endpoint in self._routes if (found := pattern.fullmatch(below))]
        for endpoint, found in matches:
            if endpoint.method == method:
                return endpoint, found.groupdict()
        if matches:
            allowed = ", ".join(sorted({endpoint.method for endpoint, _ in matches}))
            raise _Refused("method_not_allowed", f"this path takes {allowed}", (b"allow", allowed.encode()))
        raise _Refused("not_found", f"the API has no path {path[:100]!r}")

    def _called(
        self, endpoint: Endpoint, space: str, named: Mapping[str, str], query: bytes, body: bytes | None
    ) -> _Answer:
        """Checks what is given and calls the endpoint; in a thread."""
        try:
            given = {
                **checked_object(endpoint.located_in(FieldLocation.PATH), _decoded(endpoint, named), "the path"),
                **checked_object(endpoint.located_in(FieldLocation.QUERY), _in_query(endpoint, query), "the query"),
                **checked_object(endpoint.located_in(FieldLocation.BODY), _object(body), "the body"),
            }
            return _Answer(200, _encoded(endpoint.call(self._memory_of(space), given)))
        except Exception as error:  # noqa: BLE001  # whatever an endpoint raises is told in one shape
            status, told = problem_of(error)
            if status == 500:  # the status of a bug
                log.error("the endpoint %s failed: %s", endpoint.name, type(error).__name__)
            return _Answer(status, _encoded(told.to_dict()))


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(_SEGMENT.sub(r"(?P<\1>[^/]+)", path))


def _encoded(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


async def _body(scope: "Scope", receive: "Receive") -> bytes:
    kinds = [value for name, value in scope["headers"] if name == b"content-type"]
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Refused("bad_request", "the client left before the body was whole")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
        if size > MOST_BYTES:
            raise _Refused("too_large", f"the body has more than {MOST_BYTES} bytes", (b"connection", b"close"))
    if size and not any(kind.partition(b";")[0].strip().lower() == b"application/json" for kind in kinds):
        came = repr(kinds[0].decode("latin-1")[:60]) if kinds else "missing"
        raise _Refused("unsupported_type", f"the Content-Type of the body is {came}; expected 'application/json'")
    return b"".join(parts)


def _object(body: bytes | None) -> dict[str, Any]:
    if not body or not body.strip():
        return {}
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the body is no JSON: {str(error)[:100]}") from None
    if not isinstance(value, dict):
        raise InputError(f"the body is {type(value).__name__}; expected an object")
    return value


def _decoded(endpoint: Endpoint, named: Mapping[str, str]) -> dict[str, Any]:
    try:
        return {name: unquote(text, errors="strict") for name, text in named.items()}
    except UnicodeDecodeError:
        raise InputError(f"the path of {endpoint.name} is no UTF-8; percent-encode names in UTF-8") from None


def _in_query(endpoint: Endpoint, query: bytes) -> dict[str, Any]:
    fields: dict[str, Field] = {field.name: field for field in endpoint.located_in(FieldLocation.QUERY)}
    try:
        pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True, errors="strict", max_num_fields=50)
    except ValueError as error:
        raise InputError(f"the query string cannot be read: {str(error)[:100]}") from None
    twice = [name for name, _ in pairs if [name for name, _ in pairs].count(name) > 1]
    if twice:
        raise InputError(f"the query string has {twice[0]!r:.60} twice; give it once")
    return {name: from_text(fields[name], value) if name in fields else value for name, value in pairs}
