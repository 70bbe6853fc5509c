"""Real servers for the tests of PostgreSQL: one that many tests share, and a fresh installation on it for each."""

from collections.abc import Iterator

import pytest

from clew.store.postgres import PostgresStore
from tests.contract.backends import new_schema
from tests.postgres_servers import NoServer, Server, running


@pytest.fixture(params=["embedded", pytest.param("debian", marks=pytest.mark.slow)])
def server_name(request: pytest.FixtureRequest) -> str:
    """Which server: PostgreSQL 18, and Debian's 15 among the slow tests. Skips where it is not installed."""
    name = str(request.param)
    try:
        running(name)
    except NoServer as error:
        pytest.skip(str(error))
    return name


@pytest.fixture
def server(server_name: str) -> Server:
    return running(server_name)


@pytest.fixture
def url(server_name: str) -> str:
    """The address of an installation that does not exist yet."""
    return new_schema(server_name)


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    opened = PostgresStore.open(url)
    yield opened
    opened.close()
