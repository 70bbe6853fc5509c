"""A long history that is new is stored in portions, between which a server may stop."""

import threading

import pytest

from clew.errors import ClosedError
from clew.serve.proxy.history.history_portions import PORTION
from clew.serve.proxy.history.memorize import ConversationLog
from tests.support.memories import quiet
from tests.support.proxy_talks import Message, Proxied, assistant, user


class StopsAfter(threading.Event):
    """Is set once it was looked at so many times."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def is_set(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def history(count: int) -> list[Message]:
    return [user(f"Question {i // 2}") if i % 2 == 0 else assistant(f"Answer {i // 2}") for i in range(count)]


@pytest.mark.requirement("F-RELAY-01")
def test_a_long_history_is_stored_as_one() -> None:
    messages = history(2 * PORTION + 51)
    with quiet() as memory:
        proxied = Proxied(memory)
        conversation = proxied.exchange(messages, assistant("At last."))
        texts = proxied.stored(conversation.session)
        assert texts == [message["content"] for message in messages] + ["At last."], "one branch, in order"
        turns = [memory.restore(name) for name in proxied.ids(conversation.session)]
        assert [turn.at for turn in turns[:-2]] == [None] * (len(turns) - 2)
        assert None not in [turn.at for turn in turns[-2:]]
        again = proxied.exchange([*messages, assistant("At last."), user("And now?")], assistant("Done."))
        assert again.session == conversation.session
        assert len(proxied.stored(conversation.session)) == len(messages) + 3


@pytest.mark.requirement("F-RELAY-01")
def test_a_stop_keeps_the_portions_that_are_stored_and_the_next_request_brings_the_rest() -> None:
    messages = history(2 * PORTION + 5)
    with quiet() as memory:
        proxied = Proxied(memory)
        proxied.memorizer = ConversationLog(memory.parts, proxied.conversations, StopsAfter(1))
        with pytest.raises(ClosedError, match="the rest of this history is stored when it is sent again"):
            proxied.ask(messages)
        [session] = proxied.sessions()
        assert proxied.stored(session) == [message["content"] for message in messages[: PORTION + 1]]
        proxied.restart()
        longer = [*messages, assistant("Answered meanwhile."), user("Where were we?")]
        conversation = proxied.exchange(longer, assistant("Here."))
        assert conversation.session == session
        assert proxied.stored(session) == [message["content"] for message in longer] + ["Here."]
        times = [memory.restore(name).at for name in proxied.ids(session)]
        assert times[:-2] == [None] * len(longer[:-1]), "the rest is as old as what was stored before the stop"
        assert None not in times[-2:]
