"""What a server loads while it starts."""

import threading

import pytest

from clew.serve.processes.warming import warming_up


@pytest.mark.requirement("F-MCP-20")
def test_a_server_that_ends_waits_for_what_is_still_loaded() -> None:
    started, loaded = threading.Event(), threading.Event()

    def load() -> None:
        started.set()
        loaded.wait(60)
        done.append("loaded")

    done: list[str] = []
    with warming_up(load):
        assert started.wait(60)
        assert done == []
        loaded.set()
    assert done == ["loaded"]
