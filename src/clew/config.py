"""All settings: name, default, range and description of each.

Later sources override earlier ones: defaults, clew.toml, CLEW_* variables, arguments. This module reads files and the
environment and does not know what the settings do. `docs/configuration.md` is generated from it.
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
"""The value of `recall.floor` that leaves no turn out."""


def _setting(
    default: Any,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] | None = None,
    form: str | None = None,
) -> Any:
    """Declares one setting. Errors hide values that do not match the regular expression `form`: they may be secrets."""
    return field(default=default, metadata={"doc": doc, "low": low, "high": high, "choices": choices, "form": form})


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestConfig:
    """How turns are prepared before they are written."""

    secrets: str = _setting(
        "mask", "Mask keys, tokens and passwords before they reach the disk, or keep them.", choices=("mask", "keep")
    )
    blob_bytes: int = _setting(
        65_536, "Images and tool outputs larger than this many bytes are stored as blobs.", low=256, high=1 << 30
    )
    max_line_bytes: int = _setting(
        64 << 20, "Longest line of an imported file, in bytes; longer lines are rejected.", low=1024, high=1 << 31
    )
    batch: int = _setting(500, "Turns per transaction when many are added at once.", low=1, high=10_000)
    gather_turns: int = _setting(
        5_000, "Turns held in memory while an import sorts them by session.", low=1, high=1_000_000
    )
    gather_chars: int = _setting(
        16_000_000, "Characters of text held in memory while an import sorts turns by session.", low=1, high=1 << 32
    )
    exclude: tuple[str, ...] = _setting(
        (), "Patterns of what is never stored: session:<glob> for conversations, text:<regular expression> for turns."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexConfig:
    """When new turns are packed into index segments, and when segments are merged."""

    pack_minimum: int = _setting(512, "Unpacked turns of which the packer makes a segment.", low=1, high=1_000_000)
    fan_out: int = _setting(16, "Segments of one level that are merged into one of the next level.", low=2, high=64)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreConfig:
    """How the home is stored on disk."""

    key: str = _setting(
        "none",
        "Where the encryption key is: env:NAME (environment variable), keyring:NAME (keyring entry), or none.",
        form=r"none|env:[A-Za-z_]\w*|keyring:.*\S.*",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallConfig:
    """How turns are ranked and selected. The weights were measured on development conversations: docs/benchmarks.md."""

    fusion: str = _setting(
        "score", "Combine the signals as z-scores, or by reciprocal rank (RRF).", choices=("score", "rrf")
    )
    rrf_k: int = _setting(60, "The constant k of reciprocal rank fusion.", low=1, high=1000)
    lexical: float = _setting(
        1.3, "Weight of BM25F, in which each piece is scored together with its neighbours.", low=0, high=20
    )
    hop: float = _setting(
        0.4,
        "Weight of a second look-up by terms of the first turns found, for questions that need two steps.",
        low=0,
        high=20,
    )
    dense: float = _setting(0.6, "Weight of the cosine between the question and a turn.", low=0, high=20)
    dense_rewritten: float = _setting(
        1.3, "Weight of that cosine when names, or request words, are removed from the question.", low=0, high=20
    )
    window: float = _setting(
        0.5, "Weight of the mean cosine over three turns, in conversations between people.", low=0, high=20
    )
    burst: float = _setting(0.4, "Share of a burst's best match that its other messages get.", low=0, high=1)
    answer: float = _setting(
        0.5,
        "Weight of the previous turn's cosine if that turn asks something, in conversations between people.",
        low=0,
        high=20,
    )
    speaker: float = _setting(3.5, "Added when the question names the turn's speaker.", low=0, high=20)
    speaker_first_person: float = _setting(1.8, "Added as well when that turn says I or we.", low=0, high=20)
    first_person: float = _setting(0.6, "Added when a turn says I or we.", low=0, high=20)
    question: float = _setting(-0.8, "Added when a turn is itself a question.", low=-20, high=20)
    statement: float = _setting(
        0.4, "Weight of how much a turn states outside of questions, in conversations between people.", low=-20, high=20
    )
    time: float = _setting(7.0, "Weight of a turn's time matching the time that the question names.", low=0, high=20)
    dated: float = _setting(
        2.0, "Added when the question asks when something was and the turn names a time.", low=0, high=20
    )
    position: float = _setting(
        3.0, "Weight of a turn being in the beat that the question or the caller points at.", low=0, high=20
    )
    label: float = _setting(
        0.0, "Weight of the labels that a turn and the question share; rare labels count more.", low=0, high=20
    )
    graph: float = _setting(
        0.0, "Weight of a turn naming entities near the question's entities in the graph.", low=0, high=20
    )
    beat: float = _setting(0.0, "Weight of BM25 over the whole beat that a turn belongs to.", low=0, high=20)
    importance: float = _setting(0.0, "Weight of a turn's importance.", low=-20, high=20)
    tree: float = _setting(
        0.0, "Weight of a turn's cosine combined with those of its beat and chapters.", low=0, high=20
    )
    coverage: float = _setting(4.0, "Added to an agent's turn that contains all terms of the question.", low=0, high=20)
    exact: float = _setting(
        20.0, "Added to the few turns that contain every word of a search made of words alone.", low=0, high=50
    )
    rare: float = _setting(
        3.0, "Weight of terms of the question that are in very few turns of a large space.", low=0, high=20
    )
    unembedded: float = _setting(
        0.4, "Share of the cosines' weight that the match by words gets in turns without a vector.", low=0, high=2
    )
    quote: float = _setting(4.0, "Added when a turn contains a phrase that the question quotes.", low=0, high=20)
    user: float = _setting(6.0, "Added to the user's turns in conversations with an assistant.", low=0, high=20)
    agent: float = _setting(
        4.8, "Added to turns of assistant and tools, times how little of their session the user says.", low=0, high=20
    )
    users_words: float = _setting(
        4.8, "Subtracted likewise when the question asks what the user wanted or asked for.", low=0, high=20
    )
    brief: float = _setting(
        3.0, "Subtracted from very short turns of sessions in which the user says little.", low=0, high=20
    )
    call: float = _setting(
        0.3, "Share of the match of a calling turn that the tool's result gets as well.", low=0, high=1
    )
    session: float = _setting(
        2.0, "Weight, beside an assistant, of the best match by words in a turn's session among many.", low=0, high=20
    )
    failure: float = _setting(
        2.0, "Added to turns that report a failure when an assistant is asked why something failed.", low=0, high=20
    )
    cause: float = _setting(
        2.0, "Added to turns in which an agent explains something, when the question asks why.", low=0, high=20
    )
    closing: float = _setting(
        4.0,
        "Weight of a late position in an agent's session, when the question asks how something ended.",
        low=0,
        high=20,
    )
    sequel: float = _setting(
        4.0,
        "Weight of a position after the best turn in an agent's session, for a question in two parts.",
        low=0,
        high=20,
    )
    standing: float = _setting(
        4.0, "Added to the user's standing wishes and preferences when an assistant is asked for help.", low=0, high=20
    )
    assistant: float = _setting(
        4.0, "Added to the assistant's turns when the question asks for the assistant's words.", low=0, high=20
    )
    opening: float = _setting(
        6.0, "Weight of an early position in the session, for a summary or an order of events.", low=0, high=20
    )
    cost: float = _setting(2.0, "Subtracted for each unit of the natural logarithm of a turn's tokens.", low=0, high=20)
    cost_assistant: float = _setting(3.0, "`recall.cost` in conversations with an assistant.", low=0, high=20)
    thinking: str = _setting("new", "Thinking in blocks: what its answer leaves out, or all.", choices=("new", "all"))
    announcement: float = _setting(
        1.0,
        "Share of what the announcement of a tool call scores above the call's result that is subtracted after fusion.",
        low=0,
        high=1,
    )
    gravity: float = _setting(
        0.0,
        "Subtracted after fusion for a turn's distance, in hierarchy and time, from the other relevant turns.",
        low=0,
        high=20,
    )
    hub: float = _setting(
        0.0, "Subtracted after fusion for labels so general that they fit any question.", low=0, high=20
    )
    floor: float = _setting(
        NO_FLOOR,
        "Turns that score no more than this by the question's own signals are left out; the default keeps all.",
        low=NO_FLOOR,
        high=100,
    )
    limit: int = _setting(400, "Best-ranked turns that are considered for the block.", low=1, high=100_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMConfig:
    """Which language model is asked in the background, and what it may cost: docs/llm.md."""

    model: str = _setting("none", "Language model: none, or one of the names that docs/llm.md lists.")
    key_variable: str = _setting(
        "CLEW_LLM_KEY", "Environment variable that holds the API key of the model's server.", form=r"[A-Za-z_]\w*"
    )
    calls: str = _setting(
        "live",
        "live asks the model where no answer is recorded; recorded uses recorded answers only.",
        choices=("live", "recorded"),
    )
    daily_tokens: int = _setting(
        1_000_000, "Tokens (input and output) that a space may use per day (UTC); 0 makes no calls.", low=0, high=10**12
    )
    daily_cost: float = _setting(
        1.0, "What a space may spend per day (UTC), in the currency of the prices.", low=0, high=1e6
    )
    price_in: float = _setting(0.0, "Price of a million input tokens.", low=0, high=1e5)
    price_out: float = _setting(0.0, "Price of a million output tokens.", low=0, high=1e5)
    timeout: float = _setting(60.0, "Timeout of one request, in seconds.", low=0.1, high=240)
    deadline: float = _setting(
        120.0, "Timeout of one answer in seconds, including retries while the server is busy.", low=0.1, high=240
    )
    close_seconds: float = _setting(
        10.0, "Seconds that closing waits for an answer under way; a later one is lost, but charged.", low=0, high=240
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzeConfig:
    """How novelty, overlays and importance are scored. Turns that are already analysed keep their scores."""

    importance_profile: str = _setting(
        "calibrated",
        "Importance relative to the session's usual level (calibrated), or the plain sum of the SIGMA document.",
        choices=("calibrated", "sigma"),
    )
    overlay_threshold: float = _setting(5.0, "Score at which an overlay counts as active.", low=0, high=10)
    paradigm_shift_threshold: float = _setting(
        0.7, "Novelty above which an important turn counts as a paradigm shift.", low=0, high=1
    )
    preserve_threshold: float = _setting(
        7.0, "Importance at which a turn is preserved in full when a session is compacted.", low=1, high=10
    )
    routine_threshold: float = _setting(3.0, "Importance below which a turn is routine.", low=1, high=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitiesConfig:
    """How people, places and things are recognised in turns."""

    ner: str = _setting(
        "auto", "Named-entity model used besides the rules: auto, none, or spacy:<pipeline or folder> (docs/graph.md)."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CondenseConfig:
    """When a session is condensed behind the scenes, how large its recap is, and what stands for its turns."""

    session_tokens: int = _setting(
        120_000,
        "Tokens since its last compaction above which a session is condensed by itself; 0: not for this reason.",
        low=0,
        high=1_000_000_000,
    )
    window: int = _setting(0, "Tokens of the model's context window; 0: unknown.", low=0, high=1_000_000_000)
    soft_threshold: float = _setting(0.70, "Share of `window` from which turns are summarised.", low=0.05, high=1.0)
    hard_threshold: float = _setting(0.85, "Share of `window` from which summaries are digests.", low=0.05, high=1.0)
    recap_tokens: int = _setting(4_000, "Most tokens of a recap.", low=0, high=1_000_000)
    ratio: float = _setting(
        30.0, "How many times smaller than its session a recap is, at least.", low=1.0, high=1_000.0
    )
    target_size: int = _setting(40_000, "Most tokens that stand for condensed turns.", low=0, high=1_000_000_000)
    protected_turns: int = _setting(6, "Last turns of a session that are not condensed.", low=0, high=100_000)
    minimum_turns: int = _setting(5, "Analysed turns that a compaction needs at least.", low=1, high=100_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All settings of one `Memory`."""

    embedder: str = _setting("auto", "Embedder: auto, none, minilm, or one of the names that docs/embedders.md lists.")
    embedder_previous: str = _setting(
        "none", "Embedder whose vectors recall uses until `embedder` has embedded every turn."
    )
    embed_threads: int = _setting(1, "Processor threads for the local embedder.", low=1, high=256)
    counter: str = _setting(
        "estimate",
        "How tokens are counted: estimate, openai, words, anthropic, or anthropic-3 (up to Claude Opus 4.6).",
        choices=("estimate", "openai", "words", "anthropic", "anthropic-3"),
    )
    budget: int = _setting(2000, "Token budget of a recalled block when the caller gives none.", low=0, high=10_000_000)
    keep_days: int = _setting(
        0,
        "Days after which turns are forgotten, by event time or else by arrival; 0 keeps them.",
        low=0,
        high=36_500,
    )
    receipts: int = _setting(1000, "Receipts kept per space; older ones are deleted.", low=0, high=1_000_000)
    gather_seconds: float = _setting(
        0.1, "Seconds that background work waits for more turns after one was added.", low=0, high=3600
    )
    ingest: IngestConfig = field(default_factory=IngestConfig)
    index: IndexConfig = field(default_factory=IndexConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    analyze: AnalyzeConfig = field(default_factory=AnalyzeConfig)
    condense: CondenseConfig = field(default_factory=CondenseConfig)
    entities: EntitiesConfig = field(default_factory=EntitiesConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    llm: LLMConfig = field(default_factory=LLMConfig)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: `path` is its name in clew.toml (`recall.fusion`), `variable` its environment variable."""

    path: str
    variable: str
    default: Any
    doc: str
    low: float | None
    high: float | None
    choices: tuple[str, ...] | None
    form: str | None


def settings() -> tuple[Setting, ...]:
    """All settings, in the order in which `Config` declares them."""
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
    """Reads the settings in force.

    Args:
        home: directory whose `clew.toml` is read, if there is one.
        arguments: a complete Config, which replaces every other source, or a nested mapping shaped like clew.toml.
        environment: environment variables; None reads those of the process.

    Raises:
        ConfigError: a file cannot be read, a name is unknown, or a value is outside its range. The message names all
            problems at once.
    """
    if isinstance(arguments, Config):
        return arguments
    if not isinstance(arguments, Mapping | None):
        raise ConfigError(f"config is {arguments!r:.60}; expected a Config, or a mapping from names to values")
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
    """Maps the path of each setting that was set to its source: `clew.toml` or the name of an environment variable.

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
    """Paths of the settings that the user set, whatever their value. Learned values never replace these.

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
        raise ConfigError(f"{path} cannot be read as TOML: {error}; correct it or move it away") from error


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _checked(path: str, raw: Any) -> Any:
    known = SETTINGS.get(path)
    if known is None:
        raise ConfigError(f"{path!r} is not a setting; `clew config show` lists all settings")
    if known.form is not None and not (isinstance(raw, str) and re.fullmatch(known.form, raw)):
        raise ConfigError(f"{path} has an invalid value (not shown, it may be a secret); expected: {known.doc}")
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
    """Reads a list of texts; an environment variable holds them in one text, separated by commas."""
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
