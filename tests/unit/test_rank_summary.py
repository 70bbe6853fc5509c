"""Whose words a question is after where an assistant takes part: the person's, the assistant's, or both."""

import pytest

from clew.config import RecallConfig
from clew.rank.search import rank
from clew.types import Turn
from tests.support.ranking_spaces import asked, order, said, space


def talk() -> list[Turn]:
    """Four questions of a person, each with an answer of the same words."""
    found = []
    for number in range(4):
        text = f"The garden plan, part {number}: roses and a pond."
        found += [said(text), said(text, role="assistant")]
    return found


def roles(question: str) -> str:
    """Who said each turn that is found, best first: `u` or `a`."""
    turns = talk()
    return "".join(turns[position].role[0] for position in order(asked(space(*turns), question)))


@pytest.mark.requirement("F-SUMMARY-01")
def test_a_summary_brings_the_assistants_turns_like_the_persons() -> None:
    assert roles("Where do the roses of the garden plan go?") == "uuuuaaaa"
    assert roles("Summarise the garden plan with the roses") == "auauauau"
    assert roles("Give me an overview of the garden plan with the roses") == "auauauau"


@pytest.mark.requirement("F-SUMMARY-04")
def test_an_order_brings_what_the_person_opened_a_session_with() -> None:
    turns = [
        *(said("The garden.", session="a"), said("The garden.", session="a", role="assistant")),
        *(said("The garden.", session="a"), said("The garden.", session="a", role="assistant")),
        *(said("The garden.", session="b"), said("The garden.", session="b", role="assistant")),
    ]
    shares = [
        {each.position: each.shares.get("opening") for each in rank(asked(space(*turns), question), limit=9)}
        for question in (
            "In what order did I speak of the garden?",
            "List, in chronological order, parts of the garden",
            "What did I buy in order to plant the garden?",
        )
    ]
    weight = RecallConfig().opening
    assert shares[0] == shares[1] == {0: weight, 1: None, 2: weight / 2, 3: None, 4: weight, 5: None}
    assert set(shares[2].values()) == {None}
    people = space(said("The garden.", speaker="Ann"), said("The garden.", speaker="Bob"))
    asked_of_people = asked(people, "In what order did Ann speak of the garden?")
    assert asked_of_people.intent.wants.order
    assert all("opening" not in each.shares for each in rank(asked_of_people, limit=9))


@pytest.mark.requirement("F-SUMMARY-03")
def test_the_assistants_words_bring_its_turns_before_the_persons() -> None:
    assert roles("Where did you suggest to put the roses of the garden plan?") == "aaaauuuu"
    assert roles("Where did I suggest to put the roses of the garden plan?") == "uuuuaaaa"


@pytest.mark.requirement("F-SUMMARY-01")
def test_without_an_assistant_a_summary_changes_no_order() -> None:
    turns = [said("The garden plan has roses.", speaker="Ann"), said("The garden plan has a pond.", speaker="Bob")]
    frame = asked(space(*turns), "Summarise the garden plan")
    assert frame.intent.wants.summary
    assert order(frame) == order(asked(space(*turns), "The garden plan"))


@pytest.mark.requirement("F-SUMMARY-02")
def test_asking_politely_is_not_asking_for_the_assistants_words() -> None:
    view = space(*talk())
    assert not asked(view, "Can you list the order in which I spoke of roses?").intent.wants.assistant
    assert not asked(view, "Could you tell me where the roses go?").intent.wants.assistant
    assert asked(view, "Where did you suggest to put the roses?").intent.wants.assistant
    assert asked(view, "Can you tell me what you suggested for the roses?").intent.wants.assistant
    assert asked(view, "What was your advice on the pond?").intent.wants.assistant
