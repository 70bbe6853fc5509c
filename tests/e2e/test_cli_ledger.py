"""`clew ledger`: what requests through the proxy cost."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from clew import Memory, Turn
from clew.serve.proxy.economy.ledger import Passed, record
from clew.serve.proxy.economy.prices import price_list
from clew.serve.proxy.exchange import TokenUsage
from tests.support.cli_runs import done, records, run

pytestmark = pytest.mark.usefixtures("tmp_home")


@pytest.fixture
def requests(tmp_home: Path) -> Path:
    home = tmp_home / "home"
    with Memory.open(home, embedder="none") as memory:
        memory.add(Turn(role="user", content="Which port?", session="api"))
        for number, model in enumerate(("claude-opus-4-1", "claude-opus-4-1", "llama3")):
            passed = Passed(
                id=str(number),
                at=datetime(2026, 11, 20 + number, tzinfo=UTC),
                wire="anthropic",
                model=model,
                session="api" if number else None,
                usage=TokenUsage(input=1000, cached=800, written=100, output=20),
                failed="StoreError" if number == 1 else None,
            )
            record(memory.reads.store, memory.space, passed, price_list().price(model))
    return home


@pytest.mark.requirement("P-ECO-14")
def test_totals_are_printed_and_given_as_json(requests: Path) -> None:
    shown = done("ledger", "--home", requests)
    for word in ("2026-11-22", "claude-opus-4-1", "llama3", "api", "3,000", "2,400", "$0.0"):
        assert word in shown
    (found,) = records("ledger", "--home", requests, "--json")
    assert found["total"]["requests"] == 3
    assert found["total"]["unpriced"] == 1
    assert [each["name"] for each in found["days"]] == ["2026-11-22", "2026-11-21", "2026-11-20"]
    (found,) = records("ledger", "--home", requests, "--session", "api", "--since", "2026-11-22", "--json")
    assert found["total"]["requests"] == 1


@pytest.mark.requirement("P-ECO-14")
def test_large_figures_stand_below_their_titles_in_80_columns(tmp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    model, home = "claude-opus-4-1-20250805", tmp_home / "home"
    with Memory.open(home, embedder="none") as memory:
        memory.add(Turn(role="user", content="Which port?", session="api"))
        usage = TokenUsage(input=183_456_789, cached=170_123_456, written=9_999_999, output=99_960)
        passed = Passed(id="1", at=datetime(2026, 11, 20, tzinfo=UTC), wire="anthropic", model=model, usage=usage)
        record(memory.reads.store, memory.space, passed, price_list().price(model))
    lines = done("ledger", "--home", home).splitlines()
    titles = "reqs input cached pred. written output added cost saved".split()
    assert [line.split()[1:] for line in lines if "reqs" in line] == [titles] * 4
    assert max(len(line) for line in lines) <= 80
    figures = [line.split()[1:] for line in lines if "183M" in line]
    assert figures == [["1", "183M", "170M", "0", "10.0M", "100k", "0", "$500.18", "$0.0000"]] * 4
    assert lines[-1].index("183M") + 4 == lines[-2].index("input") + 5


@pytest.mark.requirement("P-ECO-14")
def test_what_is_not_priced_and_what_failed_is_said(requests: Path) -> None:
    result = run("ledger", "--home", requests)
    assert "1 request without a known price; 1 request failed, or forwarded unchanged" in result.stderr


@pytest.mark.requirement("P-ECO-14")
def test_an_empty_ledger_says_so(tmp_home: Path) -> None:
    done("add", "hello", "--home", tmp_home / "new")
    result = run("ledger", "--home", tmp_home / "new")
    assert result.exit_code == 0
    assert "No request has passed through the proxy yet" in result.stderr
