"""What turns say of files, and which path of a project a written one means."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.project.checks import check_commands, confirms, is_commit, verdict_of
from clew.project.links import PathResolver, TurnLinks, links_of, normal_path, touches
from clew.project.shell_writes import written_by
from clew.rows.mentions import links_from, mention_text
from clew.types import Part, Turn
from tests.support.memories import quiet

PATHS = ("src/app/store.py", "src/app/views.py", "lib/app/views.py", "README.md", "docs/README.md", "Makefile")


def called(name: str, **arguments: Any) -> TurnLinks:
    part = Part(type="tool_call", name=name, call_id="c1", text=json.dumps(arguments))
    return links_of(Turn(role="assistant", content=(part,)))


@pytest.mark.requirement("L-MEE-05")
@pytest.mark.parametrize(
    ("name", "arguments", "how", "paths"),
    [
        ("Read", {"file_path": "/srv/app/src/a.py"}, "read", ["/srv/app/src/a.py"]),
        ("Edit", {"file_path": "src/a.py", "old_string": "x", "new_string": "y"}, "edited", ["src/a.py"]),
        ("write_file", {"path": "b.ts", "content": ""}, "edited", ["b.ts"]),
        ("str_replace_editor", {"command": "view", "path": "/repo/c.go"}, "read", ["/repo/c.go"]),
        ("str_replace_editor", {"command": "str_replace", "path": "c.go", "old_str": "a"}, "edited", ["c.go"]),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/d.rs\n@@\n"}, "edited", ["src/d.rs"]),
        ("shell", {"command": ["bash", "-lc", "sed -n 1,9p src/e.rb"]}, "ran", ["src/e.rb"]),
        ("edit", {"path": "C:\\app\\f.cs", "new_str": ""}, "edited", ["C:/app/f.cs"]),
    ],
)
def test_calls_of_tools_name_what_they_read_and_change(
    name: str, arguments: dict[str, Any], how: str, paths: list[str]
) -> None:
    assert [path for kind, path in called(name, **arguments).paths if kind == how] == paths


@pytest.mark.requirement("L-MEE-05")
def test_what_a_shell_is_given_as_a_list_of_words_is_a_command() -> None:
    assert called("shell", command=["bash", "-lc", "pytest -q tests/test_a.py"]).checks == (
        ("c1", "pytest -q tests/test_a.py"),
    )
    assert called("shell", command=["git", "commit", "-m", "x"]).commits
    assert called("shell", command=["/bin/sh", "-c", "git commit -m x"]).commits


@pytest.mark.requirement("L-MEE-05")
def test_words_and_results_name_paths_and_addresses_do_not() -> None:
    turn = Turn(
        role="assistant",
        content=(
            Part(type="text", text="See `src/app/store.py:41`, not https://example.org/src/other.py."),
            Part(type="tool_result", call_id="c1", text="lib/app/views.py:3: error: x\n1 failed"),
        ),
    )
    links = links_of(turn)
    assert (links.said, links.shown, links.verdicts) == (
        ("src/app/store.py",),
        ("lib/app/views.py",),
        (("c1", False),),
    )
    assert links_of(Turn(role="user", content="See src/a.py", origin="injected")) == TurnLinks()
    assert not links_of(Turn(role="assistant", content="Good morning."))


@pytest.mark.requirement("L-MEE-06")
@pytest.mark.parametrize(
    ("written", "path", "how"),
    [
        ("src/app/store.py", "src/app/store.py", "exact"),
        ("./src/app/store.py:12", "src/app/store.py", "exact"),
        ("/srv/project/src/app/views.py", "src/app/views.py", "exact"),
        ("app/store.py", "src/app/store.py", "suffix"),
        ("store.py", "src/app/store.py", "suffix"),
        ("/elsewhere/clone/src/app/views.py", "src/app/views.py", "suffix"),
        ("/elsewhere/project/README.md", "README.md", "suffix"),
        ("project/src/app/store.py", "src/app/store.py", "suffix"),
        ("README.md", "README.md", "exact"),
        ("views.py", None, None),
        ("app/views.py", None, None),
        ("/etc/README.md", None, None),
        ("/srv/project/gone.py", None, None),
        ("otherstore.py", None, None),
        ("", None, None),
    ],
)
def test_a_written_path_means_the_same_or_the_only_one_with_that_end(
    written: str, path: str | None, how: str | None
) -> None:
    match = PathResolver(PATHS, "/srv/project").resolve(written)
    assert (path, how) == (None, None) if match is None else (match.path, match.how) == (path, how)


@pytest.mark.requirement("L-MEE-06")
@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join), unique=True), st.data())
def test_a_suffix_is_never_guessed(paths: list[str], data: st.DataObject) -> None:
    resolver = PathResolver(paths)
    written = data.draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join))
    match = resolver.resolve(written)
    ends = [path for path in paths if path == written or path.endswith(f"/{written}")]
    if written in paths:
        assert match is not None
        assert match.path == written
    elif ends:
        assert (match is None) == (len(ends) > 1)
        assert match is None or match.path == ends[0]


@pytest.mark.requirement("L-MEE-05")
@given(st.text(max_size=300), st.sampled_from(["text", "tool_call", "tool_result"]))
def test_any_turn_is_read_and_its_row_says_the_same(text: str, kind: Any) -> None:
    links = links_of(Turn(role="assistant", content=(Part(type=kind, text=text, call_id="1", name="edit"),)))
    assert links_from(mention_text(links)) == links
    assert normal_path(normal_path(text)) == normal_path(text) or ":" in text or text != text.strip("\"'` ./\n")
    PathResolver(PATHS).resolve(text)


@pytest.mark.requirement("L-MEE-07")
def test_commands_that_check_are_told_from_others() -> None:
    assert list(check_commands("cd app && CI=1 uv run pytest -q tests | tail -3; ls")) == ["pytest -q tests"]
    for command in ("npm test", "go test ./...", "cargo clippy", "make lint", "./dev check", "python3 -m mypy src"):
        assert list(check_commands(command)) == [command]
    for command in ("ls tests", "cat pytest.ini", "git status", "npm install", "echo pytest", "x" * 100_000):
        assert list(check_commands(command)) == []
    assert is_commit("git add -A && git commit -m done")
    assert not is_commit("git log --grep 'git commit'")


@pytest.mark.requirement("L-MEE-07")
@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("===== 12 passed in 0.4s =====", True),
        ("12 passed, 1 failed", False),
        ("ok  \tgithub.com/x/y\t0.1s", True),
        ("--- FAIL: TestA (0.00s)", False),
        ("src/a.ts(3,1): error TS2304: no name", False),
        ("Success: no issues found in 3 source files", True),
        ("error: kaboom, as the test expects\n✗ a name\n 1309 pass\n 0 fail\nRan 1309 tests", True),
        ("(fail) x > y\n 1308 pass\n 1 fail\nRan 1309 tests", False),
        ("# tests 5\n# pass 5\n# fail 0", True),
        ("ℹ pass 4\nℹ fail 1", False),
        ("FAIL src/a.test.ts\nTests:       1 failed, 5 passed, 6 total", False),
        ("  5 passing (20ms)\n  1 failing", False),
        (" Test Files  4 passed (4)\n      Tests  33 passed (33)", True),
        ("test_x FAILED\n=== 3 passed, 1 error in 0.1s ===", False),
        ("tests/a.py::test_FAILED_login PASSED\n=== 20 passed, 1 warning in 1s ===", True),
        ('5 pass\n0 fail\nerror: script "lint" exited with code 1', False),
        ("a.py  b.py", None),
        ("", None),
    ],
)
def test_results_say_whether_a_check_passed(text: str, verdict: bool | None) -> None:
    assert verdict_of(Part(type="tool_result", text=text)) is verdict


@pytest.mark.requirement("L-MEE-07")
def test_words_that_accept_are_told_from_requests() -> None:
    for words in ("Thanks!", "ok, great, it works", "LGTM", "Perfect."):
        assert confirms(words)
    for words in ("thanks, now add a test", "it works but is slow", "ok do it", "thanks" + "!" * 100_000 + "x"):
        assert not confirms(words)


@pytest.mark.requirement("L-MEE-06")
def test_without_a_project_a_file_is_found_by_its_end() -> None:
    links = TurnLinks(edited=("/srv/app/src/a.py",), said=("app/views.py",))
    assert touches(links, "src/a.py") == "edited"
    assert touches(links, "/srv/app/src/a.py") == "edited"
    assert touches(links, "lib/app/views.py") == "said"
    assert touches(links, "c/a.py") is None
    assert touches(links, "src/a.py", how=("said",)) is None


@pytest.mark.requirement("P-LINE-07")
@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("cat > src/a.py <<'EOF'\necho x > b.py\nEOF\ntouch LICENSE", ["src/a.py", "LICENSE"]),
        ("cat <<EOF >> notes.md\nx\nEOF", ["notes.md"]),
        ("cd app && echo 'a | b; c' > \"web/x.ts\"", ["web/x.ts"]),
        ('printf "%s > %s" 1 2 | tee -a conf.toml', ["conf.toml"]),
        ("sed -i '317s/^/ /' src/match.c && make", ["src/match.c"]),
        ("sed -i.bak -e 's/a/b/' -e 's/c/d/' a.go", ["a.go"]),
        ("sed -n '1,20p' a.go; grep -n '>' b.go", []),
        ("pytest -q > run.log 2>&1; echo done > /dev/null; echo $x > /tmp/y.py; echo 1 > $OUT", []),
        ("cat a.py | head -3; test 1 -gt 2; echo a>&2", []),
        ("cat > a.py <<EOF\necho never > ended.py", ["a.py"]),
        ("perl -Ilib run.pl; perl -Mstrict -w run.pl; perl -pi -e 's/a/b/' a.pl", ["a.pl"]),
        ("touch -d yesterday a.py; touch -c b.py; echo x | tee --append c.md", ["a.py", "b.py", "c.md"]),
        ("echo x > logs/run_$i.txt; touch src/*.py; touch -d now $OUT", []),
        ("sed -" + "i" * 20_000, []),
    ],
)
def test_what_a_shell_writes_is_changed(command: str, paths: list[str]) -> None:
    assert list(written_by(command)) == paths
    links = called("bash", command=command)
    assert list(links.edited) == paths
    assert list(links.edits) == [("c1", path) for path in paths]


@pytest.mark.requirement("P-LINE-08")
@pytest.mark.parametrize("tool", ["str_replace_editor", "str_replace_based_edit_tool"])
def test_a_look_with_an_editor_changes_nothing(tool: str) -> None:
    links = called(tool, path="a.c", end=-1)
    assert (links.edited, links.read) == ((), ("a.c",))


@pytest.mark.requirement("L-CODE-24")
@pytest.mark.parametrize(
    ("said", "decides"),
    [
        ("Now, let's update src/turnstile.py to include the new gate:", False),
        ("I'll add the check to src/turnstile.py:", False),
        ("Let's use src/turnstile.py instead of the ledger:", True),
        ("We decided to keep the check in src/turnstile.py:", True),
        ("Let's keep the check in src/turnstile.py.", True),
    ],
)
def test_what_announces_the_next_step_decides_nothing(said: str, decides: bool) -> None:
    with quiet() as memory:
        memory.add(Turn(role="assistant", content=said))
        assert memory.drain(200)
        assert [each.text for each in memory.decisions("src/turnstile.py")] == [said] * decides
    assert links_of(Turn(role="assistant", content=said)).decides is decides
