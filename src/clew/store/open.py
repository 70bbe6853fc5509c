"""Opens the store at a location: a directory, a file, memory, or a PostgreSQL server."""

import os
import re
from pathlib import Path
from typing import Final

from clew.config import load_config
from clew.errors import ConfigError, InputError, shown
from clew.store.home import usable_path
from clew.store.keys import secret_of
from clew.store.memory import MemoryStore
from clew.store.protocol import Store
from clew.store.read_only import ReadOnlyStore, is_read_only
from clew.store.sqlite import SqliteStore
from clew.types.exact import exact_text

DEFAULT_HOME: Final = "~/.clew"
IN_MEMORY: Final = ":memory:"
_SQLITE: Final = "sqlite:///"
_SERVERS: Final = ("postgresql", "postgres")
_HOME: Final = "the home"
_KEYWORD: Final = r"(?:host|hostaddr|port|dbname|user|service)\s*="
_WITHOUT_FORM: Final = re.compile(
    rf"\s*(?:postgres(?:ql)?:(?!//)|{_KEYWORD}\s*[^\s/\\]+\s*$|{_KEYWORD}\s*\S+\s+\w+\s*=|(?:\w+\s*=.*\s)?password\s*=\s*\S)",
    re.IGNORECASE,
)
"""An address that lacks its slashes, or is in the driver's own words (`host=db password=X`): it may hold a password.

A directory of such a name is written with `./` or `sqlite:///` before it; one within such a directory, as it is.
"""
_EXPECTED: Final = f"expected a home directory, {_SQLITE}<directory>, {_SERVERS[0]}://<server> or {IN_MEMORY}"


def open_store(location: str | Path | None = None, *, key: str | None = None) -> Store:
    """Opens the store at a location, creating it if absent; a home that cannot be written is opened for reading.

    Args:
        location: a home directory, where `~` stands for the user's own; `sqlite:///` and the directory, so that an
            absolute path shows four slashes; `postgresql://user:password@host:port/database`, or `postgres://...`, for
            a server (docs/postgresql.md); `:memory:` for a store without a file; None for what the environment variable
            CLEW_STORE names, else CLEW_HOME, else `~/.clew`.
        key: the name of the key as the setting `store.key` gives it; None takes that setting, of the home's clew.toml
            or of the environment.

    Raises:
        ConfigError: the location names an engine that this version does not have, or cannot be read; there is no key of
            that name, or the location is a server, whose files are not ours to encrypt.
        MissingExtra: the engine or the key needs a package that is not installed.
        KeyRefused: the key does not fit, or the home needs one or has none.
        StoreError: the store cannot be opened.
    """
    home = home_of(location)
    address = _address(location) if home is None else ""
    secret = secret_of(load_config(home).store.key if key is None else key)
    if home is not None:
        return ReadOnlyStore(home, secret) if is_read_only(home) else SqliteStore.open(home, secret=secret)
    if address == IN_MEMORY:
        return MemoryStore(secret)
    if secret is not None:
        raise ConfigError("store.key encrypts homes, and this is a server: encrypt its disk; set store.key to 'none'")
    # Loading it takes as long as opening a small home, and most memories are not on a server.
    from clew.store.postgres import PostgresStore

    return PostgresStore.open(address)


def home_of(location: str | Path | None = None) -> Path | None:
    """The home directory that `open_store` would open; None for a location without one.

    Raises:
        ConfigError: as `open_store`. InputError: no file can have that name.
    """
    if isinstance(location, Path):
        return usable_path(location, _HOME)
    if location is not None and not isinstance(location, str):
        raise InputError(f"{_HOME} is {shown(location)}; {_EXPECTED}, as a str or a Path")
    address = _address(location)
    engine, separator, _ = address.partition("://")
    if not _location(location).startswith(_SQLITE) and _WITHOUT_FORM.match(address):
        raise ConfigError(
            f"the address is neither that of a server, as it is read here, nor clearly a directory (it is not shown); "
            f"{_EXPECTED}; a directory of such a name is written with ./ before it"
        )
    if address == IN_MEMORY or (separator and engine in _SERVERS):
        return None
    if separator or not address:
        told = f"{engine}://..." if separator else repr(location)  # an address may hold a password
        raise ConfigError(f"{told} is not a place for a store; {_EXPECTED}")
    return usable_path(address, _HOME)


def _location(location: str | Path | None) -> str:
    """The location with defaults filled in."""
    if location is None:
        location = os.environ.get("CLEW_STORE") or os.environ.get("CLEW_HOME") or DEFAULT_HOME
    return exact_text(location) if isinstance(location, str) else str(location)


def _address(location: str | Path | None) -> str:
    """The location with defaults filled in; the path of a SQLite file without its scheme."""
    return _location(location).removeprefix(_SQLITE)
