"""Facts by rules: what a group comes to, and what one of its members switches to."""

import pytest

from benchmarks.turn_repairs import GROUPS, Case, read_cases, turns_of, wrong
from clew.knowledge.rules.extract import statements
from clew.types.turn import Turn
from tests.support.memories import at
from tests.unit.test_knowledge_hollow import triples

CASES = read_cases(GROUPS)
UNREAD = ("Mara: Our contract is with Vodafone. / Jonas: We use Teams for calls. / Mara: Then we change to Zoom.",)


@pytest.mark.requirement("K-READ-22")
@pytest.mark.parametrize("case", [case for case in CASES if case.text not in UNREAD], ids=lambda case: case.text[-60:])
def test_what_a_group_comes_to_takes_the_place_of_what_it_had(case: Case) -> None:
    assert wrong(case) == []


@pytest.mark.requirement("K-READ-22")
def test_a_choice_is_for_what_the_question_asked() -> None:
    (case,) = [case for case in CASES if "it is" in case.text and "over" not in case.text and "Frankfurt" in case.text]
    (said,) = [each for each in statements(turns_of(case)) if each.verb == "decides on"]
    assert (said.subject, said.object, said.scope) == ("we", "Frankfurt", "servers")


@pytest.mark.requirement("K-READ-22")
@pytest.mark.parametrize(
    "text", ["Yes it is.", "Here it is.", "Oh sure it is.", "So how nice it is!", "Agreed, that was a good choice."]
)
def test_an_exclamation_is_no_decision(text: str) -> None:
    assert [each for each in triples(("Mara", "Hm."), ("Jonas", text)) if each[1].startswith("decides")] == []


@pytest.mark.requirement("K-READ-22")
def test_who_is_alone_with_an_assistant_decides_alone() -> None:
    said = [Turn(role="assistant", content="SQLite or Postgres?"), Turn(role="user", content="Then SQLite it is.")]
    stored = [turn.stored(seq=seq, ordinal=seq, ingested_at=at(0)) for seq, turn in enumerate(said, 1)]
    assert [(each.subject, each.object) for each in statements(stored)] == [("user", "SQLite")]
