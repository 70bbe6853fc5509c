"""Lists of messages: OpenAI's, Anthropic's, and loose JSON and JSONL."""

from pathlib import Path
from typing import Any

import pytest

from clew.ingest.importers import detect
from clew.ingest.importers.message_turns import PIECE_CHARS
from clew.types import MAX_TURN_CHARS
from tests.support.ingest_reading import lines, put, read, rejections, said, skipped, turns

CHAT = [
    {"role": "system", "content": "Be brief."},
    {
        "role": "user",
        "name": "Ann",
        "content": [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
        ],
    },
    {
        "role": "assistant",
        "content": None,
        "reasoning_content": "hm",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"dir": "."}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
    {"role": "assistant", "content": "There is a.txt.", "refusal": None},
    {"role": "assistant", "content": None, "refusal": "I cannot."},
    {"role": "developer", "content": "Be briefer."},
    {"role": "assistant", "content": "", "function_call": {"name": "old", "arguments": "{}"}},
    {"role": "function", "name": "old", "content": "result"},
]
CHAT_SAID = [
    ("system", "Be brief."),
    ("user", "look"),
    ("assistant", 'hm\nls({"dir": "."})'),
    ("tool", "a.txt"),
    ("assistant", "There is a.txt."),
    ("assistant", "I cannot."),
    ("system", "Be briefer."),
    ("assistant", "old({})"),
    ("tool", "result"),
]


@pytest.mark.requirement("F-INGEST-09")
@pytest.mark.parametrize("shape", ["list", "object", "lines of messages", "lines of conversations", "list of runs"])
def test_openai_chats_in_every_container(tmp_path: Path, shape: str) -> None:
    content: dict[str, Any] = {
        "list": CHAT,
        "object": {"model": "gpt-x", "messages": CHAT},
        "lines of messages": lines(*CHAT),
        "lines of conversations": lines({"messages": CHAT}, {"messages": CHAT, "id": "second"}),
        "list of runs": [{"task_id": 3, "reward": 0.0, "traj": CHAT}],
    }
    path = put(tmp_path, "chat.json", content[shape])
    assert detect(path) == "openai-messages"
    records = read(path)
    assert rejections(records, tmp_path) == []
    assert said(records) == CHAT_SAID * (2 if shape == "lines of conversations" else 1)
    found = turns(records)
    assert (found[1].speaker, found[1].parts[1].data) == ("Ann", b"\x89PNG")
    assert (found[3].origin, found[3].parts[0].name, found[3].parts[0].call_id) == ("tool", "ls", "c1")
    sessions = {"lines of conversations": ["chat:1", "second"], "list of runs": ["chat:0"]}.get(shape, ["chat"])
    assert sorted({turn.session for turn in found}) == sessions


@pytest.mark.requirement("F-INGEST-09")
def test_openai_responses(tmp_path: Path) -> None:
    document = {
        "id": "resp_1",
        "instructions": "Be brief.",
        "input": [
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "look"},
                    {"type": "input_image", "image_url": "https://e.com/cat.png"},
                ],
            }
        ],
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "ls", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "a.txt"},
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "There."}],
            },
        ],
    }
    path = put(tmp_path, "response.json", document)
    assert detect(path) == "openai-messages"
    records = read(path)
    assert said(records) == [
        ("system", "Be brief."),
        ("user", "look\nhttps://e.com/cat.png"),
        ("assistant", "hm"),
        ("assistant", "ls({})"),
        ("tool", "a.txt"),
        ("assistant", "There."),
    ]
    assert [turn.external_id for turn in turns(records)] == [None, None, "rs_1", "fc_1", None, "msg_1"]
    assert {turn.session for turn in turns(records)} == {"resp_1"}


