"""Names the holder of a lease, and tells whether its process still runs, so that nobody waits for a killed one.

Only Linux tells enough: a holder names the running system, its space of process numbers (a container has its own), the
process and when that started. Elsewhere, and of another machine's holder, nothing is known, and its lease runs out.
A wrong answer would cost work done twice, nothing else: every step of the worker may be done by two at once.
"""

import logging
import os
import uuid
from hashlib import blake2s
from pathlib import Path
from typing import Final

from clew.errors import StoreError
from clew.store.protocol import Lease, Store
from clew.store.tables import LEASE

log = logging.getLogger("clew.worker")

_UNKNOWN: Final = "-"
_STARTED: Final = 19
"""Place of the starting time in /proc/PID/stat, counted from the state, which follows the name in parentheses."""


def holder_name() -> str:
    """A new name for this process: `PID:START:PLACE:UNIQUE`."""
    started = _started(os.getpid())
    return f"{os.getpid()}:{_UNKNOWN if started is None else started}:{_place()}:{uuid.uuid4().hex[:8]}"


def is_dead(holder: str) -> bool:
    """Whether the process with this name no longer runs; False if that cannot be determined."""
    parts = holder.split(":")
    if len(parts) != 4 or _UNKNOWN in parts or parts[2] != _place() or not parts[0].isdigit():
        return False
    return _started(int(parts[0])) != parts[1]


def release_dead(store: Store, space: str, name: str) -> None:
    """Gives back a lease whose holder was killed, so that nobody waits for it to run out."""
    with store.snapshot() as reader:
        row = LEASE.get(reader, (space, name))
    if row is not None and row.holder is not None and is_dead(row.holder):
        store.release(Lease(row.space, row.name, row.holder, row.fence, row.expires))


def give_back(store: Store, lease: Lease) -> None:
    """Releases a lease of one's own; if the database cannot be reached, the lease expires by itself."""
    try:
        store.release(lease)
    except StoreError as error:
        log.info("a lease is left to run out: %s", error)


def _started(process: int) -> str | None:
    """When a process of this system started, in ticks; None if it does not run or that is unknown."""
    try:
        said = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:  # there is no such process, or no /proc
        return None
    fields = said.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[_STARTED]  # a killed one stays as a zombie until it is waited for


def _place() -> str:
    """Identifies this running system and its process namespace; `-` if it does not tell."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        numbers = str(Path("/proc/self/ns/pid").readlink())
    except OSError:  # no Linux, or one that hides them
        return _UNKNOWN
    return blake2s(f"{boot} {numbers}".encode(), digest_size=8).hexdigest()
