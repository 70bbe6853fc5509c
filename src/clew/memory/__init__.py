"""The facade: `Memory` checks arguments and delegates. Start at `facade.Memory`.

`reads` holds the methods that change no turn, `facade` those that do and `open` and `close`; `wiring` puts the parts
together. Apart from the checks of `arguments` no work is done here.
"""

from clew.memory.facade import Memory
from clew.memory.wiring import Clock

__all__ = ["Clock", "Memory"]
