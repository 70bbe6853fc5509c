"""The benchmark of confidence: its questions, what it reads, what it counts, and its fit."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.confidence import Judgement, area, by_model, fit, judge, left_out, main, partner
from benchmarks.confidence_sets import DATA, KEPT, LANGUAGES, faults, read_languages, read_sets
from clew.rank.confidence import WITHOUT, Features

TALK = (
    "We picked Redis for the sessions.",
    "The nightly backup failed, the disk was full.",
    "Ann wants the report on Friday.",
    "The blue boiler in the cellar leaks.",
    "Lunch is at noon.",
)
ASKED: tuple[tuple[str, list[str], list[str]], ...] = (
    ("What did we pick for the sessions?", ["0"], ["Redis"]),
    ("Why did the nightly backup fail?", ["1"], ["disk was full"]),
    ("Who repaired the parser?", [], []),
)


def written(name: str) -> dict[str, list[dict[str, Any]]]:
    """One of our files of questions, by space."""
    found: dict[str, list[dict[str, Any]]] = json.loads((DATA / name).read_text(encoding="utf-8"))
    return found


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name, words in (("first", TALK), ("second", [each.upper() for each in reversed(TALK)][:3])):
        folder = tmp_path / "agent-qa" / name
        folder.mkdir(parents=True)
        lines = [
            json.dumps({"role": "user", "content": text, "session": "s", "external_id": str(number)})
            for number, text in enumerate(words)
        ]
        (folder / "conversation.jsonl").write_text("\n".join(lines), encoding="utf-8")
        items = [
            {"question": text, "kind": "fact", "evidence": evidence, "needles": needles}
            for text, evidence, needles in (ASKED if name == "first" else ASKED[2:])
        ]
        (folder / "questions.json").write_text(json.dumps(items), encoding="utf-8")
    return tmp_path


@pytest.mark.requirement("F-SURE-07")
def test_the_questions_are_many_different_and_in_both_halves() -> None:
    near, asked = written("near_misses.json"), written("desk_and_chat_questions.json")
    misses = [item["question"] for items in near.values() for item in items]
    questions = [item["question"] for items in asked.values() for item in items]
    assert len(set(misses)) == len(misses) >= 120
    assert len(set(questions)) == len(questions) >= 48
    assert all(pattern for items in near.values() for item in items for group in item["never"] for pattern in group)
    assert all(len(item["evidence"]) == len(item["needles"]) > 0 for items in asked.values() for item in items)
    assert len(Counter(item["kind"] for items in asked.values() for item in items)) >= 8
    for items in (near, asked):
        kept = sum(len(found) for name, found in items.items() if name in KEPT)
        assert 0.35 < kept / sum(map(len, items.values())) < 0.65


@pytest.mark.requirement("F-SURE-07")
def test_one_chat_is_told_in_several_languages() -> None:
    spaces = list(read_languages())
    assert {space.name for space in spaces} >= {"en", "de", "fr", "es", "zh", "ja", "ar", "hi"}
    sizes = {(len(each.texts), len(each.questions), len(each.near), len(each.elsewhere)) for each in spaces}
    assert len(sizes) == 1
    texts = [text for each in spaces for text in (*each.texts.values(), *each.elsewhere)]
    assert len(set(texts)) == len(texts)
    assert partner(spaces[0], spaces) is None
    judged = judge(spaces[0], None, None)
    assert Counter(each.kind for each in judged) == {"answerable": 6, "other": 6, "ours": 4}
    sure = [each.confidence for each in judged if each.kind == "answerable"]
    assert area(sure, [each.confidence for each in judged if each.kind == "other"]) == 1


@pytest.mark.requirement("F-SURE-07")
def test_what_is_there_is_read_and_what_is_not_is_named(data: Path) -> None:
    said: list[str] = []
    first, second = read_sets(data, said.append)
    assert [len(space.questions) for space in (first, second)] == [2, 0]
    assert [miss.source for miss in first.near] == ["unanswerable"]
    assert [line.partition(" is left out")[0] for line in said] == ["LoCoMo", "REALTALK", "BEAM", "desk", "chats"]
    assert partner(first, [first, second]) is second
    assert partner(first, [first]) is None


@pytest.mark.requirement("F-SURE-07")
def test_questions_of_ours_are_checked_against_the_texts(data: Path, tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    ours.mkdir()
    miss = {"question": "What colour is the boiler?", "never": [["boiler", "blue|red"]]}
    gold = {"question": "When is lunch?", "kind": "date", "evidence": ["4"], "needles": ["at one"]}
    (ours / "near_misses.json").write_text(json.dumps({"first": [miss]}), encoding="utf-8")
    (ours / "desk_and_chat_questions.json").write_text(json.dumps({"first": [gold]}), encoding="utf-8")
    first = read_sets(data, lambda _: None, ours)[0]
    needle, told = faults(first)
    assert "'at one'" in needle
    assert "the turn 3" in told
    assert not list(faults(replace(first, near=(), questions=first.questions[:2])))


@pytest.mark.requirement("F-SURE-07")
def test_every_question_is_judged_with_what_the_model_saw(data: Path) -> None:
    first, second = read_sets(data, lambda _: None)
    judged = judge(second, first, None)
    assert [each.kind for each in judged] == ["unanswerable", "other", "other"]
    found = judge(first, None, None)
    assert [each.kind for each in found] == ["answerable", "answerable", "unanswerable"]
    assert found[0].shown == (True, True, True, True)
    assert found[0].features["scene"] == pytest.approx(1, abs=0.01)
    assert [each.confidence for each in by_model(found, lambda _: WITHOUT)] == pytest.approx(
        [each.confidence for each in found], abs=0.01
    ), "the features of a receipt give the confidence again"


@pytest.mark.requirement("F-SURE-07")
def test_a_fit_keeps_the_answerable_and_tells_the_others_apart() -> None:
    random = np.random.default_rng(5)
    judged = [
        Judgement(
            group,
            group,
            group == "b",
            kind,
            "?",
            0.5,
            dict.fromkeys(Features.__slots__, 0.0) | {"scene": float(random.normal(mean, 0.2)), "words": 0.1},
        )
        for group in ("a", "b")
        for kind, mean in (("answerable", 0.8), ("other", 0.2), ("ours", 0.5))
        for _ in range(200)
    ]
    model = fit(judged, vectors=False)
    assert model.weights.scene > 1
    assert (model.weights.own, model.weights.thin) == (WITHOUT.weights.own, WITHOUT.weights.thin)
    for found in (by_model(judged, lambda _: model), left_out(judged, vectors=False)):
        sure = [each.confidence for each in found if each.kind == "answerable"]
        assert np.mean(np.array(sure) >= 0.5) == pytest.approx(0.95, abs=0.04)
        assert area(sure, [each.confidence for each in found if each.kind == "other"]) > 0.95
        assert 0.75 < area(sure, [each.confidence for each in found if each.is_near]) < 0.95
    assert area([1, 2], [2, 0]) == 0.625
    beside = [replace(each, group=LANGUAGES, features={**each.features, "scene": 0.0}) for each in judged]
    assert fit([*judged, *beside], vectors=False) == model, "the chat in other languages takes no part"


@pytest.mark.requirement("F-SURE-07")
def test_it_runs_from_the_command_line(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(data), "--embedder", "none", "--fit", "--only", "coding agents"]) == 0
    out, err = capsys.readouterr()
    assert "coding agents | " in out
    assert "needles in the block" in out
    assert "fitted on all: Model(" in out
    assert "left out" not in out, "there is one set alone"
    assert "our coding sessions | " not in out
    assert "desk is left out" in err
    assert main(["--data", str(tmp_path / "nothing"), "--embedder", "none", "--only", "coding agents"]) == 1
    assert "no set 'coding agents'; there are our assistant chats, " in capsys.readouterr().err
