"""Finds the secret that the setting `store.key` refers to. No message shows a secret.

Borders: knows where keys are held, nothing of what they open.
"""

import os
from collections.abc import Callable, Mapping
from typing import Final

from clew.errors import ConfigError, MissingExtra

NO_KEY: Final = "none"
SERVICE: Final = "clew"
"""The service under which entries stand in the operating system's keyring."""
INSTALL: Final = "pip install 'clew[encrypted]' && pip install --force-reinstall --no-deps apsw-sqlite3mc"
"""Both commands are needed: apsw and apsw-sqlite3mc are the same files, and the one that is written last is there."""

_EXPECTED: Final = "expected env:NAME, keyring:NAME or none; it names where the key is and never holds the key itself"


def asked_from_keyring(service: str, name: str) -> str | None:
    """The entry of the operating system's keyring; None if there is none.

    Raises:
        MissingExtra: the package keyring is not installed.
        ConfigError: there is no keyring, or it does not open.
    """
    try:
        import keyring  # an extra, which takes longer to load than a home to open
        from keyring.errors import KeyringError  # likewise
    except ImportError as error:
        raise MissingExtra(f"a key in the keyring needs the package keyring ({error}): {INSTALL}") from error
    try:
        password: str | None = keyring.get_password(service, name)
    except KeyringError as error:
        raise ConfigError(
            f"store.key names 'keyring:{name}', and the keyring does not answer ({_said(error)}); unlock or install "
            "one (`keyring --list-backends` shows what there is), or name a variable: env:NAME"
        ) from error
    return password


def secret_of(
    reference: str,
    environment: Mapping[str, str] | None = None,
    ask: Callable[[str, str], str | None] = asked_from_keyring,
) -> str | None:
    """The secret to which a reference points; None for the reference `none`.

    Args:
        reference: `env:NAME` for a variable, `keyring:NAME` for an entry of the service `clew`, or `none`.
        environment: variables; None reads the process's own.
        ask: returns the entry of a service under a name, or None.

    Raises:
        ConfigError: there is no key under that name, or an empty one.
        MissingExtra: the package keyring is not installed.
    """
    kind, _, name = reference.partition(":")
    if reference == NO_KEY:
        return None
    if kind == "env" and name:
        secret = (os.environ if environment is None else environment).get(name)
        missing = f"the variable {name} is not set; set it to the key, or name another in store.key"
    elif kind == "keyring" and name.strip():
        secret = ask(SERVICE, name)
        missing = f"the keyring has no such entry; `keyring set {SERVICE} {name}` asks for the key and keeps it"
    else:
        raise ConfigError(f"store.key has a value that is not shown; {_EXPECTED}")
    if secret is None:
        raise ConfigError(f"store.key names {reference!r}, and {missing}")
    if not secret.strip():
        raise ConfigError(f"store.key names {reference!r}, and the key there is empty; put a long random text there")
    return secret


def _said(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
