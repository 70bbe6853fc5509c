"""What the ledger counts when the provider's answer is broken, empty, or reports absurd numbers."""

import json
from typing import Any

import pytest

from clew.rows.request_log import logged_requests
from clew.store.row_types import RequestLogRow
from tests.e2e.test_proxy_stores import OPENAI, eventually
from tests.support.proxies import proxy
from tests.support.raw_upstreams import answer, ask, post, raw_upstream

HEADERS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
USAGE = {"prompt_tokens": 5000, "completion_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 3000}}
COST = 2000 * 1.25 + 3000 * 0.125 + 1000 * 10
CHOICE = {"index": 0, "message": {"role": "assistant", "content": "Green."}, "finish_reason": "stop"}


def whole(choices: list[dict[str, Any]], usage: dict[str, Any]) -> bytes:
    return answer(json.dumps({"model": "gpt-5", "choices": choices, "usage": usage}).encode())


def event(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def charged(*replies: bytes, stream: bool = False, tools: bool = False) -> RequestLogRow:
    """The row of one request that is answered so; by the second reply after a call of Clew's tools."""
    asked = {"model": "gpt-5", "stream": stream, "messages": [{"role": "user", "content": "What colour is the lamp?"}]}
    rounds = iter(replies)
    with raw_upstream(lambda _: [next(rounds)]) as upstream, proxy(upstream.url, tools=tools) as server:
        ask(server.url, post(OPENAI, json.dumps(asked).encode()))
        reads = server.services.spaces.get("default").reads

        def rows() -> list[RequestLogRow]:
            with reads.store.snapshot() as reader:
                return logged_requests(reader, reads.space)

        eventually(lambda: len(rows()), 1)
        return rows()[0]


@pytest.mark.requirement("S-REST-05")
@pytest.mark.parametrize("choices", [[CHOICE], []])
def test_what_the_provider_counted_is_charged_also_without_an_answer(choices: list[dict[str, Any]]) -> None:
    row = charged(whole(choices, USAGE))
    assert (row.input, row.cached, row.output, row.cost_with, row.failed) == (5000, 3000, 1000, COST, None)


@pytest.mark.requirement("S-REST-05")
def test_absurd_numbers_of_tokens_are_none_and_keep_no_request_out() -> None:
    absurd = {"prompt_tokens": -5, "completion_tokens": "7", "prompt_tokens_details": {"cached_tokens": 10**30}}
    row = charged(whole([CHOICE], absurd))
    assert (row.input, row.cached, row.output) == (None, None, None)


@pytest.mark.requirement("S-REST-05")
def test_a_stream_that_begins_with_an_error_costs_nothing() -> None:
    row = charged(HEADERS + event({"error": {"message": "overloaded", "code": 503}}), stream=True)
    assert (row.cost_with, row.cost_without, row.failed) == (0, 0, "no answer")


@pytest.mark.requirement("S-REST-05")
def test_a_stream_that_breaks_in_its_middle_costs_what_was_predicted() -> None:
    said = {"model": "gpt-5", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Gre"}}]}
    row = charged(HEADERS + event(said), stream=True)
    assert (row.input, row.output, row.failed) == (None, None, None)
    assert (row.cost_with or 0) > 0


@pytest.mark.requirement("S-REST-05")
def test_what_calls_of_our_tools_took_is_charged_also_where_the_answer_behind_them_is_an_error() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "clew_find_quote", "arguments": '{"text": "lamp"}'}}
    calls = {"index": 0, "message": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "tool_calls"}
    overloaded = answer(b'{"error": {"message": "overloaded"}}', status=b"503 Service Unavailable")
    row = charged(whole([calls], USAGE), overloaded, tools=True)
    assert (row.input, row.cached, row.output, row.cost_with) == (5000, 3000, 1000, COST)
    assert row.failed == "status 503"
    row = charged(whole([calls], USAGE), whole([calls], USAGE), b"", tools=True)
    assert (row.input, row.cached, row.output, row.cost_with) == (10000, 6000, 2000, 2 * COST)
