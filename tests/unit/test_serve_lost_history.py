"""What the proxy brings back of a history that its client has shortened, and what it takes for brought back already."""

import pytest

from clew.config import ServeConfig
from clew.ingest.echo import framed
from clew.memory import Memory
from clew.serve.proxy.chats import RememberedChat
from clew.serve.proxy.exchange import ClientMark
from clew.serve.proxy.lost_history import LostHistory
from clew.serve.proxy.space_memory import SpaceMemories
from clew.serve.spaces import Spaces
from tests.support.memories import quiet
from tests.support.proxy_talks import Proxied, assistant, user

CODE = ClientMark(name="claude-code", session="0b7f")


def brought_back(memory: Memory, *blocks: str) -> str:
    """What is brought back to a client that has dropped all of a talk but its last message."""
    proxied = Proxied(memory)
    said = [user("We keep the port at 8377 for good, and must not rename the table later. Please note it.")]
    for number in range(6):
        said += [assistant(f"Noted {number}."), user(f"Drawer {number} is full of screws. What next?")]
    proxied.exchange(said, assistant("Nothing."), CODE)
    conversation, request = proxied.ask([user("Where were we?")], CODE)
    space = SpaceMemories(Spaces(lambda _: memory), ServeConfig()).get(memory.space)
    place = RememberedChat(space, conversation, CODE)
    return LostHistory(memory).text(request, place, blocks, 500)


@pytest.mark.requirement("P-ECO-19")
def test_a_quotation_of_its_own_words_brings_nothing_back() -> None:
    with quiet() as memory:
        told = brought_back(memory)
    assert told.startswith("The history above no longer holds ")
    for number in ("999", "9" * 5_000):
        quoted = f"3 Ann: It said: The history above no longer holds {number} earlier turns of this conversation."
        with quiet() as memory:
            assert brought_back(memory, framed(quoted, "0a1b2c3d")) == told
    with quiet() as memory:
        assert brought_back(memory, framed(told, "0a1b2c3d")) == ""
