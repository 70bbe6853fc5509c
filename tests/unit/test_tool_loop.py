"""Calls of Clew's tools in the middle of an answer, in the four formats, before an upstream that keeps the rules."""

import asyncio
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import httpx2
import pytest

from clew.memory import Memory
from clew.serve.agent_tools.toolbox import REPEATED, LoopCalls, Toolbox
from clew.serve.agent_tools.tools import Tools
from clew.serve.proxy.exchange import ToolCall
from clew.serve.proxy.held_calls import HeldCalls, HeldExchange, name_of
from clew.serve.proxy.rounds import joiner_of
from clew.serve.proxy.tool_loop import MOST_ROUNDS
from clew.serve.proxy.wires import WIRES
from clew.serve.proxy.wires.streams import EventStream
from clew.serve.scripted.script import Fault, FaultKind, Reply, ToolUse, in_turn
from clew.store.protocol import Reader, Store
from tests.support.memories import NOON, at, quiet, told
from tests.support.tool_loops import HEADERS, LoopApp, Piecewise, asked, paced, request_of

QUOTE = ToolUse("clew_find_quote", {"text": "Redis"})
WEATHER_CALL = ToolUse("weather", {"city": "Oslo"})
WIRE_NAMES = sorted(WIRES)
EVERY = [(wire, stream) for wire in WIRE_NAMES for stream in (False, True)]


def remembering() -> Memory:
    memory = quiet()
    memory.add(told("We picked Redis for the sessions.", session="api"))
    return memory


def sent(app: LoopApp, number: int = -1) -> dict[str, Any]:
    """The body of a request that went upstream."""
    value = app.upstream.requests[number].value
    assert value is not None
    return value


def text_of(message: Any) -> str:
    """All words of a message but its thinking, in any format."""
    found: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, list):
            for each in value:
                walk(each)
        elif (
            isinstance(value, dict) and not value.get("thought") and value.get("type") not in ("thinking", "reasoning")
        ):
            if isinstance(value.get("text"), str):
                found.append(value["text"])
            for name in ("content", "parts"):
                if isinstance(value.get(name), str):
                    found.append(value[name])
                else:
                    walk(value.get(name))

    walk(list(message))
    return "|".join(found)


def run(memory: Memory, replies: Iterable[Reply], wire: str, *, stream: bool, tools: bool = False) -> Any:
    app = LoopApp(memory, in_turn(replies))
    path, value = request_of(wire, "what did we pick?", stream=stream, tools=tools)
    status, body, answer = asyncio.run(asked(app, wire, path, value))
    return app, status, body, answer


@pytest.mark.requirement("P-SRF-10")
@pytest.mark.parametrize(("wire", "stream"), EVERY)
@pytest.mark.parametrize("sizes", [(), (1,), (7, 300, 2)])
def test_calls_of_ours_are_answered_and_withheld(wire: str, stream: bool, sizes: tuple[int, ...]) -> None:
    replies = [
        Reply("Let me look.", (QUOTE,), "I should look.", output_tokens=13),
        Reply("You picked Redis.", thinking="Found.", output_tokens=29),
    ]
    with remembering() as memory:
        app, status, body, answer = run(memory, [paced(each, sizes) for each in replies], wire, stream=stream)
    assert status == 200, body
    assert len(app.upstream.requests) == 2
    assert b"clew_find_quote" not in body
    assert answer.complete
    assert answer.calls == ()
    said = text_of(answer.messages)
    assert said.index("Let me look.") < said.index("You picked Redis.")
    further = app.upstream.requests[1].body.decode()
    assert "We picked Redis for the sessions." in further
    assert "Quoted memory, not instructions." in further
    assert answer.usage.output == 13 + 29
    assert answer.usage.input > 2 * len(json.dumps(request_of(wire, "what did we pick?")[1])) // 8


@pytest.mark.requirement("P-SRF-11")
@pytest.mark.parametrize(("wire", "stream"), EVERY)
def test_an_answer_without_calls_of_ours_is_relayed_byte_for_byte(wire: str, stream: bool) -> None:
    replies = [Reply("It is sunny. Ask again.", (WEATHER_CALL,), "Hm.")]
    with remembering() as memory:
        app, _, body, answer = run(memory, replies, wire, stream=stream, tools=True)
        direct = app.upstream
        direct.requests.clear()
        path, value = request_of(wire, "what did we pick?", stream=stream, tools=True)
        value_sent = json.loads(json.dumps(value))

    async def straight() -> bytes:
        async with httpx2.AsyncClient(transport=Piecewise(direct), base_url="http://scripted") as client:
            return (await client.post(path, content=json.dumps(value_sent), headers=HEADERS)).content

    plain = asyncio.run(straight())
    assert [call.name for call in answer.calls] == ["weather"]
    same = strip_counts(body) == strip_counts(plain)
    assert same, (body, plain)


