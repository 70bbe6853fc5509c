"""`clew when` on a conversation of its own home."""

import re
from pathlib import Path
from shutil import copytree

import pytest

from tests.support.cli_runs import done, failure, record, run


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, imported_sample: Path) -> Path:
    """A home that holds the sample conversation; nothing here changes it but for receipts."""
    place = tmp_path_factory.mktemp("sample") / "home"
    copytree(imported_sample, place)
    return place


@pytest.mark.requirement("F-TIME-11")
def test_a_time_is_told_as_text_and_as_json(home: Path) -> None:
    shown = run("when", "what did we talk about in March 2025?", "--home", home, "--budget", "300")
    assert shown.stdout.startswith("<clew-memory>")
    assert shown.stdout.endswith("</clew-memory>")
    assert "window_overview of 101 turns, from 2025-03-01 00:00 to 2025-04-01 00:00" in " ".join(shown.stderr.split())
    found = record("when", "--since", "March 2025", "--until", "2025-03-31", "--home", home, "--budget", "300")
    assert found["text"] == shown.stdout
    assert found["mode"] == "window_overview"
    empty = run("when", "--since", "2031-01-01", "--home", home)
    assert (empty.stdout, empty.exit_code) == ("", 0)
    assert "nothing was found;" in empty.stderr
    assert "lines left out" not in empty.stderr


@pytest.mark.requirement("F-TIME-11")
def test_a_budget_that_holds_nothing_is_told_as_that(home: Path) -> None:
    shown = run("when", "what did we talk about in March 2025?", "--home", home, "--budget", "0")
    assert (shown.stdout, shown.exit_code) == ("", 0)
    assert "nothing fits into 0 tokens; raise --budget" in " ".join(shown.stderr.split())


@pytest.mark.requirement("F-TIME-11")
@pytest.mark.parametrize(
    ("left_out", "days"),
    [("in March 2025", "2025-03-01 to 2025-03-31"), ("on 12 March 2025", "2025-03-12")],
)
def test_what_is_left_out_is_told_by_its_first_and_last_day(home: Path, left_out: str, days: str) -> None:
    shown = run("when", f"what did we talk about in spring 2025, but not {left_out}?", "--home", home)
    assert re.search(rf" without {days}[:( ]", " ".join(shown.stderr.split())), shown.stderr


@pytest.mark.requirement("F-TIME-11")
def test_a_conversation_that_is_over_counts_from_its_own_end(home: Path) -> None:
    found = run("when", "what did we talk about last week?", "--home", home)
    assert "counted from the conversation's last day, 2025-10-02" in " ".join(found.stderr.split())
    assert "2025-09-25" in found.stdout


@pytest.mark.requirement("F-TIME-12", "F-RECEIPT-04")
def test_what_was_told_of_a_time_is_explained_and_compared(home: Path) -> None:
    found = record("when", "how has the backup changed?", "--home", home, "--budget", "300")
    page = " ".join(done("explain", "last", "--home", home).split())
    assert "period change_over_time (chosen by auto); 533 turns in the period" in page
    assert "lexical" in page
    assert record("explain", found["receipt_id"], "--home", home)["kind"] == "when"
    said = run("when", "--since", "March 2025", "--until", "April 2025", "--home", home, "--budget", "300")
    assert "`clew explain r" in said.stderr
    page = " ".join(done("explain", "last", "--home", home).split())
    assert "window_overview (chosen by auto), since 'March 2025', until 'April 2025';" in page
    assert "beat of" in page or "chapter of" in page
    wide = record("when", "how has the backup changed?", "--home", home, "--budget", "500")["receipt_id"]
    compared = record("explain", "--diff", found["receipt_id"], wide, "--home", home)
    assert compared["settings"] == {"budget": [300, 500]}
    assert "entered" in {each["kind"] for each in compared["turns"]}
    asked = ("when", "--since", "March 2025", "--home", home, "--budget")
    overviews = [record(*asked, budget)["receipt_id"] for budget in ("300", "600")]
    page = done("explain", "--diff", *overviews, "--home", home)
    assert ":chapter:" in page or ":beat:" in page


@pytest.mark.requirement("F-TIME-11")
def test_what_is_no_time_is_refused_in_one_line(home: Path) -> None:
    assert "names no time" in failure(2, "when", "--since", "Redis", "--home", home)
    assert "before it starts" in failure(2, "when", "--since", "2025-05-01", "--until", "2025-04-01", "--home", home)
    assert "Invalid value" in failure(2, "when", "--mode", "later", "--home", home)
