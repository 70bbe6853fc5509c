"""Hides the addresses of databases in the list of processes, which other users of the machine can read."""

import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_ADDRESS: Final = re.compile(rb"postgres(?:ql)?://([^\0]+)", re.IGNORECASE)
_ARG_START: Final = 48 - 3
"""Index of the field arg_start, which is field 48 of /proc/self/stat (proc(5)), after the first two are cut off."""


def hide_addresses() -> None:
    """Overwrites addresses among the arguments with stars in the list of processes, since they may contain passwords.

    Linux only. On other systems, or if the kernel does not allow it, the addresses stay visible; docs/postgresql.md
    says what to do instead. The arguments that this program reads are not affected.
    """
    if not sys.platform.startswith("linux"):
        return
    with suppress(OSError, ValueError, IndexError):  # no /proc, or one with another layout
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
