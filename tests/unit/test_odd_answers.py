"""Answers of odd and hostile upstreams where Clew's tools are offered: nothing is lost, and little is held."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clew.serve.proxy.economy.cache_model import CacheUse
from clew.serve.proxy.exchange import Answer
from clew.serve.proxy.rounds import joiner_of
from clew.serve.proxy.rounds.sums import MOST_HELD, RawEvents, event_of, value_of
from clew.serve.proxy.wires import WIRES
from clew.serve.scripted.script import Reply, ToolUse
from clew.serve.scripted.vendors import VENDORS
from tests.support.proxies import proxy
from tests.support.raw_upstreams import answer, ask, post, raw_upstream, split

CHATS = {"anthropic": "/anthropic/v1/messages", "openai": "/openai/v1/chat/completions"}


@pytest.mark.requirement("S-LINE-11")
@pytest.mark.parametrize("api", sorted(CHATS))
def test_a_whole_answer_that_breaks_off_is_an_error_of_the_api(api: str) -> None:
    broken = answer(b"x" * 100)[:-96]
    body = json.dumps({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Where is it?"}]})
    with raw_upstream(lambda _: [broken]) as upstream, proxy(upstream.url, tools=True) as server:
        status, _, text = split(ask(server.url, post(CHATS[api], body.encode(), b"x-api-key: k")))
        assert server.event("upstream-broken")
    assert status == 502
    assert "broke off" in json.loads(text)["error"]["message"]


@pytest.mark.requirement("S-LINE-12")
def test_events_are_cut_wherever_pieces_end() -> None:
    stream = b"data: 1\n\ndata: 2\r\n\r\ndata: 3\r\rdata: 4\n\nrest"
    for size in range(1, len(stream) + 1):
        events = RawEvents()
        pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
        found = [event for piece in pieces for event in events.feed(piece)]
        assert found == [b"data: 1\n\n", b"data: 2\r\n\r\n", b"data: 3\r\r", b"data: 4\n\n"]
        assert events.rest() == b"rest"


@pytest.mark.requirement("S-LINE-12")
def test_an_event_without_an_end_is_not_held_for_ever() -> None:
    events, piece = RawEvents(), b"a" * (1 << 20)
    count = 3 * (MOST_HELD >> 20)
    found = [event for _ in range(count) for event in events.feed(piece)]
    assert found
    assert max(map(len, found)) <= MOST_HELD + len(piece)
    assert sum(map(len, found)) + len(events.rest()) == count * len(piece)


ASKED: dict[str, dict[str, Any]] = {
    "anthropic": {"model": "m", "thinking": {"type": "enabled"}},
    "openai": {"model": "m", "stream_options": {"include_usage": True}},
    "responses": {"model": "m", "reasoning": {"summary": "auto"}},
    "gemini": {"model": "m", "generationConfig": {"thinkingConfig": {"includeThoughts": True}}},
}
SAID = b"Well,"
REPLY = Reply(SAID.decode(), (ToolUse("clew_find_quote", {"text": "x"}), ToolUse("weather")), "Hm")
COUNTS = (CacheUse(1, 2, 0, 3), 4)


def with_odd_members(value: Any) -> Iterator[Any]:
    """The value with each of its members, however deep, in place of which something of another type stands."""
    places = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for place, held in places:
        for odd in (None, 5, {}, [None], *with_odd_members(held)):
            changed = value.copy()
            changed[place] = odd
            yield changed


@pytest.mark.requirement("S-LINE-12")
@pytest.mark.parametrize("wire", sorted(WIRES))
def test_an_event_of_another_shape_breaks_no_stream(wire: str) -> None:
    events = list(VENDORS[wire].events(ASKED[wire], REPLY, COUNTS, 1))
    for number, event in enumerate(events):
        if (value := value_of(event)) is None:
            continue
        for odd in with_odd_members(value):
            changed = [*events[:number], event_of({"type": "", **odd}, named=True), *events[number + 1 :]]
            stream, reader = joiner_of(wire).stream(lambda name: name.startswith("clew_")), WIRES[wire].reader()
            relayed = []
            for piece in changed:
                relayed.append(stream.feed(piece))
                reader.feed(piece)
            relayed += [stream.next_round(), stream.feed(changed[number]), stream.finish()]
            assert SAID in b"".join(relayed) or SAID in event
            assert isinstance(reader.answer(), Answer)


@pytest.mark.requirement("S-LINE-12")
@pytest.mark.parametrize("wire", sorted(WIRES))
def test_a_whole_answer_of_another_shape_is_read_as_far_as_it_goes(wire: str) -> None:
    whole = VENDORS[wire].whole(ASKED[wire], REPLY, COUNTS, 1)
    for odd in with_odd_members(whole):
        assert isinstance(WIRES[wire].read_answer(json.dumps(odd).encode()), Answer)
        for rounds in ([whole, odd], [odd, whole]):
            joined = joiner_of(wire).whole(rounds, lambda name: name.startswith("clew_"))
            assert SAID in json.dumps(joined).encode()


def gemini(text: str, **candidate: str) -> bytes:
    return json.dumps({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, **candidate}]}).encode()


BEFORE = [
    pytest.param([], marks=pytest.mark.slow),
    pytest.param([gemini("First.")], marks=pytest.mark.slow),
    [gemini("First."), gemini("Last.", finishReason="STOP")],
]


@pytest.mark.requirement("F-RELAY-03")
@pytest.mark.parametrize("before", BEFORE)
def test_an_element_without_an_end_is_not_held_for_ever(before: list[bytes]) -> None:
    stream = joiner_of("gemini").stream(lambda _: True)
    relayed = [stream.feed(b"[" + b"".join(each + b"," for each in before) + gemini("")[:-7])]
    piece, count = b"a" * (8 << 20), (MOST_HELD >> 23) + 3
    relayed += [stream.feed(piece) for _ in range(count)]
    assert max(map(len, relayed)) <= MOST_HELD + 2 * len(piece)
    assert relayed[-1] == piece, "as it comes"
    relayed += [stream.feed(gemini("")[-7:] + b"]"), stream.finish()]
    texts = [each["candidates"][0]["content"]["parts"][0]["text"] for each in json.loads(b"".join(relayed))]
    assert texts[:-1] == ["First.", "Last."][: len(before)]
    assert len(texts[-1]) == count * len(piece)


@pytest.mark.requirement("F-RELAY-03")
@pytest.mark.parametrize("begin", [b"[", b""])
def test_what_waits_for_a_further_round_is_let_go_when_there_can_be_none(begin: bytes) -> None:
    stream = joiner_of("gemini").stream(lambda _: True)
    element = gemini("a" * (1 << 20), finishReason="STOP")
    framed = element + b"," if begin else b"data: " + element + b"\r\n\r\n"
    relayed = [stream.feed(begin)] + [stream.feed(framed) for _ in range((MOST_HELD >> 20) + 8)]
    assert len(stream.finish()) < MOST_HELD
    assert sum(map(len, relayed)) > MOST_HELD


@pytest.mark.requirement("S-LINE-12")
def test_parts_of_a_block_that_did_not_begin_are_relayed() -> None:
    stream = joiner_of("anthropic").stream(lambda _: True)
    part = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":7,"delta":{"text":"x"}}\n\n'
    assert stream.feed(part) + stream.finish() == part
