"""Properties of the model interface for any answer and any order of calls."""

import json
import math
from contextlib import suppress
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew.derive.llm.task_queue import joined, newest_gap
from clew.errors import BudgetExceeded, ModelError
from clew.models.budget import Budget, Usage
from clew.models.json_answers import read_value
from clew.models.prompt import Completion
from clew.models.schema import problem
from clew.rows.spend_ledger import Hold, Ledger, read_ledger
from clew.testing import FrozenClock
from tests.support.effort import examples
from tests.support.memories import NOON, empty_store

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "boolean"}, "b": {"type": "array", "items": {"type": "number"}}},
    "required": ["a"],
}
LIMIT = 1_000


@pytest.mark.requirement("W-LLM-04")
@given(JSON)
def test_any_value_fits_a_schema_or_not(value: Any) -> None:
    fits = isinstance(value, dict) and isinstance(value.get("a"), bool) and set(value) <= {"a", "b"}
    if fits and "b" in value:
        numbers = value["b"] if isinstance(value["b"], list) else [None]
        fits = all(isinstance(each, int | float) and not isinstance(each, bool) for each in numbers)
        fits = fits and not any(isinstance(each, float) and math.isnan(each) for each in numbers)
    assert (problem(value, SCHEMA) is None) == fits


@pytest.mark.requirement("W-LLM-04")
@given(st.text() | JSON.map(json.dumps), st.text(alphabet='{}[]":,ab truefals0123\n`', max_size=60))
def test_any_answer_gives_a_fitting_value_or_a_model_error(text: str, around: str) -> None:
    with suppress(ModelError):  # there is none, or more than one
        assert problem(read_value(Completion(around + text + around, None, None, "m"), SCHEMA), SCHEMA) is None


@pytest.mark.requirement("W-LLM-08")
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 8))), st.integers(-1, 70))
def test_spans_hold_what_was_put_in_and_gaps_the_rest(parts: list[tuple[int, int]], top: int) -> None:
    done: list[tuple[int, int]] = []
    for low, more in parts:
        done = joined(done, low, low + more)
    held = {at for low, more in parts for at in range(low, low + more + 1)}
    assert [at for low, high in done for at in range(low, high + 1)] == sorted(held)
    assert all(high + 1 < low for (_, high), (low, _) in pairwise(done))
    found: set[int] = set()
    while (gap := newest_gap(done, top)) is not None:
        assert not found or gap[1] < min(found)
        found |= set(range(gap[0], gap[1] + 1))
        done = joined(done, *gap)
    assert found == set(range(top + 1)) - held


AMOUNTS = st.integers(0, 400)
CALLS = st.tuples(AMOUNTS, AMOUNTS, AMOUNTS, st.floats(0, 1), st.booleans())


@pytest.mark.requirement("W-LLM-06")
@settings(max_examples=examples(12, 100))
@example([(400, 400, 0, 1.0, False), 3, (1, 1, 0, 1.0, False), None])  # it ends when it was booked as lost already
@given(st.lists(st.one_of(CALLS, st.integers(-2, 3), st.none()), max_size=40))
def test_no_day_exceeds_its_budget(story: list[Any]) -> None:
    """Calls begin and end in any order, some never end, and the clock jumps over days, back and forth."""
    store, clock = empty_store(), FrozenClock(NOON)
    book = Ledger(store, "default", clock, Budget(LIMIT, LIMIT))
    open_calls: list[tuple[Hold, float]] = []
    for step in story:
        if isinstance(step, int):
            clock.advance(timedelta(days=step).total_seconds())
        elif step is None:
            if open_calls:
                hold, share = open_calls.pop(0)
                worst = hold.worst
                spent = Usage(int(worst.tokens_in * share), int(worst.tokens_out * share), int(worst.micros * share))
                store.transaction(lambda tx, h=hold, s=spent: book.settle(tx, h, s, failed=False))  # type: ignore[misc]  # mypy cannot infer a lambda with defaults
        else:
            read, wrote, micros, share, killed = step
            with suppress(BudgetExceeded):  # it does not fit, and nothing was set aside
                hold = book.reserve("m", "p", Usage(read, wrote, micros))
                if not killed:
                    open_calls.append((hold, share))
        with store.snapshot() as reader:
            for row in read_ledger(reader, "default"):
                assert row["tokens_in"] + row["tokens_out"] + row["reserved_tokens"] <= LIMIT
                assert round(1e6 * (row["cost"] + row["reserved_cost"])) <= LIMIT
