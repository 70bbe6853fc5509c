"""One session of Claude Code or Codex through the proxy and out of its own file."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from clew.memory import Memory
from clew.serve.proxy.exchange import Answer, ClientMark
from clew.testing import FrozenClock
from tests.support.chat_requests import chat_request
from tests.support.memories import NOON, quiet
from tests.support.proxy_talks import Proxied

pytestmark = pytest.mark.requirement("P-LFT-09")

SESSION = "123e4567-e89b-12d3-a456-426614174000"
CODE = ClientMark("claude-code", SESSION)
Block = dict[str, Any]


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def thought(words: str) -> Block:
    return {"type": "thinking", "thinking": words, "signature": "s"}


def call(name: str, path: str) -> Block:
    return {"type": "tool_use", "id": name, "name": "Read", "input": {"path": path}}


def result(name: str, words: str) -> Block:
    return {"type": "tool_result", "tool_use_id": name, "content": words}


REMINDER = text("<system-reminder>Be careful.</system-reminder>")
TALK: list[tuple[str, list[Block]]] = [
    ("user", [REMINDER, text("Read both files.")]),
    ("assistant", [thought("Two files."), text("I read them."), call("c1", "a"), call("c2", "b")]),
    ("user", [result("c1", "alpha"), result("c2", "beta")]),
    ("assistant", [text("Done.")]),
    ("user", [REMINDER, text("Go on.")]),
    ("assistant", [text("Done.")]),
]
TOLD = ["Read both files.", "Two files.\nI read them.", "alpha", "beta", "Done.", "Go on.", "Done."]


class Both:
    """A session that comes in by both ways."""

    def __init__(self, memory: Memory, folder: Path) -> None:
        self.memory, self.proxied = memory, Proxied(memory)
        self.file = folder / f"{SESSION}.jsonl"

    def through_proxy(self, upto: int, *, answered: bool = True) -> None:
        """The request that ends with one of the user's messages, and its answer."""
        messages = [{"role": role, "content": blocks} for role, blocks in TALK[: upto + 1]]
        request = chat_request("anthropic", messages)
        found = self.proxied.conversations.identify(request, CODE)
        conversation = self.proxied.memorizer.store_request(found, request, CODE)
        if answered:
            role, blocks = TALK[upto + 1]
            answer = Answer(({"role": role, "content": blocks},))
            self.proxied.memorizer.store_answer(conversation, request, CODE, answer)

    def out_of_file(self, upto: int) -> None:
        """The transcript up to a message: a line for each block, without reminders, and a note of the program."""
        self.file.write_text("".join(f"{json.dumps(line)}\n" for line in _lines(upto)), encoding="utf-8")
        self.memory.import_path(self.file)

    def told(self) -> list[str]:
        """What the session says, without what the program added."""
        turns = sorted(self.memory.turns(SESSION), key=lambda turn: turn.seq or 0)
        assert self.proxied.sessions() == [SESSION]
        assert {turn.branch for turn in turns} == {""}
        return [turn.text for turn in turns if turn.origin != "injected"]


def _lines(upto: int) -> Iterator[dict[str, Any]]:
    numbers = count()
    before = None
    for place, (role, blocks) in enumerate(TALK[: upto + 1]):
        for block in blocks:
            if block is REMINDER:
                continue
            name = f"00000000-0000-4000-8000-{next(numbers):012}"
            message: dict[str, Any] = {"role": role, "content": [block] if block["type"] != "text" else block["text"]}
            if role == "assistant":
                message |= {"id": f"msg_{place}", "content": [block]}
            about = {"sessionId": SESSION, "cwd": "/w/app", "timestamp": f"2024-03-05T12:00:{place:02}.000Z"}
            yield {"type": role, "uuid": name, "parentUuid": before, "message": message, **about}
            before = name


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    with quiet(clock=FrozenClock(NOON)) as memory:
        yield Both(memory, tmp_path)


def test_a_transcript_adds_nothing_to_what_came_through_the_proxy(both: Both) -> None:
    for upto in (0, 2, 4):
        both.through_proxy(upto)
    before = both.told()
    assert len(before) == 6  # the results of both calls came in one message
    for _ in range(2):
        both.out_of_file(5)
        assert both.told() == before


def test_what_the_proxy_missed_comes_out_of_the_transcript(both: Both) -> None:
    both.through_proxy(0)
    both.out_of_file(3)
    assert [turn.external_id is None for turn in both.memory.turns(SESSION) if turn.origin != "injected"][-1] is False
    both.through_proxy(4)
    assert sorted(" ".join(both.told()).split()) == sorted(f"{' '.join(TOLD)}".split() + CALLS)


def test_a_session_that_was_imported_goes_on_through_the_proxy(both: Both) -> None:
    both.out_of_file(3)
    before = both.told()
    both.through_proxy(4)
    assert both.told() == [*before, "Go on.", "Done."]
    both.out_of_file(5)
    assert both.told() == [*before, "Go on.", "Done."]


