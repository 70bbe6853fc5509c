"""Anthropic's messages of the role `system` among the others: between user and assistant, wherever a list is cut."""

from typing import Any

import pytest

from clew.condense.wires import wire
from clew.serve.proxy.window_cut import fitted, with_instructions
from clew.text.counters import counter
from tests.support.memories import quiet

pytestmark = pytest.mark.requirement("DOOR-SYSTEM-01")

Message = dict[str, Any]
ANTHROPIC = wire("anthropic")


def told() -> Message:
    return {"role": "system", "content": [{"type": "text", "text": "Agents: none."}]}


def agents_turns(count: int, *, words: bool) -> list[Message]:
    """Turns of an agent: a question, three calls with their results, the answer; the program tells things between."""
    found: list[Message] = []
    for turn in range(count):
        found += [{"role": "user", "content": f"Question {turn}: " + "why? " * 200}, told()]
        for call in range(3):
            use = {"type": "tool_use", "id": f"t{turn}.{call}", "name": "Read", "input": {"path": "a.py"}}
            given = {"type": "tool_result", "tool_use_id": f"t{turn}.{call}", "content": "line\n" * 2000}
            said = [{"type": "text", "text": "I read."}] if words else []
            found += [{"role": "assistant", "content": [*said, use]}, {"role": "user", "content": [given]}]
            found += [told()] if call == 1 else []
        found.append({"role": "assistant", "content": "Done."})
    return [*found, {"role": "user", "content": "And now?"}, told()]


@pytest.mark.parametrize(
    "roles", [["system"], ["user", "assistant", "system"], ["user", "system", "user"], ["user", "system", "system"]]
)
def test_elsewhere_the_provider_would_refuse_it(roles: list[str]) -> None:
    assert ANTHROPIC.problems([{"role": role, "content": "Hm."} for role in roles])


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("protected", [1, 2, 3, 6, 9])
def test_collapsed_chains_leave_it_valid(protected: int, words: bool) -> None:
    given = agents_turns(5, words=words)
    assert ANTHROPIC.problems(given) == []
    with quiet() as memory:
        short = memory.collapse(given, "anthropic", protected=protected)
        assert len(str(short)) < len(str(given))
        assert ANTHROPIC.problems(short) == []
        assert memory.collapse(short, "anthropic", protected=protected) == short


@pytest.mark.parametrize("room", [100, 1000, 5000, 20_000])
def test_a_cut_list_is_valid(room: int) -> None:
    cut = fitted(agents_turns(8, words=False), ANTHROPIC, room, counter())
    assert ANTHROPIC.problems(cut) == []
    assert "Agents: none." in str(cut)


def test_dropped_instructions_stand_behind_the_first_question_that_is_left() -> None:
    effort: Message = {"role": "system", "content": [], "output_config": {"effort": "low"}}
    marked = {
        "role": "system",
        "content": [{"type": "text", "text": "Shell: bash.", "cache_control": {"type": "ephemeral"}}],
    }
    asked: Message = {"role": "user", "content": "Why?"}
    said: Message = {"role": "assistant", "content": "So."}
    bash, agents = {"type": "text", "text": "Shell: bash."}, {"type": "text", "text": "Agents: none."}
    for left, wanted in (
        ([asked, said], [asked, {**effort, "content": [bash]}, said]),
        ([asked], [asked, {**effort, "content": [bash]}]),
        ([asked, asked, told(), said], [asked, asked, {**effort, "content": [bash, agents]}, said]),
    ):
        assert with_instructions([asked, marked, said, asked, effort, said], left, ANTHROPIC) == wanted
    assert with_instructions([asked, said], [asked], ANTHROPIC) == [asked]
    assert with_instructions([told()], [asked], wire("openai")) == [asked]
