"""Tools and commands through the real server, before the strict scripted upstream, by the vendors' SDKs."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import anthropic
import openai
import pytest

from clew.serve.scripted.script import Reply, ToolUse, in_turn
from clew.serve.scripted.server import ScriptedUpstream
from tests.support.proxies import proxy
from tests.support.tool_loops import request_of

Clients = Callable[[str, type[Any]], Any]


@pytest.fixture
def clients() -> Iterator[Clients]:
    """Makes SDK clients, and closes them at the end."""
    with ExitStack() as stack:

        def made(url: str, kind: type[Any]) -> Any:
            client = kind(api_key="k", base_url=url)
            stack.callback(client.close)
            return client

        yield made


QUOTE = ToolUse("clew_find_quote", {"text": "lighthouse"})
WEATHER = ToolUse("weather", {"city": "Oslo"})


@pytest.mark.requirement("P-SRF-10", "P-SRF-12")
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("inject", [False, True])
def test_tools_are_answered_and_calls_of_the_client_kept(clients: Clients, stream: bool, inject: bool) -> None:
    replies = (
        Reply("Noted."),
        Reply("Let me look.", (QUOTE,), "Where?"),
        Reply("Outside, too.", (QUOTE, WEATHER), "Both."),
        Reply("At the cape; it rains.", (), "Done."),
    )
    upstream = ScriptedUpstream(in_turn(replies))
    with upstream.serving() as url, proxy(url, inject=inject, patience=30) as server:
        server.services.spaces.get("default").update("The lighthouse was built of granite.", "Noted.", session="old")
        client = clients(server.url + "/anthropic", anthropic.Anthropic)
        value: dict[str, Any] = request_of("anthropic", "The lighthouse stands at the cape.", tools=True)[1]
        del value["stream"]
        headers = {"X-Clew-Tools": "on"}

        def asked() -> Any:
            if not stream:
                return client.messages.create(**value, extra_headers=headers)
            with client.messages.stream(**value, extra_headers=headers) as events:
                return events.get_final_message()

        def said(message: Any) -> dict[str, Any]:
            return {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in message.content]}

        value["messages"] += [said(asked()), {"role": "user", "content": "Where does it stand, and the weather there?"}]
        message = asked()
        assert [block.type for block in message.content][-1] == "tool_use"
        assert "clew_" not in str(message)
        rain = {"type": "tool_result", "tool_use_id": message.content[-1].id, "content": "rain"}
        value["messages"] += [said(message), {"role": "user", "content": [rain]}]
        assert asked().content[-1].text == "At the cape; it rains."
        last = upstream.chats()[-1].body
        assert last.count(b'"tool_result"') == 3
        assert (b"granite" in upstream.chats()[0].body) == inject
        stored = server.services.spaces.get("default").search("clew_find_quote", limit=5)
        assert all("clew_find_quote" not in hit.turn.text for hit in stored)


@pytest.mark.requirement("P-SRF-10")
def test_tools_are_off_unless_asked_for(clients: Clients) -> None:
    upstream = ScriptedUpstream(in_turn([Reply("Hello.")]))
    with upstream.serving() as url, proxy(url, patience=30) as server:
        client = clients(server.url + "/openai/v1", openai.OpenAI)
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hello"}])
    assert b"clew_" not in upstream.chats()[0].body
    with upstream.serving() as url, proxy(url, tools=True, aliases=True, patience=30) as server:
        client = clients(server.url + "/openai/v1", openai.OpenAI)
        for headers in ({}, {"X-Clew-Tools": "off"}, {"X-Clew-Incognito": "on"}):
            words: Any = [{"role": "user", "content": "Hello"}]
            client.chat.completions.create(model="m", messages=words, extra_headers=headers)
    assert [b"vc_find_quote" in request.body for request in upstream.chats()[-3:]] == [True, False, False]


@pytest.mark.requirement("P-SRF-32", "P-SRF-31", "S-REST-04")
@pytest.mark.parametrize("stream", [False, True])
def test_commands_are_answered_never_sent_and_never_stored(clients: Clients, stream: bool) -> None:
    upstream = ScriptedUpstream(in_turn([Reply("Noted."), Reply("At the cape."), Reply("Noted."), Reply("Somebody.")]))
    with upstream.serving() as url, proxy(url, commands=True, inject=False, patience=30) as server:
        client = clients(server.url + "/openai/v1", openai.OpenAI)
        words: list[Any] = []

        def says(text: str) -> str:
            words.append({"role": "user", "content": text})
            if stream:
                with client.chat.completions.stream(model="m", messages=words) as events:
                    said = events.get_final_completion().choices[0].message.content
            else:
                said = client.chat.completions.create(model="m", messages=words).choices[0].message.content
            words.append({"role": "assistant", "content": said})
            return str(said)

        assert says("clew status").startswith("[clew] Conversation: ")
        assert says("The lighthouse stands at the cape.") == "Noted."
        memory = server.services.spaces.get("default")
        (session,) = memory.sessions()
        assert f"Conversation: {session.name}" in says("clew status")
        assert says("clew label Coast") == "[clew] This conversation is now called 'Coast'."
        assert says("Where does it stand?") == "At the cape."
        until = time.monotonic() + 60
        while memory.stats().turns < 4 and time.monotonic() < until:  # the answer is stored after it was sent
            time.sleep(0.01)
        (session,) = memory.sessions()
        assert (session.title, session.turns) == ("Coast", 4)
        assert len(upstream.chats()) == 2
        assert b"clew" not in upstream.chats()[-1].body
        assert says("clew pause").startswith("[clew] Paused.")
        assert says("My secret is 4711.") == "Noted."
        assert says("clew resume") == "[clew] What is said from here on is stored."
        assert memory.stats().turns == 4
        memory.update("Another thing.", "Yes.", session="harbour")
        assert says("VCATTACH harbour").startswith("[clew] Attached to harbour")
        says("And who keeps it?")
        assert {each.name: each.turns for each in memory.sessions()}["harbour"] > 2
