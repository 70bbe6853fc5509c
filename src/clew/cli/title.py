"""Hides addresses of databases and tokens in the list of processes, which other users of the machine can read."""

import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_SECRET: Final = re.compile(rb"(?i:postgres(?:ql)?://)([^\0]+)|(?<=\0)--token(?:=|\0)(?!env:|sha256:)([^\0]+)")
"""An address behind its scheme, which may hold a password, or a token that is given as itself."""

_ARG_START: Final = 48 - 3
"""Index of the field arg_start, which is field 48 of /proc/self/stat (proc(5)), after the first two are cut off."""


def hide_secrets() -> None:
    """Overwrites addresses and tokens among the arguments with stars in the list of processes.

    Linux only. On other systems, or if the kernel does not allow it, they stay visible; docs/postgresql.md and
    docs/proxy.md say what to do instead. The arguments that this program reads are not affected.
    """
    if not sys.platform.startswith("linux"):
        return
    with suppress(OSError, ValueError, IndexError):  # no /proc, or one with another layout
        process = Path("/proc/self")
        shown = (process / "cmdline").read_bytes()
        places = [match.span(match.lastindex or 0) for match in _SECRET.finditer(shown)]
        if not places:
            return
        start = int((process / "stat").read_bytes().rpartition(b")")[2].split()[_ARG_START])
        with (process / "mem").open("r+b", buffering=0) as memory:
            for begin, end in places:
                memory.seek(start + begin)
                memory.write(b"*" * (end - begin))
