"""Anthropic's memory tool over a memory, called as the SDK calls it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from anthropic.lib.tools import ToolError

from clew import Memory
from clew.adapters.anthropic_memory import ClewMemoryTool
from clew.store.read_only import ReadOnlyStore
from tests.support.memories import quiet


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        yield opened


def call(tool: ClewMemoryTool, command: str, **arguments: object) -> str:
    said = tool.call({"command": command, **arguments})
    assert isinstance(said, str)
    return said


@pytest.mark.requirement("P-ADP-05")
def test_files_are_made_changed_listed_and_deleted(memory: Memory) -> None:
    tool = ClewMemoryTool(memory)
    assert call(tool, "view", path="/memories").endswith("\n0B\t/memories")
    call(tool, "create", path="/memories/notes/a.md", file_text="one\ntwo\nthree\n")
    call(tool, "create", path="/memories/empty.txt", file_text="")
    call(tool, "create", path="/memories/.hidden", file_text="x")
    assert call(tool, "view", path="/memories/notes/a.md", view_range=[2, 3]).split("\n")[1:] == [
        "     2\ttwo",
        "     3\tthree",
    ]
    assert call(tool, "view", path="/memories/notes/a.md", view_range=[3]).split("\n")[1] == "     3\tthree"
    assert "     2\tTWO" in call(tool, "str_replace", path="/memories/notes/a.md", old_str="two", new_str="TWO")
    call(tool, "insert", path="/memories/notes/a.md", insert_line=0, insert_text="zero\n")
    assert call(tool, "view", path="/memories/notes/a.md").split("\n")[1:4] == [
        "     1\tzero",
        "     2\tone",
        "     3\tTWO",
    ]
    listed = call(tool, "view", path="/memories").split("\n")[1:]
    assert listed == ["20B\t/memories", "0B\t/memories/empty.txt", "19B\t/memories/notes/", "19B\t/memories/notes/a.md"]
    call(tool, "rename", old_path="/memories/notes", new_path="/memories/kept/notes")
    assert "zero" in call(ClewMemoryTool(memory), "view", path="/memories/kept/notes/a.md")
    assert "zero" in memory.recall("zero one three").text
    call(tool, "delete", path="/memories/kept")
    assert "zero" not in memory.recall("zero one three").text
    tool.clear_all_memory()
    assert memory.turns() == []


@pytest.mark.requirement("P-ADP-05")
def test_a_file_whose_name_holds_a_secret_is_found_by_that_name(memory: Memory) -> None:
    tool, path = ClewMemoryTool(memory), "/memories/ghp_16C7e42F292c6912E7710c838347Ae178B4a.md"
    call(tool, "create", path=path, file_text="of the bakery\n")
    assert "of the bakery" in call(tool, "view", path=path)
    call(tool, "str_replace", path=path, old_str="bakery", new_str="mill")
    assert "ghp_" not in call(tool, "view", path="/memories")
    with pytest.raises(ToolError, match="already exists"):
        call(tool, "create", path=path, file_text="")
    call(tool, "delete", path=path)
    assert memory.turns() == []


@pytest.mark.requirement("P-ADP-05")
@pytest.mark.parametrize("name", ["a\0.md", "a\ud800.md", "a␛0000;.md"])
def test_a_name_that_no_file_may_have_is_refused(memory: Memory, name: str) -> None:
    with pytest.raises(ToolError, match="no name of a file"):
        call(ClewMemoryTool(memory), "create", path=f"/memories/{name}", file_text="x")
    assert memory.turns() == []


@pytest.mark.requirement("P-ADP-05")
@pytest.mark.parametrize(
    ("command", "arguments", "reason"),
    [
        ("view", {"path": "/memories/none"}, "does not exist"),
        ("view", {"path": "/memories/../etc/passwd"}, "or below it"),
        ("view", {"path": "/memoriesX"}, "or below it"),
        ("create", {"path": "/memories/a", "file_text": "again"}, "already exists"),
        ("create", {"path": "/memories", "file_text": "x"}, "already exists"),
        ("create", {"path": "/memories/a/b", "file_text": "x"}, "is a file"),
        ("str_replace", {"path": "/memories/a", "old_str": "nowhere", "new_str": ""}, "did not appear"),
        ("str_replace", {"path": "/memories/a", "old_str": "o", "new_str": ""}, r"in lines: 1, 2\."),
        ("insert", {"path": "/memories/a", "insert_line": 9, "insert_text": "x"}, r"\[0, 2\]"),
        ("delete", {"path": "/memories"}, "Cannot delete"),
        ("rename", {"old_path": "/memories/a", "new_path": "/memories/a/b"}, "is a file"),
        ("rename", {"old_path": "/memories/x", "new_path": "/memories/y"}, "does not exist"),
    ],
)
def test_what_cannot_be_done_is_said_to_the_model(
    memory: Memory, command: str, arguments: dict[str, object], reason: str
) -> None:
    tool = ClewMemoryTool(memory)
    call(tool, "create", path="/memories/a", file_text="one\nto go")
    with pytest.raises(ToolError, match=reason):
        call(tool, command, **arguments)
    assert call(tool, "view", path="/memories/a").endswith("     1\tone\n     2\tto go")


@pytest.mark.requirement("P-ADP-05")
def test_a_home_that_cannot_be_written_is_said_to_the_model(tmp_path: Path) -> None:
    with quiet(tmp_path) as memory:
        call(ClewMemoryTool(memory), "create", path="/memories/a", file_text="one")
    with closing(ReadOnlyStore(tmp_path)) as store, quiet(store) as memory:
        tool = ClewMemoryTool(memory)
        assert "one" in call(tool, "view", path="/memories/a")
        with pytest.raises(ToolError, match=r"could not be deleted: .* cannot be written"):
            call(tool, "delete", path="/memories/a")
        with pytest.raises(ToolError, match=r"could not be stored: .* cannot be written"):
            call(tool, "create", path="/memories/b", file_text="two")
