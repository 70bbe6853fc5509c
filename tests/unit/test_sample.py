"""The sample conversation of `clew demo`: whole, well formed, and answering its own questions."""

import json
import re
from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "src" / "clew" / "cli" / "sample"
CONVERSATION = SAMPLE / "conversation.jsonl"
LINES = CONVERSATION.read_text(encoding="utf-8").splitlines()
TURNS: list[dict[str, Any]] = [json.loads(line) for line in LINES]
QUESTIONS: list[dict[str, Any]] = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))
BY_ID = {turn["external_id"]: turn for turn in TURNS}
KEYS = {"role", "speaker", "content", "session", "at", "external_id"}

pytestmark = pytest.mark.requirement("F-DEMO-01")


def calls(turn: dict[str, Any]) -> list[str]:
    return [call["id"] for call in turn.get("tool_calls", [])]


def test_size() -> None:
    assert 400 <= len(TURNS) <= 600
    assert CONVERSATION.stat().st_size < 1_000_000
    assert [n for n, line in enumerate(LINES, 1) if len(line.encode()) > 20_000] == []


def test_every_turn_is_whole() -> None:
    for turn in TURNS:
        assert set(turn) - {"tool_calls", "tool_call_id"} == KEYS, turn
        assert turn["role"] in {"user", "assistant", "system", "tool"}, turn
        assert turn["speaker"], turn
        assert turn["content"].strip(), turn


def test_ids_are_unique() -> None:
    assert [each for each, count in Counter(turn["external_id"] for turn in TURNS).items() if count > 1] == []


def test_time_only_moves_forward_in_utc() -> None:
    times = [datetime.fromisoformat(turn["at"]) for turn in TURNS]
    assert all(at.utcoffset() == timedelta(0) for at in times)
    assert [TURNS[n]["external_id"] for n, (a, b) in enumerate(pairwise(times), 1) if a >= b] == []


def test_sessions_are_contiguous() -> None:
    starts = [a["session"] for a, b in pairwise([*TURNS, {"session": None}]) if a["session"] != b["session"]]
    assert len(starts) == len(set(starts)) >= 30


def test_every_tool_call_is_answered_by_the_next_turn() -> None:
    called = [(n + 1, call) for n, turn in enumerate(TURNS) for call in calls(turn)]
    answered = [(n, turn["tool_call_id"]) for n, turn in enumerate(TURNS) if "tool_call_id" in turn]
    assert called == answered
    assert len({call for _n, call in called}) == len(called) > 0
    assert {TURNS[n]["role"] for n, _call in answered} == {"tool"}


def test_every_address_is_an_example() -> None:
    written = "\n".join(turn["content"] + str(turn.get("tool_calls", "")) for turn in TURNS)
    hosts = re.findall(r"(?:://|\w@)((?:[\w-]+\.)+[a-z]{2,})", written)
    assert hosts
    assert [host for host in hosts if not f".{host}".endswith(".example.com")] == []


def test_questions_point_at_turns() -> None:
    assert len(QUESTIONS) >= 12
    for question in QUESTIONS:
        assert set(question) - {"changed_fact"} == {"question", "answer", "evidence", "note"}, question
        assert all(question[key] for key in ("question", "answer", "note")), question
        assert [each for each in question["evidence"] if each not in BY_ID] == [], question
    assert len({question["question"] for question in QUESTIONS}) == len(QUESTIONS)


def test_the_demo_shows_an_answer_and_the_lack_of_one() -> None:
    assert {bool(question["evidence"]) for question in QUESTIONS[:8]} == {True, False}
    assert sum(not question["evidence"] for question in QUESTIONS) >= 2


def test_the_fact_to_change_stands_in_one_place() -> None:
    (question,) = [question for question in QUESTIONS if "changed_fact" in question]
    fact = question["changed_fact"]
    assert question in QUESTIONS[:8]
    assert fact["external_id"] in question["evidence"]
    assert fact["from"] in question["answer"]
    assert [turn["external_id"] for turn in TURNS if fact["from"] in turn["content"]] == [fact["external_id"]]
    assert "\n".join(LINES).count(fact["from"]) == 1
    assert fact["to"] not in "\n".join(LINES)
