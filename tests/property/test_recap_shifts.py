"""The recap of any session keeps its budget exactly, and names every paradigm shift by its turn."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.condense.material import Mark, RecapTurn
from clew.condense.mode import Mode
from clew.condense.recap import BUDGET, RecapSource, compose_recap
from clew.text.counters import counter
from tests.support.effort import examples

_PROSE = st.sampled_from(
    [
        "",
        "ok",
        "We decided to keep the carts in Redis, since two workers lost updates.",
        "TypeError: generate is not a function, in src/shop/pool.py:88, after 1098 ms.",
        "The reader shall never see two prices. " * 12,
        "x" * 700,
        "\u6211\u4eec\u51b3\u5b9a\u628a\u8d2d\u7269\u8f66\u653e\u5728\u6570\u636e\u5e93\u91cc\u3002" * 9,
    ]
)
_TURNS = st.lists(
    st.tuples(
        _PROSE, st.booleans(), st.floats(1, 10), st.sampled_from(["user", "assistant", "tool"]), st.integers(0, 3)
    ),
    min_size=1,
    max_size=40,
)


def read(told: list[tuple[str, bool, float, str, int]], times: int) -> list[RecapTurn]:
    return [
        RecapTurn(
            seq=seq,
            role=role,
            origin=role,
            speaker=None,
            at=None,
            prose=prose,
            marks=tuple(Mark("path", f"src/part_{seq}_{number}.py") for number in range(paths)),
            calls=() if role != "assistant" or paths else ("Bash(npm test)",),
            results=("Read(src/app.py)",) if role == "tool" else (),
            characters=len(prose),
            importance=importance,
            is_shift=shift,
        )
        for seq, (prose, shift, importance, role, paths) in enumerate(told * times)
    ]


@given(told=_TURNS, times=st.integers(1, 12), budget=st.one_of(st.just(BUDGET), st.integers(0, 6_000)))
@settings(deadline=None, max_examples=examples(9, 150))
@pytest.mark.parametrize("style", ["quest", "chat"])
@pytest.mark.parametrize("name", ["estimate", "anthropic/classes"])
@pytest.mark.requirement("F-SIGMAVIEW-09")
def test_every_shift_is_named_within_the_exact_budget(
    style: Mode, name: str, told: list[tuple[str, bool, float, str, int]], times: int, budget: int
) -> None:
    turns, count = read(told, times), counter(name)
    made = compose_recap(RecapSource("s", turns), count, budget=budget, style=style)
    assert count(made.text) == made.tokens <= budget
    assert made == compose_recap(RecapSource("s", turns), count, budget=budget, style=style)
    shifts = [turn.seq for turn in turns if turn.is_shift]
    if count(" ".join(f"#{seq}" for seq in shifts)) <= 0.2 * budget - 60:
        named = set(map(int, re.findall(r"#(\d+)", made.text)))
        assert set(shifts) <= named
        assert set(shifts) <= set(made.shown)


@pytest.mark.requirement("F-SIGMAVIEW-09")
def test_fifty_shifts_have_a_line_each() -> None:
    told = [
        ("We decided to keep the carts in Redis, since two workers lost updates.", place % 10 == 0, 8.0, "user", 1)
        for place in range(500)
    ]
    made = compose_recap(RecapSource("s", read(told, 1)), counter(), style="quest")
    lines = re.findall(r"^- \[#(\d+)\] User: We decided", made.text.partition("### Turning points")[2], re.MULTILINE)
    assert "**Goal** [#0]: We decided" in made.text
    assert {int(seq) for seq in lines} >= set(range(10, 500, 10))
    assert made.tokens <= BUDGET
