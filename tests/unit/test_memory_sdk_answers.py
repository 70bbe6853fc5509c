"""`wrap_chat` and `update` with the real objects of the SDKs of OpenAI, Anthropic and Google, streams included."""

import asyncio
import gc
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
from google.genai import types as gemini

from clew.errors import InputError, TurnRejected
from clew.memory import Memory
from clew.types import Turn
from tests.support.memories import NOON, quiet
from tests.support.sdk_answers import (
    CALL,
    COMPLETION_STREAM,
    GEMINI,
    MESSAGE,
    MESSAGE_STREAM,
    RESPONSE,
    RESPONSE_EVENTS,
    anthropic_client,
    async_openai_client,
    completion,
    openai_client,
    sse,
)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        opened.add(Turn(role="user", content="We picked Redis for the sessions.", session="old"))
        yield opened


def said(memory: Memory, session: str = "default") -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in memory.query(f"session:{session}")]


MESSAGES = [{"role": "user", "content": "Which color is it?"}]


def chat_completion(prompt: str) -> Any:
    client = openai_client(completion({"content": "Red is.", "tool_calls": [CALL]}))
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])


def responses(prompt: str) -> Any:
    return openai_client(RESPONSE).responses.create(model="m", input=prompt)


def anthropic_message(prompt: str) -> Any:
    return anthropic_client(MESSAGE).messages.create(
        model="m", max_tokens=9, messages=[{"role": "user", "content": prompt}]
    )


def gemini_response(prompt: str) -> Any:
    return gemini.GenerateContentResponse.model_validate(GEMINI)


WHOLE = [chat_completion, responses, anthropic_message, gemini_response]
TOLD = ("assistant", 'Red is.\nlook_up({"city": "Oslo"})')


def visible(turns: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(role, text.removeprefix("A city.\n")) for role, text in turns]


@pytest.mark.requirement("F-CHAT-01")
@pytest.mark.parametrize("chat", WHOLE)
@pytest.mark.parametrize("as_dict", [False, True])
def test_what_an_sdk_returns_is_given_back_and_stored_with_its_calls(
    memory: Memory, chat: Callable[[str], Any], as_dict: bool
) -> None:
    given: list[Any] = []

    def asked(prompt: str) -> Any:
        answer = chat(prompt)
        given.append(answer.model_dump(by_alias=True) if as_dict else answer)
        return given[0]

    assert memory.wrap_chat(asked)("Which color is it?") is given[0]
    assert visible(said(memory)) == [("user", "Which color is it?"), TOLD]
    calls = [part for part in memory.get("default:turn:1").parts if part.type == "tool_call"]
    assert [(part.name, part.call_id) for part in calls] == [("look_up", "call_1")]
    assert memory.update("Which color is it?", given[0], session="again")
    assert visible(said(memory, "again")) == visible(said(memory))


def chat_stream(prompt: str) -> Any:
    client = openai_client(COMPLETION_STREAM)
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}], stream=True)


def response_stream(prompt: str) -> Any:
    return openai_client(sse(RESPONSE_EVENTS)).responses.create(model="m", input=prompt, stream=True)


def message_stream(prompt: str) -> Any:
    return anthropic_client(MESSAGE_STREAM).messages.create(
        model="m", max_tokens=9, messages=[{"role": "user", "content": prompt}], stream=True
    )


def gemini_stream(prompt: str) -> Any:
    parts: list[dict[str, Any]] = [
        {"text": "A city.", "thought": True},
        {"text": "Red"},
        {"text": " is."},
        {"functionCall": {"id": "call_1", "name": "look_up", "args": {"city": "Oslo"}}},
    ]
    for part in parts:
        content = {"role": "model", "parts": [part]}
        yield gemini.GenerateContentResponse.model_validate({"candidates": [{"content": content}]})


STREAMS = [chat_stream, response_stream, message_stream, gemini_stream]


