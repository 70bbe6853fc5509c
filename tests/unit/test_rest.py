"""The REST API: its endpoints, checks, errors and document."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from clew.errors import BudgetExceeded, ClewError, StoreFull, StoreLocked
from clew.memory import Memory
from clew.serve.access import EVERYTHING, AccessScope
from clew.serve.proxy.economy.ledger import Passed, read_ledger, record
from clew.serve.proxy.exchange import TokenUsage
from clew.serve.rest.cursors import cursor
from clew.serve.rest.endpoints import DEEPEST, ENDPOINTS
from clew.serve.rest.openapi import document
from clew.serve.rest.problems import problem_of
from clew.text.counters import NAMES as COUNTERS
from tests.support.memories import quiet, timed, told
from tests.support.rest_pages import BASE, rest_client


def through(
    memory: Memory, work: Callable[[httpx2.AsyncClient], Awaitable[None]], scopes: frozenset[AccessScope] = EVERYTHING
) -> None:
    async def main() -> None:
        with rest_client(memory, scopes) as client:
            async with client:
                await work(client)

    asyncio.run(main())


def problem(answer: httpx2.Response) -> tuple[int, str, str]:
    told_back = answer.json()["error"]
    assert set(told_back) == {"code", "message", "next"}
    assert all(told_back.values())
    return answer.status_code, told_back["code"], told_back["message"]


@pytest.mark.requirement("P-SRF-20")
def test_turns_are_stored_recalled_explained_and_forgotten() -> None:
    async def work(client: httpx2.AsyncClient) -> None:
        turns = [
            {
                "role": "user",
                "text": "We picked Redis for the sessions.",
                "session": "a/b:c",
                "at": "2025-04-01T12:00:00Z",
            },
            {"role": "tool", "parts": [{"type": "tool_result", "text": "exit 0", "name": "run", "call_id": "1"}]},
        ]
        added = (await client.post("/turns", json={"turns": turns})).json()
        assert (added["added"], added["turn_ids"][0]) == (2, "a%2Fb%3Ac:turn:0")
        context = (await client.post("/recall", json={"query": "what did we pick?", "budget": 200})).json()
        assert "We picked Redis" in context["text"]
        receipt = (await client.get(f"/receipts/{context['receipt_id']}")).json()
        assert receipt["query"] == "what did we pick?"
        hits = (await client.post("/search", json={"query": "Redis", "limit": 5})).json()["items"]
        assert hits[0]["turn"]["text"] == "We picked Redis for the sessions."
        listed = (await client.get("/turns")).json()["items"]
        assert [turn["id"] for turn in listed] == added["turn_ids"]
        assert hits[0]["turn"]["id"] == added["turn_ids"][0]
        found = (await client.post("/query", json={"expression": "role = user"})).json()
        assert [turn["id"] for turn in found["items"]] == added["turn_ids"][:1]
        sessions = (await client.get("/sessions")).json()["items"]
        assert {session["name"] for session in sessions} == {"a/b:c", "default"}
        recap = (await client.get("/sessions/a%2Fb%3Ac/recap", params={"budget": 500})).json()
        assert "Redis" in recap["text"]
        condensed = (await client.post("/sessions/a%2Fb%3Ac/condense", json={"force": True})).json()
        assert condensed["kind"]
        turn = (await client.get("/restore/a%252Fb%253Ac%3Aturn%3A0")).json()
        assert turn["session"] == "a/b:c"
        stats = (await client.get("/stats")).json()
        assert stats["turns"] == 2
        tried = (await client.post("/forget", json={"session": "a/b:c", "dry_run": True})).json()
        assert tried["turn_ids"] == ["a%2Fb%3Ac:turn:0"]
        gone = (await client.post("/forget", json={"turn_ids": tried["turn_ids"]})).json()
        assert gone["turns"] == 1
        assert (await client.get("/restore/a%252Fb%253Ac%3Aturn%3A0")).status_code == 404

    with quiet() as memory:
        through(memory, work)


@pytest.mark.requirement("P-SRF-21")
def test_lists_are_read_in_pages() -> None:
    async def pages(client: httpx2.AsyncClient, ask: Callable[[str | None], Awaitable[httpx2.Response]]) -> list[Any]:
        found, cursor = [], None
        for _ in range(20):
            answer = (await ask(cursor)).json()
            assert 0 < len(answer["items"]) <= 3
            found += answer["items"]
            cursor = answer.get("next")
            if cursor is None:
                return found
        raise AssertionError("the pages have no end")

    async def work(client: httpx2.AsyncClient) -> None:
        def listed(cursor: str | None) -> Awaitable[httpx2.Response]:
            return client.get("/turns", params={"limit": "3", **({} if cursor is None else {"cursor": cursor})})

        assert [turn["text"] for turn in await pages(client, listed)] == [f"turn {n}" for n in range(7)]

        def queried(cursor: str | None) -> Awaitable[httpx2.Response]:
            more = {} if cursor is None else {"cursor": cursor}
            return client.post("/query", json={"expression": "role = user", "limit": 3, **more})

        assert len(await pages(client, queried)) == 7

        def sessions(cursor: str | None) -> Awaitable[httpx2.Response]:
            return client.get("/sessions", params={"limit": "1", **({} if cursor is None else {"cursor": cursor})})

        assert len(await pages(client, sessions)) == 2
        own = (await client.get("/turns", params={"session": "other", "limit": "1"})).json()
        assert [turn["session"] for turn in own["items"]] == ["other"]
        for wrong in ("x", "bnVsbA==", "WzFd" * 100, "Wy0xXQ==", "WyJhIl0="):
            assert problem(await client.get("/turns", params={"cursor": wrong}))[:2] == (400, "bad_request")

    with quiet() as memory:
        memory.add_many(timed([f"turn {n}" for n in range(5)]))
        memory.add_many(timed([f"turn {n}" for n in (5, 6)], session="other"))
        through(memory, work)


@pytest.mark.requirement("P-SRF-21")
def test_paging_ends_where_pages_would_repeat() -> None:
    async def work(client: httpx2.AsyncClient) -> None:
        for place, status in ((DEEPEST, 200), (DEEPEST + 1, 400)):
            after = cursor(place)
            lists = [
                await client.get("/sessions", params={"cursor": after}),
                await client.post("/query", json={"expression": "role = user", "cursor": after}),
            ]
            assert [answer.status_code for answer in lists] == [status, status]
            assert status == 200 or all("10,000" in problem(answer)[2] for answer in lists)

    with quiet() as memory:
        memory.add(told("We picked Redis."))
        through(memory, work)


WRONG = [
    ("POST", "/turns", {}, "lacks turns"),
    ("POST", "/turns", {"turns": []}, "expected a list of 1 to 1000"),
    ("POST", "/turns", {"turns": [{"role": "robot", "text": "x"}]}, "expected one of user, assistant"),
    ("POST", "/turns", {"turns": [{"text": "x"}]}, "lacks role"),
    (
        "POST",
        "/turns",
        {"turns": [{"role": "user", "text": "x", "at": "2025-02-30T12:00:00Z"}]},
        "a time with its zone",
    ),
    ("POST", "/turns", {"turns": [{"role": "user", "text": "\ud800"}]}, "half of one"),
    ("POST", "/recall", {"query": 1}, "query is 1; expected text"),
    ("POST", "/recall", {"query": "x", "budget": -1}, "expected 0 to 1000000"),
    ("POST", "/recall", {"query": "x", "budget": True}, "a whole number"),
    ("POST", "/recall", {"query": "x", "budget": 1e400}, "budget is inf; expected a whole number"),
    ("POST", "/recall", {"query": ""}, "query is ''; expected words: A question"),
    ("POST", "/search", {"query": " \n"}, "expected words: A question"),
    ("POST", "/recall", {"query": "x", "space": "other"}, "has 'space'"),
    ("POST", "/query", {"expression": "(O1 > "}, "position"),
    ("POST", "/forget", {"dry_run": "yes"}, "true or false"),
    ("GET", "/turns?limit=0", None, "expected 1 to 200"),
    ("GET", f"/turns?limit={10**20}", None, f"limit is {10**20}; expected 1 to 200"),
    ("GET", f"/turns?limit={'9' * 5_000}", None, "1 to 200"),
    ("GET", "/turns?limit=ten", None, "expected a whole number, 1 to 200"),
    ("GET", "/turns?limit=3&limit=4", None, "twice"),
    ("GET", "/turns?color=red", None, "has 'color'"),
    ("GET", "/turns?session=%ff", None, "cannot be read"),
    ("GET", "/restore/%ff", None, "no UTF-8"),
    ("GET", "/restore/nothing", None, "is not a turn id"),
]


@pytest.mark.requirement("P-SRF-22")
@pytest.mark.parametrize(("method", "path", "body", "message"), WRONG)
def test_what_is_wrong_is_told_in_one_shape(method: str, path: str, body: Any, message: str) -> None:
    async def work(client: httpx2.AsyncClient) -> None:
        content = None if body is None else json.dumps(body)
        headers = {"content-type": "application/json"}
        status, code, said = problem(await client.request(method, BASE + path, content=content, headers=headers))
        assert (status, code) == (400, "bad_request")
        assert message in said

    with quiet() as memory:
        through(memory, work)


@pytest.mark.requirement("F-TOPIC-01")
def test_a_recap_until_now_tells_of_the_turns_after_the_compaction() -> None:
    async def work(client: httpx2.AsyncClient) -> None:
        said = [f"Crate {place} of the harbour went to the cold store of hall {place}." for place in range(12)]
        for text in (*said, None, "We named the new crane Hildegard, because it is the tallest one here."):
            if text is None:
                assert (await client.post("/sessions/s/condense", json={"force": True})).json()["id"]
            else:
                await client.post("/turns", json={"turns": [{"role": "user", "text": text, "session": "s"}]})
        stored = (await client.get("/sessions/s/recap")).json()
        made = (await client.get("/sessions/s/recap", params={"until_now": "true"})).json()
        assert "Hildegard" not in stored["text"]
        assert "Hildegard" in made["text"]
        assert (stored["last"], made["last"], made["turns"]) == (5, 12, 13)
        refused = await client.get("/sessions/s/recap", params={"until_now": "perhaps"})
        assert problem(refused)[0] == 400

    with quiet() as memory:
        through(memory, work)


@pytest.mark.requirement("P-SRF-22")
def test_other_errors_have_the_same_shape() -> None:
    async def work(client: httpx2.AsyncClient) -> None:
        assert problem(await client.get("/nothing"))[:2] == (404, "not_found")
        assert problem(await client.get("/sessions/none/recap"))[:2] == (404, "not_found")
        wrong = await client.delete("/turns")
        assert problem(wrong)[:2] == (405, "method_not_allowed")
        assert wrong.headers["allow"] == "GET, POST"
        text = await client.post("/recall", content="query=x", headers={"content-type": "text/plain"})
        assert problem(text)[:2] == (415, "unsupported_type")
        assert "Content-Type of the body is 'text/plain'; expected 'application/json'" in problem(text)[2]
        untyped = await client.post("/recall", content=b"x")
        assert "Content-Type of the body is missing" in problem(untyped)[2]
        for unknown in ("none%3Aturn%3A9", "chain-0123456789abcdef", "image-0123456789abcdef"):
            assert problem(await client.get(f"/restore/{unknown}"))[:2] == (404, "not_found")
        for content in ("[1]", "{", "[" * 50_000, "\xff", '{"query": "' + "x" * 200_000 + '"}'):
            got = await client.post("/recall", content=content, headers={"content-type": "application/json"})
            assert problem(got)[:2] == (400, "bad_request")
        large = await client.post("/recall", content=b" " * (33 << 20), headers={"content-type": "application/json"})
        assert problem(large)[:2] == (413, "too_large")
        head = await client.head("/stats")
        assert (head.status_code, head.content) == (200, b"")

    with quiet() as memory:
        through(memory, work)


@pytest.mark.requirement("P-SRF-22")
def test_a_bug_is_told_without_its_words() -> None:
    def broken() -> Any:
        raise ZeroDivisionError("private words")

    async def work(client: httpx2.AsyncClient) -> None:
        status, code, said = problem(await client.post("/recall", json={"query": "x"}))
        assert (status, code) == (500, "internal")
        assert "ZeroDivisionError" in said
        assert "private words" not in said

    with quiet(clock=broken) as memory:
        memory.parts.worker.stop()
        through(memory, work)


@pytest.mark.requirement("P-SRF-23")
@pytest.mark.parametrize("scope", [AccessScope.READ, AccessScope.WRITE, AccessScope.FORGET, AccessScope.PROXY])
def test_each_endpoint_needs_its_scope(scope: AccessScope) -> None:
    async def work(client: httpx2.AsyncClient) -> None:
        for endpoint in ENDPOINTS:
            path = endpoint.path.replace("{id}", "x").replace("{ref}", "x")
            answer = await client.request(endpoint.method, BASE + path)
            assert (answer.status_code == 403) == (endpoint.scope is not scope), endpoint.name
            if answer.status_code == 403:
                assert problem(answer)[1] == "forbidden"

    with quiet() as memory:
        memory.add(told("x"))
        through(memory, work, frozenset({scope}))


@pytest.mark.requirement("P-SRF-51")
def test_the_ledger_is_given_whole_of_a_conversation_and_since_a_time() -> None:
    def passed(number: int, session: str) -> Passed:
        at = datetime(2026, 11, 20 + number, tzinfo=UTC)
        usage = TokenUsage(input=100, output=10)
        return Passed(id=str(number), at=at, wire="openai", model="m", session=session, usage=usage)

    async def work(client: httpx2.AsyncClient) -> None:
        async def requests(**only: str) -> Any:
            return (await client.get("/ledger", params=only)).json()["total"]["requests"]

        whole = (await client.get("/ledger")).json()
        assert [(day["name"], day["input"]) for day in whole["days"]] == [
            (f"2026-11-{day}", 100) for day in (22, 21, 20)
        ]
        assert await requests(session="s") == 2
        assert await requests(since="2026-11-21T00:00:00Z") == 2
        assert await requests(since="2026-11-21", session="s") == 1
        assert await requests(session="other") == 0
        assert problem(await client.get("/ledger", params={"since": "tea"}))[:2] == (400, "bad_request")
        with memory.reads.store.snapshot() as reader:
            assert whole == read_ledger(reader, memory.space).to_dict()

    with quiet() as memory:
        for number, session in enumerate("sts"):
            record(memory.reads.store, memory.space, passed(number, session), None)
        through(memory, work)


@pytest.mark.requirement("P-SRF-24")
def test_the_document_describes_every_endpoint_by_the_same_declarations() -> None:
    told_of = document()
    assert told_of["openapi"] == "3.1.0"
    operations = {
        (method.upper(), path.removeprefix("/clew/api/v1"))
        for path, methods in told_of["paths"].items()
        for method in methods
    }
    assert operations == {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS}
    kinds: list[type[Exception]] = [
        ClewError,
        *ClewError.__subclasses__(),
        StoreFull,
        StoreLocked,
        BudgetExceeded,
        RuntimeError,
    ]
    statuses = {str(problem_of(kind("what happened"))[0]) for kind in kinds}
    for methods in told_of["paths"].values():
        for operation in methods.values():
            assert statuses <= set(operation["responses"])
    turn = told_of["components"]["schemas"]["Turn"]
    assert {"role", "content", "session"} <= set(turn["properties"])

    async def work(client: httpx2.AsyncClient) -> None:
        answer = await client.get("http://127.0.0.1:8377/clew/api/openapi.json")
        assert answer.json() == json.loads(json.dumps(told_of))
        assert problem(await client.post("http://127.0.0.1:8377/clew/api/openapi.json"))[0] == 405

    with quiet() as memory:
        through(memory, work)


@pytest.mark.requirement("P-SRF-20")
def test_the_words_of_a_turn_may_have_the_name_that_they_have_in_the_library() -> None:
    async def work(client: httpx2.AsyncClient) -> None:
        answer = await client.post("/turns", json={"turns": [{"role": "user", "content": "We picked Redis."}]})
        assert (answer.status_code, answer.json()["added"]) == (200, 1)

    with quiet() as memory:
        through(memory, work)
        assert [turn.text for turn in memory.turns()] == ["We picked Redis."]


@pytest.mark.requirement("P-SRF-20")
def test_a_recall_takes_the_counters_and_the_options_of_the_library() -> None:
    turns = timed(["We picked Redis.", "Fine, Redis it is.", "Redis runs on port 6379."])

    async def work(client: httpx2.AsyncClient) -> None:
        for counter in COUNTERS:
            answer = await client.post("/recall", json={"query": "Redis", "counter": counter})
            assert answer.status_code == 200, answer.text
        shown = (await client.post("/recall", json={"query": "Redis", "in_window": 2})).json()["items"]
        assert [item["turn_ids"] for item in shown] == [["s:turn:0"]]
        assert (await client.post("/recall", json={"query": "Redis", "context_position": 0})).status_code == 200
        both = await client.post("/recall", json={"query": "Redis", "context_position": 0, "position": 0})
        assert problem(both)[:2] == (400, "bad_request")

    with quiet() as memory:
        memory.add_many(turns)
        through(memory, work)