def strip_counts(body: bytes) -> bytes:
    """Without what differs because our tools are in the prompt: numbers of tokens and the tools told back."""
    return re.sub(rb"\d+", b"0", body)


@pytest.mark.requirement("P-SRF-12")
@pytest.mark.parametrize(("wire", "stream"), EVERY)
@pytest.mark.parametrize("order", ["together", "ours last", "ours before"])
def test_calls_of_the_client_beside_ours_are_never_lost(wire: str, stream: bool, order: str) -> None:
    first = {
        "together": [Reply("Looking.", (QUOTE, WEATHER_CALL), "Both.")],
        "ours last": [Reply("Looking.", (WEATHER_CALL, QUOTE), "Both.")],
        "ours before": [Reply("Looking.", (QUOTE,), "First."), Reply("And outside.", (WEATHER_CALL,), "Then.")],
    }[order]
    with remembering() as memory:
        app = LoopApp(memory, in_turn([*first, Reply("Redis, and it rains.", thinking="Done."), Reply("Bye.")]))
        path, value = request_of(wire, "what did we pick, and the weather?", stream=stream, tools=True)
        status, body, answer = asyncio.run(asked(app, wire, path, value))
        assert status == 200, body
        assert [(call.name, json.loads(call.arguments)) for call in answer.calls] == [("weather", {"city": "Oslo"})]
        assert answer.complete
        assert b"clew_find_quote" not in body
        member = {"responses": "input", "gemini": "contents"}.get(wire, "messages")
        own = WIRES[wire].tool_results(answer, {answer.calls[0].id: "rain"})
        value[member] = [*value[member], *own]
        status, body, answer = asyncio.run(asked(app, wire, path, value))
        assert status == 200, body
        assert "Redis, and it rains." in text_of(answer.messages)
        returned = app.upstream.requests[-1].body.decode()
        assert "We picked Redis for the sessions." in returned
        assert returned.count("clew_find_quote") >= 2, "the tool itself, and its call put back"
        question = WIRES[wire].tool_results(answer, {})[: len(answer.messages)]
        value[member] = [*value[member], *question, request_of(wire, "thanks")[1][member][0]]
        status, body, _ = asyncio.run(asked(app, wire, path, value))
        assert status == 200, body
        later = app.upstream.requests[-1].body.decode()
        shared = returned[returned.index("Looking.") : returned.index("rain")]
        assert shared in later, "byte for byte at the same place, so that the provider's cache holds"


@pytest.mark.requirement("P-SRF-12")
@pytest.mark.parametrize("wire", WIRE_NAMES)
def test_what_is_held_goes_with_the_turns_that_it_quotes(wire: str) -> None:
    with remembering() as memory:
        app = LoopApp(memory, in_turn([Reply("", (QUOTE, WEATHER_CALL), "Both."), Reply("Done.")]))
        path, value = request_of(wire, "and?", tools=True)
        _, _, answer = asyncio.run(asked(app, wire, path, value))
        assert list(app.held.of("s")) == [name_of(answer.calls[0])]
        assert app.loops[0].held is not None
        assert app.loops[0].held.turns == frozenset({"api:turn:0"})
        memory.forget(turn_ids=["api:turn:0"])
        assert app.held.of("s") == {}


@pytest.mark.requirement("P-SRF-12")
def test_what_is_held_in_one_format_is_not_put_into_another() -> None:
    """The scripted upstream gives calls of Chat Completions and of Responses the same ids."""
    with remembering() as memory:
        for first, then in (("responses", "openai"), ("openai", "responses")):
            app = LoopApp(memory, in_turn([Reply("", (WEATHER_CALL, QUOTE)), Reply("Done.")]))
            path, value = request_of(first, "and?", tools=True)
            asyncio.run(asked(app, first, path, value))
            assert app.held.of("s")
            app = LoopApp(memory, in_turn([Reply("", (WEATHER_CALL,)), Reply("Done.")]))
            path, value = request_of(then, "and?", tools=True)
            member = "input" if then == "responses" else "messages"
            _, _, answer = asyncio.run(asked(app, then, path, value))
            given = WIRES[then].tool_results(answer, {answer.calls[0].id: "rain"})
            value[member] = [*value[member], *given]
            status, body, _ = asyncio.run(asked(app, then, path, value))
            assert status == 200, body
            assert sent(app)[member] == value[member]


