"""Language models of OpenAI, Anthropic and Gemini through the vendors' SDKs, whose errors are translated here.

An SDK is imported with the first request, which takes 1.5 to 3 seconds of CPU. A client lives for one request only, so
that the key is read from the environment each time and never stored, and no connection stays open.
"""

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clew.errors import MissingExtra, ModelError, ModelUnavailable
from clew.models.extras import load_library
from clew.models.http_client import LARGEST, bounded_client
from clew.models.libraries import installed_version
from clew.models.prompt import Completion, Prompt
from clew.models.schema import strict
from clew.models.server_address import KeyVariables, checked_host, is_loopback
from clew.models.server_llm import DEADLINE, TIMEOUT, Refusal, ServedLLM

KEY: Final = "CLEW_LLM_KEY"
OPENAI_URL: Final = "https://api.openai.com/v1"
ANTHROPIC_URL: Final = "https://api.anthropic.com"
GEMINI_URL: Final = "https://generativelanguage.googleapis.com"

_TOLD: Final = 200  # characters of a server's error text that a message quotes
_NEVER_SENT: Final = ("ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol")
_STOPS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("length", "max_tokens", "MAX_TOKENS", "model_context_window_exceeded"), "length"),
    **dict.fromkeys(("content_filter", "refusal", "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST"), "refusal"),
    **dict.fromkeys(("PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"), "refusal"),
}
"""`Completion.stop` by the vendors' stop reasons; every other reason means `end`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """How a server is reached.

    Attributes:
        key_variable: of the environment; what it holds goes to the server that the setting names, whichever it is.
        timeout: seconds for one answer.
        deadline: seconds with everything.
        largest: bytes of one answer.
    """

    key_variable: str = KEY
    timeout: float = TIMEOUT
    deadline: float = DEADLINE
    largest: int = LARGEST
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)


def openai_llm(model: str, base_url: str = OPENAI_URL, reach: ServerOptions | None = None) -> ServedLLM:
    """A model at `<base_url>/chat/completions`: OpenAI's, or of any server that speaks so (Ollama, llama.cpp, vLLM).

    Raises:
        ConfigError: the address is not one of HTTP, or carries a user name or query.
    """
    own = base_url == OPENAI_URL
    # OpenAI's newer models take no temperature and know only the first name of the limit; servers that imitate it may
    # know only the second, and would write without end.
    options: dict[str, Any] = {} if own else {"temperature": 0}
    limit = "max_completion_tokens" if own else "max_tokens"

    def ask(client: Any, key: str, prompt: Prompt, max_tokens: int, seconds: float) -> Completion:
        sdk = load_library("openai")
        more = dict(options)
        if prompt.schema is not None:
            form = {"name": "answer", "strict": True, "schema": strict(prompt.schema)}
            more["response_format"] = {"type": "json_schema", "json_schema": form}
        messages = [{"role": "system", "content": prompt.instructions}]
        messages += [{"role": message.role, "content": message.text} for message in prompt.messages]
        made = sdk.OpenAI(api_key=key, base_url=base_url, http_client=client, max_retries=0)
        done = made.chat.completions.create(
            model=model, messages=messages, timeout=seconds, **{limit: max_tokens}, **more
        )
        choice = done.choices[0]
        declined = getattr(choice.message, "refusal", None)
        return Completion(
            declined or choice.message.content or "",
            *_counts(done.usage, ("prompt_tokens",), ("completion_tokens",)),
            done.model or model,
            "refusal" if declined else _stop(choice.finish_reason),
        )

    return _served(f"openai:{model}", base_url, KeyVariables(KEY, "OPENAI_API_KEY", "api.openai.com"), reach, ask)


def anthropic_llm(model: str, base_url: str = ANTHROPIC_URL, reach: ServerOptions | None = None) -> ServedLLM:
    """A model of Anthropic's Messages API.

    Raises:
        ConfigError: the address is not one of HTTP, or carries a user name or query.
    """

    def ask(client: Any, key: str, prompt: Prompt, max_tokens: int, seconds: float) -> Completion:
        sdk = load_library("anthropic")
        more: dict[str, Any] = {}
        if prompt.schema is not None:
            more["output_config"] = {"format": {"type": "json_schema", "schema": strict(prompt.schema)}}
        made = sdk.Anthropic(api_key=key, base_url=base_url, http_client=client, max_retries=0)
        done = made.messages.create(
            model=model,
            max_tokens=max_tokens,
            system=prompt.instructions,
            messages=[{"role": message.role, "content": message.text} for message in prompt.messages],
            timeout=seconds,
            **more,
        )
        cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
        return Completion(
            "".join(block.text for block in done.content if block.type == "text"),
            *_counts(done.usage, ("input_tokens", *cached), ("output_tokens",)),
            done.model or model,
            _stop(done.stop_reason),
        )

    return _served(
        f"anthropic:{model}", base_url, KeyVariables(KEY, "ANTHROPIC_API_KEY", "api.anthropic.com"), reach, ask
    )


def gemini_llm(model: str, base_url: str = GEMINI_URL, reach: ServerOptions | None = None) -> ServedLLM:
    """A model of the Gemini API.

    Raises:
        ConfigError: the address is not one of HTTP, or carries a user name or query.
    """

    def ask(client: Any, key: str, prompt: Prompt, max_tokens: int, seconds: float) -> Completion:
        import ssl  # with the SDK, not at the start of a program

        sdk = load_library("google.genai")
        settings: dict[str, Any] = {"system_instruction": prompt.instructions, "max_output_tokens": max_tokens}
        if prompt.schema is not None:
            settings |= {"response_mime_type": "application/json", "response_json_schema": strict(prompt.schema)}
        unused = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody; else the SDK reads all certificates, twice
        own = {"client_args": {"verify": unused}, "async_client_args": {"verify": unused, "ssl": unused}}
        http = {"base_url": base_url, "httpx_client": client, "timeout": math.ceil(1000 * seconds), **own}
        made = sdk.Client(api_key=key, vertexai=False, http_options=http)
        roles = {"user": "user", "assistant": "model"}
        done = made.models.generate_content(
            model=model,
            contents=[{"role": roles[message.role], "parts": [{"text": message.text}]} for message in prompt.messages],
            config=settings,
        )
        wrote = ("candidates_token_count", "thoughts_token_count")
        counts = _counts(done.usage_metadata, ("prompt_token_count", "tool_use_prompt_token_count"), wrote)
        if not done.candidates:
            blocked = getattr(done.prompt_feedback, "block_reason", None)
            return Completion(str(blocked or ""), *counts, model, "refusal" if blocked else "end")
        first = done.candidates[0]
        parts = (first.content and first.content.parts) or ()
        text = "".join(part.text for part in parts if part.text and not part.thought)
        reason = getattr(first.finish_reason, "value", first.finish_reason)
        return Completion(text, *counts, done.model_version or model, _stop(reason))

    host = "generativelanguage.googleapis.com"
    return _served(f"gemini:{model}", base_url, KeyVariables(KEY, "GEMINI_API_KEY", host), reach, ask)


MAKERS: Final[Mapping[str, tuple[Callable[[str, str, ServerOptions], ServedLLM], str]]] = {
    "openai": (openai_llm, OPENAI_URL),
    "anthropic": (anthropic_llm, ANTHROPIC_URL),
    "gemini": (gemini_llm, GEMINI_URL),
}
"""By the vendor's name: what makes a model from its name, address and reach; and the vendor's own address."""

_PACKAGES: Final[Mapping[str, str]] = {"openai": "openai", "anthropic": "anthropic", "gemini": "google-genai"}


def require_vendor_package(vendor: str, installed: Callable[[str], str | None] = installed_version) -> None:
    """Raises a MissingExtra that says what to install, if the vendor's package is not there."""
    package = _PACKAGES[vendor]
    if installed(package) is None:
        raise MissingExtra(
            f"the language model needs {package}, which is not installed; run: pip install 'clew[{vendor}]'"
        )


