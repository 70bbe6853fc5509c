"""Sessions of OpenHands and SWE-agent, and Gemini's part of Google Takeout."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.ingest.importers import Skipped, detect
from tests.support.ingest_reading import lines, put, read, rejections, skipped, turns
from tests.support.memories import quiet


def event(number: int, source: str, **fields: Any) -> dict[str, Any]:
    return {"id": number, "timestamp": f"2025-04-30T16:32:{number:02}", "source": source, **fields}


CALL = {"function_name": "execute_bash", "tool_call_id": "toolu_1", "model_response": {"model": "m1"}}
EVENTS = [
    event(0, "agent", action="system", args={"content": "You are an agent."}),
    event(1, "user", action="message", args={"content": "fix the bug", "image_urls": None}),
    event(2, "user", action="recall", args={"query": "x"}),
    event(3, "environment", observation="recall", content="context", extras={}, cause=2),
    event(4, "agent", action="run", args={"command": "ls", "thought": "I look."}, tool_call_metadata=CALL),
    event(
        5,
        "agent",
        observation="run",
        content="a.py",
        cause=4,
        tool_call_metadata=CALL,
        extras={"metadata": {"working_dir": "/app"}},
    ),
    event(6, "agent", action="think", args={"thought": "hm"}),
    event(7, "agent", observation="think", content="logged", extras={}),
    event(8, "agent", action="finish", args={"final_thought": "Done."}),
    event(9, "environment", observation="agent_state_changed", content="", extras={"agent_state": "finished"}),
]
TOLD = [
    ("system", "injected", "You are an agent."),
    ("user", "user", "fix the bug"),
    ("assistant", "assistant", "I look.\nexecute_bash"),
    ("tool", "tool", "a.py"),
    ("assistant", "assistant", ""),
    ("assistant", "assistant", "Done."),
]


@pytest.mark.requirement("F-INGEST-41")
@pytest.mark.parametrize("form", ["list", "files", "output"])
def test_openhands_events_become_turns(tmp_path: Path, form: str) -> None:
    if form == "list":
        path = put(tmp_path, "run.json", EVENTS)
    elif form == "output":
        path = put(
            tmp_path, "output.jsonl", lines({"instance_id": "bug-1", "history": EVENTS, "issue": {"title": "A bug"}})
        )
    else:
        path = tmp_path / ".openhands"
        for number, held in enumerate([*EVENTS[:2], *[EVENTS[4]] * 0, *EVENTS[2:]]):
            put(path, f"sessions/abc/events/{number + 5}.json", held)
        path = tmp_path
    assert detect(path) == "openhands"
    records = read(path)
    found = turns(records)
    assert [(turn.role, turn.origin) for turn in found] == [(role, origin) for role, origin, _ in TOLD]
    assert all(turn.text.startswith(text) for turn, (_, _, text) in zip(found, TOLD, strict=True))
    assert {turn.session for turn in found} == {{"list": "run", "files": "abc", "output": "bug-1"}[form]}
    assert found[2].parts[1].call_id == found[3].parts[0].call_id == "toolu_1"
    assert (found[3].parts[0].name, found[3].metadata["cwd"], found[2].metadata["model"]) == (
        "execute_bash",
        "/app",
        "m1",
    )
    assert str(found[1].at) == "2025-04-30 16:32:01+00:00"
    assert sorted(skipped(records)) == [
        "event:agent_state_changed",
        "event:recall",
        "event:recall",
        "event:think",
    ]
    assert found[0].metadata.get("title") == ("A bug" if form == "output" else None)


@pytest.mark.requirement("F-INGEST-41")
def test_openhands_older_events_are_paired_by_their_order(tmp_path: Path) -> None:
    history = [
        {"action": "message", "content": "add a licence", "wait_for_response": False},
        {"action": "run", "command": "touch L", "thought": "Certainly.", "is_confirmed": "confirmed"},
        {"observation": "run", "content": "ok", "command": "touch L", "exit_code": 0},
        {"action": "finish", "thought": "All done.", "outputs": {}},
        "odd",
    ]
    records = read(put(tmp_path, "output.jsonl", lines({"instruction": "x", "history": history})))
    found = turns(records)
    assert [(turn.role, turn.session) for turn in found] == [
        ("user", "output:1"),
        ("assistant", "output:1"),
        ("tool", "output:1"),
        ("assistant", "output:1"),
    ]
    assert found[1].parts[1].text == '{"command": "touch L"}'
    assert found[1].parts[1].call_id == found[2].parts[0].call_id
    assert len(rejections(records, tmp_path)) == 1


@pytest.mark.requirement("CI-IMP-01")
def test_a_run_of_openhands_without_events_is_skipped(tmp_path: Path) -> None:
    runs = [{"history": []}, {"history": [EVENTS[0]]}, {"instance_id": "bug-2", "history": []}]
    for name, content in {"output.jsonl": lines(*runs), "list.json": runs}.items():
        records = read(put(tmp_path, name, content), "openhands")
        empty = [each.where.rpartition(":")[2] for each in records if isinstance(each, Skipped)]
        assert empty == (["1", "3"] if name == "output.jsonl" else ["[0]", "[2]"])
        assert skipped(records) == ["run without events"] * 2
        assert len(turns(records)) == 1


HISTORY = [
    {"role": "system", "content": "SETTING: you are a programmer", "agent": "main", "message_type": "system_prompt"},
    {"role": "user", "content": "demo", "agent": "main", "is_demo": True, "message_type": "demonstration"},
    {
        "role": "user",
        "content": "We have an issue.",
        "agent": "main",
        "message_type": "observation",
        "tool_call_ids": None,
    },
    {
        "role": "assistant",
        "content": "Let me look.",
        "thought": "Let me look.",
        "action": "ls -F",
        "agent": "main",
        "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
        ],
        "message_type": "action",
    },
    {
        "role": "tool",
        "content": "AUTHORS.rst",
        "agent": "main",
        "message_type": "observation",
        "tool_call_ids": ["call_1"],
    },
    {"role": "assistant", "content": "Now I edit.\n```\nedit 1:2\n```", "action": "edit 1:2", "message_type": "action"},
]
STEPS = [
    {
        "action": "ls -F\n",
        "observation": "AUTHORS.rst",
        "response": "Let me look.",
        "thought": "Let me look.",
        "state": {},
    }
]


@pytest.mark.requirement("F-INGEST-42")
def test_a_trajectory_of_swe_agent_is_read_by_its_history(tmp_path: Path) -> None:
    path = put(
        tmp_path, "proj__1.traj", json.dumps({"environment": "swe_main", "trajectory": STEPS, "history": HISTORY})
    )
    assert detect(path) == "swe-agent"
    records = read(path)
    found = turns(records)
    assert [(turn.role, turn.parts[-1].type, turn.parts[-1].call_id) for turn in found] == [
        ("system", "text", None),
        ("user", "text", None),
        ("assistant", "tool_call", "call_1"),
        ("tool", "tool_result", "call_1"),
        ("assistant", "tool_call", None),
    ]
    assert found[3].parts[0].name == "bash"
    assert {turn.session for turn in found} == {"proj__1"}
    assert skipped(records) == ["demonstration"]


@pytest.mark.requirement("F-INGEST-42")
def test_a_trajectory_without_history_is_read_by_its_steps(tmp_path: Path) -> None:
    path = put(tmp_path, "proj__1.traj", json.dumps({"environment": "swe_main", "trajectory": STEPS}))
    found = turns(read(path))
    assert [(turn.role, [part.text for part in turn.parts]) for turn in found] == [
        ("assistant", ["Let me look.", "ls -F"]),
        ("tool", ["AUTHORS.rst"]),
    ]


@pytest.mark.requirement("F-INGEST-42")
def test_the_task_of_a_trajectory_stands_behind_many_steps(tmp_path: Path) -> None:
    steps = [{**STEPS[0], "observation": f"{'x' * 1000}\n" * 600}]
    path = put(tmp_path, "proj__1.traj", json.dumps({"trajectory": steps, "history": HISTORY}))
    records = read(path)
    assert [(turn.role, turn.external_id) for turn in turns(records)] == [
        ("system", "proj__1:0:task"),
        ("user", "proj__1:2:task"),
        ("assistant", "proj__1:0"),
        ("tool", "proj__1:0:observation"),
    ]
    assert turns(records)[1].text == "We have an issue."
    assert skipped(records) == ["demonstration"]


def activity(time: str, title: str, *answers: str, header: str = "Gemini Apps") -> dict[str, Any]:
    entry = {"header": header, "title": title, "time": time, "products": [header], "activityControls": [header]}
    return {**entry, "safeHtmlItem": [{"html": answer} for answer in answers]} if answers else entry


@pytest.mark.requirement("F-INGEST-43")
def test_gemini_s_activity_is_read_from_the_oldest_entry_on(tmp_path: Path) -> None:
    answer = "<p>Use <strong>two</strong> steps:</p><ul><li>one</li><li>two</li></ul><pre><code>x  =  1\ny</code></pre>"
    path = put(
        tmp_path,
        "My Activity.json",
        [
            activity("2026-02-03T07:24:02.806Z", "Gave feedback: Good response"),
            activity("2026-02-02T09:00:00.000Z", "Prompted and now?", "<p>First</p>", "<p>Second</p>"),
            activity("2026-02-02T07:24:02.806Z", "Prompted how do I start?", answer),
            activity("2026-02-01T07:00:00.000Z", "Watched a film", header="YouTube"),
        ],
    )
    assert detect(path) == "gemini-takeout"
    records = read(path)
    found = turns(records)
    assert [(turn.role, turn.branch, turn.text) for turn in found] == [
        ("user", "", "how do I start?"),
        ("assistant", "", "Use two steps:\n\n- one\n- two\n\n```\nx  =  1\ny\n```"),
        ("user", "", "and now?"),
        ("assistant", "", "First"),
        ("assistant", "branch:2026-02-02T09:00:00.000Z:answer:1", "Second"),
    ]
    assert {turn.session for turn in found} == {"gemini-apps 2026-02-02"}
    assert skipped(records) == ["other activity", "other activity"]


def sdk_event(number: int, kind: str, source: str, **members: Any) -> dict[str, Any]:
    return {
        "id": f"1f0{number}",
        "timestamp": f"2026-01-05T10:00:0{number}.5",
        "source": source,
        "kind": kind,
        **members,
    }


def text_block(text: str) -> dict[str, Any]:
    return {"cache_prompt": False, "type": "text", "text": text}


def of_call(name: str, number: int) -> dict[str, Any]:
    return {"tool_name": name, "tool_call_id": f"c{number}"}


def call_of(name: str, number: int, **arguments: Any) -> dict[str, Any]:
    given = {"id": f"c{number}", "name": name, "arguments": json.dumps(arguments), "origin": "completion"}
    return {**of_call(name, number), "tool_call": given, "llm_response_id": "r"}


SDK_EVENTS = [
    sdk_event(0, "SystemPromptEvent", "agent", system_prompt=text_block("You are an agent."), tools=[]),
    sdk_event(
        1,
        "MessageEvent",
        "user",
        llm_message={"role": "user", "content": [text_block("Mend the login")]},
        extended_content=[text_block("Rules of the folder")],
    ),
    sdk_event(
        2,
        "ActionEvent",
        "agent",
        thought=[text_block("I look first.")],
        reasoning_content="Where is it?",
        action={"command": "ls", "kind": "TerminalAction"},
        **call_of("terminal", 1, command="ls"),
    ),
    sdk_event(
        3,
        "ObservationEvent",
        "environment",
        observation={"content": [text_block("login.py")], "is_error": False, "kind": "TerminalObservation"},
        action_id="1f02",
        **of_call("terminal", 1),
    ),
    sdk_event(4, "ConversationStateUpdateEvent", "environment", key="full_state", value={}),
    sdk_event(5, "AgentErrorEvent", "agent", error="There is no such tool", **of_call("mend", 2)),
    sdk_event(
        6, "Condensation", "environment", forgotten_event_ids=["1f02"], summary="So far: found.", llm_response_id="r"
    ),
    sdk_event(
        7,
        "ActionEvent",
        "agent",
        thought=[],
        action={"message": "It is mended.", "kind": "FinishAction"},
        **call_of("finish", 3, message="It is mended."),
    ),
    sdk_event(
        8,
        "ObservationEvent",
        "environment",
        observation={"content": [text_block("It is mended.")], "kind": "FinishObservation"},
        action_id="1f07",
        **of_call("finish", 3),
    ),
]


@pytest.mark.requirement("F-INGEST-41")
@pytest.mark.parametrize("inside", ["", "c0ffee", "c0ffee/events"])
def test_conversations_of_openhands_sdk_are_read_from_their_folder(tmp_path: Path, inside: str) -> None:
    for number, event in enumerate(SDK_EVENTS):
        path = put(tmp_path, f"c0ffee/events/event-{number:05}-{event['id']}.json", event)
        assert number == 4 or detect(path) == "openhands"
    put(tmp_path, "c0ffee/base_state.json", {"id": "c0ffee", "agent": {"kind": "Agent"}})
    records = read(tmp_path / inside)
    found = turns(records)
    assert {turn.session for turn in found} == {"c0ffee"}
    assert [(turn.role, turn.origin, [(part.type, part.text) for part in turn.parts]) for turn in found] == [
        ("system", "injected", [("injected", "You are an agent.")]),
        ("user", "user", [("text", "Mend the login")]),
        ("user", "injected", [("injected", "Rules of the folder")]),
        (
            "assistant",
            "assistant",
            [("thinking", "Where is it?"), ("text", "I look first."), ("tool_call", '{"command": "ls"}')],
        ),
        ("tool", "tool", [("tool_result", "login.py")]),
        ("tool", "tool", [("tool_result", "There is no such tool")]),
        ("system", "injected", [("injected", "So far: found.")]),
        ("assistant", "assistant", [("text", "It is mended.")]),
    ]
    assert found[1].at is not None
    assert found[1].at.isoformat() == "2026-01-05T10:00:01.500000+00:00"
    assert rejections(records, tmp_path) == []


@pytest.mark.requirement("F-INGEST-41")
def test_a_list_of_events_of_openhands_sdk_is_stored_once(tmp_path: Path) -> None:
    path = put(tmp_path, "talk.json", SDK_EVENTS)
    assert detect(path) == "openhands"
    with quiet() as memory:
        report = memory.import_path(path)
        assert (report.added, report.rejected) == (8, ())
        assert report.skipped == {"event:ConversationStateUpdateEvent": 1, "event:ObservationEvent": 1}
        assert memory.import_path(path, format="openhands").added == 0


@pytest.mark.requirement("F-INGEST-42")
@pytest.mark.parametrize("is_long", [False, True])
def test_an_entry_of_the_history_that_is_no_message_is_reported_alone(tmp_path: Path, is_long: bool) -> None:
    steps = [{**STEPS[0], "observation": "x" * 600_000 if is_long else "x"}]
    history = [{"role": "system", "content": "Work."}, {}, {"role": "user", "content": "We have an issue."}]
    path = put(tmp_path, "proj__1.traj", json.dumps({"trajectory": steps, "history": history}))
    records = read(path)
    assert [turn.text for turn in turns(records)][:2] == ["Work.", "We have an issue."]
    assert [reason for _, reason in rejections(records, tmp_path)] == [
        "no message: expected role and content, found nothing"
    ]
