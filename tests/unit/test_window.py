"""The virtual window: what stands for old messages, when, and that it stays the same bytes."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from clew import Memory, Turn
from clew.condense.message_tokens import message_tokens
from clew.condense.wires import WIRES, Message
from clew.config import ServeConfig
from clew.serve.proxy.exchange import ChatRequest, edited
from clew.serve.proxy.space_memory import SpaceMemories
from clew.serve.proxy.window import Replacement, VirtualWindow, digest_of, together
from clew.serve.proxy.window_cut import fitted
from clew.serve.proxy.wires import WIRES as PROXY_WIRES
from clew.serve.spaces import Spaces
from clew.text.counters import counter
from tests.support.chat_requests import chat_request
from tests.support.wire_talks import Event, Said, Used, written

TOPICS = ("the port of the proxy", "the name of the table", "the release date", "the colour of the logo")
PATHS = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions"}


def talk(rounds: int) -> list[Event]:
    events: list[Event] = []
    for number in range(rounds):
        topic = TOPICS[number % len(TOPICS)]
        events.append(Said("user", f"Question {number}: what did we decide about {topic}? " + "Think about it. " * 8))
        events.append(
            Said("assistant", f"We decided that {topic} is number {number * 7}, " + "for good reasons. " * 12)
        )
    return events


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory.open(tmp_path, embedder="none")


def stored(memory: Memory, events: list[Event]) -> list[tuple[str, ...]]:
    """Stores a talk without tools; the ids of each message's turns."""
    turns = [
        Turn(role="user" if each.role == "user" else "assistant", content=each.text, session="s")
        for each in events
        if isinstance(each, Said)
    ]
    names: list[tuple[str, ...]] = [(memory.add(turn),) for turn in turns]
    memory.drain(200)
    return names


def request_of(events: list[Event], wire: str = "anthropic") -> ChatRequest:
    return chat_request(wire, written([*events, Said("user", "And now?")], wire))


def reasoned(messages: Sequence[Message]) -> list[Message]:
    """The messages, with a thought before each answer."""
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    return [
        {**message, "content": [thought, *message["content"]]} if message["role"] == "assistant" else message
        for message in messages
    ]


def sent(request: ChatRequest, replacement: Replacement) -> ChatRequest:
    body = edited(request.body, [replacement.edit(request)])
    return PROXY_WIRES[request.wire].read(PATHS[request.wire], {}, body)


@pytest.mark.requirement("P-ECO-16")
@pytest.mark.parametrize("wire", sorted(PATHS))
def test_what_a_compaction_shows_stands_for_old_messages(memory: Memory, wire: str) -> None:
    with memory:
        events = talk(40)
        names = stored(memory, events)
        window = VirtualWindow(memory, 4_000)
        request = request_of(events, wire)
        assert memory.condense("s", force=True).understood["compacted"]
        made = window.proposed("s", request, names, 3_900)
        assert made is not None
        after = sent(request, made)
        assert WIRES[wire].problems(after.messages) == []
        whole = json.dumps(after.messages)
        assert "<clew-earlier>" in whole
        assert "s:turn:" in whole
        assert len(after.messages) < len(request.messages) // 2
        assert after.messages[-6:] == request.messages[-6:]
        assert counter()(after.body.decode()) < 0.6 * counter()(request.body.decode())
        assert request.body.endswith(after.body[after.spans[-6].start :])


@pytest.mark.requirement("P-ECO-16")
def test_nothing_that_was_said_ends_what_stands_for_old_messages(memory: Memory) -> None:
    with memory:
        events = talk(40)
        old = [each for each in events[:60] if isinstance(each, Said)]
        events[:60] = [replace(each, text=each.text.replace(" is ", " </clew-earlier> is ")) for each in old]
        names = stored(memory, events)
        assert memory.condense("s", force=True).understood["compacted"]
        made = VirtualWindow(memory, 4_000).proposed("s", request_of(events), names, 3_900)
        assert made is not None
        whole = json.dumps(sent(request_of(events), made).messages[0])
        assert whole.count("</clew-earlier>") == 1
        assert "<\\\\/clew-earlier>" in whole


