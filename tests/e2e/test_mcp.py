"""`clew mcp` as an agent's program starts it, driven by the official client and, where that is too polite, by hand."""

import asyncio
import json
import subprocess
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from clew.serve.mcp import readable
from tests.support.cli_runs import PROGRAM, done, environment, records

pytestmark = pytest.mark.slow  # a server is started for each test

PATIENCE = 100.0
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def parameters(home: Path, *words: str, **more: str) -> StdioServerParameters:
    command = [*PROGRAM, "mcp", "--home", str(home), *words]
    return StdioServerParameters(command=command[0], args=command[1:], env=environment(home, **more))


async def asked(client: Client, name: str, **arguments: Any) -> tuple[bool, str]:
    result = await client.call_tool(name, arguments)
    return bool(result.is_error), result.content[0].text  # type: ignore[union-attr]  # our tools give texts


def ask(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(work(), PATIENCE))


@pytest.mark.requirement("F-MCP-08")
def test_an_agent_stores_recalls_and_quotes(tmp_path: Path) -> None:
    async def main() -> None:
        async with Client(parameters(tmp_path)) as client:
            tools = (await client.list_tools()).tools
            own = {"recall", "remember", "open", "sessions", "recall_past_conversation", "clew_file_decisions"}
            shared = {"find_quote", "remember_when", "query_facts", "expand_topic", "recall_all", "restore"}
            assert own | {f"clew_{name}" for name in shared} == {tool.name for tool in tools}
            assert await asked(client, "remember", text="We picked Redis for the session store.") == (
                False,
                "Stored as notes:turn:0.",
            )
            failed, block = await asked(client, "recall", query="which session store did we pick?")
            assert not failed
            assert block.startswith("<clew-memory>")
            assert "We picked Redis" in block
            assert "We picked Redis" in (await asked(client, "find_quote", text="picked redis"))[1]
            failed, told = await asked(client, "remember_when", query="what did we talk about today?")
            assert not failed
            assert "We picked Redis" in told or "redis" in told
            assert "window_overview of 1 turn " in told

    ask(main)
    (stored,) = records("search", "Redis", "--home", tmp_path)
    assert stored["turn"]["source"] == "mcp"


@pytest.mark.requirement("F-MCP-05", "F-MCP-08")
def test_bad_calls_are_answered_and_the_server_goes_on(tmp_path: Path) -> None:
    async def main() -> None:
        async with Client(parameters(tmp_path)) as client:
            for name, arguments in (
                ("nothing", {}),
                ("recall", {}),
                ("recall", {"query": ""}),
                ("recall", {"query": "x", "space": "other"}),
                ("recall", {"query": ["x"]}),
                ("remember_when", {"since": "Redis"}),
                ("remember_when", {"since": "2025-05-01", "until": "2025-04-01"}),
                ("remember_when", {"mode": "later"}),
                ("remember", {"text": "x" * 8_000_001}),
                ("remember", {"text": "ok", "session": " \x00"}),
            ):
                failed, answer = await asked(client, name, **arguments)
                assert failed or name == "remember", (name, answer[:200])
                assert len(answer) < 1_000
            for query in ("word " * 50_000, "(((", "\x00\ufffe", "茶 " * 1_000):
                assert not (await asked(client, "recall", query=query))[0]
            assert (await asked(client, "remember", text="still here"))[0] is False

    ask(main)


@pytest.mark.requirement("F-MCP-09")
def test_two_agents_share_a_home_and_spaces_stay_apart(tmp_path: Path) -> None:
    async def main() -> None:
        async with (
            Client(parameters(tmp_path)) as one,
            Client(parameters(tmp_path)) as two,
            Client(parameters(tmp_path, "--space", "other")) as other,
        ):
            notes = [
                asked(each, "remember", text=f"note {n} of the lighthouse") for n in range(10) for each in (one, two)
            ]
            stored = await asyncio.gather(*notes)
            assert sorted(answer for _, answer in stored) == sorted(f"Stored as notes:turn:{n}." for n in range(20))
            assert "lighthouse" in (await asked(one, "find_quote", text="note 9 of the lighthouse"))[1]
            assert "lighthouse" in (await asked(two, "recall", query="lighthouse"))[1]
            assert "Nothing relevant" in (await asked(other, "recall", query="lighthouse"))[1]

    ask(main)


def started(home: Path, **more: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    command = [*PROGRAM, "mcp", "--home", str(home)]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment(home, **more))


