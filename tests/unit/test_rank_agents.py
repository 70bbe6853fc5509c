"""The signals for work with agents, each by hand: who says how much, calls, failures, sessions."""

import math
from dataclasses import replace

import numpy as np
import pytest

from clew.rank.signals.agent import AT_ONCE
from clew.rank.signals.cost import SAID
from tests.support.ranking_spaces import answered, asked, order, said, space, values

WORK = (
    "Fix the build",
    *(answered("Let me run make:"), said("make: no rule for zlib", role="tool"), answered("ok")),
    *(answered("The rule is missing."), said("done", role="tool"), answered("Fixed."), answered("All is built.")),
)
"""One wish of a person, and seven turns of an agent: a share of 1 - 2 * (1 + 2) / (8 + 4)."""
PEOPLE = space("tea", said("Tea.", speaker="Bob"))


@pytest.mark.requirement("F-AGENT-01")
def test_signal_agent_grows_with_what_the_agent_does_alone_or_with_tools() -> None:
    alone = space("Fix the build", *(answered(f"Step {number} is done.") for number in range(7)))
    assert values("agent", asked(alone, "Why did it fail?")) == [0, *[0.5] * 7]
    assert values("agent", asked(space(*WORK), "Why did it fail?")) == [0, *[0.7] * 7], "tools were used"
    talked = space(*["yes"] * 6, answered("Fine."), said("3 passed", role="tool"))
    assert values("agent", asked(talked, "Was it fine?")) == [*[0] * 6, 0.35, 0.35], "in half of it"
    assert values("agent", asked(space("tea", answered("Tea.")), "tea")) is None
    assert values("agent", asked(PEOPLE, "tea")) is None


@pytest.mark.requirement("F-AGENT-02")
def test_signal_users_words_takes_the_agents_part_back() -> None:
    view = space(*WORK)
    for question in ("What did I ask for?", "which helper was wanted?", "what was the agent told to build?"):
        assert values("users_words", asked(view, question)) == [0, *[-0.7] * 7]
    assert values("users_words", asked(view, "Why did make fail?")) is None


@pytest.mark.requirement("F-AGENT-11")
def test_what_the_person_told_an_agent_is_asked_for_in_many_words() -> None:
    view = space(*WORK)
    for question in (
        "What rule did I give about the notes?",
        "what did I only mention after the build?",
        "what was I unhappy with at first?",
        "Which name had I picked?",
        "the user rejected what?",
    ):
        assert values("users_words", asked(view, question)) is not None, question
    for question in ("Why did we choose zlib?", "I would like to know why make failed", "What did make suggest?"):
        assert values("users_words", asked(view, question)) is None, question


@pytest.mark.requirement("F-AGENT-12")
def test_signal_lengthy_gives_back_what_a_long_turn_costs_beyond_a_passage() -> None:
    report, thoughts = "It fails. " * 500, "Let me see. " * 1_000
    view = space(
        *(report, answered(thoughts), said("x" * 9_000, role="tool"), answered("Done."), answered("All done.")),
        said("y" * 9_000, role="system"),
    )
    share = values("agent", asked(view, "Why did it fail?"))
    assert share is not None
    found = values("lengthy", asked(view, "Why did it fail?"))
    passage = math.log(SAID / 4 + 50)
    assert found is not None
    assert found[0] == pytest.approx(share[1] * (math.log(len(report) / 4 + 50) - passage), abs=2e-3)
    assert found[1] == pytest.approx(share[1] * (math.log(len(thoughts) / 4 + 50) - passage), abs=2e-3)
    assert found[2:] == [0, 0, 0, 0], "a tool's result costs a passage by itself, and a system prompt its whole length"
    chat = space("x" * 9_000, answered("y" * 9_000))
    assert values("lengthy", asked(chat, "Why did it fail?")) is None
    assert values("lengthy", asked(PEOPLE, "tea")) is None


@pytest.mark.requirement("F-AGENT-03")
def test_signal_brief_lowers_turns_of_a_few_words() -> None:
    found = values("brief", asked(space(*WORK), "Why did it fail?"))
    assert found == [
        round(-0.5 * math.exp(-len(turn if isinstance(turn, str) else turn.text) / 30), 3) for turn in WORK
    ]


@pytest.mark.requirement("F-AGENT-10")
def test_signal_terse_lowers_short_turns_of_the_person_where_tools_are_used() -> None:
    view = space("run it", answered("I ran it."), said("3 passed", role="tool"), "Leave the flag as it was, I need it.")
    found = values("terse", asked(view, "What about the flag?"))
    assert found == [round(-math.exp(-6 / 120), 3), 0, 0, round(-math.exp(-36 / 120), 3)]
    many = space(*["yes"] * 6, answered("Done."), said("3 passed", role="tool"), said("yes", session="t"))
    half = round(-0.5 * math.exp(-3 / 120), 3)
    assert values("terse", asked(many, "Was it done?")) == [*[half] * 6, 0, 0, 0], "of its own session"
    assert values("terse", asked(space("tea", answered("Tea.")), "tea")) is None
    assert values("terse", asked(PEOPLE, "tea")) is None


@pytest.mark.requirement("F-AGENT-10")
def test_what_was_found_comes_before_orders() -> None:
    found = "The mail picks the currency by the language of the guest, and for one night it takes the form for several."
    orders = ("ok do that", "leave it red", "both, then", "what next", "no, as before", "fine", "yes, both", "tomorrow")
    told = [found if number == 3 else f"Step {number} of the plan is done." for number in range(len(orders))]
    view = space(
        *(
            turn
            for number, order_ in enumerate(orders)
            for turn in (order_, answered(told[number]), said(f"exit code 0, {number} files", role="tool"))
        )
    )
    frame = asked(view, "Why did Danish guests see another currency?")
    assert order(frame)[0] == 10
    without = order(replace(frame, config=replace(frame.config, terse=0.0, agent=0.0)))
    assert without[0] in range(0, len(view.turns.at), 3), "an order"


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


