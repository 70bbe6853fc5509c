"""Real sessions sent as growing histories, as clients do; needs CLEW_DATA (`tests/support/real_sessions.py`)."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from clew.errors import TurnRejected
from clew.ingest.exchange import turns_of
from clew.serve.proxy.exchange import Answer, ClientMark
from clew.serve.proxy.history.message_form import units_of
from tests.support.chat_requests import chat_request
from tests.support.memories import quiet
from tests.support.proxy_talks import Proxied
from tests.support.real_sessions import Messages, raw_claude_code, raw_openai

_LONGEST = 120
"""Messages of a session that are sent: each request holds all that came before."""


def letters(texts: list[str]) -> Counter[str]:
    """What texts say, whatever turns they are spread over, and without the tags around what a user wrote."""
    return Counter("".join(re.sub(r"</?command-[a-z]+>|\s", "", text) for text in texts))


@pytest.mark.thorough
@pytest.mark.requirement("P-IDN-16")
@pytest.mark.parametrize("client", [ClientMark(), ClientMark(name="claude-code", session="s")])
@pytest.mark.parametrize(("wire", "read"), [("anthropic", raw_claude_code), ("openai", raw_openai)])
def test_a_growing_history_is_stored_as_an_import_stores_it(
    wire: str, read: Callable[[], Iterator[tuple[str, Messages]]], client: ClientMark
) -> None:
    count = 0
    for name, whole in read():
        messages = [message for message in whole[:_LONGEST] if units_of([message])]
        while messages and messages[-1]["role"] != "assistant":
            messages.pop()
        if len(messages) < 4 or messages[0]["role"] != "user":
            continue
        try:
            wanted = [turn.text for turn in turns_of(messages, "s", None)]
        except TurnRejected:  # the imports take what this reader does not
            continue
        with quiet() as memory:
            proxied = Proxied(memory)
            for at, message in enumerate(messages):
                if message["role"] != "assistant":
                    continue
                request = chat_request(wire, messages[:at])
                found = proxied.conversations.identify(request, client)
                asked = proxied.memorizer.store_request(found, request, client)
                proxied.memorizer.store_answer(asked, request, client, Answer((message,)))
            (session,) = proxied.sessions()
            assert memory.verify().ok
            stored = proxied.stored(session)
            assert letters(stored) == letters(wanted), name
            assert not any(text.startswith("edit-") for text in stored), name
        count += 1
    if not count:
        pytest.skip("CLEW_DATA holds no such sessions")
