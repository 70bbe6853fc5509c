"""Whatever is sent to the REST API, it answers in JSON and with no 500; inputs are made from its own declarations."""

import asyncio
import json
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from clew.memory import Memory
from clew.serve.rest.endpoints import ENDPOINTS, Endpoint
from clew.serve.rest.fields import Field, FieldKind, FieldLocation
from tests.support.effort import examples
from tests.support.memories import quiet, timed
from tests.support.rest_pages import BASE, rest_client

WORDS = (
    "redis",
    "last week",
    "s:turn:0",
    "s",
    "2025-04-01T12:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59Z",
    "(O1 > 3) AND text ~ x",
    "text ~",
    "role = user",
    "importance >= 99999999999999999999",
    "",
    " ",
    "\x00",
    "\x1b[0m",
    "\u8336",
    "e\u0301",
    "\ud800",
    "\U0001f600",
    "%00",
    "../..",
    "a" * 3_000,
    "NaN",
    "-1",
    "1e999",
    "null",
    "'\";--",
)
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1.0,
    1.5,
    2**63,
    -(2**70),
    1e308,
    float("nan"),
    float("inf"),
    [],
    {},
    [[]],
    {"a": {}},
)


def odd(rng: random.Random) -> Any:
    """Anything that JSON has, and a little more."""
    kind = rng.randrange(6)
    if kind == 0:
        return [odd(rng) for _ in range(rng.randrange(3))]
    if kind == 1:
        return {text(rng): odd(rng) for _ in range(rng.randrange(3))}
    return rng.choice(ODD) if kind < 4 else text(rng)


def text(rng: random.Random) -> str:
    if rng.randrange(3):
        return rng.choice(WORDS)
    return "".join(
        chr(rng.choice((rng.randrange(128), rng.randrange(0x3000), rng.randrange(0x110000))))
        for _ in range(rng.randrange(12))
    )


def value(rng: random.Random, field: Field) -> Any:
    """Mostly what is allowed, sometimes anything."""
    if not rng.randrange(8):
        return odd(rng)
    if field.kind is FieldKind.INTEGER:
        return rng.choice((field.low, field.high, rng.randint(field.low, field.high), rng.randint(0, 5)))
    if field.kind is FieldKind.BOOLEAN:
        return bool(rng.randrange(2))
    if field.kind is FieldKind.ARRAY and field.of is not None:
        return [value(rng, field.of) for _ in range(rng.randrange(4))]
    if field.kind is FieldKind.OBJECT:
        return members(rng, field.fields)
    return rng.choice(field.choices) if field.choices else text(rng)


def members(rng: random.Random, fields: tuple[Field, ...]) -> dict[str, Any]:
    chosen = [field for field in fields if (field.required and rng.randrange(20)) or not rng.randrange(4)]
    found = {field.name: value(rng, field) for field in chosen}
    return found if rng.randrange(30) else {**found, text(rng): odd(rng)}


def in_url(given: Any) -> str:
    return quote(given if isinstance(given, str) else json.dumps(given), safe="", errors="surrogatepass")


def request_of(rng: random.Random) -> tuple[Endpoint, str, bytes | None]:
    endpoint = rng.choice(ENDPOINTS)
    path = endpoint.path
    for field in endpoint.located_in(FieldLocation.PATH):
        path = path.replace("{" + field.name + "}", in_url(value(rng, field)) or "x")
    query = members(rng, endpoint.located_in(FieldLocation.QUERY))
    path += "?" + "&".join(f"{in_url(name)}={in_url(given)}" for name, given in query.items())
    if endpoint.method == "GET":
        return endpoint, path, None
    body = json.dumps(members(rng, endpoint.located_in(FieldLocation.BODY)) if rng.randrange(20) else odd(rng))
    return endpoint, path, (body if rng.randrange(20) else body[: rng.randrange(len(body) + 1)]).encode()


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        opened.add_many(timed([f"We picked Redis {n} for sessions." for n in range(12)]))
        assert opened.drain(200)
        yield opened


async def answered(client: httpx2.AsyncClient, endpoint: Endpoint, path: str, body: bytes | None) -> int:
    headers = {"content-type": "application/json"}
    answer = await client.request(endpoint.method, BASE + path, content=body, headers=headers)
    value = answer.json()
    assert answer.status_code in (200, 400, 404, 409), (path, body, answer.content[:500])
    assert ("error" in value and set(value["error"]) == {"code", "message", "next"}) == (answer.status_code != 200)
    assert len(answer.content) < 2_000_000
    return answer.status_code


@pytest.mark.requirement("P-SRF-22")
@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.timeout(1_800)
def test_no_input_is_a_server_error(memory: Memory) -> None:
    rng = random.Random(22)  # noqa: S311  # inputs, no secrets
    with rest_client(memory) as client, asyncio.Runner() as runner:
        statuses = {runner.run(answered(client, *request_of(rng))) for _ in range(examples(2_000, 20_000))}
    assert statuses >= {200, 400, 404}
