"""Every setting, once: its name, default, range and meaning.

Later sources win: defaults < clew.toml < CLEW_* < arguments. Borders: reads files and the environment, knows nothing of
what the settings do. `docs/configuration.md` is made from here.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, Final, cast

from clew.errors import ConfigError

NO_FLOOR: Final = -1e9
"""`recall.floor` at which no turn is left out."""


def _setting(
    default: Any,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] | None = None,
    form: str | None = None,
) -> Any:
    """A leaf of the tree; a value that misses its `form`, a regular expression, may be a secret and is not shown."""
    return field(default=default, metadata={"doc": doc, "low": low, "high": high, "choices": choices, "form": form})


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestConfig:
    """What happens to a turn before it is written."""

    secrets: str = _setting(
        "mask",
        "Keys, tokens and passwords are masked before the first disk write, or kept.",
        choices=("mask", "keep"),
    )
    blob_bytes: int = _setting(
        16_384, "Images and tool outputs over this many bytes are moved to blobs.", low=256, high=1 << 30
    )
    max_line_bytes: int = _setting(
        32 << 20, "Longest line of an imported file, in bytes; a longer one is rejected.", low=1024, high=1 << 31
    )
    batch: int = _setting(500, "Turns a transaction when many are added at once.", low=1, high=10_000)
    gather_turns: int = _setting(
        5_000, "Turns held in memory while an import sorts them by session.", low=1, high=1_000_000
    )
    gather_chars: int = _setting(
        16_000_000, "Characters of text held in memory while an import sorts turns by session.", low=1, high=1 << 32
    )
    exclude: tuple[str, ...] = _setting(
        (), "What is never stored: session:<glob> names conversations, text:<regular expression> finds turns."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexConfig:
    """When the tail is packed and segments are merged."""

    pack_minimum: int = _setting(512, "Turns in the tail before they are packed into a segment.", low=1, high=1_000_000)
    fan_out: int = _setting(16, "Segments of one level before they are merged into the next.", low=2, high=64)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreConfig:
    """How the home lies on the disk."""

    key: str = _setting(
        "none",
        "What encrypts the home: env:NAME of a variable or keyring:NAME of an entry that holds the key, or none.",
        form=r"none|env:[A-Za-z_]\w*|keyring:.*\S.*",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallConfig:
    """How turns are ranked and fitted. The weights are measured on development conversations: docs/benchmarks.md."""

    fusion: str = _setting(
        "score", "Signals are added as z-scores, or by reciprocal rank (RRF).", choices=("score", "rrf")
    )
    rrf_k: int = _setting(60, "The constant of reciprocal rank fusion.", low=1, high=1000)
    lexical: float = _setting(1.3, "Weight of BM25F over pieces with their neighbours.", low=0, high=20)
    hop: float = _setting(
        0.4, "Weight of what the first turns found tell, for questions that need two steps.", low=0, high=20
    )
    dense: float = _setting(0.6, "Weight of the cosine between the question and a turn.", low=0, high=20)
    dense_rewritten: float = _setting(
        1.3, "Weight of the same cosine with names, or request words, taken out of the question.", low=0, high=20
    )
    window: float = _setting(0.5, "Weight of the mean of that cosine over three turns: between people.", low=0, high=20)
    answer: float = _setting(
        0.5, "Weight of that cosine of the turn before, where it asks something: between people.", low=0, high=20
    )
    speaker: float = _setting(3.5, "Added when the question names the turn's speaker.", low=0, high=20)
    speaker_first_person: float = _setting(1.8, "Added on top when that turn says I or we.", low=0, high=20)
    first_person: float = _setting(0.6, "Added when a turn says I or we.", low=0, high=20)
    question: float = _setting(-0.8, "Added when a turn asks something itself.", low=-20, high=20)
    statement: float = _setting(
        0.4, "Weight of how much a turn states outside of questions: between people.", low=-20, high=20
    )
    time: float = _setting(7.0, "Weight of a turn lying in the time that the question names.", low=0, high=20)
    dated: float = _setting(2.0, "Added when the question asks when, and a turn names a time.", low=0, high=20)
    position: float = _setting(3.0, "Weight of a turn lying in the beat that the caller points at.", low=0, high=20)
    label: float = _setting(
        0.0, "Weight of a turn's tags being labels that the question has, rare ones more.", low=0, high=20
    )
    graph: float = _setting(
        0.0, "Weight of a turn naming what lies near the question's names in the entity graph.", low=0, high=20
    )
    beat: float = _setting(0.0, "Weight of BM25 of the whole beat in which a turn stands.", low=0, high=20)
    importance: float = _setting(0.0, "Weight of a turn's importance.", low=-20, high=20)
    tree: float = _setting(0.0, "Weight of a turn's cosine together with its beat's and chapters'.", low=0, high=20)
    quote: float = _setting(4.0, "Added when a turn holds a phrase that the question quotes.", low=0, high=20)
    user: float = _setting(6.0, "Added to the person's turns where an assistant takes part.", low=0, high=20)
    standing: float = _setting(
        4.0, "Added to the person's wishes for always when an assistant is asked for help.", low=0, high=20
    )
    assistant: float = _setting(
        4.0, "Added to the assistant's turns when the question asks for the assistant's words.", low=0, high=20
    )
    opening: float = _setting(
        4.0,
        "Weight of an early place in its session when a summary, or an order, is asked of an assistant.",
        low=0,
        high=20,
    )
    cost: float = _setting(2.0, "Taken off for each doubling (natural) of what a turn costs in tokens.", low=0, high=20)
    cost_assistant: float = _setting(3.0, "The same where an assistant takes part.", low=0, high=20)
    gravity: float = _setting(
        0.0,
        "Taken off, after fusion, for lying far from everything else that is relevant, by hierarchy and time.",
        low=0,
        high=20,
    )
    hub: float = _setting(
        0.0, "Taken off, after fusion, for labels so general that they fit any question.", low=0, high=20
    )
    floor: float = _setting(
        NO_FLOOR,
        "Turns to which the question's own signals give no more are left out; the default leaves none out.",
        low=NO_FLOOR,
        high=100,
    )
    limit: int = _setting(400, "Ranked turns that are offered to the budget.", low=1, high=100_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMConfig:
    """Which language model is asked behind the acknowledgement, and what it may cost: docs/llm.md."""

    model: str = _setting("none", "Which language model: none, or a name as docs/llm.md lists them.")
    key_variable: str = _setting(
        "CLEW_LLM_KEY", "Environment variable that holds the key for the model's server.", form=r"[A-Za-z_]\w*"
    )
    calls: str = _setting(
        "live",
        "live asks for what was never answered; recorded asks nothing, and uses what was recorded.",
        choices=("live", "recorded"),
    )
    daily_tokens: int = _setting(
        1_000_000, "Tokens, read and written, that a space may use a day (UTC); 0 asks nothing.", low=0, high=10**12
    )
    daily_cost: float = _setting(
        1.0, "What a space may cost a day (UTC), in the currency of the prices.", low=0, high=1e6
    )
    price_in: float = _setting(0.0, "Price of a million tokens that the model reads.", low=0, high=1e5)
    price_out: float = _setting(0.0, "Price of a million tokens that the model writes.", low=0, high=1e5)
    timeout: float = _setting(60.0, "Seconds that one answer may take.", low=0.1, high=240)
    deadline: float = _setting(
        120.0, "Seconds that one answer may take with waiting for a busy server.", low=0.1, high=240
    )
    close_seconds: float = _setting(
        10.0, "Seconds that closing waits for an answer under way; a later one is lost, but charged.", low=0, high=240
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzeConfig:
    """How turns are judged beside those before them. Turns that are analysed already keep what was said of them."""

    importance_profile: str = _setting(
        "calibrated",
        "Importance relative to what is usual in a session, or by the plain sum of the SIGMA document.",
        choices=("calibrated", "sigma"),
    )
    overlay_threshold: float = _setting(5.0, "Score from which an overlay counts as active.", low=0, high=10)
    paradigm_shift_threshold: float = _setting(
        0.7, "Novelty above which an important turn is a paradigm shift.", low=0, high=1
    )
    preserve_threshold: float = _setting(7.0, "Importance from which a turn is preserved.", low=1, high=10)
    routine_threshold: float = _setting(3.0, "Importance below which a turn is routine.", low=1, high=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitiesConfig:
    """What finds the people, places and things that turns name."""

    ner: str = _setting(
        "auto", "Which named-entity model beside the rules: auto, none, or spacy:<pipeline or folder> (docs/graph.md)."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All settings of one `Memory`."""

    embedder: str = _setting("auto", "Which embedder: auto, none, minilm, or a name as docs/embedders.md lists them.")
    embedder_previous: str = _setting(
        "none", "Embedder whose vectors serve recall until those of `embedder` cover every turn."
    )
    embed_threads: int = _setting(1, "Processor threads for the local embedder.", low=1, high=256)
    counter: str = _setting(
        "estimate", "How tokens are counted: estimate, openai or words.", choices=("estimate", "openai", "words")
    )
    budget: int = _setting(2000, "Tokens of a recalled block when none are given.", low=0, high=10_000_000)
    keep_days: int = _setting(
        0,
        "Days after which turns are forgotten, by event time, else by when they came; 0 keeps them.",
        low=0,
        high=36_500,
    )
    receipts: int = _setting(1000, "Receipts kept a space; older ones are dropped.", low=0, high=1_000_000)
    gather_seconds: float = _setting(
        0.1, "Seconds that background work waits for more turns after one was added.", low=0, high=3600
    )
    ingest: IngestConfig = field(default_factory=IngestConfig)
    index: IndexConfig = field(default_factory=IndexConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    analyze: AnalyzeConfig = field(default_factory=AnalyzeConfig)
    entities: EntitiesConfig = field(default_factory=EntitiesConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    llm: LLMConfig = field(default_factory=LLMConfig)


@dataclass(frozen=True, slots=True)
class Setting:
    """One leaf of the tree: `path` as in clew.toml (`recall.fusion`), `variable` as in the environment."""

    path: str
    variable: str
    default: Any
    doc: str
    low: float | None
    high: float | None
    choices: tuple[str, ...] | None
    form: str | None


def settings() -> tuple[Setting, ...]:
    """Every setting, in the order of the tree."""
    return tuple(_leaves(Config, ""))


def _leaves(cls: type, prefix: str) -> Iterator[Setting]:
    for entry in fields(cls):
        path = f"{prefix}{entry.name}"
        if entry.default is MISSING:
            yield from _leaves(cast(type, entry.default_factory), f"{path}.")
            continue
        variable = "CLEW_" + path.replace(".", "_").upper()
        yield Setting(path, variable, entry.default, **entry.metadata)


SETTINGS: Final[Mapping[str, Setting]] = {entry.path: entry for entry in settings()}


def load_config(
    home: Path | None = None,
    arguments: "Config | Mapping[str, Any] | None" = None,
    environment: Mapping[str, str] | None = None,
) -> Config:
    """The settings in force.

    Args:
        home: directory whose `clew.toml` is read, if there is one.
        arguments: a whole Config (then nothing else counts) or a nested mapping like clew.toml's.
        environment: variables; None reads the process's own.

    Raises:
        ConfigError: a file cannot be read, a name is unknown, or a value is outside its range; all are named at once.
    """
    if isinstance(arguments, Config):
        return arguments
    env = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    problems: list[str] = []
    for origin, found in (
        ("clew.toml", _from_file(home)),
        ("environment", {s.path: env[s.variable] for s in SETTINGS.values() if s.variable in env}),
        ("arguments", dict(_flatten(arguments or {}))),
    ):
        for path, raw in found.items():
            try:
                values[path] = _checked(path, raw)
            except ConfigError as error:
                problems.append(f"{origin}: {error}")
    if problems:
        raise ConfigError("; ".join(problems))
    return cast(Config, _build(Config, "", values))


def sources(home: Path | None = None, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Where each setting that is not a default comes from: its path -> `clew.toml`, or the name of the variable.

    Raises:
        ConfigError: the file cannot be read.
    """
    env = os.environ if environment is None else environment
    variables = {entry.path: entry.variable for entry in SETTINGS.values() if entry.variable in env}
    return dict.fromkeys(_from_file(home), "clew.toml") | variables


def given(
    home: Path | None = None,
    arguments: "Config | Mapping[str, Any] | None" = None,
    environment: Mapping[str, str] | None = None,
) -> frozenset[str]:
    """The settings that the user chose, by path, whatever their value: nothing that is learned replaces them.

    Args:
        home, arguments, environment: as for `load_config`; a whole Config chooses every setting.
    """
    if isinstance(arguments, Config):
        return frozenset(SETTINGS)
    return frozenset(sources(home, environment)) | frozenset(path for path, _ in _flatten(arguments or {}))


def _from_file(home: Path | None) -> dict[str, Any]:
    path = None if home is None else home / "clew.toml"
    if path is None or not path.is_file():
        return {}
    try:
        return dict(_flatten(tomllib.loads(path.read_text(encoding="utf-8"))))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path} cannot be read as TOML: {error}; mend it or move it away") from error


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _checked(path: str, raw: Any) -> Any:
    known = SETTINGS.get(path)
    if known is None:
        raise ConfigError(f"{path!r} is no setting; `clew config show` lists them")
    if known.form is not None and not (isinstance(raw, str) and re.fullmatch(known.form, raw)):
        raise ConfigError(f"{path} has a value of another form, which is not shown; expected: {known.doc}")
    value = _converted(known, raw)
    if known.choices is not None and value not in known.choices:
        raise ConfigError(f"{path} is {raw!r}; expected one of {', '.join(known.choices)}")
    if known.low is not None and not known.low <= value <= cast(float, known.high):
        raise ConfigError(f"{path} is {raw!r}; expected {known.low:g} to {known.high:g}")
    return value


def _converted(known: Setting, raw: Any) -> Any:
    kind = type(known.default)
    if kind is tuple:
        return _texts(known, raw)
    if kind is float and isinstance(raw, int) and not isinstance(raw, bool):
        return float(raw)
    if isinstance(raw, kind) and not (kind is int and isinstance(raw, bool)):
        return raw
    if isinstance(raw, str) and kind in (int, float):
        try:
            return kind(raw)
        except ValueError:
            pass  # falls through to the error below, which names the value
    raise ConfigError(f"{known.path} is {raw!r}; expected {kind.__name__}")


def _texts(known: Setting, raw: Any) -> tuple[str, ...]:
    """A list of texts; the environment has it as one text with commas, which no text in it can hold then."""
    listed = [part.strip() for part in raw.split(",") if part.strip()] if isinstance(raw, str) else raw
    if not isinstance(listed, list | tuple) or not all(isinstance(each, str) for each in listed):
        raise ConfigError(f"{known.path} is {raw!r}; expected a list of texts")
    return tuple(listed)


def _build(cls: type, prefix: str, values: Mapping[str, Any]) -> Any:
    arguments: dict[str, Any] = {}
    for entry in fields(cls):
        path = f"{prefix}{entry.name}"
        if entry.default is MISSING:
            arguments[entry.name] = _build(cast(type, entry.default_factory), f"{path}.", values)
        elif path in values:
            arguments[entry.name] = values[path]
    return cls(**arguments)
