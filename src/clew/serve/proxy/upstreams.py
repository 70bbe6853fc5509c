"""Decides which provider a request is for, and at which address it is reached."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import unquote, urlsplit

from clew.config import ServeConfig
from clew.errors import ConfigError
from clew.serve.proxy.lenient_json import read_json


class Provider(StrEnum):
    """Whose API a request speaks to; the value is its prefix in the path."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    GEMINI = "gemini"


@dataclass(frozen=True, slots=True)
class Upstream:
    """Address of a provider: scheme, host and port as in a URL, and the path before that of a request."""

    origin: str
    path: str


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes: the provider, and the path below its prefix as it came, with the query string."""

    provider: Provider
    path: bytes


_OPENAI: Final = Upstream("https://api.openai.com", "")
_CHATGPT: Final = Upstream("https://chatgpt.com", "/backend-api/codex")

_BY_PATH: Final = (
    ("/v1beta", Provider.GEMINI),
    ("/v1alpha", Provider.GEMINI),
    ("/v1/messages", Provider.ANTHROPIC),
    ("/v1/complete", Provider.ANTHROPIC),
)
"""Paths that only one API has; its prefix is followed by the end, or by a slash."""
_UNVERSIONED: Final = frozenset((b"messages", b"models", b"files", b"complete"))
"""First steps of paths of Anthropic from programs that take `/v1` for a part of the base URL (opencode, the AI SDK)."""
_OPENAI_ONLY: Final = ("/v1/chat/", "/v1/responses", "/v1/completions", "/v1/embeddings", "/v1/audio/", "/v1/images/")


def upstreams(config: ServeConfig) -> dict[Provider, Upstream]:
    """The addresses of the settings.

    Raises:
        ConfigError: one of them is not an HTTP address; the message does not show it, since it may hold a password.
    """
    given = {
        Provider.ANTHROPIC: config.upstream_anthropic,
        Provider.OPENAI: config.upstream_openai,
        Provider.GEMINI: config.upstream_gemini,
    }
    return {provider: _upstream(provider, address) for provider, address in given.items()}


def _upstream(provider: Provider, address: str) -> Upstream:
    try:
        parts = urlsplit(address.strip())
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        has_port = False
        parts = urlsplit("")
    wrong = not has_port or parts.scheme not in ("http", "https") or not parts.hostname
    if wrong or parts.query or parts.fragment or parts.username is not None:
        raise ConfigError(
            f"serve.upstream_{provider} is no address (not shown, it may hold a password); expected "
            "http(s)://host[:port][/path], without user, query and fragment"
        )
    return Upstream(f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/"))


def is_plain(path: bytes) -> bool:
    """Whether a path is one that a provider has: absolute, and without steps up, backslashes and control characters."""
    text = unquote(path.decode("latin-1"), encoding="latin-1")
    steps = text.replace("\\", "/").split("/")
    return (
        text.startswith("/")
        and "\\" not in text
        and not {".", ".."} & set(steps)
        and all(" " <= char != "\x7f" for char in text)
    )


def split_prefix(path: bytes) -> tuple[Provider | None, bytes] | None:
    """The provider of a path's prefix, and the path below it.

    No provider for `/v1` and the like, which several have; None for paths that none has.
    """
    first, slash, rest = path[1:].partition(b"/")
    name = first.decode("latin-1")
    if name in set(Provider):
        is_unversioned = name == Provider.ANTHROPIC and rest.partition(b"/")[0] in _UNVERSIONED
        return Provider(name), (b"/v1" if is_unversioned else b"") + (slash + rest or b"/")
    return (None, path) if name in ("v1", "v1beta", "v1alpha") else None


def by_marks(path: bytes, headers: Mapping[bytes, bytes], query: bytes) -> Provider | None:
    """The provider that a bare path, the headers or the query tell; None when only the body can tell.

    Args:
        headers: names in lower case.
    """
    text = path.decode("latin-1")
    for prefix, provider in _BY_PATH:
        if text == prefix or text.startswith(f"{prefix}/"):
            return provider
    if ":" in text.rpartition("/")[2]:  # /v1/models/NAME:generateContent
        return Provider.GEMINI
    key = headers.get(b"authorization", b"").partition(b" ")[2].strip()
    if b"anthropic-version" in headers or b"x-api-key" in headers or key.startswith(b"sk-ant-"):
        return Provider.ANTHROPIC
    if b"x-goog-api-key" in headers or any(part.startswith(b"key=") for part in query.split(b"&")):
        return Provider.GEMINI
    if text.startswith(_OPENAI_ONLY) or b"authorization" in headers:
        return Provider.OPENAI
    return None


def by_body(body: bytes) -> Provider:
    """The provider whose shape a JSON body has; OpenAI's when it has none."""
    try:
        value = read_json(body)
    except (ValueError, RecursionError):  # no JSON; its upstream will say so
        return Provider.OPENAI
    if isinstance(value, dict) and "contents" in value:
        return Provider.GEMINI
    return Provider.ANTHROPIC if isinstance(value, dict) and "anthropic_version" in value else Provider.OPENAI


def url_of(upstream: Upstream, path: bytes) -> tuple[str, bytes]:
    """The address to connect to, and the target to ask for there.

    An address that ends in the first step of the path (`https://host/api/v1` and `/v1/models`) has it once.
    """
    base = upstream.path.encode()
    first = b"/" + path[1:].partition(b"/")[0].partition(b"?")[0]
    if base.endswith(first) and len(first) > 1:
        base = base[: -len(first)]
    return upstream.origin, base + path


def address_for(given: Upstream, target: Target, headers: Mapping[bytes, bytes]) -> tuple[str, bytes]:
    """Where a request goes: to the address of the settings, or to where its login is valid.

    Codex with a login of ChatGPT sends that login's token to whatever base URL it has, and OpenAI's API refuses it:
    it is for one address alone, which has no `/v1`. A gateway that the settings name gets everything.

    Args:
        headers: names in lower case.
    """
    if target.provider is Provider.OPENAI and given == _OPENAI and b"chatgpt-account-id" in headers:
        return url_of(_CHATGPT, target.path.removeprefix(b"/v1"))
    return url_of(given, target.path)