@pytest.mark.requirement("F-CHAT-02")
@pytest.mark.parametrize("chat", STREAMS)
def test_a_stream_passes_through_untouched_and_is_stored_at_its_end(memory: Memory, chat: Callable[[str], Any]) -> None:
    made: list[Any] = []

    def asked(prompt: str) -> Any:
        made.append(chat(prompt))
        return made[-1]

    stream = memory.wrap_chat(asked)("Which color is it?")
    assert isinstance(stream, type(made[0]))
    assert said(memory) == [("user", "Which color is it?")]
    pieces = list(stream)
    assert [repr(piece) for piece in pieces] == [repr(piece) for piece in chat("x")]
    assert visible(said(memory)) == [("user", "Which color is it?"), TOLD]
    assert memory.update("again", pieces, session="pieces")
    assert visible(said(memory, "pieces")) == [("user", "again"), TOLD]


@pytest.mark.requirement("F-CHAT-02")
def test_helper_streams_of_the_sdks_are_recorded_however_they_are_read(memory: Memory) -> None:
    def talk(prompt: str) -> Any:
        return anthropic_client(MESSAGE_STREAM).messages.stream(
            model="m", max_tokens=9, messages=[{"role": "user", "content": prompt}]
        )

    def complete(prompt: str) -> Any:
        client = openai_client(COMPLETION_STREAM)
        return client.chat.completions.stream(model="m", messages=[{"role": "user", "content": prompt}])

    def respond(prompt: str) -> Any:
        return openai_client(sse(RESPONSE_EVENTS)).responses.stream(model="m", input=prompt)

    with memory.wrap_chat(talk, session="a")("one") as stream:
        assert "".join(stream.text_stream) == "Red is."
    with memory.wrap_chat(talk, session="b")("one") as stream:
        assert stream.get_final_text() == "Red is."
    with memory.wrap_chat(complete, session="c")("one") as stream:
        assert [event.type for event in stream].count("chunk") == 5
    with memory.wrap_chat(respond, session="d")("one") as stream:
        assert stream.get_final_response().output_text == "Red is."
    with memory.wrap_chat(talk, session="e")("one") as stream:
        assert next(iter(stream.text_stream)) == "Red"
    assert [visible(said(memory, name)) for name in "abcd"] == [[("user", "one"), TOLD]] * 4
    assert visible(said(memory, "e")) == [("user", "one"), ("assistant", "Red")]


@pytest.mark.requirement("F-CHAT-02")
def test_asynchronous_clients_are_wrapped_too(memory: Memory) -> None:
    async def whole(prompt: str) -> Any:
        client = async_openai_client(completion({"content": "Red is."}))
        return await client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])

    async def stream(prompt: str) -> Any:
        client = async_openai_client(COMPLETION_STREAM)
        return await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": prompt}], stream=True
        )

    async def pieces(prompt: str) -> AsyncGenerator[str, None]:
        yield "Red"
        yield " is."

    async def main() -> None:
        assert (await memory.wrap_chat(whole, session="a")("one")).choices[0].message.content == "Red is."
        assert len([piece async for piece in await memory.wrap_chat(stream, session="b")("one")]) == 5
        assert [piece async for piece in memory.wrap_chat(pieces, session="c")("one")] == ["Red", " is."]
        early = memory.wrap_chat(pieces, session="d")("one")
        assert await anext(early) == "Red"
        await early.aclose()
        client = async_openai_client(completion({"content": "Red is."}))
        direct = memory.wrap_chat(client.chat.completions.create, session="e")
        messages: Any = MESSAGES
        assert (await direct(model="m", messages=messages)).choices[0].message.content == "Red is."

    asyncio.run(main())
    assert said(memory, "a") == [("user", "one"), ("assistant", "Red is.")]
    assert visible(said(memory, "b")) == [("user", "one"), TOLD]
    assert said(memory, "c") == [("user", "one"), ("assistant", "Red is.")]
    assert said(memory, "d") == [("user", "one"), ("assistant", "Red")]
    assert said(memory, "e") == [("user", "Which color is it?"), ("assistant", "Red is.")]


@pytest.mark.requirement("F-CHAT-02", "F-MEMORY-13")
def test_around_a_coroutine_the_memory_works_in_a_thread() -> None:
    threads: list[int] = []

    def clock() -> datetime:
        threads.append(threading.get_ident())
        return NOON

    async def chat(prompt: str) -> str:
        return "Red is."

    async def pieces(prompt: str) -> AsyncIterator[str]:
        yield "Red is."

    async def main() -> None:
        with quiet(clock=clock) as memory:
            await memory.wrap_chat(chat)("one")
            threads.clear()
            assert await memory.wrap_chat(chat)("two") == "Red is."
            assert [piece async for piece in memory.wrap_chat(pieces)("three")] == ["Red is."]
            assert threads
            assert threading.get_ident() not in threads

    asyncio.run(main())


