"""What the ledger predicts is what the provider reports, and what a block costs is what it says, through the proxy."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from clew import Memory
from clew.rows.request_log import logged_requests
from clew.serve.scripted.script import in_turn
from clew.serve.scripted.server import ScriptedUpstream
from clew.store.row_types import RequestLogRow
from tests.e2e.test_proxy_chats import KEYS
from tests.e2e.test_proxy_stores import eventually, in_home
from tests.support.proxies import proxy
from tests.support.raw_upstreams import ask, post, split

MARK = {"cache_control": {"type": "ephemeral"}}
PORTER = "You are a porter. " * 400
ROUNDS = 5


def asked(number: int) -> str:
    return f"What is the backup code of door {number}? " + "Please. " * 50


def request_of(wire: str, said: list[str]) -> dict[str, Any]:
    """A chat of questions and answers in turn; with Anthropic the last question is marked, as clients do."""
    if wire == "openai":
        chat = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)]
        return {"model": "gpt-5-mini", "messages": [{"role": "system", "content": PORTER}, *chat]}
    parts: list[dict[str, Any]] = [{"type": "text", "text": text} for text in said]
    parts[-1] = {**parts[-1], **MARK}
    talk = [{"role": ("user", "assistant")[n % 2], "content": [part]} for n, part in enumerate(parts)]
    system = [{"type": "text", "text": PORTER, **MARK}]
    return {"model": "claude-opus-4-1", "max_tokens": 100, "system": system, "messages": talk}


def rows_of_a_talk(wire: str, path: str, home: Path) -> list[RequestLogRow]:
    """The ledger's rows of a talk over five rounds, in which earlier conversations are remembered."""
    answers = [f"It is 47{number}. " + "Remember it. " * 60 for number in range(ROUNDS)]
    with ScriptedUpstream(in_turn(answers)).serving() as url, proxy(url, in_home(home)) as server:
        said: list[str] = []
        for number in range(ROUNDS):
            said.append(asked(number))
            sent = post(path, json.dumps(request_of(wire, said)).encode(), *KEYS, b"x-clew-session: doors")
            status, _, body = split(ask(server.url, sent))
            assert status == 200, body
            said.append(answers[number])
        memory = server.services.spaces.get("default")

        def logged() -> list[RequestLogRow]:
            with memory.reads.store.snapshot() as reader:
                return logged_requests(reader, memory.space)

        eventually(lambda: len(logged()), ROUNDS)
        return logged()


@pytest.mark.requirement("P-ECO-13", "P-ECO-07")
@pytest.mark.parametrize(("wire", "path"), [("anthropic", "/v1/messages"), ("openai", "/v1/chat/completions")])
def test_predicted_and_reported_cache_tokens_agree(wire: str, path: str, tmp_path: Path) -> None:
    with Memory.open(tmp_path, config={"embedder": "none"}) as memory:
        for number in range(20):
            told = f"The backup code of door {number} is 47{number}. " + "It changes every spring. " * 5
            memory.update(told, "Noted.", session="old")
        memory.drain(200)
    rows = rows_of_a_talk(wire, f"/{wire}{path}", tmp_path)
    assert rows[0].decision == "tail"
    for before, row in pairwise(rows):
        assert row.cached is not None
        assert row.predicted_cached == pytest.approx(row.cached, rel=0.05, abs=130)
        assert row.cached >= 0.9 * (before.tokens or 0)
        assert row.cost_with is not None
        assert row.cost_without is not None
        assert row.cost_with > row.cost_without  # by what the block costs, and no more:
        dearest = {"anthropic": 18.75, "openai": 0.25}[wire]
        assert row.cost_with - row.cost_without <= 1.1 * dearest * (row.block_tokens + 128)
