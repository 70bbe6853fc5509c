"""Where a request asks something, and in what words."""

from collections.abc import Sequence
from typing import Any

import pytest

from clew.condense.wires import Message
from clew.serve.proxy.question import asks_nothing, question_in, question_index
from clew.serve.proxy.wires import WIRES, ProxyWire
from tests.support.wire_talks import Event, Said, Used, written

USED = Used((("Read", "a.py", "found"),))
REMINDER = "<system-reminder>\nUse the list.\n</system-reminder>"


def question_of(wire: ProxyWire, messages: Sequence[Message]) -> str:
    """The words of the user at the end of a conversation; empty when the model has answered them."""
    place = question_index(wire, messages)
    return "" if place is None else question_in(messages[place])


@pytest.mark.requirement("P-FMT-11")
@pytest.mark.parametrize("name", sorted(WIRES))
@pytest.mark.parametrize(
    ("events", "question"),
    [
        ([Said("user", "Why?")], "Why?"),
        ([Said("user", "Why?"), Said("user", REMINDER)], "Why?"),
        ([Said("user", f"{REMINDER}\nWhy?")], "Why?"),
        ([Said("user", "Why?"), USED], ""),
        ([Said("user", "Why?"), USED, Said("user", REMINDER)], ""),
        ([Said("user", "Why?"), USED, Said("user", "Stop.")], "Stop."),
        ([Said("user", "Why?"), Said("assistant", "Because.")], ""),
        ([Said("user", REMINDER)], ""),
        ([], ""),
    ],
)
def test_a_question_is_what_the_model_has_not_answered(name: str, events: list[Event], question: str) -> None:
    messages = written(events, name)
    assert question_of(WIRES[name], messages) == question
    place = question_index(WIRES[name], messages)
    assert (place is not None) is bool(question)
    assert place is None or WIRES[name].is_question(messages[place])


@pytest.mark.requirement("P-FMT-11")
def test_words_beside_results_are_a_question() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "x"}
    content: list[dict[str, Any]] = [result, {"type": "text", "text": "Stop."}]
    assert question_of(WIRES["anthropic"], [{"role": "user", "content": content}]) == "Stop."
    content[1]["text"] = REMINDER
    assert question_of(WIRES["anthropic"], [{"role": "user", "content": content}]) == ""


@pytest.mark.requirement("P-FMT-11")
def test_a_long_question_is_shortened_in_the_middle() -> None:
    text = question_of(WIRES["openai"], [{"role": "user", "content": "a" * 5000 + "b" * 5000}])
    assert text == "a" * 2000 + "\n" + "b" * 2000


@pytest.mark.requirement("P-FMT-11")
@pytest.mark.parametrize(
    "text", ["", "Thanks!", "Ok, go on.", "Perfect, thank you.", "Hm.", "Good morning!", "👍", "..."]
)
def test_a_reply_that_names_nothing_asks_nothing(text: str) -> None:
    assert asks_nothing(text)


@pytest.mark.requirement("P-FMT-11")
@pytest.mark.parametrize("text", ["Why?", "Ok?", "?", "Yes, with SQLite.", "8443", "是的", "Fix it.", "Thanks, Pia."])
def test_whatever_names_something_or_has_a_question_mark_asks(text: str) -> None:
    assert not asks_nothing(text)