@pytest.mark.requirement("F-INGEST-10")
@pytest.mark.parametrize("shape", ["list", "object", "lines"])
def test_anthropic_messages(tmp_path: Path, shape: str) -> None:
    image = {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}
    document = {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image", "source": image}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "tool_use", "id": "t1", "name": "ls", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": [{"type": "text", "text": "a"}, {"type": "image", "source": image}],
                },
                {"type": "text", "text": "and?"},
            ],
        },
        {"role": "assistant", "content": "That is all."},
        {"role": "user", "content": [{"type": "document", "title": "Report", "source": document}]},
    ]
    content: dict[str, Any] = {
        "list": messages,
        "object": {"model": "claude-x", "system": [{"type": "text", "text": "Be brief."}], "messages": messages},
        "lines": lines(*messages),
    }
    path = put(tmp_path, "chat.json", content[shape])
    assert detect(path) == "anthropic-messages"
    found = turns(read(path))
    if shape == "object":
        assert (found[0].role, found[0].text) == ("system", "Be brief.")
        found = found[1:]
    assert [(turn.role, turn.origin, turn.text) for turn in found] == [
        ("user", "user", "look"),
        ("assistant", "assistant", "hm\nls({})"),
        ("tool", "tool", "a"),
        ("user", "user", "and?"),
        ("assistant", "assistant", "That is all."),
        ("user", "user", "Report"),
    ]
    assert [part.data for part in found[2].parts] == [None, b"\x89PNG"]
    assert {part.name for part in found[2].parts} == {"ls"}
    assert (found[5].parts[0].data, found[5].parts[0].media_type) == (b"%PDF", "application/pdf")


@pytest.mark.requirement("F-INGEST-11")
@pytest.mark.parametrize("as_lines", [True, False])
def test_loose_records(tmp_path: Path, as_lines: bool) -> None:
    records = [
        {"role": "user", "content": "one", "session": "s", "at": "2024-03-05T14:30:00", "id": 1},
        {"speaker": "Ann", "text": "two", "conversation_id": "t", "timestamp": 1709649000, "mood": "glad"},
        {"speaker": "Assistant", "text": "three", "created_at": "some day"},
        {"from": "human", "value": "four", "metadata": {"a": 1}, "branch": "b", "origin": "web"},
        {"text": "five", "date": None, "extra": None},
        {"message": {"role": "assistant", "content": "six"}, "timestamp": "2024-03-05"},
        {"author": {"role": "user", "name": "Bob"}, "content": "seven"},
    ]
    path = put(tmp_path, "turns.jsonl", lines(*records) if as_lines else records)
    assert detect(path) == "jsonl"
    found = turns(read(path))
    assert [(turn.role, turn.speaker, turn.text, turn.session) for turn in found] == [
        ("user", None, "one", "s"),
        ("user", "Ann", "two", "t"),
        ("assistant", None, "three", "turns"),
        ("user", None, "four", "turns"),
        ("user", None, "five", "turns"),
        ("assistant", None, "six", "turns"),
        ("user", "Bob", "seven", "turns"),
    ]
    assert [turn.at and turn.at.isoformat() for turn in found[:3]] == ["2024-03-05T14:30:00+00:00"] * 2 + [None]
    assert [turn.metadata for turn in found[:5]] == [{}, {"mood": "glad"}, {"at_raw": "some day"}, {"a": 1}, {}]
    assert (found[0].external_id, found[3].branch, found[3].origin) == ("1", "b", "web")


@pytest.mark.requirement("F-INGEST-01", "F-INGEST-11")
def test_damaged_records_are_named(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "turns.jsonl",
        lines(
            {"role": "user", "content": "before"},
            {"role": "wizard", "content": "x"},
            {"role": "user", "content": " \n "},
            {"role": "user"},
            {"a": 1, "b": 2},
            "{not json",
            {"role": "user", "content": 5},
            {"role": "user", "content": "x", "origin": "moon"},
            {"role": "user", "content": "after"},
        ),
    )
    records = read(path)
    assert [text for _, text in said(records)] == ["before", "after"]
    found = rejections(records, tmp_path)
    assert [where for where, _ in found] == [f"turns.jsonl:{n}" for n in range(2, 9)]
    assert "role 'wizard' is unknown" in found[0][1]
    assert "expected role and content, found 'a', 'b'" in found[3][1]
    assert "origin 'moon' is unknown" in found[6][1]


@pytest.mark.requirement("F-INGEST-11")
def test_blocks_of_unknown_kinds_are_carried_along(tmp_path: Path) -> None:
    strange = {"type": "hologram", "data": [1, 2]}
    (turn,) = turns(
        read(put(tmp_path, "a.json", [{"role": "user", "content": [strange, {"type": "text", "text": "x"}]}]))
    )
    assert [part.extra for part in turn.parts] == [{"block": strange}, None]
    records = read(put(tmp_path, "b.json", [{"role": "user", "content": [strange]}]))
    assert turns(records) == []
    assert len(rejections(records, tmp_path)) == 1
    assert skipped(records) == []


@pytest.mark.requirement("F-INGEST-13")
def test_every_turn_goes_to_the_session_that_is_asked_for(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "turns.jsonl",
        lines({"role": "user", "content": "x", "session": "s"}, {"role": "user", "content": "y"}),
    )
    assert {turn.session for turn in turns(read(path, session="mine"))} == {"mine"}


