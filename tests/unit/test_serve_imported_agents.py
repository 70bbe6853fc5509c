"""Sub-agents of Claude Code 1 and 2.0, whose requests name only their session, through the proxy and out of files."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from clew.ingest.importers.claude_code import agent_session
from clew.serve.proxy.exchange import Answer, ClientMark
from clew.serve.proxy.history.conversations import Conversation
from clew.testing import FrozenClock
from clew.write.unnamed_agents import UnnamedAgents
from tests.support.chat_requests import chat_request
from tests.support.memories import NOON, quiet
from tests.support.proxy_talks import Proxied

pytestmark = pytest.mark.requirement("SRV-AGENT-02")

MAIN = "123e4567-e89b-12d3-a456-426614174000"
AGENT = ClientMark("claude-code", subagent=True, main=MAIN)
REMINDER = {"type": "text", "text": "<system-reminder>Be careful.</system-reminder>"}
Message = dict[str, Any]


def said(prompt: str, *tools: str) -> list[Message]:
    """The messages of a sub-agent that reads some files and answers."""
    found: list[Message] = [{"role": "user", "content": [REMINDER, {"type": "text", "text": prompt}]}]
    for tool in tools:
        call = {"type": "tool_use", "id": tool, "name": "Read", "input": {"path": f"{tool}.txt"}}
        result = {"type": "tool_result", "tool_use_id": tool, "content": f"In {tool}: 8123"}
        found += [
            {"role": "assistant", "content": [{"type": "text", "text": f"I open {tool}."}, call]},
            {"role": "user", "content": [result]},
        ]
    return [*found, {"role": "assistant", "content": [{"type": "text", "text": "It is 8123."}]}]


class TwoWays:
    """A memory that the proxy and imports write to, and the files of one version of the program."""

    def __init__(self, folder: Path, version: str, at: str = "2024-03-05T12:00:00.000Z") -> None:
        self.memory = quiet(clock=FrozenClock(NOON))
        self.proxied = Proxied(self.memory)
        self.folder, self.version, self.at = folder, version, at
        self.written: dict[str, int] = {}

    def through_proxy(self, messages: Sequence[Message], upto: int) -> Conversation:
        """The request that ends with one of the messages, and the answer to it."""
        request = chat_request("anthropic", messages[: upto + 1])
        found = self.proxied.conversations.identify(request, AGENT)
        conversation = self.proxied.memorizer.store_request(found, request, AGENT)
        self.proxied.memorizer.store_answer(conversation, request, AGENT, Answer((messages[upto + 1],)))
        return conversation

    def write(self, name: str, messages: Sequence[Message], upto: int) -> None:
        """What the program writes of a sub-agent up to a message: a line for each block, without reminders."""
        file = self.folder / (f"{MAIN}.jsonl" if self.version == "1" else f"agent-{name}.jsonl")
        lines = list(_lines(name, messages[: upto + 1], self.at, agent=None if self.version == "1" else name))
        with file.open("a", encoding="utf-8") as out:
            out.writelines(f"{json.dumps(line)}\n" for line in lines[self.written.get(name, 0) :])
        self.written[name] = len(lines)

    def bring_in(self) -> None:
        """Imports all files, as far as they are written."""
        for file in sorted(self.folder.glob("*.jsonl")):
            self.memory.import_path(file)

    def told(self) -> list[str]:
        """Every part that is stored, without what the program added."""
        return sorted(
            part.text for turn in self.memory.turns() for part in turn.parts if part.type != "injected" and part.text
        )

    def sessions(self) -> dict[str, set[str]]:
        """The sessions, with their branches."""
        found: dict[str, set[str]] = {}
        for turn in self.memory.turns():
            found.setdefault(turn.session, set()).add(turn.branch)
        return found


def once(*talks: Sequence[Message]) -> list[str]:
    """The parts of talks, as `told` gives them."""
    found = []
    for talk in talks:
        with quiet() as memory:
            proxied, request = Proxied(memory), chat_request("anthropic", talk)
            proxied.memorizer.store_request(proxied.conversations.identify(request, AGENT), request, AGENT)
            found += [part.text for turn in memory.turns() for part in turn.parts if part.type != "injected"]
    return sorted(filter(None, found))


def _lines(name: str, messages: Sequence[Message], at: str, *, agent: str | None) -> Iterator[Message]:
    before, number = None, 0
    for place, message in enumerate(messages):
        blocks = [block for block in message["content"] if block is not REMINDER]
        for block in blocks:
            uuid = f"{name}-{number}"
            content = block["text"] if message["role"] == "user" and block["type"] == "text" else [block]
            body = {"role": message["role"], "content": content}
            body |= {"id": f"msg_{name}_{place}"} if message["role"] == "assistant" else {}
            about = {"sessionId": MAIN, "isSidechain": True, "timestamp": at, "cwd": "/w"}
            about |= {"agentId": agent} if agent else {}
            yield {"type": message["role"], "uuid": uuid, "parentUuid": before, "message": body, **about}
            before, number = uuid, number + 1


@pytest.fixture(params=["1", "2.0"])
def ways(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[TwoWays]:
    found = TwoWays(tmp_path, request.param)
    with found.memory:
        yield found


TALK = said("Find the port.", "c1", "c2")
LAST = len(TALK) - 1


@pytest.mark.parametrize("upto", [0, 1, 2, 3, LAST])
def test_what_was_imported_before_is_not_stored_again(ways: TwoWays, upto: int) -> None:
    ways.write("a1", TALK, upto)
    ways.bring_in()
    for asks in range(upto + upto % 2, LAST, 2):
        ways.through_proxy(TALK, asks)
    ways.write("a1", TALK, LAST)
    for _ in range(2):
        ways.bring_in()
        assert ways.told() == once(TALK)


@pytest.mark.parametrize("begins", ["file", "proxy"])
def test_an_answer_that_is_imported_before_the_proxy_has_stored_it(ways: TwoWays, begins: str) -> None:
    for asks in range(0, LAST, 2):
        if begins == "file":
            ways.write("a1", TALK, asks)
            ways.bring_in()
        request = chat_request("anthropic", TALK[: asks + 1])
        found = ways.proxied.conversations.identify(request, AGENT)
        conversation = ways.proxied.memorizer.store_request(found, request, AGENT)
        ways.write("a1", TALK, asks + 1)
        ways.bring_in()
        ways.proxied.memorizer.store_answer(conversation, request, AGENT, Answer((TALK[asks + 1],)))
    ways.bring_in()
    assert ways.told() == once(TALK)


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("first", ["file", "proxy"])
def test_whichever_way_is_faster_after_each_message(ways: TwoWays, first: str, *, restarts: bool) -> None:
    for asks in range(0, LAST, 2):
        if first == "file":
            ways.write("a1", TALK, asks)
            ways.bring_in()
        ways.through_proxy(TALK, asks)
        if first == "proxy":
            ways.write("a1", TALK, asks + 1)
            ways.bring_in()
        if restarts:
            ways.proxied.restart()
    ways.write("a1", TALK, LAST)
    ways.bring_in()
    assert ways.told() == once(TALK)


def test_sub_agents_at_work_at_once_are_told_by_their_calls(ways: TwoWays) -> None:
    talks = {"a1": said("Find the port.", "c1"), "a2": said("Find the port.", "c2"), "a3": said("Find it.", "c3")}
    for name, talk in talks.items():
        ways.write(name, talk, 2)
    ways.bring_in()
    conversations = {name: ways.through_proxy(talk, 2).session for name, talk in talks.items()}
    assert conversations == {name: agent_session(MAIN, f"{name}-0" if ways.version == "1" else name) for name in talks}
    for name, talk in talks.items():
        ways.write(name, talk, 3)
    ways.bring_in()
    assert ways.told() == once(*talks.values())


def test_what_came_through_the_proxy_first_takes_up_the_file(ways: TwoWays) -> None:
    sessions = {ways.through_proxy(TALK, asks).session for asks in range(0, LAST, 2)}
    ways.write("a1", TALK, LAST)
    for _ in range(2):
        ways.bring_in()
        assert ways.sessions() == {session: {""} for session in sessions}
        assert ways.told() == once(TALK)


def test_a_file_that_is_followed_from_its_middle_after_a_restart(ways: TwoWays) -> None:
    session = ways.through_proxy(TALK, 0).session
    ways.write("a1", TALK, 1)
    ways.bring_in()
    ways.through_proxy(TALK, 2)
    ways.memory.parts.appender.agents = UnnamedAgents(ways.memory.parts.reads.store, ways.memory.space)
    ways.write("a1", TALK, LAST)
    ways.bring_in()
    assert ways.sessions() == {session: {""}}


def test_a_sub_agents_own_words_are_not_offered_to_itself_as_a_memory(tmp_path: Path) -> None:
    ways = TwoWays(tmp_path, "1")
    with ways.memory:
        ways.write("a1", TALK, 2)
        ways.bring_in()
        for asks in (2, 4):
            shown = ways.through_proxy(TALK, asks).shown
            imported = {(turn.session, turn.seq) for turn in ways.memory.turns(MAIN)}
            assert imported
            assert imported <= set(shown)
            ways.proxied.restart()


@pytest.mark.parametrize("case", ["two may be meant", "answered", "long ago", "other words", "another session"])
def test_a_prompt_alone_joins_no_other_sub_agent(ways: TwoWays, case: str) -> None:
    ways.at = "2024-03-05T09:00:00.000Z" if case == "long ago" else ways.at
    ways.write("a1", TALK, 1 if case == "answered" else 0)
    if case == "two may be meant":
        ways.write("a2", TALK, 0)
    ways.bring_in()
    before = ways.sessions()
    asked = said("Find the host." if case == "other words" else "Find the port.", "c9")
    client = ClientMark("claude-code", subagent=True, main="other" if case == "another session" else MAIN)
    request = chat_request("anthropic", asked[:1])
    conversation = ways.proxied.conversations.identify(request, client)
    ways.proxied.memorizer.store_request(conversation, request, client)
    assert ways.sessions() == {**before, conversation.session: {""}}
    assert conversation.session not in before


def test_a_sub_agent_that_was_paused_with_its_session_stores_nothing_twice(ways: TwoWays) -> None:
    ways.write("a1", TALK, 2)
    ways.bring_in()
    before = ways.told()
    ways.memory.pause()
    ways.through_proxy(TALK, 2)
    assert ways.told() == before
