"""The REST API and MCP over HTTP through the real server, with tokens, hosts and the official MCP client."""

import asyncio
import json
import logging
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.support.proxies import proxy
from tests.support.raw_upstreams import PATIENCE

NOWHERE = "http://127.0.0.1:9"
ALICE, BOB, READER = "alice-has-a-token", "bob-has-a-token", "a-reader-of-alice"
TOKENS = (f"alice={ALICE}", f"bob={BOB}", f"alice:read={READER}")


def through(url: str, token: str) -> httpx2.Client:
    return httpx2.Client(base_url=url + "/clew/api/v1", headers={"X-Clew-Token": token}, timeout=PATIENCE)


@pytest.mark.requirement("P-SRF-20", "P-SRF-23")
def test_tokens_give_a_space_and_scopes() -> None:
    with proxy(NOWHERE, tokens=TOKENS) as server:
        turns = {"turns": [{"role": "user", "text": "The lighthouse is Alice's."}]}
        with (
            through(server.url, ALICE) as alice,
            through(server.url, BOB) as bob,
            through(server.url, READER) as reader,
        ):
            assert alice.post("/turns", json=turns).json()["added"] == 1
            question = {"query": "whose is the lighthouse?"}
            assert "Alice's" in alice.post("/recall", json=question).json()["text"]
            assert bob.post("/recall", json=question).json()["items"] == []
            assert "Alice's" in reader.post("/recall", json=question).json()["text"]
            assert reader.post("/turns", json=turns).json()["error"]["code"] == "forbidden"
            assert alice.get("/stats", headers={"Host": "evil.example"}).json()["error"]["code"] == "forbidden"
            assert alice.get("/stats", headers={"Origin": "https://evil.example"}).status_code == 403
        with through(server.url, "a-wrong-token") as nobody:
            refused = nobody.get("/stats")
            assert (refused.status_code, refused.json()["error"]["code"]) == (401, "unauthorised")
            assert "serve.tokens" not in refused.json()["error"]["message"]


@pytest.mark.requirement("P-SRF-08")
def test_the_official_client_speaks_mcp_over_http() -> None:
    async def text(client: Client, name: str, **arguments: Any) -> str:
        result: Any = await client.call_tool(name, arguments)
        return str(result.content[0].text)

    async def main(url: str) -> None:
        @asynccontextmanager
        async def connected(token: str) -> AsyncIterator[Client]:
            async with (
                httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE) as http,
                Client(streamable_http_client(url + "/clew/mcp", http_client=http)) as client,
            ):
                yield client

        async with connected(ALICE) as alice, connected(BOB) as bob, connected(READER) as reader:
            assert await text(alice, "remember", text="The lighthouse is Alice's.") == "Stored as notes:turn:0."
            assert "Alice's" in await text(reader, "recall", query="whose is the lighthouse?")
            assert "Nothing relevant" in await text(bob, "recall", query="whose is the lighthouse?")
            assert "remember" not in {tool.name for tool in (await reader.list_tools()).tools}
            notes = [text(alice, "remember", text=f"note {n}") for n in range(8)]
            assert len(set(await asyncio.gather(*notes))) == 8
        with pytest.raises(Exception, match=r".") as caught:
            async with connected("a-wrong-token"):
                pass
        assert "AssertionError" not in repr(caught.value)

    with proxy(NOWHERE, tokens=TOKENS) as server:
        asyncio.run(asyncio.wait_for(main(server.url), 60))
        for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            refused = httpx2.post(
                server.url + "/clew/mcp", json={}, headers={"X-Clew-Token": ALICE, **headers}, timeout=PATIENCE
            )
            assert refused.status_code == 403


@pytest.mark.requirement("F-RELAY-02")
@pytest.mark.parametrize(
    ("settings", "is_offered"), [({}, False), ({"allow_forget": True}, True), ({"tokens": (f"default={ALICE}",)}, True)]
)
def test_a_server_without_a_token_offers_to_forget_only_where_it_may(
    settings: dict[str, Any], is_offered: bool
) -> None:
    async def names(url: str) -> set[str]:
        async with (
            httpx2.AsyncClient(headers={"X-Clew-Token": ALICE}, timeout=PATIENCE) as http,
            Client(streamable_http_client(url + "/clew/mcp", http_client=http)) as client,
        ):
            return {tool.name for tool in (await client.list_tools()).tools}

    with proxy(NOWHERE, **settings) as server:
        offered = asyncio.run(asyncio.wait_for(names(server.url), 60))
        assert "remember" in offered
        assert ("forget" in offered) == is_offered


@pytest.mark.requirement("P-SRF-08")
def test_clients_that_go_away_in_the_middle_of_a_call_disturb_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """A third of them sends nothing of it, a third one half, and a third does not wait for the answer: no failure."""

    def call(name: str, **arguments: str) -> bytes:
        params = {"name": name, "arguments": arguments}
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()

    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with caplog.at_level(logging.INFO), proxy(NOWHERE) as server:
        place = urlsplit(server.url)
        for n in range(12):
            body = call("remember", text=f"lighthouse {n}")
            fields = {**headers, "Host": place.netloc, "Content-Length": str(len(body))}
            head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
            with socket.create_connection((place.hostname, place.port)) as client:
                client.sendall(f"POST /clew/mcp HTTP/1.1\r\n{head}\r\n".encode())
                client.sendall(body[: (0, len(body) // 2, len(body))[n % 3]])
                if n % 2:  # as the system ends it for one that was killed
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        last = call("remember", text="the last")
        answer = httpx2.post(server.url + "/clew/mcp", content=last, headers=headers, timeout=PATIENCE)
        assert "Stored as notes:turn:" in answer.text
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []
    assert sum("left before its request was whole" in record.message for record in caplog.records) >= 8
