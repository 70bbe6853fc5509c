"""Reading and editing generated requests of the four formats, and whatever bytes may come in their place."""

import json
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.condense.wires import WIRES as LISTS_OF
from clew.errors import FormatError, InputError
from clew.ingest.exchange import wire_message
from clew.ingest.importers.message_turns import has_content
from clew.serve.proxy.clients import recognised
from clew.serve.proxy.economy.cache_model import CacheUse
from clew.serve.proxy.exchange import Answer, ChatRequest, edited
from clew.serve.proxy.wires import WIRES
from clew.serve.scripted.script import Reply, ToolUse
from clew.serve.scripted.vendors import VENDORS
from tests.support.chat_requests import LISTS
from tests.support.effort import examples
from tests.support.wire_bodies import PATHS, TEXTS, broken, random_value, rendered

ADDED = 'Remembered: "ü" \\ \n\u2028'
TOOL = {"name": "clew_restore", "description": "Give back.", "schema": {"type": "object"}}
EVERY_WIRE = pytest.mark.parametrize("name", sorted(WIRES))
WORDS = [text for text in TEXTS if text.isascii() or text.isprintable()]
SEEDS = st.integers(0, 2**64)
LOOPS = 25_000
"""Requests of each format in the slow part of the suite."""


def read(name: str, body: bytes) -> ChatRequest:
    return WIRES[name].read(PATHS[name], {}, body)


def without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: member for name, member in value.items() if name not in names}


def check_request(name: str, seed: int) -> None:
    random, wire, list_of = Random(seed), WIRES[name], LISTS[name]  # noqa: S311 - the same requests on every run
    value = random_value(random, name)
    body = rendered(random, value)
    request = read(name, body)
    assert request.value == value
    assert list(request.messages) == value[list_of]
    assert [json.loads(body[span.start : span.end]) for span in request.spans] == value[list_of]
    assert LISTS_OF[name].problems(request.messages) == []
    questions = [index for index, message in enumerate(request.messages) if wire.is_question(message)]
    index = random.choice(questions)
    edits = [wire.appended(request, index, ADDED), wire.with_tools(request, [TOOL])]
    changed = read(name, edited(body, edits))
    assert without(changed.value, list_of, "tools") == without(value, list_of, "tools")
    assert [*changed.messages[:index], *changed.messages[index + 1 :]] == [
        *request.messages[:index],
        *request.messages[index + 1 :],
    ]
    check_added(request.messages[index], changed.messages[index])
    assert len(str(changed.value["tools"])) > len(str(value.get("tools", "")))
    assert json.dumps(changed.value).count("cache_control") == json.dumps(value).count("cache_control")
    assert LISTS_OF[name].problems(changed.messages) == []
    start, stop = sorted(random.choices(range(len(request.messages) + 1), k=2))
    notes = [LISTS_OF[name].note("Note")]
    replaced = read(name, edited(body, [wire.replaced(request, start, stop, notes)]))
    assert list(replaced.messages) == [*request.messages[:start], *notes, *request.messages[stop:]]
    assert all(
        has_content(wire_message(message)[1]) for message in request.messages if message.get("type") != "reasoning"
    )


def check_added(before: dict[str, Any], after: dict[str, Any]) -> None:
    """The message holds what it held, and then what was added."""
    assert without(after, "content", "parts") == without(before, "content", "parts")
    contents: list[Any] = [message.get("content", message.get("parts")) for message in (before, after)]
    old, new = contents
    if isinstance(old, str):
        texts = new if isinstance(new, str) else "".join(part["text"] for part in new)
        assert texts.startswith(old)
        assert texts.endswith(ADDED)
    else:
        assert new[: len(old)] == old or new[-1]["text"] == f"{old[-1]['text']}\n\n{ADDED}"


def check_broken(name: str, seed: int) -> None:
    random, wire = Random(seed), WIRES[name]  # noqa: S311 - the same requests on every run
    body = broken(random, rendered(random, random_value(random, name)))
    try:
        request = read(name, body)
    except FormatError:  # it goes on as it came
        return
    recognised(request)
    for index, message in enumerate(request.messages):
        wire.is_question(message)
        wire_message(message)
        try:
            read(name, edited(body, [wire.appended(request, index, ADDED)]))
        except InputError:  # a message of another role, or without content
            continue
    assert read(name, edited(body, [wire.with_tools(request, [TOOL])])).messages == request.messages


def check_stream(name: str, data: bytes, seed: int) -> Answer:
    """The answer of bytes in random pieces, which is that of the bytes as one."""
    random, wire = Random(seed), WIRES[name]  # noqa: S311 - the same requests on every run
    reader, whole = wire.reader(), wire.reader()
    whole.feed(data)
    at = 0
    while at < len(data):
        size = random.choice((1, 1, 2, 3, 7, 50, 1000))
        reader.feed(data[at : at + size])
        at += size
    wire.read_answer(data)
    assert reader.answer() == whole.answer()
    return reader.answer()


@EVERY_WIRE
@given(seed=SEEDS)
@settings(deadline=None, max_examples=examples(36, 400))
@pytest.mark.requirement("P-FMT-02", "P-FMT-03")
def test_edits_change_their_stretch_and_nothing_else(name: str, seed: int) -> None:
    check_request(name, seed)


@EVERY_WIRE
@given(seed=SEEDS)
@settings(deadline=None, max_examples=examples(36, 400))
@pytest.mark.requirement("P-FMT-04")
def test_broken_bodies_are_read_or_refused(name: str, seed: int) -> None:
    check_broken(name, seed)


@EVERY_WIRE
@given(seed=SEEDS)
@settings(deadline=None, max_examples=examples(36, 400))
@pytest.mark.requirement("P-FMT-05")
def test_broken_streams_are_read_alike_in_pieces_of_any_size(name: str, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - the same streams on every run
    calls = tuple(ToolUse("Read", {"path": random.choice(WORDS)}) for _ in range(random.randrange(3)))
    reply = Reply(text=random.choice(WORDS), thinking=random.choice(("", "Hm.")), calls=calls)
    stream = b"".join(VENDORS[name].events({"model": "m"}, reply, (CacheUse(read=3), 7), 1))
    whole = check_stream(name, stream, seed)
    assert whole.complete
    assert len(whole.calls) == len(calls)
    check_stream(name, broken(random, stream), seed)


@EVERY_WIRE
@given(data=st.binary(max_size=200), seed=SEEDS)
@settings(deadline=None, max_examples=examples(36, 400))
@pytest.mark.requirement("P-FMT-04", "P-FMT-05")
def test_bytes_of_any_kind_are_read_or_refused(name: str, data: bytes, seed: int) -> None:
    check_stream(name, data, seed)
    with suppress(FormatError):  # most bytes are no request, and are refused
        read(name, data)
        assert data.strip().startswith(b"{")  # an empty object is a request to the Responses API


@pytest.mark.slow
@pytest.mark.timeout(600)
@EVERY_WIRE
@pytest.mark.requirement("P-FMT-02", "P-FMT-03", "P-FMT-04")
def test_many_requests(name: str) -> None:
    for seed in range(LOOPS):
        (check_broken if seed % 2 else check_request)(name, seed)
