"""From the setting `embedder` to an embedder. docs/embedders.md describes every form."""

import logging
import re
from functools import cache
from typing import Final

from clew.errors import ConfigError, MissingExtra
from clew.models.minilm import find_minilm
from clew.models.protocol import Embedder

CHOICES: Final = (
    "auto",
    "none",
    "minilm",
    "fastembed:<model>",
    "sentence-transformers:<model>[@<revision>]",
    "openai:<model>[@<base_url>]",
    "ollama:<model>[@<base_url>]",
)

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
