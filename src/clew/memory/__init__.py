"""The facade: `Memory` checks arguments and delegates. Start at `facade.Memory`.

`recalls` holds the questions that return turns, `reads` the other methods that change no turn, `facade` those that do,
and `open` and `close`; `opening` opens a home, `wiring` puts the parts of a memory together. Apart from the checks of
`arguments` no work is done here.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.memory.facade import Memory
    from clew.memory.opening import Clock

__all__ = ["Clock", "Memory"]


def __getattr__(name: str) -> object:
    """Imports a public name on first use, so that `recalls` loads neither the write path nor background work."""
    if name == "Memory":
        from clew.memory.facade import Memory  # on first use, see above

        return Memory
    if name == "Clock":
        from clew.memory.opening import Clock  # likewise

        return Clock
    raise AttributeError(f"module 'clew.memory' has no attribute {name!r}; public names: {', '.join(__all__)}")
