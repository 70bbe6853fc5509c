"""Memory: one space of one installation. It holds no logic of its own; the stages do.

`wiring` puts it together, opens and closes it; the other modules hold its methods by what they are for.
"""

from clew.memory.care import Care
from clew.memory.hierarchy import Hierarchy
from clew.memory.learning import Learning
from clew.memory.pinning import Pinning
from clew.memory.prompting import Prompting
from clew.memory.wiring import Clock

__all__ = ["Clock", "Memory"]


class Memory(Prompting, Hierarchy, Learning, Pinning, Care):
    """One space. Threads may share it; several processes may open the same home.

    Use `Memory.open`, and close it, or use it in a `with` statement.
    """
