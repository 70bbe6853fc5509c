"""Cursors: where the next page of a list begins, as text that says nothing to the client."""

import base64
import json
from collections.abc import Sequence
from typing import Any, Final

from clew.errors import InputError
from clew.serve.rest.fields import Field, FieldKind, FieldLocation
from clew.serve.rest.told import told

MOST: Final = 200
"""Most elements of a page."""


def paging(location: FieldLocation, default: int = 50) -> tuple[Field, Field]:
    """The fields by which a list is read in pages."""
    return (
        Field(
            name="limit",
            about="Elements of a page.",
            kind=FieldKind.INTEGER,
            location=location,
            default=default,
            low=1,
            high=MOST,
        ),
        Field(
            name="cursor", about="`next` of the page before; absent for the first page.", location=location, high=500
        ),
    )


def read_cursor(text: str | None, *kinds: type) -> list[Any] | None:
    """The values in a cursor; None for the first page.

    Raises:
        InputError: it is not a cursor of such values.
    """
    if text is None:
        return None
    try:
        values = json.loads(base64.b64decode(text.encode("ascii"), altchars=b"-_", validate=True))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or [type(value) for value in values] != list(kinds):
        raise InputError(f"cursor {text[:40]!r} is none of this list; give `next` of the page before, or leave it out")
    if any(isinstance(value, int) and not 0 <= value < 1 << 62 for value in values):
        raise InputError(f"cursor {text[:40]!r} is out of range; give `next` of the page before")
    return values


def cursor(*values: Any) -> str:
    """The cursor with these values."""
    return base64.b64encode(json.dumps(values).encode(), altchars=b"-_").decode()


def page(items: Sequence[Any], following: str | None) -> dict[str, Any]:
    """A page of a list; `next` is there when more follows."""
    return {"items": [told(item) for item in items], **({} if following is None else {"next": following})}
