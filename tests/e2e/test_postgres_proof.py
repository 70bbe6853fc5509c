"""What is forgotten is gone from a server's tables; its write-ahead log is the server's own, and is said to be."""

import os
from pathlib import Path

import pytest

from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import traces_of
from clew.store.postgres import PostgresStore
from tests.support.memories import history, quiet, told
from tests.support.postgres_servers import Server, own

pytestmark = pytest.mark.slow  # the whole server is searched

WORDS = "zuvexal brundelfin ostrimell harvaquis zennobal trumberlin vaxolmia perdunkel"
"""No word that another test has: the server's files hold theirs too."""


@pytest.mark.requirement("F-HOLD-08")
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="a server's own files are read, as its user or as root")
def test_a_server_keeps_no_trace_but_in_its_own_log(server_name: str) -> None:
    with own(server_name) as server:  # all its files are read, so it should hold little
        check(server)


def check(server: Server) -> None:
    store = PostgresStore.open(server.url())
    with quiet(store) as memory:
        memory.add_many([*history(["green tea", "black tea"], session="kept"), told(WORDS, "hidden")])
        memory.recall("which brundelfin?")
        names = memory.forget(match="zuvexal", dry_run=True).turn_ids
        traces = traces_of(map(memory.restore, names))
        before = prove(store, "default", traces_of(map(memory.restore, names)), [server.data / "base"])
        report = memory.forget(match="zuvexal")
        assert report.unscrubbed is None or memory.drain(None), "what an open snapshot kept back is done later"
    after = prove(store, "default", traces, [server.data / "base", server.data / "pg_wal"])
    assert before.looked_for["runs"] == 0, "as long as it is stored, nothing of it is unique to what is gone"
    assert after.looked_for["runs"] == 4
    assert {Path(name).parent.name for name in after.found} <= {"pg_wal"}
    store.close()
