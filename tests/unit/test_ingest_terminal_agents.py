"""Sessions of OpenCode and GitHub Copilot CLI, and old trajectories of SWE-agent."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.ingest.importers import detect
from tests.support.ingest_reading import lines, put, read, skipped, turns


def said(number: int, role: str, *parts: dict[str, Any], **info: Any) -> dict[str, Any]:
    when = {"created": 1_773_084_269_000 + 1000 * number}
    return {"info": {"id": f"msg_{number}", "role": role, "time": when, **info}, "parts": list(parts)}


def used(call_id: str, **state: Any) -> dict[str, Any]:
    return {"type": "tool", "tool": "bash", "callID": call_id, "state": {"input": {"command": "ls"}, **state}}


def exported(*messages: dict[str, Any], **info: Any) -> str:
    header = {"id": "ses_1", "title": "Tide tables", "directory": "/srv/tides", **info}
    return json.dumps({"info": header, "messages": list(messages)})


SESSION = exported(
    said(0, "user", {"type": "text", "text": "list the files"}, {"type": "text", "text": "note", "synthetic": True}),
    said(
        1,
        "assistant",
        {"type": "step-start", "snapshot": "73b9"},
        {"type": "reasoning", "text": "I should look."},
        used("c1", status="completed", output="a.py", title="Lists"),
        used("c2", status="error", error="exit 1"),
        {"type": "text", "text": "There is one."},
        {"type": "step-finish", "reason": "stop"},
        modelID="gpt-5",
    ),
    said(2, "assistant", used("c3", status="running")),
    said(3, "assistant", {"type": "patch", "hash": "73b9", "files": ["a.py"]}),
)


@pytest.mark.requirement("F-INGEST-91")
def test_an_export_of_opencode_has_calls_results_reasoning_and_times(tmp_path: Path) -> None:
    path = put(tmp_path, "ses_1.json", SESSION)
    assert detect(path) == "opencode"
    records = read(path)
    found = turns(records)
    assert [(turn.role, turn.origin, [part.type for part in turn.parts]) for turn in found] == [
        ("user", "user", ["text"]),
        ("user", "injected", ["injected"]),
        ("assistant", "assistant", ["thinking", "tool_call"]),
        ("tool", "tool", ["tool_result"]),
        ("assistant", "assistant", ["tool_call"]),
        ("tool", "tool", ["tool_result"]),
        ("assistant", "assistant", ["text"]),
        ("assistant", "assistant", ["tool_call"]),
    ]
    assert [turn.external_id for turn in found[:4]] == ["msg_0", "msg_0#1", "msg_1", "msg_1#1"]
    assert (found[3].parts[0].text, found[3].parts[0].call_id) == ("a.py", "c1")
    assert (found[5].parts[0].text, found[5].parts[0].extra) == ("exit 1", {"is_error": True})
    assert {turn.session for turn in found} == {"ses_1"}
    assert found[0].metadata == {"cwd": "/srv/tides", "title": "Tide tables"}
    assert found[2].metadata["model"] == "gpt-5"
    assert str(found[2].at) == "2026-03-09 19:24:30+00:00"
    assert skipped(records) == ["assistant message without words"]


@pytest.mark.requirement("F-INGEST-91")
def test_messages_of_opencode_whose_ids_were_redacted_are_all_kept(tmp_path: Path) -> None:
    messages = [said(n, "user", {"type": "text", "text": f"task {n}"}, id="REDACTED") for n in range(3)]
    found = turns(read(put(tmp_path, "ses_1.json", exported(*messages))))
    assert [turn.text for turn in found] == ["task 0", "task 1", "task 2"]
    assert len({turn.external_id for turn in found}) == 3


@pytest.mark.requirement("F-INGEST-91")
def test_what_opencode_gives_a_subagent_to_do_is_no_wish_of_the_person(tmp_path: Path) -> None:
    asked = said(0, "user", {"type": "text", "text": "review it"})
    for info, origin in (({}, "user"), ({"parentID": "ses_0"}, "assistant")):
        assert [turn.origin for turn in turns(read(put(tmp_path, "a.json", exported(asked, **info))))] == [origin]


@pytest.mark.requirement("F-INGEST-91")
def test_a_summary_of_opencode_is_injected(tmp_path: Path) -> None:
    found = turns(read(put(tmp_path, "a.json", exported(said(0, "user", {"type": "text", "text": "go"}), SUMMARY))))
    assert (found[1].origin, found[1].metadata["summary"]) == ("injected", True)


SUMMARY = said(1, "assistant", {"type": "text", "text": "So far the tables are read."}, summary=True)


def event(number: int, kind: str, **data: Any) -> dict[str, Any]:
    stamp = f"2026-07-03T08:36:{number:02}.000Z"
    return {"type": kind, "data": data, "id": f"e{number}", "timestamp": stamp, "parentId": None}


EVENTS = (
    event(0, "session.start", sessionId="s1", context={"cwd": "/srv/tides", "branch": "main"}),
    event(1, "system.message", role="system", content="You are a terminal assistant."),
    event(2, "user.message", content="list the files", transformedContent="<now>noon</now> list the files"),
    event(3, "hook.start", hookType="userPromptSubmitted"),
    event(
        4,
        "assistant.message",
        model="gpt-5",
        content="I look.",
        reasoningText="A listing.",
        toolRequests=[{"toolCallId": "c1", "name": "bash", "arguments": {"command": "ls"}}],
    ),
    event(5, "tool.execution_complete", toolCallId="c1", success=True, result={"content": "a.py"}),
    event(6, "tool.execution_complete", toolCallId="c2", success=False, error={"message": "denied"}, result=None),
    event(7, "assistant.message", content="", toolRequests=[]),
)


@pytest.mark.requirement("F-INGEST-92")
def test_events_of_copilot_cli_are_turns_calls_and_results(tmp_path: Path) -> None:
    path = put(tmp_path, "events.jsonl", lines(*EVENTS))
    assert detect(path) == "copilot-cli"
    records = read(path)
    found = turns(records)
    assert [(turn.role, turn.origin, [part.type for part in turn.parts]) for turn in found] == [
        ("system", "injected", ["injected"]),
        ("user", "user", ["text"]),
        ("assistant", "assistant", ["thinking", "text", "tool_call"]),
        ("tool", "tool", ["tool_result"]),
        ("tool", "tool", ["tool_result"]),
    ]
    assert found[1].text == "list the files"
    assert (found[3].parts[0].name, found[3].parts[0].text) == ("bash", "a.py")
    assert (found[4].parts[0].text, found[4].parts[0].extra) == ("denied", {"is_error": True})
    assert {turn.session for turn in found} == {"s1"}
    assert found[2].metadata == {"cwd": "/srv/tides", "git_branch": "main", "model": "gpt-5"}
    assert str(found[1].at) == "2026-07-03 08:36:02+00:00"
    assert skipped(records) == ["session.start", "hook.start", "assistant.message"]


@pytest.mark.requirement("F-INGEST-42")
def test_what_follows_an_action_in_an_old_trajectory_is_what_the_tool_gave(tmp_path: Path) -> None:
    history = [
        {"role": "system", "content": "SETTING: you are a programmer", "agent": "primary"},
        {"role": "user", "content": "We have an issue.", "agent": "primary"},
        {"role": "assistant", "content": "Look.", "thought": "Look.", "action": "ls -F", "agent": "primary"},
        {"role": "user", "content": "AUTHORS.rst", "agent": "primary"},
        {"role": "assistant", "content": "Which file?", "agent": "primary"},
        {"role": "user", "content": "The first.", "agent": "primary"},
    ]
    steps = [{"action": "ls -F", "observation": "AUTHORS.rst"}]
    found = turns(read(put(tmp_path, "proj__1.traj", {"trajectory": steps, "history": history})))
    assert [turn.role for turn in found] == ["system", "user", "assistant", "tool", "assistant", "user"]
