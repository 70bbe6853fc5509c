"""`clew extract` and `clew jobs`: what is extracted from sessions, what failed, and another try."""

import json
from pathlib import Path

import pytest

from clew.memory import Memory
from tests.support.cli_runs import done, failure, record, records
from tests.support.extraction import extractor, long_talk, model
from tests.support.memories import told

pytestmark = [pytest.mark.usefixtures("tmp_home"), pytest.mark.requirement("K-TRI-25")]


@pytest.fixture(autouse=True)
def sessions(tmp_home: Path) -> None:
    """One session is done, one failed with a bad model, one was deferred."""
    with Memory.open(embedder="none") as memory:
        memory.add(told("We picked Redis for the sessions in Lisbon.", session="done", speaker="Ann"))
        memory.add_many(long_talk(session="failed"))
        memory.add_many(long_talk(session="deferred"))
        memory.extract("done")
        bad = extractor(memory, model("nonsense"))
        for name in ("failed", "deferred", "deferred", "deferred"):
            bad.extract(name)


def test_jobs_lists_states_attempts_and_reasons() -> None:
    shown = done("jobs")
    assert "extract:failed" in shown
    assert "deferred:chunk:1" in shown
    assert "gave no usable answer" in shown
    assert "extract:done" not in shown
    assert "extract:done" in done("jobs", "--all")
    listed = {each["job"]: each for each in records("jobs")}
    assert {name: (each["state"], each["attempts"]) for name, each in listed.items()} == {
        "extract:deferred": ("deferred", 3),
        "extract:failed": ("failed", 1),
    }
    chunks = listed["extract:deferred"]["chunks"]
    assert [(each["id"], each["state"], each["attempts"]) for each in chunks] == [
        ("deferred:chunk:0", "deferred", 3),
        ("deferred:chunk:1", "deferred", 3),
    ]
    assert listed["extract:failed"]["telemetry"]["activated"] is True


def test_jobs_that_are_retried_wait_again_and_stats_count_them() -> None:
    assert record("stats")["details"]["extractions"] == {"deferred": 1, "done": 1, "failed": 1}
    assert "extractions" in done("stats")
    done("jobs", "--retry")
    assert record("stats")["details"]["extractions"] == {"done": 1, "pending": 2}
    assert {each["attempts"] for each in records("jobs")} == {0}
    assert {each["run"]["session"] for each in records("extract")} == {"deferred", "failed"}
    assert records("jobs") == []
    assert done("jobs") == ""


def test_extract_prints_what_it_found() -> None:
    shown = done("extract", "done")
    assert "We picked Redis" in shown
    assert "Lisbon (place)" in shown
    (made,) = records("extract", "done", "--rules", "--safe-limit-tokens", "-1")
    assert made["vector"]["summary"]
    assert json.dumps(made)
    assert "--rules asks no model" in failure(2, "extract", "done", "--rules", "--semantic-calls", "2")
    assert "failed" in done("extract")
    assert "there is no session 'other'" in failure(1, "extract", "other")


def test_an_extraction_that_waits_is_an_error_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_LLM_MODEL", "openai:x@http://127.0.0.1:9")
    monkeypatch.setenv("CLEW_LLM_CALLS", "recorded")
    assert "1 extraction not done" in failure(1, "extract", "done")
    assert "pending" in done("jobs")
