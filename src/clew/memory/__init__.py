"""The facade: `Memory` checks arguments and delegates. Start at `facade.Memory`.

The methods of `Memory` are spread over one chain of classes, a module for each subject. From the base upwards:

    recalls     questions that return turns, contexts and receipts; enough for `clew recall`, which imports nothing more
    reads       the other methods that change nothing
    pauses      pausing and resuming
    quests      tasks that led to work on files
    projects    attached code bases
    facts       facts and their corrections
    knowledge   extraction of whole sessions
    learning    feedback and tuning
    facade      `Memory`: opening, closing, and everything else that changes turns

`opening` opens a home and `wiring` connects the parts of a memory. Apart from the checks in `arguments`, the work is
done in the rooms below.
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
