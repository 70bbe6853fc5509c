"""Reads what every format has in an answer that came whole: the object, and numbers of tokens."""

import json
from typing import Any


def parsed(body: bytes) -> dict[str, Any]:
    """The object that a body is; empty when it is none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):  # the body is relayed all the same
        return {}
    return value if isinstance(value, dict) else {}


def whole_number(value: object) -> int | None:
    """A number of tokens; None for everything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def total(*numbers: int | None) -> int | None:
    """The sum of the numbers that are known; None when none is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
