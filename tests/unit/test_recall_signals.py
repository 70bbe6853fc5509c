"""Every signal on a space small enough to say what it must give."""

import math
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from clew.config import RecallConfig
from clew.recall.signals import SIGNALS
from clew.types import Part, Turn
from tests.frames import frame_of, values
from tests.memories import told

NAN = math.nan


def given(turns: list[Turn], question: str, signal: str, **more: Any) -> list[float] | None:
    found = values(frame_of(turns, question, **more), signal)
    return None if found is None else [round(float(value), 6) for value in found]


PEOPLE = [
    told("I went to Rome.", speaker="Ann Lee"),
    told("Rome is old.", speaker="Bob"),
    told("Rome is old.", speaker="Ann Lee"),
    told("Rome is old."),
]


@pytest.mark.requirement("F-RECALL-04")
def test_words_are_found_in_turns_and_beside_them() -> None:
    turns = [told("tea"), told("cup"), told("saucer"), told("plate"), told("x", "other"), told("nothing", "other")]
    found = values(frame_of(turns, "Where is the tea?"), "lexical")
    assert found is not None
    assert found[0] > found[1] > found[2] > found[3] > 0 == found[4] == found[5]
    assert given(turns, "the of and", "lexical") is None


@pytest.mark.requirement("F-RECALL-04")
def test_a_long_turn_counts_as_its_best_piece() -> None:
    filler = "Nothing of that kind was ever said here by anyone at all. " * 12
    long = told(filler + "\n\nThe lighthouse keeper sold it.", "b")
    frame = frame_of([told("lighthouse", "a"), long], "lighthouse keeper")
    found = values(frame, "lexical")
    assert frame.piece_scores is not None
    assert found is not None
    assert len(frame.piece_scores) > 2
    assert found[1] == max(frame.piece_scores[1:]) < sum(frame.piece_scores[1:])
    assert frame.best_piece(1) == int(np.argmax(frame.piece_scores[1:])) > 0
    assert frame.best_piece(0) == 0


@pytest.mark.requirement("F-RECALL-04")
def test_meaning_is_the_cosine_and_unknown_without_a_vector() -> None:
    turns = [told("a"), told("b")]
    similarity = [[0.5, NAN], [0.25, NAN]]
    assert given(turns, "c", "dense", similarity=similarity) == [0.5, pytest.approx(NAN, nan_ok=True)]
    assert given(turns, "c", "dense_rewritten", similarity=similarity) == [0.25, pytest.approx(NAN, nan_ok=True)]
    assert given(turns, "c", "dense") is None
    assert given(turns, "c", "dense_rewritten") is None


@pytest.mark.requirement("F-RECALL-04")
def test_the_named_speaker_s_turns_are_raised_and_those_of_oneself_more() -> None:
    assert given(PEOPLE, "Where did Ann go?", "speaker") == [1, 0, 1, 0]
    assert given(PEOPLE, "Where did Ann go?", "speaker_first_person") == [1, 0, 0, 0]
    assert given(PEOPLE, "Where did Ann and Bob go?", "speaker") == [1, 1, 1, 0]
    assert given(PEOPLE, "Where did Carla go?", "speaker") is None
    assert given(PEOPLE, "Where did Carla go?", "speaker_first_person") is None


@pytest.mark.requirement("F-RECALL-04")
def test_style_is_a_weak_prior_for_any_question() -> None:
    turns = [told("I went to Rome. Did you?"), told("Rome is old."), told("Who knows?")]
    assert given(turns, "x", "first_person") == [1, 0, 0]
    assert given(turns, "x", "question") == [1, 0, 1]
    stated = [len("I went to Rome."), len("Rome is old."), 0]
    assert given(turns, "x", "statement") == [round(math.log1p(count), 6) for count in stated]


@pytest.mark.requirement("F-RECALL-04")
def test_a_turn_pays_for_what_it_costs() -> None:
    turns = [told("x" * 400), told("x" * 40)]
    assert given(turns, "x", "cost") == [round(-math.log(100 + 50), 6), round(-math.log(10 + 50), 6)]


@pytest.mark.requirement("F-RECALL-04")
def test_a_quoted_phrase_is_looked_for_word_for_word() -> None:
    turns = [told("We keep green tea here."), told("Tea is green."), told("green walls, black coffee"), told("tea")]
    assert given(turns, 'Who said "green tea"?', "quote") == [1, 1, 0, 0]
    assert given(turns, "Who said green tea?", "quote") is None
    assert given(turns, 'Who said "of the"?', "quote") is None
    assert given(turns, 'Who said "black coffee" or "tea"?', "quote") == [1, 1, 1, 1]


