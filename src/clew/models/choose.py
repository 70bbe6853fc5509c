"""From a setting to a model. docs/embedders.md and docs/llm.md describe every form."""

import logging
import re
from functools import cache
from typing import Final

from clew.config import LLMConfig
from clew.errors import ConfigError, InputError, MissingExtra
from clew.models.minilm import find_minilm
from clew.models.protocol import LLM, Embedder

CHOICES: Final = (
    "auto",
    "none",
    "minilm",
    "fastembed:<model>",
    "sentence-transformers:<model>[@<revision>]",
    "openai:<model>[@<base_url>]",
    "ollama:<model>[@<base_url>]",
)
LLM_CHOICES: Final = ("none", *(f"{kind}:<model>[@<base_url>]" for kind in ("openai", "anthropic", "gemini")))

_log = logging.getLogger("clew.models")
_SERVED: Final = re.compile(r"(?P<model>.+?)(?:@(?P<url>https?://.*))?", re.DOTALL)


def choose_embedder(setting: str | Embedder | None, *, threads: int = 1) -> tuple[Embedder | None, str]:
    """The embedder that a setting names, with the reason for the choice in one line.

    Nothing is loaded and no server is reached; that happens with the first text. `auto` never fails: with no local
    model it gives None and warns once a process (logger `clew.models`). What was asked for by name must be there.

    Args:
        setting: one of `CHOICES`, an embedder (taken as it is), or None for no embedder.
        threads: of the processor, for models that run in this process.

    Raises:
        ConfigError: the setting is none of `CHOICES`, or its address is wrong.
        MissingExtra: a package that the setting names is not installed.
    """
    if setting is None or setting == "none":
        return None, "no embedder: the setting is none"
    if not isinstance(setting, str):
        return setting, f"{setting.name}, as given"
    if setting in ("auto", "minilm"):
        return _local(threads, required=setting == "minilm")
    kind, _, rest = setting.partition(":")
    embedder = _by_name(kind, rest, threads) if rest.strip() else None
    if embedder is None:
        raise ConfigError(f"the embedder {setting!r} is unknown; expected one of {', '.join(CHOICES)}")
    return embedder, f"{embedder.name}, as set"


def choose_llm(setting: str | LLM | None, config: LLMConfig) -> LLM | None:
    """The language model that a setting names; None for none. No library is loaded and no server is reached.

    Args:
        setting: one of `LLM_CHOICES`, or a language model (taken as it is); None takes the configured one.

    Raises:
        ConfigError: the setting is none of `LLM_CHOICES`, or its address is wrong.
        InputError: what was given is no language model.
        MissingExtra: the vendor's package is not installed; not needed when recorded answers alone are used.
    """
    if setting is None:
        setting = config.model
    if not isinstance(setting, str):
        if not isinstance(getattr(setting, "name", None), str) or not callable(getattr(setting, "complete", None)):
            raise InputError(
                f"llm={setting!r:.100} is no language model; expected a name, or an object with the LLM protocol"
            )
        return setting
    if setting == "none":
        return None
    kind, _, rest = setting.partition(":")
    served = _SERVED.fullmatch(rest)
    if kind not in ("openai", "anthropic", "gemini") or served is None or not rest.strip():
        raise ConfigError(f"the language model {setting!r} is unknown; expected one of {', '.join(LLM_CHOICES)}")
    from clew.models import vendors  # late, as the embedders below

    reach = vendors.Reach(key_variable=config.key_variable, timeout=config.timeout, deadline=config.deadline)
    if config.calls == "live":
        vendors.see_that_installed(kind)
    make, url = vendors.MAKERS[kind]
    return make(served["model"], served["url"] or url, reach)


def _local(threads: int, *, required: bool) -> tuple[Embedder | None, str]:
    embedder, reason = find_minilm(threads=threads)
    if embedder is None and required:
        raise MissingExtra(reason)
    if embedder is None:
        _warn_once(reason)
    return embedder, reason


@cache
def _warn_once(reason: str) -> None:
    _log.warning("%s", reason)


def _by_name(kind: str, rest: str, threads: int) -> Embedder | None:
    # Late: HTTP and package metadata take 40 ms to import, and every start of Clew would wait for them.
    from clew.models import endpoints, libraries

    if kind == "fastembed":
        return libraries.fastembed_embedder(rest, threads=threads)
    if kind == "sentence-transformers":
        model, _, revision = rest.partition("@")
        return libraries.sentence_transformers_embedder(model, revision or "main")
    served = _SERVED.fullmatch(rest)
    if served is None or kind not in ("openai", "ollama"):
        return None
    model, url = served["model"], served["url"]
    if kind == "openai":
        return endpoints.openai_embedder(model, url or endpoints.OPENAI_URL)
    return endpoints.ollama_embedder(model, url or endpoints.OLLAMA_URL)