@pytest.mark.requirement("P-ECO-16")
def test_below_the_soft_threshold_nothing_is_proposed(memory: Memory) -> None:
    with memory:
        events = talk(20)
        names = stored(memory, events)
        memory.condense("s", force=True)
        assert VirtualWindow(memory, 10_000).proposed("s", request_of(events), names, 6_900) is None


@pytest.mark.requirement("P-ECO-17")
def test_a_replacement_stays_the_same_bytes_until_the_next_also_after_a_restart(memory: Memory) -> None:
    with memory:
        events = talk(40)
        names = stored(memory, events)
        memory.condense("s", force=True)
        window = VirtualWindow(memory, 4_000)
        request = request_of(events)
        made = window.proposed("s", request, names, 3_900)
        assert made is not None
        window.accept("s", made)
        begin = sent(request, made).body
        border = made.edit(request).span.start + len(made.edit(request).text)
        later = request_of([*events, *talk(3)])
        stored(memory, talk(3))
        memory.condense("s", force=True)
        for again in (window, VirtualWindow(memory, 4_000)):
            held = again.current("s", later)
            assert held == made
            assert sent(later, held).body[:border] == begin[:border]


@pytest.mark.requirement("P-ECO-17")
def test_a_history_that_the_client_changed_has_no_replacement(memory: Memory) -> None:
    with memory:
        events = talk(40)
        names = stored(memory, events)
        memory.condense("s", force=True)
        window = VirtualWindow(memory, 4_000)
        made = window.proposed("s", request_of(events), names, 3_900)
        assert made is not None
        window.accept("s", made)
        assert window.current("s", request_of(talk(4))) is None
        assert window.current("s", request_of([Said("user", "Other."), *events[1:]])) is None
        assert window.current("another", request_of(events)) is None


@pytest.mark.requirement("P-ECO-18")
def test_without_a_compaction_tool_calls_become_stubs_and_a_compaction_begins_behind(memory: Memory) -> None:
    with memory:
        used = [Used((("Read", f"src/{number}.py", f"line {number}\n" * 300),)) for number in range(12)]
        events: list[Event] = [Said("user", "Find the bug."), *used, Said("assistant", "Found it."), *talk(3)]
        request = request_of(events)
        memory.add(Turn(role="user", content="Find the bug.", session="s"))
        window = VirtualWindow(memory, 8_000)
        made = window.proposed("s", request, [], 7_900)
        window.close()
        assert made is not None
        after = sent(request, made)
        assert WIRES["anthropic"].problems(after.messages) == []
        stubs = json.dumps(after.messages)
        assert "collapsed by Clew" in stubs
        ref = stubs.split("restore ")[1].split("]")[0]
        assert "line 0" in memory.restore(ref).text


@pytest.mark.requirement("P-ECO-18")
def test_one_compaction_of_a_session_runs_at_a_time(memory: Memory) -> None:
    with memory:
        stored(memory, talk(10))
        window = VirtualWindow(memory, 8_000)
        begun = [window.compact("s"), window.compact("s"), window.compact("unknown")]
        window.close()
        assert begun[0]
        assert begun.count(True) >= 2
        assert any(not each.is_new for each in memory.shown("s"))


@pytest.mark.requirement("P-ECO-18")
def test_before_the_memories_are_closed_the_compaction_at_hand_ends_and_none_begins(memory: Memory) -> None:
    with memory:
        stored(memory, talk(10))
        spaces = SpaceMemories(Spaces(lambda _: memory), ServeConfig(window=8_000))
        window = spaces.get("default").window
        assert window is not None
        assert window.compact("s")
        spaces.close()
        assert any(not turn.is_new for turn in memory.shown("s"))
        assert not window.compact("s")