def on(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


DAYS = "2024-01-07 2024-01-08 2024-01-09 2024-01-10 2024-01-11 2024-01-13 2024-01-17 2024-01-18 2023-01-10".split()


@pytest.mark.requirement("F-RECALL-04")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What happened on 10 January 2024?", [0, 0.3, 0.3, 1, 0.6, 0.4, 0.4, 0, 0]),
        ("What happened in January 2024?", [0.7] * 8 + [0]),
        ("What happened in December 2023?", [0.35] * 8 + [0]),
        ("What happened in 2024?", [0.3] * 8 + [0]),
        ("What happened before 9 January 2024?", [0.3, 0.3, 0, 0, 0, 0, 0, 0, 0.3]),
        ("What happened after 12 January 2024?", [0, 0, 0, 0, 0, 0.3, 0.3, 0.3, 0]),
    ],
)
def test_turns_told_near_the_named_time_are_raised_by_steps(question: str, expected: list[float]) -> None:
    turns = [told("tea", at=on(day)) for day in DAYS]
    assert given([*turns, told("tea")], question, "time") == [*expected, 0]


@pytest.mark.requirement("F-RECALL-04")
def test_a_turn_that_names_the_time_counts_as_if_told_then() -> None:
    turns = [told("We meet on 10 January 2024.", at=on("2023-11-01")), told("x", at=on("2023-11-01"))]
    assert given(turns, "What was on 10 January 2024?", "time") == [1.2, 0]
    assert given(turns, "What was last Monday?", "time") == [0, 0]
    assert given(turns, "What was?", "time") is None


@pytest.mark.requirement("F-RECALL-04")
@pytest.mark.parametrize(
    "question", ["What of 31 December 9999?", "And on 1 January 1?", "before the year 1", "in 9999"]
)
def test_the_ends_of_the_calendar_break_nothing(question: str) -> None:
    turns = [
        told("x", at=datetime.max.replace(tzinfo=UTC)),
        told("on 31 December 9999", at=datetime.min.replace(tzinfo=UTC)),
    ]
    frame = frame_of(turns, question)
    found = values(frame, "time")
    assert found is None or np.isfinite(found).all()


def assisted(*said: tuple[str, str]) -> list[Turn]:
    names: dict[str, Any] = {"u": "user", "a": "assistant", "t": "tool"}
    return [Turn(role=names[role], content=text, session="s") for role, text in said]


TALK = assisted(("u", "Which tea?"), ("a", "Green tea."), ("u", "Thanks."), ("t", "tea: 5 g"))


@pytest.mark.requirement("F-RECALL-04")
def test_beside_an_assistant_the_person_s_turns_count_more() -> None:
    assert given(TALK, "tea", "user") == [1, 0, 1, 0]
    assert given(TALK, "tea", "assistant") is None
    assert given(TALK, "Which tea did you recommend?", "assistant") == [0, 1, 0, 0]
    assert given(PEOPLE, "Which tea did you recommend?", "assistant") is None
    assert given(PEOPLE, "tea", "user") is None


@pytest.mark.requirement("F-RECALL-04")
def test_an_assistant_under_a_person_s_name_is_a_person() -> None:
    named = [Turn(role="assistant", content="tea", speaker="Bob", session="s"), told("tea", speaker="Ann")]
    assert not frame_of(named, "tea").with_assistant
    unnamed = [Turn(role="assistant", content="tea", speaker="Assistant", session="s"), told("tea", speaker="Ann")]
    assert frame_of(unnamed, "tea").with_assistant
    assert not frame_of([], "tea").with_assistant


@pytest.mark.requirement("F-RECALL-04")
def test_a_tool_s_words_in_a_user_s_message_are_not_the_user_s() -> None:
    result = Turn(role="user", content=(Part(type="tool_result", text="tea: 5 g"),), session="s")
    assert given([*TALK, result], "tea", "user") == [1, 0, 1, 0, 0]


@pytest.mark.requirement("F-RECALL-04")
@pytest.mark.parametrize("signal", SIGNALS, ids=lambda signal: signal.name)
def test_a_signal_without_weight_is_not_asked(signal: Any) -> None:
    weights = {each.name: 0 for each in SIGNALS} | {"cost_assistant": 0}
    silent = RecallConfig(**weights)  # type: ignore[arg-type]  # every weight by its signal's name
    turns = [*TALK, told("on 10 January 2024 I said green tea", speaker="Ann")]
    question = 'What did Ann, or you, say of "green tea" on 10 January 2024?'
    similarity = [[0.5] * 5, [0.4] * 5]
    assert values(frame_of(turns, question, similarity=similarity), signal.name) is not None
    assert values(frame_of(turns, question, similarity=similarity, config=silent), signal.name) is None


@pytest.mark.requirement("F-RECALL-04")
def test_what_an_assistant_costs_is_weighed_apart() -> None:
    weights = RecallConfig(cost=2.0, cost_assistant=3.0)
    (signal,) = (each for each in SIGNALS if each.name == "cost")
    assert (signal.weight(weights, False), signal.weight(weights, True)) == (2.0, 3.0)
