"""Encrypts a database file with its log and journal, page by page, by SQLite3 Multiple Ciphers.

The scheme is theirs for `chacha20`: ChaCha20-Poly1305, a nonce and a tag in each page; the key is PBKDF2-HMAC-SHA256 of
the secret with the salt that stands in the file's first 16 bytes, so that any program on their library opens the file
with the secret. We derive it ourselves, once for a store instead of once for each connection (30 ms).

Source: https://utelle.github.io/SQLite3MultipleCiphers/docs/ciphers/cipher_chacha20/

Borders: gives keys to connections; opens none but to look at the file's head.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote

import apsw

from clew.errors import KeyRefused, MissingExtra, StoreError
from clew.store.keys import INSTALL
from clew.store.raw_file import raw_chunks

CIPHER: Final = "ChaCha20-Poly1305"
_NAME: Final = "chacha20"
_ROUNDS: Final = 64_007
"""The library's own number for this cipher."""
_SALT: Final = 16
_HEAD: Final = 24
_PLAIN: Final = b"SQLite format 3\0"
_SHAPE: Final = b"\x20\x40\x20\x20"
"""Bytes 20 to 23 of the file, which stay plain: 32 bytes of each page are the cipher's, and SQLite's constants."""

State = Literal["new", "plain", "encrypted", "unknown"]


@dataclass(frozen=True, slots=True)
class Key:
    """The derived key of one file, with the file's salt. `repr` shows neither."""

    _key: bytes = field(repr=False)
    _salt: bytes = field(repr=False)

    @property
    def _raw(self) -> str:
        """Key and salt in the library's raw form, which saves deriving the key again."""
        return f"raw:{self._key.hex()}{self._salt.hex()}"

    def open(self, connection: apsw.Connection) -> None:
        """Gives the key to a connection that has not read anything yet, and keeps its temporary tables in memory.

        Raises:
            StoreError: the connection does not take it, so that what it writes would be plain.
        """
        if connection.pragma("cipher", _NAME) != _NAME or connection.pragma("key", self._raw) != "ok":
            raise StoreError(
                f"{connection.filename!r} cannot be encrypted: its SQLite takes no key; check apsw-sqlite3mc"
            )
        connection.pragma("temp_store", "memory")

    def address(self, file: Path) -> str:
        """The URI that opens the file with this key. It is for SQLite only and must never be shown."""
        return f"{file.as_uri()}?cipher={_NAME}&key={quote(self._raw)}"


def plain_address(file: Path) -> str:
    """The URI that opens a file without a key."""
    return f"{file.as_uri()}?key="


def key_for(file: Path, secret: str | None) -> Key | None:
    """The key of a file, which may be absent, if the secret fits; None if the file is not encrypted.

    Raises:
        KeyRefused: there is a secret for a plain file, or none for an encrypted one.
        MissingExtra: the SQLite of this Python cannot encrypt.
    """
    head = _head(file)
    state = _state(head)
    if secret is None:
        if state == "encrypted":
            raise KeyRefused(
                f"{str(file)!r} is encrypted, and store.key is 'none'; say where its key is, in clew.toml or in "
                "CLEW_STORE_KEY: env:NAME or keyring:NAME"
            )
        return None
    if state == "plain":
        raise KeyRefused(
            f"{str(file)!r} is not encrypted, and store.key names a key; encrypt it with `clew rekey`, or set "
            "store.key to 'none'"
        )
    return new_key(secret) if state == "new" else _key(secret, head[:_SALT])


def new_key(secret: str) -> Key:
    """A key for a new file.

    Raises:
        MissingExtra: the SQLite of this Python cannot encrypt.
    """
    return _key(secret, os.urandom(_SALT))


def check_encryption_available() -> None:
    """Checks that the SQLite library of this process can encrypt.

    Raises:
        MissingExtra: it is not the one that encrypts; the message says how to install that.
    """
    if not can_encrypt():
        raise MissingExtra(
            f"encryption needs the package apsw-sqlite3mc in the place of apsw, and here is apsw {apsw.apsw_version()} "
            f"without it: {INSTALL}"
        )


def _key(secret: str, salt: bytes) -> Key:
    check_encryption_available()
    data = secret.encode("utf-8", "surrogateescape")  # a variable may hold any bytes
    return Key(hashlib.pbkdf2_hmac("sha256", data, salt, _ROUNDS, 32), salt)


@contextmanager
def fitting(file: Path, key: Key | None) -> Iterator[None]:
    """Turns SQLite's "not a database" into an error that says that the key does not fit.

    Raises:
        KeyRefused: it does not.
    """
    try:
        yield
    except apsw.NotADBError as error:
        if key is None:
            raise
        raise KeyRefused(
            f"the key that store.key names does not open {str(file)!r}; nothing was touched. Name the key that it was "
            "encrypted with; if it is that one, the file's beginning is damaged: restore a backup"
        ) from error


def layer_for(key: Key | None, vfs: str | None) -> str | None:
    """The VFS that encrypts on top of another one; None stands for the operating system's own."""
    return vfs if key is None or vfs is None else f"multipleciphers-{vfs}"


def can_encrypt() -> bool:
    """Whether the SQLite library of this process can encrypt."""
    return getattr(apsw, "mc_version", None) is not None


def _state(head: bytes) -> State:
    """What a file is, by its first bytes; SQLite starts over in one that is too short for a page."""
    if len(head) < _HEAD:
        return "new"
    if head.startswith(_PLAIN):
        return "plain"
    return "encrypted" if head[20:_HEAD] == _SHAPE else "unknown"


def _head(file: Path) -> bytes:
    """The first bytes of the file; fewer if the file is shorter."""
    if not file.exists() or not file.stat().st_size:
        return b""
    with closing(raw_chunks(file, _HEAD)) as chunks:
        return next(chunks)
