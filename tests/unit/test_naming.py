"""What names the work of agents: prose, paths, identifiers and commands, and neither keys nor code."""

import json
from typing import Any

import pytest

from clew.analyze.naming import naming_text
from clew.condense.open_tasks import open_tasks
from clew.condense.session_titles import TITLE, title_of
from clew.types import Part, Turn
from tests.support.effort import examples


def call(name: str, **arguments: Any) -> Turn:
    """A turn that calls a tool."""
    part = Part(type="tool_call", name=name, call_id="c1", text=json.dumps(arguments))
    return Turn(role="assistant", content=(part,))


def named(turn: Turn) -> list[str]:
    """The lines of what names something, after checking that positions stay valid."""
    text = naming_text(turn)
    assert len(text) == len(turn.text)
    assert all(new in (old, "\n") for new, old in zip(text, turn.text, strict=True))
    return [line.strip() for line in text.split("\n") if line.strip()]


@pytest.mark.requirement("F-SESSION-06")
@pytest.mark.parametrize(
    ("turn", "lines"),
    [
        (
            call("Bash", command="cd /srv/shop && npm test --silent 2>&1 | tail -5", description="Run the unit tests"),
            ["/srv/shop && npm test", "Run the unit tests"],
        ),
        (call("Read", file_path="/srv/shop/src/cart/total.py", limit=40), ["cart/total.py"]),
        (call("Grep", pattern="CartTotal", output_mode="files_with_matches"), ["CartTotal"]),
        (call("TaskUpdate", taskId="1", status="in_progress"), []),
        (call("Edit", file_path="a/b/c.py", old_string="x = total(1)\ny = 2", new_string="y"), ["b/c.py"]),
        (call("Write", path="a.go", content='if err != nil {\n\treturn fmt.Errorf("no %w", err)\n}\n'), ["a.go"]),
        (
            call(
                "Write", path="plan.md", content="# Renew the cookie\n\nThe cookie expires too early.\n```\nx = 1\n```"
            ),
            ["plan.md", "# Renew the cookie", "The cookie expires too early."],
        ),
        (
            call("apply_patch", input="*** Begin Patch\n*** Update File: src/cart/sum.py\n-a = 1;\n+a = 2;"),
            ["cart/sum.py"],
        ),
        (
            call("TodoWrite", todos=[{"content": "Renew the cookie", "activeForm": "Renewing", "status": "pending"}]),
            ["Renew the cookie"],
        ),
        (Turn(role="tool", content=(Part(type="tool_result", text="drwxr-xr-x 2 root root 4096 src"),)), []),
        (Turn(role="user", content=(Part(type="injected", text="Use the skill of planning."),)), []),
        (Turn(role="system", content="You are a desk agent."), []),
        (Turn(role="user", content="<command-name>/plan</command-name> Plan the trip"), ["Plan the trip"]),
        (Turn(role="user", content="So {disfmarker} the tide [laughter] turns"), ["So", "the tide", "turns"]),
        (Turn(role="user", content="Look:\n```go\nreturn nil\n```\nWhy?"), ["Look:", "Why?"]),
        (Turn(role="user", content="```go\nreturn nil\n```"), ["```go", "return nil", "```"]),
    ],
)
def test_data_names_nothing(turn: Turn, lines: list[str]) -> None:
    assert named(turn) == lines


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.requirement("F-SESSION-06")
@pytest.mark.parametrize("sign", ["-", "+", "@", "`"])
def test_long_lines_of_one_sign_are_read_in_linear_time(sign: str) -> None:
    line = sign * examples(100_000, 600_000)  # in the square of its length it would take longer than a test may
    turn = call("bash", command=f"echo {line}", content=line)
    assert len(naming_text(turn)) == len(turn.text), "what names nothing is blank, so that places stay"


@pytest.mark.requirement("F-SESSION-06")
def test_a_conversation_without_tools_and_code_names_everything() -> None:
    turn = Turn(role="user", content="Is 3 < 4? My sister Anna says so.")
    assert naming_text(turn) == turn.text


ISSUE = """<uploaded_files>
/w
</uploaded_files>
Consider:
<issue_description>
The cart is empty after login
It happens often.
</issue_description>
Fix it."""


