"""`clew stats`, `export`, `verify`, `rebuild`, `work`, `forget` and `config`, as people use them."""

import sqlite3
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

from clew.cli.keep import left_over
from clew.config import SETTINGS
from clew.memory import Memory
from clew.types import Turn
from tests.house.tree import ROOT
from tests.support.cli_runs import Terminal, done, failure, record, records, run
from tests.support.llm_servers import answer, llm_server

pytestmark = pytest.mark.usefixtures("tmp_home")


def talk() -> None:
    """Three turns of two people."""
    done("add", "The launch is on Monday.", "--speaker", "Ann", "--session", "plan", "--at", "2025-04-01")
    done("add", "Tuesday suits me better.", "--speaker", "Ben", "--session", "plan", "--at", "2025-04-02")
    done("add", "The password hint is the dog.", "--speaker", "Ann", "--session", "private", "--at", "2025-04-03")


@pytest.mark.requirement("F-CLI-19")
def test_stats_count_what_is_there() -> None:
    talk()
    stats = record("stats")
    assert (stats["turns"], stats["sessions"], stats["vectors"]) == (3, 2, 0)
    assert stats["details"]["embedder"] is None
    page = [line.split() for line in done("stats").splitlines()]
    assert page[:2] == [["turns", "3"], ["sessions", "2"]]
    assert [line[0] for line in page if line[1:] == ["none"]] == ["encryption"]


@pytest.mark.requirement("F-CLI-20")
def test_what_is_exported_is_read_back(tmp_path: Path, tmp_home: Path, imported_sample: Path) -> None:
    copytree(imported_sample, tmp_home / ".clew")
    file = tmp_path / "all.jsonl"
    assert record("export", file) == {"turns": 533, "path": str(file)}
    assert record("import", file, "--home", tmp_path / "second")["added"] == 533
    assert record("stats", "--home", tmp_path / "second")["sessions"] == record("stats")["sessions"]
    assert "exists" in failure(1, "export", file)


@pytest.mark.requirement("F-CLI-21")
def test_verify_says_that_all_is_whole() -> None:
    talk()
    assert done("verify").startswith("checked: 3 turns, 2 sessions")
    assert done("verify").endswith("\nno problems found\n")
    report = record("verify")
    assert (report["ok"], report["problems"], report["checked"]["turns"]) == (True, [], 3)


@pytest.mark.requirement("F-CLI-21")
def test_verify_prints_problems_and_ends_with_status_1(tmp_home: Path) -> None:
    talk()
    (database,) = (path for path in (tmp_home / ".clew").iterdir() if path.suffix in {".db", ".sqlite", ".sqlite3"})
    connection = sqlite3.connect(database)
    connection.execute("UPDATE turn SET text = 'The launch is on Friday.' WHERE text LIKE '%Monday%'")
    connection.commit()
    connection.close()
    result = run("verify")
    assert result.exit_code == 1
    assert "plan:turn:0" in result.stdout
    assert "problem" in result.stderr
    assert result.stderr.startswith("clew: ")
    machine = run("verify", "--json")
    assert (machine.exit_code, '"ok": false' in machine.stdout) == (1, True)


@pytest.mark.requirement("F-CLI-22")
def test_rebuild_changes_no_answer() -> None:
    talk()
    before = records("search", "launch on Tuesday")
    assert record("rebuild") == {"turns": 3}
    assert "3 turns" in done("rebuild")
    assert records("search", "launch on Tuesday") == before
    assert record("verify")["ok"]


@pytest.mark.requirement("F-CLI-13")
def test_work_ends_when_nothing_is_left() -> None:
    talk()
    assert done("work", "--once") == "no jobs are pending\n"
    assert record("work", "--once") == {"done": True, "pending": {}, "deferred": 0}


def leave(home: str) -> None:
    """Stores turns whose jobs are still pending, and leaves the memory open."""
    memory = Memory.open(home)
    memory.add_many([Turn(role="user", content=f"The launch of {n} is on Tuesday.") for n in range(200)])


@pytest.mark.slow
@pytest.mark.requirement("S-LINE-05")
def test_work_says_what_it_did(tmp_home: Path) -> None:
    left = "import os, sys; from tests.e2e.test_cli_keep import leave; leave(sys.argv[1]); os._exit(0)"
    subprocess.run(
        [sys.executable, "-c", left, str(tmp_home / ".clew")], check=True, cwd=ROOT
    )  # as a program that was killed
    result = run("work", "--once")
    assert "jobs done: " in result.stderr
    assert result.stdout == "no jobs are pending\n"
    assert "jobs done" not in run("work", "--once").stderr


@pytest.mark.requirement("K-KEEP-06")
def test_work_tells_what_failed_from_what_only_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    talk()
    with llm_server() as server:
        server.script((200, answer("openai", "nonsense")))
        monkeypatch.setenv("CLEW_LLM_MODEL", f"openai:small@{server.url}")
        result = run("work", "--once")
    assert result.stdout == "no job can run now\n"
    assert "tag_response jobs failed; retried later" in result.stderr
    left = left_over({"recognise": 2, "nuance_model": 1}, {"nuance_model"})
    assert list(left) == [
        "2 recognise jobs waiting, none failed; done when it is due",
        "1 nuance_model job failed; retried later",
    ]


