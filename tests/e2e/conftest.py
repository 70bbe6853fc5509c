"""What many tests start from: a home with the sample, servers of PostgreSQL, and a fresh installation for each test."""

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from clew.store.postgres import PostgresStore
from tests.contract.backends import new_schema
from tests.support.cli_runs import CONVERSATION, done
from tests.support.postgres_servers import NoServer, Server, running


@pytest.fixture(scope="session")
def imported_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that holds the sample conversation, made once for a worker; to be copied, never used itself."""
    place = tmp_path_factory.mktemp("imported")
    done("import", CONVERSATION, "--home", place)
    return place


@pytest.fixture(scope="session")
def worked_sample(tmp_path_factory: pytest.TempPathFactory, imported_sample: Path) -> Path:
    """A home that holds the sample conversation, all work done; made once for a worker, to be copied, never used."""
    place = tmp_path_factory.mktemp("worked") / "home"
    copytree(imported_sample, place)
    done("work", "--once", "--home", place)
    return place


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
