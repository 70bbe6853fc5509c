"""`clew facts`, `history` and `correct` on a home of their own."""

from pathlib import Path

import pytest

from clew.types.ids import cut_session
from tests.support.cli_runs import done, record, records, run

MOVES = (("I live in Porto.", "2025-04-01"), ("I moved to Lisbon.", "2025-04-09"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for text, day in MOVES:
        done("add", text, "--role", "user", "--speaker", "Ann", "--at", day, "--home", tmp_path)
    return tmp_path


def objects(home: Path, *words: str) -> list[str]:
    return [each["object"] for each in records("facts", "--home", home, *words)]


@pytest.mark.requirement("K-KEEP-19")
@pytest.mark.parametrize(
    ("when", "expected"),
    [("2025-04-01", ["Porto"]), ("April 5, 2025", ["Porto"]), ("February 2025", []), ("last week", ["Lisbon"])],
)
def test_facts_as_of_a_time_in_words(home: Path, when: str, expected: list[str]) -> None:
    assert objects(home, "--as-of", when) == expected
    assert objects(home, "--known-at", when) == expected


@pytest.mark.requirement("K-KEEP-19")
def test_words_that_name_no_time_are_repeated(home: Path) -> None:
    failed = run("facts", "--as-of", "lasst week", "--home", home)
    assert failed.exit_code == 2
    assert "as_of 'lasst week' names no time" in failed.stderr


@pytest.mark.requirement("F-PROJ-01")
def test_a_history_of_more_facts_than_the_limit_ends_with_the_latest(home: Path) -> None:
    assert [each["object"] for each in records("history", "Ann", "--home", home)] == ["Porto", "Lisbon"]
    assert [each["object"] for each in records("history", "Ann", "--limit", "1", "--home", home)] == ["Lisbon"]
    assert "1 earlier; --limit shows them" in run("history", "Ann", "--limit", "1", "--home", home).stderr


@pytest.mark.requirement("K-KEEP-20")
def test_a_fact_is_corrected_on_the_command_line_and_the_correction_taken_back(home: Path) -> None:
    (fact,) = records("facts", "--home", home)
    told = done("correct", fact["id"], "Braga", "--home", home)
    assert objects(home) == ["Braga"]
    done("forget", told.split("`")[1].split()[-1], "--yes", "--home", home)
    assert objects(home) == ["Lisbon"]
    assert record("correct", fact["id"], "--ended", "--home", home)["turn"].startswith("corrections:")
    assert objects(home) == []


@pytest.mark.requirement("K-KEEP-40")
def test_forgetting_what_was_corrected_names_the_correction(home: Path) -> None:
    (fact,) = records("facts", "--home", home)
    done("correct", fact["id"], "Braga", "--home", home)
    told = run("forget", *fact["sources"], "--yes", "--home", home).stderr
    assert "A correction of a fact repeats what was said; `clew forget corrections:turn:0` deletes that, too" in told
    assert "repeat" not in run("forget", "corrections:turn:0", "--yes", "--home", home).stderr


@pytest.mark.requirement("K-KEEP-20")
@pytest.mark.parametrize("words", [(), ("Braga", "--ended"), ("--ended", "--never")])
def test_a_correction_says_one_thing(home: Path, words: tuple[str, ...]) -> None:
    failed = run("correct", "default:turn:1:fact:0", *words, "--home", home)
    assert failed.exit_code == 2
    assert "Give what is right, or --ended, or --never." in failed.stderr


@pytest.mark.requirement("K-KEEP-21")
def test_no_line_is_folded_where_no_terminal_is_wide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    session = "a-session-with-a-name-that-is-far-longer-than-a-screen-is-wide-" * 2
    done("add", "I live in Porto.", "--session", session, "--speaker", "Ann", "--role", "user", "--home", tmp_path)
    (line,) = done("facts", "--home", tmp_path).splitlines()
    assert line.endswith(f"  {session}:turn:0:fact:0")
    assert cut_session(session) in done("sessions", "--home", tmp_path)
    assert not any(each.endswith(" ") for each in done("stats", "--home", tmp_path).splitlines())


@pytest.mark.requirement("K-KEEP-19")
def test_what_happened_at_an_unknown_time_is_dated_by_when_it_was_told(home: Path) -> None:
    done("add", "I bought a red kayak.", "--speaker", "Ann", "--role", "user", "--at", "2025-04-20", "--home", home)
    (line,) = done("facts", "--object", "kayak", "--home", home).splitlines()
    assert line.split()[:3] == ["happened", "by", "2025-04-20"]


@pytest.mark.requirement("U-FOUND-05")
def test_a_narrow_terminal_shows_facts_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    done("add", "I moved to Lisbon in March 2024.", "--speaker", "Ann", "--home", home)
    done("work", "--once", "--home", home)
    monkeypatch.setenv("COLUMNS", "20")
    assert "Lisbon" in done("facts", "--home", home)
