"""Clew's entry in Claude Code's settings: what is put there, what is left alone, and that it comes out exactly."""

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import ConflictError, FormatError
from clew.serve.clients.install import BACKUP, EntryLocation, apply, claude_code, plan_install, plan_remove
from clew.serve.clients.json_text import drop, get, put, read
from tests.support.cli_runs import Terminal, done, failure, record, run

ENTRY = {"type": "stdio", "command": "clew", "args": ["mcp"], "env": {}}
SETTINGS = """{
\t"numStartups": 12,
\t"price": 1.10,
\t"mcpServers": {
\t\t"other": {"command": "x", "args": []}
\t},
\t"projects": {"/a": {"history": ["ä", "\\u00e4"]}}
}"""


@pytest.fixture
def user(tmp_home: Path) -> EntryLocation:
    return claude_code("user", tmp_home, tmp_home, {})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "mcpServers", "projects"]), VALUES, max_size=4)
PATHS = st.lists(st.sampled_from(["a", "b", "mcpServers", 'n"é', ""]), min_size=1, max_size=3)
INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])


@pytest.mark.requirement("F-MCP-12")
@given(OBJECTS, PATHS, VALUES, INDENTS, st.booleans(), st.booleans())
def test_one_member_goes_in_and_out_and_nothing_else_changes(
    held: dict[str, Any], path: list[str], value: Any, indent: Any, ascii_only: bool, windows: bool
) -> None:
    text = json.dumps(held, indent=indent, ensure_ascii=ascii_only)
    text = text.replace("\n", "\r\n") if windows else text
    try:
        before = get(text, path)
    except FormatError:
        with pytest.raises(FormatError):
            put(text, path, value)
        return
    after = put(text, path, value)
    assert get(after, path) == value
    expected = json.loads(text)
    inner = expected
    for name in path[:-1]:
        inner = inner.setdefault(name, {})
    inner[path[-1]] = value
    assert read(after) == expected
    if before is None and path[-1] not in (get(text, path[:-1]) or {}):
        assert drop(text, path) == text
        outer = get(text, path[:-1])
        if outer:
            assert drop(after, path) == text


@pytest.mark.requirement("F-MCP-12")
def test_the_entry_is_put_in_the_file_s_own_style(user: EntryLocation) -> None:
    user.file.write_text(SETTINGS, encoding="utf-8")
    apply(plan_install(user, ENTRY))
    text = user.file.read_text(encoding="utf-8")
    assert '\t\t"other": {"command": "x", "args": []},\n\t\t"clew": {\n\t\t\t"type": "stdio",' in text
    assert '"price": 1.10,' in text
    assert '["ä", "\\u00e4"]' in text
    assert read(text)["mcpServers"] == {"other": {"command": "x", "args": []}, "clew": ENTRY}


@pytest.mark.requirement("F-MCP-13")
@pytest.mark.parametrize("scope", ["user", "local", "project"])
@pytest.mark.parametrize(
    "held",
    [None, "", "{}", "{ }", "{\n}\n", '{"a": 1}', '{"mcpServers": { }}', SETTINGS, SETTINGS.replace("\n", "\r\n")],
)
def test_taking_it_back_leaves_the_file_as_it_was(tmp_path: Path, scope: Any, held: str | None) -> None:
    place = claude_code(scope, tmp_path, tmp_path / "project", {})
    if held is not None:
        place.file.parent.mkdir(exist_ok=True)
        place.file.write_bytes(held.encode())
    apply(plan_install(place, ENTRY))
    assert get(place.file.read_text(encoding="utf-8"), place.path) == ENTRY
    again = plan_install(place, ENTRY)
    assert not again.changes
    apply(again)
    apply(plan_remove(place))
    assert (place.file.read_bytes().decode() if place.file.exists() else None) == held
    assert not place.backup.exists()
    assert not plan_remove(place).changes


@pytest.mark.requirement("F-MCP-13")
def test_what_others_changed_meanwhile_stays(user: EntryLocation) -> None:
    user.file.write_text('{\n  "a": 1\n}\n', encoding="utf-8")
    apply(plan_install(user, ENTRY))
    text = user.file.read_text(encoding="utf-8")
    user.file.write_text(put(put(text, ("a",), 2), ("b",), [3]), encoding="utf-8")
    apply(plan_remove(user))
    assert user.file.read_text(encoding="utf-8") == '{\n  "a": 2,\n  "b": [\n    3\n  ]\n}\n'


@pytest.mark.requirement("F-MCP-13")
def test_an_entry_of_the_same_name_comes_back(user: EntryLocation) -> None:
    held = '{"mcpServers": {"clew": {"command": "mine"}}}'
    user.file.write_text(held, encoding="utf-8")
    apply(plan_install(user, ENTRY))
    apply(plan_install(user, {**ENTRY, "args": ["mcp", "--space", "b"]}))
    text = user.file.read_text(encoding="utf-8")
    user.file.write_text(put(text, ("new",), 1), encoding="utf-8")
    apply(plan_remove(user))
    assert read(user.file.read_text(encoding="utf-8")) == {"mcpServers": {"clew": {"command": "mine"}}, "new": 1}


