"""Calls of tools read like calls: what they are about first, and no marks of JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.assemble.render import Evidence, render
from clew.assemble.unranked import unranked_item
from clew.memory import Memory
from clew.text.calls import may_read_better, readable, readable_calls
from clew.text.counters import counter
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
            'Edit(x.py, replace_all: false, old: a\\n\\t"b")',
        ),
        (
            call("Bash", command='git commit -m "a\nb" \\"'),
            'Bash(git commit -m "a\\nb" \\\\")',
        ),
        (call("shell", command=["bash", "-lc", "make test"], workdir="/app"), "shell(make test, workdir: /app)"),
        (call("shell", command=["/bin/zsh", "-c", "a\nb"]), "shell(a\\nb)"),
        (call("shell", command=["git", "-c", "x=y", "log"]), "shell(git -c x=y log)"),
        (call("shell", command=["python", "-c", "print(1)"]), "shell(python -c print(1))"),
        (call("shell", command=[]), call("shell", command=[])),
        (call("shell", command=["ls", ["-l"]]), call("shell", command=["ls", ["-l"]])),
        (call("find", words=["a", "b"]), call("find", words=["a", "b"])),
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
        ('Bash({"command": "a", "command": "b"})', "Bash(a, command: b)"),
        ('f({"a": 1.10, "b": 1e9, "c": 1e999, "d": NaN, "e": -0})', "f(a: 1.10, b: 1e9, c: 1e999, d: NaN, e: -0)"),
        ('f({"a": 1, "b": {}})', 'f({"a": 1, "b": {}})'),
        ('f({"a": "half of \\ud83d"})', 'f({"a": "half of \\ud83d"})'),
        ('f({"a": "whole \\ud83d\\ude00"})', "f(a: whole \U0001f600)"),
        ("nothing", "nothing"),
    ],
)
def test_calls_are_readable_and_all_else_stays(stored: str, shown: str) -> None:
    assert readable_calls(stored) == shown


@pytest.mark.requirement("F-BLOCK-20")
def test_broken_beginnings_cost_a_few_looks_at_the_text() -> None:
    beginning, whole = 'f({"a": ', 'f({"a": 1})'
    assert readable_calls(f"{beginning}\n{whole}") == f"{beginning}\nf(a: 1)"
    text = "\n".join([*[beginning] * 100, whole])
    assert readable_calls(text) == text, "what comes after a hundred of them is no agent's work"


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
def test_a_block_with_half_a_character_in_a_call_can_be_sent() -> None:
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add(Turn(role="assistant", content='Bash({"command": "echo harbour \\ud83d"})', session="s"))
        context = memory.recall("harbour", budget=200)
    assert "harbour \\ud83d" in context.text
    assert context.text.encode()


@pytest.mark.requirement("F-BLOCK-20")
def test_lines_that_nothing_ranked_count_what_is_shown_of_a_call() -> None:
    line = Evidence(session="s", seq=0, at=None, speaker="assistant", text=call(command="make"), rendering="full")
    assert "0 assistant: Bash(make)\n" in render([line])
    assert unranked_item(line, ("s#0",), counter("estimate")).tokens == counter("estimate")("0 assistant: Bash(make)\n")


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
        ("<bash-input> make\n test</bash-input>", "! make\n test"),
        ("say <bash-input>make</bash-input>", "say <bash-input>make</bash-input>"),
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
