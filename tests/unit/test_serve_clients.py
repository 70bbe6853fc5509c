"""Programs recognised by their requests, in the shapes that docs/proxy.md lists."""

import json
from typing import Any

import pytest

from clew.serve.proxy.clients import recognised
from clew.serve.proxy.exchange import ClientMark, SideRequest
from clew.serve.proxy.wires import WIRES, wire_of

UUID = "123e4567-e89b-12d3-a456-426614174000"
HI = {"role": "user", "content": "Hi"}
CLAUDE = [{"type": "text", "text": "x-anthropic-billing-header: cc_version=2; cc_entrypoint=cli;"}, {"text": "…"}]


def mark(wire: str, body: dict[str, Any], **headers: str) -> ClientMark:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return recognised(WIRES[wire].read("/v1beta/models/m:generateContent", named, json.dumps(body).encode()))


def anthropic(text: str = "Hi", **members: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": text}], **members}


@pytest.mark.requirement("P-FMT-07")
def test_claude_code_tells_its_session_in_three_ways() -> None:
    old = anthropic(metadata={"user_id": f"user_ab12_account__session_{UUID}"})
    assert mark("anthropic", old) == ClientMark("claude-code", UUID)
    new = json.dumps({"device_id": "d", "account_uuid": "", "session_id": UUID})
    assert mark("anthropic", anthropic(metadata={"user_id": new})) == ClientMark("claude-code", UUID)
    by_header = mark(
        "anthropic", anthropic(), user_agent="claude-cli/2.1 (external, cli)", x_claude_code_session_id="s"
    )
    assert by_header == ClientMark("claude-code", "s")
    translated = {"messages": [HI], "user": f"user_ab12_account_{UUID}_session_{UUID}"}
    assert mark("openai", translated) == ClientMark("claude-code", UUID)


@pytest.mark.requirement("P-FMT-07")
def test_subagents_of_claude_code_have_conversations_of_their_own() -> None:
    body = anthropic(metadata={"user_id": f"user_a_account__session_{UUID}"})
    named = mark("anthropic", body, x_claude_code_session_id=UUID, x_claude_code_agent_id="a1")
    assert named == ClientMark("claude-code", f"{UUID}/a1", subagent=True)
    unnamed = ClientMark("claude-code", None, subagent=True, main=UUID)
    billed = [{"type": "text", "text": f"{CLAUDE[0]['text']} cc_is_subagent=true;"}]
    assert mark("anthropic", {**body, "system": billed}) == unnamed
    system = "You are Claude Code, Anthropic's official CLI for Claude.\nYou are an agent for Claude Code, …"
    assert mark("anthropic", {**body, "system": system}) == unnamed
    main = system.split("\n", maxsplit=1)[0]
    assert mark("anthropic", {**body, "system": main}) == ClientMark("claude-code", UUID)
    notes = "Notes:\n- Agent threads always have their cwd reset between bash calls, as a result …"
    own = [
        {"type": "text", "text": main},
        {"type": "text", "text": "\n".join(["You review code.", *["Be thorough."] * 40, notes])},
    ]
    assert mark("anthropic", {**body, "system": own}) == unnamed


@pytest.mark.requirement("P-FMT-07")
def test_agents_that_people_define_for_claude_code_1_are_told_by_what_the_main_one_has() -> None:
    agent = "claude-cli/1.0.128 (external, cli)"
    tools = [{"name": "Read", "input_schema": {"type": "object"}}]
    identity = {"type": "text", "text": "You are Claude Code, Anthropic's official CLI for Claude."}
    own = {"type": "text", "text": "You review code.\n\nHere is useful information about the environment …"}
    main = {"type": "text", "text": "\nYou are an interactive CLI tool that helps users with software engineering …"}
    body = anthropic(metadata={"user_id": f"user_a_account__session_{UUID}"}, tools=tools)
    unnamed = ClientMark("claude-code", None, subagent=True, main=UUID)
    assert mark("anthropic", {**body, "system": [identity, own]}, user_agent=agent) == unnamed
    known = ClientMark("claude-code", UUID)
    assert mark("anthropic", {**body, "system": [identity, main]}, user_agent=agent) == known
    assert mark("anthropic", {**body, "system": [identity, own], "tools": []}, user_agent=agent) == known
    for other in ("claude-cli/1.0.128 (external, sdk-py)", "claude-cli/2.1.3 (external, cli)"):
        assert mark("anthropic", {**body, "system": [identity, own]}, user_agent=other) == known
    summary = {"type": "text", "text": "You are a helpful AI assistant tasked with summarizing conversations."}
    asked = mark("anthropic", {**body, "system": [identity, summary]}, user_agent=agent)
    assert (asked.session, asked.side) == (UUID, SideRequest.COMPACTION)


@pytest.mark.requirement("P-FMT-08")
@pytest.mark.parametrize(
    ("body", "side"),
    [
        (anthropic("quota", max_tokens=1), SideRequest.WARM_UP),
        (anthropic("Warmup"), SideRequest.WARM_UP),
        (anthropic("[SUGGESTION MODE: Suggest what …]"), SideRequest.AUXILIARY),
        (anthropic("\nWeb page content:\n---\n# Page\n---\n\nWhat is …"), SideRequest.AUXILIARY),
        (
            anthropic(system="You are a helpful AI assistant tasked with summarizing conversations."),
            SideRequest.COMPACTION,
        ),
        (anthropic("Please write a 5-10 word title for the following conversation:\n\n…"), SideRequest.TITLE),
        (
            anthropic(system=[*CLAUDE, {"text": "Analyze if this message indicates a new conversation topic. …"}]),
            SideRequest.TITLE,
        ),
        (anthropic("Your task is to create a detailed summary of the conversation so far, …"), SideRequest.COMPACTION),
        (anthropic("Your task is to create a summary of the meeting."), None),
        (anthropic(max_tokens=1), SideRequest.WARM_UP),
        (anthropic(max_tokens=-1), None),
        (anthropic(max_tokens=True), None),
        (anthropic("What does `[SUGGESTION MODE:` mean?"), None),
    ],
)
def test_requests_that_claude_code_makes_for_itself(body: dict[str, Any], side: SideRequest | None) -> None:
    headers = {"user_agent": "claude-cli/2.1", "x_claude_code_session_id": UUID}
    assert mark("anthropic", body, **headers) == ClientMark("claude-code", UUID, side)


@pytest.mark.requirement("P-FMT-08")
@pytest.mark.parametrize(
    ("kind", "side"),
    [("main", None), ("compaction", SideRequest.COMPACTION), ("auxiliary", SideRequest.AUXILIARY)],
)
def test_claude_code_may_tell_the_kind_of_a_request(kind: str, side: SideRequest | None) -> None:
    headers = {"x_claude_code_session_id": UUID, "x_claude_code_request_class": kind}
    assert mark("anthropic", anthropic(), **headers) == ClientMark("claude-code", UUID, side)


@pytest.mark.requirement("P-FMT-07")
def test_codex_is_known_by_its_thread() -> None:
    body = {"input": "Hi", "prompt_cache_key": "key"}
    assert mark("responses", body, originator="codex_cli_rs", thread_id="t1", session_id="s1") == ClientMark(
        "codex", "t1"
    )
    assert mark("responses", body, user_agent="codex_exec/0.147") == ClientMark("codex", "key")
    turn = {"client_metadata": {"x-codex-turn-metadata": json.dumps({"thread_id": "t2"})}}
    assert mark("responses", {**body, **turn}, user_agent="codex_cli_rs/0.1") == ClientMark("codex", "t2")
    child = mark("responses", body, user_agent="codex_cli_rs/0.1", thread_id="c1", x_openai_subagent="collab_spawn")
    assert child == ClientMark("codex", "c1", subagent=True)


@pytest.mark.requirement("P-FMT-08")
def test_codex_compacts_and_warms_up() -> None:
    text = "You are performing a CONTEXT CHECKPOINT COMPACTION. Create …"
    body = {"input": [HI, {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]}
    assert mark("responses", body).side is SideRequest.COMPACTION
    assert mark("responses", {"input": "x"}, user_agent="codex", x_openai_subagent="compact").side is not None
    assert mark("responses", {"input": [], "generate": False}).side is SideRequest.WARM_UP


@pytest.mark.requirement("P-FMT-07", "P-FMT-08")
def test_gemini_cli_and_its_errands() -> None:
    def asked(text: str, system: str = "You are Gemini CLI, an …") -> ClientMark:
        body = {
            "contents": [{"role": "user", "parts": [{"text": text}]}],
            "systemInstruction": {"parts": [{"text": system}]},
        }
        return mark("gemini", body)

    assert asked("Hi") == ClientMark("gemini-cli")
    assert asked("Hi", "You are a specialized Task Routing AI. …").side is SideRequest.AUXILIARY
    assert (
        asked("Analyze *only* the content and structure of your immediately preceding …").side is SideRequest.AUXILIARY
    )
    snapshot = "You are a specialized system component responsible for distilling chat history …"
    assert asked("…", f"\n{snapshot}").side is SideRequest.COMPACTION
    assert mark("gemini", {"contents": []}, user_agent="GeminiCLI/0.30/gemini-3 (linux; x64)").name == "gemini-cli"


@pytest.mark.requirement("P-FMT-07", "P-FMT-08")
@pytest.mark.parametrize(
    ("words", "side"),
    [
        ("Generate a concise, 3-5 word title with an emoji summarizing the chat history.", SideRequest.TITLE),
        ("Generate 1-3 broad tags categorizing …", SideRequest.TITLE),
        ("Suggest 3-5 relevant follow-up questions …", SideRequest.TITLE),
        ("Analyze the chat history to determine the necessity of generating search queries …", SideRequest.AUXILIARY),
        ("Respond to the user query using the provided context, …\n<context>x</context>\nWhy?", None),
    ],
)
def test_open_webui_is_known_by_header_and_tasks(words: str, side: SideRequest | None) -> None:
    body = {"messages": [{"role": "user", "content": f"### Task:\n{words}"}]}
    assert mark("openai", body, x_openwebui_chat_id="c1") == ClientMark("open-webui", "c1", side)
    assert mark("openai", body).name == ("open-webui" if side else "")


@pytest.mark.requirement("P-FMT-08")
@pytest.mark.parametrize(
    "system",
    [
        'Available Tools: [{"name": "clock"}]\n\nYour task is to choose and return the correct tool(s) from the list …',
        'Available Tools: [{"name": "clock"}]\nReturn an empty string if no tools match the query. If a …',
    ],
)
def test_open_webui_chooses_tools_aside(system: str) -> None:
    question = "Query: History:\nUSER: My dentist is Dr. Lund.\nASSISTANT: Noted.\nQuery: What time is it?"
    body = {"messages": [{"role": "system", "content": system}, {"role": "user", "content": question}]}
    assert mark("openai", body) == ClientMark("open-webui", None, SideRequest.AUXILIARY)
    merged = "You have been provided with a set of responses from various models to the latest user query: …"
    assert mark("openai", {"messages": [{"role": "user", "content": merged}]}).side is SideRequest.AUXILIARY


@pytest.mark.requirement("P-FMT-08")
def test_what_librechat_tells_its_own_memory_is_no_turn() -> None:
    told = {"role": "user", "content": "# Current Chat:\n\nHuman: My dentist is Dr. Lund.\nAI: Noted."}
    assert mark("openai", {"messages": [told]}) == ClientMark("librechat", None, SideRequest.AUXILIARY)
    system = "Use the `set_memory` tool to save important information about the user, but ONLY when …"
    call = {"id": "c1", "type": "function", "function": {"name": "set_memory", "arguments": "{}"}}
    after_a_call = [
        {"role": "system", "content": system},
        told,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "Saved."},
    ]
    assert mark("openai", {"messages": after_a_call}).side is SideRequest.AUXILIARY


@pytest.mark.requirement("P-FMT-08")
def test_gemini_cli_streams_what_is_a_turn() -> None:
    body = {
        "contents": [{"role": "user", "parts": [{"text": "newest release of node"}]}],
        "systemInstruction": {"parts": [{"text": "You are Gemini CLI, an interactive CLI agent …"}]},
        "tools": [{"googleSearch": {}}],
    }
    agent = "GeminiCLI/0.61.0/gemini-3-pro (linux; x64)"
    assert mark("gemini", body, user_agent=agent).side is SideRequest.AUXILIARY
    streamed = WIRES["gemini"].read(
        "/v1beta/models/m:streamGenerateContent", {"user-agent": agent}, json.dumps(body).encode()
    )
    assert recognised(streamed).side is None
    assert mark("gemini", body).side is None


@pytest.mark.requirement("P-FMT-07")
@pytest.mark.parametrize(
    ("system", "headers", "name"),
    [
        ("You are an AI coding assistant, powered by X. You operate in Cursor.", {}, "cursor"),
        ("You are Cline, a highly …", {}, "cline"),
        ("", {"x_title": "Roo Code"}, "roo-code"),
        ("Act as an expert software developer.\nAlways …", {"user_agent": "OpenAI/Python 3.54"}, "aider"),
        ("", {"user_agent": "AsyncOpenAI/Python 3.54"}, "openai-sdk"),
        ("", {"user_agent": "curl/8"}, ""),
        ("You are helpful. You know Claude Code.", {}, ""),
    ],
)
def test_other_programs_have_names(system: str, headers: dict[str, str], name: str) -> None:
    found = mark("openai", {"messages": [{"role": "system", "content": system}, HI]}, **headers)
    assert found == ClientMark(name)


@pytest.mark.requirement("P-FMT-07")
def test_only_what_means_one_conversation_is_an_id() -> None:
    body = {
        "messages": [HI],
        "user": "u",
        "safety_identifier": "u",
        "prompt_cache_key": "shared",
        "previous_response_id": "r",
    }
    assert mark("openai", body, x_request_id="r", session_id="s", x_session_id="s") == ClientMark()
    assert mark("openai", body, x_conversation_id="c").session == "c"
    assert mark("openai", {**body, "metadata": {"user_id": "u", "thread_id": "t"}}).session == "t"
    assert mark("responses", {"input": "x", "conversation": {"id": "conv_1"}}).session == "conv_1"
    assert mark("responses", {"input": "x", "conversation": "conv_1"}).session == "conv_1"
    for odd in (" ", "x" * 201, "a\nb", "\ud800"):
        assert mark("openai", {"messages": [HI], "metadata": {"thread_id": odd}}).session is None


@pytest.mark.requirement("P-FMT-07")
def test_no_value_of_any_type_is_an_error() -> None:
    values: tuple[object, ...] = (1, None, [], {}, True, "x", {"user_id": 3}, {"id": 4})
    for odd in values:
        names = ("metadata", "conversation", "client_metadata", "generationConfig", "user", "max_tokens", "system")
        body = {"messages": [HI], "contents": [HI], "input": "x", **dict.fromkeys(names, odd)}
        for name in WIRES:
            assert isinstance(mark(name, body, user_agent="claude-cli/1"), ClientMark)
    assert wire_of("POST", "/v1/messages") is not None


@pytest.mark.requirement("P-LFT-06")
@pytest.mark.parametrize(
    ("wire", "body", "folder"),
    [
        (
            "anthropic",
            {"system": "You are Claude Code, …\n<env>\nWorking directory: /w/app\nIs directory a git"},
            "/w/app",
        ),
        (
            "anthropic",
            {"system": "You are Claude Code, …\n - Primary working directory: /w/my app\n - Is a"},
            "/w/my app",
        ),
        ("anthropic", {"system": "You are Claude Code, …"}, None),
        ("anthropic", {"system": "I have a note. Working directory: /w/app"}, None),
    ],
)
def test_the_folder_is_known_by_the_instructions(wire: str, body: dict[str, Any], folder: str | None) -> None:
    assert mark(wire, anthropic(**body)).folder == folder


@pytest.mark.requirement("P-LFT-06")
def test_the_folder_is_known_by_the_first_messages() -> None:
    context = "<environment_context>\n  <cwd>/w/app</cwd>\n  <shell>bash</shell>\n</environment_context>"
    body: dict[str, Any] = {
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": context}]}]
    }
    named = WIRES["responses"].read("/v1/responses", {"originator": "codex_cli_rs"}, json.dumps(body).encode())
    assert recognised(named).folder == "/w/app"
    for told in (
        "My operating system is: linux\nI'm currently working in the directory: /w/app\nHere is the folder",
        "- **Workspace Directories:**\n  - /w/app\n- **Directory Structure:**",
    ):
        body = {
            "contents": [{"role": "user", "parts": [{"text": told}]}],
            "systemInstruction": {"parts": [{"text": "You are Gemini CLI, …"}]},
        }
        assert mark("gemini", body).folder == "/w/app"
