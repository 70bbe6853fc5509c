"""Extraction by a model behind a server that is down, slow, busy, refuses the key, or answers anything."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clew.memory import Memory
from clew.types.extraction import Extraction, ExtractionState
from tests.support.extraction import copying, extractor, long_talk, payload
from tests.support.llm_servers import KEY, Server, answer, llm_server, refusal
from tests.support.memories import quiet

pytest.importorskip("openai")

pytestmark = pytest.mark.requirement("K-TRI-21")

FAILED, PENDING = ExtractionState.FAILED, ExtractionState.PENDING


@pytest.fixture
def server() -> Iterator[Server]:
    with llm_server() as told:
        yield told


@pytest.fixture
def memory() -> Iterator[Memory]:
    """A conversation of two chunks."""
    with quiet() as opened:
        opened.add_many(long_talk())
        yield opened


def extracted(memory: Memory, server: Server, **reach: Any) -> Extraction:
    return extractor(memory, server.model("openai", **reach), concurrency=1).extract("s")


def honest(body: Any) -> tuple[int, Any]:
    """Answers as an honest model does."""
    from clew.models.prompt import ChatMessage, Prompt  # only this test reads a request back

    said = body["messages"][1]["content"]
    return 200, answer("openai", json.dumps(copying(Prompt("", (ChatMessage("user", said),)))))


def test_a_server_that_answers_is_believed(memory: Memory, server: Server) -> None:
    server.say = honest
    made = extracted(memory, server)
    assert (made.ok, len(server.asked)) == (True, 2)
    assert made.run.telemetry["map_tokens_in"] == 24


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, "check the key"), (403, "check the key"), (429, "slow down"), (500, "broken"), (503, "overloaded")],
)
def test_a_server_that_refuses_leaves_the_session_waiting(
    memory: Memory, server: Server, status: int, words: str
) -> None:
    server.script(refusal(status, words))
    made = extracted(memory, server)
    assert (made.run.state, made.run.attempts, made.vector) == (PENDING, 0, None)
    assert str(status) in str(made.run.reason)
    assert KEY not in json.dumps(made.run.to_dict())
    server.say = honest
    assert extracted(memory, server).ok


def test_a_busy_server_is_waited_for_as_long_as_it_asks(memory: Memory, server: Server) -> None:
    first = [refusal(429, "slow down"), refusal(429, "slow down")]
    server.headers["Retry-After"] = "2"
    server.say = lambda body: first.pop() if first else honest(body)
    llm, waited = server.model("openai"), list[float]()
    llm._sleep = waited.append
    made = extractor(memory, llm, concurrency=1).extract("s")
    assert (made.ok, len(server.asked)) == (True, 4)
    assert waited == [2.0, 4.0]  # what the server asks for, or else the pause that has come


def test_a_busy_server_that_asks_for_an_hour_leaves_the_session_waiting(memory: Memory, server: Server) -> None:
    server.headers["Retry-After"] = "3600"
    server.script(refusal(429, "slow down"))
    made = extracted(memory, server)
    assert (made.run.state, len(server.asked)) == (PENDING, 1)


def test_a_server_that_is_down_leaves_the_session_waiting(memory: Memory) -> None:
    with llm_server() as told:
        gone = told.model("openai")
    made = extractor(memory, gone, concurrency=1).extract("s")
    assert (made.run.state, made.run.attempts) == (PENDING, 0)


def test_a_slow_answer_is_a_recorded_failure(memory: Memory, server: Server) -> None:
    server.hang()
    made = extracted(memory, server, timeout=0.2, deadline=0.3)
    assert (made.run.state, made.run.attempts) == (FAILED, 1)
    assert all(record.reason for record in made.run.chunks)


@pytest.mark.requirement("K-TRI-20")
@pytest.mark.parametrize(
    "said",
    [
        (200, b"<html>no model here</html>"),
        (200, b'{"choices": []}'),
        (200, b""),
        (400, {"error": {"message": "the context is too long"}}),
        (200, answer("openai", None)),
        (200, answer("openai", "{", "length")),
        (200, answer("openai", json.dumps(payload())[:-9], "length")),
        (200, answer("openai", "no", "refusal")),
    ],
    ids=["html", "other", "nothing", "refused", "empty", "cut", "half", "filtered"],
)
def test_an_answer_of_no_use_is_a_recorded_failure(memory: Memory, server: Server, said: tuple[int, Any]) -> None:
    server.script(said)
    made = extracted(memory, server)
    assert (made.run.state, made.run.attempts, made.vector) == (FAILED, 1, None)
    assert all(record.reason for record in made.run.chunks)
