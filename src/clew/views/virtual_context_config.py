"""Virtual Context's configuration: its keys and defaults as dataclasses, its YAML, and Clew's settings for it.

The YAML that is read is what the source's files hold: mappings inside each other, by two or more spaces, with one
value a line. A file with more (lists, anchors, texts over several lines) goes through a YAML library first.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Self

from clew.errors import FormatError, InputError, shown
from clew.rank.strategies import STRATEGIES
from clew.types.record import Record
from clew.views.typed_arguments import typed, typed_record

_LINE: Final = re.compile(r"(?P<indent> *)(?P<key>[A-Za-z_][\w-]*):(?:\s+(?P<value>.*?))?\s*")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*$")
_WHOLE: Final = re.compile(r"[-+]?[0-9][0-9_]*")
_NUMBER: Final = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:[eE][-+]?[0-9]+)?")
_LONGEST_NUMBER: Final = 400  # characters
_WORDS: Final = {"true": True, "false": False, "null": None, "~": None, "": None}

_COUNTERS: Final = ("anthropic", "tiktoken", "estimate")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionConfig(Record):
    """When turns are compacted, and how long summaries are."""

    soft_threshold: float = 0.70
    hard_threshold: float = 0.85
    protected_recent_turns: int = 6
    min_summary_tokens: int = 100
    max_summary_tokens: int = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyConfig(Record):
    """Most segments of a retrieval, and the share of the context window that they may take."""

    max_results: int = 10
    max_budget_fraction: float = 0.25


def _strategies() -> dict[str, StrategyConfig]:
    names = ("default", "broad", "temporal")
    chosen = (STRATEGIES[name] for name in names)
    return {
        strategy.name: StrategyConfig(max_results=strategy.results, max_budget_fraction=strategy.share)
        for strategy in chosen
    }


@typed_record
@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalConfig(Record):
    """What is retrieved; the tags of the last `active_tag_lookback` turns are passed over."""

    active_tag_lookback: int = 4
    strategy_config: dict[str, StrategyConfig] = field(default_factory=_strategies)


@typed_record
@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblyConfig(Record):
    """Whether a list of all topics is put into the block after a compaction, and its tokens."""

    context_hint_enabled: bool = True
    context_hint_max_tokens: int = 2000


@typed_record
@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualContextConfig(Record):
    """The source's configuration, as far as its keys mean something here."""

    context_window: int = 120_000
    token_counter: str = "estimate"  # noqa: S105  # no password
    compaction: CompactionConfig = field(default_factory=CompactionConfig)
    retrieval: RetrievalConfig = field(default_factory=RetrievalConfig)
    assembly: AssemblyConfig = field(default_factory=AssemblyConfig)

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Self:
        """Reads what a YAML file holds; keys of other parts of the source are passed over, see `unread`.

        Raises:
            InputError: a value has the wrong type, or is out of range.
        """
        if not isinstance(values, Mapping):
            raise InputError(f"the configuration is {shown(values)}; expected a mapping of keys")
        strategies = _strategies()
        retrieval = _section(values, "retrieval")
        for name, given in _section(retrieval, "strategy_config").items():
            settings = {} if given is None else given
            strategies[name] = _record(StrategyConfig, settings, f"retrieval.strategy_config.{name}")
        known = {name: retrieval[name] for name in ("active_tag_lookback",) if name in retrieval}
        settings = cls(
            **{name: values[name] for name in ("context_window", "token_counter") if name in values},
            compaction=_record(CompactionConfig, _section(values, "compaction"), "compaction"),
            retrieval=RetrievalConfig(strategy_config=strategies, **known),
            assembly=_record(AssemblyConfig, _section(values, "assembly"), "assembly"),
        )
        settings._check()
        return settings

    @classmethod
    @typed
    def from_yaml(cls, text: str) -> Self:
        """Reads a YAML file.

        Raises:
            FormatError: it holds more than mappings and single values; the message names the line.
            InputError: as `from_mapping`.
        """
        return cls.from_mapping(read_yaml(text))

    def _check(self) -> None:
        """Refuses values out of range."""
        if self.token_counter not in _COUNTERS:
            raise InputError(f"token_counter is {shown(self.token_counter)}; expected one of {', '.join(_COUNTERS)}")
        for name, number in self._numbers():
            if not isinstance(number, int) or isinstance(number, bool) or number < 0:
                raise InputError(f"{name} is {shown(number)}; expected a whole number, 0 or more")
        for name, share in self._shares():
            if not 0 < share <= 1:
                raise InputError(f"{name} is {share!r}; expected a share above 0, up to 1")
        told = self.compaction
        for low, high in (("soft_threshold", "hard_threshold"), ("min_summary_tokens", "max_summary_tokens")):
            least, most = getattr(told, low), getattr(told, high)
            if least > most:
                raise InputError(f"compaction.{low} is {least!r}, above {high}, {most!r}; expected at most that")

    def _numbers(self) -> Iterator[tuple[str, object]]:
        """The values that are whole numbers from 0, by their names."""
        yield "context_window", self.context_window
        for name in ("protected_recent_turns", "min_summary_tokens", "max_summary_tokens"):
            yield f"compaction.{name}", getattr(self.compaction, name)
        yield "retrieval.active_tag_lookback", self.retrieval.active_tag_lookback
        for name, strategy in self.retrieval.strategy_config.items():
            yield f"retrieval.strategy_config.{name}.max_results", strategy.max_results
        yield "assembly.context_hint_max_tokens", self.assembly.context_hint_max_tokens

    def _shares(self) -> Iterator[tuple[str, float]]:
        """The values that are shares of the context window, by their names."""
        for name in ("soft_threshold", "hard_threshold"):
            yield f"compaction.{name}", getattr(self.compaction, name)
        for name, strategy in self.retrieval.strategy_config.items():
            yield f"retrieval.strategy_config.{name}.max_budget_fraction", strategy.max_budget_fraction

    def settings(self) -> dict[str, Any]:
        """Clew's settings that mean the same, for `Memory.open(config=...)`."""
        return {
            "counter": self.token_counter,
            "condense": {
                "window": self.context_window,
                "soft_threshold": self.compaction.soft_threshold,
                "hard_threshold": self.compaction.hard_threshold,
                "protected_turns": self.compaction.protected_recent_turns,
                "min_summary_tokens": self.compaction.min_summary_tokens,
                "max_summary_tokens": self.compaction.max_summary_tokens,
            },
        }


