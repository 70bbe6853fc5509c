"""Histories of OpenAI Responses of which the provider keeps a part: nobody else's begins with the same."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from clew.serve.proxy.clients import recognised
from clew.serve.proxy.exchange import ClientMark, SideRequest
from clew.serve.proxy.wires.responses import RESPONSES
from tests.support.chat_requests import chat_request
from tests.support.memories import quiet
from tests.support.proxy_talks import Proxied, assistant, user


def sealed(name: str) -> dict[str, Any]:
    return {"type": "compaction", "id": f"cmp_{name}", "encrypted_content": f"sealed {name}"}


@pytest.mark.requirement("P-IDN-01")
@pytest.mark.parametrize(
    "begins", [sealed, lambda name: {"type": "item_reference", "id": name}, lambda name: {**sealed(name), "id": None}]
)
def test_histories_that_a_provider_keeps_are_told_apart(begins: Callable[[str], dict[str, Any]]) -> None:
    with quiet() as memory:
        proxied = Proxied(memory, "responses")
        stored = []
        for name in ("x", "y"):
            asked = [begins(name), user("What is next?")]
            session = proxied.exchange(asked, assistant(f"The end of {name}.")).session
            asked += [assistant(f"The end of {name}."), user("And then?")]
            assert proxied.exchange(asked, assistant("Nothing.")).session == session
            stored.append(proxied.stored(session)[1:])
        assert stored == [["What is next?", f"The end of {name}.", "And then?", "Nothing."] for name in ("x", "y")]


@pytest.mark.requirement("P-IDN-01")
def test_a_history_that_begins_with_what_a_provider_sealed_in_an_answer_goes_on_there() -> None:
    with quiet() as memory:
        proxied = Proxied(memory, "responses")
        sessions = []
        for name in ("x", "y"):
            asked = proxied.ask([user(f"The port of {name} is 8123.")])
            answer = (sealed(name), assistant("Noted."))
            proxied.answered(asked, *answer)
            after = [*answer, user("What is next?")]
            assert proxied.exchange(after, assistant("Sleep.")).session == asked[0].session
            sessions.append(proxied.stored(asked[0].session))
        assert [told[0] for told in sessions] == ["The port of x is 8123.", "The port of y is 8123."]
        assert [told[-3:] for told in sessions] == [["Noted.", "What is next?", "Sleep."]] * 2


@pytest.mark.requirement("P-IDN-01")
def test_a_history_that_the_provider_was_asked_to_seal_goes_on_in_its_conversation() -> None:
    compaction = ClientMark(name="", side=SideRequest.COMPACTION)
    shared = "Please read the tide tables of the harbour before you answer anything about the launch."
    with quiet() as memory:
        proxied = Proxied(memory, "responses")
        sessions, kept = [], []
        for name in ("x", "y"):
            history = [user(shared), assistant("Done."), user(f"The port of {name} is 8123."), assistant("Noted.")]
            session = proxied.exchange(history[:1], history[1]).session
            assert proxied.exchange(history[:3], history[3]).session == session
            sessions.append(session)
            kept.append([history[0], history[2], sealed(name)])  # the words of the user, and what is sealed
            proxied.answered(proxied.ask(history, compaction), *kept[-1], client=compaction)
        proxied.restart()
        for name, session, begun in zip(("x", "y"), sessions, kept, strict=True):
            asked = [*begun, user("Which port?")]
            assert proxied.exchange(asked, assistant(f"8123, of {name}.")).session == session
            asked += [assistant(f"8123, of {name}."), user("And when?")]
            assert proxied.exchange(asked, assistant("At noon.")).session == session
            told = proxied.stored(session)
            assert told[-4:] == ["Which port?", f"8123, of {name}.", "And when?", "At noon."]
            assert [text for text in told if text.startswith("The port of")] == [f"The port of {name} is 8123."]
            assert told.count(shared) == 1
        alone = proxied.exchange([user(shared), sealed("z"), user("Which port?")], assistant("I do not know."))
        assert alone.session not in sessions, "only what is sealed tells the conversation"


@pytest.mark.requirement("P-IDN-01")
def test_the_request_that_seals_a_history_is_no_turn() -> None:
    for path, side in (("/v1/responses/compact?x=1", SideRequest.COMPACTION), ("/v1/responses", None)):
        assert RESPONSES.is_chat("POST", path)
        request = replace(chat_request("responses", [user("Which port?")]), path=path)
        assert recognised(request).side == side
    assert not RESPONSES.is_chat("POST", "/v1/responses/resp_1/cancel")
    body = {"id": "resp_1", "object": "response.compaction", "output": [user("Which port?"), sealed("x")]}
    answer = RESPONSES.read_answer(json.dumps(body).encode())
    assert [message.get("type") for message in answer.messages][-1] == "compaction"
