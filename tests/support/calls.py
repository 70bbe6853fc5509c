"""Function calls, observed through the interpreter's profiling hook: nothing has to be replaced to count them."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a Python function: its code, its arguments by name, and the code of its caller."""

    function: CodeType
    arguments: Mapping[str, Any]
    caller: CodeType | None


@contextmanager
def observed(note: Callable[[Call], None]) -> Iterator[None]:
    """Reports every call of a Python function that this thread makes inside the block."""

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            note(Call(frame.f_code, frame.f_locals, frame.f_back and frame.f_back.f_code))

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(before)


@contextmanager
def calls_of(*functions: Callable[..., Any]) -> Iterator[list[str]]:
    """The names of these Python functions, in the order in which this thread calls them inside the block."""
    names = {function.__code__: function.__name__ for function in functions}
    done: list[str] = []
    with observed(lambda call: done.append(names[call.function]) if call.function in names else None):
        yield done