@typed
def unread(values: Mapping[str, Any]) -> list[str]:
    """The keys of a configuration that nothing here reads, by their paths, sorted."""
    return sorted(_unread(values, VirtualContextConfig, ""))


@typed
def read_yaml(text: str) -> dict[str, Any]:
    """The mapping in a YAML text of nested mappings with one value a line.

    Raises:
        FormatError: a line is something else; the message names it.
    """
    root: dict[str, Any] = {}
    inside: list[tuple[int, dict[str, Any]]] = [(-1, root)]
    opened: tuple[int, dict[str, Any], str] | None = None  # a key without a value: a mapping may follow
    for number, raw in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        line = _without_comment(raw)
        if not line.strip() or line.strip() == "---":
            continue
        match = _LINE.fullmatch(line)
        if match is None or (match["value"] or "")[:1] in tuple("|>&*{[!"):
            raise FormatError(
                f"line {number}: {shown(raw.strip())}; expected `key: value`. Read it with a YAML library"
            )
        indent = len(match["indent"])
        if opened is not None and indent > opened[0]:
            inner: dict[str, Any] = {}
            opened[1][opened[2]] = inner
            inside.append((indent, inner))
        opened = None
        while inside[-1][0] > indent:
            inside.pop()
        if inside[-1][0] not in (indent, -1) or (inside[-1][0] == -1 and indent and root):
            raise FormatError(
                f"line {number}: {shown(raw.strip())} is indented like nothing above it; correct the file"
            )
        if inside[-1][0] == -1:
            inside.append((indent, root))
        target = inside[-1][1]
        target[match["key"]] = _value(match["value"] or "", number)
        if not match["value"]:
            opened = (indent, target, match["key"])
    return root


def _without_comment(line: str) -> str:
    if '"' in line or "'" in line:
        return line
    return _COMMENT.sub("", line).rstrip()


def _value(text: str, number: int) -> Any:
    if text[:1] in ('"', "'"):
        end = text.find(text[0], 1)
        if end < 0 or _COMMENT.sub("", text[end + 1 :]).strip():
            raise FormatError(f"line {number}: {shown(text)}; expected one text in quotes. Read it with a YAML library")
        return text[1:end]
    if text.casefold() in _WORDS:
        return _WORDS[text.casefold()]
    if len(text) > _LONGEST_NUMBER:
        return text
    if _WHOLE.fullmatch(text):
        return int(text.replace("_", ""))
    return float(text) if _NUMBER.fullmatch(text) else text


def _section(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    given = values.get(name)
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"{name} is {shown(given)}; expected a mapping of keys")
    return given


def _record(kind: Any, given: Any, where: str) -> Any:
    if not isinstance(given, Mapping):
        raise InputError(f"{where} is {shown(given)}; expected a mapping of keys")
    known = {member.name for member in fields(kind)}
    values = {name: given[name] for name in given if name in known}
    for name, value in values.items():
        default = getattr(kind(), name)
        fits = isinstance(value, bool) == isinstance(default, bool) and isinstance(value, int | float)
        if not fits or (isinstance(default, int) and not isinstance(value, int)):
            raise InputError(f"{where}.{name} is {shown(value)}; expected a value like {default!r}")
    return kind(**values)


def _unread(values: Mapping[str, Any], kind: Any, above: str) -> list[str]:
    known = {member.name for member in fields(kind)}
    unknown = [above + name for name in values if name not in known]
    for name, inner in (("compaction", CompactionConfig), ("retrieval", RetrievalConfig), ("assembly", AssemblyConfig)):
        if kind is VirtualContextConfig and isinstance(values.get(name), Mapping):
            unknown += _unread(values[name], inner, f"{name}.")
    strategies = values.get("strategy_config") if kind is RetrievalConfig else None
    for name, strategy in strategies.items() if isinstance(strategies, Mapping) else ():
        if isinstance(strategy, Mapping):
            unknown += _unread(strategy, StrategyConfig, f"{above}strategy_config.{name}.")
    return unknown
