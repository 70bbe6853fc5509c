"""Tools' long results: they cost what is shown of them, and are shown by the passage that matches."""

import pytest

from clew.assemble.candidate_renderings import renderings, renderings_of_result
from clew.assemble.render import Evidence
from clew.types import Part, Turn
from tests.support.memories import quiet, told

pytestmark = pytest.mark.requirement("F-THIRTY-03")


def listing(lines: int) -> str:
    return "\n".join(f"func step{n}(tide int) bool {{ return gauge{n} > {n} }}" for n in range(lines))


def cost(turn: Turn) -> float:
    with quiet() as memory:
        memory.add_many([told("Why is the quay slow?", role="user"), turn])
        memory.drain()
        return next(hit for hit in memory.ranked("gauge7", limit=2) if "gauge7" in hit.turn.text).signals["cost"]


def test_a_long_result_costs_what_is_shown_of_it_and_other_turns_all_that_they_have() -> None:
    def result(lines: int) -> Turn:
        return Turn(role="tool", session="s", content=(Part(type="tool_result", text=listing(lines)),))

    assert cost(result(60)) == cost(result(400)) < cost(result(10))
    assert cost(told(listing(400), role="assistant")) < cost(told(listing(40), role="assistant"))


def test_of_a_long_result_passages_are_short_and_cost_what_they_are_worth() -> None:
    text = listing(200)
    spans = [(start, min(len(text), start + 480)) for start in range(0, len(text), 480)]
    scores = [float(number == 7) for number in range(len(spans))]
    whole = Evidence.of(told(text), text, "full")
    assert [len(each.pieces) for each in renderings(whole, text, spans, scores)] == [0, 8, 4, 2, 1, 0]
    of_result = renderings_of_result(whole, text, spans, scores)
    assert [len(each.pieces) for each in of_result] == [0, 2, 1, 0]
    two, one = of_result[1:3]
    assert one.share / len(one.text) == pytest.approx(two.share / len(two.text))
