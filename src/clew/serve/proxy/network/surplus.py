"""What an upstream sends behind the end of its answer, without being asked.

Such bytes that come later are noticed before a connection is used again (`loopback`, `remote`). Those that came
together with the end of the answer are in the buffer of the HTTP library, which would read them as the next answer.
"""

from typing import Any, Final

_WAY: Final = ("_stream", "_httpcore_stream", "_connection")
"""Attributes by which the streams of the library lead to their connection; it has no public way to it."""


def read_too_far(stream: object) -> bool:
    """Whether a connection has read more than the answer whose stream has ended.

    It is taken to have done so where the library has become another one: no connection is kept then.
    """
    state: Any = None
    while stream is not None and state is None:
        state = getattr(stream, "_h11_state", None)
        stream = next(filter(None, (getattr(stream, name, None) for name in _WAY)), None)
    return state is None or state.trailing_data[0] != b""
