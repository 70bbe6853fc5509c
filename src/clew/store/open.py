"""From a location to the store that lies there."""

import os
from pathlib import Path
from typing import Final

from clew.errors import ConfigError
from clew.store.memory import MemoryStore
from clew.store.protocol import Store
from clew.store.sqlite import SqliteStore

DEFAULT_HOME: Final = "~/.clew"
IN_MEMORY: Final = ":memory:"
_SQLITE: Final = "sqlite:///"
_SERVERS: Final = ("postgresql", "postgres")
_EXPECTED: Final = f"expected a home directory, {_SQLITE}<directory>, {_SERVERS[0]}://<server> or {IN_MEMORY}"


def open_store(location: str | Path | None = None) -> Store:
    """Opens the store at a location, making it when it is absent.

    Args:
        location: a home directory, where `~` stands for the user's own; `sqlite:///` and the directory, so that an
            absolute path shows four slashes; `postgresql://user:password@host:port/database`, or `postgres://...`, for
            a server (docs/postgresql.md); `:memory:` for a store without a file; None for what the environment variable
            CLEW_HOME names, else `~/.clew`.

    Raises:
        ConfigError: the location names an engine that this version does not have, or cannot be read.
        MissingExtra: the engine needs a package that is not installed.
        StoreError: the store cannot be opened.
    """
    home = home_of(location)
    if home is not None:
        return SqliteStore.open(home)
    place = _place(location)
    if place == IN_MEMORY:
        return MemoryStore()
    # Loading it takes as long as opening a small home, and most homes are no server.
    from clew.store.postgres import PostgresStore

    return PostgresStore.open(place)


def home_of(location: str | Path | None = None) -> Path | None:
    """The home directory that `open_store` would open; None when the location has none.

    Raises:
        ConfigError: as `open_store`.
    """
    if isinstance(location, Path):
        return location.expanduser()
    place = _place(location)
    engine, separator, _ = place.partition("://")
    if place == IN_MEMORY or (separator and engine in _SERVERS):
        return None
    if separator or not place:
        shown = f"{engine}://..." if separator else repr(location)  # an address may hold a password
        raise ConfigError(f"{shown} is no place for a store; {_EXPECTED}")
    return Path(place).expanduser()


def _place(location: str | Path | None) -> str:
    """The location with defaults filled in; a file of SQLite's without its scheme."""
    place = os.environ.get("CLEW_HOME") or DEFAULT_HOME if location is None else str(location)
    return place.removeprefix(_SQLITE)