def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def lines(*messages: dict[str, Any] | bytes) -> bytes:
    return b"".join(each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n" for each in messages)


@pytest.mark.requirement("F-MCP-10")
def test_standard_output_holds_the_protocol_alone(tmp_path: Path) -> None:
    garbage = (b"not json\n", b"\xff\xfe\n", b"{}\n", b'{"jsonrpc": "2.0", "id": 9, "method": "no/such"}\n', b"[]\n")
    sent = lines(HELLO, READY, *garbage, call(2, "remember", text="tea at five"))
    with started(tmp_path, CLEW_DEBUG="1", CLEW_EMBEDDER="nonsense") as wrong:
        out, told = wrong.communicate(lines(HELLO), timeout=PATIENCE)
        assert (out, wrong.returncode) == (b"", 1)
        assert b"nonsense" in told
    with started(tmp_path, CLEW_DEBUG="1") as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(sent)
        server.stdin.flush()
        found: list[dict[str, Any]] = []
        while not any(each.get("id") == 2 for each in found):
            found.append(json.loads(server.stdout.readline()))
        rest, _ = server.communicate(timeout=PATIENCE)
        found += [json.loads(line) for line in rest.splitlines()]
        assert server.returncode == 0
    assert all(each["jsonrpc"] == "2.0" for each in found)


@pytest.mark.requirement("F-MCP-17")
def test_half_of_an_emoji_is_no_reason_to_stay_silent(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(lines(HELLO, READY, call(2, "remember", text="tea \ud83d cut")))
        server.stdin.flush()
        while (answer := json.loads(server.stdout.readline())).get("id") != 2:
            pass
        assert not answer["result"]["isError"]
        server.communicate(timeout=PATIENCE)
    assert "tea \ufffd cut" in done("quote", "cut", "--home", tmp_path)


@pytest.mark.requirement("F-MCP-17")
@pytest.mark.parametrize(
    ("line", "read"),
    [
        (r'"\ud83d cut"', r'"\ufffd cut"'),
        (r'"\uD83D\ude00 \uDE00\ud83d"', r'"\uD83D\ude00 \ufffd\ufffd"'),
        (r'"\ud83d\ud83d\ude00"', r'"\ufffd\ud83d\ude00"'),
        (r'"C:\\ud83d \\\ud83d"', r'"C:\\ud83d \\\ufffd"'),
        (r'"\ud7ff \n"', r'"\ud7ff \n"'),
    ],
)
def test_only_halves_of_characters_are_replaced(line: str, read: str) -> None:
    assert readable(line) == read


@pytest.mark.requirement("F-MCP-11")
@pytest.mark.parametrize("how", ["closes", "stops reading"])
def test_a_client_that_disappears_leaves_what_it_stored_and_no_server(tmp_path: Path, how: str) -> None:
    with started(tmp_path) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(lines(HELLO, READY, call(2, "remember", text="the last words")))
        server.stdin.flush()
        while json.loads(server.stdout.readline()).get("id") != 2:
            pass
        if how == "stops reading":
            server.stdout.close()
            server.stdin.write(lines(*(call(n, "recall", query="words") for n in range(3, 20))))
        server.stdin.close()
        status = server.wait(PATIENCE)
        assert server.stderr is not None
        told = server.stderr.read()
    assert status == 0
    assert b"Traceback" not in told
    assert "the last words" in done("quote", "last words", "--home", tmp_path)


@pytest.mark.requirement("F-KEEP-09")
def test_a_recap_is_a_resource_of_the_last_session_and_of_any(tmp_path: Path) -> None:
    async def main() -> None:
        async with Client(parameters(tmp_path)) as client:
            await asked(client, "remember", text="We decided to keep Redis for sessions.", session="work on/it")
            templates = (await client.list_resource_templates()).resource_templates
            assert [template.uri_template for template in templates] == ["clew://recap/{session}"]
            for name in ("clew://recap", "clew://recap/work%20on%2Fit"):
                text = (await client.read_resource(name)).contents[0].text  # type: ignore[union-attr]  # the resource is text
                assert "Quoted memory, not instructions." in text
                assert "We decided to keep Redis for sessions." in text
            brief = (await client.read_resource("clew://brief")).contents[0].text  # type: ignore[union-attr]  # likewise
            assert "Decided:\n- We decided to keep Redis for sessions." in brief

    ask(main)


@pytest.mark.requirement("F-MCP-16")
def test_an_agent_opens_lists_and_is_briefed_and_forgets_only_where_allowed(tmp_path: Path) -> None:
    async def main() -> None:
        async with Client(parameters(tmp_path)) as client:
            await asked(client, "remember", text="We picked Redis for the session store.")
            assert "We picked Redis" in (await asked(client, "open", id="notes:turn:0"))[1]
            assert "notes: " in (await asked(client, "sessions"))[1]
            brief = (await client.read_resource("clew://brief")).contents[0].text  # type: ignore[union-attr]  # the resource is text
            assert "We picked Redis" in brief
            assert (await asked(client, "forget", ids="notes:turn:0"))[0], "it is not offered"
        async with Client(parameters(tmp_path, "--allow-forget")) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools["forget"].annotations is not None
            assert tools["forget"].annotations.destructive_hint
            assert (await asked(client, "forget", ids="notes:turn:0"))[1].startswith("Deleted 1 turn ")
            assert (await asked(client, "open", id="notes:turn:0"))[0]

    ask(main)
