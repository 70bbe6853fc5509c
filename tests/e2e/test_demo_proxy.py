"""`clew demo --proxy`: server, scripted model and a conversation that remembers, in one command."""

from pathlib import Path

import pytest

from tests.support.cli_runs import done, failure, records

pytestmark = [pytest.mark.requirement("P-UPS-08"), pytest.mark.slow]


def test_the_conversation_remembers_what_the_program_forgot() -> None:
    answers = records("demo", "--proxy")
    assert [answer["without"] for answer in answers] == ["I do not know."] * 3
    for answer, word in zip(answers, ("14 March", "heron", "SQLite"), strict=True):
        assert word in answer["with"]


def test_it_is_readable_and_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    shown = done("demo", "--proxy")
    assert "without   I do not know." in shown
    assert "with Clew The launch date of the shop is 14 March, and the landlord knows it." in shown
    assert not (tmp_path / "home").exists()


def test_it_takes_no_conversation_of_yours() -> None:
    refusal = "give neither PATH, --ask nor --budget"
    assert refusal in failure(2, "demo", "--proxy", "--ask", "Why?")
    assert refusal in failure(2, "demo", "--proxy", "--budget", "100")
