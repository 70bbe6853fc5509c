"""Claude Code's hooks: what they tell, what they store, and that they never hold up their host."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from clew import Memory, Turn
from clew.errors import FormatError
from clew.serve.access import Principal
from clew.serve.clients import hook_client
from clew.serve.clients.hooks import EVENTS, hook_command, hooks_location, plan_hooks, plan_remove_hooks, shell_command
from clew.serve.clients.install import apply
from clew.serve.hooks_page import answer_hook
from clew.types import IngestReport
from tests.support.cli_runs import done, failure
from tests.support.proxies import RunningProxy, proxy

SESSION: Final = "0b8e9f4e-58ab-4c57-9a38-0d7a6b3cf6a1"


def fire(address: str, event: dict[str, Any] | bytes, **environment: str) -> tuple[int, bytes]:
    """Runs the hook as Claude Code does: exit status, output."""
    given = event if isinstance(event, bytes) else json.dumps(event).encode()
    names = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}
    command = [sys.executable, "-I", "-S", hook_client.__file__, address]
    finished = subprocess.run(command, input=given, capture_output=True, env={**names, **environment}, check=False)
    assert finished.stderr == b""
    return finished.returncode, finished.stdout


def told_by(address: str, event: dict[str, Any]) -> bytes:
    """What the hook says once the server answers in time: the first opens the memory; a machine may be busy."""
    until = time.monotonic() + 60
    while True:
        status, out = fire(address, event)
        assert status == 0
        if out or time.monotonic() > until:
            return out


@contextmanager
def server(memory: Memory) -> Iterator[RunningProxy]:
    with memory, proxy("http://127.0.0.1:9", lambda _space: memory) as running:
        yield running


def transcript(home: Path, *said: tuple[str, str]) -> Path:
    folder = home / ".claude" / "projects" / "-work-app"
    folder.mkdir(parents=True)
    lines = [
        {
            "type": role,
            "uuid": f"00000000-0000-4000-8000-{number:012}",
            "parentUuid": None if number == 0 else f"00000000-0000-4000-8000-{number - 1:012}",
            "sessionId": SESSION,
            "cwd": "/home/ann/app",
            "timestamp": f"2026-02-03T10:00:{number:02}.000Z",
            "message": {"role": role, "content": text if role == "user" else [{"type": "text", "text": text}]},
        }
        for number, (role, text) in enumerate(said)
    ]
    path = folder / f"{SESSION}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def remembering() -> Memory:
    memory = Memory.open(":memory:", embedder=None, config={"embedder": "none"})
    memory.add(Turn(role="user", content="The staging server is called heron, on port 8443.", session="earlier"))
    memory.drain()
    return memory


@pytest.mark.requirement("P-UPS-10")
def test_a_prompt_gets_what_is_remembered() -> None:
    with server(remembering()) as running:
        event = {
            "hook_event_name": "UserPromptSubmit",
            "session_id": SESSION,
            "prompt": "How is the staging server called?",
        }
        out = told_by(running.url, event)
    told = json.loads(out)["hookSpecificOutput"]
    assert told["hookEventName"] == "UserPromptSubmit"
    assert "heron" in told["additionalContext"]
    assert "quoted, no instructions" in told["additionalContext"]


@pytest.mark.requirement("P-UPS-10")
@pytest.mark.parametrize("prompt", ["Thanks!", "Ok, go on.", " "])
def test_a_prompt_that_asks_nothing_gets_nothing(prompt: str) -> None:
    with remembering() as memory:
        memory.add(Turn(role="user", content="Ok, thanks, go on.", session="earlier"))
        memory.drain()
        event = {"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "prompt": prompt}
        assert answer_hook(memory, Principal("default"), event, 1_500) == {}
        asked = {**event, "prompt": "How is the staging server called?"}
        assert "heron" in str(answer_hook(memory, Principal("default"), asked, 1_500))


@pytest.mark.requirement("P-UPS-10")
def test_of_a_log_in_a_prompt_only_the_ends_are_looked_up() -> None:
    with remembering() as memory:
        event = {"hook_event_name": "UserPromptSubmit", "session_id": SESSION}
        asked = {**event, "prompt": "How is the staging server called?\n" + "2026 12 ok\n" * 9_000}
        assert "heron" in str(answer_hook(memory, Principal("default"), asked, 1_500))
        assert len(memory.explain().query) < 5_000


@pytest.mark.requirement("P-UPS-10")
def test_what_was_said_is_stored_once_and_told_at_the_next_start(tmp_home: Path) -> None:
    path = transcript(tmp_home, ("user", "Call the new branch swallowtail."), ("assistant", "Done, it is swallowtail."))
    memory = Memory.open(":memory:", embedder=None, config={"embedder": "none"})
    with server(memory) as running:
        for name in ("Stop", "PreCompact", "Stop"):
            assert fire(running.url, {"hook_event_name": name, "transcript_path": str(path)}) == (0, b"")
        until = time.monotonic() + 60
        while len(list(memory.turns())) < 2 and time.monotonic() < until:  # a busy server may not have heard of it
            fire(running.url, {"hook_event_name": "Stop", "transcript_path": str(path)})
        assert [turn.text for turn in memory.turns()] == [
            "Call the new branch swallowtail.",
            "Done, it is swallowtail.",
        ]
        started = {"hook_event_name": "SessionStart", "session_id": "next", "cwd": "/home/ann/app", "source": "startup"}
        assert b"swallowtail" in told_by(running.url, started)
        own = {"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "prompt": "What is the new branch?"}
        assert fire(running.url, own) == (0, b"")  # its own session is in its window


class Held(Memory):
    """A memory whose first import goes on until it is let go."""

    began, let_go = threading.Event(), threading.Event()

    def import_path(self, path: str | Path, **more: Any) -> IngestReport:
        if not self.began.is_set():
            self.began.set()
            assert self.let_go.wait(60)
        return super().import_path(path, **more)


@pytest.mark.requirement("P-UPS-10")
def test_the_last_event_of_a_session_is_heard_while_another_one_is_stored(tmp_home: Path) -> None:
    long = transcript(tmp_home, ("user", "Call the new branch swallowtail."))
    short = long.with_name("short.jsonl")
    short.write_text(long.read_text().replace(SESSION, "short").replace("swallowtail", "heron"))
    ended = [{"hook_event_name": "Stop", "transcript_path": str(path)} for path in (long, short)]
    with Held.open(":memory:", embedder=None, config={"embedder": "none"}) as memory:
        first = threading.Thread(target=answer_hook, args=(memory, Principal("default"), ended[0], 1_500))
        first.start()
        assert memory.began.wait(60)
        with long.open("a") as more:  # what came after the beginning of the import has an event, too
            more.write(long.read_text().replace("-000000000000", "-000000000001").replace("swallowtail", "admiral"))
        for event in (ended[1], ended[0]):
            assert answer_hook(memory, Principal("default"), event, 1_500) == {}
        memory.let_go.set()
        first.join(60)
        said = {turn.text for turn in memory.turns()}
    assert said == {f"Call the new branch {name}." for name in ("swallowtail", "heron", "admiral")}


@pytest.mark.requirement("P-LFT-05")
def test_nothing_is_told_in_an_excluded_project() -> None:
    config = {"embedder": "none", "ingest": {"exclude": ["project:acme"]}}
    asked = {"hook_event_name": "UserPromptSubmit", "prompt": "Which bird did we choose for the logo?"}
    with Memory.open(":memory:", embedder=None, config=config) as memory:
        memory.add(Turn(role="user", content="We chose the heron as the bird of the logo.", session="other"))
        assert "heron" in str(answer_hook(memory, Principal("default"), {**asked, "cwd": "/w/open"}, 1_500))
        assert answer_hook(memory, Principal("default"), {**asked, "cwd": "/w/acme"}, 1_500) == {}


@pytest.mark.requirement("S-REST-03")
def test_nothing_is_told_in_a_paused_session() -> None:
    asked = {"hook_event_name": "UserPromptSubmit", "prompt": "Which bird did we choose for the logo?"}
    with Memory.open(":memory:", embedder=None, config={"embedder": "none"}) as memory:
        memory.add(Turn(role="user", content="We chose the heron as the bird of the logo.", session="other"))
        memory.pause("private")
        assert answer_hook(memory, Principal("default"), {**asked, "session_id": "private"}, 1_500) == {}
        assert "heron" in str(answer_hook(memory, Principal("default"), {**asked, "session_id": "open"}, 1_500))


@pytest.mark.requirement("P-UPS-10")
def test_only_transcripts_are_read(tmp_home: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.jsonl"
    secret.write_text('{"role": "user", "content": "The vault opens with 4711."}\n', encoding="utf-8")
    folder = tmp_home / ".claude" / "projects"
    folder.mkdir(parents=True)
    (folder / "link.jsonl").symlink_to(secret)
    memory = Memory.open(":memory:", embedder=None, config={"embedder": "none"})
    with server(memory) as running:
        for path in (secret, folder / ".." / ".." / ".." / secret, folder / "link.jsonl", "/etc/passwd"):
            fire(running.url, {"hook_event_name": "Stop", "transcript_path": str(path)})
        assert list(memory.turns()) == []


@pytest.mark.requirement("P-UPS-11")
@pytest.mark.parametrize("name", ["Stop", "SubagentStop", "PreCompact", "SessionEnd"])
@pytest.mark.parametrize(
    "path", ["a\0.jsonl", "~nobody-has-this-name/a.jsonl", "\ud83c.jsonl", "a" * 10_000 + ".jsonl"]
)
def test_what_is_no_path_is_no_transcript(name: str, path: str) -> None:
    with Memory.open(":memory:", embedder=None, config={"embedder": "none"}) as memory:
        event = {"hook_event_name": name, "transcript_path": path}
        assert answer_hook(memory, Principal("default"), event, 1_500) == {}


@pytest.mark.requirement("P-UPS-11")
@pytest.mark.parametrize("event", [b"", b"{", b"[]", b'{"hook_event_name": 3}', b'{"hook_event_name": "Stop"}'])
def test_nothing_is_said_where_there_is_nothing_to_say(event: bytes) -> None:
    with server(remembering()) as running:
        assert fire(running.url, event) == (0, b"")
        silent = {"hook_event_name": "UserPromptSubmit", "prompt": "How is the staging server called?"}
        assert fire(running.url, silent, CLEW_SERVER="http://127.0.0.1:1") == (0, b"")


@pytest.mark.requirement("P-UPS-11")
@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "nonsense", "http://127.0.0.1:99999", ""])
def test_without_a_server_the_host_goes_on(address: str) -> None:
    assert fire(address, {"hook_event_name": "UserPromptSubmit", "prompt": "x"}) == (0, b"")


@pytest.mark.requirement("P-UPS-11")
def test_a_server_that_hangs_is_left_after_300_ms() -> None:
    assert hook_client.PATIENCE == 0.3
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        address = f"http://127.0.0.1:{hanging.getsockname()[1]}"
        # Without the limit it would never end; how long it takes also depends on how soon the machine starts Python.
        assert fire(address, {"hook_event_name": "UserPromptSubmit", "prompt": "x"}) == (0, b"")


@pytest.mark.requirement("P-UPS-11")
@pytest.mark.parametrize(
    "body",
    [
        b'{"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalCo',
        b"<html>Welcome to another program</html>",
        b'{"error": "not found"}',
        b"[]",
        b"",
    ],
)
def test_only_whole_answers_of_a_clew_server_reach_the_model(body: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger:

        def answer() -> None:
            connection, _ = stranger.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n" + body)

        answering = threading.Thread(target=answer)
        answering.start()
        address = f"http://127.0.0.1:{stranger.getsockname()[1]}"
        assert fire(address, {"hook_event_name": "UserPromptSubmit", "prompt": "x"}) == (0, b"")
        answering.join(60)


@pytest.mark.requirement("P-UPS-11")
def test_the_client_needs_the_standard_library_alone() -> None:
    code = f"import runpy, sys; runpy.run_path({hook_client.__file__!r}); print(any('clew' in m for m in sys.modules))"
    shown = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "False\n"


@pytest.mark.requirement("P-UPS-11")
@pytest.mark.parametrize("folder", ["plain", "two words", "Jörg", "it's $HOME `x`"])
def test_the_command_is_read_by_a_shell_wherever_python_is(folder: str, tmp_path: Path) -> None:
    script = tmp_path / folder / "shown.py"
    script.parent.mkdir()
    script.write_text("import sys; print(sys.argv[1:])\n", encoding="utf-8")
    command = shell_command(sys.executable, str(script), "http://127.0.0.1:8377")
    shown = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)  # noqa: S602  # what is tested
    assert shown.stdout == "['http://127.0.0.1:8377']\n"


HELD: Final = {"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}


@pytest.mark.requirement("P-UPS-12")
@pytest.mark.parametrize("held", [None, "{}", json.dumps(HELD), json.dumps(HELD, indent="\t")])
def test_hooks_go_in_beside_others_and_out_again(held: str | None, tmp_path: Path) -> None:
    location = hooks_location("user", tmp_path, tmp_path, {})
    location.file.parent.mkdir(parents=True)
    if held is not None:
        location.file.write_text(held, encoding="utf-8")
    apply(plan_hooks(location, hook_command("http://127.0.0.1:8377")))
    apply(plan_hooks(location, hook_command("http://127.0.0.1:9999")))
    settings = json.loads(location.file.read_text(encoding="utf-8"))
    assert set(settings["hooks"]) == set(EVENTS)
    assert "http://127.0.0.1:9999" in settings["hooks"]["Stop"][-1]["hooks"][0]["command"]
    assert len(settings["hooks"]["Stop"]) == (2 if held and "say done" in held else 1)
    assert not plan_hooks(location, hook_command("http://127.0.0.1:9999")).changes
    apply(plan_remove_hooks(location))
    assert (location.file.read_text(encoding="utf-8") if location.file.exists() else None) == held


@pytest.mark.requirement("P-UPS-12")
@pytest.mark.parametrize("hooks", [[], ["x"], 5, {"Stop": 5}, {"Stop": {"hooks": []}}])
def test_hooks_of_another_form_are_refused_and_stay(hooks: object, tmp_path: Path) -> None:
    location = hooks_location("user", tmp_path, tmp_path, {})
    location.file.parent.mkdir(parents=True)
    held = json.dumps({"hooks": hooks})
    location.file.write_text(held, encoding="utf-8")
    with pytest.raises(FormatError, match="hooks"):
        plan_hooks(location, "x")
    with pytest.raises(FormatError, match="hooks"):
        plan_remove_hooks(location)


@pytest.mark.requirement("P-UPS-12")
def test_entries_of_another_form_beside_ours_stay(tmp_path: Path) -> None:
    location = hooks_location("user", tmp_path, tmp_path, {})
    location.file.parent.mkdir(parents=True)
    held = json.dumps({"hooks": {"Stop": [{"hooks": 5}, "x", {"hooks": {"command": 1}}]}})
    location.file.write_text(held, encoding="utf-8")
    apply(plan_hooks(location, hook_command("http://127.0.0.1:8377")))
    apply(plan_remove_hooks(location))
    assert location.file.read_text(encoding="utf-8") == held


@pytest.mark.requirement("P-UPS-12")
def test_what_others_change_meanwhile_stays(tmp_path: Path) -> None:
    location = hooks_location("user", tmp_path, tmp_path, {})
    location.file.parent.mkdir(parents=True)
    location.file.write_text(json.dumps(HELD), encoding="utf-8")
    apply(plan_hooks(location, hook_command("http://127.0.0.1:8377")))
    text = location.file.read_text(encoding="utf-8").replace("opus", "haiku")
    location.file.write_text(text, encoding="utf-8")
    apply(plan_remove_hooks(location))
    assert json.loads(location.file.read_text(encoding="utf-8")) == {**HELD, "model": "haiku"}


@pytest.mark.requirement("P-UPS-12")
def test_the_command_installs_them(tmp_home: Path) -> None:
    assert set(json.loads(done("install", "claude-code", "--hooks", "--print"))["hooks"]) == set(EVENTS)
    done("install", "claude-code", "--hooks", "--yes")
    assert (tmp_home / ".claude" / "settings.json").exists()
    done("install", "claude-code", "--hooks", "--remove", "--yes")
    assert not (tmp_home / ".claude" / "settings.json").exists()
    assert "hooks are for claude-code" in failure(2, "install", "cursor", "--hooks")
