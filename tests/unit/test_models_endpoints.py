"""Embedders behind HTTP, against a server on this machine."""

import json
import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from clew.errors import ConfigError, ModelError, ModelUnavailable
from clew.models.checked_calls import embed_checked
from clew.models.endpoints import KEY, KEYS, OPENAI_KEY, ollama_embedder, openai_embedder
from clew.models.function_embedder import BATCH
from tests.support.loopback import listening


@dataclass
class Server:
    """What it was asked, and how it answers: `answer` gives status and body; what is not bytes is sent as JSON."""

    url: str = ""
    asked: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    answer: Callable[[Any], tuple[int, Any]] = lambda _body: (500, "unset")
    headers: dict[str, str] = field(default_factory=dict)


@pytest.fixture
def server() -> Iterator[Server]:
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.asked.append((self.path, dict(self.headers), body))
            status, answer = told.answer(body)
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **told.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Keeps the test's output clean."""

    with listening(Handler) as address:
        told.url = f"{address}/v1"
        yield told


def as_openai(body: Any) -> tuple[int, Any]:
    """One vector a text, of its length and number; in reverse, as the protocol allows."""
    rows = [{"index": n, "embedding": [len(text), 1.0]} for n, text in enumerate(body["input"])]
    return 200, {"object": "list", "data": rows[::-1], "model": body["model"]}


def as_ollama(body: Any) -> tuple[int, Any]:
    return 200, {"model": body["model"], "embeddings": [[len(text), 1.0] for text in body["input"]]}


def directions(*lengths: int) -> Any:
    return pytest.approx(np.array([[n, 1.0] for n in lengths]) / np.hypot(lengths, 1.0)[:, None], abs=1e-6)


@pytest.mark.requirement("F-MODELS-12")
def test_openai_embeddings_come_back_in_order(server: Server) -> None:
    server.answer = as_openai
    embedder = openai_embedder("some/model", server.url + "/", environment={})
    assert embedder.name == f"openai:some/model@{server.url[7:-3]}"
    assert server.asked == []
    rows = embedder.embed(["a", "", "ccc", "\ud800"])
    assert rows[[0, 2, 3]] == directions(1, 3, 1)
    assert not rows[1].any()
    ((path, headers, body),) = server.asked
    assert path == "/v1/embeddings"
    assert body == {"model": "some/model", "input": ["a", "ccc", "\ufffd"]}
    assert "Authorization" not in headers
    assert embedder.dim == 2
    assert len(server.asked) == 1


@pytest.mark.requirement("F-MODELS-12")
def test_ollama_embeddings_come_back_in_order(server: Server) -> None:
    server.answer = as_ollama
    embedder = ollama_embedder("nomic-embed-text", server.url)
    assert embedder.name == "ollama:nomic-embed-text@latest"
    assert ollama_embedder("nomic-embed-text:v1.5").name == "ollama:nomic-embed-text@v1.5"
    assert embedder.dim == 2  # asks, since nothing is known yet
    assert embedder.embed(["a", "bb"]) == directions(1, 2)
    assert server.asked[-1][0] == "/v1/api/embed"
    assert server.asked[-1][2] == {"model": "nomic-embed-text", "input": ["a", "bb"]}


@pytest.mark.requirement("F-MODELS-12")
def test_many_texts_go_in_several_requests(server: Server) -> None:
    server.answer = as_ollama
    lengths = [1 + n % 9 for n in range(2 * BATCH + 1)]
    assert ollama_embedder("m", server.url).embed(["x" * n for n in lengths]) == directions(*lengths)
    assert [len(body["input"]) for _, _, body in server.asked] == [BATCH, BATCH, 1]


@pytest.mark.requirement("F-MODELS-12")
def test_blank_texts_alone_ask_only_for_the_dimension(server: Server) -> None:
    server.answer = as_ollama
    embedder = ollama_embedder("m", server.url)
    assert embedder.embed(["", " "]).tolist() == [[0, 0], [0, 0]]
    assert embedder.embed([]).shape == (0, 2)
    assert len(server.asked) == 1


