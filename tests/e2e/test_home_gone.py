"""A home that goes while it is open: what is written then would be lost, so it is refused."""

import shutil
import sys
from pathlib import Path

import pytest

from clew.errors import StoreError
from tests.support.memories import quiet, texts, told

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not move or delete open files")


@pytest.mark.requirement("F-HOLD-11")
def test_a_home_that_was_moved_takes_nothing_more_and_opens_where_it_is(tmp_path: Path) -> None:
    with quiet(tmp_path / "home") as memory:
        memory.add(told("one"))
        (tmp_path / "home").rename(tmp_path / "moved")
        with pytest.raises(StoreError, match=r"moved, deleted or replaced.*put the home back"):
            memory.add(told("two"))
        (tmp_path / "moved").rename(tmp_path / "home")
        memory.add(told("three"))
        (tmp_path / "home").rename(tmp_path / "moved")
    with quiet(tmp_path / "moved") as memory:
        assert texts(memory) == ["one", "three"]
        assert memory.verify().ok


@pytest.mark.requirement("F-HOLD-11")
def test_a_home_that_was_deleted_or_replaced_takes_nothing_more(tmp_path: Path) -> None:
    with quiet(tmp_path / "home") as memory:
        memory.add(told("one"))
        shutil.rmtree(tmp_path / "home")
        with pytest.raises(StoreError, match="deleted"):
            memory.add(told("two"))
        with quiet(tmp_path / "home") as other:
            other.add(told("of another home"))
            with pytest.raises(StoreError, match="replaced"):
                memory.add(told("three"))
            assert texts(other) == ["of another home"]
