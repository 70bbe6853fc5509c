"""`clew rekey`: a home under another key; and the line of `clew.toml` that names the key of a home."""

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any, Final

import click

from clew.cli.opening import see_that_home_exists
from clew.cli.options import Scope, common
from clew.cli.show import emit, err, out, printable
from clew.config import SETTINGS, load_config
from clew.errors import ConfigError
from clew.store import rekey as store
from clew.store.keys import NO_KEY, secret_of
from clew.store.open import home_of

_VARIABLE: Final = SETTINGS["store.key"].variable
_TABLE: Final = re.compile(r"^[ \t]*\[[ \t]*store[ \t]*\][ \t]*(#.*)?\r?$", re.MULTILINE)
_LINE: Final = re.compile(r"^[ \t]*key[ \t]*=.*$", re.MULTILINE)
_NEXT: Final = re.compile(r"^[ \t]*\[", re.MULTILINE)


@click.command()
@click.argument("key")
@common
def rekey(scope: Scope, key: str) -> None:
    """Encrypt the home, change its key, or make it plain again.

    KEY says where the new key is, and is never the key itself: env:NAME for a variable, keyring:NAME for an entry of
    the system's keyring, or none for no encryption. The database is written anew and checked before it takes the place
    of the old one; clew.toml in the home then names the new key. Nobody else may have the home open. Whoever loses the
    key has lost what is in the home: there is no other way in.
    """
    see_that_home_exists(scope.home)
    home = home_of(scope.home)
    if home is None:
        raise ConfigError("a server or a store in memory has no key of ours; name a home directory with --home")
    changed = store.rekey(home, secret_of(load_config(home).store.key), secret_of(key))
    note_key(home, key)
    if scope.as_json:
        emit({"key": key, "changed": changed})
        return
    said = "the home is plain now" if key == NO_KEY else f"the home is encrypted with the key that {key} names"
    out().print(printable(said if changed else f"{said}; it was before"), soft_wrap=True)


def note_key(home: Path, key: str) -> None:
    """Lets the home's clew.toml name its key; all else in there stays as it is.

    Raises:
        ConfigError: the file is laid out so that this cannot be done safely; the message says what to write there.
    """
    path = home / "clew.toml"
    text = path.read_bytes().decode() if path.exists() else ""
    settings = tomllib.loads(text)
    if settings.get("store", {}).get("key", NO_KEY) != key:
        fresh = path.with_name(f"{path.name}.unfinished")
        fresh.write_text(_with_key(text, settings, key, path), encoding="utf-8", newline="")
        fresh.replace(path)
    if os.environ.get(_VARIABLE, key) != key:
        err().print(f"{_VARIABLE} wins over clew.toml and names another key: set it to {printable(key)}, or unset it")


def _with_key(text: str, settings: dict[str, Any], key: str, path: Path) -> str:
    """The file's text with the key named in it, proven to say nothing else that is new."""
    line = f"key = {json.dumps(key, ensure_ascii=False)}"
    table = _TABLE.search(text)
    if table is None:
        changed = f"{text.rstrip()}\n\n[store]\n{line}\n".lstrip()
    else:
        following = _NEXT.search(text, table.end())
        old = _LINE.search(text, table.end(), following.start() if following else len(text))
        start, end = old.span() if old else (table.end(), table.end())
        changed = f"{text[:start]}{'' if old else chr(10)}{line}{text[end:]}"
    try:
        found = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        found = {}
    if found != settings | {"store": settings.get("store", {}) | {"key": key}}:
        raise ConfigError(f"{path} could not be changed; write there, in the table [store]: {line}")
    return changed
