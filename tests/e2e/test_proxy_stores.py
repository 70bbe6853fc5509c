"""A conversation through the proxy: stored once, answered from later, and the same bytes in every later request."""

import json
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from clew import Memory
from clew.serve.scripted.echo_model import answer_from_request
from clew.serve.scripted.script import Fault, FaultKind, Reply, in_turn
from clew.serve.scripted.server import ScriptedUpstream
from tests.e2e.test_proxy_chats import CHATS, KEYS
from tests.support.proxies import RunningProxy, proxy
from tests.support.raw_upstreams import ask, post, split

OPENAI = "/openai/v1/chat/completions"


def in_home(place: Path) -> Callable[[str], Memory]:
    return lambda space: Memory.open(place, space=space, config={"embedder": "none"})


def said(*texts: str) -> dict[str, Any]:
    """A history of user and assistant in turn."""
    roles = ("user", "assistant")
    return {"model": "gpt-5", "messages": [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]}


def chat(
    server: RunningProxy, value: dict[str, Any], *headers: bytes, path: str = OPENAI
) -> tuple[dict[bytes, bytes], bytes]:
    status, told, body = split(ask(server.url, post(path, json.dumps(value).encode(), *KEYS, *headers)))
    assert status == 200, body
    return told, body


def stored(server: RunningProxy, session: bytes | None = None) -> list[tuple[str, str]]:
    """The turns of a conversation, when the answers under way are stored."""
    memory = server.services.spaces.get("default")
    return [(turn.role, turn.text) for turn in memory.turns(session=session.decode() if session else None)]


def eventually(look: Callable[[], Any], wanted: Any) -> None:
    """Answers are stored after the client has them."""
    for _ in range(3_000):
        if look() == wanted:
            return
        threading.Event().wait(0.02)
    assert look() == wanted


@pytest.mark.requirement("P-RLY-16")
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", list(CHATS))
def test_question_and_answer_are_stored_once(wire: str, stream: bool, tmp_path: Path) -> None:
    path, value = CHATS[wire]
    if stream and wire == "gemini":
        path = path.replace("generateContent", "streamGenerateContent") + "?alt=sse"
    elif stream:
        value = {**value, "stream": True}
    with ScriptedUpstream(in_turn(["Ask the neighbour."])).serving() as url, proxy(url, in_home(tmp_path)) as server:
        told, _ = chat(server, value, path=path)
        again, _ = chat(server, value, b"x-stainless-retry-count: 1", path=path)
        wanted = [("user", "What is the backup code of the garage door?"), ("assistant", "Ask the neighbour.")]
        eventually(lambda: stored(server, told[b"x-clew-session"]), wanted)
        assert again[b"x-clew-session"] == told[b"x-clew-session"]
    with Memory.open(tmp_path, config={"embedder": "none"}) as memory:
        assert len(memory.turns()) == 2


@pytest.mark.requirement("P-RLY-16")
def test_what_was_said_before_is_answered_after_the_client_dropped_it(tmp_path: Path) -> None:
    upstream = ScriptedUpstream(answer_from_request)
    with upstream.serving() as url, proxy(url, in_home(tmp_path)) as server:
        talk = ["The backup code of the garage door is 4711, and it changes every spring."]
        chat(server, said(*talk), b"X-Clew-Session: talk")
        for number in range(12):
            talk += ["I do not know.", f"Tell me something about the number {number} and about trains."]
            chat(server, said(*talk), b"X-Clew-Session: talk")
        short = said(*talk[-3:], "I do not know.", "What is the backup code of the garage door?")
        told, body = chat(server, short, b"X-Clew-Session: talk")
    assert b"4711" in body
    assert told[b"x-clew-session"] == b"talk"
    assert b"x-clew-receipt" in told


@pytest.mark.requirement("P-RLY-17")
def test_a_block_stands_in_every_later_request_with_the_same_bytes(tmp_path: Path) -> None:
    upstream = ScriptedUpstream(in_turn(["It is 4711.", "In April.", "Yes."]))
    with Memory.open(tmp_path, config={"embedder": "none"}) as memory:
        memory.update("The backup code of the garage door is 4711.", "Noted.", session="house")
        memory.drain(200)
    first = "What is the backup code of the garage door?"
    with upstream.serving() as url:
        with proxy(url, in_home(tmp_path)) as server:
            chat(server, said(first))
            chat(server, said(first, "It is 4711.", "When does it change?"))
        with proxy(url, in_home(tmp_path)) as server:  # and after a restart
            chat(server, said(first, "It is 4711.", "When does it change?", "In April.", "Are you sure?"))
    bodies = [request.body for request in upstream.chats()]
    contents = [[message["content"] for message in json.loads(body)["messages"]] for body in bodies]
    assert "4711" in json.dumps(contents[0][0])
    assert contents[0][0] == contents[1][0] == contents[2][0] != first
    for before, after in pairwise(bodies):
        assert after.startswith(before[: before.rindex(b"]")])


@pytest.mark.requirement("P-IDN-19")
def test_a_chat_whose_memory_opens_slowly_is_one_session_stored_once(tmp_path: Path) -> None:
    go = threading.Event()

    def opening(space: str) -> Memory:
        go.wait(60)
        return in_home(tmp_path)(space)

    texts = ["Hello there.", "One.", "And then?", "Two.", "And at last?", "Three."]
    upstream = ScriptedUpstream(in_turn(texts[1::2]))
    with upstream.serving() as url, proxy(url, opening, patience=0.05) as server:
        for count in (1, 3, 5):
            chat(server, said(*texts[:count]))
        go.set()
        eventually(lambda: [text for _, text in stored(server)], texts)
        assert len({turn.session for turn in server.services.spaces.get("default").turns()}) == 1


