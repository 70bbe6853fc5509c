"""Where a model is served, and which key may go there.

A key is read from the environment for each request and kept nowhere. A variable of Clew's own goes to the server that
the setting names; a vendor's own variable goes to that vendor and to this machine only, so that a wrong address cannot
collect it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from clew.errors import ConfigError


@dataclass(frozen=True, slots=True)
class KeyVariables:
    """The variables that may hold the key of one kind of server.

    Attributes:
        own: goes to any server that the setting names; it wins.
        vendor: goes to `host` and to this machine only.
    """

    own: str
    vendor: str
    host: str

    def find(self, base_url: str, environment: Mapping[str, str]) -> str | None:
        """The key for a server; None when there is none that may go there.

        Raises:
            ConfigError: the variable holds what no header can carry; the message does not show it.
        """
        variable = self.own
        if not environment.get(self.own) and (urlsplit(base_url).hostname == self.host or is_loopback(base_url)):
            variable = self.vendor
        key = environment.get(variable, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise ConfigError(f"{variable} holds characters that no key has; set it again")
        return key or None


def checked_host(base_url: str, what: str, variable: str) -> str:
    """Host and port of an address.

    Args:
        what: is served there, for the message.
        variable: where its key belongs, for the message.

    Raises:
        ConfigError: the address is not one of HTTP, or carries a user name or query.
    """
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError as error:
        raise ConfigError(f"the {what}'s address {base_url!r} cannot be read: {error}") from error
    if parts.username is not None or parts.password is not None:
        raise ConfigError(f"the {what}'s address names a user; put the key into {variable} instead")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ConfigError(f"the {what}'s address is {base_url!r}; expected http(s)://host[:port][/path]")
    return parts.hostname if port is None else f"{parts.hostname}:{port}"


def is_loopback(base_url: str) -> bool:
    """Whether an address is of this machine."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name, not an address
        return host == "localhost"