@pytest.mark.requirement("F-INGEST-34")
def test_a_result_of_several_texts_is_one_result(tmp_path: Path) -> None:
    blocks = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}}
    held = {"type": "tool_result", "tool_use_id": "t1", "content": [*blocks, image]}
    (turn,) = turns(read(put(tmp_path, "m.json", [{"role": "user", "content": [held]}])))
    assert [(part.type, part.text, part.call_id) for part in turn.parts] == [
        ("tool_result", "one\ntwo", "t1"),
        ("image", "", "t1"),
    ]


@pytest.mark.requirement("F-INGEST-45")
def test_a_result_that_is_too_long_for_a_turn_becomes_several(tmp_path: Path) -> None:
    long = "a line of a log\n" * (MAX_TURN_CHARS // 10)
    result = {"type": "tool_result", "tool_use_id": "t1", "content": long}
    message = {"role": "user", "id": "u2", "content": [result, {"type": "text", "text": "why?"}]}
    found = turns(read(put(tmp_path, "m.json", [message])))
    count = -(-len(long) // (PIECE_CHARS - PIECE_CHARS % 16))  # cut after lines, which have 16 characters
    assert [turn.role for turn in found] == ["tool"] * count + ["user"]
    assert "".join(part.text for turn in found[:-1] for part in turn.parts) == long
    assert [turn.external_id for turn in found] == ["u2", *(f"u2#{n}" for n in range(1, count + 1))]
    assert {part.call_id for turn in found[:-1] for part in turn.parts} == {"t1"}


@pytest.mark.requirement("A-LINE-05")
def test_parts_as_clew_names_them_are_read_as_what_they_are(tmp_path: Path) -> None:
    parts = [
        {"type": "thinking", "text": "Let me look.", "extra": {"signature": "x"}},
        {"type": "tool_call", "name": "ls", "call_id": "c1", "text": '{"dir": "."}'},
    ]
    result = {"type": "tool_result", "name": "ls", "call_id": "c1", "text": "a.txt"}
    records = [
        {"role": "assistant", "content": parts},
        {"role": "tool", "content": [result]},
        {"role": "user", "content": [{"type": "injected", "text": "Be brief."}]},
        {"role": "user", "content": [{"type": "thinking", "text": "odd", "name": 5}]},
    ]
    found = list(read(put(tmp_path, "own.jsonl", lines(*records))))
    told = turns(found)
    assert [(turn.role, turn.text) for turn in told] == [
        ("assistant", 'Let me look.\nls({"dir": "."})'),
        ("tool", "a.txt"),
        ("user", "Be brief."),
        ("user", "odd"),
    ]
    assert [part.to_dict() for part in told[0].parts] == parts
    assert [part.to_dict() for part in told[1].parts] == [result]
    assert told[2].origin == "injected"
    assert rejections(found, tmp_path) == []


@pytest.mark.requirement("F-INGEST-26")
def test_what_the_person_asked_is_taken_out_of_cursor_s_frame(tmp_path: Path) -> None:
    def message(role: str, *texts: str) -> dict[str, Any]:
        return {"role": role, "message": {"content": [{"type": "text", "text": text} for text in texts]}}

    seen = "<open_and_recently_viewed_files>\na.py\n</open_and_recently_viewed_files>\n"
    path = put(
        tmp_path,
        "chat.jsonl",
        lines(
            message("user", "<user_query>\nrun the tests\n</user_query>"),
            message("assistant", "`<user_query>` is a tag."),
            message("user", f"{seen}<user_query>\nand now?\n</user_query>"),
        ),
    )
    assert [(turn.role, turn.origin, turn.text) for turn in turns(read(path))] == [
        ("user", "user", "run the tests"),
        ("assistant", "assistant", "`<user_query>` is a tag."),
        ("user", "injected", seen.strip()),
        ("user", "user", "and now?"),
    ]


@pytest.mark.requirement("F-INGEST-12")
def test_a_frame_of_cursor_s_that_is_quoted_in_a_line_is_the_person_s(tmp_path: Path) -> None:
    text = "<b>why</b> is there a <user_query>frame</user_query>?"
    path = put(tmp_path, "chat.jsonl", lines({"role": "user", "content": text}))
    assert [(turn.origin, turn.text) for turn in turns(read(path))] == [("user", text)]
