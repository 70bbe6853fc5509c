"""Open WebUI's chat exports: trees of messages, tool calls, reasoning, documents and images."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.ingest.importers import detect
from tests.support.ingest_reading import put, read, rejections, skipped, turns

pytestmark = pytest.mark.requirement("F-INGEST-46")

THOUGHT = (
    '<details type="reasoning" done="true" duration="2">\n<summary>Thought for 2 seconds</summary>\n'
    "> The user asks for 3 &lt; 4.\n> Easy.\n</details>\n"
)
CALLED = (
    '<details type="tool_calls" done="true" id="c1" name="clock" arguments="{&quot;zone&quot;: &quot;UTC&quot;}" '
    'result="&quot;ten o\'clock&quot;" files="">\n<summary>Tool Executed</summary>\n</details>\n'
)


def message(name: str, parent: str | None, role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "parentId": parent, "childrenIds": [], "role": role, "content": content, **more}


def chat(*messages: dict[str, Any], current: str = "a1", **more: Any) -> dict[str, Any]:
    history = {"messages": {each["id"]: each for each in messages}, "currentId": current}
    inner = {"title": "Time", "models": ["llama"], "history": history, "messages": [], **more}
    return {"id": "chat-1", "user_id": "u", "title": "What time is it", "chat": inner, "created_at": 1_746_612_000}


def test_a_chat_is_read_with_branches_times_and_models(tmp_path: Path) -> None:
    export = [
        chat(
            message("q1", None, "user", "What time is it?", timestamp=1_746_612_000),
            message("a0", "q1", "assistant", "I cannot know.", timestamp=1_746_612_001, model="phi"),
            message("a1", "q1", "assistant", f"{THOUGHT}{CALLED}It is ten.", timestamp=1_746_612_002, model="llama"),
            params={"system": "Be brief."},
        )
    ]
    path = put(tmp_path, "chat-export.json", export)
    assert detect(path) == "open-webui"
    found = turns(read(path))
    assert [(turn.role, turn.text, turn.branch) for turn in found] == [
        ("system", "Be brief.", ""),
        ("user", "What time is it?", ""),
        ("assistant", 'The user asks for 3 < 4.\nEasy.\nclock({"zone": "UTC"})', ""),
        ("tool", "ten o'clock", ""),
        ("assistant", "It is ten.", ""),
        ("assistant", "I cannot know.", "branch:a0"),
    ]
    assert {turn.session for turn in found} == {"chat-1"}
    assert [turn.external_id for turn in found[1:]] == ["q1", "a1", "a1#1", "a1#2", "a0"]
    assert found[-1].parent == "q1"
    assert found[2].metadata == {"title": "What time is it", "model": "llama"}
    assert found[1].at is not None
    assert found[1].at.isoformat() == "2025-05-07T10:00:00+00:00"
    assert [(part.type, part.call_id, part.name) for part in found[3].parts] == [("tool_result", "c1", "clock")]


def test_output_items_documents_images_and_errors_are_kept(tmp_path: Path) -> None:
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I look it up."}]},
        {"type": "function_call", "call_id": "c1", "name": "search_web", "arguments": '{"q": "flowers"}'},
        {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "roses"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Roses."}]},
    ]
    sources = [{"source": {"name": "garden.pdf"}, "document": ["Roses grow here.", ""]}]
    files = [{"type": "image", "url": "data:image/png;base64,iVBORw=="}, {"type": "file", "name": "garden.pdf"}]
    export = chat(
        message("q1", None, "user", "Which flower?", files=files),
        message("a1", "q1", "assistant", "rendered", output=output, sources=sources),
        message("q2", "a1", "user", "And?"),
        message("a2", "q2", "assistant", "", error={"content": "The model is not running."}),
        message("a3", "q2", "assistant", ""),
        current="a2",
    )
    records = read(put(tmp_path, "one.json", export))
    found = turns(records)
    assert [(turn.role, turn.origin, turn.text) for turn in found] == [
        ("user", "user", "Which flower?"),
        ("assistant", "injected", "Roses grow here."),
        ("assistant", "assistant", 'I look it up.\nsearch_web({"q": "flowers"})'),
        ("tool", "tool", "roses"),
        ("assistant", "assistant", "Roses."),
        ("user", "user", "And?"),
        ("assistant", "injected", "The model is not running."),
    ]
    assert found[0].parts[0].type == "image"
    assert found[0].metadata["files"] == ["garden.pdf"]
    assert found[1].parts[0].name == "garden.pdf"
    assert skipped(records) == ["empty message"]


def test_code_that_was_run_is_a_call_with_its_output(tmp_path: Path) -> None:
    text = (
        '<details type="code_interpreter" done="true" output="{&quot;stdout&quot;: &quot;4&quot;}">\n<summary>Analyzed'
        "</summary>\n```python\nprint(2 + 2)\n```\n</details>\nFour."
    )
    found = turns(read(put(tmp_path, "c.json", [chat(message("a1", None, "assistant", text))])))
    assert [turn.text for turn in found] == ["code_interpreter(print(2 + 2))", '{"stdout": "4"}', "Four."]


def test_old_chats_are_lists_and_damage_is_reported(tmp_path: Path) -> None:
    old = {
        "chat": {
            "models": ["llama"],
            "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
        }
    }
    empty = {"id": "chat-2", "chat": {"history": {"messages": {}, "currentId": None}, "models": [], "messages": []}}
    strange = {"id": "chat-3", "chat": {"models": [], "messages": [{"role": "wizard", "content": "x"}]}}
    path = put(tmp_path, "old.json", json.loads(json.dumps([old, empty, strange, 3])))
    assert detect(path) == "open-webui"
    records = read(path)
    assert [(turn.role, turn.text, turn.branch) for turn in turns(records)] == [
        ("user", "a", ""),
        ("assistant", "b", ""),
    ]
    assert skipped(records) == ["chat without messages"]
    assert [
        ("wizard" in reason, "expected a JSON object" in reason) for _, reason in rejections(records, tmp_path)
    ] == [
        (True, False),
        (False, True),
    ]


@pytest.mark.requirement("CI-IMP-01")
def test_what_is_no_message_is_rejected_and_messages_with_one_id_are_all_kept(tmp_path: Path) -> None:
    tree = {"messages": {"q1": message("q1", None, "user", "Which flower?"), "a1": "broken"}, "currentId": "q1"}
    old = [message("q", None, "user", "Hello."), 7, message("q", None, "user", "Are you there?")]
    export = [{"id": "new", "chat": {"history": tree}}, {"id": "old", "chat": {"messages": old}}]
    records = read(put(tmp_path, "chats.json", export), "open-webui")
    assert [turn.text for turn in turns(records)] == ["Which flower?", "Hello.", "Are you there?"]
    assert rejections(records, tmp_path) == [
        ("chats.json:[0].messages[a1]", "expected a JSON object, found str 'broken'"),
        ("chats.json:[1].messages[1]", "expected a JSON object, found int 7"),
    ]


@pytest.mark.requirement("F-EDGE-08")
@pytest.mark.parametrize(
    "text",
    [
        '<details type="reasoning">' * 30_000,
        '<details type="reasoning" ' * 30_000,
        f'<details type="tool_calls" {"a" * 500_000}>x</details>',
        f'<details type="tool_calls">{"<summary>" * 100_000}</details>',
        f'<details type="tool_calls">{" " * 500_000}x</details>',
    ],
)
def test_marks_without_an_end_are_read_in_time_that_grows_with_their_number(tmp_path: Path, text: str) -> None:
    path = put(tmp_path, "chats.json", [chat(message("a1", None, "assistant", text))])
    assert turns(read(path, "open-webui"))
