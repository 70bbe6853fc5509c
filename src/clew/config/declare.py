"""Declares one setting of a section: its default, range and description."""

from dataclasses import field
from typing import Any, Final

NO_FLOOR: Final = -1e9
"""The value of `recall.floor` that leaves no turn out."""


def setting(
    default: Any,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] | None = None,
    form: str | None = None,
    secret: bool = False,
) -> Any:
    """Declares one setting.

    Args:
        form: regular expression that a text must match; errors hide other values, since they may be secrets.
        secret: the value is shown nowhere.
    """
    metadata = {"doc": doc, "low": low, "high": high, "choices": choices, "form": form, "secret": secret}
    return field(default=default, metadata=metadata)
