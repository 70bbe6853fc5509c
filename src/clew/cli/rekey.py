"""`clew rekey`: changes the encryption key of a home, and the line of `clew.toml` that names the key."""

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any, Final

import click

from clew.cli.opening import check_home_exists
from clew.cli.options import Scope, common
from clew.cli.show import err, out
from clew.cli.terminal import emit
from clew.config import SETTINGS, load_config
from clew.errors import ConfigError
from clew.store import rekey as store
from clew.store.keys import NO_KEY, secret_of
from clew.store.open import home_of
from clew.store.replace_file import replace_file
from clew.text.printable import printable

_VARIABLE: Final = SETTINGS["store.key"].variable
_MARK: Final = "\ufeff"  # with which some editors begin a file
_TABLE: Final = re.compile(r"^[ \t]*\[[ \t]*store[ \t]*\][ \t]*(#.*)?\r?$", re.MULTILINE)
_LINE: Final = re.compile(r"^[ \t]*key[ \t]*=.*$", re.MULTILINE)
_NEXT: Final = re.compile(r"^[ \t]*\[", re.MULTILINE)


@click.command()
@click.argument("key")
@common
def rekey(scope: Scope, key: str) -> None:
    """Encrypt the home, change its key, or decrypt it.

    KEY names the place of the new key, never the key itself: env:NAME for an environment variable, keyring:NAME for an
    entry of the system keyring, or none to decrypt. The database is rewritten and verified before it replaces the old
    one; then clew.toml in the home is updated. No other program may have the home open. If the key is lost, the data
    cannot be recovered.
    """
    check_home_exists(scope.home)
    home = home_of(scope.home)
    if home is None:
        raise ConfigError("only a home directory can be encrypted by Clew; give one with --home")
    changed = store.rekey(home, secret_of(load_config(home).store.key), secret_of(key))
    note_key(home, key)
    if scope.as_json:
        emit({"key": key, "changed": changed})
        return
    state = "not encrypted" if key == NO_KEY else f"encrypted with the key in {key}"
    out().print(printable(f"the home is {'now' if changed else 'already'} {state}"), soft_wrap=True)


def note_key(home: Path, key: str) -> None:
    """Writes the name of the key to the clew.toml of a home; the rest of the file stays unchanged.

    Raises:
        ConfigError: the file cannot be changed safely; the message says which line to add by hand.
    """
    path = home / "clew.toml"
    text = path.read_bytes().decode() if path.exists() else ""
    mark, text = text[: text.startswith(_MARK)], text.removeprefix(_MARK)
    settings = tomllib.loads(text)
    if settings.get("store", {}).get("key", NO_KEY) != key:
        data = (mark + _with_key(text, settings, key, path)).encode()
        path.touch()  # a new file has the usual permissions, an old one keeps its own: it may hold a token
        replace_file(path.resolve(), data)  # a link, for example into a repository of settings, stays a link
    if os.environ.get(_VARIABLE, key) != key:
        err().print(f"{_VARIABLE} overrides clew.toml and names another key: set it to {printable(key)}, or unset it")


def _with_key(text: str, settings: dict[str, Any], key: str, path: Path) -> str:
    """The text of the file with the key, after checking that no other setting changes."""
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
        parsed = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        parsed = {}
    if parsed != settings | {"store": settings.get("store", {}) | {"key": key}}:
        raise ConfigError(f"{path} cannot be changed safely; add this line to its table [store]: {line}")
    return changed