@pytest.mark.requirement("F-MCP-13")
def test_two_scopes_share_a_file(tmp_path: Path) -> None:
    one, two = (claude_code(scope, tmp_path, tmp_path, {}) for scope in ("user", "local"))
    assert one.file == two.file
    one.file.write_text(SETTINGS, encoding="utf-8")
    apply(plan_install(one, ENTRY))
    apply(plan_install(two, ENTRY))
    apply(plan_remove(one))
    assert get(two.file.read_text(encoding="utf-8"), two.path) == ENTRY
    apply(plan_remove(two))
    assert one.file.read_text(encoding="utf-8") == SETTINGS


@pytest.mark.requirement("F-MCP-14")
@pytest.mark.parametrize(
    "held",
    [
        b'{"a": 1, // mine\n}',
        b'{"a": 1,}',
        b'{"a": 1, "a": 2}',
        b"[]",
        b'{"mcpServers": []}',
        b'{"mcpServers": null}',
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        b'{"a":' * 100_000,
        b"{",
    ],
)
def test_a_malformed_file_is_refused_and_untouched(user: EntryLocation, held: bytes) -> None:
    user.file.write_bytes(held)
    for words in (["--yes"], ["--yes", "--json"]):
        told = failure(1, "install", "claude-code", *words)
        assert ".claude.json" in told
        assert "not changed" in told
    assert user.file.read_bytes() == held
    assert [each.name for each in user.file.parent.iterdir()] == [".claude.json"]


@pytest.mark.requirement("F-MCP-14")
def test_a_file_that_changes_under_the_question_is_not_written(user: EntryLocation) -> None:
    user.file.write_text("{}", encoding="utf-8")
    plan = plan_install(user, ENTRY)
    user.file.write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(ConflictError, match="changed meanwhile"):
        apply(plan)
    assert user.file.read_text(encoding="utf-8") == '{"a": 1}'


@pytest.mark.requirement("F-MCP-14")
@pytest.mark.skipif(sys.platform == "win32", reason="permissions of owners, and links without rights, are POSIX")
def test_permissions_and_links_are_kept(tmp_home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}", encoding="utf-8")
    real.chmod(0o640)
    (tmp_home / ".claude.json").symlink_to(real)
    place = claude_code("user", tmp_home, tmp_home, {})
    apply(plan_install(place, ENTRY))
    assert (tmp_home / ".claude.json").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert stat.S_IMODE(place.backup.stat().st_mode) == 0o640
    assert place.backup.name == f"dotfiles.json{BACKUP}user"


@pytest.mark.requirement("F-MCP-15")
def test_the_command_prints_writes_and_takes_back(tmp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_home / ".claude.json"
    shown = json.loads(done("install", "claude-code", "--print", "--home", tmp_home / "h", "--space", "work"))
    assert shown["mcpServers"]["clew"]["args"] == ["mcp", "--home", str(tmp_home / "h"), "--space", "work"]
    assert not file.exists()
    assert record("install", "claude-code", "--yes")["changed"] is True
    assert "Already installed in" in done("install", "claude-code", "--yes")
    assert json.loads(file.read_text(encoding="utf-8"))["mcpServers"]["clew"]["args"] == ["mcp"]
    assert "Removed from" in done("install", "claude-code", "--remove", "--yes")
    assert "Not installed in" in done("install", "claude-code", "--remove", "--yes")
    assert not file.exists()
    monkeypatch.chdir(tmp_home)
    done("install", "claude-code", "--scope", "project", "--yes")
    project = json.loads((tmp_home / ".mcp.json").read_text(encoding="utf-8"))
    assert project["mcpServers"]["clew"]["command"] == "clew"


@pytest.mark.requirement("F-MCP-15")
def test_nothing_is_written_unasked(tmp_home: Path) -> None:
    assert "--yes" in failure(2, "install", "claude-code")
    assert "CLEW_STORE" in failure(2, "install", "claude-code", "--store", "postgresql://u:p@h/d", "--yes")
    assert not (tmp_home / ".claude.json").exists()
    result = run("install", "claude-code", given=Terminal(b"n\n"))
    assert "Nothing was written" in result.stderr
    assert not (tmp_home / ".claude.json").exists()
    assert run("install", "claude-code", given=Terminal(b"y\n")).exit_code == 0
    assert (tmp_home / ".claude.json").exists()


@pytest.mark.requirement("F-MCP-15")
def test_the_program_s_own_folder_and_clew_s_home_are_respected(tmp_path: Path, tmp_home: Path) -> None:
    place = claude_code("user", tmp_home, tmp_home, {"CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")})
    assert place.file == tmp_path / "elsewhere" / ".claude.json"
    os.environ["CLEW_HOME"] = str(tmp_home / "kept")
    try:
        shown = json.loads(done("install", "claude-code", "--print"))
    finally:
        del os.environ["CLEW_HOME"]
    assert shown["mcpServers"]["clew"]["args"] == ["mcp", "--home", str(tmp_home / "kept")]


