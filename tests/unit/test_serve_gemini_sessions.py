"""A session of Gemini CLI, which names itself in its file alone, through the proxy and out of that file."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clew.memory import Memory
from clew.serve.proxy.exchange import Answer, ChatRequest, ClientMark
from clew.serve.proxy.history.gemini_sessions import session_in_file
from clew.testing import FrozenClock
from tests.support.chat_requests import chat_request
from tests.support.memories import NOON, quiet
from tests.support.proxy_talks import Proxied

ONE, OTHER = "e9cd0bc2-1fe8-440f-b15b-64810af7ad12", "04258d88-84f8-4375-ba86-aa8bac41514e"
GEMINI = ClientMark("gemini-cli")
CALL = "run_shell_command_1795476828774_0"
Block = dict[str, Any]


def said(role: str, *parts: Block) -> Block:
    return {"role": role, "parts": list(parts)}


def named(kind: str, call: str | None, **more: Any) -> Block:
    return {kind: {"name": "run_shell_command", **({"id": call} if call else {}), **more}}


class GeminiSession:
    """A session whose file grows as it goes on; the first message names the folder of the file."""

    def __init__(self, memory: Memory, home: Path, session: str = ONE) -> None:
        self.memory, self.proxied = memory, Proxied(memory)
        folder = home / ".gemini" / "tmp" / "work"
        self.file = folder / "chats" / f"session-2024-03-05T12-00-{session[:8]}.jsonl"
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.context = f"<session_context>\nThe project's temporary directory is: {folder}\n</session_context>"
        self.lines: list[Block] = [{"sessionId": session, "projectHash": "p", "kind": "main"}]
        self.history: list[Block] = []
        self.write()

    def write(self, *lines: Block) -> None:
        stamp = "2024-03-05T12:00:00.000Z"
        self.lines += [{"id": f"m{len(self.lines) + n}", "timestamp": stamp, **line} for n, line in enumerate(lines)]
        self.file.write_text("".join(f"{json.dumps(line)}\n" for line in self.lines), encoding="utf-8")

    def ask(self, words: str) -> ChatRequest:
        """What the person typed is in the file before it is sent."""
        first = [] if self.history else [{"text": self.context}]
        self.write({"type": "user", "content": [{"text": words}]})
        self.history.append(said("user", *first, {"text": words}))
        return self.request()

    def request(self) -> ChatRequest:
        return chat_request("gemini", list(self.history))

    def through_proxy(self, request: ChatRequest, answer: Block) -> str:
        """Stores a request and its answer; gives the session."""
        conversation = self.proxied.conversations.identify(request, GEMINI)
        conversation = self.proxied.memorizer.store_request(conversation, request, GEMINI)
        self.proxied.memorizer.store_answer(conversation, request, GEMINI, Answer((answer,)))
        return conversation.session

    def talk(self) -> set[str]:
        """A question, a call whose id the program gives, and an answer; gives the sessions of the requests."""
        thought = {"text": "**Looking**\n\nI must look.", "thought": True}
        call = {"args": {"command": "cat notes.txt"}}
        first = self.through_proxy(
            self.ask("Which port?"), said("model", thought, {"text": "I look."}, named("functionCall", None, **call))
        )
        output = {"response": {"output": "The port is 8123."}}
        result = named("functionResponse", f"run_shell_command__{CALL}", **output)
        made = {"id": f"run_shell_command__{CALL}", "name": "run_shell_command", "result": [result], **call}
        self.write(
            {
                "type": "gemini",
                "content": "I look.",
                "thoughts": [{"subject": "Looking", "description": "I must look."}],
                "toolCalls": [made],
            },
            {"type": "user", "content": [result]},
        )
        self.history += [
            said("model", {"text": "I look."}, named("functionCall", CALL, **call)),
            said("user", named("functionResponse", CALL, **output)),
        ]
        second = self.through_proxy(self.request(), said("model", {"text": "It is 8123."}))
        self.write({"type": "gemini", "content": "It is 8123."})
        self.history.append(said("model", {"text": "It is 8123."}))
        return {first, second}

    def told(self) -> list[str]:
        turns = sorted(self.memory.turns(), key=lambda turn: turn.seq or 0)
        assert {(turn.session, turn.branch) for turn in turns} == {(ONE, "")}
        return [turn.text for turn in turns if turn.origin != "injected"]


@pytest.fixture
def gemini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GeminiSession]:
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path))
    with quiet(clock=FrozenClock(NOON)) as memory:
        yield GeminiSession(memory, tmp_path)


@pytest.mark.requirement("SRV-GEMINI-01")
def test_an_import_adds_nothing_to_what_came_through_the_proxy(gemini: GeminiSession) -> None:
    assert gemini.talk() == {ONE}
    before = gemini.told()
    assert len(before) == 4
    for _ in range(2):
        gemini.memory.import_path(gemini.file)
        assert gemini.told() == before


@pytest.mark.requirement("SRV-GEMINI-01")
def test_a_session_that_was_imported_goes_on_through_the_proxy(gemini: GeminiSession) -> None:
    gemini.ask("Which port?")
    gemini.write({"type": "gemini", "content": "It is 8123."})
    gemini.history.append(said("model", {"text": "It is 8123."}))
    gemini.memory.import_path(gemini.file)
    assert gemini.through_proxy(gemini.ask("Why that one?"), said("model", {"text": "For luck."})) == ONE
    assert gemini.told() == ["Which port?", "It is 8123.", "Why that one?", "For luck."]


@pytest.mark.requirement("SRV-GEMINI-01")
def test_whichever_way_is_faster(gemini: GeminiSession) -> None:
    for number in range(3):
        request = gemini.ask(f"Question {number}?")
        if number % 2:
            gemini.memory.import_path(gemini.file)
        assert gemini.through_proxy(request, said("model", {"text": f"Answer {number}."})) == ONE
        gemini.write({"type": "gemini", "content": f"Answer {number}."})
        gemini.history.append(said("model", {"text": f"Answer {number}."}))
        gemini.memory.import_path(gemini.file)
        gemini.proxied.restart()
    assert sorted(gemini.told()) == sorted(f"{word} {n}{end}" for n in range(3) for word, end in PAIRS)


PAIRS = (("Question", "?"), ("Answer", "."))


@pytest.mark.requirement("SRV-GEMINI-02")
def test_two_sessions_that_ask_the_same_at_once_stay_apart(gemini: GeminiSession, tmp_path: Path) -> None:
    request = gemini.ask("Which port?")
    assert session_in_file(request, GEMINI) == ONE
    gone = gemini.file.with_name("session-gone.json")
    gone.symlink_to("nowhere")
    assert session_in_file(request, GEMINI) == ONE
    gone.unlink()
    other = GeminiSession(gemini.memory, tmp_path, OTHER)
    other.ask("Which port?")
    assert session_in_file(request, GEMINI) is None
    other.write({"type": "gemini", "content": "It is 8123."})
    assert session_in_file(request, GEMINI) == ONE


@pytest.mark.requirement("SRV-GEMINI-02")
def test_only_the_users_own_folder_of_sessions_is_read(
    gemini: GeminiSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = gemini.ask("Which port?")
    for mark in (ClientMark("google-genai-sdk"), replace(GEMINI, session="s")):
        assert session_in_file(request, mark) is None
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path / "elsewhere"))
    assert session_in_file(request, GEMINI) is None
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path))
    gemini.context = gemini.context.replace("/work\n", "/..\n")
    gemini.history = []
    assert session_in_file(gemini.ask("And which host?"), GEMINI) is None


@pytest.mark.requirement("SRV-GEMINI-02")
def test_a_file_that_cannot_be_read_names_nothing(gemini: GeminiSession) -> None:
    request = gemini.ask("Which port?")
    gemini.file.write_bytes(b"\x00\xff{{{")
    assert session_in_file(request, GEMINI) is None
    gemini.file.unlink()
    assert session_in_file(request, GEMINI) is None
    conversation = gemini.proxied.conversations.identify(request, GEMINI)
    assert conversation.session.startswith("chat-")


@pytest.mark.requirement("SRV-GEMINI-01")
def test_a_call_is_known_again_by_its_arguments_only_where_one_has_no_id(gemini: GeminiSession) -> None:
    gemini.talk()
    call = {"args": {"command": "cat notes.txt"}}
    made = {"id": "run_shell_command__other_1", "name": "run_shell_command", **call}
    gemini.write({"type": "gemini", "content": "", "toolCalls": [made]})  # once more, and only in the file
    gemini.memory.import_path(gemini.file)
    assert len([text for text in gemini.told() if "cat notes.txt" in text]) == 2
