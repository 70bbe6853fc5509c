"""A client that drops its history, or begins a new session: what mattered comes back once, and stays in place."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.serve.scripted.script import in_turn
from clew.serve.scripted.server import ScriptedUpstream
from tests.e2e.test_proxy_chats import KEYS
from tests.e2e.test_proxy_stores import in_home, said
from tests.support.proxies import RunningProxy, proxy
from tests.support.raw_upstreams import ask, post, split

DECIDED = "We decided that the port of the proxy is 8377, and the table is called shelf_items."
MARK = "no longer holds"


def chat(server: RunningProxy, value: dict[str, Any]) -> None:
    body = json.dumps(value).encode()
    status, _, told = split(
        ask(server.url, post("/openai/v1/chat/completions", body, *KEYS, b"x-clew-session: workshop"))
    )
    assert status == 200, told


def histories(rounds: int) -> list[str]:
    texts = [f"{DECIDED} Please note it. We must not rename the table later.", "Noted."]
    for number in range(rounds):
        texts += [f"What about drawer {number}?", f"Drawer {number} is full of number {number} screws."]
    return texts


@pytest.mark.requirement("P-ECO-19")
def test_what_a_client_dropped_comes_back_once_at_the_same_place(tmp_path: Path) -> None:
    upstream = ScriptedUpstream(in_turn(["Understood."] * 9))
    with upstream.serving() as url, proxy(url, in_home(tmp_path)) as server:
        whole = histories(8)
        chat(server, said(*whole, "Go on."))
        short = [*whole[-4:], "Go on.", "Understood.", "And which screws are left in the shop?"]
        chat(server, said(*short))
        chat(server, said(*short, "Understood.", "Thank you."))
    bodies = [json.loads(request.body)["messages"] for request in upstream.chats()]
    assert MARK not in json.dumps(bodies[0])
    assert MARK in bodies[1][-1]["content"]
    assert "8377" in bodies[1][-1]["content"]
    assert json.dumps(bodies[2]).count(MARK) == 1
    assert bodies[2][: len(bodies[1])] == bodies[1]


@pytest.mark.requirement("P-ECO-19")
def test_a_new_session_under_the_same_name_begins_with_what_mattered(tmp_path: Path) -> None:
    upstream = ScriptedUpstream(in_turn(["Understood."] * 9))
    with upstream.serving() as url, proxy(url, in_home(tmp_path)) as server:
        chat(server, said(*histories(8), "Go on."))
        chat(server, said("Hello again, where were we with the drawers?"))
    bodies = [json.loads(request.body)["messages"] for request in upstream.chats()]
    assert MARK in bodies[1][0]["content"]
    assert "8377" in bodies[1][0]["content"]


@pytest.mark.requirement("P-ECO-19")
def test_a_whole_history_brings_nothing_back(tmp_path: Path) -> None:
    upstream = ScriptedUpstream(in_turn(["Understood."] * 9))
    with upstream.serving() as url, proxy(url, in_home(tmp_path)) as server:
        whole = histories(8)
        chat(server, said(*whole, "Go on."))
        chat(server, said(*whole, "Go on.", "Understood.", "And the drawers?"))
    assert MARK not in "".join(request.body.decode() for request in upstream.chats())
