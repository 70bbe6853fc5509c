"""Words of a question that look like others, and what no store can hold."""

import pytest

from clew.rank.intent import read_intent
from clew.rank.intent.rewriting import without_request
from tests.support.memories import NOON, quiet, told


@pytest.mark.requirement("F-RECALL-05")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What tools did we use?", "tools did we use"),
        ("What island did I visit?", "island did I visit"),
        ("Who ordered the pizza?", "ordered the pizza"),
        ("How many dogs do I own?", "dogs do I own"),
        ("Which theme was it?", "theme was it"),
    ],
)
def test_request_words_are_whole_words(text: str, expected: str) -> None:
    assert without_request(text) == expected


@pytest.mark.requirement("F-RECALL-05")
@pytest.mark.parametrize(
    ("text", "named"), [("The trip", ()), ("Can we?", ()), ("The trip of Theo", (0,)), ("Candy?", (1,))]
)
def test_no_stop_word_names_a_speaker(text: str, named: tuple[int, ...]) -> None:
    assert read_intent(text, ("Theo", "Candyce", "Who"), NOON, with_assistant=False).speakers == named


@pytest.mark.requirement("F-RECALL-05")
@pytest.mark.parametrize("text", [" " * 200_000 + "x", "the " * 50_000, "Ann's " * 20_000, '"' * 20_000, "a" * 10**6])
def test_any_question_is_read_in_one_pass(text: str) -> None:
    assert read_intent(text, ("Ann",), NOON, with_assistant=True).text == text


@pytest.mark.requirement("F-RECALL-09")
def test_what_no_store_can_hold_is_asked_for_as_it_was_said() -> None:
    with quiet() as memory:
        memory.add(told("half an emoji \ud83d here\0", "odd", speaker="Ann \ud800"))
        assert len(memory.find_quote("emoji \ud83d here")) == 1
        assert memory.find_quote("emoji here") == []
        for only in ({"session": "odd"}, {"speaker": "Ann \ud800"}, {}):
            context = memory.recall("emoji \ud83d\0", **only)  # type: ignore[arg-type]  # names of filters
            assert len(context.items) == 1
            assert memory.drain(None)
            assert memory.explain(context.receipt_id).id == context.receipt_id
        assert memory.search("emoji", session="even") == []
        assert memory.forget(speaker="Ann \ud800", match="half an emoji \ud83d").turns == 1
