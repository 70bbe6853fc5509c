"""What the caller of an adapter gives it, checked where it comes in."""

from clew.aio import AsyncMemory
from clew.errors import InputError, shown
from clew.memory import Memory


def given_memory(value: object) -> Memory:
    """An open memory.

    Raises:
        InputError: it is none, or an `AsyncMemory`, whose methods an adapter cannot wait for.
    """
    if isinstance(value, AsyncMemory):
        raise InputError(f"memory is {shown(value)}; expected a clew.Memory: give the one inside it, `.memory`")
    if not isinstance(value, Memory):
        raise InputError(f"memory is {shown(value)}; expected a clew.Memory, as Memory.open returns it")
    return value
