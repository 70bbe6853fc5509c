"""`clew explain --diff`, and what `clew explain` says of shortened items and near misses, as people read it."""

from pathlib import Path
from shutil import copytree

import pytest

from tests.support.cli_runs import done, failure, record
from tests.support.memories import quiet, told

FILLER = "Nothing of note was said about anything else at all. " * 8
LONG = f"About the cellar.\n\n{FILLER}\n\nThe red wine stands behind the door of the cellar.\n\n{FILLER}"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one long turn about wine and some short ones; to be copied."""
    home = tmp_path_factory.mktemp("filled") / "home"
    done("add", LONG, "--session", "s", "--home", home)
    for number in range(8):
        done("add", f"Guest {number} likes red wine.", "--session", "s", "--home", home)
    return home


@pytest.fixture
def home(tmp_home: Path, filled: Path) -> Path:
    copytree(filled, tmp_home / ".clew")
    return tmp_home


@pytest.mark.requirement("F-RECEIPT-04")
def test_two_receipts_are_compared(home: Path) -> None:
    small = record("recall", "Who likes red wine?", "--budget", "60")["receipt_id"]
    large = record("recall", "Who likes red wine?", "--budget", "150")["receipt_id"]
    found = record("explain", "--diff", small, large)
    assert (found["first"], found["second"]) == (small, large)
    assert found["settings"] == {"budget": [60, 150]}
    assert {each["kind"] for each in found["turns"]} == {"entered"}
    page = done("explain", "--diff", small, large)
    assert "budget" in page
    assert "60 -> 150" in page
    assert "no signal: the budget" in page
    for each in found["turns"]:
        assert each["turn_id"] in page
    assert "No turn was added, removed or moved." in done("explain", "--diff", large, "last")


@pytest.mark.requirement("F-PLACE-04")
def test_where_a_question_pointed_is_shown(home: Path) -> None:
    done("recall", "What of the red wine, two turns ago, since we bought a horse?")
    page = " ".join(done("explain").split())
    assert "places: 'two turns ago' (s:turn:5 to 7), 'since we bought a horse' (not found)" in page


@pytest.mark.requirement("F-RECEIPT-04")
def test_a_signal_that_moved_a_turn_is_named(home: Path) -> None:
    plain = record("recall", "red wine", "--budget", "120")["receipt_id"]
    quoted = record("recall", 'red wine "Guest 7 likes"', "--budget", "120")["receipt_id"]
    found = record("explain", "--diff", plain, quoted)
    (seventh,) = [each for each in found["turns"] if each["turn_id"] == "s:turn:8"]
    assert seventh["after"] == 1
    assert seventh["signal"] in ("quote", "lexical", "exact")
    assert f"{seventh['signal']} {seventh['share']:+.2f}" in done("explain", "--diff", plain, quoted)


@pytest.mark.requirement("F-RECEIPT-04", "F-CLI-03")
def test_an_unknown_receipt_to_compare_with_is_an_error(home: Path) -> None:
    done("recall", "red wine")
    assert "no receipt 'r0'" in failure(1, "explain", "--diff", "r0", "last")
    assert "--full cannot be combined" in failure(2, "explain", "--diff", "last", "last", "--full")


@pytest.mark.requirement("F-PACK-04", "F-RECEIPT-02", "F-RECEIPT-03")
def test_explain_says_how_an_item_is_shown_and_its_place_by_each_signal(home: Path) -> None:
    context = record("recall", "Who put the red wine behind the door of the cellar?", "--budget", "240")
    assert "pieces" in [item["rendering"] for item in context["items"]]
    page = " ".join(done("explain", context["receipt_id"], "--full").split())
    assert "rank by each signal alone: lexical 1" in page
    assert "shown as pieces; in full: clew restore s:turn:0" in page
    done("recall", "Who likes red wine?", "--budget", "60")
    page = done("explain", "last", "--full")
    assert page.count("rank by each signal alone: ") >= 8


@pytest.mark.requirement("S-LINE-03")
def test_explain_says_first_what_matters(home: Path) -> None:
    with quiet(home / ".clew") as memory:
        memory.add_many(told(f"Guest {number} likes red wine.") for number in range(8, 40))
    made = record("recall", "Who likes red wine?", "--budget", "300")
    receipt = record("explain", "last")
    assert record("explain") == receipt
    short, full = done("explain", "last"), done("explain", "last", "--full")
    assert len(receipt["chosen"]) > 10
    assert len(receipt["omitted"]) > 3
    assert f"{len(receipt['chosen']) - 10} more chosen, {len(receipt['omitted']) - 3} more left out." in short
    assert f"clew explain {made['receipt_id']} --full" in short
    best = min(receipt["chosen"], key=lambda row: row["rank"])["signals"]
    added = sorted(best, key=lambda name: -best[name])
    assert f"{added[0]} {best[added[0]]:+.2f}" in short
    assert "cost -" not in short
    assert "rank by each signal alone" not in short
    assert "cost -" in full
    for row in (*receipt["chosen"], *receipt["omitted"]):
        assert row["turn_ids"][0] in full
    assert 3 * short.count("\n") < full.count("\n")


@pytest.mark.requirement("F-CONDENSE-26", "F-RECEIPT-04")
def test_a_compaction_is_explained_and_compared(home: Path) -> None:
    done("condense", "s", "--force")
    made = record("explain", "last")
    assert made["kind"] == "condense"
    page = " ".join(done("explain", made["id"], "--full").split())
    assert f"session s receipt {made['id']}" in page
    assert f"up to turn {made['understood']['last']}" in page
    assert f"{made['understood']['tokens_before']:,} before, {made['understood']['tokens_after']:,} after" in page
    for name, count in made["understood"]["classes"].items():
        assert f"{count} {name}" in page
    for row in (*made["chosen"], *made["omitted"]):
        assert row["turn_ids"][0] in page
    assert all(row["reason"].split(";")[0] in page for row in made["omitted"])
    asked = record("recall", "red wine")["receipt_id"]
    assert "from" in done("explain", "--diff", asked, made["id"])
    assert "from" in done("explain", "--diff", made["id"], asked)
