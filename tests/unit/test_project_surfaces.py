"""Where people and agents meet what conversations say of projects: commands, tools, the hook."""

from pathlib import Path
from typing import Any, cast

import pytest

from clew.errors import StoreLocked
from clew.memory import Memory
from clew.serve.access import Principal
from clew.serve.agent_tools.toolbox import Toolbox
from clew.serve.agent_tools.tools import Tools
from clew.serve.clients.hooks import EVENTS, our_hooks
from clew.serve.hooks_page import answer_hook
from clew.types import Turn
from tests.support.calls import observed
from tests.support.cli_runs import done, failure, record, records, run
from tests.support.index_stores import Wrapped, as_store
from tests.support.memories import NOON, empty_store, quiet
from tests.support.projects import needs_grammars, write

DECIDED = "We decided to keep the tariff of the gate in src/gate.py from now on."


def opened(path: str, session: str = "now") -> dict[str, object]:
    return {
        "hook_event_name": "PostToolUse",
        "session_id": session,
        "cwd": "/srv/park",
        "tool_name": "Read",
        "tool_input": {"file_path": path},
    }


class BusyOnce:
    """A memory whose store is locked when decisions are first asked for."""

    def __init__(self, memory: Memory) -> None:
        self._memory, self._is_busy = memory, True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)

    def decisions(self, *arguments: Any, **more: Any) -> Any:
        if self._is_busy:
            self._is_busy = False
            raise StoreLocked("another program is writing")
        return self._memory.decisions(*arguments, **more)


@pytest.mark.requirement("L-MEE-21")
def test_the_hook_tells_what_was_decided_about_a_file_that_is_opened_once() -> None:
    with quiet(space="park") as memory:
        memory.add(Turn(role="user", content=DECIDED, session="before"))
        memory.add(Turn(role="user", content=DECIDED.replace("keep", "move"), session="now"))
        assert memory.drain(200)
        answer = answer_hook(memory, Principal("park"), opened("/srv/park/src/gate.py"), 1_500)
        told = answer["hookSpecificOutput"]
        assert told["hookEventName"] == "PostToolUse"
        assert DECIDED in told["additionalContext"]
        assert "move the tariff" not in told["additionalContext"], "the program knows its own session"
        assert answer_hook(memory, Principal("park"), opened("/srv/park/src/gate.py"), 1_500) == {}
        assert answer_hook(memory, Principal("park"), opened("/srv/park/src/gate.py", "later"), 1_500) != {}
        assert answer_hook(memory, Principal("park"), opened("/srv/park/src/other.py"), 1_500) == {}
        busy = cast(Memory, BusyOnce(memory))
        with pytest.raises(StoreLocked):
            answer_hook(busy, Principal("park"), opened("/srv/park/src/gate.py"), 1_500)
        assert answer_hook(busy, Principal("park"), opened("/srv/park/src/gate.py"), 1_500) == answer
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
        assert memory.drain(200)
        answer = answer_hook(memory, Principal("lawn"), opened("/srv/park/src/gate.py", "now"), 1_500)
        assert DECIDED in answer["hookSpecificOutput"]["additionalContext"]


@pytest.mark.requirement("L-CODE-02")
def test_a_file_of_another_project_with_the_same_path_is_another(tmp_path: Path) -> None:
    said = {"park": DECIDED, "zoo": DECIDED.replace("tariff", "fodder")}
    with quiet(space="parks") as memory:
        for name, text in said.items():
            (tmp_path / name / "src").mkdir(parents=True)
            (tmp_path / name / ".git").mkdir()
            cwd = (tmp_path / name).as_posix()
            memory.add(Turn(role="user", content=text, session=name, metadata={"cwd": cwd}))
        absolute = f"We decided to paint {tmp_path / 'zoo' / 'src' / 'gate.py'} green."
        memory.add(Turn(role="user", content=absolute, session="unknown"))
        assert memory.drain(200)
        for name, text in said.items():
            cwd = (tmp_path / name).as_posix()
            event = opened(f"{cwd}/src/gate.py") | {"cwd": cwd}
            told = answer_hook(memory, Principal("parks"), event, 1_500)["hookSpecificOutput"]["additionalContext"]
            assert text in told
            assert (said["zoo" if name == "park" else "park"] in told) is False
            assert ("green" in told) is (name == "zoo")
            below = opened("gate.py", "below") | {"cwd": f"{cwd}/src"}
            assert text in str(answer_hook(memory, Principal("parks"), below, 1_500))
        found = memory.decisions("src/gate.py", project=tmp_path / "zoo")
        assert {each.session for each in found} == {"zoo", "unknown"}
        assert len(memory.decisions("src/gate.py")) == 3


@pytest.mark.requirement("L-CODE-02")
def test_a_project_that_was_moved_is_known_by_the_name_of_its_folder(tmp_path: Path) -> None:
    with quiet() as memory:
        where = {"old": "/nowhere/before/park", "other": "/nowhere/before/zoo"}
        for session, cwd in where.items():
            text = DECIDED.replace("src/gate.py", f"{cwd}/src/gate.py") + f" That is {session}."
            memory.add(Turn(role="user", content=text, session=session, metadata={"cwd": cwd}))
        assert memory.drain(200)
        found = memory.decisions("src/gate.py", project=tmp_path / "park")
        assert [each.session for each in found] == ["old"]


