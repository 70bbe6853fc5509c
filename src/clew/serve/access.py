"""Decides who may ask the server for what: by host and origin, by token, and by rate.

A space comes from the token, or from the command line where there is none, never from a header of the client. Borders:
knows no page and no network; a request is given by its headers.
"""

import hashlib
import hmac
import logging
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from clew.config import ServeConfig
from clew.errors import ConfigError

log = logging.getLogger("clew.serve")

Headers = Mapping[bytes, bytes]

NO_TOKEN: Final = "none"  # noqa: S105  # the value of the setting that means there is none
_GRANT: Final = re.compile(r"(?P<space>[^\s:=]+)(?::(?P<scopes>[a-z+]+))?=(?P<token>\S+)")
_OTHER: Final = "send a token of the server's settings, as X-Clew-Token or as Authorization: Bearer"
_GUESSED_BELOW: Final = 8
"""Characters of a token below which it can be guessed by whoever reaches the server."""


class AccessScope(StrEnum):
    """What a token allows."""

    PROXY = "proxy"
    """Chats through the proxy, which are remembered."""
    READ = "read"
    """Questions to the memory."""
    WRITE = "write"
    """Storing and changing turns."""
    FORGET = "forget"
    """Deleting turns."""


EVERYTHING: Final = frozenset(AccessScope)


@dataclass(frozen=True, slots=True)
class Principal:
    """Whose request it is.

    Attributes:
        space: the space that its memories belong to.
        scopes: what it may do.
        name: tells tokens apart in logs and rate limits, without showing them.
        has_token: whether it showed one; without tokens in the settings nobody does.
        sees_server: it may know how the server as a whole fares, and not only its own space.
    """

    space: str
    scopes: frozenset[AccessScope] = EVERYTHING
    name: str = "local"
    has_token: bool = False
    sees_server: bool = True


@dataclass(frozen=True, slots=True)
class AccessDenied:
    """Why a request is refused.

    Attributes:
        status: of HTTP.
        message: what came and what was expected.
        retry_after: when to come again, in seconds.
        next: what to do about it, where the status alone does not tell.
    """

    status: int
    message: str
    retry_after: int | None = None
    next: str | None = None


@dataclass(frozen=True, slots=True)
class Grant:
    """A token, as its SHA-256, and the principal that shows it."""

    digest: bytes
    principal: Principal


