"""Clew keeps a conversation with a language model going without end."""

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
from clew.version import __version__

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
