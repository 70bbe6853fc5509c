"""Checks the addresses of model servers, and decides which API key may be sent there.

A key is read from the environment for each request and never stored. Clew's own variable is sent to any server that the
setting names; a vendor's variable is sent only to that vendor and to this machine, so that a wrong address cannot
collect it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from clew.errors import ConfigError


@dataclass(frozen=True, slots=True)
class KeyVariables:
    """The environment variables with the key of one kind of server.

    Attributes:
        own: sent to any server that the setting names; takes precedence.
        vendor: sent to `host` and to this machine only.
    """

    own: str
    vendor: str
    host: str

    def find(self, base_url: str, environment: Mapping[str, str]) -> str | None:
        """The key for a server; None if there is none that may be sent there.

        Raises:
            ConfigError: the variable contains characters that no HTTP header can carry; the message does not show them.
        """
        variable = self.own
        if not environment.get(self.own) and (urlsplit(base_url).hostname == self.host or is_loopback(base_url)):
            variable = self.vendor
        key = environment.get(variable, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise ConfigError(f"{variable} contains characters that no API key has; set it again")
        return key or None


def checked_host(base_url: str, what: str, variable: str) -> str:
    """Checks a server's address and returns its host and port.

    Args:
        what: what is served there, for error messages.
        variable: the environment variable of its key, for error messages.

    Raises:
        ConfigError: the address is not an HTTP address, or contains a user name or query.
    """
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError as error:
        raise ConfigError(f"the {what}'s address {base_url!r} cannot be read: {error}") from error
    if parts.username is not None or parts.password is not None:
        raise ConfigError(f"the {what}'s address contains a user name or password; set {variable} instead")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ConfigError(f"the {what}'s address is {base_url!r}; expected http(s)://host[:port][/path]")
    return parts.hostname if port is None else f"{parts.hostname}:{port}"


def is_loopback(base_url: str) -> bool:
    """Whether an address refers to this machine."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name, not an address
        return host == "localhost"