@pytest.mark.requirement("P-RLY-16")
def test_incognito_leaves_nothing(tmp_path: Path) -> None:
    with ScriptedUpstream(in_turn(["Fine."])).serving() as url, proxy(url, in_home(tmp_path)) as server:
        told, _ = chat(server, said("My secret is 4711."), b"X-Clew-Incognito: on")
        assert not {b"x-clew-session", b"x-clew-receipt"} & set(told)
        chat(server, said("Hello, how are you today?"))
        eventually(lambda: len(stored(server)), 2)
    with Memory.open(tmp_path, config={"embedder": "none"}) as memory:
        assert not any("4711" in turn.text for turn in memory.turns())


@pytest.mark.requirement("S-REST-03")
@pytest.mark.parametrize("headers", [(), (b"X-Clew-Session: talk",)])
def test_a_paused_conversation_is_incognito_until_it_is_resumed(headers: tuple[bytes, ...], tmp_path: Path) -> None:
    answers = ["Noted.", "Fine.", "I see.", "Of course.", "Elsewhere."]
    upstream = ScriptedUpstream(in_turn(answers))
    with upstream.serving() as url, proxy(url, in_home(tmp_path), tools=True) as server:
        talk = ["The lamp of the hall is green."]
        told, _ = chat(server, said(*talk), *headers)
        name = told[b"x-clew-session"].decode()
        eventually(lambda: len(stored(server)), 2)
        memory = server.services.spaces.get("default")
        memory.pause(name)
        for answer, text in zip(
            answers, ("What colour has the lamp of the hall? My secret is 4711.", "And why?"), strict=False
        ):
            talk += [answer, text]
            told, _ = chat(server, said(*talk), *headers)
            assert not {b"x-clew-session", b"x-clew-receipt"} & set(told)
            assert json.loads(upstream.chats()[-1].body) == said(*talk)
        memory.resume(name)
        talk += ["I see.", "The door is red."]
        told, _ = chat(server, said(*talk), *headers)
        assert told[b"x-clew-session"].decode() == name
        wanted = [("user", talk[0]), ("assistant", "Noted."), ("user", talk[-1]), ("assistant", "Of course.")]
        eventually(lambda: stored(server), wanted)


@pytest.mark.requirement("P-LFT-05", "P-LFT-06")
def test_a_request_from_an_excluded_project_is_incognito(tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_text('embedder = "none"\n[ingest]\nexclude = ["project:acme"]\n', encoding="utf-8")

    def opening(_space: str) -> Memory:
        return Memory.open(tmp_path)

    def asked(folder: str, text: str) -> dict[str, Any]:
        told = f"You are Claude Code, here to help.\n<env>\nWorking directory: {folder}\n</env>"
        return {**said(text), "messages": [{"role": "system", "content": told}, *said(text)["messages"]]}

    with ScriptedUpstream(in_turn(["Fine.", "Good."])).serving() as url, proxy(url, opening) as server:
        headers, _ = chat(server, asked("/w/acme/src", "The vault opens with 4711."))
        assert not {b"x-clew-session", b"x-clew-receipt"} & set(headers)
        chat(server, asked("/w/open", "The lamp is green."))
        eventually(lambda: len(stored(server)), 2)
        turns = list(server.services.spaces.get("default").turns())
        assert [turn.text for turn in turns] == ["The lamp is green.", "Good."]
        assert {turn.metadata["cwd"] for turn in turns} == {"/w/open"}


@pytest.mark.requirement("P-RLY-16")
@pytest.mark.parametrize(
    ("fault", "wanted"),
    [
        (Fault(FaultKind.RESET_AFTER, after=1500), ["user", "assistant"]),
        (Fault(FaultKind.CUT, after=1500), ["user", "assistant"]),
        (Fault(FaultKind.OVERLOADED), ["user"]),
        (Fault(FaultKind.RESET_BEFORE), ["user"]),
    ],
)
def test_what_came_before_a_break_is_stored(fault: Fault, wanted: list[str], tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(200))
    upstream = ScriptedUpstream(lambda _: Reply(text, fault=fault))
    with upstream.serving() as url, proxy(url, in_home(tmp_path)) as server:
        value = {**said("Count for me, please."), "stream": True}
        ask(server.url, post(OPENAI, json.dumps(value).encode(), *KEYS))
        eventually(lambda: [role for role, _ in stored(server)], wanted)


@pytest.mark.requirement("P-RLY-16")
def test_spaces_of_two_tokens_stay_apart(tmp_path: Path) -> None:
    tokens = ["alice=token-of-alice", "bob=token-of-bob"]
    upstream = ScriptedUpstream(answer_from_request)
    with upstream.serving() as url, proxy(url, in_home(tmp_path), tokens=tokens) as server:
        alice, bob = (b"X-Clew-Token: token-of-" + name for name in (b"alice", b"bob"))
        chat(server, said("The backup code of the garage door is 4711."), alice)
        question = said("What is the backup code of the garage door?")
        assert b"4711" not in chat(server, question, bob, b"X-Clew-Space: alice")[1]
        assert b"4711" in chat(server, question, alice)[1]


@pytest.mark.requirement("P-IDN-20")
def test_a_side_request_is_not_told_where_it_is_stored(tmp_path: Path) -> None:
    title = "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history."
    upstream = ScriptedUpstream(in_turn(["Garden plans", "Good."]))
    with upstream.serving() as address, proxy(address, opening=in_home(tmp_path)) as server:
        assert b"x-clew-session" not in chat(server, said(title))[0]
        session = chat(server, said("A question."))[0][b"x-clew-session"]
        eventually(lambda: stored(server), [("user", "A question."), ("assistant", "Good.")])
        assert stored(server, session) == stored(server)
