"""The account exports of ChatGPT and Claude."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from clew.ingest.importers import detect
from tests.support.ingest_reading import lines, put, read, rejections, said, skipped, turns


def node(name: str, parent: str | None, role: str = "user", content: Any = None, **fields: Any) -> dict[str, Any]:
    """A node of ChatGPT's mapping; content may be text."""
    held = {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
    author = {"role": role, "name": fields.pop("tool", None), "metadata": {}}
    message = {"id": name, "author": author, "create_time": 1700000000.5, "content": held, "metadata": {}, **fields}
    return {"id": name, "parent": parent, "children": [], "message": message if content is not None else None}


def chat(*nodes: dict[str, Any], current: str | None = None, **fields: Any) -> dict[str, Any]:
    mapping = {each["id"]: each for each in nodes}
    shown = current or nodes[-1]["id"]
    return {"title": "A title", "conversation_id": "c1", "current_node": shown, "mapping": mapping, **fields}


ROOT = node("root", None)
SIMPLE = (
    ROOT,
    node("u1", "root", content="hello"),
    node("a1", "u1", "assistant", "hi", metadata={"model_slug": "gpt-x"}),
)


@pytest.mark.requirement("F-INGEST-07")
def test_chatgpt_conversations_become_sessions(tmp_path: Path) -> None:
    path = put(tmp_path, "conversations.json", [chat(*SIMPLE), chat(*SIMPLE, conversation_id="c2")])
    assert detect(path) == "chatgpt"
    records = read(path)
    assert said(records) == [("user", "hello"), ("assistant", "hi")] * 2
    found = turns(records)
    assert [turn.session for turn in found] == ["c1", "c1", "c2", "c2"]
    assert [turn.external_id for turn in found[:2]] == ["u1", "a1"]
    assert found[1].metadata == {"title": "A title", "model": "gpt-x"}
    assert found[0].at is not None
    assert found[0].at.isoformat() == "2023-11-14T22:13:20.500000+00:00"
    assert skipped(records) == ["empty node", "empty node"]


@pytest.mark.requirement("F-INGEST-07", "F-INGEST-20")
def test_chatgpt_edits_and_regenerations_are_branches(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "conversations.json",
        [
            chat(
                *SIMPLE,
                node("a1x", "u1", "assistant", "hi, otherwise"),
                node("u2", "a1", content="two"),
                node("a2", "u2", "assistant", "2"),
                node("u2x", "a1", content="two, better"),
                node("a2x", "u2x", "assistant", "2!"),
                node("a2y", "u2", "assistant", "zwei"),
                current="a2x",
            )
        ],
    )
    assert [(turn.external_id, turn.branch, turn.parent) for turn in turns(read(path))] == [
        ("u1", "", None),
        ("a1", "", None),
        ("u2x", "", None),
        ("a2x", "", None),
        ("a1x", "branch:a1x", "u1"),
        ("u2", "branch:u2", "a1"),
        ("a2", "branch:u2", None),
        ("a2y", "branch:a2y", "u2"),
    ]


@pytest.mark.requirement("F-INGEST-07")
def test_chatgpt_content_of_every_kind(tmp_path: Path) -> None:
    def content(kind: str, **fields: Any) -> dict[str, Any]:
        return {"content_type": kind, **fields}

    pointer = content("image_asset_pointer", asset_pointer="sediment://file_abc", width=2, height=1)
    nodes = [
        node("n1", "root", content=content("multimodal_text", parts=[pointer, "what is it?"])),
        node("n2", "n1", "assistant", content("thoughts", thoughts=[{"summary": "Look", "content": "A cat."}])),
        node("n3", "n2", "assistant", content("code", text="1 + 1", language="python"), recipient="python"),
        node("n4", "n3", "tool", content("execution_output", text="2"), tool="python"),
        node("n5", "n4", "assistant", content("code", text="x = 1", language="unknown")),
        node("n6", "n5", "tool", content("tether_quote", title="T", url="https://e.com", text="Q"), tool="browser"),
        node("n7", "n6", "tool", content("tether_browsing_display", result="R", summary=""), tool="browser"),
        node("n8", "n7", "tool", content("system_error", name="Err", text="no"), tool="python"),
        node("n9", "n8", "assistant", content("reasoning_recap", content="Thought for 5 s")),
        node("n10", "n9", content=content("multimodal_text", parts=[content("audio_transcription", text="spoken")])),
        node("n11", "n10", "assistant", content("brand_new", text="something")),
    ]
    put(tmp_path, "file_abc-sanitized.png", b"\x89PNG")
    records = read(put(tmp_path, "conversations.json", [chat(ROOT, *nodes)]), "chatgpt")
    found = [(turn.role, turn.origin, [part.type for part in turn.parts], turn.text) for turn in turns(records)]
    assert found == [
        ("user", "user", ["image", "text"], "what is it?"),
        ("assistant", "assistant", ["thinking"], "Look\nA cat."),
        ("assistant", "assistant", ["tool_call"], "python(1 + 1)"),
        ("tool", "tool", ["tool_result"], "2"),
        ("assistant", "assistant", ["text"], "x = 1"),
        ("tool", "web", ["tool_result"], "T\nhttps://e.com\nQ"),
        ("tool", "web", ["tool_result"], "R"),
        ("tool", "tool", ["tool_result"], "Err: no"),
        ("user", "user", ["text"], "spoken"),
        ("assistant", "assistant", ["text"], "something"),
    ]
    image = turns(records)[0].parts[0]
    assert (image.data, image.media_type) == (b"\x89PNG", "image/png")
    assert image.extra == {"pointer": "sediment://file_abc", "width": 2, "height": 1}
    assert skipped(records) == ["empty node", "empty node"]  # the root, and how long it thought


@pytest.mark.requirement("F-INGEST-07", "F-INGEST-26")
def test_chatgpt_hidden_nodes_and_instructions(tmp_path: Path) -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    instructions = {
        "content_type": "user_editable_context",
        "user_profile": "I live in Bern",
        "user_instructions": "Be brief",
    }
    records = read(
        put(
            tmp_path,
            "conversations.json",
            [
                chat(
                    ROOT,
                    node("s1", "root", "system", "", metadata=hidden),
                    node("s2", "s1", "user", instructions, metadata=hidden),
                    node("u1", "s2", content="hello"),
                    node("u2", "u1", content="  "),
                )
            ],
        )
    )
    assert [(turn.origin, turn.text) for turn in turns(records)] == [
        ("injected", "I live in Bern\nBe brief"),
        ("user", "hello"),
    ]
    assert skipped(records) == ["empty node", "hidden message", "blank message"]
    assert rejections(records, tmp_path) == []


@pytest.mark.requirement("F-INGEST-07", "F-INGEST-13")
def test_chatgpt_s_zip_with_its_images(tmp_path: Path) -> None:
    pointer = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-XYZ"}
    asked = node("u1", "root", content={"content_type": "multimodal_text", "parts": [pointer]})
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("chat.html", "<html>")
        archive.writestr("conversations.json", json.dumps([chat(ROOT, asked)]))
        archive.writestr("dalle-generations/file-XYZ-1.webp", b"RIFF1234WEBP")
        archive.writestr("user.json", json.dumps({"id": "user-1", "email": "a@example.com"}))
    assert detect(path) == "chatgpt"
    records = read(path)
    (turn,) = turns(records)
    assert (turn.parts[0].data, turn.parts[0].media_type) == (b"RIFF1234WEBP", "image/webp")
    assert sorted(skipped(records)) == [
        "empty node",
        "file of another kind",
        "file of another kind",
        "file of no known format",
    ]


@pytest.mark.requirement("F-INGEST-07")
@pytest.mark.parametrize("shape", ["list", "object", "single", "lines"])
def test_chatgpt_exports_of_every_shape(tmp_path: Path, shape: str) -> None:
    whole = chat(*SIMPLE)
    content = {"list": [whole], "object": {"conversations": [whole]}, "single": whole, "lines": lines(whole, whole)}[
        shape
    ]
    path = put(tmp_path, "export.json", content)
    assert detect(path) == "chatgpt"
    assert said(read(path)) == [("user", "hello"), ("assistant", "hi")] * (2 if shape == "lines" else 1)


@pytest.mark.requirement("F-INGEST-01", "F-INGEST-07")
def test_chatgpt_s_damage_is_named(tmp_path: Path) -> None:
    circle = chat(node("a", "b", content="A"), node("b", "a", content="B"), conversation_id="c3")
    text = json.dumps([chat(*SIMPLE), {"title": "none"}, 5, circle, chat(*SIMPLE)])
    records = read(put(tmp_path, "conversations.json", text[:-20]))
    assert [text for _, text in said(records)] == ["hello", "hi", "A", "B"]
    found = rejections(records, tmp_path)
    assert [where for where, _ in found] == [f"conversations.json:[{n}]" for n in (1, 2, 4)]
    assert "no mapping" in found[0][1]
    assert "the file ends inside this record" in found[2][1]


def claude(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {
        "uuid": "c1",
        "name": "A title",
        "created_at": "2026-01-01T00:00:00Z",
        "chat_messages": [*messages],
        **fields,
    }


def told(uuid: str, sender: str, text: str = "", **fields: Any) -> dict[str, Any]:
    return {"uuid": uuid, "sender": sender, "text": text, "created_at": "2026-01-01T10:00:00.000000Z", **fields}


@pytest.mark.requirement("F-INGEST-08")
def test_claude_conversations_become_sessions(tmp_path: Path) -> None:
    document = {"file_name": "notes.txt", "file_type": "txt", "extracted_content": "the notes"}
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t1", "name": "web_search", "input": {"query": "x"}},
        {
            "type": "tool_result",
            "tool_use_id": "t1",
            "name": "web_search",
            "content": [{"type": "text", "text": "found"}],
        },
        {"type": "text", "text": "There."},
    ]
    path = put(
        tmp_path,
        "conversations.json",
        [
            claude(
                told("m1", "human", "read it", attachments=[document], files=[{"file_name": "cat.png"}]),
                told("m2", "assistant", "I look. There.", content=blocks),
                told("m3", "human", "thanks"),
            )
        ],
    )
    assert detect(path) == "claude-export"
    found = turns(read(path))
    assert [(turn.role, turn.origin, turn.text) for turn in found] == [
        ("user", "user", "read it\nthe notes"),
        ("assistant", "assistant", 'hm\nI look.\nweb_search({"query": "x"})'),
        ("tool", "web", "found"),
        ("assistant", "assistant", "There."),
        ("user", "user", "thanks"),
    ]
    assert [turn.external_id for turn in found] == ["m1", "m2", "m2#1", "m2#2", "m3"]
    assert found[0].metadata == {"title": "A title", "files": ["cat.png"]}
    assert (found[0].parts[1].name, found[0].parts[1].media_type) == ("notes.txt", "text/plain")
    assert {(turn.session, turn.branch, turn.parent) for turn in found} == {("c1", "", None)}


@pytest.mark.requirement("F-INGEST-08", "F-INGEST-20")
def test_claude_edits_are_branches(tmp_path: Path) -> None:
    root = "00000000-0000-4000-8000-000000000000"
    messages = [
        told("m1", "human", "one", parent_message_uuid=root),
        told("m2", "assistant", "1", parent_message_uuid="m1"),
        told("m3", "human", "two", parent_message_uuid="m2"),
        told("m4", "human", "two, better", parent_message_uuid="m2"),
        told("m5", "assistant", "2", parent_message_uuid="m4"),
        told("m6", "human", "one, anew", parent_message_uuid=root),
        told("m7", "assistant", "lost", parent_message_uuid="unknown"),
    ]
    path = put(tmp_path, "conversations.json", [claude(*messages, current_leaf_message_uuid="m5")])
    assert [(turn.external_id, turn.branch, turn.parent) for turn in turns(read(path))] == [
        ("m1", "", None),
        ("m2", "", None),
        ("m4", "", None),
        ("m5", "", None),
        ("m6", "branch:m6", None),
        ("m7", "branch:m6", None),
        ("m3", "branch:m3", "m2"),
    ]


@pytest.mark.requirement("F-INGEST-01", "F-INGEST-08")
def test_claude_s_damage_is_named(tmp_path: Path) -> None:
    records = read(
        put(
            tmp_path,
            "conversations.json",
            [
                claude(
                    told("m1", "human", "before"),
                    "odd",
                    told("m2", "wizard", "x"),
                    told("m3", "human"),
                    told("m4", "assistant", "after"),
                ),
                {"uuid": "c2", "chat_messages": None},
            ],
        )
    )
    assert [text for _, text in said(records)] == ["before", "after"]
    found = dict(rejections(records, tmp_path))
    assert "expected an object" in found["conversations.json:[0].chat_messages[1]"]
    assert "role 'wizard' is unknown" in found["conversations.json:[0].chat_messages[2]"]
    assert "empty" in found["conversations.json:[0].chat_messages[3]"]
    assert "no chat_messages" in found["conversations.json:[1]"]
