"""The `store` of the contract suite: one empty store of each backend in turn."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.store.protocol import Store
from tests.contract.backends import PARAMETERS, open_backend


@pytest.fixture(params=PARAMETERS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = open_backend(request.param, tmp_path)
    yield opened
    opened.close()
