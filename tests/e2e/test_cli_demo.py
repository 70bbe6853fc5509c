"""`clew demo`: the sample is asked and answered; a changed fact changes the answer."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.house.documents import blocks
from tests.house.tree import ROOT
from tests.support.cli_runs import CONVERSATION, QUESTIONS, done, failure, record, run

pytestmark = pytest.mark.usefixtures("tmp_home")

ASKED = QUESTIONS[:8]
TEXTS = {turn["external_id"]: turn["content"] for turn in map(json.loads, CONVERSATION.read_text("utf-8").splitlines())}
MASKED = re.compile(r"in \d+\.\d+ s(?: \([\d,]+ turns/s\))?|\d+\.\d ms")
TIMES = re.compile(r"in \d+\.\d+ s \([\d,]+ turns/s\)|\d+\.\d ms")


def answered(demonstration: dict[str, Any]) -> list[str]:
    """The questions whose block holds the words of an evidence turn, or is empty where there is none."""
    held = []
    for question, answer in zip(ASKED, demonstration["answers"], strict=True):
        assert answer["question"] == question["question"]
        shown = [item["text"] for item in answer["items"]]
        evidence = [TEXTS[name] for name in question["evidence"]]
        if any(text in words or words in text for text in evidence for words in shown) or not (evidence or shown):
            held.append(question["question"])
    return held


@pytest.fixture(scope="module")
def page() -> str:
    """What the demonstration of the sample prints."""
    return done("demo")


@pytest.mark.requirement("F-DEMO-02", "F-DEMO-03")
def test_the_demo_answers_with_evidence_cost_and_reasons(page: str) -> None:
    assert re.search(r"^533 turns stored, in \d+\.\d\d s \([\d,]+ turns/s\)$", page, re.MULTILINE)
    assert "No embedder: the setting is none." in page
    for number, question in enumerate(ASKED, start=1):
        assert f"\n{number}. " in page
        assert question["question"] in page
    assert len(re.findall(r"^  [\d,]+ of 500 tokens, \d+\.\d ms", page, re.MULTILINE)) == 8
    assert re.search(r"^ +words \d+\.\d$", page, re.MULTILINE)
    assert "180 kg" in page
    assert page.count("Nothing relevant was found.") == 1
    assert page.index("8. Who won the chess tournament?") < page.index("Nothing relevant was found.")
    assert max(map(len, page.splitlines())) <= 80


@pytest.mark.requirement("F-DEMO-03")
def test_the_demo_ends_with_how_to_go_on(page: str) -> None:
    end = page.partition("with your own conversations:")[2]
    for command in ("clew import claude-code", "clew import FILE", "clew recall ", "clew demo FILE --ask"):
        assert command in end


@pytest.mark.requirement("F-DEMO-04", "F-DEMO-05")
def test_the_demo_is_the_same_but_for_times_and_keeps_nothing(tmp_home: Path, page: str) -> None:
    assert TIMES.sub("T", done("demo")) == TIMES.sub("T", page)
    assert "Nothing was kept." in page
    assert list(tmp_home.iterdir()) == []


@pytest.mark.requirement("F-DEMO-05")
def test_the_demo_keeps_what_it_is_told_to(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("**Ann:** We meet at the old harbour.\n\n**Ben:** I bring the rope.\n", encoding="utf-8")
    assert "Nothing was kept." not in done("demo", path, "--ask", "Where?", "--home", tmp_path / "kept")
    assert record("stats", "--home", tmp_path / "kept")["turns"] == 2


@pytest.mark.requirement("F-DEMO-02")
def test_blocks_hold_the_evidence_within_the_budget() -> None:
    demonstration = record("demo")
    assert [answer["tokens"] <= 500 for answer in demonstration["answers"]] == [True] * 8
    held = answered(demonstration)
    assert ASKED[2]["question"] in held
    assert ASKED[7]["question"] in held
    assert len(held) >= 6


@pytest.mark.requirement("F-DEMO-02")
def test_a_changed_fact_changes_the_answer(tmp_path: Path, page: str) -> None:
    (question,) = (each for each in QUESTIONS if "changed_fact" in each)
    old, new = question["changed_fact"]["from"], question["changed_fact"]["to"]
    changed = tmp_path / "changed.jsonl"
    changed.write_text(CONVERSATION.read_text("utf-8").replace(old, new), encoding="utf-8")
    after = done("demo", changed, "--ask", question["question"])
    assert question in ASKED, "so that the page answers it"
    assert (old in page, new in page) == (True, False)
    assert (old in after, new in after) == (False, True)


@pytest.mark.requirement("F-DEMO-06")
def test_the_demo_takes_any_file_that_import_reads(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("**Ann:** We meet at the old harbour.\n\n**Ben:** I bring the rope.\n", encoding="utf-8")
    page = done("demo", path, "--ask", "Where do we meet?", "--ask", "Who brings the rope?", "--budget", "200")
    assert "1. Where do we meet?" in page
    assert "old harbour" in page
    assert "2. Who brings the rope?" in page
    assert page.count(" of 200 tokens") == 2


@pytest.mark.requirement("F-DEMO-06")
def test_without_questions_and_terminal_the_demo_says_how_to_ask(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"role": "user", "content": "one"}) + "\n", encoding="utf-8")
    page = done("demo", path)
    assert page.count("1 turn stored") == 1
    assert "--ask" in page
    assert record("demo", path)["answers"] == []


@pytest.mark.requirement("F-DEMO-06", "F-CLI-03")
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    assert "absent is not a file" in failure(1, "demo", tmp_path / "absent")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.requirement("F-DEMO-02", "F-DEMO-03")
def test_with_vectors_the_demo_answers_what_shares_no_word() -> None:
    pytest.importorskip("onnxruntime", reason="the extra [embed] is not installed")
    result = run("demo", "--json", embedder="auto")
    assert result.exit_code == 0
    demonstration = json.loads(result.stdout)
    if demonstration["embedder"] is None:
        pytest.skip("no local embedder is installed")
    assert demonstration["vectors"] == 533
    held = answered(demonstration)
    assert "Is anybody in the team allergic to something?" in held
    assert ASKED[7]["question"] in held
    assert len(held) >= 7


def transcript() -> list[str]:
    """The paragraphs of the session that README.md shows, with times masked."""
    (shown,) = (block.text for block in blocks((ROOT / "README.md").read_text("utf-8")) if block.language == "text")
    return [MASKED.sub("#", part) for part in shown.strip().split("\n\n")]


@pytest.mark.slow
@pytest.mark.requirement("F-DEMO-02")
def test_the_session_in_the_readme_is_what_the_demo_prints() -> None:
    result = run("demo", embedder="auto")
    page = MASKED.sub("#", result.stdout)
    assert [part for part in transcript() if f"\n{part}\n" not in page] == []