def raising() -> Iterator[str]:
    yield "Red"
    raise ValueError("the line is down")


def first_piece_and_drop(stream: Any) -> None:
    next(iter(stream))


def first_piece_and_close(stream: Any) -> None:
    next(iter(stream))
    stream.close()


def to_the_error(stream: Any) -> None:
    with pytest.raises(ValueError, match="the line is down"):
        list(stream)


@pytest.mark.requirement("F-CHAT-03")
@pytest.mark.parametrize("use", [first_piece_and_drop, first_piece_and_close, to_the_error])
def test_a_stream_that_ends_early_keeps_the_message_and_what_came(memory: Memory, use: Callable[[Any], None]) -> None:
    use(memory.wrap_chat(lambda _: raising())("Which color is it?"))
    gc.collect()
    assert said(memory) == [("user", "Which color is it?"), ("assistant", "Red")]


@pytest.mark.requirement("F-CHAT-03")
@pytest.mark.parametrize("chat", [chat_stream, response_stream, message_stream])
@pytest.mark.parametrize("use", [first_piece_and_drop, first_piece_and_close])
def test_a_stream_of_an_sdk_that_is_left_keeps_the_message(
    memory: Memory, chat: Callable[[str], Any], use: Callable[[Any], None]
) -> None:
    use(memory.wrap_chat(chat)("Which color is it?"))
    gc.collect()
    assert said(memory)[0] == ("user", "Which color is it?")


@pytest.mark.requirement("F-CHAT-02")
def test_odd_pieces_of_a_stream_are_passed_over(memory: Memory) -> None:
    odd: list[Any] = [
        None,
        5,
        {},
        {"choices": [None]},
        {"choices": {"a": 1}},
        {"choices": 5},
        {"candidates": {"a": 1}},
        {"candidates": [5]},
        {"candidates": [{"content": {"parts": 5}}]},
        {"candidates": [{"content": {"parts": [5]}}]},
        {"type": "response.output_text.delta", "delta": 5},
        {"choices": [{"delta": {"tool_calls": 5}}]},
        {"choices": [{"delta": {"tool_calls": [None, {"index": "x", "function": {"arguments": 5}}]}}]},
        {"type": "content_block_delta"},
        {"type": "content_block_start"},
        {"type": "content_block_start", "index": "x", "content_block": {"type": "text", "text": "Red"}},
        {"type": "response.completed"},
        {"type": "response.output_item.done", "item": 5},
    ]
    pieces = [*odd, " is."]
    assert list(memory.wrap_chat(lambda _: iter(pieces))("Which color is it?")) == pieces
    texts = [turn.text for turn in memory.query("session:default AND role = assistant")]
    assert "Red" in texts[0]
    assert " is." in texts[-1]


@pytest.mark.requirement("F-CHAT-03")
def test_a_message_is_kept_when_nothing_answers(memory: Memory) -> None:
    def down(prompt: str) -> str:
        raise ValueError("the line is down")

    async def down_later(prompt: str) -> AsyncIterator[str]:
        if prompt:
            raise ValueError("the line is down")
        yield ""

    asked = memory.wrap_chat(down, session="a")
    for _ in range(3):
        with pytest.raises(ValueError, match="the line is down"):
            asked("Which color is it?")
    assert said(memory, "a") == [("user", "Which color is it?")]  # once, however often it is tried
    memory.wrap_chat(lambda _: raising(), session="b")("never read")
    assert memory.wrap_chat(lambda _: object(), session="c")("no answer") is not None

    async def main() -> None:
        memory.wrap_chat(down_later, session="d")("never begun")
        with pytest.raises(ValueError, match="the line is down"):
            await anext(memory.wrap_chat(down_later, session="e")("begun"))

    asyncio.run(main())
    gc.collect()
    kept = [said(memory, name) for name in "bcde"]
    assert kept == [[("user", text)] for text in ("never read", "no answer", "never begun", "begun")]


