"""What other users of the machine see of this program in a list of processes: not where its memory is."""

import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_ADDRESS: Final = re.compile(rb"postgres(?:ql)?://([^\0]+)", re.IGNORECASE)
_ARG_START: Final = 48 - 3
"""Where the arguments begin is field 48 of /proc/self/stat (proc(5)), of which the first two are cut off here."""


def hide_addresses() -> None:
    """Writes stars over the addresses among the arguments, as a list of processes shows them; they may hold passwords.

    Linux only. Where the system does not allow it, and elsewhere, they stay to be seen: docs/postgresql.md says what to
    do instead. What the program itself reads of its arguments stays as it is.
    """
    if not sys.platform.startswith("linux"):
        return
    with suppress(OSError, ValueError, IndexError):  # a system without /proc, or with another one
        process = Path("/proc/self")
        shown = (process / "cmdline").read_bytes()
        places = [match.span(1) for match in _ADDRESS.finditer(shown)]
        if not places:
            return
        start = int((process / "stat").read_bytes().rpartition(b")")[2].split()[_ARG_START])
        with (process / "mem").open("r+b", buffering=0) as memory:
            for begin, end in places:
                memory.seek(start + begin)
                memory.write(b"*" * (end - begin))
