"""Reads the settings in force from their sources, and checks them.

Later sources override earlier ones: defaults, clew.toml, CLEW_* variables, arguments. This module reads files and the
environment and does not know what the settings do. `docs/configuration.md` is generated from it.
"""

import logging
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Final, cast

from clew.config.sections import Config
from clew.errors import ConfigError, shown

log = logging.getLogger("clew.config")


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
    secret: bool


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


_SWITCH: Final = dict.fromkeys(("on", "true", "yes", "1"), True) | dict.fromkeys(("off", "false", "no", "0"), False)
"""What an environment variable may say for true and false."""

_TAKEN: Final[Mapping[type, Any]] = {int: Integral, float: Real, tuple: (tuple, list)}
"""What a value of a whole Config may be where that is more than the type of the default."""

SETTINGS: Final[Mapping[str, Setting]] = {entry.path: entry for entry in settings()}

NO_SETTINGS: Final = (
    "CLEW_ALLOW_NETWORK_FS",
    "CLEW_DEBUG",
    "CLEW_EMBEDDER_KEY",
    "CLEW_HOME",
    "CLEW_LLM_KEY",
    "CLEW_SERVER",
    "CLEW_STORE",
)
"""Variables that Clew reads and that are not settings. A test compares them with the source."""

_MISSPELT: Final = 0.85
"""Likeness from which a variable is taken for a misspelt one. Below it are names that people give to variables of their
own, as for a key (`CLEW_SECRET` is as like as 0.82 to `CLEW_SERVER`)."""


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
        ConfigError: a file cannot be read, a name is unknown, a value is outside its range, or one of a whole Config
            is of another type. The message names all problems at once.
    """
    if isinstance(arguments, Config):
        if wrong := list(_of_wrong_types(arguments)):
            raise ConfigError("; ".join(wrong))
        return arguments
    if not isinstance(arguments, Mapping | None):
        raise ConfigError(f"config is {shown(arguments)}; expected a Config, or a mapping from names to values")
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
    for variable, near in _misspelt(env, values):
        _warn(variable, near)
    return cast(Config, _build(Config, "", values))


def _misspelt(env: Mapping[str, str], values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Variables that nothing reads, each with the one that it is a misspelling of; not those that a setting names."""
    known = [*(setting.variable for setting in SETTINGS.values()), *NO_SETTINGS]
    for variable in sorted(name for name in env if name.startswith("CLEW_") and name not in known):
        near = get_close_matches(variable, known, 1, _MISSPELT)
        if near and not any(variable in str(value) for value in values.values()):
            yield variable, near[0]


@cache  # so that a process says it once
def _warn(variable: str, near: str) -> None:
    log.warning("the environment variable %s is not known and was ignored; did you mean %s?", variable, near)


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
    if path is None:
        return {}
    try:
        if not (path.exists() or path.is_symlink()):
            return {}
        return dict(_flatten(tomllib.loads(path.read_text(encoding="utf-8-sig"))))
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} cannot be read as TOML: it is not UTF-8 (at byte {error.start}); save it as that, or move it away"
        ) from error
    except PermissionError as error:
        raise ConfigError(
            f"{path} cannot be read by this user; ask its owner for the right to read it, or name another home"
        ) from error
    except (OSError, ValueError, RecursionError) as error:  # the last two for what no file means: numbers, nesting
        raise ConfigError(f"{path} cannot be read as TOML: {error}; correct it or move it away") from error


def _of_wrong_types(section: Any, prefix: str = "") -> Iterator[str]:
    """What is to be said of values that no setting of a whole Config can have; its ranges are the caller's choice."""
    for entry in fields(section):
        value = getattr(section, entry.name)
        is_section = entry.default is MISSING
        kind = cast(type, entry.default_factory) if is_section else type(entry.default)
        if isinstance(value, bool) is not (kind is bool) or not isinstance(value, _TAKEN.get(kind, kind)):
            yield f"{prefix}{entry.name} is {shown(value)}; expected {kind.__name__}"
        elif is_section:
            yield from _of_wrong_types(value, f"{prefix}{entry.name}.")


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _meant(path: str) -> str:
    """The settings that a mistyped name may mean, or that have it as their last word, in front of further advice."""
    last = path.rpartition(".")[2]
    same = sorted((name for name in SETTINGS if name.rpartition(".")[2] == last), key=len)
    near = same[:2] or get_close_matches(path, SETTINGS, 2, 0.8)
    return f"did you mean {' or '.join(near)}? " if near else ""


def _checked(path: str, raw: Any) -> Any:
    known = SETTINGS.get(path)
    if known is None:
        raise ConfigError(f"{path!r} is not a setting; {_meant(path)}`clew config show` lists all settings")
    if known.form is not None and not (isinstance(raw, str) and re.fullmatch(known.form, raw)):
        raise ConfigError(f"{path} has an invalid value (not shown, it may be a secret); expected: {known.doc}")
    value = _converted(known, raw)
    if known.choices is not None and value not in known.choices:
        raise ConfigError(f"{path} is {shown(raw)}; expected one of {', '.join(known.choices)}")
    if known.low is not None and not known.low <= value <= cast(float, known.high):
        raise ConfigError(f"{path} is {shown(raw)}; expected {known.low:g} to {known.high:g}")
    return value


def _converted(known: Setting, raw: Any) -> Any:
    kind = type(known.default)
    if kind is tuple:
        return _texts(known, raw)
    if kind is bool and isinstance(raw, str) and raw.strip().lower() in _SWITCH:
        return _SWITCH[raw.strip().lower()]
    if isinstance(raw, kind) and not (kind is int and isinstance(raw, bool)):
        return raw
    may_be_number = isinstance(raw, str) or (kind is float and isinstance(raw, int) and not isinstance(raw, bool))
    if may_be_number and kind in (int, float):
        try:
            return kind(raw)
        except (ValueError, OverflowError):  # a whole number may be larger than any other
            pass  # falls through to the error below, which names the value
    raise ConfigError(f"{known.path} is {shown(raw)}; expected {kind.__name__}")


def _texts(known: Setting, raw: Any) -> tuple[str, ...]:
    """Reads a list of texts; an environment variable holds them in one text, separated by commas."""
    listed = [part.strip() for part in raw.split(",") if part.strip()] if isinstance(raw, str) else raw
    if not isinstance(listed, list | tuple) or not all(isinstance(item, str) for item in listed):
        given = "a value that is not shown, it may be a secret" if known.secret else shown(raw)
        raise ConfigError(f"{known.path} is {given}; expected a list of texts")
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
