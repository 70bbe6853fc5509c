"""Asked what is left to do, a block begins with the open tasks of the session."""

import json

import pytest

from clew.memory import Memory
from clew.rank.intent.wants import wants_of
from clew.types import Context, Part, Turn
from tests.support.memories import quiet, told

ASKED = "What is left to do?"


def todo(*tasks: tuple[str, str]) -> Turn:
    call = {"todos": [{"content": text, "status": state} for text, state in tasks]}
    return Turn(
        role="assistant",
        content=(Part(type="tool_call", name="TodoWrite", call_id="c", text=json.dumps(call)),),
        session="s",
    )


def filled(*lists: Turn) -> Memory:
    memory = quiet()
    chatter = [told(f"Part {n} of the shop was discussed at length.", "s", role="assistant") for n in range(40)]
    memory.add_many([told("Build the shop.", "s"), *lists[:1], *chatter, *lists[1:], told("Go on.", "s")])
    return memory


PLAN = todo(("write the cart", "in_progress"), ("test the cart", "pending"))
LATER = todo(("write the cart", "completed"), ("test the cart", "pending"), ("deploy the shop", "pending"))
DONE = todo(("write the cart", "completed"), ("test the cart", "completed"))


def required(context: Context) -> list[str]:
    return [item.text for item in context.items if item.required == "open task"]


@pytest.mark.requirement("F-TASKS-03")
@pytest.mark.parametrize("budget", [300, 1000, 4000])
@pytest.mark.parametrize("strategy", ["auto", "sigma"])
def test_open_tasks_come_first_with_the_reason(budget: int, strategy: str) -> None:
    with filled(PLAN, LATER) as memory:
        context = memory.recall(ASKED, budget=budget, strategy=strategy)
        assert required(context) == ["test the cart; deploy the shop"]
        assert "42 assistant (open tasks): test the cart; deploy the shop" in context.text
        assert "write the cart" not in context.text
        assert context.tokens <= budget
        rows = [row for row in memory.explain(context.receipt_id).chosen if row.get("required") == "open task"]
        assert [row["turn_ids"] for row in rows] == [["s:turn:42"]]
        assert memory.restore("s:turn:42").parts[0].name == "TodoWrite"


@pytest.mark.requirement("F-TASKS-03")
@pytest.mark.parametrize("budget", range(20, 200, 15))
def test_they_take_a_quarter_of_the_budget_at_most(budget: int) -> None:
    with filled(PLAN, LATER) as memory:
        context = memory.recall(ASKED, budget=budget)
        assert context.tokens <= budget
        assert sum(item.tokens for item in context.items if item.required) <= budget // 4


@pytest.mark.requirement("F-TASKS-03")
def test_what_was_carried_out_is_not_shown() -> None:
    with filled(PLAN, DONE) as memory:
        context = memory.recall(ASKED, budget=4000)
        assert required(context) == []
        assert "write the cart" not in context.text


@pytest.mark.requirement("F-TASKS-03")
def test_a_filter_leaves_tasks_out_and_makes_none_open_again() -> None:
    with filled(PLAN, LATER) as memory:
        assert required(memory.recall(ASKED, budget=1000, role="user")) == []
        assert required(memory.recall(ASKED, budget=1000, session="other")) == []
        assert required(memory.recall(ASKED, budget=1000, session="s")) == ["test the cart; deploy the shop"]


@pytest.mark.requirement("F-TASKS-04")
@pytest.mark.parametrize(
    "question", ["What did we say of part 7?", "Who wrote the cart?", "What properties has a todo?"]
)
def test_other_questions_are_not_changed(question: str) -> None:
    with filled(PLAN, LATER) as memory:
        assert required(memory.recall(question, budget=1000)) == []


@pytest.mark.requirement("F-TASKS-04")
@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is left to do?", True),
        ("what's next?", True),
        ("What's still open?", True),
        ("which open tasks do we have", True),
        ("What are the next steps?", True),
        ("What do we still have to do?", True),
        ("what remains", True),
        ("What is open source software?", False),
        ("What is next to the bank?", False),
        ("What else is left?", True),
        ("Is anything still open?", True),
        ("which properties did the prompt list for a todo?", False),
        ("What is the left button for?", False),
        ("When did you open the file?", False),
    ],
)
def test_which_questions_ask_for_open_tasks(question: str, wanted: bool) -> None:
    assert wants_of(question, with_assistant=True).open_tasks is wanted
    assert not wants_of(question).open_tasks


@pytest.mark.requirement("F-TASKS-03")
def test_a_call_that_is_nested_too_deeply_changes_nothing() -> None:
    deep = Part(type="tool_call", name="TodoWrite", call_id="d", text="[" * 100_000)
    with filled(PLAN, Turn(role="assistant", content=(deep,), session="s")) as memory:
        assert required(memory.recall(ASKED, budget=1000)) == ["write the cart; test the cart"]
        assert "- write the cart" in memory.brief()


@pytest.mark.requirement("F-TASKS-05")
def test_what_the_last_answer_calls_open_comes_first_without_a_list() -> None:
    answer = told("The cart is done.\n\nStill open:\n- push the branch\n- the till", "s", role="assistant")
    thanks = told("Thanks, that's it for today!", "s")
    with quiet() as memory:
        memory.add_many([told("Build the shop.", "s"), answer, thanks])
        assert required(memory.recall(ASKED, budget=400)) == ["push the branch; the till"]
        memory.add_many([told("Push it.", "s"), told("It is pushed.", "s", role="assistant")])
        assert required(memory.recall(ASKED, budget=400)) == []


@pytest.mark.requirement("F-TASKS-05")
def test_it_stands_beside_the_list_of_an_agent() -> None:
    answer = told("Done.\n\nStill open:\n- push the branch", "s", role="assistant")
    with filled(PLAN, LATER) as memory:
        memory.add(answer)
        assert required(memory.recall(ASKED, budget=1000)) == ["test the cart; deploy the shop", "push the branch"]