@pytest.mark.parametrize("first", ["file", "proxy"])
def test_whichever_way_is_faster_after_each_answer(both: Both, first: str) -> None:
    for upto in (0, 2, 4):
        if first == "file":
            both.through_proxy(upto, answered=False)
            both.out_of_file(upto + 1)
            both.through_proxy(upto)
        else:
            both.through_proxy(upto)
            both.out_of_file(upto + 1)
        both.proxied.restart()
    assert sorted(" ".join(both.told()).split()) == sorted(f"{' '.join(TOLD)}".split() + CALLS)


CALLS = ['Read({"path":', '"a"})', 'Read({"path":', '"b"})']
CALLS = [word for each in CALLS for word in each.split()]


@pytest.mark.requirement("DOOR-AGENT-01")
@pytest.mark.parametrize("first", ["file", "proxy"])
def test_a_sub_agent_is_one_session_by_both_ways(tmp_path: Path, first: str) -> None:
    asked: Block = {"role": "user", "content": "Find the port."}
    done: Block = {"role": "assistant", "content": [text("It is 8123.")]}
    agent = ClientMark("claude-code", f"{SESSION}/a1", subagent=True)
    about = {"sessionId": SESSION, "agentId": "a1", "isSidechain": True, "timestamp": "2024-03-05T12:00:00.000Z"}
    lines = [
        {"type": kind, "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, "message": said, **about}
        for n, (kind, said) in enumerate((("user", asked), ("assistant", done)))
    ]
    file = tmp_path / "agent-a1.jsonl"
    with quiet(clock=FrozenClock(NOON)) as memory:
        if first == "file":
            file.write_text(f"{json.dumps(lines[0])}\n", encoding="utf-8")
            memory.import_path(file)
        proxied = Proxied(memory)
        request = chat_request("anthropic", [asked])
        conversation = proxied.memorizer.store_request(proxied.conversations.identify(request, agent), request, agent)
        proxied.memorizer.store_answer(conversation, request, agent, Answer((done,)))
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        memory.import_path(file)
        stored = [(turn.session, turn.branch, turn.origin, turn.text) for turn in memory.turns()]
    name = f"claude-code/{SESSION}/a1"
    assert stored == [(name, "", "assistant", "Find the port."), (name, "", "assistant", "It is 8123.")]


THREAD = "01a20944-da01-7712-a2e7-b271869368ae"
CODEX: list[Block] = [
    {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "You are Codex."}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Find the port."}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
    {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": "8123"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is 8123."}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Thanks for it."}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is 8123."}]},
]
CODEX_TOLD = ["Find the port.", "I look.", "shell({})", "8123", "It is 8123.", "Thanks for it.", "It is 8123."]


class CodexSession:
    """A thread of Codex, in which items are answered up to the next that the user or a tool says."""

    def __init__(self, memory: Memory, folder: Path, *, parent: str | None) -> None:
        self.memory, self.proxied = memory, Proxied(memory)
        self.file = folder / f"rollout-2026-11-23T16-37-16-{THREAD}.jsonl"
        self.parent = parent

    def through_proxy(self, upto: int, answers: int) -> None:
        client = ClientMark("codex", THREAD, subagent=self.parent is not None)
        request = chat_request("responses", CODEX[: upto + 1])
        found = self.proxied.conversations.identify(request, client)
        conversation = self.proxied.memorizer.store_request(found, request, client)
        answer = Answer(tuple(CODEX[upto + 1 : upto + 1 + answers]))
        self.proxied.memorizer.store_answer(conversation, request, client, answer)

    def out_of_file(self, upto: int) -> None:
        source = {"subagent": {"thread_spawn": {"parent_thread_id": self.parent}}} if self.parent else "cli"
        records = [{"type": "session_meta", "payload": {"id": THREAD, "cwd": "/w", "source": source}}]
        records += [{"type": "response_item", "payload": item} for item in CODEX[: upto + 1]]
        text = "".join(f"{json.dumps({'timestamp': '2024-03-05T12:00:00.000Z', **each})}\n" for each in records)
        self.file.write_text(text, encoding="utf-8")
        self.memory.import_path(self.file)

    def told(self) -> list[str]:
        turns = sorted(self.memory.turns(), key=lambda turn: turn.seq or 0)
        assert {turn.session for turn in turns} == {THREAD}
        return " ".join(turn.text for turn in turns if turn.origin != "injected").split()


@pytest.mark.requirement("S-LINE-01")
@pytest.mark.parametrize("parent", [None, SESSION])
@pytest.mark.parametrize("first", ["file", "proxy", "file at last"])
def test_a_thread_of_codex_is_one_session_by_both_ways(tmp_path: Path, first: str, parent: str | None) -> None:
    with quiet(clock=FrozenClock(NOON)) as memory:
        codex = CodexSession(memory, tmp_path, parent=parent)
        for upto, answers in ((1, 2), (4, 1), (6, 1)):
            if first == "file":
                codex.out_of_file(upto)
            codex.through_proxy(upto, answers)
            if first == "proxy":
                codex.out_of_file(upto + answers)
            codex.proxied.restart()
        for _ in range(2):
            codex.out_of_file(len(CODEX))
            assert sorted(codex.told()) == sorted(" ".join(CODEX_TOLD).split())


