"""The address of a PostgreSQL server: what the driver gets, and what may be shown."""

import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote

from clew.errors import ConfigError
from clew.store.postgres_driver import driver

SCHEMA: Final = "clew"
_SCHEMA_NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_DEFAULTS: Final = {
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
    "fallback_application_name": "clew",
    "client_encoding": "UTF8",
}
"""Settings of the driver where the address gives none: a server that vanished is noticed within a minute."""
_FORM: Final = "expected postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with /, @, : and % in a password written as %XX"


@dataclass(frozen=True, slots=True)
class Address:
    """Where an installation is.

    Attributes:
        shown: the address without any secret.
        schema: name of the database's schema that holds the tables.
        told: what the driver is told, the password included; never printed with the rest.
    """

    shown: str
    schema: str
    told: str = field(repr=False)

    @classmethod
    def of(cls, url: str) -> "Address":
        """Reads `postgresql://...`; `schema=` among its options is Clew's own.

        Raises:
            ConfigError: it cannot be read; nothing of it is repeated, since a password may be anywhere in it.
        """
        base, _, query = url.partition("?")
        options = [option for option in query.split("&") if option]
        ours = [option for option in options if option.startswith("schema=")]
        rest = "&".join(option for option in options if option not in ours)
        schema = unquote(ours[-1].partition("=")[2]) if ours else SCHEMA
        if not _SCHEMA_NAME.fullmatch(schema) or schema.startswith("pg_"):
            raise ConfigError(f"schema={schema!r} cannot be a name; expected a-z, 0-9 and _, such as schema={SCHEMA}")
        given = _read(base + (f"?{rest}" if rest else ""))
        if given is None or _is_misread(given):
            raise ConfigError(f"the address of the server cannot be read; {_FORM}")
        connection = driver().conninfo.make_conninfo(**(_DEFAULTS | given))
        return cls(shown=_shown(given, schema), schema=schema, told=connection)


def _read(url: str) -> dict[str, str] | None:
    """What the driver reads in an address; None when it cannot. Its own words are dropped: they quote the address."""
    if "\0" in url:  # where C's strings end
        return None
    try:
        return {name: str(value) for name, value in driver().conninfo.conninfo_to_dict(url).items()}
    except (driver().Error, UnicodeDecodeError):  # the driver lets the latter through
        return None


def _is_misread(given: dict[str, str]) -> bool:
    """Whether part of a password stands where something else belongs: a reader that stops early takes it for that."""
    ports = given.get("port", "").split(",")
    return any("@" in given.get(name, "") for name in ("host", "port", "dbname")) or not all(
        port == "" or (port.isascii() and port.isdigit()) for port in ports
    )


def _shown(given: dict[str, str], schema: str) -> str:
    """The address from the parts that are not secret; whatever else was given is left out."""
    host, port, options = given.get("host", ""), given.get("port", ""), {}
    if "/" in host:  # the directory of a socket
        options, authority = {"host": host, "port": port}, ""
    else:
        ports = port.split(",")
        names = [f"[{name}]" if ":" in name else name for name in host.split(",")]
        authority = ",".join(name + (f":{ports[n % len(ports)]}" if port else "") for n, name in enumerate(names))
    if schema != SCHEMA:
        options["schema"] = schema
    user = quote(given["user"], safe="") + "@" if "user" in given else ""
    query = "&".join(f"{name}={quote(value, safe='/,')}" for name, value in options.items() if value)
    return f"postgresql://{user}{authority}/{quote(given.get('dbname', ''), safe='')}" + (f"?{query}" if query else "")
