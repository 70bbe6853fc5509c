"""Makes the model that a setting names; docs/embedders.md, docs/llm.md and docs/graph.md describe the settings."""

import logging
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Final

from clew.config import LLMConfig
from clew.errors import ConfigError, InputError, MissingExtra, shown
from clew.models.minilm import find_minilm
from clew.models.protocol import LLM, Embedder, Recogniser
from clew.types.entity import NameSpan

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
NER_CHOICES: Final = ("auto", "none", "spacy:<pipeline or folder>")

_log = logging.getLogger("clew.models")
_SERVED: Final = re.compile(r"(?P<model>.+?)(?:@(?P<url>https?://.*))?", re.DOTALL)


def choose_embedder(setting: str | Embedder | None, *, threads: int = 1) -> tuple[Embedder | None, str]:
    """The embedder that a setting names, and one line with the reason for the choice.

    Models are loaded, and servers contacted, when the first text is embedded. `auto` never fails: without a local model
    it returns None and warns once per process (logger `clew.models`). A model requested by name must be installed.

    Args:
        setting: one of `CHOICES`, an embedder object (returned unchanged), or None for no embedder.
        threads: processor threads for models that run in this process.

    Raises:
        ConfigError: the setting is not one of `CHOICES`, or its address is invalid.
        InputError: the object is not an embedder.
        MissingExtra: a package that the setting needs is not installed.
    """
    if setting is None or (isinstance(setting, str) and setting == "none"):
        return None, "no embedder: the setting is none"
    if not isinstance(setting, str):
        if not isinstance(getattr(setting, "name", None), str) or not callable(getattr(setting, "embed", None)):
            raise InputError(
                f"embedder={shown(setting, 100)} is not an embedder; expected a name, or an object with the Embedder "
                "protocol"
            )
        return setting, f"{setting.name}, as given"
    if setting in ("auto", "minilm"):
        return _local(threads, required=setting == "minilm")
    kind, _, rest = setting.partition(":")
    embedder = _by_name(kind, rest, threads) if rest.strip() else None
    if embedder is None:
        raise ConfigError(f"the embedder {setting!r} is unknown; expected one of {', '.join(CHOICES)}")
    return embedder, f"{embedder.name}, as set"


def choose_llm(setting: str | LLM | None, config: LLMConfig) -> LLM | None:
    """The language model that a setting names, or None. No library is loaded and no server contacted yet.

    Args:
        setting: one of `LLM_CHOICES`, or a language model object (returned unchanged); None means the configured one.

    Raises:
        ConfigError: the setting is not one of `LLM_CHOICES`, or its address is invalid.
        InputError: the object is not a language model.
        MissingExtra: the vendor's package is not installed; only recorded answers can be used without it.
    """
    if setting is None:
        setting = config.model
    if not isinstance(setting, str):
        if not isinstance(getattr(setting, "name", None), str) or not callable(getattr(setting, "complete", None)):
            raise InputError(
                f"llm={shown(setting)} is not a language model; expected a name, or an object with the LLM protocol"
            )
        return setting
    if setting == "none":
        return None
    kind, _, rest = setting.partition(":")
    served = _SERVED.fullmatch(rest)
    if kind not in ("openai", "anthropic", "gemini") or served is None or not rest.strip():
        raise ConfigError(f"the language model {setting!r} is unknown; expected one of {', '.join(LLM_CHOICES)}")
    from clew.models import vendors  # late, as the embedders below

    reach = vendors.ServerOptions(key_variable=config.key_variable, timeout=config.timeout, deadline=config.deadline)
    if config.calls == "live":
        vendors.require_vendor_package(kind)
    make, url = vendors.MAKERS[kind]
    return make(served["model"], served["url"] or url, reach)


class NoRecogniser:
    """A recogniser that finds no names, so that names found by an earlier model are removed."""

    name = "none"

    def recognise(self, texts: Sequence[str]) -> list[tuple[NameSpan, ...]]:
        """See `Recogniser`."""
        return [()] * len(texts)


def choose_recogniser(setting: str) -> tuple[Recogniser | None, str]:
    """The recogniser that finds names besides the rules, and one line with the reason for the choice.

    It is loaded when the first text is read. `auto` never fails: it returns None if nothing is installed.

    Raises:
        ConfigError: the setting is not one of `NER_CHOICES`, or names a folder without a pipeline.
        MissingExtra: the pipeline or spaCy is not installed.
    """
    if setting == "none":
        return NoRecogniser(), "names by rules only: the setting is none"
    if setting == "auto" and find_spec("spacy") is None:
        return None, "names by rules only: spaCy is not installed; to install it: pip install 'clew[ner]'"
    from clew.models import spacy_names  # late, as the embedders below

    if setting == "auto":
        recogniser = spacy_names.find_spacy()
        if recogniser is None:
            name = spacy_names.PREFERRED[0]
            return None, f"names by rules only: spaCy has no pipeline; to install one: python -m spacy download {name}"
        return recogniser, f"names by rules and {recogniser.name}"
    kind, _, pipeline = setting.partition(":")
    if kind != "spacy" or not pipeline.strip():
        raise ConfigError(f"entities.ner is {setting!r}; expected one of {', '.join(NER_CHOICES)}")
    named = spacy_names.spacy_recogniser(pipeline.strip())
    return named, f"names by rules and {named.name}"


def find_recogniser(setting: str) -> Callable[[], tuple[Recogniser | None, str]]:
    """Returns a function that gives the result of `choose_recogniser`.

    A model requested by name is looked up at once, since it must be installed; `auto` is resolved at the first call.

    Raises:
        ConfigError, MissingExtra: as `choose_recogniser`.
    """
    if setting == "auto":
        return lambda: choose_recogniser(setting)
    chosen = choose_recogniser(setting)
    return lambda: chosen


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
