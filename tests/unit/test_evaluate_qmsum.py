"""Meetings of QMSum are read with the spans that answer their questions."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.errors import FormatError
from clew.evaluate.datasets import load

pytestmark = pytest.mark.requirement("F-MEETING-01")

MEETING: dict[str, Any] = {
    "meeting": "budget",
    "kind": "committee",
    "meeting_transcripts": [
        {"speaker": "Chair", "content": "Let us begin with the bridge ."},
        {"speaker": "Clerk", "content": "It costs two million ."},
        {"speaker": "Mover", "content": " "},
        {"speaker": "Chair", "content": "Then the library ."},
    ],
    "general_query_list": [{"query": "Summarize the meeting", "answer": "..."}],
    "specific_query_list": [
        {"query": "What does the bridge cost?", "answer": "Two million.", "relevant_text_span": [["1", "2"]]},
        {"query": "What came up?", "answer": "Both.", "relevant_text_span": [[0, 0], ["3", "3"]]},
    ],
}


def written(folder: Path, *lines: object) -> Path:
    path = folder / "meetings.jsonl"
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n"
    path.write_text(text, encoding="utf-8")
    return path


def test_meetings_are_read_with_their_spans(tmp_path: Path) -> None:
    unnamed = {key: value for key, value in MEETING.items() if key not in {"meeting", "kind"}}
    first, second = load(written(tmp_path, MEETING, unnamed))
    assert (first.name, second.name) == ("budget", "meeting 2")
    assert [turn.speaker for turn in first.turns] == ["Chair", "Clerk", "Chair"]
    assert {turn.role for turn in first.turns} == {"user"}
    assert [question.evidence for question in first.questions] == [("1",), ("0", "3")]
    assert [question.answer for question in first.questions] == ["Two million.", "Both."]
    assert (first.questions[0].category, second.questions[0].category) == ("committee", "span")
    assert first.skipped == {"on the whole meeting": 1}


def test_only_line_feeds_end_a_line_and_spans_may_be_wide(tmp_path: Path) -> None:
    said = "Let us begin\u2028with the bridge ."
    meeting = MEETING | {
        "meeting_transcripts": [{"speaker": "Chair", "content": said}],
        "specific_query_list": [{"query": "?", "relevant_text_span": [[0, 10**12]]}],
    }
    (found,) = load(written(tmp_path, "", json.dumps(meeting, ensure_ascii=False)))
    assert [turn.text for turn in found.turns] == [said]
    assert found.questions[0].evidence == ("0",)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["{"], "not a list of JSON lines"),
        (['{"other": 1}'], "holds no meetings of QMSum"),
        ([MEETING, "{"], "line 2 is not JSON"),
        ([MEETING | {"meeting_transcripts": [{"speaker": "Chair"}]}], "turn 0 lacks 'content'"),
        ([MEETING | {"specific_query_list": [{"query": "?", "relevant_text_span": ["x"]}]}], "expected pairs"),
    ],
)
def test_faults_are_named(tmp_path: Path, lines: list[object], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load(written(tmp_path, *lines))
