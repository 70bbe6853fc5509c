"""Cursor's database of chats: sessions in their order, calls with results, reasoning, subagents, older forms."""

import json
import zipfile
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew.ingest.importers import detect, file_end, find_sessions, read_path
from clew.types import Rejection
from tests.support.ingest_reading import read, rejections, skipped, turns

pytestmark = pytest.mark.requirement("F-INGEST-47")

INSERT = "INSERT INTO {} VALUES (?, ?)"
TABLE = "CREATE TABLE {} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"


def database(path: Path, rows: dict[str, Any], table: str = "cursorDiskKV") -> Path:
    """A database as Cursor has it, with JSON under its keys; bytes are written as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    connection.execute(TABLE.format(table))
    for key, value in rows.items():
        data = value if isinstance(value, bytes) else json.dumps(value)
        connection.execute(INSERT.format(table), (key, data))
    connection.close()
    return path


def session(*names: str, **more: Any) -> dict[str, Any]:
    headers = [{"bubbleId": name, "type": 1 if name.startswith("q") else 2} for name in names]
    return {"composerId": "s1", "createdAt": 1_746_612_000_000, "fullConversationHeadersOnly": headers, **more}


CALL = {
    "name": "run_terminal_cmd",
    "toolCallId": "t1",
    "status": "completed",
    "rawArgs": '{"command": "make"}',
    "params": "{}",
    "result": '{"output": "done", "exitCode": 0}',
}


def test_a_session_is_read_in_its_order_with_calls_reasoning_and_times(tmp_path: Path) -> None:
    path = database(
        tmp_path / "state.vscdb",
        {
            "composerData:s1": session(
                "q1",
                "a1",
                "a2",
                "a3",
                "gone",
                name="Build it",
                modelConfig={"modelName": "sonnet"},
                createdOnBranch="main",
            ),
            "bubbleId:s1:q1": {
                "type": 1,
                "text": "Build the shop.",
                "workspaceUris": ["file:///srv/my%20shop"],
                "attachedCodeChunks": [{"relativeWorkspacePath": "Makefile", "lines": ["all:", "\tcc"]}],
            },
            "bubbleId:s1:a1": {"type": 2, "thinking": {"text": "I run make."}, "createdAt": "2025-05-07T10:00:05.000Z"},
            "bubbleId:s1:a2": {"type": 2, "text": "", "toolFormerData": CALL},
            "bubbleId:s1:a3": {
                "type": 2,
                "text": "It is built.",
                "timingInfo": {"clientRpcSendTime": 1_746_612_060_000},
            },
            "bubbleId:other:x": {"type": 2, "text": "of no session"},
        },
    )
    assert detect(path) == "cursor"
    records = read(path)
    found = turns(records)
    assert [(turn.role, turn.origin, turn.text) for turn in found] == [
        ("user", "user", "Build the shop."),
        ("user", "injected", "all:\n\tcc"),
        ("assistant", "assistant", "I run make."),
        ("assistant", "assistant", 'run_terminal_cmd({"command": "make"})'),
        ("tool", "tool", "done"),
        ("assistant", "assistant", "It is built."),
    ]
    assert {turn.session for turn in found} == {"s1"}
    assert [turn.external_id for turn in found] == ["q1", "q1#1", "a1", "a2", "a2#1", "a3"]
    assert [turn.at.strftime("%H:%M:%S") for turn in found if turn.at] == [
        "10:00:00",
        "10:00:00",
        "10:00:05",
        "10:00:05",
        "10:00:05",
        "10:01:00",
    ]
    assert found[0].metadata == {"title": "Build it", "model": "sonnet", "git_branch": "main", "cwd": "/srv/my shop"}
    (result,) = found[4].parts
    assert (result.call_id, result.name, result.extra) == ("t1", "run_terminal_cmd", {"result": {"exitCode": 0}})
    assert skipped(records) == ["message that the database does not hold"]


def test_older_forms_and_subagents_are_read(tmp_path: Path) -> None:
    old = {"createdAt": 1_746_612_000_000, "conversation": [{"type": 1, "bubbleId": "q1", "text": "Old question"}]}
    mapped = session("q2") | {"conversationMap": {"q2": {"type": 1, "text": "Mapped"}}}
    agent = session("q3", "a3", subagentInfo={"parentComposerId": "parent"})
    path = database(
        tmp_path / "state.vscdb",
        {
            "composerData:a": old,
            "composerData:b": mapped,
            "composerData:c": agent,
            "composerData:d": session(),
            "bubbleId:c:q3": {"type": 1, "text": "Look for it"},
            "bubbleId:c:a3": {
                "type": 2,
                "aiWebSearchResults": [{"title": "Found"}],
                "errorDetails": {"message": "Lost."},
            },
        },
    )
    records = read(path)
    assert [(turn.session, turn.branch, turn.role, turn.origin, turn.text) for turn in turns(records)] == [
        ("a", "", "user", "user", "Old question"),
        ("b", "", "user", "user", "Mapped"),
        ("parent", "sidechain:c", "user", "assistant", "Look for it"),
        ("parent", "sidechain:c", "tool", "web", '[{"title": "Found"}]'),
        ("parent", "sidechain:c", "assistant", "injected", "Lost."),
    ]
    assert skipped(records) == ["conversation without messages"]
    tabs = {
        "tabs": [
            {
                "tabId": "t1",
                "chatTitle": "First",
                "bubbles": [{"type": "user", "text": "a"}, {"type": "ai", "rawText": "b"}],
            }
        ]
    }
    chats = database(tmp_path / "w/state.vscdb", {"workbench.panel.aichat.view.aichat.chatdata": tabs}, "ItemTable")
    assert detect(chats) == "cursor"
    assert [(turn.session, turn.role, turn.text) for turn in turns(read(chats))] == [
        ("t1", "user", "a"),
        ("t1", "assistant", "b"),
    ]


def test_damage_is_reported_and_stops_nothing(tmp_path: Path) -> None:
    path = database(
        tmp_path / "state.vscdb",
        {
            "composerData:a": b"{broken",
            "composerData:b": session("q1", "q2", "q3"),
            "bubbleId:b:q1": [1],
            "bubbleId:b:q2": {"type": 7, "text": "x"},
            "bubbleId:b:q3": {"type": 1, "text": "kept"},
        },
    )
    records = read(path)
    assert [turn.text for turn in turns(records)] == ["kept"]
    assert len(rejections(records, tmp_path)) == 3
    broken = tmp_path / "broken.vscdb"
    broken.write_bytes(path.read_bytes()[:2000])
    (rejection,) = read_path(broken, "cursor")
    assert isinstance(rejection, Rejection)
    assert "cannot be read" in rejection.reason
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(path, "state.vscdb")
    (rejection,) = read_path(tmp_path / "all.zip", "cursor")
    assert isinstance(rejection, Rejection)
    assert "unpack it" in rejection.reason


def test_a_call_that_was_still_running_has_no_result_and_a_failed_one_says_so(tmp_path: Path) -> None:
    path = database(
        tmp_path / "state.vscdb",
        {
            "composerData:s": session("a1", "a2", "a3"),
            "bubbleId:s:a1": {"type": 2, "toolFormerData": CALL | {"status": "loading", "result": ""}},
            "bubbleId:s:a2": {
                "type": 2,
                "toolFormerData": CALL | {"status": "error", "result": "", "error": "no make"},
            },
            "bubbleId:s:a3": {"type": 2, "toolFormerData": {"additionalData": {"status": "success"}}},
        },
    )
    records = read(path)
    assert [turn.role for turn in turns(records)] == ["assistant", "assistant", "tool"]
    (result,) = turns(records)[-1].parts
    assert (result.text, result.extra) == ("no make", {"is_error": True})
    assert skipped(records) == ["message without content"]


def test_what_is_only_in_the_log_of_an_open_database_is_read_and_noticed(tmp_path: Path) -> None:
    path = database(
        tmp_path / "state.vscdb", {"composerData:s": session("q1"), "bubbleId:s:q1": {"type": 1, "text": "a"}}
    )
    running = apsw.Connection(str(path))
    running.execute("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0")
    before = file_end(path)
    running.execute(INSERT.format("cursorDiskKV"), ("composerData:s", json.dumps(session("q1", "q2"))))
    running.execute(INSERT.format("cursorDiskKV"), ("bubbleId:s:q2", json.dumps({"type": 1, "text": "b"})))
    assert [turn.text for turn in turns(read(path))] == ["a", "b"]
    assert file_end(path) != before
    running.close()


def test_the_databases_of_a_home_are_found(tmp_path: Path) -> None:
    first = database(tmp_path / ".config/Cursor/User/globalStorage/state.vscdb", {})
    second = database(tmp_path / ".config/Cursor/User/workspaceStorage/0a/state.vscdb", {}, "ItemTable")
    assert find_sessions("cursor", tmp_path) == [first, second]


@pytest.mark.requirement("CI-IMP-01")
def test_what_is_no_message_in_an_older_session_is_rejected(tmp_path: Path) -> None:
    inline = [{"bubbleId": "q1", "type": 1, "text": "Hello."}, "broken"]
    path = database(tmp_path / "state.vscdb", {"composerData:s1": {"composerId": "s1", "conversation": inline}})
    records = read(path)
    assert [turn.text for turn in turns(records)] == ["Hello."]
    found = rejections(records, tmp_path)
    assert [(where.endswith("[1]"), reason) for where, reason in found] == [
        (True, "expected a JSON object, found str 'broken'")
    ]


@pytest.mark.requirement("F-EDGE-08")
def test_keys_and_values_of_any_type_are_read_or_rejected(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    database = apsw.Connection(str(path))
    database.execute("CREATE TABLE cursorDiskKV (key TEXT, value BLOB)")
    said = json.dumps({"conversation": [{"type": 1, "bubbleId": "b", "text": "hello"}]})
    rows = (("composerData:a", 5.5), ("composerData:b", 10**15), ("composerData:d", said))
    database.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", rows)
    database.execute("INSERT INTO cursorDiskKV VALUES (CAST(x'636f6d706f736572446174613aff' AS TEXT), ?)", (said,))
    database.execute("INSERT INTO cursorDiskKV VALUES ('composerData:c', CAST(x'ff' AS TEXT))")
    database.close()
    records = read(path)
    assert [where for where, _ in rejections(records, tmp_path)] == [
        f"state.vscdb:composerData:{name}" for name in ("a", "b", "c")
    ]
    assert [(turn.session, turn.text) for turn in turns(records)] == [("d", "hello"), ("␛dcff;", "hello")]