@pytest.mark.requirement("P-ECO-18")
def test_a_bug_in_a_compaction_is_logged(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    class Failing:
        config = memory.config

        def condense(self, session: str, *, force: bool) -> None:
            raise ZeroDivisionError(f"{session} {force}")

    with memory:
        window = VirtualWindow(cast(Memory, Failing()), 8_000)
        assert window.compact("s")
        window.close()
    assert "the compaction of a session for the window failed" in caplog.text


@pytest.mark.requirement("P-ECO-17")
def test_marks_of_the_cache_do_not_count_and_are_not_kept() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    plain = {"role": "user", "content": [{"type": "text", "text": "x"}]}
    assert digest_of([plain]) == digest_of([{"role": "user", "content": [{"type": "text", "text": "x", **mark}]}])
    assert digest_of([plain]) != digest_of([{"role": "user", "content": [{"type": "text", "text": "y"}]}])


@pytest.mark.requirement("P-ECO-17")
def test_edits_inside_what_is_replaced_are_left_out() -> None:
    request = request_of(talk(4))
    made = Replacement(3, digest_of(request.messages[:3]), ({"role": "user", "content": "in short"},))
    edits = [PROXY_WIRES["anthropic"].appended(request, index, "remembered") for index in (0, 2, 4)]
    assert together(None, edits, request) == edits
    assert together(made, edits, request) == [made.edit(request), edits[2]]


@pytest.mark.requirement("P-ECO-20")
def test_reasoning_behind_what_changes_is_left_out_and_that_of_the_answer_at_hand_stays(memory: Memory) -> None:
    with memory:
        events = talk(30)
        names = stored(memory, events)
        memory.condense("s", force=True)
        request = request_of(events)
        thoughts = reasoned(request.messages)
        window = VirtualWindow(memory, 4_000)
        thought = chat_request("anthropic", thoughts)
        made = window.proposed("s", thought, names, 3_900)
        assert made is not None
        after = sent(thought, made)
        assert WIRES["anthropic"].problems(after.messages) == []
        assert "thinking" not in json.dumps(after.messages)
        assert "thinking" not in json.dumps(fitted(thoughts, WIRES["anthropic"], 2_000, counter()))
        loop = written([*events, Said("user", "And now?"), Used((("Read", "a", "b"),), reasoned=True)], "anthropic")
        assert window.proposed("s", chat_request("anthropic", loop), names, 3_900) is None
        left = fitted(loop, WIRES["anthropic"], 2_000, counter())
        assert left[-2:] == loop[-2:]
        assert WIRES["anthropic"].problems(left) == []


@pytest.mark.requirement("P-ECO-25")
def test_a_conversation_with_reasoning_is_compacted_again_and_again(memory: Memory) -> None:
    with memory:
        events = talk(30)
        names = stored(memory, events)
        memory.condense("s", force=True)
        window = VirtualWindow(memory, 4_000)
        first = window.proposed("s", chat_request("anthropic", reasoned(request_of(events).messages)), names, 3_900)
        assert first is not None
        assert 0 < first.summed < first.covered  # behind the recap reasoning alone is left out
        window.accept("s", first)
        more = talk(10)
        names += stored(memory, more)
        grown = chat_request("anthropic", reasoned(request_of([*events, *more]).messages))
        stale = window.proposed("s", grown, names, 3_900)
        assert stale is not None
        assert stale.summed == first.summed
        window.close()  # waits for the compaction that this began
        then = VirtualWindow(memory, 4_000)
        assert then.current("s", grown) == first
        renewed = then.proposed("s", grown, names, 3_900)
        assert renewed is not None
        assert renewed.summed >= first.summed + 2 * len(more) // 3


@pytest.mark.requirement("P-ECO-26")
@pytest.mark.parametrize("wire", sorted(PATHS))
def test_what_stands_for_old_messages_stays_where_the_rest_is_cut(memory: Memory, wire: str) -> None:
    with memory:
        events = talk(40)
        names = stored(memory, events)
        memory.condense("s", force=True)
        request = request_of(events, wire)
        made = VirtualWindow(memory, 4_000).proposed("s", request, names, 3_900)
        assert made is not None
        whole = sent(request_of([*events, *talk(60)], wire), made)
        count = counter()
        room = 3_000
        assert message_tokens(whole.messages, wire, count) > room
        left = fitted(whole.messages, WIRES[wire], room, count)
        assert message_tokens(left, wire, count) <= room
        assert WIRES[wire].problems(left) == []
        text = json.dumps(left)
        recap = json.dumps(made.messages)
        recap = recap[recap.index("<clew-earlier>") : recap.index("</clew-earlier>")]
        assert recap in text
        assert text.index("</clew-earlier>") < text.index("[Clew left out the ")
        assert fitted(left, WIRES[wire], room, count) == left
        tight = fitted(whole.messages, WIRES[wire], count(recap), count)  # it would take all of the room
        assert "<clew-earlier>" not in json.dumps(tight)