@pytest.mark.requirement("F-CHAT-03")
def test_a_generator_takes_what_is_sent_and_thrown_in(memory: Memory) -> None:
    def chat(prompt: str) -> Any:
        sent = yield "one"
        try:
            yield f"got {sent}"
        except KeyError:
            yield "caught"
        return "the end"

    def outer() -> Any:
        return (yield from memory.wrap_chat(chat)("hello"))

    stream = outer()
    assert (next(stream), stream.send(5), stream.throw(KeyError)) == ("one", "got 5", "caught")
    with pytest.raises(StopIteration) as end:
        next(stream)
    assert end.value.value == "the end"
    assert said(memory) == [("user", "hello"), ("assistant", "onegot 5caught")]


@pytest.mark.requirement("F-CHAT-04")
def test_a_history_gets_the_block_and_only_what_is_new_is_stored(memory: Memory) -> None:
    seen: list[Any] = []

    def chat(*, model: str, messages: list[Any]) -> dict[str, Any]:
        seen.append(messages)
        return completion({"content": f"answer {len(seen)}"})

    asked = memory.wrap_chat(chat)
    history: list[Any] = [{"role": "system", "content": "Be brief."}]
    for n, question in enumerate(("Which database for the sessions?", "Are you sure?", "ok")):
        history.append({"role": "user", "content": question})
        asked(model="m", messages=history)
        history.append({"role": "assistant", "content": f"answer {n + 1}"})
    assert "We picked Redis" in seen[0][-1]["content"]
    assert seen[0][-1]["content"].endswith("Which database for the sessions?")
    assert seen[2][:-1] == history[:5]
    assert said(memory) == [(one["role"], one["content"]) for one in history[1:]]
    assert all(turn.at for turn in memory.query("session:default"))
    assert all(turn.branch == "" for turn in memory.query("session:default"))
    assert history[1]["content"] == "Which database for the sessions?"  # the caller's list is its own


@pytest.mark.requirement("F-CHAT-04")
def test_an_agents_messages_are_stored_without_the_prompt_that_began_them(memory: Memory) -> None:
    def agent(prompt: str) -> list[Any]:
        return [
            {"role": "user", "content": prompt},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look_up", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Oslo"}]},
            {"role": "assistant", "content": "It is Oslo."},
        ]

    memory.wrap_chat(agent)("Which city?")
    assert said(memory) == [
        ("user", "Which city?"),
        ("assistant", "look_up({})"),
        ("tool", "Oslo"),
        ("assistant", "It is Oslo."),
    ]
    assert memory.get("default:turn:2").parts[0].name == "look_up"


@pytest.mark.requirement("F-CHAT-04")
def test_update_takes_messages_and_images(memory: Memory) -> None:
    picture = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
    ]
    assert memory.update({"role": "user", "content": picture}, "A cat.", session="a")
    assert memory.update(picture, "A cat.", session="b")
    assert said(memory, "a") == said(memory, "b") == [("user", "What is this?"), ("assistant", "A cat.")]
    assert [part.type for part in memory.get("a:turn:0").parts] == ["text", "image"]
    history = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
    assert len(memory.update(history, session="c")) == 2
    assert memory.update([*history, {"role": "user", "content": "three"}], session="c")[-1] == "c:turn:2"
    assert [text for _, text in said(memory, "c")] == ["one", "two", "three"]


@pytest.mark.requirement("F-CHAT-03")
def test_update_keeps_the_message_when_the_answer_is_none(memory: Memory) -> None:
    async def later() -> AsyncIterator[str]:
        yield "x"

    for n, answer in enumerate((object(), 5, later())):
        with pytest.raises(InputError, match=r"the answer|the assistant"):
            memory.update(f"question {n}", answer)
    with pytest.raises(ValueError, match="the line is down"):
        memory.update("question 3", raising())
    assert [text for _, text in said(memory)] == ["question 0", "question 1", "question 2", "question 3", "Red"]
    with pytest.raises(InputError, match="the user"):
        memory.update(5, "x")
    with pytest.raises(InputError, match="the session is 5"):
        memory.update("x", "y", session=5)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(TurnRejected, match="role 'king'"):
        memory.update([{"role": "king", "content": "x"}])
