"""What a client's own compaction lost, brought back."""

from typing import Any

import pytest

from clew.errors import InputError, NotFoundError
from clew.types import Turn
from tests.support.memories import quiet
from tests.support.wire_talks import Said, written
from tests.unit.test_condense_recap import work

pytestmark = pytest.mark.requirement("F-CONDENSE-25")


def filled() -> Any:
    memory = quiet()
    memory.add_many(Turn(role=turn.role, content=turn.content, session="work") for turn in work())
    memory.drain()
    return memory


def test_nothing_is_brought_back_when_nothing_was_lost() -> None:
    with filled() as memory:
        whole = [{"role": turn.role, "content": part.text} for turn in work() for part in turn.parts]
        assert memory.insure("work", whole).text == ""


@pytest.mark.parametrize("wire", ["anthropic", "openai", "responses", "gemini"])
def test_what_was_cut_is_brought_back_and_nothing_that_is_there(wire: str) -> None:
    kept = [Said("user", "Which tests are left?"), Said("assistant", "We moved src/shop/lease.py to Redis.")]
    with filled() as memory:
        made = memory.insure("work", written(kept, wire), budget=700)
    assert made.tokens <= 700
    assert "Never touch the billing tables" in made.text
    assert "pytest tests/test_cart.py -x" in made.text
    assert "Which tests are left?" not in made.text
    assert "src/shop/lease.py" not in made.values


def test_bad_arguments_are_named() -> None:
    with filled() as memory:
        with pytest.raises(NotFoundError, match="there is no session 'other'"):
            memory.insure("other", [])
        with pytest.raises(InputError, match="message 0: expected an object"):
            memory.insure("work", ["text"])
        with pytest.raises(InputError, match="budget"):
            memory.insure("work", [], budget=-1)


@pytest.mark.requirement("F-TASKS-06")
def test_what_was_written_down_as_open_is_brought_back_until_it_is_done() -> None:
    lost = ["Here is the plan.", "TODO: ask Karin for the VAT numbers of customer C-20931.", "Thanks."]
    kept = [{"role": "user", "content": f"Filler number {n} about the weather."} for n in range(4)]
    with quiet() as memory:
        memory.add_many(Turn(role="user", content=text, session="s") for text in lost)
        memory.add_many(Turn(role="user", content=message["content"], session="s") for message in kept)
        memory.drain()
        assert "- [#1] ask Karin for the VAT numbers of customer C-20931" in memory.insure("s", kept).text
        known = {"role": "user", "content": "Still to do: Karin has to be asked for VAT numbers of customer C-20931."}
        assert "[#1] ask Karin" not in memory.insure("s", [known, *kept]).text
        memory.add(Turn(role="user", content="I asked Karin, customer C-20931 sent its VAT numbers.", session="s"))
        memory.drain()
        assert "[#1] ask Karin" not in memory.insure("s", kept).text


@pytest.mark.requirement("F-TASKS-06")
def test_recaps_tell_what_was_written_down_as_open_also_after_a_compaction() -> None:
    with quiet() as memory:
        texts = ["TODO: ask Karin for the VAT numbers.", *(f"Filler number {n} about lunch." * 40 for n in range(20))]
        memory.add_many(Turn(role="user", content=text, session="s") for text in texts)
        memory.drain()
        assert "### Open tasks\n- [#0] ask Karin for the VAT numbers\n" in memory.recap("s").text
        memory.condense("s", force=True)
        assert "### Open tasks" in memory.recap("s").text
        memory.add_many(Turn(role="user", content=f"Filler number {n} about tea.", session="s") for n in range(20))
        memory.add(Turn(role="user", content="I asked Karin about the VAT numbers.", session="s"))
        memory.drain()
        memory.condense("s", force=True)
        assert "### Open tasks" not in memory.recap("s").text