def _served(
    name: str,
    base_url: str,
    keys: KeyVariables,
    reach: ServerOptions | None,
    ask: Callable[[Any, str, Prompt, int, float], Completion],
) -> ServedLLM:
    """A model whose function gets the HTTP client and the key, and may raise anything."""
    reach = reach or ServerOptions()
    keys = KeyVariables(reach.key_variable, keys.vendor, keys.host)
    host = checked_host(base_url, "language model", keys.own)

    def once(prompt: Prompt, max_tokens: int, seconds: float) -> Completion | Refusal:
        key = keys.find(base_url, reach.environment)
        try:
            with bounded_client(here=is_loopback(base_url), largest=reach.largest) as client:
                return ask(client, key or "none", prompt, max_tokens, seconds)  # the SDKs want one in any case
        except Exception as error:  # what the SDKs raise has no common base
            refused = _refusal(error, key)
            if refused is None:
                raise _failure(error, name, key) from error
            return refused

    return ServedLLM(
        name if host == keys.host else f"{name}@{host}", once, timeout=reach.timeout, deadline=reach.deadline
    )


def _refusal(error: Exception, key: str | None) -> Refusal | None:
    """The server's refusal that an SDK's error tells of; None for any other error."""
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    return Refusal(status, _told(error, key), _wait(error)) if isinstance(status, int) and status >= 300 else None


def _failure(error: Exception, name: str, key: str | None) -> ModelError:
    """What any other error of an SDK comes down to."""
    chain = list(_chain(error))
    kinds = [type(link).__name__ for link in chain]
    if isinstance(error, ImportError):
        return ModelUnavailable(f"{name} cannot be asked: {_told(error, key)}; install its package again")
    if any(kind in _NEVER_SENT for kind in kinds):
        return ModelUnavailable(f"{name} cannot be reached ({_told(chain[-1], key)}); is the server running?")
    if any("Timeout" in kind for kind in kinds):
        return ModelError(f"{name} did not answer in time")
    return ModelError(f"{name} gave no answer that can be read: {kinds[-1]} {_told(chain[-1], key)}")


def _told(error: BaseException, key: str | None) -> str:
    """The beginning of what an error says, on one line, without the key."""
    text = str(error) if key is None else str(error).replace(key, "[key]")
    return re.sub(r"\s+", " ", text)[:_TOLD]


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those that caused it."""
    while error is not None:
        yield error
        error = error.__cause__


def _wait(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", {})
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None  # not said, or said as a date, which no vendor does
    return seconds if 0 <= seconds < math.inf else None


def _counts(usage: Any, told_in: tuple[str, ...], told_out: tuple[str, ...]) -> tuple[int | None, int | None]:
    """Tokens read and written: sums of what a vendor counts apart; None where it counts nothing."""
    return _sum(usage, told_in), _sum(usage, told_out)


def _sum(usage: Any, names: tuple[str, ...]) -> int | None:
    values = [getattr(usage, name, None) for name in names]
    numbers = [value for value in values if isinstance(value, int)]
    return sum(numbers) if numbers else None


def _stop(reason: Any) -> Any:
    return _STOPS.get(str(reason), "end")
