"""Connections of the web server that come as it stops."""

import asyncio

import pytest
import uvicorn

from clew.serve.processes.connections import OrderlyConnection, OrderlyServer


class _Transport(asyncio.Transport):
    """Notes that it was closed."""

    closed = False

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


def _nothing(*_: object) -> None:
    """An application that is never called."""


@pytest.mark.requirement("P-RLY-50")
def test_a_connection_that_comes_when_the_server_closes_ends_at_once() -> None:
    async def run() -> tuple[bool, bool]:
        config = uvicorn.Config(_nothing, http=OrderlyConnection, lifespan="off", log_config=None)
        config.load()
        server = OrderlyServer(config)
        server.lifespan = config.lifespan_class(config)

        def accepted() -> _Transport:
            transport = _Transport()
            OrderlyConnection(config, server.server_state, {}).connection_made(transport)
            return transport

        server.servers = []
        before = accepted()
        was_open = not before.closed
        server.server_state.connections.clear()  # it has ended
        await server.shutdown()
        return was_open, accepted().closed

    assert asyncio.run(run()) == (True, True)