@pytest.mark.requirement("F-CLI-23")
def test_forgetting_is_shown_first() -> None:
    talk()
    page = done("forget", "--speaker", "Ann", "--dry-run")
    assert page.startswith("2 turns would be deleted:\n")
    assert "2025-04-01 Ann: The launch is on Monday." in page
    assert record("forget", "--speaker", "Ann", "--dry-run")["turn_ids"] == ["plan:turn:0", "private:turn:0"]
    assert record("stats")["turns"] == 3


@pytest.mark.requirement("F-CLI-23")
def test_forgetting_needs_a_yes() -> None:
    talk()
    result = run("forget", "--session", "private")
    assert result.exit_code == 2
    assert "The password hint" in result.stdout
    assert "Give --yes" in result.stderr
    result = run("forget", "--session", "private", "--json", given=Terminal(b"y\n"))
    assert (result.exit_code, result.stdout) == (2, "")  # a list for people would not be JSON
    assert "the output is JSON. Give --yes" in result.stderr
    assert record("stats")["turns"] == 3


@pytest.mark.requirement("F-CLI-23")
@pytest.mark.parametrize(
    ("words", "gone"),
    [
        (["private:turn:0"], 1),
        (["plan:turn:0", "plan:turn:1"], 2),
        (["--session", "plan"], 2),
        (["--speaker", "Ann", "--since", "2025-04-02"], 1),
        (["--until", "2025-04-02"], 1),
        (["--match", "PASSWORD hint"], 1),
        (["--speaker", "Cleo"], 0),
    ],
)
def test_what_is_forgotten_is_gone(words: list[str], gone: int) -> None:
    talk()
    result = run("forget", *words, "--yes")
    assert result.exit_code == 0
    assert ("deleted " in result.stderr) == bool(gone)
    assert record("stats")["turns"] == 3 - gone
    assert record("verify")["ok"]


@pytest.mark.requirement("F-CLI-23")
def test_the_report_of_a_forgetting_names_nothing() -> None:
    talk()
    report = record("forget", "--session", "private", "--yes")
    assert (report["turns"], len(report["digests"])) == (1, 1)
    assert "private" not in str(report)


@pytest.mark.requirement("F-CLI-23", "F-CLI-03")
def test_forgetting_without_a_condition_is_an_error() -> None:
    done("resume")
    assert "nothing is selected" in failure(2, "forget", "--yes")
    assert "is not a turn id" in failure(1, "forget", "nonsense", "--yes")


@pytest.mark.requirement("F-CLI-24")
def test_settings_are_shown_with_their_source(tmp_home: Path) -> None:
    (tmp_home / ".clew").mkdir()
    (tmp_home / ".clew" / "clew.toml").write_text("budget = 700\n[recall]\nlimit = 90\n", encoding="utf-8")
    rows = {row["setting"]: row for row in records("config", "show")}
    assert list(rows) == list(SETTINGS)
    assert rows["budget"] == {"setting": "budget", "value": 700, "source": "clew.toml"}
    assert rows["recall.limit"]["value"] == 90
    assert rows["embedder"] == {"setting": "embedder", "value": "none", "source": "CLEW_EMBEDDER"}
    assert rows["counter"]["source"] == "default"
    assert any(line.split() == ["budget", "700", "clew.toml"] for line in done("config", "show").splitlines())
    assert "no problems found" in done("config", "check")
    assert record("config", "check")["ok"]


@pytest.mark.requirement("F-CLI-24")
def test_wrong_settings_are_all_named(tmp_home: Path) -> None:
    done("resume")
    (tmp_home / ".clew" / "clew.toml").write_text("bugdet = 700\nreceipts = -1\n", encoding="utf-8")
    message = failure(1, "config", "check")
    assert "'bugdet' is not a setting" in message
    assert "receipts is -1" in message
    machine = run("config", "check", "--json")
    assert (machine.exit_code, '"ok": false' in machine.stdout) == (1, True)
    assert "'bugdet' is not a setting" in failure(1, "stats")


@pytest.mark.requirement("F-CLI-24")
def test_an_embedder_that_is_not_there_is_found_by_check(tmp_home: Path) -> None:
    result = run("config", "check", embedder="banana")
    assert (result.exit_code, "the embedder 'banana' is unknown" in result.stderr) == (1, True)


@pytest.mark.requirement("F-STORE-15")
@pytest.mark.parametrize("command", [["export", "out.jsonl"], ["forget", "--match", "zzz", "--yes"]])
def test_overwritten_text_is_damage_that_is_listed(tmp_home: Path, tmp_path: Path, command: list[str]) -> None:
    for number in range(9):
        done("add", f"The gate number {number} is green.", "--session", "s")
    file = tmp_home / ".clew" / "clew.db"
    data = file.read_bytes()
    assert b"gate number 4" in data
    file.write_bytes(data.replace(b"gate number 4", b"\xff" * 13))
    words = [str(tmp_path / word) if word.endswith("jsonl") else word for word in command]
    assert "clew doctor" in failure(1, *words)
    for check in ("verify", "doctor"):
        found = run(check)
        assert found.exit_code == 1
        assert "not everything can be read" in found.stdout
