"""Messages of the four wire formats as turns, and the user's own words in them."""

import json
from typing import Any

import pytest

from clew.ingest.client_marks import split_words
from clew.ingest.exchange import is_from_user, own_words, wire_message
from clew.ingest.importers.message_turns import ImportedMessage, ToolNames, message_turns
from clew.ingest.importers.record import ImportedTurn
from clew.serve.proxy.wires import WIRES

PNG = "iVBORw0KGgo="
DATA = "data:image/png;base64"
FOUND = {"type": "text", "text": "X"}
REMINDER = "<system-reminder>\nUse the list.\n</system-reminder>"


def told(message: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Role, origin and text of a message's turns."""
    role, parts, _ = wire_message(message)
    imported = ImportedMessage(source="proxy", session="s", role=role, parts=ToolNames().name(parts), skip_blank=True)
    turns = [record.turn for record in message_turns(imported, "here") if isinstance(record, ImportedTurn)]
    return [(turn.role, str(turn.origin), "\n".join(part.text for part in turn.parts)) for turn in turns]


SHAPES: list[tuple[dict[str, Any], list[tuple[str, str, str]]]] = [
    ({"role": "user", "content": "Hi"}, [("user", "user", "Hi")]),
    ({"role": "user", "parts": {"text": "Hi"}}, [("user", "user", "Hi")]),
    ({"parts": [{"text": "Hi"}]}, [("user", "user", "Hi")]),
    (
        {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "https://x/y.png"}}]},
        [("user", "user", "https://x/y.png")],
    ),
    (
        {"role": "user", "content": [{"type": "image", "source": {"type": "file", "file_id": "f"}}]},
        [("user", "user", "[image]")],
    ),
    (
        {"role": "user", "content": [{"type": "video_url", "video_url": {"url": "u"}}]},
        [("user", "user", "[video_url]")],
    ),
    ({"role": "assistant", "audio": {"id": "a"}}, [("assistant", "assistant", "[audio]")]),
    ({"role": "assistant", "audio": {"id": "a", "transcript": "Hi"}}, [("assistant", "assistant", "Hi")]),
    ({"role": "assistant", "content": None, "refusal": "No."}, [("assistant", "assistant", "No.")]),
    ({"role": "critic", "content": "Hm"}, [("system", "user", "Hm")]),
    ({"type": "item_reference", "id": "x"}, [("system", "user", "[item_reference]")]),
    ({"type": "compaction", "encrypted_content": "x"}, [("system", "user", "[compaction]")]),
    ({"type": "reasoning", "summary": [], "encrypted_content": "x"}, []),
    (
        {"type": "mcp_call", "id": "m", "name": "n", "arguments": "{}", "output": "found"},
        [("assistant", "assistant", "{}"), ("tool", "tool", "found")],
    ),
    (
        {"type": "apply_patch_call", "call_id": "p", "operation": {"path": "a"}},
        [("assistant", "assistant", '{"path": "a"}')],
    ),
    ({"type": "apply_patch_call_output", "call_id": "p", "output": "done"}, [("tool", "tool", "done")]),
    (
        {"type": "shell_call_output", "call_id": "p", "output": [{"stdout": "OUT", "stderr": ""}]},
        [("tool", "tool", '[{"stdout": "OUT", "stderr": ""}]')],
    ),
    (
        {
            "role": "model",
            "parts": [{"executable_code": {"code": "print(1)"}}, {"codeExecutionResult": {"output": "1"}}],
        },
        [("assistant", "assistant", "print(1)"), ("tool", "tool", "1")],
    ),
    (
        {"role": "user", "content": [{"type": "search_result", "source": "u", "title": "T", "content": [FOUND]}]},
        [("user", "user", "T\nu\nX")],
    ),
    (
        {
            "role": "assistant",
            "content": [
                {"type": "server_tool_use", "id": "w", "name": "web_search", "input": {"query": "q"}},
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "w",
                    "content": [{"type": "web_search_result", "title": "T", "url": "u", "encrypted_content": "e"}],
                },
            ],
        },
        [("assistant", "assistant", '{"query": "q"}'), ("tool", "web", "T\nu")],
    ),
    (
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": "ok"},
                {"type": "text", "text": REMINDER},
            ],
        },
        [("tool", "tool", "ok"), ("user", "user", REMINDER)],
    ),
]