@pytest.mark.requirement("L-CODE-03")
def test_what_one_memory_has_told_another_tells_as_well() -> None:
    for _home in range(2):
        with quiet(space="twin") as memory:
            memory.add(Turn(role="user", content=DECIDED, session="before"))
            assert memory.drain(200)
            assert answer_hook(memory, Principal("twin"), opened("/srv/park/src/gate.py"), 1_500) != {}
            assert answer_hook(memory, Principal("twin"), opened("/srv/park/src/gate.py"), 1_500) == {}


@pytest.mark.requirement("L-CODE-04")
def test_the_hook_reads_as_much_of_a_file_with_many_turns_as_of_one_with_few() -> None:
    store = Wrapped(empty_store())
    with quiet(as_store(store), space="many") as memory:
        read = []
        for number, more in enumerate((300, 100, 100)):  # the first are as many as are read, and some
            memory.add_many([Turn(role="user", content=DECIDED, session=f"s{number}-{n}") for n in range(more)])
            assert memory.drain(200)
            memory.reads.live.view()
            before = store.rows_read
            event = opened("/srv/park/src/gate.py", f"now{number}")
            assert answer_hook(memory, Principal("many"), event, 1_500) != {}
            read.append(store.rows_read - before)
    assert max(read) <= 1.1 * read[0] < 1_200, read


@pytest.mark.requirement("L-MEE-21")
def test_the_hook_is_told_of_files_alone() -> None:
    hooks = our_hooks("run")
    assert set(hooks) == set(EVENTS)
    assert [sorted(entry) for entry in hooks["PostToolUse"]] == [["hooks", "matcher"]]
    assert "Read" in hooks["PostToolUse"][0]["matcher"].split("|")
    assert "matcher" not in hooks["Stop"][0]


@pytest.mark.requirement("L-MEE-22")
def test_agents_ask_for_the_decisions_about_a_file() -> None:
    with quiet() as memory:
        memory.add(Turn(role="user", content=DECIDED, session="before"))
        assert memory.drain(200)
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
    kept = Path(root) / ".clew" / "project" / "overlays" / "O2" / "elements.json"
    assert "SECURITY.md" in kept.read_text(encoding="utf-8")
    assert "is not a kind of node" in failure(2, "project", "query", "kind:florp", "--root", root)
    with quiet(tmp_home / ".clew") as memory:
        memory.add(Turn(role="user", content=DECIDED, session="before"))
    assert record("project", "attach", "--root", root) == {"projects": [root.as_posix()]}
    assert DECIDED[:40] in done("project", "decisions", "gate.py")
    (said,) = records("project", "decisions", "src/gate.py", "--json")
    assert (said["kind"], said["stale"]) == ("decision", False)
    found = record("project", "drift")
    assert (found["files"], found["explained"], found["unexplained"]) == (2, 1, ["SECURITY.md"])
    assert "./  SECURITY.md" in done("project", "drift")
    assert records("query", "~ file:gate.py", "--json")[0]["session"] == "before"
    root.rename(tmp_path / "moved")
    assert "cannot be read" in run("project", "drift").stderr
    (tmp_path / "moved").rename(root)
    assert record("project", "detach", "--root", root) == {"projects": []}
    assert "attached to no project" in failure(1, "project", "drift")


@pytest.mark.requirement("P-LINE-01")
@needs_grammars
def test_drift_names_central_files_first_by_folder_and_counts_the_rest(tmp_home: Path, tmp_path: Path) -> None:
    users = {f"park/{name}.py": "import park.gate\n" for name in ("bench", "lawn", "tree")}
    root = write(tmp_path / "park", {"a.txt": "", "park/__init__.py": "", "park/gate.py": "", **users})
    done("project", "genesis", "--root", root)
    with quiet(tmp_home / ".clew") as memory:
        memory.attach_project(root)
    found = record("project", "drift")
    assert found["unexplained"][0] == "park/gate.py"
    assert found["imported_by"] == {"park/gate.py": 3}
    shown = run("project", "drift", "--limit", "1")
    assert "park/  gate.py (3)" in shown.stdout
    assert "lawn" not in shown.stdout
    assert "and 5 more files: 4 in park/, 1 in .;" in " ".join(shown.stderr.split())


@pytest.mark.requirement("P-LINE-02")
def test_decisions_about_a_file_need_no_elements_of_the_project(tmp_path: Path) -> None:
    root = write(tmp_path / "park", {"src/gate.py": ""})
    done("project", "genesis", "--root", root)
    calls: list[str] = []
    with quiet() as memory:
        memory.attach_project(root)
        memory.add(Turn(role="user", content=DECIDED, session="before", at=NOON))
        assert memory.drain(200)
        with observed(lambda call: calls.append(call.function.co_qualname)):
            (said,) = memory.decisions("gate.py")
    assert said.changed_on_disk is not None
    assert "elements_of" not in calls
