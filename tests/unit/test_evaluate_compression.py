"""What `clew bench condense` counts: evidence that is used again, where it is found, and what it is compared with."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from clew.condense.material import RecapTurn, TurnScores, recap_turns
from clew.config import Config
from clew.errors import InputError
from clew.evaluate.compression.answers import ALONE, RECAP, answer_questions, readable
from clew.evaluate.compression.extracts import LAST, SUMMARISERS, CondenseSetup, extracts
from clew.evaluate.compression.histories import History, load_histories
from clew.evaluate.compression.later_use import later_uses
from clew.evaluate.compression.suite import condense_sheets, run_condense, share, summarise_condense
from clew.evaluate.compression.survival import FOUND, REFERENCE, compact_history
from clew.evaluate.compression.survival import RECAP as LITERALLY
from clew.evaluate.corpus import DatasetQuestion
from clew.evaluate.metrics import tokens
from clew.types.turn import Part, Turn
from tests.support.small_talk import small_talk

PLAIN = CondenseSetup(config=Config())


def seen(*texts: str) -> list[RecapTurn]:
    turns = (Turn(role="assistant", content=text, seq=number) for number, text in enumerate(texts))
    return recap_turns((turn, TurnScores()) for turn in turns)


def garden(count: int = 60) -> tuple[Turn, ...]:
    """A session that comes back to its first file and number again and again."""
    told = [
        Turn(role="user", content="Please mend src/garden/water_plan.py, the pump runs 45 minutes.", session="garden"),
        Turn(role="assistant", content="We decided to keep valveController and drop the old timer.", session="garden"),
    ]
    told += [
        Turn(role="user", content=f"Bed {number} is next to the fence, and the soil there is {word}.", session="garden")
        for number, word in zip(range(count), ["dry", "wet", "loose", "heavy"] * count, strict=False)
    ]
    return (
        *told,
        Turn(role="assistant", content="In src/garden/water_plan.py the valveController is done.", session="garden"),
    )


@pytest.mark.requirement("F-KEEP-01")
def test_what_is_used_again_is_asked_for_without_its_own_spelling() -> None:
    first = seen("The pump is in src/garden/waterPlan.py and runs 45 minutes.", "Nothing here.")
    rest = seen("I open src/garden/waterPlan.py now.", "After 45 minutes the pump stops.")
    uses = {use.kind: use for use in later_uses(first, rest)}
    assert uses["path"].value == "src/garden/waterPlan.py"
    assert uses["path"].query == "src garden water plan py"
    assert uses["number"].query == "After the pump stops."
    for use in uses.values():
        assert use.value not in use.query + use.situation


@pytest.mark.requirement("F-KEEP-01")
@pytest.mark.parametrize(
    ("value", "query"),
    [
        ("cffi-2.0.0-cp312-cp312-macosx_11_0_arm64.whl", "cffi 2 0 0 cp 312 cp 312 macosx 11 0 arm 64 whl"),
        ("/home/ann/work/shop/src/garden/plan/water_plan.py", "work shop src garden plan water plan py"),
    ],
)
def test_a_name_is_asked_for_by_its_last_words_and_the_numbers_between_them(value: str, query: str) -> None:
    (use,) = [use for use in later_uses(seen(f"It is {value}."), seen(f"Take {value}.")) if use.value == value]
    assert use.query == query


@pytest.mark.requirement("F-KEEP-01")
def test_what_only_a_tool_uses_again_is_asked_for_by_the_words_around_it() -> None:
    first = seen("The wheel has 19.4 MB.", "We pin 3.4.1 of it: v3.4.1.")
    printed = Part(type="tool_result", text="Downloading cffi (19.4 MB) of v3.4.1")
    told = [Turn(role="user", content="go"), Turn(role="tool", content=(printed,))]
    rest = recap_turns((replace(turn, seq=n), TurnScores()) for n, turn in enumerate(told))
    uses = {use.value: use for use in later_uses(first, rest, {n: turn.text for n, turn in enumerate(told)})}
    assert uses["19.4 MB"].query == "Downloading cffi ( ) of v3.4.1"
    assert uses["v3.4.1"].query == "Downloading cffi (19.4 MB) of"
    assert {use.query for use in later_uses(first, rest)} == {"go"}


@pytest.mark.requirement("F-KEEP-01")
def test_a_path_that_stands_escaped_in_a_call_is_restored_by_its_reference() -> None:
    call = Part(type="tool_call", name="Read", call_id="c", text=json.dumps({"file_path": "D:\\garden\\pump.py"}))
    turns = (
        Turn(role="assistant", content=(call,), session="garden"),
        *garden(40)[1:],
        Turn(role="assistant", content=(replace(call, call_id="d"),), session="garden"),
    )
    (cut,) = compact_history(History(name="garden", turns=turns), PLAIN, [0.9])
    assert cut.used["path"] == cut.kept[REFERENCE]["path"] > 0


@pytest.mark.requirement("F-KEEP-01")
def test_a_history_of_last_turns_alone_is_left_out() -> None:
    turns = (Turn(role="user", content="Mend src/garden/plan.py please. " * 40, session="garden"),) * 3
    assert compact_history(History(name="garden", turns=turns), PLAIN) == []


@pytest.mark.requirement("F-KEEP-01")
def test_what_is_not_said_again_does_not_count() -> None:
    assert later_uses(seen("See src/garden/plan.py."), seen("All is well.")) == []


@pytest.mark.requirement("F-KEEP-01")
def test_a_decision_counts_when_a_turn_comes_back_to_what_is_rare_in_it() -> None:
    first = seen("We decided to water the tomatoes at dawn.", *["The weather is fine."] * 3)
    (use,) = later_uses(first, seen("The weather was fine.", "At dawn the tomatoes had water."))
    assert use.kind == "decision"
    assert use.query == "At dawn the tomatoes had water."


@pytest.mark.requirement("F-KEEP-02")
@pytest.mark.parametrize("name", [LAST, *SUMMARISERS])
def test_extracts_keep_the_budget(name: str) -> None:
    texts = [f"Bed number {number} needs water because the soil of bed {number} is dry today." for number in range(40)]
    text = extracts()[name](texts, 60)
    assert 0 < tokens(text) <= 60
    assert all(line in "\n".join(texts) for line in text.splitlines())
    assert extracts()[name](texts, 0) == ""


@pytest.mark.requirement("F-KEEP-01")
def test_every_value_is_in_the_recap_or_restored_by_reference() -> None:
    history = History(name="garden", turns=garden())
    (cut,) = compact_history(history, PLAIN, cuts=(0.9,))
    assert cut.recap <= cut.tokens // 30 + 1
    assert cut.covered < cut.tokens
    assert sum(cut.used.values()) >= 2
    assert share([cut], LITERALLY) is not None
    assert (share([cut], LITERALLY) or 0) <= (share([cut], FOUND) or 0) <= (share([cut], REFERENCE) or 0) == 1.0


@pytest.mark.requirement("F-KEEP-03")
def test_questions_are_answered_at_equal_tokens(tmp_path: Path) -> None:
    (history,) = load_histories(small_talk(tmp_path))
    outcomes = answer_questions(history, CondenseSetup(config=Config(), extracts=extracts(()), sample=2), [400])
    assert 1 <= len(outcomes) <= 2
    for outcome in outcomes:
        assert list(outcome.found) == [ALONE, RECAP, LAST]
        assert all(found["400"].tokens <= 400 for found in outcome.found.values())
    assert answer_questions(History(name="garden", turns=garden()), PLAIN, [400]) == []


@pytest.mark.requirement("F-TDY-08")
def test_answers_are_read_by_their_words_or_by_needles() -> None:
    asked = DatasetQuestion(id="q", text="Which engine runs the pump?", category="c", evidence=("a",))
    told = replace(asked, answer="The old diesel engine, in March")
    assert readable(asked, "anything") is None
    assert readable(told, "An old one.") == pytest.approx(1 / 3)
    assert readable(told, "In March the diesel was old.") == 1.0
    literal = replace(told, needles=("a  Diesel", "of March"))
    assert readable(literal, "a diesel\nsince the first of March") == 1.0
    assert readable(literal, "a diesel since May") == 0.0


@pytest.mark.slow
@pytest.mark.requirement("F-TDY-08")
def test_answers_stand_beside_the_evidence_for_each_form_and_budget(tmp_path: Path) -> None:
    histories = load_histories(small_talk(tmp_path))
    setup = CondenseSetup(config=Config(), extracts=extracts(()), sample=3)
    run = run_condense(histories, setup, data="talk", budgets=[200, 400])
    (sheet,) = (each for each in condense_sheets(run) if each.title.startswith("Answers of"))
    assert [row[0] for row in sheet.rows] == [ALONE, RECAP, LAST]
    answers = summarise_condense(run)["answers"][RECAP]["400"]
    assert 0 <= answers["answered"] <= 1
    assert 0 <= answers["answer"] <= 1


@pytest.mark.requirement("F-TDY-08")
def test_a_history_is_compacted_when_asked_and_not_before() -> None:
    due = replace(Config(), condense=replace(Config().condense, session_tokens=100))
    (cut,) = compact_history(History(name="garden", turns=garden()), CondenseSetup(config=due), [0.9])
    assert cut.covered > 0


@pytest.mark.requirement("F-KEEP-01")
def test_the_sessions_of_a_file_are_joined_in_the_order_in_which_they_began(tmp_path: Path) -> None:
    lines = [
        {"role": "user", "content": "second", "session": "b", "at": "2025-01-02T00:00:00+00:00"},
        {"role": "user", "content": "first", "session": "a", "at": "2025-01-01T00:00:00+00:00"},
    ]
    file = tmp_path / "talk.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (history,) = load_histories(file)
    assert [turn.text for turn in history.turns] == ["first", "second"]
    assert {turn.session for turn in history.turns} == {"talk"}


@pytest.mark.requirement("F-KEEP-01")
def test_a_run_is_shown_and_summarised() -> None:
    run = run_condense([History(name="garden", turns=garden())], PLAIN, data="garden")
    sizes, survival = condense_sheets(run)
    assert "before / after" in sizes.text()
    assert "values and decisions" in survival.text()
    assert summarise_condense(run)["survival"][REFERENCE]["all"] == 1.0
    with pytest.raises(InputError, match="too short"):
        run_condense([History(name="garden", turns=garden(0)[:1])], PLAIN, data="garden")