@pytest.mark.requirement("P-FMT-09")
@pytest.mark.parametrize(("message", "turns"), SHAPES, ids=[json.dumps(message)[:60] for message, _ in SHAPES])
def test_every_shape_of_a_message_gives_turns(message: dict[str, Any], turns: list[tuple[str, str, str]]) -> None:
    assert told(message) == turns


@pytest.mark.requirement("P-FMT-09")
def test_what_has_no_text_is_kept_in_brief() -> None:
    _, (part,), _ = wire_message({"type": "compaction", "id": "c1", "encrypted_content": "x" * 100_000})
    assert part.text == "[compaction]"
    assert "c1" in str(part.extra)
    assert len(str(part.extra)) < 500


@pytest.mark.requirement("P-FMT-09")
@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "parts": [{"inline_data": {"mime_type": "image/png", "data": PNG}}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "f", "response": {}, "parts": [{"inlineData": {"data": PNG}}]}}],
        },
        {
            "type": "computer_call_output",
            "call_id": "c",
            "output": {"type": "computer_screenshot", "image_url": f"{DATA},{PNG}"},
        },
    ],
)
def test_images_keep_their_bytes(message: dict[str, Any]) -> None:
    _, parts, _ = wire_message(message)
    assert [part.data for part in parts if part.type == "image"] == [b"\x89PNG\r\n\x1a\n"]


@pytest.mark.requirement("P-FMT-10")
@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Fix it.", "Fix it."),
        (f"{REMINDER}\nFix it.\n<environment_details>\nx\n</environment_details>", "Fix it."),
        (f"A\n{REMINDER}\nB", "A\nB"),
        (REMINDER, ""),
        ("<system-reminder>\ncut off", ""),
        ("What is `<system-reminder>` for?", "What is `<system-reminder>` for?"),
        ("Why\n<system-reminder>?", "Why\n<system-reminder>?"),
        ("<permissions instructions>\nx\n</permissions instructions>", ""),
        ('<teammate-message id="1">x</teammate-message>', ""),
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>y</INSTRUCTIONS>", ""),
        ("<session_context>\nThis is the Gemini CLI.\n</session_context>", ""),
        (
            "<attached_files>\nx\n</attached_files>\n<user_query>\nFix it.\n</user_query>",
            "Fix it.",
        ),
        (
            "### Task:\nRespond to the user query using the provided context, …\n<context>\nx\n</context>\n\nWhy?",
            "Why?",
        ),
        ("### Task:\nRespond to the user query using the provided context, …", ""),
        ("This session is being continued from a previous conversation that …", ""),
        ("<command-message>plan</command-message>\n<command-name>/plan</command-name>", ""),
        ("<command-name>/plan</command-name>\n<command-args>the port</command-args>", "the port"),
        ("Base directory for this skill: /x\n\nDo it.", ""),
        ("", ""),
    ],
)
def test_what_a_program_added_is_not_the_users(text: str, own: str) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    assert own_words(message) == own
    assert is_from_user(message) is WIRES["anthropic"].is_question(message) is bool(own)


@pytest.mark.requirement("P-FMT-10")
def test_only_a_user_asks() -> None:
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}
    for message in (result, {"role": "assistant", "content": "x"}, {"type": "function_call_output", "output": "x"}, {}):
        assert own_words(message) == ""
        assert not is_from_user(message)
    assert is_from_user({"role": "user", "content": [{"type": "image", "source": {"type": "file", "file_id": "f"}}]})


@pytest.mark.requirement("P-FMT-10")
@pytest.mark.parametrize(
    "text",
    [
        "<system-reminder>\n" * 30_000,
        "a\n" + "<skill>\n" * 30_000,
        "<" * 100_000,
        "<skill>x</skill>\n" * 200_000,
    ],
)
def test_many_openings_take_linear_time(text: str) -> None:
    assert "".join(piece for piece, _ in split_words(text)).split() == text.split()