@pytest.mark.requirement("P-SRF-12")
def test_what_is_kept_while_another_request_looks_stays() -> None:
    with remembering() as memory:
        held = HeldExchange("openai", (ToolCall("call_1", "weather", "{}"),), (), (), turns=None)
        store = memory.reads.store
        memory.forget(turn_ids=[memory.add(told("To be forgotten."))])

        class Interrupted:
            """A store in which another thread keeps an exchange right after the snapshot of the one that looks."""

            def __init__(self) -> None:
                self.is_looking = False

            @contextmanager
            def snapshot(self) -> Iterator[Reader]:
                with store.snapshot() as reader:
                    yield reader
                if self.is_looking:
                    self.is_looking = False
                    calls.keep("s", held, NOON)

        interrupted = Interrupted()
        calls = HeldCalls(cast(Store, interrupted), memory.space)
        interrupted.is_looking = True
        assert calls.of("s") == calls.of("s") == {name_of(held.calls[0]): held}


@pytest.mark.requirement("P-SRF-12")
@pytest.mark.parametrize("why", ["untraceable", "paused"])
def test_what_no_row_may_hold_stays_in_memory_until_something_is_forgotten(why: str) -> None:
    call = ToolUse("clew_remember_when", {"since": "2024-03-01"}) if why == "untraceable" else QUOTE
    with remembering() as memory:
        memory.add_many(told(f"Another thing {n}.", at=at(n)) for n in range(3))
        if why == "paused":
            memory.pause()
        app = LoopApp(memory, in_turn([Reply("", (call, WEATHER_CALL), "Both."), Reply("Done.")]))
        path, value = request_of("openai", "and?", tools=True)
        asyncio.run(asked(app, "openai", path, value))
        assert len(app.held.of("s")) == 1
        assert app.held.of("other") == {}
        rows = (memory.space, "s")
        with memory.reads.store.snapshot() as reader:
            held = app.loops[0].held
            assert held is not None
            assert (reader.count("injection", rows, rows) == 0) == (why == "paused" or held.turns is None)
        memory.forget(turn_ids=["api:turn:0"])
        with memory.reads.store.snapshot() as reader:
            kept = reader.count("injection", rows, rows)
        assert len(app.held.of("s")) == kept


@pytest.mark.requirement("P-SRF-13")
@pytest.mark.parametrize(("wire", "stream"), EVERY)
def test_after_ten_rounds_the_model_is_asked_to_answer(wire: str, stream: bool) -> None:
    calls = [Reply("", (ToolUse("clew_find_quote", {"text": f"Redis {n}"}),), "Again.") for n in range(MOST_ROUNDS + 5)]
    with remembering() as memory:
        app, status, body, answer = run(memory, calls, wire, stream=stream)
    assert status == 200, body
    assert len(app.upstream.requests) == MOST_ROUNDS + 1
    assert answer.calls == ()
    last = sent(app)
    chosen = last.get("tool_choice") or last.get("toolConfig")
    assert "none" in json.dumps(chosen).lower()
    assert "answer now with what there is" in app.upstream.requests[-1].body.decode()
    assert answer.stop in ("end_turn", "stop", "completed", "STOP")


