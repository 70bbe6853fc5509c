"""Codex's rollout files."""

from pathlib import Path
from typing import Any

import pytest

from clew.ingest.importers import detect, find_sessions
from tests.support.ingest_reading import lines, put, read, rejections, said, skipped, turns
from tests.support.memories import quiet

NAME = "rollout-2026-05-01T10-00-00-11111111-2222-3333-4444-555555555555.jsonl"


def wrapped(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-05-01T10:00:01.000Z", "type": kind, "payload": payload}


def item(kind: str, **payload: Any) -> dict[str, Any]:
    return wrapped("response_item", type=kind, **payload)


def message(role: str, *texts: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts])


META = wrapped("session_meta", id="thread-1", cwd="/home/ann/app", git={"branch": "main"}, source="cli")


@pytest.mark.requirement("F-INGEST-05")
def test_a_rollout_becomes_turns_in_order(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        NAME,
        lines(
            META,
            wrapped("turn_context", cwd="/home/ann/app", model="gpt-x"),
            message("user", "list the files"),
            wrapped("event_msg", type="user_message", message="list the files"),
            item("reasoning", summary=[{"type": "summary_text", "text": "**Looking**"}], encrypted_content="zzz"),
            item("reasoning", summary=[], encrypted_content="zzz"),
            item("function_call", name="shell", arguments='{"command":["ls"]}', call_id="c1"),
            item("function_call_output", call_id="c1", output='{"output":"a.txt","metadata":{"exit_code":0}}'),
            item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c2"),
            item("custom_tool_call_output", call_id="c2", output=[{"type": "input_text", "text": "patched"}]),
            item("local_shell_call", call_id="c3", status="completed", action={"type": "exec", "command": ["pwd"]}),
            item("function_call_output", call_id="c3", output={"content": "/app", "success": True}),
            item("web_search_call", action={"type": "search", "query": "x"}, id="ws_1"),
            message("assistant", "There is a.txt."),
            item("ghost_snapshot", ghost_commit={}),
            item("compaction", encrypted_content="zzz"),
        ),
    )
    assert detect(path) == "codex"
    records = read(path)
    assert rejections(records, tmp_path) == []
    found = turns(records)
    assert [(turn.role, turn.origin, turn.text) for turn in found] == [
        ("user", "user", "list the files"),
        ("assistant", "assistant", "**Looking**"),
        ("assistant", "assistant", 'shell({"command":["ls"]})'),
        ("tool", "tool", "Exit code: 0\nOutput:\na.txt"),
        ("assistant", "assistant", "apply_patch(*** Begin Patch)"),
        ("tool", "tool", "patched"),
        ("assistant", "assistant", 'local_shell({"type": "exec", "command": ["pwd"]})'),
        ("tool", "tool", "/app"),
        ("assistant", "assistant", 'web_search({"type": "search", "query": "x"})'),
        ("assistant", "assistant", "There is a.txt."),
    ]
    assert [turn.external_id for turn in found[:6]] == [
        "thread-1:3",
        "thread-1:5",
        "c1",
        "c1:output",
        "c2",
        "c2:output",
    ]
    assert found[8].external_id == "ws_1"
    assert found[5].parts[0].name == "apply_patch"
    assert {turn.session for turn in found} == {"thread-1"}
    assert found[0].metadata == {"cwd": "/home/ann/app", "git_branch": "main", "model": "gpt-x"}
    assert skipped(records) == [
        *("session_meta", "turn_context", "event_msg:user_message"),
        *("reasoning without text", "ghost_snapshot", "compaction"),
    ]


@pytest.mark.requirement("F-INGEST-26")
def test_what_the_client_wrote_is_injected(tmp_path: Path) -> None:
    found = turns(
        read(
            put(
                tmp_path,
                NAME,
                lines(
                    META,
                    message("developer", "<permissions instructions>ask first"),
                    message(
                        "user", "# AGENTS.md instructions for /app", "<environment_context>x</environment_context>"
                    ),
                    message("user", "<environment_context>x</environment_context>", "and this is mine"),
                    wrapped("compacted", message="So far: ..."),
                ),
            )
        )
    )
    assert [(turn.role, turn.origin) for turn in found] == [
        ("system", "injected"),
        ("user", "injected"),
        ("user", "injected"),
        ("user", "user"),
        ("assistant", "injected"),
    ]


@pytest.mark.requirement("F-INGEST-05", "F-INGEST-20")
def test_what_follows_a_rollback_is_a_branch(tmp_path: Path) -> None:
    found = turns(
        read(
            put(
                tmp_path,
                NAME,
                lines(
                    META,
                    message("user", "one"),
                    message("assistant", "1"),
                    message("user", "two"),
                    message("assistant", "2"),
                    wrapped("event_msg", type="thread_rolled_back", num_turns=1),
                    message("user", "two, better"),
                    message("assistant", "2!"),
                ),
            )
        )
    )
    assert [(turn.text, turn.branch, turn.parent) for turn in found[3:]] == [
        ("2", "", None),
        ("two, better", "rollback:6", "thread-1:3"),
        ("2!", "rollback:6", None),
    ]