@pytest.mark.requirement("S-LINE-01")
def test_a_thread_of_codex_that_was_imported_goes_on_through_the_proxy(tmp_path: Path) -> None:
    with quiet(clock=FrozenClock(NOON)) as memory:
        codex = CodexSession(memory, tmp_path, parent=None)
        codex.out_of_file(5)
        codex.through_proxy(6, 1)
        assert codex.told() == " ".join(CODEX_TOLD).split()


class UnnamedAgent:
    """Sub-agents that name only the session for which they work, as those of Claude Code 1 do."""

    def __init__(self, memory: Memory, folder: Path) -> None:
        self.memory, self.proxied = memory, Proxied(memory)
        self.file = folder / f"{SESSION}.jsonl"
        self.lines: list[Block] = []

    def work(self, prompt: str, tool: str, *, main: str | None = SESSION) -> str:
        """A sub-agent that reads a file, through the proxy; gives its session."""
        client = ClientMark("claude-code", subagent=True, main=main)
        said = self._said(prompt, tool)
        for upto in (0, 2):
            request = chat_request("anthropic", said[: upto + 1])
            conversation = self.proxied.conversations.identify(request, client)
            conversation = self.proxied.memorizer.store_request(conversation, request, client)
            self.proxied.memorizer.store_answer(conversation, request, client, Answer((said[upto + 1],)))
        return conversation.session

    def write(self, prompt: str, tool: str) -> None:
        """What the program writes of a sub-agent into the session's file."""
        before = None
        for message in self._said(prompt, tool):
            name = f"00000000-0000-4000-8000-{len(self.lines):012}"
            about = {"sessionId": SESSION, "isSidechain": True, "timestamp": "2024-03-05T12:00:00.000Z"}
            line = {"type": message["role"], "uuid": name, "parentUuid": before, "message": message, **about}
            self.lines.append(line)
            before = name
        self.file.write_text("".join(f"{json.dumps(line)}\n" for line in self.lines), encoding="utf-8")

    def sessions(self) -> dict[str, int]:
        """The number of turns of each session."""
        names = [turn.session for turn in self.memory.turns()]
        return {name: names.count(name) for name in names}

    def _said(self, prompt: str, tool: str) -> list[Block]:
        return [
            {"role": "user", "content": [text(prompt)]},
            {"role": "assistant", "content": [call(tool, f"{tool}.txt")]},
            {"role": "user", "content": [result(tool, f"In {tool}: 8123")]},
            {"role": "assistant", "content": [text("It is 8123.")]},
        ]


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[UnnamedAgent]:
    with quiet(clock=FrozenClock(NOON)) as memory:
        yield UnnamedAgent(memory, tmp_path)


@pytest.mark.requirement("SRV-AGENT-01")
def test_sub_agents_without_a_name_are_stored_once(agent: UnnamedAgent) -> None:
    talks = (("Find the port.", "c1"), ("Find the port.", "c2"), ("Find the host.", "c3"))
    sessions = [agent.work(*talk) for talk in talks]
    assert len(set(sessions)) == 3
    for talk in talks:
        agent.write(*talk)
    for _ in range(2):
        agent.memory.import_path(agent.file)
        assert agent.sessions() == dict.fromkeys(sessions, 4)


@pytest.mark.requirement("SRV-AGENT-01")
def test_a_sub_agent_that_is_followed_is_stored_once(agent: UnnamedAgent) -> None:
    session = agent.work("Find the port.", "c1")
    agent.write("Find the port.", "c1")
    whole = list(agent.lines)
    for upto in range(1, 5):
        agent.file.write_text("".join(f"{json.dumps(line)}\n" for line in whole[:upto]), encoding="utf-8")
        agent.memory.import_path(agent.file)
    assert agent.sessions() == {session: 4}


@pytest.mark.requirement("SRV-AGENT-01")
@pytest.mark.parametrize("case", ["another session", "other words", "imported before", "two that may be meant"])
def test_what_may_be_another_sub_agents_stays_apart(agent: UnnamedAgent, case: str) -> None:
    agent.write("Find the port.", "c1")
    if case == "imported before":
        agent.memory.import_path(agent.file)
    through = {
        agent.work("Find the host." if case == "other words" else "Find the port.", tool, main=main)
        for tool, main in {
            "another session": [("c1", THREAD)],
            "other words": [("c1", SESSION)],
            "imported before": [("c1", SESSION)],
            "two that may be meant": [("c8", SESSION), ("c9", SESSION)],
        }[case]
    }
    agent.memory.import_path(agent.file)
    assert agent.sessions() == {**dict.fromkeys(through, 4), SESSION: 4}
