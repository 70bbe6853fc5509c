"""The REST API over one memory, without a server, for a client in the same process."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from clew.memory import Memory
from clew.serve.access import EVERYTHING, AccessScope, Principal
from clew.serve.rest.page import RestPage
from tests.support.tool_loops import Piecewise

BASE = "http://127.0.0.1:8377/clew/api/v1"


@contextmanager
def rest_client(memory: Memory, scopes: frozenset[AccessScope] = EVERYTHING) -> Iterator[httpx2.AsyncClient]:
    """A client whose requests reach the API with these scopes."""
    page = RestPage(lambda _space: memory, 2)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await page(Principal(memory.space, scopes), scope, receive, send)

    try:
        yield httpx2.AsyncClient(transport=Piecewise(app), base_url=BASE)
    finally:
        page.close()