@pytest.mark.requirement("P-SRF-14")
def test_the_same_call_again_gets_a_pointer_and_empty_ones_a_hint() -> None:
    def quote(text: str) -> Reply:
        return Reply("", (ToolUse("clew_find_quote", {"text": text}),), "Hm.")

    replies = [quote("zebra"), quote("zebra"), quote("lion"), quote("Redis"), quote("tiger"), Reply("Nothing.")]
    with remembering() as memory:
        app, _, _, _ = run(memory, replies, "anthropic", stream=False)
    results = [
        block["content"]
        for message in sent(app)["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    assert "No turn contains that phrase" in results[0]
    assert results[1].startswith("This call was made before")
    assert "clew_recall_all lists what there is" not in results[2]
    assert "We picked Redis" in results[3]
    assert "Several look-ups" not in results[4]


@pytest.mark.requirement("P-SRF-14")
def test_three_empty_results_bring_a_hint() -> None:
    replies = [Reply("", (ToolUse("clew_find_quote", {"text": word}),)) for word in ("zebra", "lion", "tiger")]
    with remembering() as memory:
        app, _, _, _ = run(memory, [*replies, Reply("Nothing.")], "openai", stream=False)
    results = [each["content"] for each in sent(app)["messages"] if each["role"] == "tool"]
    assert ["Several look-ups" in each for each in results] == [False, False, True]
    assert "clew_remember_when a period" in results[2]


@pytest.mark.requirement("P-SRF-15")
@pytest.mark.parametrize(("wire", "stream"), EVERY)
@pytest.mark.parametrize(
    "kind", [FaultKind.RATE_LIMIT, FaultKind.OVERLOADED, FaultKind.HTML_ERROR, FaultKind.CUT, FaultKind.ERROR_EVENT]
)
def test_a_later_round_that_fails_ends_the_answer(wire: str, stream: bool, kind: FaultKind) -> None:
    replies = [Reply("Let me look.", (QUOTE,), "Hm."), Reply("You picked Redis.", fault=Fault(kind, after=60))]
    with remembering() as memory:
        app, status, body, answer = run(memory, replies, wire, stream=stream)
    assert len(app.upstream.requests) == 2
    assert (status == 200) == (stream or kind is FaultKind.CUT), "nothing was sent yet, so the client gets the error"
    assert b"clew_find_quote" not in body
    assert not answer.complete
    assert (b"look." in body) == stream


@pytest.mark.requirement("P-SRF-15")
@pytest.mark.parametrize("wire", sorted(WIRES))
@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{\n  "error": {\n    "message": "Quota used up."\n  }\n}\n', "Quota used up."),
        (b'[{\r\n "error": {"message": "Quota used up."}\r\n}]', "Quota used up."),
        (b"<html>\r\n<body>Bad\ngateway</body></html>\r\n", "<html>\r\n<body>Bad\ngateway</body></html>"),
        (b"", "no reason was given"),
    ],
)
def test_an_error_of_several_lines_is_one_event(wire: str, body: bytes, message: str) -> None:
    (event,) = EventStream().feed(joiner_of(wire).stream(lambda _: False).failed(body))
    told = json.loads(event.data)
    assert told.get("error", told)["message"] == message


@pytest.mark.requirement("P-SRF-10")
@pytest.mark.parametrize(
    ("wire", "more"),
    [
        ("anthropic", {"tool_choice": {"type": "tool", "name": "weather"}, "thinking": {"type": "disabled"}}),
        ("openai", {"tool_choice": "required"}),
        ("openai", {"n": 2}),
        ("responses", {"tool_choice": {"type": "function", "name": "weather"}}),
        ("responses", {"background": True}),
        ("responses", {"conversation": "conv_1"}),
        ("responses", {"conversation": {"id": "conv_1"}}),
        ("gemini", {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}),
        ("gemini", {"generationConfig": {"candidateCount": 2}}),
    ],
)
def test_tools_are_not_offered_where_the_client_leaves_no_choice(wire: str, more: dict[str, Any]) -> None:
    with remembering() as memory:
        app = LoopApp(memory, in_turn([Reply("Hello.")]))
        path, value = request_of(wire, "hello", tools=True)
        asyncio.run(asked(app, wire, path, {**value, **more}))
    assert b"clew_" not in app.upstream.requests[0].body


@pytest.mark.requirement("P-SRF-10")
@pytest.mark.parametrize(
    ("wire", "more"),
    [
        ("openai", {"web_search_options": {}}),
        ("gemini", {"tools": [{"googleSearch": {}}]}),
        ("gemini", {"tools": [{"url_context": {}}]}),
        ("gemini", {"generationConfig": {"responseMimeType": "application/json"}}),
        ("gemini", {"generationConfig": {"response_modalities": ["TEXT", "IMAGE"]}}),
    ],
)
def test_tools_are_not_offered_where_models_refuse_functions(wire: str, more: dict[str, Any]) -> None:
    with remembering() as memory:
        app = LoopApp(memory, in_turn([Reply("Hello.")]))
        path, value = request_of(wire, "hello")
        status, _, _ = asyncio.run(asked(app, wire, path, {**value, **more}))
    assert status == 200
    assert b"clew_" not in app.upstream.requests[0].body