def is_loopback(host: str) -> bool:
    """Whether a host name or address, without port, is this machine's own."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:  # a name, not an address
        return host == "localhost"


def grants_of(config: ServeConfig, space: str, environment: Mapping[str, str] | None = None) -> tuple[Grant, ...]:
    """The tokens of the settings; `serve.token` is for `space`, and for whoever runs the server.

    Where tokens are for several spaces, those of `serve.tokens` are for their own alone.

    Raises:
        ConfigError: a token cannot be read, its variable is not set, or the server would listen beyond this machine
            without one. No message shows a token.
    """
    env = os.environ if environment is None else environment
    grants = [] if config.token == NO_TOKEN else [_grant(config.token, space, EVERYTHING, "serve.token", env)]
    for number, text in enumerate(config.tokens, start=1):
        given = _GRANT.fullmatch(text)
        what = f"entry {number} of serve.tokens"
        if given is None:
            raise ConfigError(
                f"{what} cannot be read (not shown, it may hold a secret); expected SPACE=TOKEN, or "
                "SPACE:SCOPE+SCOPE=TOKEN"
            )
        grants.append(_grant(given["token"], given["space"], _scopes(given["scopes"], what), what, env))
    if not grants and not is_loopback(config.host):
        raise ConfigError(
            f"serve.host is {config.host!r}, which others can reach, and there is no token; set serve.token, --token "
            "or CLEW_SERVE_TOKEN, or listen on 127.0.0.1"
        )
    if len({grant.principal.space for grant in grants}) == 1:
        return tuple(grants)
    own = 0 if config.token == NO_TOKEN else 1
    return (*grants[:own], *(_of_its_space_alone(grant) for grant in grants[own:]))


def _of_its_space_alone(grant: Grant) -> Grant:
    return replace(grant, principal=replace(grant.principal, sees_server=False))


def _scopes(text: str | None, what: str) -> frozenset[AccessScope]:
    if text is None:
        return EVERYTHING
    names = text.split("+")
    unknown = sorted(set(names) - set(AccessScope))
    if unknown:
        raise ConfigError(f"{what} has the scope {unknown[0]!r}; expected some of {', '.join(AccessScope)}")
    return frozenset(map(AccessScope, names))


def _grant(token: str, space: str, scopes: frozenset[AccessScope], what: str, env: Mapping[str, str]) -> Grant:
    if token.startswith("sha256:"):
        if re.fullmatch(r"[0-9a-fA-F]{64}", token[7:]) is None:
            raise ConfigError(f"{what} has sha256: without 64 hexadecimal digits; docs/proxy.md says how to make it")
        digest = bytes.fromhex(token[7:])
    else:
        if token.startswith("env:"):
            variable = token[4:]
            token = env.get(variable, "").strip()
            if not token:
                raise ConfigError(f"{what} names the environment variable {variable}, which is not set; set it")
        if not (token and token.isascii() and token.isprintable()):
            raise ConfigError(
                f"{what} has characters that a header cannot hold; take a token of printable ASCII characters"
            )
        if len(token) < _GUESSED_BELOW:
            log.warning("%s has fewer than %d characters and can be guessed; take a longer one", what, _GUESSED_BELOW)
        digest = hashlib.sha256(token.encode()).digest()
    return Grant(digest, Principal(space, scopes, digest.hex()[:8], has_token=True))


class Access:
    """Decides whether a request may enter, by host, origin, token and rate. Only one event loop may use it."""

    def __init__(
        self, config: ServeConfig, space: str, grants: tuple[Grant, ...], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._grants = grants
        self._local = Principal(space)
        self._hosts = {host.lower() for host in (*config.hosts, config.host)} - {"0.0.0.0", "::"}  # noqa: S104  # left out
        self._origins = config.origins
        self._any_address = not is_loopback(config.host)
        self._rate = _Rate(config.rate, now)

    def admit(self, headers: Headers, *, own_page: bool) -> Principal | AccessDenied:
        """Whose request this is, or why it is refused.

        Args:
            headers: names in lower case.
            own_page: it is for a page below /clew/, where `Authorization: Bearer` may hold the token as well; elsewhere
                that header is the provider's.
        """
        refusal = self.checked_origin(headers)
        if refusal is not None:
            return refusal
        token = _shown_token(headers, own_page=own_page)
        principal = self._principal(token)
        if principal is None and token:
            return AccessDenied(401, "this token is not known", next=_OTHER)
        if principal is None:
            return AccessDenied(401, "this server needs a token; send it as the header X-Clew-Token")
        wait = self._rate.wait(principal.name)
        if wait:
            return AccessDenied(429, f"more requests a minute than serve.rate allows; try again in {wait} s", wait)
        return principal

    def checked_origin(self, headers: Headers) -> AccessDenied | None:
        """Refuses requests for an unknown host name, and those that a browser sends for another site's page."""
        host = headers.get(b"host")
        if host is not None and not self.is_own_host(host.decode("latin-1")):
            said = f"this server is not called {_shown(host)}; serve.hosts lists its names"
            return AccessDenied(403, said, next="call it by one of its names, or add this one to serve.hosts")
        origin = headers.get(b"origin")
        if origin is not None and not self._is_own_origin(origin.decode("latin-1")):
            said = f"pages of {_shown(origin)} may not call this server; see serve.origins"
            return AccessDenied(403, said, next="add the origin to serve.origins, if its pages may call this server")
        return None

    def listed_origin(self, headers: Headers) -> bytes | None:
        """The origin of a page of another site, if `serve.origins` lists it; it may then read what it is answered."""
        origin = headers.get(b"origin")
        return origin if origin is not None and self._is_listed(origin.decode("latin-1")) else None

    def is_own_host(self, host: str) -> bool:
        """Whether a host name, with or without a port, is one of this server."""
        name = _without_port(host.strip().lower())
        return name in self._hosts or is_loopback(name) or (self._any_address and _is_address(name))

    def _is_listed(self, origin: str) -> bool:
        return any(fnmatchcase(origin, pattern) for pattern in self._origins)

    def _is_own_origin(self, origin: str) -> bool:
        if self._is_listed(origin):
            return True
        try:
            parts = urlsplit(origin)
            name = (parts.hostname or "").lower()
        except ValueError:  # no address at all
            return False
        return parts.scheme in ("http", "https") and (is_loopback(name) or name in self._hosts)

    def _principal(self, token: bytes | None) -> Principal | None:
        if not self._grants:
            return self._local
        digest = hashlib.sha256(token or b"").digest()
        principal = None
        for grant in self._grants:  # all of them, so that the time does not tell which one nearly matched
            if hmac.compare_digest(grant.digest, digest):
                principal = grant.principal
        return principal if token else None


def _shown_token(headers: Headers, *, own_page: bool) -> bytes | None:
    token = headers.get(b"x-clew-token")
    if not token and own_page:
        kind, _, value = headers.get(b"authorization", b"").partition(b" ")
        token = value.strip() if kind.lower() == b"bearer" else None
    return token


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0].removeprefix("[")
    return host.rpartition(":")[0] if host.count(":") == 1 else host


def _shown(value: bytes) -> str:
    return repr(value.decode("latin-1"))[:80]


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class _Rate:
    """A token bucket for each principal, filled within a minute."""

    def __init__(self, per_minute: int, now: Callable[[], float]) -> None:
        self._most, self._now = per_minute, now
        self._left: dict[str, tuple[float, float]] = {}

    def wait(self, name: str) -> int:
        """Counts a request; returns 0 if it may pass now, else the whole seconds until one may."""
        if self._most == 0:
            return 0
        now = self._now()
        left, then = self._left.get(name, (float(self._most), now))
        left = min(float(self._most), left + (now - then) * self._most / 60)
        allowed = left >= 1
        self._left[name] = (left - 1 if allowed else left, now)
        return 0 if allowed else max(1, int((1 - left) * 60 / self._most) + 1)
