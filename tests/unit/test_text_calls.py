"""Calls of tools read like calls: what they are about first, and no marks of JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory import Memory
from clew.text.calls import may_read_better, readable, readable_calls
from clew.types.turn import Part, Turn, plain_text

PLAIN = st.text() | st.integers() | st.booleans() | st.none()


def call(name: str = "Bash", **arguments: object) -> str:
    return plain_text((Part(type="tool_call", text=json.dumps(arguments, ensure_ascii=False), name=name),))


@pytest.mark.requirement("F-BLOCK-20")
@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        (call(command="make test", timeout=60), "Bash(make test, timeout: 60)"),
        (call(command='echo "a \\ b"', description="Say it"), 'Bash(echo "a \\ b", description: Say it)'),
        (
            call("Edit", replace_all=False, file_path="x.py", old='a\n\t"b"'),
            'Edit(x.py, replace_all: false, old: a\\n\\t\\"b\\")',
        ),
        (call("TaskUpdate", taskId="5", status="done"), "TaskUpdate(taskId: 5, status: done)"),
        (
            f"Let me look:\n{call('Read', file_path='a.go')}\n{call('Read', file_path='b.go')}",
            "Let me look:\nRead(a.go)\nRead(b.go)",
        ),
        (call("TodoWrite", todos=[{"content": "one"}]), 'TodoWrite({"todos": [{"content": "one"}]})'),
        ('Bash({"command": "make', 'Bash({"command": "make'),
        ('see Bash({"command": "make"})', 'see Bash({"command": "make"})'),
        ('f({"a": 1}).then(g)', 'f({"a": 1}).then(g)'),
        ("Bash({})", "Bash({})"),
        ("nothing", "nothing"),
    ],
)
def test_calls_are_readable_and_all_else_stays(stored: str, shown: str) -> None:
    assert readable_calls(stored) == shown


@pytest.mark.requirement("F-BLOCK-20")
@given(st.dictionaries(st.text(min_size=1), PLAIN, min_size=1))
def test_a_readable_call_keeps_what_was_given_and_stays_on_its_lines(arguments: dict[str, object]) -> None:
    stored = call(x=1) + "\n" + plain_text((Part(type="tool_call", text=json.dumps(arguments), name="tool"),))
    shown = readable_calls(stored)
    assert shown.count("\n") == 1
    assert len(shown) < len(stored)
    for value in arguments.values():
        if isinstance(value, str) and value.isprintable():
            assert value in shown


@pytest.mark.requirement("F-BLOCK-20")
def test_a_block_shows_readable_calls_and_its_items_have_them_as_stored() -> None:
    said = call(command="golangci-lint run ./...", description="Run the linter")
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add(Turn(role="assistant", content=said, session="s"))
        context = memory.recall("golangci-lint", budget=200)
    assert "0 assistant: Bash(golangci-lint run ./..., description: Run the linter)\n" in context.text
    assert context.items[0].text == said


@pytest.mark.requirement("F-BLOCK-20")
def test_room_that_readable_calls_leave_goes_to_further_turns() -> None:
    runs = [call(command=f"pytest tests/part_{number}", description=f"Run part {number}") for number in range(30)]
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add_many([Turn(role="assistant", content=run, session="s") for run in runs])
        context = memory.recall("which tests did we run?", budget=400)
    assert context.tokens <= 400
    assert '{"' not in context.text
    assert sum(len(f"10 : {item.text}") for item in context.items) / 4 > 400
    assert sum(item.tokens for item in context.items) <= 400 + len(context.items) * 4


@pytest.mark.requirement("F-BLOCK-22")
@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        (
            (
                "<command-message>plan</command-message>\n<command-name>/plan</command-name>\n"
                "<command-args>the api\nin two parts</command-args>"
            ),
            "/plan the api\nin two parts",
        ),
        ("<command-name>/ide</command-name>\n  <command-message>ide</command-message>", "/ide"),
        ("<command-name>review</command-name>\n<command-args></command-args>\nAnd then?", "/review\nAnd then?"),
        ("<command-message>plan is running…</command-message>", "<command-message>plan is running…</command-message>"),
        ("say <command-name>/x</command-name>", "say <command-name>/x</command-name>"),
    ],
)
def test_a_command_reads_as_it_was_typed(stored: str, shown: str) -> None:
    assert readable(stored) == shown
    assert may_read_better(stored) or shown == stored


@pytest.mark.requirement("F-BLOCK-22")
def test_a_block_shows_a_command_as_it_was_typed() -> None:
    said = "<command-name>/plan</command-name>\n<command-args>the harbour map in two parts</command-args>"
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add(Turn(role="user", content=said, session="s"))
        context = memory.recall("harbour map", budget=200)
    assert "0 user: /plan the harbour map in two parts\n" in context.text
    assert context.items[0].text == said
