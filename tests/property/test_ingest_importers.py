"""Whatever stands in a file: no parser fails, nothing passes unseen, and every turn can be stored."""

import io
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import FormatError
from clew.ingest.encoding import is_encodable
from clew.ingest.identity import content_hash
from clew.ingest.importers import FORMATS, ImportedTurn, ImportRecord, SessionTitle, Skipped, detect, read_path
from clew.ingest.importers.source import Source
from clew.ingest.media import inline, offload
from clew.ingest.secrets.masking import mask_turn
from clew.types import Rejection, Turn

NAMES = st.sampled_from(sorted(FORMATS))
BY_LINE = ("claude-code", "codex", "copilot-cli", "gemini-cli", "jsonl", "openai-messages")

WORDS = """
type role content text message messages uuid id parentUuid sessionId timestamp isSidechain isMeta agentId payload
call_id name arguments output input summary mapping current_node parent author parts content_type recipient metadata
create_time chat_messages sender attachments extracted_content parent_message_uuid tool_calls function thoughts
toolCalls result args functionResponse inlineData image_url url source data media_type tool_use_id blob session
speaker at origin branch external_id conversations traj attachment subtype num_turns asset_pointer is_error extra
action observation args extras cause thought history trajectory message_type is_demo tool_call_metadata header title
time safeHtmlItem html products issue instance_id operation
info parts tool callID state status created toolRequests toolCallId
requests response requestId kind v k i toolCallRounds toolCallResults resultDetails variables edits inlineReference
""".split()
VALUES = """
user assistant system tool text tool_use tool_result thinking image document message function_call reasoning
function_call_output response_item event_msg session_meta compacted attachment queued_command compact_boundary
gemini info code execution_output multimodal_text tether_quote thoughts image_asset_pointer web injected base64 $set
run finish think condensation recall queue-operation enqueue remove Gemini <p>x
toolInvocationSerialized textEditGroup requests inlineReference
$rewindTo human data:image/png;base64,AAAA thread_rolled_back 2024-03-05 s1 u1 summary
""".split()
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(VALUES),
    st.sampled_from(["\ud800", "\0", "␛d800;", "a" * 300, " "]),
)
KEYS = st.one_of(st.sampled_from(WORDS), st.text(max_size=5))
JSON: st.SearchStrategy[Any] = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=12
)
RECORDS = st.lists(st.dictionaries(KEYS, JSON, max_size=8), max_size=5)


def read(name: str, data: bytes) -> list[ImportRecord]:
    return list(FORMATS[name].read(Source("f", "f", lambda: io.BytesIO(data))))


def check(records: list[ImportRecord]) -> None:
    """Checks properties that all records of any file have."""
    for record in records:
        assert isinstance(record, ImportedTurn | Rejection | Skipped | SessionTitle)
        assert record.where.startswith("f")
        assert is_encodable(record.where)
        if isinstance(record, Rejection):
            assert record.reason
        elif isinstance(record, ImportedTurn):
            check_turn(record.turn)


def check_turn(turn: Turn) -> None:
    assert json.dumps(turn.to_dict(), ensure_ascii=False).encode()
    assert turn.text.strip() or any(
        part.data is not None or part.type in ("tool_call", "tool_result") for part in turn.parts
    )
    assert turn.session.strip()
    masked, _ = mask_turn(turn)
    assert mask_turn(masked) == (masked, {})
    stored, blobs = offload(masked, 64)
    assert inline(stored, blobs.__getitem__) == masked
    assert content_hash(stored) == content_hash(masked)


@pytest.mark.requirement("F-INGEST-25")
@given(NAMES, st.binary(max_size=400))
def test_any_bytes(name: str, data: bytes) -> None:
    check(read(name, data))


@pytest.mark.requirement("F-INGEST-25")
@given(NAMES, st.text(alphabet=st.sampled_from('{}[]":,\\ \n#*-:()AnnUser0123456789./﻿\u200e\u202f'), max_size=300))
def test_any_text_of_telling_characters(name: str, text: str) -> None:
    check(read(name, text.encode()))


@pytest.mark.requirement("F-INGEST-01", "F-INGEST-25")
@given(st.sampled_from(BY_LINE), RECORDS, st.integers(0, 3))
def test_any_json_on_lines(name: str, records: list[Any], damage: int) -> None:
    texts = [json.dumps(record) for record in records] + ["{broken", "5", ""][:damage]
    found = read(name, "\n".join(texts).encode())
    check(found)
    if records and len(texts) > 1:  # one line alone may be a document, and so may one without a whole object
        seen = {":".join(record.where.split(":")[:2]).partition(".")[0] for record in found}
        assert {f"f:{n}" for n, text in enumerate(texts, 1) if text} <= seen