@pytest.mark.requirement("F-MODELS-12")
@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, ModelError), (413, ModelError), *((status, ModelUnavailable) for status in (401, 403, 404, 429, 500, 503))],
)
def test_a_refusal_tells_status_and_reason_but_never_the_key(
    server: Server, status: int, kind: type[ModelError], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.answer = lambda _body: (status, {"error": "Incorrect API key\nprovided: sk-secret"})
    embedder = openai_embedder("m", server.url, environment={KEY: " sk-secret\n"})
    with pytest.raises(kind, match=rf"/v1/embeddings answered {status}: .*Incorrect API key") as caught:
        embedder.embed(["a"])
    assert type(caught.value) is kind
    assert server.asked[0][1]["Authorization"] == "Bearer sk-secret"
    assert "sk-secret" not in f"{caught.value} {caplog.text} {vars(embedder)}"


@pytest.mark.requirement("F-MODELS-12")
@pytest.mark.parametrize("answer", [b"<html>sk-secret", {"error": "Your key sk-secret is too old to be used here"}])
def test_an_answer_of_another_form_is_shown_without_the_key(server: Server, answer: Any) -> None:
    server.answer = lambda _body: (200, answer)
    with pytest.raises(ModelError, match=r"\[key\]") as caught:
        openai_embedder("m", server.url, environment={KEY: "sk-secret"}).embed(["a"])
    assert "sk-" not in str(caught.value)


@pytest.mark.requirement("F-MODELS-12")
@pytest.mark.parametrize("length", ["5000", "x", "-1"])
def test_a_refusal_that_breaks_off_is_told_by_its_status(server: Server, length: str) -> None:
    server.answer = lambda _body: (503, b"busy")
    server.headers = {"Content-Length": length, "Transfer-Encoding": "chunked"}
    with pytest.raises(ModelUnavailable, match="answered 503"):
        openai_embedder("m", server.url, environment={}).embed(["a"])


@pytest.mark.requirement("F-MODELS-12")
def test_a_key_that_no_header_can_carry_leaves_the_model_unavailable() -> None:
    embedder = openai_embedder("m", "http://127.0.0.1:9", environment={KEY: "sk\nsecret"})
    with pytest.raises(ModelUnavailable, match=f"{KEY} contains characters"):
        embed_checked(embedder, ["a"])


@pytest.mark.requirement("F-MODELS-12")
@pytest.mark.parametrize(
    "answer",
    [
        b"<html>",
        b"\xff\xfe",
        b"[1, 2]",
        b"null",
        b"[" * 100_000,
        b'{"data": [{"index": 0, "embedding": [1e999]}], "embeddings": [[1e999]]}',
        b'{"data": {"index": [], "embedding": 1}, "embeddings": {"a": 1}}',
        {"error": "none"},
        {"data": []},
        {"data": [{"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": 0}]},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": ["x"]}]},
        {"data": [{"index": 0, "embedding": [float("nan")]}]},
        {"embeddings": []},
        {"embeddings": [[1.0], [2.0]]},
        {"embeddings": 7},
    ],
    ids=lambda answer: repr(answer)[:40],
)
def test_an_answer_of_another_form_is_a_model_error(server: Server, answer: Any) -> None:
    server.answer = lambda _body: (200, answer)
    for embedder in (openai_embedder("m", server.url, environment={}), ollama_embedder("m", server.url)):
        with pytest.raises(ModelError):
            embedder.embed(["a"])


@pytest.mark.requirement("F-MODELS-12")
def test_a_changed_dimension_is_a_model_error(server: Server) -> None:
    server.answer = as_ollama
    embedder = ollama_embedder("m", server.url)
    embedder.embed(["a"])
    server.answer = lambda _body: (200, {"embeddings": [[1.0, 2.0, 3.0]]})
    with pytest.raises(ModelError, match="1 vectors of 2 numbers"):
        embedder.embed(["a"])


@pytest.mark.requirement("F-MODELS-12")
def test_a_redirect_is_not_followed(server: Server) -> None:
    server.answer = lambda _body: (302, "elsewhere")
    server.headers = {"Location": server.url + "/other"}
    with pytest.raises(ModelError, match="answered 302"):
        openai_embedder("m", server.url, environment={KEY: "sk"}).embed(["a"])
    assert [path for path, _, _ in server.asked] == ["/v1/embeddings"]


@pytest.mark.requirement("F-MODELS-12")
def test_a_server_that_does_not_answer_is_unavailable(server: Server) -> None:
    held = threading.Event()

    def wait(_body: Any) -> tuple[int, Any]:
        held.wait(30)
        return 200, {}

    server.answer = wait
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        ollama_embedder("m", server.url, timeout=0.1).embed(["a"])
    held.set()


@pytest.mark.requirement("F-MODELS-12")
def test_no_server_is_unavailable() -> None:
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        ollama_embedder("m", "http://no..such..name").embed(["a"])
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as gone:
        url = f"http://127.0.0.1:{gone.server_address[1]}"
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        ollama_embedder("m", url).embed(["a"])


@pytest.mark.requirement("F-MODELS-12")
@pytest.mark.parametrize(
    ("url", "environment", "key"),
    [
        ("https://api.openai.com/v1", {OPENAI_KEY: "o"}, "o"),
        ("https://api.openai.com/v1", {OPENAI_KEY: "o", KEY: "c"}, "c"),
        ("http://localhost:8000/v1", {OPENAI_KEY: "o"}, "o"),
        ("http://[::1]:8000/v1", {OPENAI_KEY: "o"}, "o"),
        ("https://api.openai.com.example.org/v1", {OPENAI_KEY: "o"}, None),
        ("https://example.org/v1", {OPENAI_KEY: "o"}, None),
        ("https://example.org/v1", {OPENAI_KEY: "o", KEY: "c"}, "c"),
        ("https://example.org/v1", {KEY: " "}, None),
    ],
)
def test_openais_key_goes_to_openai_and_this_machine_only(
    url: str, environment: dict[str, str], key: str | None
) -> None:
    assert KEYS.find(url, environment) == key


@pytest.mark.requirement("F-MODELS-12")
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(server: Server) -> None:
    with pytest.raises(ConfigError, match=KEY) as caught:
        openai_embedder("m", server.url, environment={KEY: "sk\nsecret"}).embed(["a"])
    assert "secret" not in str(caught.value)


@pytest.mark.requirement("F-MODELS-12")
@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "ftp://example.org",
        "http://",
        "http://x:port",
        "http://u:secret@x",
        "http://x/v1?k=1",
        "http://[x",
    ],
)
def test_an_address_that_is_none_is_a_config_error(url: str) -> None:
    for make in (openai_embedder, ollama_embedder):
        with pytest.raises(ConfigError, match="address") as caught:
            make("m", url)
        assert "secret" not in str(caught.value)
