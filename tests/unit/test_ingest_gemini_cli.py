"""Gemini CLI's session files, in the three forms that it has written so far."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.errors import FormatError
from clew.ingest.importers import detect, find_sessions
from tests.support.ingest_reading import lines, put, read, rejections, said, skipped, turns

AT = "2026-01-15T20:51:48.582Z"


def answer(**fields: Any) -> dict[str, Any]:
    return {"id": "g1", "timestamp": AT, "type": "gemini", "content": "I look.", "model": "gemini-x", **fields}


def call(call_id: str, output: str | None) -> dict[str, Any]:
    answered = {"functionResponse": {"id": call_id, "name": "ls", "response": {"output": output}}}
    result = {} if output is None else {"result": [answered]}
    return {"id": call_id, "name": "ls", "args": {"dir": "."}, "status": "success", "timestamp": AT, **result}


ASKED = {"id": "u1", "timestamp": AT, "type": "user", "content": "list the files"}
THOUGHT = {"subject": "Looking", "description": "I should look.", "timestamp": AT}
HEADER = {"sessionId": "s1", "projectHash": "f00", "startTime": AT, "lastUpdated": AT}
EXPECTED = [
    ("user", "list the files"),
    ("assistant", "Looking\nI should look.\nI look."),
    ("assistant", 'ls({"dir": "."})'),
    ("tool", "a.txt"),
]


@pytest.mark.requirement("F-INGEST-06")
def test_a_document_becomes_turns(tmp_path: Path) -> None:
    note = {"id": "i1", "timestamp": AT, "type": "info", "content": "update available"}
    document = {**HEADER, "messages": [ASKED, answer(thoughts=[THOUGHT], toolCalls=[call("c1", "a.txt")]), note]}
    path = put(tmp_path, "session.json", document)
    assert detect(path) == "gemini-cli"
    records = read(path)
    assert said(records) == EXPECTED
    assert [turn.external_id for turn in turns(records)] == ["u1", "g1", "c1", "c1:result"]
    assert {turn.session for turn in turns(records)} == {"s1"}
    assert turns(records)[3].parts[0].name == "ls"
    assert skipped(records) == ["info"]


@pytest.mark.requirement("F-INGEST-06")
def test_a_call_that_failed_is_an_error(tmp_path: Path) -> None:
    failed = {**call("c1", None), "status": "error"}
    failed["result"] = [{"functionResponse": {"id": "c1", "name": "ls", "response": {"error": "no such tool"}}}]
    document = {**HEADER, "messages": [ASKED, answer(toolCalls=[failed, call("c2", "a.txt")])]}
    found = turns(read(put(tmp_path, "session.json", document)))
    results = [part for turn in found for part in turn.parts if part.type == "tool_result"]
    assert [(part.text, part.extra) for part in results] == [("no such tool", {"is_error": True}), ("a.txt", None)]


@pytest.mark.requirement("F-INGEST-06")
def test_records_that_are_written_again_are_known(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "session.jsonl",
        lines(
            HEADER,
            ASKED,
            {"$set": {"lastUpdated": AT, "summary": "Files"}},
            answer(thoughts=[THOUGHT]),
            answer(thoughts=[THOUGHT], tokens={"total": 5}),
            answer(thoughts=[THOUGHT], toolCalls=[call("c1", None)]),
            answer(thoughts=[THOUGHT], toolCalls=[call("c1", "a.txt")]),
        ),
    )
    assert detect(path) == "gemini-cli"
    records = read(path)
    assert said(records) == EXPECTED
    assert skipped(records) == ["session", "$set", "written again"]
    assert turns(records)[1].metadata == {"title": "Files", "model": "gemini-x"}


@pytest.mark.requirement("S-LINE-02")
@pytest.mark.parametrize("is_told_first", [False, True])
def test_a_result_that_is_a_message_too_is_read_once(tmp_path: Path, is_told_first: bool) -> None:
    called = answer(toolCalls=[call("c1", "a.txt")])
    told = {"id": "u2", "timestamp": AT, "type": "user", "content": called["toolCalls"][0]["result"]}
    told["content"] = [*told["content"], {"text": "And then?"}]
    waiting = answer(toolCalls=[call("c1", None)])
    path = put(
        tmp_path, "session.jsonl", lines(HEADER, ASKED, waiting, *([told, called] if is_told_first else [called, told]))
    )
    assert sorted(text for _, text in said(read(path))) == [
        "And then?",
        "I look.",
        "a.txt",
        "list the files",
        'ls({"dir": "."})',
    ]


@pytest.mark.requirement("F-INGEST-06")
@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_in_a_file_of_lines_is_read_too(tmp_path: Path, indent: int | None) -> None:
    document = {**HEADER, "messages": [ASKED, answer(toolCalls=[call("c1", "a.txt")])]}
    records = read(put(tmp_path, "full.jsonl", json.dumps(document, indent=indent)))
    assert [text for _, text in said(records)] == ["list the files", "I look.", 'ls({"dir": "."})', "a.txt"]


@pytest.mark.requirement("F-INGEST-06", "F-INGEST-20")
def test_what_follows_a_rewind_is_a_branch(tmp_path: Path) -> None:
    again = {**ASKED, "id": "u3", "content": "list them all"}
    records = read(
        put(tmp_path, "s.jsonl", lines(HEADER, ASKED, answer(), {**ASKED, "id": "u2"}, {"$rewindTo": "u2"}, again))
    )
    assert [(turn.branch, turn.parent) for turn in turns(records)] == [
        ("", None),
        ("", None),
        ("", None),
        ("rewind:5", "g1"),
    ]


@pytest.mark.requirement("F-INGEST-06", "F-INGEST-18")
def test_contents_may_be_parts(tmp_path: Path) -> None:
    content = [{"text": "look"}, {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}}]
    (turn,) = turns(read(put(tmp_path, "s.json", {**HEADER, "messages": [{**ASKED, "content": content}]})))
    assert [(part.type, part.data) for part in turn.parts] == [("text", None), ("image", b"\x89PNG")]


@pytest.mark.requirement("F-INGEST-01", "F-INGEST-06")
def test_a_document_that_breaks_off_gives_what_is_whole(tmp_path: Path) -> None:
    text = lines({**HEADER, "messages": [ASKED, answer()]})
    path = put(tmp_path, "session.json", text[: text.index("I look")])
    records = read(path)
    assert said(records) == EXPECTED[:1]
    assert [where for where, _ in rejections(records, tmp_path)] == ["session.json:messages[1]"]


@pytest.mark.requirement("F-INGEST-06")
def test_the_log_of_what_was_typed(tmp_path: Path) -> None:
    entry = {"sessionId": "s1", "messageId": 0, "timestamp": AT, "type": "user", "message": "hello"}
    path = put(tmp_path, "logs.json", [entry, {**entry, "messageId": 1, "message": "/quit"}, "odd"])
    assert detect(path) == "gemini-cli"
    records = read(path)
    assert said(records) == [("user", "hello"), ("user", "/quit")]
    assert [turn.external_id for turn in turns(records)] == ["s1:log:0", "s1:log:1"]
    assert [where for where, _ in rejections(records, tmp_path)] == ["logs.json:[2]"]


@pytest.mark.requirement("F-INGEST-14")
def test_sessions_are_found_in_the_home(tmp_path: Path) -> None:
    for name in ("a/chats/session-1.json", "a/chats/x/y.jsonl", "a/logs.json", "b/logs.json", "b/other.json"):
        put(tmp_path, f".gemini/tmp/{name}", "[]")
    found = [path.relative_to(tmp_path / ".gemini/tmp").as_posix() for path in find_sessions("gemini-cli", tmp_path)]
    assert found == ["a/chats/session-1.json", "a/chats/x/y.jsonl", "b/logs.json"]


@pytest.mark.requirement("F-INGEST-14")
def test_a_client_without_sessions_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="'windsurf' keeps no sessions that are known; expected one of claude-code"):
        find_sessions("windsurf", tmp_path)
