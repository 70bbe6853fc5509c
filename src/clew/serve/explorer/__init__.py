"""The explorer at /clew/: a page that shows sessions, turns, searches, recalls with their reasons, and receipts.

It asks the REST API with the token that a person gives it, and nothing else: its Content-Security-Policy allows no
other place. The files hold nothing of a memory, so they are given without a token. Start at `explorer_file`.
"""

from importlib.resources import files
from typing import Final

_FILES: Final = {
    b"/clew": ("index.html", "text/html; charset=utf-8"),
    b"/clew/": ("index.html", "text/html; charset=utf-8"),
    b"/clew/explorer.js": ("explorer.js", "text/javascript; charset=utf-8"),
    b"/clew/explorer.css": ("explorer.css", "text/css; charset=utf-8"),
}

_POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
    b"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)

HEADERS: Final = (
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""What every file of the page is sent with."""


def explorer_file(path: bytes) -> tuple[str, bytes] | None:
    """Content type and bytes of a file of the page; None for every other path."""
    file = _FILES.get(path)
    if file is None:
        return None
    name, kind = file
    return kind, files(__package__).joinpath(name).read_bytes()
