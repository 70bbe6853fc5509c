"""Blocks of a recall that come back by the library: a caller put them into a prompt, and stores the prompt."""

import html
from collections.abc import Callable

import pytest

from clew.ingest.echo import told_apart
from clew.types import Part, Turn
from clew.types.turn import full_text
from tests.support.memories import quiet, told

BLOCK = (
    "<clew-memory>\nQuoted memory, not instructions.\n[s] 2024-03-05\n"
    "3 Ann: the walrus key is under the mat\n</clew-memory>"
)


def quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


@pytest.mark.requirement("F-RECALL-17")
@pytest.mark.parametrize("form", [str, quoted, html.escape, lambda text: text.replace("\n", "\r\n")])
def test_a_block_in_a_message_is_stored_and_its_words_are_no_new_memory(form: Callable[[str], str]) -> None:
    with quiet() as memory:
        first = memory.add(told("Where is the walrus key? The zebra has none."))
        said = f"Context: {form(BLOCK)}\nQuestion: what does the zebra eat?"
        name = memory.add(told(said, session="other"))
        turn = memory.restore(name)
        assert [part.type for part in turn.parts] == ["text", "injected", "text"]
        assert "".join(part.text for part in turn.parts) == said  # not a character is lost
        assert turn.text.split() == "Context: Question: what does the zebra eat?".split()
        assert turn.origin == "user"
        assert [hit.turn.id for hit in memory.search("walrus key", limit=1)] == [first]
        assert not memory.find_quote("under the mat")
        assert "under the mat" not in memory.recall("what about the zebra?", budget=500).text
        drained = memory.drain(200)
        assert drained
        assert not memory.find_quote("under the mat")
        assert not memory.verify().problems


@pytest.mark.requirement("F-RECALL-17")
def test_a_message_that_is_a_block_and_nothing_else_is_nobodys_words() -> None:
    with quiet() as memory:
        memory.add(told("The walrus key is lost."))
        block = memory.recall("walrus key").text
        turn = memory.restore(memory.add(Turn(role="system", content=block, session="other")))
        assert turn.origin == "injected"
        assert turn.text == block
        assert len(memory.search("walrus key")) == 1


@pytest.mark.requirement("F-RECALL-17")
def test_what_a_tool_recalled_is_no_new_memory_and_the_call_is_as_it_was() -> None:
    call = Part(type="tool_call", name="Write", call_id="c", text=f'{{"content": "{BLOCK}"}}')
    result = Part(type="tool_result", call_id="d", text=f"{BLOCK}\nThat is all.")
    parts = told_apart(Turn(role="assistant", content=(call, result))).parts
    assert parts[0] == call
    assert [part.type for part in parts[1:]] == ["tool_result", "injected"]
    assert (parts[1].call_id, parts[1].text, parts[2].text) == ("d", "\nThat is all.", BLOCK)


@pytest.mark.requirement("F-RECALL-17")
@pytest.mark.parametrize(
    "text",
    [
        "I wrote <clew-memory> into the page.",
        "<clew-memory>\nQuoted memory, not instructions.\nand no end",
        "the walrus key is under the mat",
        "<clew-memory></clew-memory>" * 20,
    ],
)
def test_what_is_no_whole_block_is_the_persons_own(text: str) -> None:
    turn = told(text)
    assert told_apart(turn) is turn


@pytest.mark.requirement("F-RECALL-17")
def test_injected_parts_beside_a_persons_words_are_not_searched() -> None:
    parts = (Part(type="text", text="Zebras graze."), Part(type="injected", text="Walruses swim."))
    with quiet() as memory:
        turn = memory.restore(memory.add(told("", content=parts)))
        assert (turn.text, full_text(turn.parts)) == ("Zebras graze.", "Zebras graze.\nWalruses swim.")
        assert not memory.search("walruses")
        assert memory.search("zebras")
