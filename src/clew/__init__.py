"""Clew keeps a conversation with a language model going without end."""

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
    """Loads a public name when it is first asked for: numpy takes 0.2 s, and `clew --version` needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module 'clew' has no attribute {name!r}; its names are {', '.join(__all__)}")
    value: object = getattr(import_module(f"clew.{_HOMES.get(name, 'types')}"), name)
    globals()[name] = value
    return value
