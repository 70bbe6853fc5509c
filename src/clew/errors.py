"""Every error that Clew raises on purpose.

ClewError
    ConfigError
    InputError
        TurnRejected
        FormatError
        ExpressionError
    NotFoundError
    ConflictError
    StoreError
        StoreLocked
        StoreFull
        StoreReadOnly
        StoreCorrupt
        SchemaError
        KeyRefused
        ClosedError
    ModelError
        ModelUnavailable
        RequestRefused
        BudgetExceeded
    MissingExtra

Catch `ClewError` to catch them all. An error raised because of another library's error keeps it as `__cause__`.
Each message says what came, what was expected and what to do next; without a message the class's own sentence is used.
"""


class ClewError(Exception):
    """Clew could not do what was asked; if another error caused it, `__cause__` holds that one."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or self.__doc__)


class ConfigError(ClewError):
    """A setting is unknown or has a value outside its range; `clew config check` names every such setting."""


class InputError(ClewError):
    """The caller's input cannot be used as it is."""


class TurnRejected(InputError):
    """A turn was refused before anything was written; the reason names the field and the rule."""


class FormatError(InputError):
    """A file or message is not in the format that was expected; the reason names the record and line."""


class ExpressionError(InputError):
    """An expression cannot be parsed; the reason names the position."""


class NotFoundError(ClewError):
    """Nothing is stored under that name in this space."""


class ConflictError(ClewError):
    """The id is already taken by different content; the stored content was left as it is."""


class StoreError(ClewError):
    """The database could not do its work; what was acknowledged before is safe."""


class StoreLocked(StoreError):
    """Another process holds the database longer than the waiting time; try again or stop that process."""


class StoreFull(StoreError):
    """The disk is full; nothing of this operation was written. Free space and try again."""


class StoreReadOnly(StoreError):
    """The home cannot be written; check its owner and permissions."""


class StoreCorrupt(StoreError):
    """The database file is damaged; run `clew verify` and restore from a backup."""


class SchemaError(StoreError):
    """The home was written by a newer Clew; it was left untouched. Upgrade Clew to open it."""


class KeyRefused(StoreError):
    """The key does not fit the home, or one of the two has none; nothing was touched."""


class ClosedError(StoreError):
    """The memory was closed; open it again."""


class ModelError(ClewError):
    """A model did not give a usable answer; the deterministic path was used instead where there is one."""


class ModelUnavailable(ModelError):
    """The configured model cannot be loaded or reached."""


class RequestRefused(ModelError):
    """The model's server refused the request as it is, and answered nothing; the same request will be refused again."""


class BudgetExceeded(ModelError):
    """The call was not made: it would pass the configured budget for model calls."""


class MissingExtra(ClewError):
    """An optional package is not installed; the message names the extra to install."""
