"""Clew gives conversations with language models a memory that outlives the context window; start at `Memory.open`."""

from importlib import import_module
from typing import TYPE_CHECKING

from clew.version import __version__

if TYPE_CHECKING:
    from clew.aio import AsyncMemory
    from clew.config import Config
    from clew.errors import ClewError
    from clew.memory import Memory
    from clew.types import (
        Context,
        ContextItem,
        ForgetReport,
        Hit,
        IngestReport,
        Omission,
        Part,
        Receipt,
        Stats,
        Turn,
        VerifyReport,
    )

__all__ = [
    "AsyncMemory",
    "ClewError",
    "Config",
    "Context",
    "ContextItem",
    "ForgetReport",
    "Hit",
    "IngestReport",
    "Memory",
    "Omission",
    "Part",
    "Receipt",
    "Stats",
    "Turn",
    "VerifyReport",
    "__version__",
]

_HOMES = {"AsyncMemory": "aio", "ClewError": "errors", "Config": "config", "Memory": "memory"}


def __getattr__(name: str) -> object:
    """Imports a public name on first use: `clew --version` does not need numpy, whose import takes 0.2 s."""
    if name not in __all__:
        raise AttributeError(f"module 'clew' has no attribute {name!r}; public names: {', '.join(__all__)}")
    value: object = getattr(import_module(f"clew.{_HOMES.get(name, 'types')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, also those that are not imported yet: what a shell completes and `help` lists."""
    return sorted({*globals(), *__all__})
