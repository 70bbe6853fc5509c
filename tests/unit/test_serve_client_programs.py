"""Clew's entry in the settings of each program: the documented place and form, and out again without a trace."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import FormatError, InputError
from clew.serve.clients import jsonc_text, toml_text
from clew.serve.clients.install import apply, plan_install, plan_remove
from clew.serve.clients.programs import PROGRAMS
from tests.support.cli_runs import done, failure, run

pytestmark = pytest.mark.requirement("P-UPS-09")

START = {"command": "/opt/clew/bin/clew", "args": ["mcp", "--space", "wörk"]}
FILES = {
    "claude-code": ".claude.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "cursor": ".cursor/mcp.json",
    "codex": ".codex/config.toml",
    "gemini-cli": ".gemini/settings.json",
    "vscode": ".config/Code/User/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "zed": ".config/zed/settings.json",
}
HELD_JSON = '{\n    "theme": "dark",\n    "mcpServers": {"other": {"command": "x"}}\n}\n'
HELD_JSONC = """// my settings
{
  "theme": "dark", // as it should be: "https://x"
  /* several
     lines */
  "list": [1, 2,],
}
"""
HELD_TOML = """# mine
model = "gpt-5"

[mcp_servers.other]
command = "x"

[projects."/a.b"]
trust_level = "trusted"
"""


def held(program: str) -> str:
    forms = {"codex": HELD_TOML, "vscode": HELD_JSONC, "zed": HELD_JSONC, "gemini-cli": HELD_JSONC}
    return forms.get(program, HELD_JSON)


def entry_in(program: str, text: str) -> Any:
    value = tomllib.loads(text) if program == "codex" else jsonc_text.read(text)
    return value[PROGRAMS[program].key]["clew"]


@pytest.mark.parametrize("program", FILES)
@pytest.mark.parametrize("is_there", [True, False])
def test_the_entry_goes_into_the_documented_file_and_out_again(program: str, is_there: bool, tmp_path: Path) -> None:
    location = PROGRAMS[program].location("user", tmp_path, tmp_path / "project", {})
    assert location.file == (tmp_path / FILES[program]).resolve()
    location.file.parent.mkdir(parents=True, exist_ok=True)
    if is_there:
        location.file.write_text(held(program), encoding="utf-8")
    entry = PROGRAMS[program].entry(START)
    apply(plan_install(location, entry))
    text = location.file.read_text(encoding="utf-8")
    assert START.items() <= entry_in(program, text).items()
    assert not plan_install(location, entry).changes
    apply(plan_remove(location))
    assert (location.file.read_text(encoding="utf-8") if location.file.exists() else None) == (
        held(program) if is_there else None
    )


@pytest.mark.parametrize("program", FILES)
def test_what_others_change_meanwhile_stays(program: str, tmp_path: Path) -> None:
    location = PROGRAMS[program].location("user", tmp_path, tmp_path, {})
    location.file.parent.mkdir(parents=True, exist_ok=True)
    location.file.write_text(held(program), encoding="utf-8")
    apply(plan_install(location, PROGRAMS[program].entry(START)))
    text = location.file.read_text(encoding="utf-8")
    location.file.write_text(text.replace("dark", "light").replace("gpt-5", "gpt-6"), encoding="utf-8")
    apply(plan_remove(location))
    text = location.file.read_text(encoding="utf-8")
    assert "clew" not in text
    assert location.form.read(text) == location.form.read(
        held(program).replace("dark", "light").replace("gpt-5", "gpt-6")
    )


def test_forms_of_entries_are_those_of_the_documentation() -> None:
    assert PROGRAMS["vscode"].entry(START) == {"type": "stdio", **START}
    assert PROGRAMS["zed"].entry(START) == {"source": "custom", **START}
    assert PROGRAMS["cursor"].entry(START) == START
    assert toml_text.put("", ("mcp_servers", "clew"), START) == (
        '[mcp_servers.clew]\ncommand = "/opt/clew/bin/clew"\nargs = ["mcp", "--space", "wörk"]\n'
    )


def test_projects_have_files_of_their_own_where_the_program_reads_one(tmp_path: Path) -> None:
    found = PROGRAMS["cursor"].location("project", tmp_path, tmp_path / "p", {})
    assert found.file == (tmp_path / "p" / ".cursor" / "mcp.json").resolve()
    with pytest.raises(InputError, match="Windsurf has no settings of scope 'project'; give --scope user"):
        PROGRAMS["windsurf"].location("project", tmp_path, tmp_path, {})
    assert PROGRAMS["codex"].location("user", tmp_path, tmp_path, {"CODEX_HOME": str(tmp_path / "c")}).file == (
        tmp_path / "c" / "config.toml"
    )


@given(st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=6), max_size=3), st.booleans())
def test_comments_are_no_part_of_what_is_read(value: dict[str, Any], trailing: bool) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    if trailing and value:
        text = text[:-2] + ",\n}"
    text = text.replace("\n", " // a, b }\n", 1) + "/* } */"
    assert jsonc_text.read(text) == value
    assert len(jsonc_text.plain(text)) == len(text)


@pytest.mark.parametrize("text", ["a = ", "mcp_servers = 3\n"])
def test_a_toml_file_that_cannot_hold_it_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        toml_text.put(text, ("mcp_servers", "clew"), START)


def test_a_text_that_does_not_read_back_is_not_written() -> None:
    with pytest.raises(FormatError, match="cannot be written"):
        toml_text.put("", ("openai_base_url",), "http://[bad\x7f]")


def test_an_inline_table_is_left_to_its_owner() -> None:
    with pytest.raises(FormatError, match="has no header or line of its own"):
        toml_text.drop('mcp_servers = {clew = {command = "x"}}\n', ("mcp_servers", "clew"))


def test_the_command_prints_each(tmp_home: Path) -> None:
    assert done("install", "codex", "--print").startswith("[mcp_servers.clew]\ncommand = ")
    assert json.loads(done("install", "zed", "--print"))["context_servers"]["clew"]["args"] == ["mcp"]
    assert "windsurf has none" in failure(2, "install", "windsurf", "--watch")


@pytest.mark.parametrize("held", [None, HELD_TOML, 'openai_base_url = "https://gate.example/v1"\n' + HELD_TOML])
def test_codex_is_given_the_proxy_s_address(tmp_home: Path, held: str | None) -> None:
    file = tmp_home / ".codex" / "config.toml"
    file.parent.mkdir(parents=True)
    if held is not None:
        file.write_text(held, encoding="utf-8")
    done("install", "codex", "--proxy", "--yes")
    settings = tomllib.loads(file.read_text(encoding="utf-8"))
    assert settings["openai_base_url"] == "http://127.0.0.1:8377/openai/v1"
    assert ("model" in settings) == (held is not None)
    done("install", "codex", "--proxy", "--remove", "--yes")
    assert (file.read_text(encoding="utf-8") if file.exists() else None) == held


@pytest.mark.requirement("P-UPS-16")
@pytest.mark.parametrize(
    ("program", "file", "held", "option"),
    [
        (
            "codex",
            ".codex/config.toml",
            'openai_base_url = "https://gate.example/v1"\n',
            "openai https://gate.example`",
        ),
        (
            "claude-code",
            ".claude/settings.json",
            '{"env": {"ANTHROPIC_BASE_URL": "https://gate.example/llm/"}}',
            "anthropic https://gate.example/llm`",
        ),
        ("claude-code", ".claude/settings.json", '{"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9/anthropic"}}', ""),
        ("claude-code", ".claude/settings.json", "{}", ""),
    ],
)
def test_the_address_that_is_replaced_is_named_with_what_keeps_it_in_use(
    tmp_home: Path, program: str, file: str, held: str, option: str
) -> None:
    place = tmp_home / file
    place.parent.mkdir(parents=True)
    place.write_text(held, encoding="utf-8")
    told = run("install", program, "--proxy", "--yes").stderr
    assert ("was there before" in told) == bool(option)
    assert f"start `clew serve --upstream-{option}" in told if option else "--upstream" not in told


def test_claude_code_is_given_the_proxy_s_address(tmp_home: Path) -> None:
    done("install", "claude-code", "--proxy", "--server", "http://127.0.0.1:9000", "--yes")
    file = tmp_home / ".claude" / "settings.json"
    assert json.loads(file.read_text(encoding="utf-8"))["env"] == {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9000/anthropic"
    }
    done("install", "claude-code", "--proxy", "--remove", "--yes")
    assert not file.exists()
    assert "`clew run` needs none" in failure(1, "install", "cursor", "--proxy", "--print")


HOOKS_IN_A_LINE = """{
  "hooks": {"Stop": [{"hooks": [{"type":"command",  "command":"mine"}]}]}, "env": {"A": "b"}
}
"""
HOOKS_IN_LINES = """{
\t"hooks": {
\t\t"Stop": [
\t\t\t{"hooks": [{"type": "command", "command": "mine"}]},

\t\t\t{"hooks": [{"type": "command", "command": "mine too"}]}
\t\t],
\t\t"Notification": []
\t}
}"""


@pytest.mark.requirement("P-UPS-17")
@pytest.mark.parametrize("held", [HOOKS_IN_A_LINE, HOOKS_IN_LINES, HOOKS_IN_LINES.replace("\n", "\r\n"), "{}", ""])
@pytest.mark.parametrize("removed", [("--hooks", "--proxy"), ("--proxy", "--hooks")])
def test_hooks_of_others_keep_their_bytes(tmp_home: Path, held: str, removed: tuple[str, str]) -> None:
    file = tmp_home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_bytes(held.encode())
    for option in ("--hooks", "--proxy"):
        done("install", "claude-code", option, "--yes")
    given = file.read_bytes().decode()
    assert "Already installed" in done("install", "claude-code", "--hooks", "--yes")
    assert given.startswith(held[: held.rindex('"}]}') + 4] if "mine" in held else "{")
    hooks = json.loads(given)["hooks"]["Stop"]
    others = json.loads(held or "{}").get("hooks", {}).get("Stop", [])
    assert hooks[:-1] == others
    assert "hook_client.py" in hooks[-1]["hooks"][0]["command"]
    done("install", "claude-code", "--hooks", "--server", "http://127.0.0.1:9000", "--yes")
    again = json.loads(file.read_bytes())["hooks"]["Stop"]
    assert again[:-1] == others
    assert again[-1]["hooks"][0]["command"].endswith("http://127.0.0.1:9000")
    for option in removed:
        done("install", "claude-code", option, "--remove", "--yes")
    left = file.read_bytes().decode() if file.exists() else ""
    assert json.loads(left.strip() or "{}") == json.loads(held or "{}")
    assert left == held or not others


@pytest.mark.requirement("P-UPS-17")
def test_hooks_that_are_no_list_are_left_alone(tmp_home: Path) -> None:
    file = tmp_home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"hooks": {"Stop": {}}}', encoding="utf-8")
    told = failure(1, "install", "claude-code", "--hooks", "--yes")
    assert "hooks.Stop: expected a list, got dict; nothing was changed" in told
    assert file.read_text(encoding="utf-8") == '{"hooks": {"Stop": {}}}'
