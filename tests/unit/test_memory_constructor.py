"""What a memory says of itself, and to those who make, copy or enter it in a way that cannot work."""

import asyncio
import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from clew.aio import AsyncMemory
from clew.errors import ClosedError, InputError
from clew.memory import Memory
from tests.support.memories import quiet


@pytest.mark.requirement("M-TRY-07")
@pytest.mark.parametrize(("kind", "said"), [(Memory, "use Memory.open"), (AsyncMemory, "await AsyncMemory.open")])
def test_a_path_given_to_the_constructor_names_what_opens_it(kind: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        kind("home")


@pytest.mark.requirement("M-TRY-07")
def test_a_memory_shows_its_space_and_home_and_whether_it_is_open(tmp_path: Path) -> None:
    with quiet(tmp_path, space="ann") as memory:
        assert repr(memory) == f"<Memory of space 'ann' in {memory.reads.store.url}, open>"
        assert repr(AsyncMemory(memory)) == f"<AsyncMemory over {memory!r}>"
    assert repr(memory).endswith(", closed>")
    assert "await it" in repr(AsyncMemory.open(tmp_path))


@pytest.mark.requirement("M-TRY-07")
def test_a_memory_that_is_copied_or_pickled_says_what_to_do() -> None:
    with quiet() as memory:
        for value in (memory, AsyncMemory(memory)):
            for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
                with pytest.raises(InputError, match="each process calls"):
                    attempt(value)


@pytest.mark.requirement("M-TRY-07")
def test_a_closed_memory_cannot_be_entered() -> None:
    with quiet() as memory:
        pass
    with pytest.raises(ClosedError), memory:
        raise AssertionError("entered")

    async def enter() -> None:
        async with AsyncMemory(memory):
            raise AssertionError("entered")

    with pytest.raises(ClosedError):
        asyncio.run(enter())
