"""What aider, opencode and Claude Code send, as it was seen from them in sessions through the proxy."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from clew.ingest.client_marks import split_words
from clew.memory import Memory
from clew.serve.proxy.clients import recognised
from clew.serve.proxy.economy.prompt_blocks import BlockReader
from clew.serve.proxy.exchange import Answer, ClientMark, SideRequest, edited
from clew.serve.proxy.history.message_form import units_of
from clew.serve.proxy.upstreams import Provider, split_prefix
from clew.serve.proxy.window import cut
from clew.serve.proxy.wires import WIRES
from clew.text.counters import counter
from tests.support.chat_requests import chat_request
from tests.support.memories import quiet
from tests.support.proxy_talks import Proxied

Message = dict[str, Any]

RULES = "# *SEARCH/REPLACE block* Rules:\n\nEvery *SEARCH/REPLACE block* must use this format:\n1. The path."
NO_FILES = "I am not sharing any files that you can edit yet."
SWITCHED = "I switched to a new code base. Please don't consider the above files or try to edit them any longer."


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    return {"role": "assistant", "content": text}


EXAMPLES = [user("Refactor hello()."), assistant("Here are the blocks."), user(SWITCHED), assistant("Ok.")]
FILES = [user(NO_FILES), assistant("Ok.")]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        yield opened


@pytest.mark.requirement("DOOR-STAGE-01")
def test_an_aider_session_is_one_conversation_without_its_staging(memory: Memory) -> None:
    proxied = Proxied(memory)
    aider = ClientMark("aider")
    said: list[Message] = []
    for question, rules in (("The billing service uses port 8123.", f"\n\n{RULES}"), ("Which port?", ""), ("Why?", "")):
        asked = [*EXAMPLES, *said, *FILES, user(question + rules)]
        request = chat_request("anthropic", asked)
        conversation = proxied.memorizer.store_request(proxied.conversations.identify(request, aider), request, aider)
        proxied.memorizer.store_answer(conversation, request, aider, Answer((assistant(f"On {question}"),)))
        said += [user(question), assistant(f"On {question}")]
    (session,) = memory.sessions()
    told = [turn.text for turn in memory.turns(session.name) if turn.origin != "injected"]
    assert told == [message["content"] for message in said]
    assert {turn.branch for turn in memory.turns(session.name)} == {""}


@pytest.mark.requirement("DOOR-STAGE-01")
def test_what_is_staged_counts_only_with_an_answer() -> None:
    assert len(units_of([user(NO_FILES)])) == 1
    assert len(units_of([*FILES, user("Hm.")])) == 1
    assert len(units_of([user("I switched to a new code base."), assistant("Good."), user("Hm.")])) == 3


@pytest.mark.requirement("DOOR-STAGE-01")
def test_rules_behind_the_users_words_are_the_programs() -> None:
    assert split_words(f"Why?\n\n{RULES}") == [("Why?", True), (RULES, False)]
    assert split_words(RULES) == [(RULES, False)]
    assert split_words("See `# *SEARCH/REPLACE block* Rules:`.") == [("See `# *SEARCH/REPLACE block* Rules:`.", True)]


@pytest.mark.requirement("DOOR-CODEX-01")
def test_codexs_tools_and_instructions_before_the_messages_count_and_stay() -> None:
    tool = {"type": "function", "name": "exec", "description": "Run it. " * 2000, "parameters": {"type": "object"}}
    before = [
        {"type": "additional_tools", "role": "developer", "tools": [tool]},
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be brief. " * 1500}]},
    ]
    told = [
        {"type": "message", "role": role, "content": [{"type": kind, "text": f"{number} words " * 500}]}
        for number in range(10)
        for role, kind in (("user", "input_text"), ("assistant", "output_text"))
    ]
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "And now?"}]}
    body = json.dumps({"model": "gpt-6", "input": [*before, *told, asked]}).encode()
    wire, count = WIRES["responses"], BlockReader(counter())
    request = wire.read("/v1/responses", {}, body)
    alone = wire.read("/v1/responses", {}, json.dumps({"model": "gpt-6", "input": [*told, asked]}).encode())
    assert count.tokens(request) > count.tokens(alone) + 7000
    window = 12_000
    short = wire.read("/v1/responses", {}, edited(body, cut(request, window)))
    assert short.value["input"][:2] == before
    assert count.tokens(short) <= window
    assert short.value["input"][-1] == asked


@pytest.mark.requirement("DOOR-ERRAND-01")
def test_claude_codes_look_at_the_history_of_files_is_an_errand() -> None:
    system = "You are an expert at analyzing git history. Given a list of files and their modification counts, return"
    request = chat_request("anthropic", [user("Files modified by user:\n")], system=system)
    assert recognised(request).side is SideRequest.AUXILIARY


@pytest.mark.requirement("DOOR-ERRAND-01")
@pytest.mark.parametrize(("agent", "session"), [("opencode/1.18.33 ai-sdk", "ses_1"), ("other/1", None)])
def test_opencode_names_its_session_in_a_header_of_many(agent: str, session: str | None) -> None:
    headers = {"user-agent": agent, "x-session-id": "ses_1", "x-session-affinity": "ses_1"}
    request = replace(chat_request("anthropic", [user("Hi.")]), headers=headers)
    assert recognised(request).session == session


@pytest.mark.requirement("DOOR-ERRAND-01")
@pytest.mark.parametrize(
    ("path", "below"),
    [(b"/anthropic/messages", b"/v1/messages"), (b"/anthropic/v1/messages", b"/v1/messages"), (b"/anthropic/x", b"/x")],
)
def test_a_path_of_anthropic_may_lack_its_version(path: bytes, below: bytes) -> None:
    assert split_prefix(path) == (Provider.ANTHROPIC, below)