@pytest.mark.requirement("F-AGENT-04")
def test_of_calls_made_at_once_each_result_gets_the_best_match() -> None:
    ready = ("3 passed", "make: no rule for zlib")  # the second call was the first to be done
    view = space(
        "Fix it", answered("Run make"), answered("Run the tests"), *(said(each, role="tool") for each in ready)
    )
    found = values("call", asked(view, "What came of make?"))
    assert found is not None
    assert found[3] == found[4] > 0, "the call, not the result before it"
    found = values("call", asked(view, "How many passed?"))
    assert found is not None
    assert found[4] == found[3], "a result calls nothing"
    several = space("Fix it", answered("Run make and the tests"), *(said(each, role="tool") for each in ready))
    found = values("call", asked(several, "What came of make?"))
    assert found is not None
    assert found[2] == found[3] > 0, "one turn made both calls"


@pytest.mark.requirement("F-AGENT-04")
def test_no_more_calls_than_a_few_count_as_made_at_once() -> None:
    calls = [answered(f"Run part {number}") for number in range(AT_ONCE + 2)]
    results = [said(f"{number} passed", role="tool") for number in range(AT_ONCE + 2)]
    found = values("call", asked(space("Fix it", *calls, *results), f"What came of part {AT_ONCE + 1}?"))
    assert found is not None
    assert [value > 0 for value in found[-len(results) :]] == [*[True] * AT_ONCE, False, False]


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


@pytest.mark.requirement("U-DECIDED-01")
def test_signal_decision_marks_what_was_decided_where_nothing_else_is_asked_for() -> None:
    view = space("We agreed on tea.", "Let's move it to noon.", "Should it be final?", "Tea!")
    assert values("decision", asked(view, "What did we decide?")) == [1, 0.5, 0.5, 0]
    assert values("decision", asked(view, "What did we decide about tea?")) is None


@pytest.mark.requirement("F-PIECES-01")
def test_signal_cause_marks_the_explaining_turns_of_an_agent() -> None:
    view = space(*WORK)
    for question in ("Why did make fail?", "what broke the build?", "the reason for the missing rule?"):
        assert values("cause", asked(view, question)) == [0, 0, 0, 0, 0.5, 0, 0, 0], "not the tool, which says no rule"
    assert values("cause", asked(view, "What did make say?")) is None
    assert values("cause", asked(view, "Why did the zebra sleep?")) is None, "nothing is like the question"
    assert values("cause", asked(space("tea", answered("The tea is missing.")), "Why no tea?")) is None
    assert values("cause", asked(PEOPLE, "Why no tea?")) is None


@pytest.mark.requirement("F-PIECES-02")
@pytest.mark.parametrize(
    "question",
    ["how did the build end?", "Was the build ever fixed?", "did the build work?", "which rule was it finally?"],
)
def test_signal_closing_rises_towards_the_end_of_the_best_session(question: str) -> None:
    other = [said("Bake a cake", session="t"), *(answered("Baked.", session="t") for _ in range(7))]
    found = values("closing", asked(space(*WORK, *other), question))
    assert found is not None
    assert found[:8] == [round(0.5 * math.exp(-left / 8), 3) for left in range(7, -1, -1)]
    assert max(found[8:]) < found[0]


@pytest.mark.requirement("F-PIECES-02")
def test_signal_closing_is_silent_unless_an_end_is_asked_for() -> None:
    assert values("closing", asked(space(*WORK), "What did make say?")) is None
    assert values("closing", asked(space(*WORK), "How did the zebra end?")) is None, "nothing is like the question"
    assert values("closing", asked(space("tea", answered("Tea.")), "How did the tea end?")) is None
    assert values("closing", asked(PEOPLE, "How did the tea end?")) is None


@pytest.mark.requirement("F-PIECES-03")
def test_signal_sequel_falls_from_the_best_turn_on() -> None:
    elsewhere = [said("Bake a cake", session="t"), *(answered("Baked.", session="t") for _ in range(7))]
    found = values("sequel", asked(space(*WORK, *elsewhere), "Which rule for zlib was it, and where was it?"))
    assert found == [0] * 3 + [round(0.5 * math.exp(-later / 12), 3) for later in range(1, 6)] + [0] * 8
    assert values("sequel", asked(space(*WORK), "Which rule for zlib was it?")) is None
    assert values("sequel", asked(space(*WORK), "Which zebra was it, and where did it go?")) is None
    assert values("sequel", asked(PEOPLE, "Which tea was it, and how was it?")) is None


@pytest.mark.requirement("F-PIECES-04")
def test_system_prompts_have_no_agent_share() -> None:
    found = values("agent", asked(space(said("You build things.", role="system"), *WORK), "Why did it fail?"))
    assert found is not None
    assert found[:2] == [0, 0]
    assert min(found[2:]) > 0.5


@pytest.mark.requirement("F-PIECES-05")
def test_what_a_program_complains_about_is_not_the_persons_words() -> None:
    view = space(*WORK)
    assert values("users_words", asked(view, "What did make complain about?")) is None
    for question in ("What did I complain about?", "which complaint was it?", "the user complained about what?"):
        assert values("users_words", asked(view, question)) is not None
