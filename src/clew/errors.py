"""The errors that Clew raises.

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
    RuleFailed
    MissingExtra

`except ClewError` catches all of them. An error that translates another library's error keeps it as `__cause__`. Each
message says what was given, what was expected and what to do next; without a message the class docstring is used.
"""

import errno
from typing import Final

_NO_MEMORY: Final = (
    "failed to map segment from shared object",
    "annot allocate memory",
    "can't start new thread",
    "std::bad_alloc",
)
"""How others say that memory ran out."""

LONGEST_MESSAGE: Final = 4_000
"""Characters of a message."""


def cut(message: str) -> str:
    """A message without its middle where that is long, as when it repeats an argument of many characters."""
    if len(message) <= LONGEST_MESSAGE:
        return message
    half = LONGEST_MESSAGE // 2
    left = len(message) - 2 * half
    return f"{message[:half]} [... {left:,} characters ...] {message[-half:]}"


def shown(value: object, length: int = 60) -> str:
    """A value as a message shows it: its beginning. Python writes no number of more than 4,300 digits."""
    try:
        return repr(value)[:length]
    except ValueError:
        return "a number of more than 4,300 digits"
    except Exception:  # noqa: BLE001  # a caller's class fails to show itself; its type is said all the same
        return f"{type(value).__name__} that cannot be shown"


def lacks_memory(error: BaseException) -> bool:
    """Whether memory ran out, or what the system grants of it, in an operation that raised this error.

    Python says so by MemoryError; the system's loader of libraries, starts of threads and libraries written in C++ say
    so in words alone.
    """
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        if isinstance(each, MemoryError) or (isinstance(each, OSError) and each.errno == errno.ENOMEM):
            return True
        if any(words in str(each) for words in _NO_MEMORY):
            return True
        each = each.__cause__ or each.__context__
    return False


class ClewError(Exception):
    """The operation failed; `__cause__` holds the underlying error, if there is one."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(cut(message or str(self.__doc__)))


class ConfigError(ClewError):
    """A setting is unknown or has a value outside its range; `clew config check` names every such setting."""


class InputError(ClewError):
    """The caller's input is invalid."""


class TurnRejected(InputError):
    """A turn was rejected before anything was written; the message names the field and the rule."""


class FormatError(InputError):
    """A file or message is not in the expected format; the message names the record and line."""


class ExpressionError(InputError):
    """An expression cannot be parsed; the message names the position."""


class NotFoundError(ClewError):
    """This space has nothing with that name."""


class ConflictError(ClewError):
    """The id belongs to different content, which was left unchanged."""


class StoreError(ClewError):
    """The database failed; everything acknowledged before is safe."""


class StoreLocked(StoreError):
    """Another process held the database for longer than the timeout; try again, or stop that process."""


class StoreFull(StoreError):
    """The disk is full and nothing of this operation was written; free some space and try again."""


class StoreReadOnly(StoreError):
    """The home cannot be written; check its owner and permissions."""


class StoreCorrupt(StoreError):
    """The database file is damaged; run `clew verify` and restore from a backup."""


class SchemaError(StoreError):
    """The home was written by a newer version of Clew and was left unchanged; upgrade Clew to open it."""


class KeyRefused(StoreError):
    """The encryption key is wrong or missing, or the home is not encrypted; nothing was changed."""


class ClosedError(StoreError):
    """The memory is closed; open it again."""


class ModelError(ClewError):
    """A model gave no usable answer; where there is a path without a model, Clew used that instead."""


class ModelUnavailable(ModelError):
    """The configured model cannot be loaded or reached."""


class RequestRefused(ModelError):
    """The model's server refused the request and would refuse it again."""


class BudgetExceeded(ModelError):
    """The call was not made, since it would exceed the configured budget for model calls."""


class RuleFailed(ClewError):
    """A rule of Clew failed on a turn, and would fail on it again; the turns are stored and unchanged."""


class MissingExtra(ClewError):
    """An optional package is not installed; the message names the extra to install."""


def is_rule_failure(error: Exception) -> bool:
    """Whether a rule failed on what it read, and will do so again: nothing outside of it explains the error.

    A damaged turn counts as well: to read it again does not help. Stores, models, files, missing packages and a lack of
    memory do not, since a later try may succeed.
    """
    if isinstance(error, ClewError):
        return isinstance(error, StoreCorrupt)
    return not isinstance(error, OSError | ImportError) and not lacks_memory(error)
