"""What a turn answers is told by the ids of the space, whatever ids the source uses."""

import pytest

from clew.memory import Memory
from clew.types import Turn


def turn(name: str, parent: str | None = None) -> Turn:
    return Turn(role="user", content=f"words of {name}", session="s:1", external_id=name, parent=parent)


@pytest.mark.requirement("F-INGEST-22")
def test_a_parent_is_found_in_the_same_batch_in_the_store_or_left_as_the_source_names_it() -> None:
    with Memory.open(":memory:", embedder="none") as memory:
        first, second = memory.add_many([turn("a"), turn("b", "a")]).turn_ids
        third = memory.add(turn("c", "b"))
        stray = memory.add(turn("d", "never seen"))
        assert [memory.get(each).parent for each in (first, second, third, stray)] == [
            None,
            first,
            second,
            "never seen",
        ]
