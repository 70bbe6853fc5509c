"""Answers of Responses that are continued by their ids, without the history."""

import json
import time
from typing import Any, cast

import openai
import pytest

from clew import Memory
from clew.serve.proxy.history.fetched_answers import Fetch, fetch_of
from clew.serve.scripted.echo_model import answer_from_request
from tests.support.proxies import START, proxy
from tests.support.raw_upstreams import RawRequest, answer, ask, post, raw_upstream, split
from tests.support.sdk_ways import way


@pytest.mark.requirement("P-FMT-12")
@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_is_continued_is_one_conversation(stream: bool) -> None:
    with (
        way("proxied", answer_from_request, patience=30.0) as path,
        openai.OpenAI(base_url=path.openai, api_key="k", max_retries=0) as client,
    ):

        def ask(text: str, before: str | None = None) -> tuple[str, str]:
            """The id of the answer, and the conversation that the proxy tells."""
            create = client.responses.with_streaming_response.create
            with create(model="gpt-5", input=text, previous_response_id=before, stream=stream) as answer:
                session, given = answer.headers["x-clew-session"], cast("Any", answer.parse())
                if not stream:
                    return given.id, session
                (done,) = (event for event in given if event.type == "response.completed")
                return done.response.id, session

        first, session = ask("My cat is called Mirabelle.")
        second, again = ask("She is four.", first)
        _, third = ask("Who is four?", second)
        assert {session, again, third} == {session}
        assert ask("Who is four?")[1] != session


@pytest.mark.requirement("P-FMT-12")
def test_an_answer_that_is_made_in_the_background_is_gone_on_from() -> None:
    ids = iter(("resp_1", "resp_2", "resp_3"))

    def queued(_: RawRequest) -> list[bytes]:
        begun = {"id": next(ids), "object": "response", "status": "queued", "output": [], "model": "m"}
        return [answer(json.dumps(begun).encode(), b"Content-Type: application/json")]

    def asked(url: str, text: str, **more: Any) -> bytes:
        body = {"model": "m", "input": text, "background": True, **more}
        return split(ask(url, post("/openai/v1/responses", json.dumps(body).encode())))[1][b"x-clew-session"]

    with (
        Memory.open(":memory:", config={"embedder": "none"}) as memory,
        raw_upstream(queued) as upstream,
        proxy(upstream.url, lambda _: memory) as server,
    ):
        first = asked(server.url, "Look into the price of larch.")
        assert asked(server.url, "And of oak.", previous_response_id="resp_1") == first
        assert asked(server.url, "Look into the price of larch.") != first
        until = time.monotonic() + START
        while len(memory.turns()) < 3 and time.monotonic() < until:
            time.sleep(0.01)
        assert [turn.text for turn in memory.turns(first.decode())] == ["Look into the price of larch.", "And of oak."]


@pytest.mark.requirement("P-FMT-13")
@pytest.mark.parametrize(
    ("method", "path", "fetch"),
    [
        ("GET", "/v1/responses/resp_1", Fetch("resp_1")),
        ("GET", "/v1/responses/resp_1?include=x&stream=true", Fetch("resp_1", stream=True)),
        ("GET", "/responses/resp_1", Fetch("resp_1")),
        ("GET", "/v1/responses/resp_1?stream=true&starting_after=3", None),
        ("GET", "/v1/responses/resp_1/input_items", None),
        ("POST", "/v1/responses/resp_1", None),
        ("GET", "/v1/responses", None),
    ],
)
def test_a_fetched_answer_is_told_by_its_path(method: str, path: str, fetch: Fetch | None) -> None:
    assert fetch_of(method, path) == fetch


@pytest.mark.requirement("P-FMT-13")
@pytest.mark.parametrize("how", ["named", "sent again"])
def test_an_answer_that_was_made_in_the_background_is_stored_when_it_is_fetched(how: str) -> None:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Larch costs 40."}]}
    states = iter(("queued", "in_progress", "completed", "completed"))

    def upstream_of(request: RawRequest) -> list[bytes]:
        asks = request.line.startswith(b"POST")
        state = "completed" if asks and b"background" not in request.body else next(states)
        output = [said] if state == "completed" and not asks else []
        begun = {"id": "resp_1", "object": "response", "status": state, "output": output, "model": "m"}
        return [answer(json.dumps(begun).encode(), b"Content-Type: application/json")]

    def posted(url: str, value: Any, **more: Any) -> bytes:
        body = json.dumps({"model": "m", "input": value, **more}).encode()
        return split(ask(url, post("/openai/v1/responses", body)))[1][b"x-clew-session"]

    with (
        Memory.open(":memory:", config={"embedder": "none"}) as memory,
        raw_upstream(upstream_of) as upstream,
        proxy(upstream.url, lambda _: memory) as server,
    ):
        session = posted(server.url, "What does larch cost?", background=True).decode()
        get = b"GET /openai/v1/responses/resp_1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        for _ in range(3):
            assert split(ask(server.url, get))[0] == 200
        if how == "named":
            assert posted(server.url, "And oak?", previous_response_id="resp_1").decode() == session
        else:
            asked = {"role": "user", "content": "What does larch cost?"}
            assert posted(server.url, [asked, said, {"role": "user", "content": "And oak?"}]).decode() == session
        until = time.monotonic() + START
        while len(memory.turns()) < 3 and time.monotonic() < until:
            time.sleep(0.01)
        assert [turn.text for turn in memory.turns(session)] == ["What does larch cost?", "Larch costs 40.", "And oak?"]
        assert len(memory.turns()) == 3