@pytest.mark.requirement("F-INGEST-05")
def test_a_sub_agent_s_file_is_a_session_of_its_own(tmp_path: Path) -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "thread-1", "depth": 1}}}
    meta = wrapped("session_meta", id="thread-2", source=source)
    (turn,) = turns(read(put(tmp_path, NAME, lines(meta, META, message("user", "look for x")))))
    assert (turn.session, turn.branch, turn.origin) == ("thread-2", "", "assistant")


@pytest.mark.requirement("F-INGEST-05")
def test_older_files_hold_bare_items(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        NAME,
        lines(
            {"id": "old-1", "timestamp": "2025-06-01T10:00:00Z", "instructions": None},
            {"record_type": "state"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
            {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
            {"nothing": "known"},
        ),
    )
    assert detect(path) == "codex"
    records = read(path)
    assert said(records) == [("user", "hello"), ("assistant", "shell({})")]
    assert {(turn.session, turn.at) for turn in turns(records)} == {("old-1", None)}
    assert skipped(records) == ["session_meta", "record_type:state"]
    assert [where for where, _ in rejections(records, tmp_path)] == [f"{NAME}:5"]


@pytest.mark.requirement("F-INGEST-05")
def test_a_file_without_its_first_line_is_named_by_itself(tmp_path: Path) -> None:
    (turn,) = turns(read(put(tmp_path, NAME, lines(message("user", "hello"))), "codex"))
    assert turn.session == "11111111-2222-3333-4444-555555555555"


@pytest.mark.requirement("F-INGEST-14")
def test_sessions_are_found_in_the_home(tmp_path: Path) -> None:
    for name in (f"sessions/2026/05/01/{NAME}", f"archived_sessions/{NAME}", "history.jsonl", "sessions/2026/x.jsonl"):
        put(tmp_path, f".codex/{name}", "{}")
    found = [path.relative_to(tmp_path).as_posix() for path in find_sessions("codex", tmp_path)]
    assert found == [f".codex/archived_sessions/{NAME}", f".codex/sessions/2026/05/01/{NAME}"]


PRINTED = '{"output":"one \\"two\\"\\nthree\\n","metadata":{"exit_code":1,"duration_seconds":0.1}}'


@pytest.mark.requirement("F-INGEST-05")
@pytest.mark.parametrize(
    ("output", "text"),
    [
        (PRINTED, 'Exit code: 1\nWall time: 0.1 seconds\nOutput:\none "two"\nthree\n'),
        (
            '{"output":"","metadata":{"exit_code":0,"duration_seconds":2}}',
            "Exit code: 0\nWall time: 2 seconds\nOutput:\n",
        ),
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\na", "Exit code: 0\nWall time: 0.1 seconds\nOutput:\na"),
        *(
            (text, text)  # what a tool printed that only looks like it
            for text in (
                '{"output":"a","metadata":{"exit_code":0,"pages":2}}',
                '{"output":["a"],"metadata":{"exit_code":0}}',
                '{"output":"a","metadata":{"exit_code":true}}',
                '{"output":"a","metadata":{"exit_code":0}} and more}',
                '{"output":"a","metadata":[0]}',
                '{"rows":[],"metadata":{}}',
            )
        ),
    ],
)
def test_a_result_in_json_is_what_the_command_printed(tmp_path: Path, output: str, text: str) -> None:
    call = item("function_call", name="shell", arguments='{"command":["make"]}', call_id="c1")
    result = item("function_call_output", call_id="c1", output=output)
    *_, turn = turns(read(put(tmp_path, NAME, lines(META, message("user", "build"), call, result))))
    assert (turn.text, turn.external_id) == (text, "c1:output")
    assert turn.parts[0].name == "shell"


ATTACHED = '[@a.py](file:///app/a.py)\n<context ref="file:///app/a.py">\nx = 1\n</context>'


@pytest.mark.requirement("F-INGEST-26")
def test_a_file_that_an_editor_attached_is_injected(tmp_path: Path) -> None:
    found = turns(read(put(tmp_path, NAME, lines(META, message("user", f"why is x 1?\n{ATTACHED}")))))
    assert [(turn.origin, turn.external_id, turn.text) for turn in found] == [
        ("user", "thread-1:2", "why is x 1?\n[@a.py](file:///app/a.py)"),
        ("injected", "thread-1:2#1", '<context ref="file:///app/a.py">\nx = 1\n</context>'),
    ]
    quoted = "what does `<context ref=x>` do?\n\n  <context>x</context>"
    assert [turn.text for turn in turns(read(put(tmp_path, NAME, lines(META, message("user", quoted)))))] == [quoted]


@pytest.mark.requirement("F-INGEST-05")
@pytest.mark.parametrize("printed", ["\\u0000", "\\ud800"])
def test_a_result_that_quotes_what_no_store_can_hold_stays_as_it_is(tmp_path: Path, printed: str) -> None:
    output = f'{{"output":"a{printed}b","metadata":{{"exit_code":0}}}}'
    path = put(tmp_path, NAME, lines(META, item("function_call_output", call_id="c1", output=output)))
    with quiet() as memory:
        memory.import_path(path)
        assert [turn.text for turn in memory.turns()] == [output]
