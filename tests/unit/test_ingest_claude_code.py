"""Claude Code's session files."""

import base64
from pathlib import Path
from typing import Any

import pytest

from clew.ingest.importers import detect, find_sessions
from clew.types import Turn
from tests.support.ingest_reading import lines, put, read, rejections, said, skipped, turns
from tests.support.memories import quiet

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n rest").decode()


def record(kind: str, uuid: str, content: Any, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    """A message record as Claude Code writes it."""
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s1",
        "timestamp": "2026-02-03T10:00:00.000Z",
        "cwd": "/home/ann/app",
        "gitBranch": "main",
        "isSidechain": False,
        "message": {"role": kind, "content": content},
        **fields,
    }


def use(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def imported(folder: Path, *records: Any) -> list[Turn]:
    return turns(read(put(folder, "s.jsonl", lines(*records))))


@pytest.mark.requirement("F-INGEST-04")
def test_a_session_becomes_turns_in_order(tmp_path: Path) -> None:
    answer = record("assistant", "a2", [{"type": "thinking", "thinking": "hm", "signature": "x"}], "u1")
    answer["message"]["model"] = "claude-x"
    path = put(
        tmp_path,
        "s.jsonl",
        lines(
            record("user", "u1", "list the files"),
            answer,
            record("assistant", "a3", [{"type": "text", "text": "I look."}], "a2"),
            record("assistant", "a4", [use("Bash", "t1", command="ls")], "a3"),
            record("user", "u5", [result("t1", "a.txt")], "a4", toolUseResult={"stdout": "a.txt"}),
            record("user", "u6", [result("t1", [{"type": "text", "text": "b"}], is_error=True)], "u5"),
        ),
    )
    assert detect(path) == "claude-code"
    found = turns(read(path))
    assert [(turn.role, turn.origin, turn.text) for turn in found] == [
        ("user", "user", "list the files"),
        ("assistant", "assistant", "hm"),
        ("assistant", "assistant", "I look."),
        ("assistant", "assistant", 'Bash({"command": "ls"})'),
        ("tool", "tool", "a.txt"),
        ("tool", "tool", "b"),
    ]
    assert [turn.external_id for turn in found] == ["u1", "a2", "a3", "a4", "u5", "u6"]
    assert {(turn.session, turn.branch, turn.parent, turn.source) for turn in found} == {
        ("s1", "", None, "claude-code")
    }
    assert found[1].metadata == {"model": "claude-x", "cwd": "/home/ann/app", "git_branch": "main"}
    assert found[1].parts[0].extra == {"signature": "x"}
    assert [(part.name, part.call_id, part.extra) for part in (*found[4].parts, *found[5].parts)] == [
        ("Bash", "t1", None),
        ("Bash", "t1", {"is_error": True}),
    ]
    assert found[0].at is not None
    assert found[0].at.isoformat() == "2026-02-03T10:00:00+00:00"


@pytest.mark.requirement("F-INGEST-04", "F-INGEST-18")
def test_images_are_decoded(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    shown, taken = imported(
        tmp_path,
        record("user", "u1", [{"type": "text", "text": "look"}, image]),
        record("user", "u2", [result("t1", [image])], "u1"),
    )
    assert shown.parts[1].data == taken.parts[0].data == base64.b64decode(PNG)
    assert (taken.parts[0].type, taken.parts[0].call_id, taken.origin) == ("image", "t1", "tool")


@pytest.mark.requirement("F-INGEST-26")
@pytest.mark.parametrize(
    ("fields", "content"),
    [
        ({"isMeta": True}, "Caveat: what follows"),
        ({"isVisibleInTranscriptOnly": True}, "not for the model"),
        ({}, "<system-reminder>be brief</system-reminder>"),
        ({}, "<local-command-stdout>done</local-command-stdout>"),
        ({}, [{"type": "text", "text": "[Request interrupted by user]"}]),
    ],
)
def test_what_the_client_wrote_is_injected(tmp_path: Path, fields: dict[str, Any], content: Any) -> None:
    (turn,) = imported(tmp_path, record("user", "u1", content, **fields))
    assert (turn.role, turn.origin, turn.parts[0].type) == ("user", "injected", "injected")


@pytest.mark.requirement("F-INGEST-26")
def test_a_record_of_several_origins_becomes_several_turns(tmp_path: Path) -> None:
    content = [
        result("t1", "output"),
        {"type": "text", "text": "<system-reminder>x</system-reminder>"},
        {"type": "text", "text": "and now this"},
    ]
    found = imported(tmp_path, record("user", "u1", content), record("assistant", "a2", "yes", "u1"))
    assert [(turn.origin, turn.external_id) for turn in found] == [
        ("tool", "u1"),
        ("injected", "u1#1"),
        ("user", "u1#2"),
        ("assistant", "a2"),
    ]
    assert found[3].parent is None  # it answers the turn right before it


@pytest.mark.requirement("F-INGEST-26")
def test_results_from_the_web_are_the_web_s_words(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        record("assistant", "a1", [use("WebFetch", "t1", url="https://example.com")]),
        record("user", "u2", [result("t1", "a page")], "a1"),
    )
    assert found[1].origin == "web"


@pytest.mark.requirement("F-INGEST-04")
def test_a_compaction_is_marked_and_its_summary_kept(tmp_path: Path) -> None:
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b1",
        "parentUuid": None,
        "logicalParentUuid": "a1",
        "sessionId": "s1",
        "content": "Conversation compacted",
        "compactMetadata": {"trigger": "auto", "preTokens": 5},
    }
    found = imported(
        tmp_path,
        record("user", "u1", "hello"),
        record("assistant", "a1", "hello to you", "u1"),
        boundary,
        record("user", "u2", "Summary: ...", "b1", isCompactSummary=True),
    )[1:]
    assert [(turn.role, turn.origin, turn.branch, turn.parent) for turn in found[1:]] == [
        ("system", "injected", "", None),
        ("user", "injected", "", None),
    ]
    assert found[1].metadata["compacted"] == {"trigger": "auto", "preTokens": 5}
    assert found[2].metadata["summary"] is True


@pytest.mark.requirement("F-INGEST-39")
def test_a_summary_of_mostly_missing_messages_is_the_assistant_s_words(tmp_path: Path) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b1", "sessionId": "s1"}
    found = imported(
        tmp_path,
        record("user", "u1", "go on"),
        record("assistant", "a1", "I do.", "u1"),
        boundary | {"compactMetadata": {"preTokens": 150_000}},
        record("user", "u2", "Summary: we chose Redis.", "b1", isCompactSummary=True),
    )
    assert (found[-1].role, found[-1].origin) == ("assistant", "assistant")


@pytest.mark.requirement("F-INGEST-39")
def test_a_summary_without_what_it_sums_up_is_the_assistant_s_words(tmp_path: Path) -> None:
    summary = "This session is being continued from a previous conversation: we chose Redis."
    first, second = imported(
        tmp_path, record("user", "u1", summary, isCompactSummary=True), record("user", "u2", "go on", "u1")
    )
    assert (first.role, first.origin, first.text, first.metadata["summary"]) == (
        "assistant",
        "assistant",
        summary,
        True,
    )
    assert (second.role, second.origin) == ("user", "user")


@pytest.mark.requirement("F-INGEST-38")
@pytest.mark.parametrize("taken", ["lost", "as a message", "as an attachment", "still waiting"])
def test_a_message_queued_while_the_assistant_worked_is_kept_once(tmp_path: Path, taken: str) -> None:
    queue = {"type": "queue-operation", "sessionId": "s1", "timestamp": "2025-01-01T10:00:00Z"}
    attached = {"type": "queued_command", "prompt": "did we test it?", "commandMode": "prompt"}
    ways: dict[str, list[dict[str, Any]]] = {
        "lost": [{**queue, "operation": "remove"}],
        "as a message": [{**queue, "operation": "dequeue"}, record("user", "u2", "did we test it?", "a1")],
        "as an attachment": [
            {**queue, "operation": "remove"},
            {"type": "attachment", "uuid": "q1", "sessionId": "s1", "attachment": attached},
        ],
        "still waiting": [],
    }
    found = imported(
        tmp_path,
        record("user", "u1", "build it"),
        record("assistant", "a1", "building", "u1"),
        {**queue, "operation": "enqueue", "content": "did we test it?"},
        *ways[taken],
    )
    asked = [turn for turn in found if turn.text == "did we test it?"]
    assert [(turn.role, turn.origin) for turn in asked] == ([] if taken == "still waiting" else [("user", "user")])


@pytest.mark.requirement("F-INGEST-38")
@pytest.mark.parametrize("content", ['{"task_id":"b90","task_type":"local_bash"}', "/model opus"])
def test_what_the_client_queues_is_no_message(tmp_path: Path, content: str) -> None:
    queue = {"type": "queue-operation", "sessionId": "s1", "timestamp": "2025-01-01T10:00:00Z"}
    found = imported(
        tmp_path,
        record("user", "u1", "build it"),
        {**queue, "operation": "enqueue", "content": content},
        {**queue, "operation": "remove"},
        record("assistant", "a1", "built", "u1"),
    )
    assert [turn.text for turn in found] == ["build it", "built"]


@pytest.mark.requirement("F-INGEST-38")
def test_a_queued_message_stands_before_the_answer_that_saw_it(tmp_path: Path) -> None:
    queue = {"type": "queue-operation", "sessionId": "s1"}
    found = imported(
        tmp_path,
        record("user", "u1", "build it", timestamp="2025-01-01T10:00:00Z"),
        {**queue, "operation": "enqueue", "content": "did we test it?", "timestamp": "2025-01-01T10:00:01Z"},
        {**queue, "operation": "remove", "timestamp": "2025-01-01T10:00:03Z"},
        record("assistant", "a1", "built", "u1", timestamp="2025-01-01T10:00:02Z"),
        record("assistant", "a2", "not tested yet", "a1", timestamp="2025-01-01T10:00:04Z"),
        record("assistant", "a3", "now it is", "a2", timestamp="2025-01-01T10:00:05Z"),
    )
    assert [turn.text for turn in found] == ["build it", "built", "did we test it?", "not tested yet", "now it is"]


@pytest.mark.requirement("F-INGEST-04")
def test_a_sidechain_is_a_branch_in_which_the_assistant_asks(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        record("user", "u1", "do it"),
        record("user", "s1a", "look for x", isSidechain=True),
        record("assistant", "a2", "I delegate", "u1"),
        record("assistant", "s1b", [use("Grep", "t1", pattern="x")], "s1a", isSidechain=True),
        record("user", "s1c", [result("t1", "found")], "s1b", isSidechain=True),
    )
    assert [(turn.branch, turn.origin) for turn in found] == [
        ("", "user"),
        ("sidechain:s1a", "assistant"),
        ("", "assistant"),
        ("sidechain:s1a", "assistant"),
        ("sidechain:s1a", "tool"),
    ]


@pytest.mark.requirement("DOOR-AGENT-01")
@pytest.mark.parametrize("name", [None, "mine"])
def test_a_sub_agent_with_an_id_is_a_session_of_its_own(tmp_path: Path, name: str | None) -> None:
    records = (
        record("user", "u1", "do it"),
        record("user", "k1", "look for x", isSidechain=True, agentId="k"),
        record("assistant", "k2", "found", "k1", isSidechain=True, agentId="k"),
        record("assistant", "a1", "done", "u1"),
        {"type": "ai-title", "sessionId": "s1", "aiTitle": "Doing it"},
    )
    found = turns(read(put(tmp_path, "s.jsonl", lines(*records)), session=name))
    place = ("claude-code/s1/k", "") if name is None else ("mine", "sidechain:k")
    assert [(turn.session, turn.branch, turn.parent, turn.text) for turn in found] == [
        (name or "s1", "", None, "do it"),
        (*place, None, "look for x"),
        (*place, None, "found"),
        (name or "s1", "", None, "done"),
    ]


@pytest.mark.requirement("DOOR-COMMAND-01")
def test_a_command_without_words_is_the_programs(tmp_path: Path) -> None:
    bare = "<command-name>/compact</command-name>\n  <command-args></command-args>"
    told = "<command-name>/review</command-name>\n  <command-args>the parser</command-args>"
    found = imported(
        tmp_path, record("user", "u1", bare), record("user", "u2", told), record("user", "u3", "<b>hi</b>")
    )
    assert [turn.origin for turn in found] == ["injected", "user", "user"]


@pytest.mark.requirement("F-INGEST-26")
def test_a_file_that_an_editor_attached_is_injected(tmp_path: Path) -> None:
    file = '\n<context ref="file:///app/a.py">\nx = 1\n\n</context>'
    blocks = [{"type": "text", "text": text} for text in ("[@a.py](file:///app/a.py)", " why is x 1?", file)]
    found = imported(tmp_path, record("user", "u1", blocks))
    assert [(turn.origin, turn.external_id, len(turn.parts)) for turn in found] == [
        ("user", "u1", 2),
        ("injected", "u1#1", 1),
    ]


@pytest.mark.requirement("DOOR-COMMAND-01")
def test_a_command_that_sets_the_client_is_no_request(tmp_path: Path) -> None:
    model = "<command-name>/model</command-name>\n  <command-args>opus</command-args>"
    message_first = "<command-message>add-dir</command-message>\n<command-name>/add-dir</command-name>\n"
    folder = f"{message_first}<command-args>../shared</command-args>"
    asked = "Why is a line with <command-name>/model</command-name> shown?"
    found = imported(tmp_path, record("user", "u1", model), record("user", "u2", folder), record("user", "u3", asked))
    assert [turn.origin for turn in found] == ["injected", "injected", "user"]


@pytest.mark.requirement("F-INGEST-04", "F-INGEST-20")
def test_going_back_to_an_earlier_message_opens_a_branch(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        record("user", "u1", "one"),
        record("assistant", "a1", "yes", "u1"),
        {"type": "system", "subtype": "turn_duration", "uuid": "x1", "parentUuid": "a1", "sessionId": "s1"},
        record("user", "u2", "two", "x1"),
        record("assistant", "a2", "yes", "u2"),
        record("user", "u3", "two, better", "x1"),
        record("assistant", "a3", "yes", "u3"),
    )
    assert [(turn.text, turn.branch, turn.parent) for turn in found[2:]] == [
        ("two", "", None),
        ("yes", "", None),
        ("two, better", "rewind:u3", "a1"),
        ("yes", "rewind:u3", None),
    ]


@pytest.mark.requirement("F-INGEST-04")
def test_parallel_calls_are_no_branches(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        record("user", "u1", "one"),
        record("assistant", "a1", [use("A", "t1")], "u1"),
        record("assistant", "a2", [use("B", "t2")], "a1"),
        record("user", "r1", [result("t1", "x")], "a1"),
        record("user", "r2", [result("t2", "y")], "a2"),
        record("assistant", "a3", "done", "r2"),
    )
    assert {turn.branch for turn in found} == {""}
    assert [turn.parent for turn in found] == [None, None, None, "a1", "a2", None]


@pytest.mark.requirement("F-INGEST-04")
def test_messages_typed_while_the_assistant_works_are_turns(tmp_path: Path) -> None:
    def attachment(uuid: str, **held: Any) -> dict[str, Any]:
        return {"type": "attachment", "uuid": uuid, "sessionId": "s1", "attachment": held}

    found = imported(
        tmp_path,
        attachment("q1", type="queued_command", prompt="also the tests", commandMode="prompt"),
        attachment("q2", type="queued_command", prompt="<task-notification>", commandMode="task-notification"),
        attachment("q3", type="file", displayPath="a.py", content={"type": "text", "file": {"content": "x = 1"}}),
    )
    assert [(turn.text, turn.origin) for turn in found] == [
        ("also the tests", "user"),
        ("<task-notification>", "injected"),
        ("x = 1", "injected"),
    ]
    assert found[2].parts[0].name == "a.py"


@pytest.mark.requirement("F-INGEST-01", "F-INGEST-04")
def test_what_is_no_turn_is_skipped_by_kind(tmp_path: Path) -> None:
    records = read(
        put(
            tmp_path,
            "s.jsonl",
            lines(
                {"type": "summary", "summary": "of another session", "leafUuid": "elsewhere"},
                {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
                {"type": "queue-operation", "operation": "enqueue", "sessionId": "s1", "content": "later"},
                {"type": "progress", "uuid": "p1", "sessionId": "s1", "data": {}},
                {"type": "system", "subtype": "turn_duration", "uuid": "y", "sessionId": "s1"},
                {"type": "attachment", "attachment": {"type": "skill_listing"}},
                {"type": "custom-title", "customTitle": "The title", "sessionId": "s1"},
                record("assistant", "a1", [{"type": "thinking", "thinking": "", "signature": "s"}]),
                record("user", "u1", [result("t1", "")]),
                record("user", "u2", "hello"),
                {"type": "something-new", "uuid": "z"},
            ),
        )
    )
    assert skipped(records) == [
        "summary",
        "file-history-snapshot",
        "queue-operation",
        "progress",
        "system:turn_duration",
        "attachment:skill_listing",
        "custom-title",
        "thinking without text",
        "something-new",
    ]
    assert [turn.metadata.get("title") for turn in turns(records)] == ["The title", "The title"]


@pytest.mark.requirement("F-INGEST-01", "F-INGEST-04")
def test_damaged_records_are_named_and_stop_nothing(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "s.jsonl",
        lines(
            record("user", "u1", "before"),
            '"massive error"',
            '{"type": "user", "mess',
            {"silly": "this"},
            record("user", "u2", "   "),
            {**record("user", "u3", "x"), "message": "error"},
            record("user", "u4", "after", "u1"),
        ),
    )
    records = read(path)
    assert said(records) == [("user", "before"), ("user", "after")]
    assert [where for where, _ in rejections(records, tmp_path)] == [f"s.jsonl:{n}" for n in (2, 3, 4, 6)]
    assert skipped(records) == ["blank message"]
    reasons = [reason for _, reason in rejections(records, tmp_path)]
    assert "expected a JSON object, found str" in reasons[0]
    assert "not JSON" in reasons[1]
    assert "no type" in reasons[2]
    assert reasons[3].startswith("empty")


@pytest.mark.requirement("F-INGEST-31")
def test_an_empty_result_is_kept_and_pairs_with_its_call(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        record("assistant", "a1", [use("Bash", "t1", command="true")]),
        record("user", "u1", [result("t1", "")], "a1"),
        record("assistant", "a2", [{"type": "text", "text": "\n\n"}], "u1"),
    )
    assert [(turn.role, [part.call_id for part in turn.parts]) for turn in found] == [
        ("assistant", ["t1"]),
        ("tool", ["t1"]),
    ]


@pytest.mark.requirement("F-INGEST-14")
def test_sessions_are_found_in_the_home(tmp_path: Path) -> None:
    for name in ("projects/-app/b.jsonl", "projects/-app/a/subagents/agent-1.jsonl", "projects/x/notes.txt", "b.jsonl"):
        put(tmp_path, f".claude/{name}", "{}")
    found = [path.relative_to(tmp_path).as_posix() for path in find_sessions("claude-code", tmp_path)]
    assert found == [".claude/projects/-app/a/subagents/agent-1.jsonl", ".claude/projects/-app/b.jsonl"]


@pytest.mark.requirement("F-INGEST-44")
def test_a_title_after_the_last_turn_becomes_the_session_s(tmp_path: Path) -> None:
    title = {"type": "ai-title", "aiTitle": "Choosing a cache", "sessionId": "s1"}
    path = put(tmp_path, "s.jsonl", lines(record("user", "u1", "Redis or not?"), title))
    with quiet() as memory:
        memory.import_path(path)
        assert [session.title for session in memory.sessions()] == ["Choosing a cache"]
