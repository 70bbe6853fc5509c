"""The signals for work with agents, each by hand: who says how much, calls, failures, sessions."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.ranking_spaces import answered, asked, said, space, values

WORK = (
    "Fix the build",
    *(answered("Let me run make:"), said("make: no rule for zlib", role="tool"), answered("ok")),
    *(answered("The rule is missing."), said("done", role="tool"), answered("Fixed."), answered("All is built.")),
)
"""One wish of a person, and seven turns of an agent: a share of 1 - 2 * (1 + 2) / (8 + 4)."""
PEOPLE = space("tea", said("Tea.", speaker="Bob"))


@pytest.mark.requirement("F-AGENT-01")
def test_signal_agent_grows_with_what_the_agent_does_alone() -> None:
    assert values("agent", asked(space(*WORK), "Why did it fail?")) == [0, *[0.5] * 7]
    assert values("agent", asked(space("tea", answered("Tea.")), "tea")) is None
    assert values("agent", asked(PEOPLE, "tea")) is None


@pytest.mark.requirement("F-AGENT-02")
def test_signal_users_words_takes_the_agents_part_back() -> None:
    view = space(*WORK)
    for question in ("What did I ask for?", "which helper was wanted?", "what was the agent told to build?"):
        assert values("users_words", asked(view, question)) == [0, *[-0.5] * 7]
    assert values("users_words", asked(view, "Why did make fail?")) is None


@pytest.mark.requirement("F-AGENT-03")
def test_signal_brief_lowers_turns_of_a_few_words() -> None:
    found = values("brief", asked(space(*WORK), "Why did it fail?"))
    assert found == [
        round(-0.5 * math.exp(-len(turn if isinstance(turn, str) else turn.text) / 30), 3) for turn in WORK
    ]


@pytest.mark.requirement("F-AGENT-04")
def test_signal_call_gives_a_result_the_match_of_its_call() -> None:
    frame = asked(space(*WORK), "What came of the run of make?")
    found = values("call", frame)
    assert found is not None
    assert found[2] > 0
    assert [value for place, value in enumerate(found) if place not in (2, 5)] == [0] * 6, "results alone"
    assert values("call", asked(space("tea", answered("Tea.")), "tea")) is None
    heavier = values("call", replace(frame, similarity=np.array([[0, 0.9, *[0.0] * 6]] * 2)))
    assert heavier is not None
    assert heavier[2] > found[2]


@pytest.mark.requirement("F-AGENT-05")
def test_signal_coverage_is_the_square_of_the_share_of_rare_terms() -> None:
    found = values("coverage", asked(space(*WORK), "Where is the rule for zlib, and which?"))
    assert found is not None
    assert found[2] == 0.5
    assert 0 < found[4] < 0.25
    assert found[0] == found[1] == 0


@pytest.mark.requirement("F-AGENT-08")
def test_signal_session_is_the_best_match_of_the_session_squared() -> None:
    drinks = [*["milk"] * 8, "wine and more wine", "wine, bread and the like"]
    told = [said(drink, session=f"s{number}") for number, drink in enumerate(drinks)]
    view = space(*told, *(answered("Fine, thank you.", session=session) for session in ("s0", "s8")))
    found = values("session", asked(view, "Where is the wine?"))
    assert found is not None
    full = round(math.log(10 / 5) / math.log(100 / 5), 3)
    assert found[8] == found[11] == full > found[9] > 0
    assert found[0] == found[10] == 0
    assert values("session", asked(view, "Where was it?")) is None
    few = space(*(said("wine", session=f"s{number}") for number in range(4)), answered("Fine.", session="s4"))
    assert values("session", asked(few, "Where is the wine?")) is None
    people = space(*(said("wine", session=f"s{number}") for number in range(9)))
    assert values("session", asked(people, "Where is the wine?")) is None


@pytest.mark.requirement("F-AGENT-09")
def test_signal_failure_marks_reports_of_failure_when_one_is_asked_for() -> None:
    view = space("Book it.", said("Error: no seats", role="tool"), answered("I am unable to book it."), "Thanks!")
    for question in ("Why was it refused to book?", "what went wrong with the book?", "why didn't it book?"):
        assert values("failure", asked(view, question)) == [0, 1, 1, 0]
    assert values("failure", asked(view, "What did I book?")) is None
    assert values("failure", asked(view, "Why did the zebra crash?")) is None, "nothing is like the question"
    assert values("failure", asked(space("Error: no seats"), "Why are there no seats?")) is None
