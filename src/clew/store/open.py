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
_EXPECTED: Final = f"expected a home directory, {_SQLITE}<directory> or {IN_MEMORY}"


def open_store(location: str | Path | None = None) -> Store:
    """Opens the store at a location, making it when it is absent.

    Args:
        location: a home directory, where `~` stands for the user's own; `sqlite:///` and the directory, so that an
            absolute path shows four slashes; `:memory:` for a store without a file; None for the directory that the
            environment variable CLEW_HOME names, else `~/.clew`.

    Raises:
        ConfigError: the location names an engine that this version does not have.
        StoreError: the store cannot be opened.
    """
    home = home_of(location)
    return MemoryStore() if home is None else SqliteStore.open(home)


def home_of(location: str | Path | None = None) -> Path | None:
    """The home directory that `open_store` would open; None when the location has none.

    Raises:
        ConfigError: as `open_store`.
    """
    if isinstance(location, Path):
        return location.expanduser()
    place = os.environ.get("CLEW_HOME") or DEFAULT_HOME if location is None else location.removeprefix(_SQLITE)
    if place == IN_MEMORY:
        return None
    engine, separator, _ = place.partition("://")
    if separator and engine.lower() in {"postgresql", "postgres"}:
        raise ConfigError(f"{engine}://...: PostgreSQL is not part of this version yet; {_EXPECTED}")
    if separator or not place:
        raise ConfigError(f"{location!r} is no place for a store; {_EXPECTED}")
    return Path(place).expanduser()
