"""Where people and agents meet what conversations say of projects: commands, tools, the hook."""

from pathlib import Path

import pytest

from clew.serve.access import Principal
from clew.serve.clients.hooks import EVENTS, with_hooks
from clew.serve.hooks_page import answer_hook
from clew.serve.toolbox import Toolbox
from clew.serve.tools import Tools
from clew.types import Turn
from tests.cli_runs import done, failure, record, records, run
from tests.memories import quiet

DECIDED = "We decided to keep the tariff of the gate in src/gate.py from now on."


def opened(path: str, session: str = "now") -> dict[str, object]:
    return {
        "hook_event_name": "PostToolUse",
        "session_id": session,
        "cwd": "/srv/park",
        "tool_name": "Read",
        "tool_input": {"file_path": path},
    }


@pytest.mark.requirement("L-MEE-21")
def test_the_hook_tells_what_was_decided_about_a_file_that_is_opened_once() -> None:
    with quiet(space="park") as memory:
        memory.add(Turn(role="user", content=DECIDED, session="before"))
        memory.add(Turn(role="user", content=DECIDED.replace("keep", "move"), session="now"))
        assert memory.drain(60)
        answer = answer_hook(memory, Principal("park"), opened("/srv/park/src/gate.py"), 1_500)
        told = answer["hookSpecificOutput"]
        assert told["hookEventName"] == "PostToolUse"
        assert DECIDED in told["additionalContext"]
        assert "move the tariff" not in told["additionalContext"], "the program knows its own session"
        assert answer_hook(memory, Principal("park"), opened("/srv/park/src/gate.py"), 1_500) == {}
        assert answer_hook(memory, Principal("park"), opened("/srv/park/src/gate.py", "later"), 1_500) != {}
        assert answer_hook(memory, Principal("park"), opened("/srv/park/src/other.py"), 1_500) == {}
        odds: list[object] = [{}, {"file_path": 3}, None, [], {"file_path": ""}]
        for odd in odds:
            event = {**opened("x"), "tool_input": odd}
            assert answer_hook(memory, Principal("park"), event, 1_500) == {}


@pytest.mark.requirement("L-MEE-21")
def test_many_decisions_of_the_own_session_do_not_hide_those_of_others() -> None:
    with quiet(space="lawn") as memory:
        memory.add(Turn(role="user", content=DECIDED, session="before"))
        for number in range(12):
            memory.add(Turn(role="user", content=DECIDED.replace("keep", f"move {number} of"), session="now"))
        assert memory.drain(60)
        answer = answer_hook(memory, Principal("lawn"), opened("/srv/park/src/gate.py", "now"), 1_500)
        assert DECIDED in answer["hookSpecificOutput"]["additionalContext"]


@pytest.mark.requirement("L-MEE-21")
def test_the_hook_is_told_of_files_alone() -> None:
    hooks = with_hooks({}, "run")
    assert set(hooks) == set(EVENTS)
    assert [sorted(entry) for entry in hooks["PostToolUse"]] == [["hooks", "matcher"]]
    assert "Read" in hooks["PostToolUse"][0]["matcher"].split("|")
    assert "matcher" not in hooks["Stop"][0]


@pytest.mark.requirement("L-MEE-22")
def test_agents_ask_for_the_decisions_about_a_file() -> None:
    with quiet() as memory:
        memory.add(Turn(role="user", content=DECIDED, session="before"))
        assert memory.drain(60)
        tools = Tools(memory)
        text = tools.file_decisions("src/gate.py")
        assert DECIDED in text
        assert "before:turn:0" in text
        assert "Nothing was decided" in tools.file_decisions("src/other.py")
        box = Toolbox(tools)
        answer = box.answer("clew_file_decisions", '{"about": "gate.py"}')
        assert (answer.found, answer.turns) == (True, frozenset({"before:turn:0"}))
        assert "about is empty" in box.answer("clew_file_decisions", '{"about": ""}').text


@pytest.mark.requirement("L-MEE-23")
def test_the_commands_of_projects_join_them_with_conversations(tmp_home: Path, tmp_path: Path) -> None:
    root = tmp_path / "park"
    (root / "src").mkdir(parents=True)
    (root / "SECURITY.md").write_text("# Security\n\nReport a vulnerability of the gate.\n", encoding="utf-8")
    (root / "src" / "gate.py").write_text('"""Opens the gate."""\n', encoding="utf-8")
    failure(1, "project", "overlays", "--root", root)
    done("project", "genesis", "--root", root)
    listed = records("project", "overlays", "--root", root, "--overlay", "O2", "--json")
    assert {each["path"] for each in listed} == {"SECURITY.md"}
    assert all(each["overlay"] == "O2_security" and each["evidence"] for each in listed)
    assert "matches security*.md" in " ".join(done("project", "overlays", "--root", root).split())
    with quiet(tmp_home / ".clew") as memory:
        memory.add(Turn(role="user", content=DECIDED, session="before"))
    assert record("project", "attach", "--root", root) == {"projects": [root.as_posix()]}
    assert DECIDED[:40] in done("project", "decisions", "gate.py")
    (said,) = records("project", "decisions", "src/gate.py", "--json")
    assert (said["kind"], said["stale"]) == ("decision", False)
    found = record("project", "drift")
    assert (found["files"], found["explained"], found["unexplained"]) == (2, 1, ["SECURITY.md"])
    assert "unexplained: SECURITY.md" in done("project", "drift")
    assert records("query", "~ file:gate.py", "--json")[0]["session"] == "before"
    root.rename(tmp_path / "moved")
    assert "cannot be read" in run("project", "drift").stderr
    (tmp_path / "moved").rename(root)
    assert record("project", "detach", "--root", root) == {"projects": []}
    assert "attached to no project" in failure(1, "project", "drift")
