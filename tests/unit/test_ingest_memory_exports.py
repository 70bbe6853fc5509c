"""What other memories export (mem0, Letta, Zep) and files of instructions to agents."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clew.ingest.importers import detect
from clew.ingest.importers.letta import written_out
from clew.types import Part
from tests.support.ingest_reading import lines, put, read, rejections, said, skipped, turns
from tests.support.memories import quiet

MEM0 = {
    "id": "m1",
    "memory": "Rowan works at a bakery",
    "user_id": "rowan",
    "hash": "ab",
    "metadata": {"kind": "work"},
    "categories": ["work"],
    "created_at": "2025-03-01T08:00:00-07:00",
    "updated_at": "2025-04-01T08:00:00-07:00",
}


@pytest.mark.requirement("P-LFT-01")
@pytest.mark.parametrize("content", [{"count": 1, "results": [MEM0]}, [MEM0], lines(MEM0)])
def test_memories_of_mem0_are_read_in_each_form(tmp_path: Path, content: Any) -> None:
    path = put(tmp_path, "all.jsonl" if isinstance(content, str) else "all.json", content)
    assert detect(path) == "mem0"
    [turn] = turns(read(path))
    assert (turn.role, turn.text, turn.session) == ("assistant", "Rowan works at a bakery", "mem0 rowan")
    assert turn.at is not None
    assert turn.at.isoformat() == "2025-04-01T15:00:00+00:00"
    assert turn.metadata["kind"] == "work"
    assert turn.metadata["categories"] == ["work"]


@pytest.mark.requirement("P-LFT-01")
def test_a_memory_of_a_run_is_in_the_session_of_the_run_and_a_changed_one_is_another_turn(tmp_path: Path) -> None:
    found = [
        turns(read(put(tmp_path, "all.json", [{**MEM0, "run_id": "r7", "memory": text}])))[0]
        for text in ("Rowan works at a bakery", "Rowan owns a bakery", "Rowan owns a bakery")
    ]
    assert {turn.session for turn in found} == {"r7"}
    assert found[0].external_id != found[1].external_id == found[2].external_id


@pytest.mark.requirement("P-LFT-01")
def test_an_export_of_openmemory_is_read_without_what_was_deleted(tmp_path: Path) -> None:
    def memory(name: str, text: str, state: str) -> dict[str, Any]:
        return {"id": name, "user_id": "u-1", "content": text, "metadata": {}, "state": state, "category_ids": []}

    export = {
        "user": {"id": "u-1", "user_id": "ines", "name": None},
        "apps": [],
        "memories": [memory("a", "Ines plays the cello", "active"), memory("b", "Ines has a dog", "deleted")],
        "export_meta": {"version": "1"},
    }
    path = put(tmp_path, "memories.json", export)
    assert detect(path) == "mem0"
    records = read(path)
    assert said(records) == [("assistant", "Ines plays the cello")]
    assert turns(records)[0].session == "mem0 ines"
    assert skipped(records) == ["deleted memory"]
    line = {"id": "a", "content": "Ines plays the cello", "state": "paused", "app": "zed", "categories": ["music"]}
    path = put(tmp_path, "memories.jsonl", lines(line))
    assert detect(path) == "mem0"
    assert turns(read(path))[0].session == "mem0 zed"


@pytest.mark.requirement("P-LFT-01")
def test_a_memory_without_text_is_rejected(tmp_path: Path) -> None:
    path = put(tmp_path, "all.json", [MEM0, {"id": "m2", "hash": "x"}])
    assert rejections(read(path), tmp_path) == [
        ("all.json:[1]", "no memory: expected text in 'memory' or 'content', found 'id', 'hash'")
    ]


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": "c1", "type": "function", "function": function}


def letta(role: str, text: str, at: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}] if text else []
    return {"role": role, "content": content, "created_at": at, "id": "message-0", **more}


@pytest.mark.requirement("P-LFT-02")
def test_messages_of_letta_with_the_same_words_and_time_are_all_kept_and_stored_once(tmp_path: Path) -> None:
    said_twice = [{"role": "user", "content": "ok"}, {"role": "assistant", "content": "Go on."}] * 2
    path = put(tmp_path, "sam.af", {"agents": [{"name": "sam", "messages": said_twice}], "blocks": []})
    with quiet() as memory:
        for _ in range(2):
            memory.import_path(path)
        assert [turn.text for turn in memory.turns()] == ["ok", "Go on.", "ok", "Go on."]


@pytest.mark.requirement("P-LFT-02")
def test_messages_of_letta_keep_their_ids_where_parts_have_other_fields(tmp_path: Path) -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class WiderPart(Part):
        colour: str | None = None

    plain, wider = (written_out("user", (kind(type="text", text="ok"),)) for kind in (Part, WiderPart))
    assert plain == wider
    path = put(tmp_path, "sam.af", {"agents": [{"messages": [{"role": "user", "content": "ok"}]}], "blocks": []})
    assert [turn.external_id for turn in turns(read(path))] == [":b7849d70"]


@pytest.mark.requirement("P-LFT-02")
def test_an_agent_file_of_letta_is_read_with_its_blocks_and_what_was_said(tmp_path: Path) -> None:
    agent = {
        "name": "sam",
        "block_ids": ["block-0", "block-1"],
        "messages": [
            letta("system", "You are Sam.", "2025-10-31T22:56:56+00:00"),
            letta(
                "user", json.dumps({"type": "user_message", "message": "Hi Sam", "time": "t"}), "2025-10-31T23:00:00Z"
            ),
            letta(
                "assistant",
                "A greeting.",
                "2025-10-31T23:00:01Z",
                tool_calls=[call("send_message", {"message": "Hello!"})],
            ),
            letta("tool", json.dumps({"status": "OK", "message": "None"}), "2025-10-31T23:00:02Z", tool_call_id="c1"),
            letta("user", json.dumps({"type": "heartbeat", "reason": "Go on"}), "2025-10-31T23:00:03Z"),
            letta("assistant", "", "2025-10-31T23:00:04Z", tool_calls=[call("archival_memory_search", {"query": "x"})]),
            letta("approval", "", "2025-10-31T23:00:05Z", approve=True),
        ],
    }
    blocks = [
        {"id": "block-0", "label": "human", "value": "\nName: Noor\n"},
        {"id": "block-1", "label": "persona", "value": ""},
    ]
    path = put(tmp_path, "sam.af", {"agents": [agent], "blocks": blocks, "tools": [], "groups": []})
    assert detect(path) == "letta"
    records = read(path)
    assert said(records) == [
        ("assistant", "human: Name: Noor"),
        ("system", "You are Sam."),
        ("user", "Hi Sam"),
        ("assistant", "A greeting.\nHello!"),
        ("tool", "None"),
        ("user", "Go on"),
        ("assistant", 'archival_memory_search({"query": "x"})'),
    ]
    found = turns(records)
    assert {turn.session for turn in found} == {"sam"}
    assert [part.type for part in found[3].parts] == ["thinking", "text"]
    assert found[5].origin == "injected"
    assert len({turn.external_id for turn in found}) == len(found)
    assert skipped(records) == ["empty block", "approval"]


@pytest.mark.requirement("P-LFT-02")
def test_old_agent_files_and_messages_of_the_api_are_read(tmp_path: Path) -> None:
    old = {
        "name": "bot",
        "agent_type": "memgpt_agent",
        "core_memory": [{"label": "human", "value": "Likes tea", "updated_at": "2025-01-02T00:00:00Z"}],
        "messages": [letta("user", "Plain words", "2025-01-03T00:00:00Z")],
        "version": "0.6",
    }
    path = put(tmp_path, "bot.json", old)
    assert detect(path) == "letta"
    assert said(read(path)) == [("assistant", "human: Likes tea"), ("user", "Plain words")]
    api = [
        {"id": "message-1", "date": "2025-01-03T00:00:00Z", "message_type": "user_message", "content": "Hi"},
        {"id": "message-2", "date": "2025-01-03T00:00:01Z", "message_type": "reasoning_message", "reasoning": "Hm"},
        {
            "id": "message-3",
            "date": "2025-01-03T00:00:02Z",
            "message_type": "tool_call_message",
            "tool_call": {"name": "look", "arguments": "{}", "tool_call_id": "c9"},
        },
        {
            "id": "message-4",
            "date": "2025-01-03T00:00:03Z",
            "message_type": "tool_return_message",
            "tool_return": "found",
            "tool_call_id": "c9",
        },
    ]
    path = put(tmp_path, "messages.json", api)
    assert detect(path) == "letta"
    found = turns(read(path))
    assert [(turn.role, turn.text) for turn in found] == [
        ("user", "Hi"),
        ("assistant", "Hm"),
        ("assistant", "look({})"),
        ("tool", "found"),
    ]
    assert [turn.external_id for turn in found] == ["message-1", "message-2", "message-3", "message-4"]
    assert found[3].parts[0].name == "look"


@pytest.mark.requirement("CI-IMP-01", "P-LFT-02")
def test_an_agent_of_letta_with_nothing_in_it_is_skipped_and_no_agent_is_rejected(tmp_path: Path) -> None:
    told = {"name": "b", "messages": [{"role": "user", "content": "Hello."}]}
    records = read(put(tmp_path, "agents.af", {"agents": [{"name": "a", "messages": []}, told, 5]}), "letta")
    assert [turn.text for turn in turns(records)] == ["Hello."]
    assert skipped(records) == ["agent without messages"]
    assert rejections(records, tmp_path) == [("agents.af:agents[2]", "expected a JSON object, found int 5")]


@pytest.mark.requirement("CI-IMP-01", "P-LFT-03")
def test_a_thread_of_zep_without_messages_is_skipped_and_no_thread_is_rejected(tmp_path: Path) -> None:
    told = {"thread_id": "b", "messages": [{"uuid": "m", "role": "user", "content": "Hello."}]}
    path = put(tmp_path, "dump.json", {"threads": [{"thread_id": "a", "messages": []}, told, None]})
    records = read(path, "zep")
    assert [turn.text for turn in turns(records)] == ["Hello."]
    assert skipped(records) == ["thread without messages"]
    assert [reason for _, reason in rejections(records, tmp_path)] == ["expected a JSON object, found null"]


@pytest.mark.requirement("CI-IMP-01", "P-LFT-03")
def test_a_node_of_zep_without_summary_and_a_blank_message_are_skipped(tmp_path: Path) -> None:
    dump = {
        "messages": [{"uuid": "m", "role": "user", "content": ""}, {"uuid": "n", "role": "user", "content": "Hello."}],
        "nodes": [{"uuid": "a", "name": "Oslo", "summary": "", "labels": []}, {"uuid": "b", "name": "Jae"}],
    }
    records = read(put(tmp_path, "dump.json", dump), "zep")
    assert said(records) == [("user", "Hello.")]
    assert skipped(records) == ["blank message", "node without summary"]
    assert [where for where, _ in rejections(records, tmp_path)] == ["dump.json:nodes[1]"]


@pytest.mark.requirement("P-LFT-03")
def test_threads_of_zep_are_read(tmp_path: Path) -> None:
    told = {"uuid": "u1", "role": "user", "name": "Jae", "content": "I moved to Oslo", "processed": True}
    answer = {"uuid": "u2", "role": "assistant", "content": "Nice!", "created_at": "2025-02-01T10:00:00Z"}
    path = put(tmp_path, "thread.json", {"messages": [told, answer], "row_count": 2, "total_count": 2})
    assert detect(path) == "zep"
    found = turns(read(path))
    assert [(turn.role, turn.speaker, turn.text, turn.session) for turn in found] == [
        ("user", "Jae", "I moved to Oslo", "thread"),
        ("assistant", None, "Nice!", "thread"),
    ]
    listed = put(tmp_path, "listed.json", [{"thread_id": "t1", "messages": [told, None]}])
    assert [turn.session for turn in turns(read(listed))] == ["t1"]
    (told_wrong,) = rejections(read(listed), tmp_path)
    assert told_wrong[0] == "listed.json:[0].messages[1]"
    dump = {"user": {"user_id": "jae"}, "threads": [{"thread_id": "t1", "messages": [told]}, {"thread_id": "t2"}]}
    found = turns(read(put(tmp_path, "dump.json", dump)))
    assert [(turn.session, turn.external_id) for turn in found] == [("t1", "u1")]
    old = [{"uuid": "u3", "role": "Kim", "role_type": "norole", "content": "Hello", "session_id": "s1"}]
    path = put(tmp_path, "old.json", old)
    assert detect(path) == "zep"
    assert [(turn.role, turn.speaker, turn.session) for turn in turns(read(path))] == [("user", "Kim", "s1")]


@pytest.mark.requirement("P-LFT-03")
def test_facts_of_zep_say_until_when_they_held(tmp_path: Path) -> None:
    def edge(name: str, fact: str, **more: Any) -> dict[str, Any]:
        return {"uuid": name, "fact": fact, "name": "LIVES_IN", "source_node_uuid": "n1", **more}

    graph = {
        "edges": [
            edge("e1", "Jae lives in Bergen", valid_at="2024-01-01T00:00:00Z", invalid_at="2025-02-01T00:00:00Z"),
            edge("e2", "Jae lives in Oslo", valid_at="2025-02-01T00:00:00Z"),
        ],
        "nodes": [{"uuid": "n1", "name": "Jae", "summary": "Moved twice", "labels": ["Person"]}],
    }
    path = put(tmp_path, "graph.json", graph)
    assert detect(path) == "zep"
    assert said(read(path)) == [
        ("assistant", "Jae lives in Bergen (until 2025-02-01)"),
        ("assistant", "Jae lives in Oslo"),
        ("assistant", "Jae: Moved twice"),
    ]
    path = put(tmp_path, "edges.json", graph["edges"])
    assert detect(path) == "zep"
    assert len(turns(read(path))) == 2
    path = put(tmp_path, "broken.json", {"edges": [graph["edges"][0], 3, {"uuid": "x"}]})
    assert rejections(read(path), tmp_path) == [
        ("broken.json:edges[1]", "expected a JSON object, found int 3"),
        ("broken.json:edges[2]", "no message, fact or summary: found 'uuid'"),
    ]


NOTES = (
    "# Kestrel\n\nA tool.\n\n## Build\n\n```sh\n# not a heading\nmake all\n```\n\n"
    "## Empty\n\n## Style\n\n### Names\n\nShort."
)


@pytest.mark.requirement("P-LFT-04")
@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md", "GEMINI.md", "CLAUDE.local.md"])
def test_instructions_to_agents_are_read_by_sections(tmp_path: Path, name: str) -> None:
    path = put(tmp_path / "kestrel", name, NOTES)
    assert detect(path) == "instructions"
    records = read(path)
    assert said(records) == [
        ("system", "# Kestrel\n\nA tool."),
        ("system", "Kestrel\n\n## Build\n\n```sh\n# not a heading\nmake all\n```"),
        ("system", "Kestrel\n\n## Style\n\n### Names\n\nShort."),
    ]
    assert skipped(records) == ["heading without text"]
    found = turns(records)
    assert {turn.session for turn in found} == {"instructions kestrel"}
    assert {turn.metadata["cwd"] for turn in found} == {str(tmp_path / "kestrel")}
    assert all(turn.at for turn in found)


@pytest.mark.requirement("P-LFT-04")
def test_a_changed_section_is_another_turn_and_the_others_stay(tmp_path: Path) -> None:
    before = turns(read(put(tmp_path, ".claude/CLAUDE.md", NOTES)))
    after = turns(read(put(tmp_path, ".claude/CLAUDE.md", NOTES.replace("Short.", "Long."))))
    same = [old.external_id == new.external_id for old, new in zip(before, after, strict=True)]
    assert same == [True, True, False]
    assert after[0].metadata["cwd"] == str(tmp_path)


@pytest.mark.requirement("P-LFT-04")
def test_instructions_in_a_folder_are_read_and_other_texts_are_not(tmp_path: Path) -> None:
    put(tmp_path, "AGENTS.md", "Use tabs.\n")
    put(tmp_path, "notes.md", "Nobody speaks here.\n")
    assert said(read(tmp_path)) == [("system", "Use tabs.")]


@pytest.mark.requirement("F-EDGE-08")
def test_headings_of_odd_marks_and_long_white_space_are_read(tmp_path: Path) -> None:
    text = f"# C#\nuse it\n## ##\nmarks\n## a{' ' * 100_000}b ##  \nspace\n"
    found = [turn.text.splitlines()[0] for turn in turns(read(put(tmp_path, "CLAUDE.md", text)))]
    assert found[0] == "# C#"
    assert len(found) == 3
