"""Each data set's format on a few records of our own, with the faults that the real ones have."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from clew.errors import FormatError, InputError
from clew.evaluate.compression.histories import load_histories
from clew.evaluate.datasets import load


def write(path: Path, data: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def locomo_item() -> dict[str, Any]:
    return {
        "sample_id": "pair-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Ben",
            "session_2_date_time": "9:05 am on 2 June, 2023",
            "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "I sold the boat."}],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": " Hello! "},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "Look", "blip_caption": "a red boat"},
            ],
            "session_3_date_time": "odd",
            "session_10": None,
        },
        "qa": [
            {"question": "Which boat?", "answer": "red", "evidence": ["D1:02; D2:1"], "category": 1},
            {"question": "When?", "answer": "June", "evidence": ["D:2:1", "D9:9"], "category": 2},
            {"question": "Where?", "answer": "?", "evidence": ["D7:7"], "category": 4},
            {"question": "Which plane?", "adversarial_answer": "blue", "evidence": ["D1:1"], "category": 5},
        ],
    }


@pytest.mark.requirement("F-BENCH-01")
def test_locomo(tmp_path: Path) -> None:
    (conversation,) = load(write(tmp_path / "locomo.json", [locomo_item()]))
    assert conversation.name == "pair-1"
    assert [turn.id for turn in conversation.turns] == ["D1:1", "D1:2", "D2:1"]
    first, photo, _ = conversation.turns
    assert (first.role, first.text, first.session) == ("user", "Hello!", "session_1")
    assert first.at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert photo.framed() == "[1:56 pm on 8 May, 2023] Ben: Look [shares a photo: a red boat]"
    assert [len(session) for session in conversation.sessions()] == [2, 1]
    assert [(q.id, q.category, q.evidence) for q in conversation.questions] == [
        ("pair-1/q0", "multi-hop", ("D1:2", "D2:1")),
        ("pair-1/q1", "temporal", ("D2:1",)),
    ]
    assert sorted(conversation.skipped.values()) == [1, 1]


@pytest.mark.requirement("F-BENCH-01")
def test_realtalk(tmp_path: Path) -> None:
    chat = {
        "name": {"speaker_1": "Kim", "speaker_2": "Lou"},
        "session_1": [
            {"speaker": "Lou", "dia_id": "D1:1", "clean_text": "Yo", "date_time": "29.12.2023, 22:42:04"},
            {"speaker": "Kim", "dia_id": "D1:2", "clean_text": "", "date_time": "29.12.2023, 22:43:00"},
            {"speaker": "Kim", "dia_id": "D1:3", "clean_text": "I ski", "date_time": "?"},
        ],
        "events_session_1": [],
        "qa": [
            {"question": "What does Kim do?", "answer": "ski", "evidence": ["D1:3", "D1:3"], "category": 3},
            {"question": "And?", "answer": "", "evidence": ["D1:1-D1:3", "D1:1"], "category": 1},
            {"question": "So?", "answer": "", "evidence": [], "category": 2},
        ],
    }
    write(tmp_path / "Chat_10_Kim_Lou.json", chat)
    write(tmp_path / "Chat_2_Kim_Lou.json", {**chat, "qa": []})
    second, tenth = load(tmp_path)
    assert (second.name, tenth.name) == ("Chat_2_Kim_Lou", "Chat_10_Kim_Lou")
    assert [turn.framed() for turn in tenth.turns] == ["[29 December 2023, 22:42] Lou: Yo", "Kim: I ski"]
    assert [turn.role for turn in tenth.turns] == ["assistant", "user"]
    assert [(q.id, q.category, q.evidence) for q in tenth.questions] == [
        ("Chat_10_Kim_Lou/q0", "commonsense", ("D1:3",))
    ]
    assert sum(tenth.skipped.values()) == 2


def beam_chat(folder: Path) -> Path:
    def message(number: int, role: str, content: str, **more: str) -> dict[str, Any]:
        return {"id": number, "role": role, "content": content, **more}

    batches = [
        {"turns": [[message(0, "user", "My budget is 900. ->-> 1,2", time_anchor="March-15-2024")]]},
        {"turns": [[message(1, "assistant", "Noted -> twice."), message(2, "user", "Thanks ->-> N/A")]]},
    ]
    probes = {
        "abstention": [{"question": "Colour?", "answer": "unknown"}],
        "knowledge_update": [
            {"question": "Budget?", "source_chat_ids": {"original": [0], "updated": [[2, 99]]}},
            {"question": "Other?", "source_chat_ids": [77]},
        ],
    }
    write(folder / "chat.json", batches)
    write(folder / "probing_questions.json", probes)
    return folder


@pytest.mark.requirement("F-BENCH-01")
def test_beam(tmp_path: Path) -> None:
    chat = beam_chat(tmp_path / "100K_1")
    (conversation,) = load(tmp_path)
    assert load(chat) == [conversation]
    assert conversation.name == "100K_1"
    assert [(turn.id, turn.session, turn.framed()) for turn in conversation.turns] == [
        ("m0", "batch_1", "[March-15-2024] user: My budget is 900."),
        ("m1", "batch_2", "[March-15-2024] assistant: Noted -> twice."),
        ("m2", "batch_2", "[March-15-2024] user: Thanks"),
    ]
    assert [(q.id, q.category, q.evidence) for q in conversation.questions] == [
        ("100K_1/knowledge_update0", "knowledge_update", ("m0", "m2"))
    ]
    assert sum(conversation.skipped.values()) == 2


def haystack() -> dict[str, Any]:
    return {
        "question_id": "q7",
        "question_type": "single-session-user",
        "question": "Which tea?",
        "answer": "oolong",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["late", "early", "early"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/19", "2023/05/20 (Sat) 02:22"],
        "haystack_sessions": [
            [{"role": "user", "content": "Oolong, please.", "has_answer": True}],
            [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hi.", "has_answer": True}],
            [{"role": "user", "content": "Again."}],
        ],
        "answer_session_ids": ["late"],
    }


@pytest.mark.requirement("F-BENCH-01")
def test_longmemeval(tmp_path: Path) -> None:
    refused = {**haystack(), "question_id": "q8_abs"}
    (conversation,) = load(write(tmp_path / "longmemeval.json", [haystack(), refused]))
    assert [turn.id for turn in conversation.turns] == ["early:0", "early:1", "late:0", "early~2:0"]
    (question,) = conversation.questions
    assert (question.id, question.category, question.evidence) == ("q7", "single-session-user", ("late:0",))
    assert question.answer == "oolong"
    assert question.asked_at == datetime(2023, 5, 30, 23, 40, tzinfo=UTC)


@pytest.mark.requirement("F-BENCH-01")
def test_longmemeval_with_several_questions_a_haystack(tmp_path: Path) -> None:
    item = {
        **haystack(),
        "questions": ["Which tea?", "Greeting?", "Nothing?"],
        "answers": ["oolong", "hi", ""],
        "answer_session_ids": [["late"], "early", ["early~2"]],
    }
    (conversation,) = load(write(tmp_path / "several.json", [item]))
    assert [(q.id, q.evidence) for q in conversation.questions] == [("q7/0", ("late:0",)), ("q7/1", ("early:1",))]
    assert [question.answer for question in conversation.questions] == ["oolong", "hi"]
    assert conversation.skipped == {"no turn is marked as evidence": 1}


@pytest.mark.requirement("F-BENCH-02")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("{}", "not a list of objects"),
        ("[]", "not a list of objects"),
        ('[{"a": 1}]', "items with 'a'"),
        ('[{"conversation": {}, "qa": []}]', "dialogue 0 lacks 'speaker_a'"),
        ('[{"conversation": [], "qa": []}]', "'conversation' is list; expected dict"),
        ('[{"conversation": {"speaker_a": "A"}, "qa": [3]}]', "question 0 is int"),
        ('[{"haystack_sessions": []}]', "lacks 'question_id'"),
        (
            '[{"haystack_sessions": [[{"role": "king", "content": ""}]], "question_id": "q"}]',
            "the role is 'king'",
        ),
    ],
)
def test_other_files_are_refused_with_what_came_and_what_was_expected(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "data.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        load(path)


@pytest.mark.requirement("F-BENCH-02")
@pytest.mark.parametrize(
    "wrong",
    [
        {"haystack_session_ids": ["late"]},
        {"haystack_dates": ["2023/05/20"]},
        {"haystack_dates": [1, 2, 3]},
        {"haystack_session_ids": [{}, {}, {}]},
        {"haystack_sessions": [1, 2, 3]},
    ],
)
def test_lists_that_do_not_fit_together_are_a_fault_of_the_data(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match="of another form than expected"):
        load(write(tmp_path / "longmemeval.json", [haystack() | wrong]))


@pytest.mark.requirement("F-BENCH-02")
def test_other_places_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds no file of these"):
        load(tmp_path)
    with pytest.raises(InputError, match="nothing is at"):
        load(tmp_path / "absent.json")
    with pytest.raises(FormatError, match="cannot be read"):
        load(write(tmp_path / "100K_1/chat.json", []).parent)  # its questions are missing


def own_folder(folder: Path, turn: str, question: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "conversation.jsonl").write_text(turn, encoding="utf-8")
    write(folder / "questions.json", [question, {"question": "Unanswered?", "evidence": []}])
    return folder


@pytest.mark.requirement("F-BENCH-01")
def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "Look:"}, {"type": "tool_result", "text": "42"}]
    record = {"role": "tool", "content": parts, "session": "s", "external_id": "t1", "at": "2025-03-04T08:12:00+01:00"}
    folder = own_folder(tmp_path / "mine", json.dumps(record) + "\n\n", {"question": "What?", "evidence": ["t1"]})
    (conversation,) = load(folder)
    assert [turn.framed() for turn in conversation.turns] == ["[04 March 2025, 07:12] tool: Look:\n42"]
    assert [(q.id, q.category, q.evidence) for q in conversation.questions] == [("q0", "question", ("t1",))]
    assert sum(conversation.skipped.values()) == 1


@pytest.mark.requirement("F-BENCH-01")
def test_only_line_feeds_end_the_lines_of_a_folder_of_ones_own(tmp_path: Path) -> None:
    said = "one\u2028two\u0085three"
    record = json.dumps({"role": "user", "content": said, "external_id": "t1"}, ensure_ascii=False)
    folder = own_folder(tmp_path / "mine", record + "\r\n", {"question": "What?", "evidence": ["t1"]})
    assert [turn.text for turn in load(folder)[0].turns] == [said]
    assert [turn.text for turn in load_histories(folder)[0].turns] == [said]


@pytest.mark.requirement("F-BENCH-02")
@pytest.mark.parametrize(
    ("turn", "question", "message"),
    [
        ("{", {"question": "?", "evidence": []}, "conversation.jsonl:1: "),
        ("\n\n{", {"question": "?", "evidence": []}, "conversation.jsonl:3: "),
        ("[" * 100_000, {"question": "?", "evidence": []}, "conversation.jsonl:1: "),
        ('{"role": "user", "content": "x"}', {"question": "?", "evidence": []}, "lacks 'external_id'"),
        ('{"role": "king", "content": "x", "external_id": "t1"}', {"question": "?", "evidence": []}, "'king'"),
        ('{"role": "user", "content": "x", "external_id": "t1"}', {"question": "?", "evidence": ["t2"]}, "'t2'"),
        ('{"role": "user", "content": "x", "external_id": "t1"}', {"evidence": ["t1"]}, "lacks 'question'"),
    ],
)
def test_faults_in_a_folder_of_ones_own_are_named(
    tmp_path: Path, turn: str, question: dict[str, Any], message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        load(own_folder(tmp_path, turn, question))
