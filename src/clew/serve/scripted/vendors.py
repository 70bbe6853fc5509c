"""The four APIs side by side: which path is which, what each refuses, and how each answers."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from clew.serve.proxy.economy.cache_model import Block, CacheUse
from clew.serve.scripted import (
    anthropic_answers,
    anthropic_rules,
    gemini_answers,
    gemini_rules,
    openai_answers,
    openai_rules,
    responses_answers,
    responses_rules,
)
from clew.serve.scripted.refusal import Denial
from clew.serve.scripted.script import RecordedRequest, Reply

Value = Mapping[str, Any]
Items = list[dict[str, Any]]
Counts = tuple[CacheUse, int]


@dataclass(frozen=True, slots=True)
class VendorApi:
    """One API; the functions take the request's parsed body.

    Attributes:
        overloaded: the status of an overloaded server.
        refusals: what is wrong with a request, given the items that the API stored for the conversation before.
        counted: the body of an answer to a request that counts tokens.
    """

    overloaded: int
    refusals: Callable[[Value, Items], Iterator[Denial]]
    prompt: Callable[[Value, Items], list[Block]]
    whole: Callable[[Value, Reply, Counts, int], dict[str, Any]]
    events: Callable[[Value, Reply, Counts, int], Iterator[bytes]]
    error: Callable[[Denial, int], bytes]
    error_event: Callable[[Denial, int], bytes]
    counted: Callable[[int], dict[str, Any]]


VENDORS: Final[Mapping[str, VendorApi]] = {
    "anthropic": VendorApi(
        overloaded=529,
        refusals=lambda value, _earlier: anthropic_rules.refusals(value),
        prompt=lambda value, _earlier: anthropic_answers.prompt(value),
        whole=anthropic_answers.whole,
        events=anthropic_answers.events,
        error=anthropic_answers.error,
        error_event=anthropic_answers.error_event,
        counted=lambda total: {"input_tokens": total},
    ),
    "openai": VendorApi(
        overloaded=503,
        refusals=lambda value, _earlier: openai_rules.refusals(value),
        prompt=lambda value, _earlier: openai_answers.prompt(value),
        whole=openai_answers.whole,
        events=openai_answers.events,
        error=openai_answers.error,
        error_event=openai_answers.error_event,
        counted=lambda total: {"object": "count", "input_tokens": total},
    ),
    "responses": VendorApi(
        overloaded=503,
        refusals=responses_rules.refusals,
        prompt=responses_answers.prompt,
        whole=responses_answers.whole,
        events=responses_answers.events,
        error=responses_answers.error,
        error_event=responses_answers.error_event,
        counted=lambda total: {"object": "response.input_tokens", "input_tokens": total},
    ),
    "gemini": VendorApi(
        overloaded=503,
        refusals=lambda value, _earlier: gemini_rules.refusals(value),
        prompt=lambda value, _earlier: gemini_answers.prompt(value),
        whole=gemini_answers.whole,
        events=gemini_answers.events,
        error=gemini_answers.error,
        error_event=gemini_answers.error_event,
        counted=lambda total: {
            "totalTokens": total,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": total}],
        },
    ),
}

_PATHS: Final = (
    ("anthropic", "create", re.compile(r".*/v1/messages")),
    ("anthropic", "count", re.compile(r".*/v1/messages/count_tokens")),
    ("openai", "create", re.compile(r".*/chat/completions")),
    ("responses", "create", re.compile(r".*/responses")),
    ("responses", "count", re.compile(r".*/responses/input_tokens")),
    ("gemini", "create", re.compile(r".*/models/(?P<model>[^/:]+):generateContent")),
    ("gemini", "stream", re.compile(r".*/models/(?P<model>[^/:]+):streamGenerateContent")),
    ("gemini", "count", re.compile(r".*/models/(?P<model>[^/:]+):countTokens")),
)


class Route(NamedTuple):
    """What a path asks for.

    Attributes:
        wire: the API that it belongs to.
        work: `create`, `stream` or `count`; empty for anything else.
        model: the model that it names; empty if it names none.
    """

    wire: str
    work: str = ""
    model: str = ""


def route(path: str) -> Route:
    """What a path, without its query string, asks for."""
    for wire, work, pattern in _PATHS:
        match = pattern.fullmatch(path)
        if match:
            return Route(wire, work, match.groupdict().get("model", ""))
    if "/v1beta" in path:
        return Route("gemini")
    return Route("anthropic" if "/messages" in path else "openai")


def unauthorised(wire: str, request: RecordedRequest) -> Denial | None:
    """Why a request has no access: none of the vendor's headers carries a key."""
    key = request.header("x-api-key") or _bearer(request.header("authorization"))
    if wire == "anthropic":
        if not key:
            return Denial("x-api-key header is required", 401)
        if not request.header("anthropic-version"):
            return Denial("anthropic-version: header is required")
        return None
    if wire == "gemini":
        key = key or request.header("x-goog-api-key") or ("key" if re.search(r"[?&]key=[^&]", request.path) else None)
        text = "Method doesn't allow unregistered callers (callers without established identity)."
        return None if key else Denial(text, 403)
    text = (
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth."
    )
    return None if _bearer(request.header("authorization")) else Denial(text, 401)


def _bearer(header: str | None) -> str | None:
    return header[7:] or None if header and header.lower().startswith("bearer ") else None