@pytest.mark.requirement("F-INGEST-01", "F-INGEST-25")
@given(NAMES, RECORDS)
def test_any_json_in_a_list(name: str, records: list[Any]) -> None:
    found = read(name, json.dumps(records).encode())
    check(found)
    if name not in (
        "markdown",
        "text",
        "subtitles",
        "instructions",
        "claude-code",
        "codex",
        "copilot-cli",
        "opencode",
        "aider",
        "specstory",
        "swe-agent",
        "cursor",
        "vscode",
    ):
        seen = {record.where for record in found}
        assert all(any(where.startswith(f"f:[{n}]") for where in seen) for n in range(len(records)))


@pytest.mark.requirement("F-INGEST-25")
@given(NAMES, st.dictionaries(KEYS, JSON, max_size=8), st.data())
def test_any_document_cut_anywhere(name: str, document: Any, data: st.DataObject) -> None:
    whole = json.dumps(document, indent=data.draw(st.sampled_from([None, 1]))).encode()
    check(read(name, whole[: data.draw(st.integers(0, len(whole)))]))


A_NODE = st.fixed_dictionaries(
    {"parent": st.sampled_from([None, "a", "b", "c", "d", "x"])}, optional={"message": JSON, "id": JSON}
)
A_MESSAGE = st.fixed_dictionaries(
    {"author": st.fixed_dictionaries({"role": st.sampled_from(VALUES)}), "content": JSON}, optional={"metadata": JSON}
)


@pytest.mark.requirement("F-INGEST-01", "F-INGEST-07")
@given(
    st.dictionaries(st.sampled_from("abcdef"), A_NODE | st.builds(dict, message=A_MESSAGE), min_size=1, max_size=6),
    JSON,
)
def test_every_node_of_any_tree_is_seen_once(mapping: dict[str, Any], current: Any) -> None:
    records = read("chatgpt", json.dumps([{"mapping": mapping, "current_node": current}]).encode())
    check(records)
    nodes = {record.where.partition("mapping[")[2].rstrip("]") for record in records}
    assert nodes == set(mapping)


def compact(*records: Any) -> bytes:
    """Records as lines of JSON."""
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)


