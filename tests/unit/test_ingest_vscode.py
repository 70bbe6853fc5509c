"""Chats in VS Code: exported ones, and its session files."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.errors import FormatError
from clew.ingest.importers import detect, find_sessions
from tests.support.ingest_reading import lines, put, read, rejections, said, skipped, turns
from tests.support.memories import quiet

pytestmark = pytest.mark.requirement("F-INGEST-98")

SAID = {"kind": "markdownContent", "content": {"value": "Done. See "}}
FILE = {
    "kind": "inlineReference",
    "inlineReference": {"$mid": 1, "fsPath": "/shop/src/cart.py", "path": "/shop/src/cart.py"},
}
CALL = {"id": "call_1", "name": "read_file", "arguments": '{"filePath": "/shop/src/cart.py"}'}
HIDDEN = {"id": "call_2", "name": "manage_todo_list", "arguments": '{"todo": "round"}'}
TREE = {
    "node": {"type": 1, "children": [{"type": 2, "text": "total = 0"}, {"text": "tax = 7", "lineBreakBefore": True}]}
}
RESULTS = {"call_1": {"content": [{"value": TREE}]}, "call_2": {"content": [{"value": "noted"}]}}


def shown(tool: str, **members: Any) -> dict[str, Any]:
    return {"kind": "toolInvocationSerialized", "toolId": tool, "toolCallId": "of-vs-code", **members}


def asked(n: int, text: str, *response: Any, **members: Any) -> dict[str, Any]:
    """A request, sent at a full minute and answered in two seconds."""
    return {
        "requestId": f"request_{n}",
        "responseId": f"response_{n}",
        "message": {"text": text, "parts": [{"text": text, "kind": "text"}]},
        "timestamp": 1768382400000 + n * 60_000,
        "modelId": "copilot/gpt-4.1",
        "response": list(response),
        "result": {"timings": {"totalElapsed": 2000}},
        **members,
    }


def session(*requests: Any, **members: Any) -> dict[str, Any]:
    return {"responderUsername": "GitHub Copilot", "initialLocation": "panel", "requests": list(requests), **members}


def of_model(*rounds: Any) -> dict[str, Any]:
    metadata = {"toolCallRounds": list(rounds), "toolCallResults": RESULTS, "sessionId": "s1"}
    return {"timings": {"totalElapsed": 2000}, "metadata": metadata}


WORK = asked(
    0,
    "why is the total wrong?",
    {"kind": "mcpServersStarting", "didStartServerIds": []},
    {"kind": "thinking", "value": "The cart will tell.", "id": "t"},
    {"kind": "thinking", "value": "", "id": ""},
    shown("copilot_readFile", isComplete=False),
    shown("copilot_readFile", pastTenseMessage={"value": "Read [](file:///shop/src/cart.py)"}),
    {"value": "\n```\n"},
    {"kind": "codeblockUri", "uri": {"path": "/shop/src/cart.py"}},
    {"value": "\n```\n"},
    SAID,
    FILE,
    {"value": "."},
    {"kind": "undoStop", "id": "u"},
    result=of_model({"toolCalls": [CALL]}, {"toolCalls": [HIDDEN]}),
    followups=[{"kind": "reply", "message": "Now add a test"}],
    variableData={
        "variables": [
            {"kind": "file", "id": "vscode.implicit.selection", "name": "file:cart.py"},
            {"kind": "file", "id": "f", "name": "file:tax.py"},
            {"kind": "paste", "name": "Pasted code", "code": "total += 1"},
        ]
    },
)


def test_an_export_has_questions_answers_calls_and_results(tmp_path: Path) -> None:
    path = put(tmp_path, "chat.json", session(WORK))
    assert detect(path) == "vscode"
    records = read(path)
    found = turns(records)
    assert [(turn.role, turn.origin, [(part.type, part.name, part.text) for part in turn.parts]) for turn in found] == [
        ("user", "user", [("text", None, "why is the total wrong?")]),
        ("user", "injected", [("injected", "Pasted code", "total += 1")]),
        (
            "assistant",
            "assistant",
            [("thinking", None, "The cart will tell."), ("tool_call", "read_file", CALL["arguments"])],
        ),
        ("tool", "tool", [("tool_result", "read_file", "total = 0\ntax = 7")]),
        ("assistant", "assistant", [("tool_call", "manage_todo_list", HIDDEN["arguments"])]),
        ("tool", "tool", [("tool_result", "manage_todo_list", "noted")]),
        ("assistant", "assistant", [("text", None, "Done. See `cart.py`.")]),
    ]
    assert {turn.session for turn in found} == {"s1"}
    assert [turn.at and turn.at.strftime("%M:%S") for turn in found[:3]] == ["20:00", "20:00", "20:02"]
    assert found[0].metadata == {"client": "GitHub Copilot", "files": ["tax.py"]}
    assert found[2].metadata == {"client": "GitHub Copilot", "model": "gpt-4.1"}
    assert rejections(records, tmp_path) == []


def test_an_old_chat_without_times_and_ids_begins_when_it_was_made(tmp_path: Path) -> None:
    old = {"message": "hi", "response": ["Hello, ", {"value": "there."}]}
    path = put(tmp_path, "talk.json", session(old, old, creationDate=1700000000000, welcomeMessage=["Hi"]))
    with quiet() as memory:
        assert memory.import_path(path).added == 4
        assert memory.import_path(path).known == 4
        found = list(memory.turns("talk"))
    assert [(turn.role, turn.text) for turn in found] == [("user", "hi"), ("assistant", "Hello, there.")] * 2
    assert [turn.at is not None for turn in found] == [True, False, False, False]


def test_a_tool_of_which_the_model_s_call_is_not_kept_is_what_was_shown(tmp_path: Path) -> None:
    terminal = shown("run_in_terminal", toolSpecificData={"kind": "terminal", "commandLine": {"original": "make"}})
    terminal["toolSpecificData"]["terminalCommandOutput"] = {"text": "ok"}
    search = shown(
        "search", toolCallId="2", pastTenseMessage="Searched for `tax`", resultDetails=[{"path": "/shop/tax.py"}]
    )
    mcp = shown("db", toolCallId="3", resultDetails={"input": '{"q": 1}', "output": [{"value": "no"}], "isError": True})
    edit = {
        "kind": "textEditGroup",
        "uri": {"path": "/a/b.md"},
        "edits": [[{"text": "# B"}], [{"text": "\n"}], [{"text": "b"}]],
    }
    found = turns(read(put(tmp_path, "chat.json", session(asked(0, "go", terminal, search, mcp, edit)))))
    assert [(part.type, part.name, part.text) for turn in found[1:] for part in turn.parts] == [
        ("tool_call", "run_in_terminal", '{"command": "make"}'),
        ("tool_result", "run_in_terminal", "ok"),
        ("tool_call", "search", "Searched for `tax`"),
        ("tool_result", "search", "/shop/tax.py"),
        ("tool_call", "db", '{"q": 1}'),
        ("tool_result", "db", "no"),
        ("tool_call", "edit_file", json.dumps({"filePath": "/a/b.md", "content": "# B\nb"})),
    ]


def test_what_vs_code_says_itself_is_nobodys_words(tmp_path: Path) -> None:
    noted = asked(
        0, "go", {"kind": "warning", "content": {"value": "Slow."}}, result={"errorDetails": {"message": "Cut off."}}
    )
    own = asked(1, "The terminal ended", {"value": "Fine."}, isSystemInitiated=True)
    found = turns(read(put(tmp_path, "chat.json", session(noted, own))))
    assert [(turn.origin, turn.text) for turn in found] == [
        ("user", "go"),
        ("injected", "Slow.\nCut off."),
        ("injected", "The terminal ended"),
        ("assistant", "Fine."),
    ]


def test_a_log_of_changes_gives_the_session_that_it_ends_with(tmp_path: Path) -> None:
    log = [
        {"kind": 0, "v": {"version": 3, "sessionId": "s2", "creationDate": 1768382400000, "requests": []}},
        {"kind": 2, "k": ["requests"], "v": [asked(0, "draft", {"value": "No."})]},
        {"kind": 2, "k": ["requests"], "v": [asked(1, "fix it", result=None, modelState={"value": 0})], "i": 0},
        {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "Wor"}]},
        {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "Working. "}, {"value": "Fixed."}], "i": 0},
        {"kind": 1, "k": ["customTitle"], "v": "A fix"},
        {"kind": 1, "k": ["inputState", "inputText"], "v": ""},
        {"kind": 3, "k": ["requests", 0, "followups"]},
    ]
    folder = ".config/Code/User/workspaceStorage/abc"
    put(tmp_path, f"{folder}/workspace.json", {"folder": "file:///home/ann/my%20shop"})
    path = put(tmp_path, f"{folder}/chatSessions/s2.jsonl", lines(*log))
    other = put(tmp_path, ".vscode-server/data/User/globalStorage/emptyWindowChatSessions/s3.json", session(WORK))
    assert (find_sessions("vscode", tmp_path), detect(path)) == ([path, other], "vscode")
    records = read(path)
    assert said(records) == [("user", "fix it")], "the response is still being written"
    assert "response that is not finished" in skipped(records)
    assert rejections(records, tmp_path) == [
        (f"{folder}/chatSessions/s2.jsonl:7", rejections(records, tmp_path)[0][1])
    ], "there is no state of the input that could be changed"
    done = [{"kind": 1, "k": ["requests", 0, "modelState"], "v": {"value": 1, "completedAt": 1768382470000}}]
    put(tmp_path, f"{folder}/chatSessions/s2.jsonl", lines(*log, *done))
    found = turns(read(path))
    assert [(turn.role, turn.text) for turn in found] == [("user", "fix it"), ("assistant", "Working. Fixed.")]
    assert found[1].metadata == {"title": "A fix", "cwd": "/home/ann/my shop", "model": "gpt-4.1"}
    assert found[1].at is not None
    assert found[1].at.strftime("%M:%S") == "21:10"


def test_the_first_line_of_a_log_alone_is_a_session(tmp_path: Path) -> None:
    path = put(tmp_path, "s.jsonl", lines({"kind": 0, "v": session(WORK, sessionId="s1")}))
    assert detect(path) == "vscode"
    assert len(turns(read(path))) == 7


def test_a_response_whose_time_is_beyond_all_numbers_is_read(tmp_path: Path) -> None:
    late = asked(0, "hi", SAID, timestamp=10**400, result={"timings": {"totalElapsed": 1.5}})
    assert [turn.role for turn in turns(read(put(tmp_path, "chat.json", session(late))))] == ["user", "assistant"]


def test_calls_are_put_to_what_was_shown_in_linear_time(tmp_path: Path) -> None:
    """The square of these numbers would take longer than the time limit of all tests."""
    count = 6_000
    edits = [{"kind": "textEditGroup", "uri": {"path": f"/src/{n}.py"}, "edits": [{"text": "x"}]} for n in range(count)]
    calls = [{"id": f"c{n}", "name": "create_file", "arguments": {"filePath": f"/src/a{n}.py"}} for n in range(count)]
    tools = [shown(f"tool{n}", toolCallId=f"t{n}") for n in range(count)]
    request = asked(0, "go", *tools, *edits, result=of_model({"toolCalls": calls}))
    parts = [part for turn in turns(read(put(tmp_path, "chat.json", session(request)))) for part in turn.parts]
    assert sum(part.type == "tool_call" for part in parts) == 3 * count


@pytest.mark.parametrize(("path", "is_known"), [("/shop/my cart.py", True), ("/shop/art.py", False)])
def test_an_edit_is_told_by_the_name_of_its_file(tmp_path: Path, path: str, is_known: bool) -> None:
    call = {"id": "c", "name": "create_file", "arguments": '{"filePath": "/shop/my cart.py"}'}
    edit = {"kind": "textEditGroup", "uri": {"path": path}, "edits": [{"text": "x"}]}
    found = turns(
        read(put(tmp_path, "chat.json", session(asked(0, "go", edit, result=of_model({"toolCalls": [call]})))))
    )
    names = [part.name for turn in found for part in turn.parts if part.type == "tool_call"]
    assert names == (["create_file"] if is_known else ["create_file", "edit_file"])


def test_requests_of_another_program_are_no_chat(tmp_path: Path) -> None:
    other = {"info": {"name": "API"}, "requests": [{"name": "Log in", "method": "GET", "response": [{"status": 200}]}]}
    with pytest.raises(FormatError, match="no known format"):
        detect(put(tmp_path, "collection.json", other))