@pytest.mark.requirement("P-SRF-10")
@pytest.mark.parametrize(
    ("wire", "more"),
    [
        ("openai", {"web_search_options": {}}),
        ("gemini", {"generationConfig": {"responseMimeType": "application/json"}}),
        ("gemini", {"generationConfig": {"responseMimeType": "text/plain", "responseModalities": ["TEXT"]}}),
    ],
)
def test_tools_are_offered_beside_functions_of_the_client(wire: str, more: dict[str, Any]) -> None:
    with remembering() as memory:
        app = LoopApp(memory, in_turn([Reply("Hello.")]))
        path, value = request_of(wire, "hello", tools=True)
        asyncio.run(asked(app, wire, path, {**value, **more}))
    assert b"clew_find_quote" in app.upstream.requests[0].body


@pytest.mark.requirement("P-SRF-10")
def test_a_tool_of_the_client_with_our_name_stays_the_client_s() -> None:
    with remembering() as memory:
        app = LoopApp(memory, in_turn([Reply("", (QUOTE,))]))
        path, value = request_of("openai", "hello", tools=True)
        value["tools"][0]["function"]["name"] = "clew_find_quote"
        _, _, answer = asyncio.run(asked(app, "openai", path, value))
    assert [call.name for call in answer.calls] == ["clew_find_quote"]
    assert len(app.upstream.requests) == 1


VC = ("expand_topic", "find_quote", "query_facts", "remember_when", "recall_all")
"""Tools that Virtual Context has by the same names."""


@pytest.mark.requirement("P-SRF-16", "K-SUR-01")
def test_the_source_s_names_are_offered_where_asked_for() -> None:
    with remembering() as memory:
        memory_call = ToolUse("vc_restore_tool", {"ref": "api:turn:0"})
        app = LoopApp(memory, in_turn([Reply("", (memory_call,)), Reply("Redis.")]), aliases=True)
        path, value = request_of("anthropic", "hello")
        asyncio.run(asked(app, "anthropic", path, value))
    names = [tool["name"] for tool in sent(app, 0)["tools"]]
    assert [name.removeprefix("vc_") for name in names] == [*VC, "restore_tool"]
    assert "We picked Redis" in app.upstream.requests[1].body.decode()


@pytest.mark.requirement("P-SRF-02")
def test_a_topic_that_is_collapsed_leaves_the_prompt() -> None:
    with quiet() as memory:
        memory.add_many(
            told(f"{line} {topic}.", at=at(90 * place + minute))
            for place, topic in enumerate(("login page", "deployment", "umbrella"))
            for minute, line in enumerate(LINES)
        )
        assert memory.drain(200)
        names = [label.name for label in memory.labels()]
        expand = [ToolUse("clew_expand_topic", {"topic": name}) for name in names]
        last = ToolUse("clew_expand_topic", {"topic": names[1], "collapse": names[0], "offset": 0})
        app = LoopApp(memory, in_turn([Reply("", (expand[0],)), Reply("", (last,)), Reply("Done.")]))
        path, value = request_of("openai", "hello")
        asyncio.run(asked(app, "openai", path, value))
    first, second = [each["content"] for each in sent(app)["messages"] if each["role"] == "tool"]
    assert first.startswith("(collapsed")
    assert "Collapsed:" in second


@pytest.mark.requirement("D-VC-04")
def test_a_repeat_is_told_by_what_it_asks_for_and_a_collapsed_topic_opens_again() -> None:
    with quiet() as memory:
        memory.add_many(
            told(f"{line} {topic}.", at=at(90 * place + minute))
            for place, topic in enumerate(("login page", "deployment", "umbrella"))
            for minute, line in enumerate(LINES)
        )
        assert memory.drain(200)
        calls = LoopCalls(Toolbox(Tools(memory)))
        first, second = (label.name for label in memory.labels()[:2])

        def said(name: str, **arguments: Any) -> str:
            return calls.answer(name, json.dumps(arguments)).text

        assert "We looked" in said("clew_find_quote", text="We looked at")
        for repeat in ({"text": "We looked at", "limit": 5}, {"text": " We  looked at"}):
            assert said("find_quote", **repeat) == said("vc_find_quote", **repeat) == REPEATED
        assert said("clew_find_quote", text="We looked at", limit=1) != REPEATED
        opened = said("clew_expand_topic", topic=first)
        assert said("clew_expand_topic", topic=first) == REPEATED
        assert "Collapsed:" in said("clew_expand_topic", topic=second, collapse=first)
        assert said("clew_expand_topic", topic=first) == opened
        assert "Collapsed:" in said("clew_expand_topic", topic=second, collapse=[first])
        assert said("clew_expand_topic", topic=first) == opened
        assert said("clew_expand_topic", topic=second, collapse=first) == REPEATED


LINES = ("We looked at the", "Please mend the", "They broke the", "I like the")
