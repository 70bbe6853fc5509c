"""Clew's own pages: health, metrics, MCP; and who may see them."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew import Memory
from clew.errors import StoreCorrupt, StoreLocked
from clew.serve.scripted.script import in_turn
from clew.serve.scripted.server import ScriptedUpstream
from tests.support.proxies import proxy
from tests.support.raw_upstreams import ask, post, split

SHOWN = "correct-horse-battery"
API = "/clew/api/v1/stats"


def get(path: str, *headers: bytes, method: bytes = b"GET", host: bytes = b"localhost") -> bytes:
    lines = [b"%b %b HTTP/1.1" % (method, path.encode()), b"Host: " + host, b"Connection: close", *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def told(answer: bytes) -> dict[str, str]:
    """The error in an answer of the REST API."""
    error: dict[str, str] = json.loads(split(answer)[2])["error"]
    return error


@pytest.mark.requirement("P-RLY-13")
def test_health_tells_whether_memories_open() -> None:
    def opening(_space: str) -> Memory:
        raise StoreCorrupt

    with proxy("http://127.0.0.1:9") as server:
        status, _, body = split(ask(server.url, get("/clew/health")))
        assert (status, json.loads(body)["status"]) == (200, "ok")
        assert split(ask(server.url, get("/clew/health", method=b"HEAD")))[2] == b""
        assert split(ask(server.url, post("/clew/health")))[0] == 405
    with proxy("http://127.0.0.1:9", opening) as server:
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]}).encode()
        ask(server.url, post("/openai/v1/chat/completions", body))
        status, _, body = split(ask(server.url, get("/clew/health")))
        assert (status, json.loads(body)["broken"]) == (503, {"default": "StoreCorrupt"})


@pytest.mark.requirement("P-RLY-13")
def test_mcp_tells_that_a_memory_does_not_open() -> None:
    def opening(_space: str) -> Memory:
        raise StoreLocked("another program is writing")

    with proxy("http://127.0.0.1:9", opening) as server:
        status, headers, body = split(ask(server.url, post("/clew/mcp", b"{}")))
        assert server.event("mcp-failed")["error"] == "StoreLocked"
    assert (status, headers[b"content-type"]) == (503, b"application/json")
    assert json.loads(body)["error"]["code"] == "store_busy"


@pytest.mark.requirement("P-RLY-13")
def test_metrics_are_text_for_prometheus() -> None:
    with proxy("http://127.0.0.1:9") as server:
        ask(server.url, post("/openai/v1/files"))
        status, headers, body = split(ask(server.url, get("/clew/metrics")))
    assert (status, headers[b"content-type"]) == (200, b"text/plain; version=0.0.4; charset=utf-8")
    lines = body.decode().splitlines()
    assert 'clew_requests_total{provider="openai",status="502"} 1' in lines
    assert 'clew_upstream_errors_total{cause="ConnectError",provider="openai"} 1' in lines
    assert "clew_first_byte_seconds_count 1" in lines
    for line in lines:
        assert line.startswith(("# HELP clew_", "# TYPE clew_", "clew_")), line


@pytest.mark.requirement("P-RLY-13")
def test_metrics_count_own_pages_by_status_and_what_was_refused_once() -> None:
    with proxy("http://127.0.0.1:9") as server:
        for path in ("/clew/health", "/clew/", "/clew/api/v1/stats", "/clew/api/v1/nothing", "/clew/nothing"):
            ask(server.url, get(path))
        lines = split(ask(server.url, get("/clew/metrics")))[2].decode().splitlines()
    counted = [line for line in lines if line.startswith("clew_requests_total{")]
    assert counted == [
        'clew_requests_total{provider="clew",status="200"} 3',
        'clew_requests_total{provider="clew",status="404"} 1',
        'clew_requests_total{provider="refused",status="404"} 1',
    ]


@pytest.mark.requirement("P-RLY-10", "P-RLY-13")
def test_pages_need_the_token_but_for_health_in_one_word() -> None:
    with proxy("http://127.0.0.1:9", token=SHOWN, tokens=[f"bob:proxy={SHOWN}-of-bob"]) as server:
        for path in ("/clew/metrics", "/clew/mcp", "/clew/nothing", "/clew/api/v1/stats"):
            assert split(ask(server.url, get(path)))[0] == 401
        assert json.loads(split(ask(server.url, get("/clew/health")))[2]).keys() == {"status", "version"}
        missing, wrong = (ask(server.url, get(API, *shown)) for shown in ((), (b"X-Clew-Token: another-token",)))
        assert "needs a token" in told(missing)["message"]
        assert "this token is not known" in told(wrong)["message"]
        bearer = b"Authorization: Bearer " + SHOWN.encode()
        assert split(ask(server.url, get("/clew/metrics", bearer)))[0] == 200
        assert split(ask(server.url, get("/clew/nothing", bearer)))[0] == 404
        assert split(ask(server.url, get("/clew/mcp", bearer + b"-of-bob")))[0] == 403
        assert split(ask(server.url, post("/openai/v1/x", b"{}", bearer)))[0] == 401
        assert split(ask(server.url, post("/openai/v1/x", b"{}", b"X-Clew-Token: " + SHOWN.encode())))[0] == 502


@pytest.mark.requirement("P-RLY-10", "P-RLY-13")
@pytest.mark.parametrize("scopes", ["", ":read", ":proxy"])
def test_a_token_for_one_space_learns_nothing_of_others(scopes: str) -> None:
    def opening(space: str) -> Memory:
        raise StoreCorrupt(f"the database of {space} is damaged")

    bob = b"X-Clew-Token: " + SHOWN.encode() + b"-of-bob"
    operator = b"X-Clew-Token: " + SHOWN.encode()
    alone = f"bob{scopes}={SHOWN}-of-bob"
    with proxy("http://127.0.0.1:9", opening, token=SHOWN, tokens=[alone]) as server:
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]}).encode()
        ask(server.url, post("/openai/v1/chat/completions", body, operator))
        status, _, page = split(ask(server.url, get("/clew/metrics", bob)))
        assert (status, "serve.token" in json.loads(page)["error"]) == (403, True)
        told_bob = json.loads(split(ask(server.url, get("/clew/health", bob)))[2])
        assert (told_bob["status"], told_bob["broken"], "events" in told_bob) == ("degraded", {}, False)
        told_all = json.loads(split(ask(server.url, get("/clew/health", operator)))[2])
        assert (told_all["broken"], "events" in told_all) == ({"default": "StoreCorrupt"}, True)
        assert split(ask(server.url, get("/clew/metrics", operator)))[0] == 200
    with proxy("http://127.0.0.1:9", tokens=[alone]) as server:  # there is no other space
        assert split(ask(server.url, get("/clew/metrics", bob)))[0] == 200


@pytest.mark.requirement("P-RLY-11")
@pytest.mark.parametrize("path", ["/clew/health", "/clew/metrics", "/clew/mcp", "/openai/v1/models", "/"])
def test_names_and_pages_of_others_are_refused_everywhere(path: str) -> None:
    with proxy("http://127.0.0.1:9") as server:
        assert split(ask(server.url, get(path, host=b"evil.example")))[0] == 403
        assert split(ask(server.url, get(path, b"Origin: https://evil.example")))[0] == 403


@pytest.mark.requirement("P-RLY-11", "P-SRF-22")
def test_the_refusal_of_a_name_or_page_says_which_setting_allows_it() -> None:
    with proxy("http://127.0.0.1:9") as server:
        assert "serve.hosts" in told(ask(server.url, get(API, host=b"evil.example")))["next"]
        assert "serve.origins" in told(ask(server.url, get(API, b"Origin: https://evil.example")))["next"]


@pytest.mark.requirement("P-RLY-62")
def test_a_page_of_a_listed_origin_may_read_what_it_is_answered() -> None:
    page, other = b"Origin: https://chat.example.org", b"Origin: http://localhost:3000"
    asks = [b"Access-Control-Request-Method: POST", b"Access-Control-Request-Headers: content-type,x-clew-token"]
    origin = b"access-control-allow-origin"
    with proxy("http://127.0.0.1:9", origins=["https://chat.example.org"], token=SHOWN) as server:
        for path in (API, "/clew/mcp", "/openai/v1/chat/completions"):
            status, headers, _ = split(ask(server.url, get(path, page, *asks, method=b"OPTIONS")))
            assert (status, headers[origin]) == (204, b"https://chat.example.org")
            assert headers[b"access-control-allow-headers"] == b"content-type,x-clew-token"
            assert split(ask(server.url, get(path, other, *asks, method=b"OPTIONS")))[0] == 401
            refused = get(path, page, *asks, method=b"OPTIONS", host=b"evil.example")
            assert split(ask(server.url, refused))[0] == 403
        token = b"X-Clew-Token: " + SHOWN.encode()
        status, headers, _ = split(ask(server.url, get(API, page, token)))
        assert (status, headers[origin], headers[b"vary"]) == (200, b"https://chat.example.org", b"Origin")
        status, headers, _ = split(ask(server.url, get(API, page)))
        assert (status, headers[origin]) == (401, b"https://chat.example.org")
        assert origin not in split(ask(server.url, get(API, other, token)))[1]
        assert origin not in split(ask(server.url, get(API, token)))[1]


@pytest.mark.requirement("P-RLY-62")
def test_a_page_of_a_listed_origin_may_read_what_clew_answers_in_a_providers_place() -> None:
    page, origin = b"Origin: https://chat.example.org", b"access-control-allow-origin"
    chat = json.dumps({"model": "m", "messages": [{"role": "user", "content": "clew status"}]}).encode()
    path, token = "/openai/v1/chat/completions", b"X-Clew-Token: " + SHOWN.encode()
    reading = b"X-Clew-Token: " + SHOWN[::-1].encode()
    settings: dict[str, Any] = {
        "origins": ["https://chat.example.org"],
        "token": SHOWN,
        "tokens": [f"default:read={SHOWN[::-1]}"],
    }

    def status(*headers: bytes, path: str = path) -> int:
        code, headers_told, _ = split(ask(server.url, post(path, chat, page, *headers)))
        assert (headers_told[origin], headers_told[b"vary"]) == (b"https://chat.example.org", b"Origin")
        return code

    upstream = ScriptedUpstream(in_turn(["Fine."]))
    with upstream.serving() as url, proxy(url, **settings, commands=True, rate=4) as server:
        assert status() == 401
        assert status(reading) == 403
        assert status(token) == 200  # a command
        assert status(token, path="/nowhere") == 404
        _, headers, _ = split(ask(server.url, post("/openai/v1/models/a", b"{}", page, token)))
        assert origin not in headers, "what a page may read of a provider's answer is the provider's to say"
        assert [status(token, path="/nowhere") for _ in range(2)] == [404, 429]
    with proxy("http://127.0.0.1:9", **settings) as server:
        assert status(token, path="/openai/v1/models") == 502


@pytest.mark.requirement("P-RLY-62")
def test_a_preflight_of_a_page_that_is_not_listed_goes_on_to_the_provider() -> None:
    asks = [b"Origin: http://localhost:3000", b"Access-Control-Request-Method: POST"]
    with proxy("http://127.0.0.1:9") as server:
        assert split(ask(server.url, get("/openai/v1/models", *asks, method=b"OPTIONS")))[0] == 502


@pytest.mark.requirement("P-RLY-14")
def test_the_log_holds_no_text_and_no_key(tmp_path: Path) -> None:
    def value(text: str) -> bytes:
        return json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()

    def opening(space: str) -> Memory:
        raise ZeroDivisionError(f"secret-text {space}")

    with proxy("http://127.0.0.1:9", opening) as server:
        ask(
            server.url,
            post("/openai/v1/chat/completions?key=secret-key", value("secret-text"), b"X-Api-Key: secret-key"),
        )
        ask(server.url, post("/gemini/v1beta/models/m:generateContent?key=secret-key", b'{"contents": "secret-text'))
        ask(server.url, b"GARBAGE secret-text\r\n\r\n")
        ask(server.url, get("/openai/secret-key", host=b"secret-text"))
        log: list[dict[str, Any]] = server.events
    text = server.log.getvalue()
    assert {"failed-open", "upstream-unreachable", "refused"} <= {event["event"] for event in log}
    assert "secret" not in text
    assert [event["where"].partition(":")[0] for event in log if event.get("error") == "ZeroDivisionError"]
