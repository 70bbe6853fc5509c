"""Names of processes that hold leases, and whether those still run."""

import os
import subprocess
import sys

import pytest

from clew.background.worker import LEASE
from clew.rows.lease_owner import holder_name, is_dead
from clew.testing import HashEmbedder
from tests.support.memories import empty_store, quiet, told

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process started")
SAYING = "from clew.rows.lease_owner import holder_name; print(holder_name(), flush=True); input()"
FAR = 2**60


def process() -> tuple["subprocess.Popen[str]", str]:
    """A process that runs until its input ends, and its name."""
    made = subprocess.Popen([sys.executable, "-c", SAYING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert made.stdout is not None
    return made, made.stdout.readline().strip()


@linux
@pytest.mark.requirement("F-HOLD-06")
def test_a_process_is_dead_from_its_kill_on() -> None:
    victim, name = process()
    assert not is_dead(name)
    assert not is_dead(holder_name())
    victim.kill()
    os.waitid(os.P_PID, victim.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and stays to be waited for
    assert is_dead(name), "although nobody has waited for it yet"
    victim.communicate()
    assert is_dead(name)


@linux
@pytest.mark.requirement("F-HOLD-06")
def test_a_number_that_another_process_has_now_is_told_by_its_start() -> None:
    number, started, place, unique = holder_name().split(":")
    assert is_dead(f"{number}:{int(started) - 1}:{place}:{unique}")


@pytest.mark.requirement("F-HOLD-06")
def test_of_other_machines_and_older_names_nothing_is_known() -> None:
    number, started, place, _ = holder_name().split(":")
    for name in (f"{FAR}:1:{'0' * 16}:x", f"{FAR}:-:{place}:x", f"{number}:{started}:-:x", "1:abcd", "", "a:b:c:d"):
        assert not is_dead(name)


@linux
@pytest.mark.requirement("F-HOLD-06")
def test_work_goes_on_at_once_where_a_killed_process_left_it() -> None:
    victim, name = process()
    victim.kill()
    victim.communicate()
    store = empty_store()
    with quiet(store) as memory:
        memory.add(told("green tea"))
    store.transaction(lambda tx: tx.put("lease", [("default", LEASE, name, 7, FAR)]))
    with quiet(store, embedder=HashEmbedder()) as memory:
        assert memory.drain(200)
        assert memory.stats().vectors == 1


@pytest.mark.requirement("F-HOLD-06")
def test_the_lease_of_a_process_that_runs_is_left_alone() -> None:
    store = empty_store()
    with quiet(store) as memory:
        memory.add(told("green tea"))
    store.transaction(lambda tx: tx.put("lease", [("default", LEASE, holder_name(), 7, FAR)]))
    with quiet(store, embedder=HashEmbedder()) as memory:
        assert not memory.drain(0.3)
        assert memory.stats().vectors == 0
