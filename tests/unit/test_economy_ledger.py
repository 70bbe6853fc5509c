"""The ledger: rows of requests, and their totals by session, day and model."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from clew.serve.proxy.economy.cache_model import CacheUse
from clew.serve.proxy.economy.decide import Choice, Decision
from clew.serve.proxy.economy.ledger import CostLedger, Passed, Spent, ledger_of, read_ledger, record, row_of
from clew.serve.proxy.economy.prices import Price, price_list
from clew.serve.proxy.economy.way_chooser import Prospect
from clew.serve.proxy.exchange import TokenUsage
from clew.store.memory import MemoryStore
from tests.support.memories import quiet, told

PRICE = price_list().price("claude-opus-4-1")
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def decision(*, cost: float | None = 4000.0, without: float | None = 3000.0) -> Decision:
    use = CacheUse(read=1000, written=200, missed=100)
    return Decision(
        Choice.TAIL,
        inject=True,
        rewrite=False,
        retire=False,
        reason="the block stands behind everything that is cached",
        prospect=Prospect(use, cost or 0.0, 1000.0, 0.0),
        plain=CacheUse(read=1000, written=200),
        cost=cost,
        cost_without=without,
        later=None,
        own_tokens=100,
    )


def passed(number: int = 0, **changes: object) -> Passed:
    given = {
        "id": str(number),
        "at": NOON + timedelta(hours=number),
        "wire": "anthropic",
        "model": "claude-opus-4-1",
        "client": "claude-code",
        "session": "s",
        "decision": decision(),
        "usage": TokenUsage(input=2600, cached=2000, written=400, output=50),
        **changes,
    }
    return Passed(**given)  # type: ignore[arg-type]  # the fields by name


@pytest.mark.requirement("P-ECO-13")
def test_a_row_holds_predicted_and_reported_tokens_and_the_difference_in_the_providers_tokens() -> None:
    row = row_of("default", passed(), PRICE)
    assert (row.predicted_cached, row.predicted_written, row.block_tokens, row.tokens) == (1000, 200, 100, 1200)
    assert (row.input, row.cached, row.written, row.output) == (2600, 2000, 400, 50)
    cost = 2000 * 1.5 + 400 * 18.75 + 200 * 15 + 50 * 75
    assert row.cost_with == cost
    assert row.cost_without == cost - (4000 - 3000) * 2  # the provider counts twice as many tokens
    assert (row.decision, row.reason) == ("tail", "the block stands behind everything that is cached")


@pytest.mark.requirement("P-ECO-13")
def test_usage_that_is_not_reported_is_taken_as_predicted() -> None:
    row = row_of("default", passed(usage=TokenUsage(output=10)), PRICE)
    assert (row.cost_with, row.cost_without) == (4000 + 750, 3000 + 750)
    assert row.input is None


@pytest.mark.requirement("P-ECO-13")
def test_what_was_only_forwarded_costs_what_it_costs() -> None:
    row = row_of("default", passed(decision=None, failed="StoreError"), PRICE)
    assert row.cost_with == row.cost_without == 2000 * 1.5 + 400 * 18.75 + 200 * 15 + 50 * 75
    assert (row.decision, row.failed, row.tokens) == ("", "StoreError", None)


@pytest.mark.requirement("P-ECO-11", "P-ECO-13")
def test_an_unknown_model_has_tokens_and_no_money() -> None:
    row = row_of("default", passed(decision=decision(cost=None, without=None)), None)
    assert (row.cost_with, row.cost_without) == (None, None)
    total = ledger_of([row]).total
    assert (total.cost, total.saved, total.unpriced, total.input) == (0.0, 0.0, 1, 2600)


@pytest.mark.requirement("P-ECO-13")
def test_a_request_that_the_model_would_not_have_taken_is_compared_with_nothing() -> None:
    row = row_of("default", passed(decision=decision(without=None)), PRICE)
    assert row.cost_with is not None
    assert row.cost_without is None
    total = ledger_of([row]).total
    assert total.cost > 0
    assert (total.cost_without, total.saved) == (0.0, 0.0)


@pytest.mark.requirement("P-ECO-13")
@pytest.mark.parametrize("price", [PRICE, None])
def test_a_request_that_was_refused_costs_nothing_and_counts_as_failed(price: Price | None) -> None:
    row = row_of("default", passed(usage=TokenUsage(), refused="status 429"), price)
    assert (row.cost_with, row.cost_without, row.block_tokens, row.predicted_written) == (0, 0, 0, None)
    total = ledger_of([row]).total
    assert (total.cost, total.saved, total.unpriced, total.failed, total.requests) == (0.0, 0.0, 0, 1, 1)


@pytest.mark.requirement("P-ECO-14")
def test_totals_are_by_session_day_and_model() -> None:
    rows = [
        row_of("default", passed(0), PRICE),
        row_of("default", passed(13, session="t"), PRICE),
        row_of("default", passed(14, model="llama", decision=None, session=None), None),
    ]
    found = ledger_of(rows)
    assert [(each.name, each.requests) for each in found.days] == [("2026-11-24", 2), ("2026-11-23", 1)]
    assert [each.name for each in found.sessions] == ["", "t", "s"]
    assert [(each.name, each.requests, each.unpriced) for each in found.models] == [
        ("claude-opus-4-1", 2, 0),
        ("llama", 1, 1),
    ]
    assert found.total.requests == 3
    assert found.total.saved == pytest.approx(-2 * 2000 / 1e6)
    assert found.total.cost_without == pytest.approx(found.total.cost + found.total.saved)
    assert CostLedger.from_dict(found.to_dict()) == found


@pytest.mark.requirement("P-ECO-13")
def test_rows_are_kept_and_read_back_by_session_and_time() -> None:
    store = MemoryStore()
    for number in range(4):
        record(store, "default", passed(number, session="s" if number % 2 else "t"), PRICE)
    record(store, "other", passed(9), PRICE)
    with store.snapshot() as reader:
        assert read_ledger(reader, "default").total.requests == 4
        assert read_ledger(reader, "default", session="s").total.requests == 2
        assert read_ledger(reader, "default", since=NOON + timedelta(hours=2)).total.requests == 2
        assert read_ledger(reader, "default", session="s", since=NOON + timedelta(hours=2)).total.requests == 1
        assert read_ledger(reader, "empty") == CostLedger(total=Spent(), sessions=(), days=(), models=())


@pytest.mark.requirement("P-ECO-13")
def test_no_row_is_kept_of_a_session_or_a_space_that_is_paused(tmp_path: Path) -> None:
    with quiet(tmp_path) as memory:
        store, space = memory.reads.store, memory.space
        memory.pause("s")
        record(store, space, passed(0, session="s"), PRICE)
        record(store, space, passed(1, session="t"), PRICE)
        memory.resume("s")
        memory.pause()
        record(store, space, passed(2, session="t"), PRICE)
        record(store, space, passed(3, session=None), PRICE)
        with store.snapshot() as reader:
            found = read_ledger(reader, space)
        assert [each.name for each in found.sessions] == ["t"]
        assert found.total.requests == 1


@pytest.mark.requirement("P-ECO-24")
def test_a_forgotten_session_is_not_named_and_what_it_cost_still_counts(tmp_path: Path) -> None:
    with quiet(tmp_path) as memory:
        store, space = memory.reads.store, memory.space
        memory.add_many([told("hello", "talk about tea"), told("hello", "s"), told("bye", "s")])
        for number, session in enumerate(("talk about tea", "s", "s")):
            record(store, space, passed(number, session=session), PRICE)
        with store.snapshot() as reader:
            before = read_ledger(reader, space)
        memory.forget(session="talk about tea")
        memory.forget(session="s", match="bye")
        with store.snapshot() as reader:
            after = read_ledger(reader, space)
        assert (after.total, after.days, after.models) == (before.total, before.days, before.models)
        assert {(each.name, each.requests) for each in after.sessions} == {("", 1), ("s", 2)}
