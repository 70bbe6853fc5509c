"""Errors of the API, all in one shape: a code that programs read, a message, and what to do next."""

import json
from dataclasses import dataclass
from typing import Final

from clew.errors import (
    BudgetExceeded,
    ClewError,
    ConfigError,
    ConflictError,
    InputError,
    MissingExtra,
    ModelError,
    NotFoundError,
    StoreError,
    StoreFull,
    StoreLocked,
)
from clew.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiError(Record):
    """Why a request was not carried out.

    Attributes:
        code: one of a fixed list; programs go by it.
        message: what came and what was expected.
        next: what to do about it.
    """

    code: str
    message: str
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiErrorBody(Record):
    """The body of every error."""

    error: ApiError


@dataclass(frozen=True, slots=True)
class _Meaning:
    status: int
    code: str
    next: str


NEXT: Final = {
    "bad_request": "correct the request; /clew/api/openapi.json says what each endpoint takes",
    "unauthorised": "send the token as X-Clew-Token or as Authorization: Bearer",
    "forbidden": "use a token with the scope that the endpoint needs; serve.tokens gives scopes",
    "not_found": "list what there is: GET /clew/api/v1/sessions, POST /clew/api/v1/search",
    "method_not_allowed": "use one of the methods in the header Allow",
    "too_large": "send less at a time",
    "unsupported_type": "send JSON with Content-Type: application/json",
    "too_many_requests": "wait for the seconds in Retry-After",
}
"""What to do next, by the code of errors that are found before an endpoint is called."""

STATUSES: Final = {
    "bad_request": 400,
    "unauthorised": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "too_large": 413,
    "unsupported_type": 415,
    "too_many_requests": 429,
}

_MEANINGS: Final[tuple[tuple[type[BaseException], _Meaning], ...]] = (  # the first that fits
    (InputError, _Meaning(400, "bad_request", NEXT["bad_request"])),
    (ConfigError, _Meaning(400, "bad_request", NEXT["bad_request"])),
    (NotFoundError, _Meaning(404, "not_found", NEXT["not_found"])),
    (ConflictError, _Meaning(409, "conflict", "read the present state, and try again")),
    (StoreLocked, _Meaning(503, "store_busy", "try again in a few seconds")),
    (StoreFull, _Meaning(507, "store_full", "free disk space; nothing of this request was written")),
    (StoreError, _Meaning(503, "store_failed", "see /clew/health and the server's log; `clew doctor` checks the home")),
    (BudgetExceeded, _Meaning(503, "budget_used_up", "try again tomorrow, or raise llm.daily_tokens")),
    (ModelError, _Meaning(502, "model_failed", "try again; without a model Clew answers from the memory alone")),
    (MissingExtra, _Meaning(501, "not_installed", "install the extra that the message names")),
    (ClewError, _Meaning(500, "failed", "see the server's log")),
)

INTERNAL: Final = _Meaning(500, "internal", "see the server's log, and report the type of the error")


def problem(code: str, message: str, following: str | None = None) -> tuple[int, ApiErrorBody]:
    """Status and body of an error that is found before an endpoint is called; `following` is what to do next."""
    return STATUSES[code], ApiErrorBody(error=ApiError(code=code, message=message, next=following or NEXT[code]))


def refusal(status: int, message: str, following: str | None = None) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Headers and body of an error that is found before the API is asked, by its status."""
    code = next((code for code, known in STATUSES.items() if known == status), "bad_request")
    body = json.dumps(problem(code, message, following)[1].to_dict()).encode("ascii")
    return [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))], body


def problem_of(error: Exception) -> tuple[int, ApiErrorBody]:
    """Status and body of an error that an endpoint raised; a bug is told by its type alone."""
    meaning = next((meaning for kind, meaning in _MEANINGS if isinstance(error, kind)), INTERNAL)
    said = str(error) if isinstance(error, ClewError) else f"internal error in Clew ({type(error).__name__})"
    return meaning.status, ApiErrorBody(error=ApiError(code=meaning.code, message=said, next=meaning.next))