def told(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


CALL = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
ANSWER = {"functionResponse": {"id": "c", "response": {"output": "x"}}}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}}
VALID = {
    "claude-code": compact(
        {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "message": told("user", "hi")},
        {
            "type": "assistant",
            "uuid": "a1",
            "parentUuid": "u1",
            "sessionId": "s",
            "message": told("assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}]),
        },
    ),
    "codex": compact(
        {"timestamp": "2026-05-01T10:00:00Z", "type": "session_meta", "payload": {"id": "t"}},
        {
            "timestamp": "2026-05-01T10:00:01Z",
            "type": "response_item",
            "payload": {"type": "message", **told("user", [{"type": "input_text", "text": "hi"}])},
        },
    ),
    "gemini-cli": compact(
        {
            "sessionId": "s",
            "projectHash": "f",
            "messages": [
                {"id": "1", "type": "user", "content": "hi"},
                {
                    "id": "2",
                    "type": "gemini",
                    "content": "yes",
                    "toolCalls": [{"id": "c", "name": "ls", "result": [ANSWER]}],
                },
            ],
        }
    ),
    "chatgpt": compact(
        [
            {
                "title": "t",
                "conversation_id": "c",
                "current_node": "b",
                "mapping": {
                    "a": {
                        "parent": None,
                        "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["hi"]}},
                    },
                    "b": {"parent": "a", "message": None},
                },
            }
        ]
    ),
    "claude-export": compact(
        [{"uuid": "c", "name": "n", "chat_messages": [{"uuid": "m", "sender": "human", "text": "hi"}]}]
    ),
    "openai-messages": compact(
        {
            "messages": [
                told("user", "hi"),
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": "c", "content": "x"},
            ]
        }
    ),
    "anthropic-messages": compact([told("user", [IMAGE]), told("assistant", [{"type": "thinking", "thinking": "hm"}])]),
    "jsonl": compact(
        {**told("user", "hi"), "at": "2024-03-05", "session": "s"}, {"speaker": "Ann", "text": "two", "id": 5}
    ),
    "aider": b"# aider chat started at 2025-06-19 14:32:16\n\n> hi\n\n#### ask\n\n```\n# x\n```\n\nno\n",
    "openhands": compact(
        [
            {"id": 1, "source": "user", "action": "message", "args": {"content": "hi"}},
            {"id": 2, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "so"}},
            {"id": 3, "source": "agent", "observation": "run", "content": "x", "cause": 2, "extras": {}},
        ]
    ),
    "vscode": compact(
        {
            "responderUsername": "GitHub Copilot",
            "requests": [
                {
                    "requestId": "r",
                    "message": {"text": "hi"},
                    "response": [
                        {"kind": "toolInvocationSerialized", "toolId": "copilot_ls", "toolCallId": "c"},
                        {"value": "See "},
                        {"kind": "inlineReference", "inlineReference": {"path": "/a/b"}},
                    ],
                    "result": {
                        "metadata": {
                            "toolCallRounds": [{"toolCalls": [{"id": "c", "name": "ls", "arguments": "{}"}]}],
                            "toolCallResults": {"c": {"content": [{"value": {"node": {"children": [{"text": "x"}]}}}]}},
                        }
                    },
                }
            ],
        }
    ),
    "opencode": compact(
        {
            "info": {"id": "s", "title": "t"},
            "messages": [
                {
                    "info": {"id": "m", "role": "assistant", "time": {"created": 1773084269976}},
                    "parts": [
                        {"type": "reasoning", "text": "so"},
                        {"type": "tool", "tool": "ls", "callID": "c", "state": {"status": "completed", "output": "x"}},
                    ],
                }
            ],
        }
    ),
    "copilot-cli": compact(
        {"type": "session.start", "data": {"sessionId": "s"}, "id": "1", "timestamp": "2026-07-03", "parentId": None},
        {"type": "user.message", "data": {"content": "hi"}, "id": "2", "timestamp": "2026-07-03", "parentId": "1"},
        {
            "type": "assistant.message",
            "data": {"toolRequests": [{"toolCallId": "c", "name": "ls", "arguments": {}}]},
            "id": "3",
            "timestamp": "2026-07-03",
            "parentId": "2",
        },
    ),
    "swe-agent": compact(
        {
            "trajectory": [{"action": "ls", "observation": "x", "thought": "so"}],
            "history": [told("user", "hi"), {**told("assistant", "so"), "action": "ls"}, told("tool", "x")],
        }
    ),
    "gemini-takeout": compact(
        [
            {
                "header": "Gemini Apps",
                "title": "Prompted hi",
                "time": "2026-02-02T07:24:02.806Z",
                "products": ["Gemini Apps"],
                "safeHtmlItem": [{"html": "<p>yes</p>"}],
            }
        ]
    ),
    "open-webui": compact(
        [
            {
                "id": "c",
                "title": "t",
                "chat": {
                    "history": {
                        "messages": {
                            "q": {"id": "q", "parentId": None, "role": "user", "content": "hi"},
                            "a": {"id": "a", "parentId": "q", "role": "assistant", "content": "yes"},
                        },
                        "currentId": "a",
                    }
                },
            }
        ]
    ),
    "mem0": compact([{"id": "m", "memory": "hi", "user_id": "u", "created_at": "2026-02-02T07:24:02Z", "hash": "x"}]),
    "letta": compact(
        {
            "agents": [{"name": "a", "block_ids": ["b"], "messages": [told("user", "hi"), told("assistant", "yes")]}],
            "blocks": [{"id": "b", "label": "human", "value": "x"}],
        }
    ),
    "zep": compact(
        {
            "threads": [{"thread_id": "t", "messages": [{"uuid": "u", "role_type": "user", "content": "hi"}]}],
            "edges": [{"uuid": "e", "fact": "x", "source_node_uuid": "n", "invalid_at": "2026-02-02T07:24:02Z"}],
        }
    ),
    "instructions": b"# T\n\nhi\n\n## U\n\n```\n## x\n```\n",
    "markdown": b"# T\n\n## User\n\nhi\n\n```\n## x\n```\n\n## Assistant\n\n**Ann:** no\n",
    "text": b"[14/08/2023, 09:15:32] Ann: hi\n14/08/2023, 09:15 - Bob: two\nlines\n",
}


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """A valid file with bytes changed, cut out, doubled or put in."""
    name = draw(st.sampled_from(sorted(VALID)))  # Cursor's databases are damaged in tests/unit/test_ingest_cursor.py
    data = VALID[name]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 8)))
        put = draw(
            st.one_of(st.just(b""), st.binary(max_size=4), st.sampled_from([b'"', b"\\", b"{", b"]", b"\n", b"\0"]))
        )
        data = data[:start] + put + data[end:] if draw(st.booleans()) else data[:end] + data[start:]
    return name, data


@pytest.mark.requirement("F-INGEST-25")
@given(mutated())
def test_a_valid_file_with_damage(file: tuple[str, bytes]) -> None:
    name, data = file
    check(read(name, data))


@pytest.mark.requirement("F-INGEST-13", "F-INGEST-25")
@given(
    st.one_of(mutated().map(lambda file: file[1]), st.binary(max_size=100)),
    st.sampled_from(["json", "jsonl", "md", "zip"]),
)
def test_any_file_is_read_or_rejected_as_a_whole(data: bytes, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"f.{suffix}")
        path.write_bytes(data)
        for attempt in (detect, lambda where: list(read_path(where))):
            try:
                attempt(path)
            except FormatError as error:
                assert str(error)  # noqa: PT017 - either outcome is right; an error must say something


@pytest.mark.requirement("F-INGEST-13")
@pytest.mark.parametrize("name", sorted(VALID))
def test_the_files_that_are_damaged_here_are_whole(name: str) -> None:
    records = read(name, VALID[name])
    assert [record for record in records if isinstance(record, Rejection)] == []
    assert any(isinstance(record, ImportedTurn) for record in records)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, {"markdown": "f.md", "instructions": "AGENTS.md"}.get(name, "f"))
        path.write_bytes(VALID[name])
        assert detect(path) == name
