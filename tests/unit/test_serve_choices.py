"""Several answers to one request (`n`, `candidateCount`): all are stored; the client goes on from any one of them."""

import json
from typing import Any

import pytest

from clew.serve.proxy.exchange import Answer
from clew.serve.proxy.wires import WIRES
from tests.support.chat_requests import chat_request
from tests.support.memories import quiet
from tests.support.proxy_talks import NOBODY, Asked, Proxied, assistant, user

TEXTS = ["red", "green", "blue"]


def texts(answer: Answer) -> list[tuple[str, bool]]:
    found = []
    for each in (answer, *answer.others):
        (message,) = each.messages
        found.append((message["content"] if "content" in message else message["parts"][0]["text"], each.complete))
    return found


def openai(number: int, **about: Any) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": number, **about}]}


def gemini(number: int, text: str, **about: Any) -> dict[str, Any]:
    place = {"index": number} if number else {}  # as its API leaves out what is 0
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, **place, **about}]}


@pytest.mark.requirement("P-IDN-22")
@pytest.mark.parametrize("has_numbers", [True, False])
def test_whole_answers_hold_all_choices(has_numbers: bool) -> None:
    def place(number: int) -> dict[str, int]:
        return {"index": number} if has_numbers else {}

    choices = [{**place(n), "message": {"content": text}, "finish_reason": "stop"} for n, text in enumerate(TEXTS)]
    candidates = [
        {**place(n), "content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}
        for n, text in enumerate(TEXTS)
    ]
    bodies = {"openai": {"choices": choices}, "gemini": {"candidates": candidates}}
    for name, body in bodies.items():
        read = WIRES[name].read_answer(json.dumps(body).encode())
        assert texts(read) == [(text, True) for text in TEXTS]


@pytest.mark.requirement("P-IDN-22")
def test_streams_hold_all_choices_as_far_as_they_came() -> None:
    pieces: dict[str, list[dict[str, Any]]] = {
        "openai": [
            openai(1, delta={"role": "assistant", "content": "gr"}),
            openai(0, delta={"role": "assistant", "content": "r"}),
            openai(1, delta={"content": "een"}),
            openai(0, delta={"content": "ed"}, finish_reason="stop"),
        ],
        "gemini": [gemini(1, "gr"), gemini(0, "r"), gemini(1, "een"), gemini(0, "ed", finishReason="STOP")],
    }
    for name, chunks in pieces.items():
        reader = WIRES[name].reader()
        for chunk in chunks:
            reader.feed(f"data: {json.dumps(chunk)}\n\n".encode())
        assert texts(reader.answer()) == [("red", True), ("green", False)]


def answered(proxied: Proxied, asked: Asked, *choices: str) -> None:
    first, *others = (Answer((assistant(text),) if text else (), model="m") for text in choices)
    said = Answer(first.messages, model="m", others=tuple(others))
    proxied.memorizer.store_answer(*asked, NOBODY, said).wait_for_disk()


@pytest.mark.requirement("P-IDN-22")
@pytest.mark.parametrize("taken", TEXTS)
def test_the_client_goes_on_from_any_choice_and_none_is_lost(taken: str) -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        asked = proxied.ask([user("which colour?")])
        answered(proxied, asked, *TEXTS, "green")
        session = asked[0].session
        wanted = ["which colour?", "red", "edit-1: green", "edit-2: blue"]
        assert proxied.stored(session) == wanted
        proxied.restart()
        history = [user("which colour?"), assistant(taken), user("and how dark?")]
        on = proxied.exchange(history, assistant("very"))
        assert (on.session, on.known) == (session, 2)
        branch = {"red": "", "green": "edit-1: ", "blue": "edit-2: "}[taken]
        assert proxied.stored(session) == [*wanted, f"{branch}and how dark?", f"{branch}very"]
        assert proxied.sessions() == [session]
        assert memory.verify().ok


@pytest.mark.requirement("P-IDN-22")
def test_a_choice_that_says_nothing_stands_for_none() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        asked = proxied.ask([user("which colour?")])
        answered(proxied, asked, "", "green")
        assert proxied.stored(asked[0].session) == ["which colour?", "green"]


@pytest.mark.requirement("P-IDN-22")
def test_no_choice_of_an_incognito_request_is_stored_later() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        before = proxied.exchange([user("hello")], assistant("Hi"))
        asked = [user("hello"), assistant("Hi"), user("which colour?")]
        said = Answer((assistant("red"),), others=(Answer((assistant("green"),)),))
        proxied.memorizer.pass_over(chat_request("openai", asked), said)
        proxied.exchange([*asked, assistant("green"), user("and how dark?")], assistant("very"))
        assert proxied.stored(before.session) == ["hello", "Hi", "and how dark?", "very"]