@pytest.mark.requirement("F-MCP-15")
@pytest.mark.parametrize(
    ("store", "words"),
    [("/srv/memory", ["mcp", "--home", "/srv/memory"]), ("postgresql://u:p@h/d", ["mcp"])],
)
def test_the_agent_s_memory_is_the_one_that_the_shell_uses(
    store: str, words: list[str], tmp_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_home / "kept"))
    monkeypatch.setenv("CLEW_STORE", store)  # it wins
    assert record("install", "claude-code", "--print")["entry"]["args"] == words
    told = run("watch", "--print").stderr
    assert ("CLEW_STORE" in told) is ("://" in store)
    assert "u:p" not in told


@pytest.mark.requirement("F-MCP-15")
@pytest.mark.parametrize(
    "options",
    [
        ("--hooks", "--proxy"),
        ("--hooks", "--watch"),
        ("--proxy", "--watch"),
        ("--print", "--remove"),
        ("--print", "--remove", "--hooks"),
    ],
)
def test_no_option_is_ignored_beside_another(options: tuple[str, ...], tmp_home: Path) -> None:
    assert "cannot be combined" in failure(2, "install", "claude-code", "--yes", *options)
    assert list(tmp_home.iterdir()) == []


@pytest.mark.requirement("F-MCP-15")
@pytest.mark.usefixtures("tmp_home")
@pytest.mark.parametrize("options", [("codex",), ("codex", "--proxy"), ("claude-code", "--hooks")])
def test_an_entry_is_printed_as_json_for_a_file_of_any_form(options: tuple[str, ...]) -> None:
    printed = record("install", *options, "--print")
    assert printed["entry"]
    assert printed["file"]


@pytest.mark.requirement("F-MCP-15")
@pytest.mark.parametrize(
    ("program", "file", "held"),
    [
        ("claude-code", ".claude/settings.json", '{"env": {"ANTHROPIC_BASE_URL": "https://gateway.example"}}'),
        ("codex", ".codex/config.toml", 'openai_base_url = "http://127.0.0.1:11434/v1"\n'),
    ],
)
def test_an_address_that_is_not_the_proxys_stays(program: str, file: str, held: str, tmp_home: Path) -> None:
    path = tmp_home / file
    path.parent.mkdir()
    path.write_text(held)
    remove = ("install", program, "--proxy", "--remove", "--yes")
    answer = run(*remove)
    assert "Not installed in" in answer.stdout
    assert "stays there" in answer.stderr
    assert path.read_text() == held
    done("install", program, "--proxy", "--yes")
    assert path.read_text() != held
    for _ in range(2):
        done(*remove)
        assert path.read_text() == held


@pytest.mark.requirement("F-MCP-15")
def test_the_address_of_a_proxy_elsewhere_is_removed_by_its_name(tmp_home: Path) -> None:
    server = ("--server", "http://10.1.2.3:8377")
    done("install", "claude-code", "--proxy", "--yes", *server)
    assert "stays there" in run("install", "claude-code", "--proxy", "--remove", "--yes").stderr
    done("install", "claude-code", "--proxy", "--remove", "--yes", *server)
    assert not (tmp_home / ".claude" / "settings.json").exists()


@pytest.mark.requirement("F-MCP-15")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_two_entries_in_one_file_go_out_in_any_order(end: str, tmp_home: Path) -> None:
    path = tmp_home / ".codex" / "config.toml"
    path.parent.mkdir()
    held = end.join(['model = "gpt-5"', "[mcp_servers.other]", 'command = "x"', ""]).encode()
    path.write_bytes(held)
    for first, second in (((), ("--proxy",)), (("--proxy",), ())):
        done("install", "codex", "--yes", *first)
        done("install", "codex", "--yes", *second)
        done("install", "codex", "--remove", "--yes", *first)
        done("install", "codex", "--remove", "--yes", *second)
        assert path.read_bytes() == held


@pytest.mark.requirement("F-WATCH-05")
def test_new_sessions_and_their_service_are_offered(tmp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_home))  # no service manager
    told = " ".join(run("install", "claude-code", "--yes").stderr.split())
    assert "New sessions come in by `clew import claude-code`, or as they are written by `clew watch`." in told
    assert not list(tmp_home.rglob("*clew-watch*"))
    assert "Installed in" in run("install", "claude-code", "--watch", "--yes").stdout
    (unit,) = [*tmp_home.rglob("clew-watch.service"), *tmp_home.rglob("io.clew.watch.plist")]
    assert "claude-code" in unit.read_text()
    assert "cannot be combined" in failure(2, "install", "claude-code", "--watch", "--remove")