@pytest.mark.requirement("F-SESSION-05")
@pytest.mark.parametrize(
    ("requests", "title"),
    [
        (["<command-message>plan is running…</command-message> <command-name>/plan</command-name>", "Fix the login"],
         "Fix the login"),
        (["<command-name>/plan</command-name> <command-args>a shop in Rust</command-args>"], "a shop in Rust"),
        (["<command-name>/review-pr</command-name> <command-args>221</command-args>"], "/review-pr 221"),
        (["<command-name>/init</command-name>"], "/init"),
        (["Implement the following plan:\n\n# Plan: Show the cart as a tree\n\n## Context\n\nIt is flat."],
         "Plan: Show the cart as a tree"),
        (["Do the following:\n\n# Plan\n\nShow the cart"], "Do the following: Plan Show the cart"),
        (["Please fix these two:\n- The cart is empty\n- The total is wrong"],
         "Please fix these two: The cart is empty The total is wrong"),
        (["Explain the following error:"], "Explain the following error:"),
        ([ISSUE], "The cart is empty after login"),
        (["You may assume all tools.\n# Problem Statement\nThe cart loses items.\nIMPORTANT: be quick"],
         "The cart loses items."),
        (["Hi!\nWhy is the cart empty?"], "Why is the cart empty?"),
        (["Hi there! Why is the cart empty? It was full."], "Why is the cart empty? It was full."),
        (["Hello there, Claude!\n\nThe cart is empty."], "The cart is empty."),
        (["Hi there!", "Why is the cart empty?"], "Why is the cart empty?"),
        (["Hope you all had a restful holiday.", "Good morning! How was the match last night?", "Book a van"],
         "Book a van"),
        (["Hi. I'm fine, thanks, and you?\nHope this message finds you well.\nWhy is the cart empty?"],
         "Why is the cart empty?"),
        (["Thanks for joining, let me share my screen.", "Can everyone hear me?", "The cart is empty."],
         "The cart is empty."),
        (["morning", "Good evening. Hope everything is fine.", "The cart is empty."], "The cart is empty."),
        (["Hope the release goes well."], "Hope the release goes well."),
        (["How was the vote counted last night?"], "How was the vote counted last night?"),
        (["Traceback (most recent call last):\n  File \"cart.py\", line 3, in add\n\nIndexError: list is empty"],
         "IndexError: list is empty"),
        (["Good morning", "hi, how are you today?", "Plan a week in Oslo"], "Plan a week in Oslo"),
        (["Hey Claude, what's up?", "thanks!"], "Hey Claude, what's up?"),
        (["Hello, how are you supposed to prune roses?"], "Hello, how are you supposed to prune roses?"),
        (["hello?", "???", "👋", "Why is the cart empty?"], "Why is the cart empty?"),
        (["👋", "/clear"], "👋"),
        (["Hallo zusammen!", "Guten Morgen, wie geht's?", "Warum ist der Korb leer?"], "Warum ist der Korb leer?"),
        (["¡Hola! ¿Qué tal?", "¿Por qué está vacío?"], "¿Por qué está vacío?"),
        (["Привет, как дела?", "Почему корзина пуста?"], "Почему корзина пуста?"),
        (["नमस्ते", "你好！", "こんにちは", "مرحبا", "カートが空です"], "カートが空です"),
        (["Guten Tag, warum ist der Korb leer?"], "Guten Tag, warum ist der Korb leer?"),
        (["What does salut mean?"], "What does salut mean?"),
        (["/model opus", "Why is the cart empty?"], "Why is the cart empty?"),
        (["login", "Exit", "Why is the cart empty?"], "Why is the cart empty?"),
        (["continue", "Yes, go on.", "Why is the cart empty?"], "Why is the cart empty?"),
        (["continue", "login"], "continue"),
        (["login page", "Why is the cart empty?"], "login page"),
        (["/compact", "/clear"], "/compact"),
        (["/usr/bin/python fails at once"], "/usr/bin/python fails at once"),
        (["<command-name>/model</command-name>\n<command-args>opus</command-args>",
          "<local-command-stdout>Set model to opus</local-command-stdout>",
          "Caveat: The messages below were generated by the user while running local commands. Do not respond.",
          "Why is the cart empty?"], "Why is the cart empty?"),
        (["<command-name>/model</command-name>\n<command-args>opus</command-args>"], "/model"),
        (["", "  "], None),
    ],
)  # fmt: skip  # one case a line
def test_a_title_is_the_first_wish_without_what_a_client_put_around_it(requests: list[str], title: str | None) -> None:
    assert title_of(requests) == title


@pytest.mark.requirement("F-SESSION-05")
def test_a_continued_session_is_called_by_the_summary_of_what_came_before() -> None:
    summary = "This session is being continued.\n1. Primary Request and Intent:\n   - The cart should keep its items.\n"
    assert title_of([], summary) == "The cart should keep its items."
    assert title_of(["B) Move the gauges of the quay to UTC"]) == "Move the gauges of the quay to UTC"
    long = title_of(["word " * 60])
    assert long is not None
    assert len(long) <= TITLE + 2
    assert long.endswith(" …")


def result(text: str) -> Turn:
    """What a client answers to a call."""
    return Turn(role="tool", content=(Part(type="tool_result", text=text, call_id="c1"),))


@pytest.mark.requirement("F-SESSION-04")
def test_tasks_that_are_created_and_changed_one_by_one_are_followed() -> None:
    turns = [
        call("TaskCreate", subject="Renew the cookie", description="..."),
        result("Task #7 created successfully: Renew the cookie"),
        call("TaskCreate", subject="Write a test"),
        call("TaskUpdate", taskId="7", status="completed"),
        call("TaskUpdate", taskId="2", status="in_progress", subject="Write two tests"),
        Turn(role="assistant", content=(Part(type="tool_call", name="TaskCreate", text='{"subject": "cut o'),)),
    ]
    assert [task.text for task in open_tasks(turns)] == ["Write two tests"]
    assert open_tasks([call("update_plan", plan=[{"step": "Try it", "status": "pending"}])]) == [("Try it", 0)]
