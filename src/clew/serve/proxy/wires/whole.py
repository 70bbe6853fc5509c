"""Reads what every format has in an answer that came whole: the object, and numbers of tokens."""

from typing import Any, Final

from clew.serve.proxy.lenient_json import read_json


def parsed(body: bytes) -> dict[str, Any]:
    """The object that a body is; empty when it is none."""
    try:
        value = read_json(body)
    except (ValueError, RecursionError):  # the body is relayed all the same
        return {}
    return value if isinstance(value, dict) else {}


_MOST: Final = 1 << 40
"""Tokens of one request; a larger number is none of tokens, and no column could hold what it costs."""


def whole_number(value: object) -> int | None:
    """A number of tokens; None for everything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST else None


def total(*numbers: int | None) -> int | None:
    """The sum of the numbers that are known; None when none is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
