"""Prices of models and rules of the providers' prompt caches: `prices.toml`, with its date and sources."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from clew.errors import ConfigError

PROVIDERS: Final[Mapping[str, str]] = {
    "anthropic": "anthropic",
    "openai": "openai",
    "responses": "openai",
    "gemini": "google",
}
"""The provider whose rules hold for a wire format."""

_ALIAS: Final = re.compile(
    r"(?:[-@](?:latest|preview|exp|\d{3}|\d{8}|\d{4}-\d\d-\d\d|preview-\d\d-\d{2,4}(?:-\d{4})?))*"
    r"(?:-v\d+)?(?::\w+)?(?:\[\w+\])?"
)
"""What may follow the name of a model without making it another model."""


class CacheKind(StrEnum):
    """What decides which prefixes of a prompt a provider keeps."""

    MARKS = "marks"
    """The client's marks: the prompt is cached up to each of them."""
    POINTS = "points"
    """The client's marks, and one that the provider sets at the end of the prompt."""
    AUTOMATIC = "automatic"
    """Nothing: every prefix is kept."""


@dataclass(frozen=True, slots=True)
class CacheRules:
    """How a provider's prompt cache works.

    Attributes:
        minimum: tokens below which a prefix is not cached.
        step: a cached prefix is a multiple of so many tokens (automatic caches).
        seconds: life of an entry after its last use, at least.
        seconds_long: the longer life that a request can ask for; 0 where there is none.
        seconds_most: life of an entry after its last use, at most, where the provider leaves that open.
        lookback: blocks before a mark among which an earlier entry is looked for; 0 for all.
        marks: most marks of a request.
    """

    kind: CacheKind
    minimum: int = 1024
    step: int = 1
    seconds: float = 300.0
    seconds_long: float = 0.0
    seconds_most: float = 0.0
    lookback: int = 0
    marks: int = 4


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in dollars for a million tokens, which is also millionths of a dollar for one.

    Attributes:
        model: its name, without date or alias.
        miss: input that is neither read from the cache nor written to it.
        read: input read from the cache.
        write, write_long: input written to the cache, for the shorter and the longer life.
        output: tokens of the answer.
        above: input tokens above which all of a request is dearer; 0 where nothing is.
        times, times_output: how much dearer its input and its output then are.
        checked: the day on which the price was read.
        source: the page.
    """

    model: str
    miss: float
    read: float
    write: float
    write_long: float
    output: float
    above: int = 0
    times: float = 1.0
    times_output: float = 1.0
    checked: date = date.min
    source: str = ""


_MODELS: Final = 64
"""Names of models, as requests give them, whose place in the list is remembered."""


class PriceList:
    """All prices and rules: those of the package, and before them those of a file of the user."""

    def __init__(self, tables: Sequence[Mapping[str, Any]]) -> None:
        """Takes parsed tables in the form of `prices.toml`; the first one that knows a model decides.

        Raises:
            ConfigError: a table does not have this form.
        """
        self._prices: dict[str, Price] = {}
        self._rules: dict[str, CacheRules] = {}
        self._defaults: dict[str, CacheRules] = {}
        self._known = lru_cache(maxsize=_MODELS)(self._listed)
        try:
            given = [(table["checked"], provider) for table in tables for provider in table["provider"]]
            caches: dict[str, Mapping[str, Any]] = {}
            for _, provider in given:
                if "cache" in provider:
                    caches.setdefault(provider["name"], provider["cache"])
            self._defaults = {name: _rules(said) for name, said in caches.items()}
            for checked, provider in given:
                for model in provider.get("model", ()):
                    rules = _rules({**caches[provider["name"]], **model})
                    for price in _priced(model, checked, provider["prices"]):
                        self._prices.setdefault(price.model, price)
                        self._rules.setdefault(price.model, rules)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ConfigError(
                f"prices: {type(error).__name__} {error}; expected the form of prices.toml in the package, with "
                "`checked`, and for each provider `name`, `prices`, `cache` and `model`"
            ) from error

    def price(self, model: str) -> Price | None:
        """The price of a model; None for one that is not in the list: its name is never guessed."""
        name = self._known(model)
        return None if name is None else self._prices[name]

    def rules(self, wire: str, model: str) -> CacheRules:
        """The rules for a model; for an unknown one those of the provider of the wire format."""
        name = self._known(model)
        return self._defaults[PROVIDERS[wire]] if name is None else self._rules[name]

    def _listed(self, model: str) -> str | None:
        """The listed name of a model: the longest one of which the given name is an alias."""
        bare = model.strip().lower().rpartition("/")[2]
        bare = bare.rpartition("anthropic.")[2]  # as Bedrock writes it
        starts = (name for name in self._prices if bare.startswith(name) and _ALIAS.fullmatch(bare, len(name)))
        return max(starts, key=len, default=None)


@cache
def price_list(path: str = "") -> PriceList:
    """The list of the package; with a path (`serve.prices`) the models of that file go before it.

    Raises:
        ConfigError: the file cannot be read or has another form.
    """
    tables = [tomllib.loads((resources.files(__package__) / "prices.toml").read_text(encoding="utf-8"))]
    if path:
        try:
            tables.insert(0, tomllib.loads(Path(path).expanduser().read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(f"serve.prices is {path!r}, which cannot be read: {error}") from error
    return PriceList(tables)


def _priced(model: Mapping[str, Any], checked: date, source: str) -> Iterator[Price]:
    times, times_output = model.get("times", (1.0, 1.0))
    write = float(model.get("write", model["miss"]))
    for name in model["names"]:
        yield Price(
            name,
            float(model["miss"]),
            float(model["read"]),
            write,
            float(model.get("write_long", write)),
            float(model["output"]),
            int(model.get("above", 0)),
            float(times),
            float(times_output),
            checked,
            source,
        )


def _rules(said: Mapping[str, Any]) -> CacheRules:
    kind = CacheKind(said["kind"])
    return CacheRules(
        kind,
        int(said["minimum"]),
        int(said.get("step", 1)) if kind is CacheKind.AUTOMATIC else 1,
        float(said["seconds"]),
        float(said.get("seconds_long", 0)),
        float(said.get("seconds_most", 0)),
        int(said.get("lookback", 0)),
        int(said.get("marks", 4)),
    )
