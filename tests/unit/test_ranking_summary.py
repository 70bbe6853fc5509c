"""Whose words a question is after where an assistant takes part: the person's, the assistant's, or both."""

import pytest

from clew.types import Turn
from tests.ranking_spaces import asked, order, said, space


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
    assert roles("Summarise the garden plan with the roses") == "aaaauuuu"
    assert roles("Give me an overview of the garden plan with the roses") == "aaaauuuu"


@pytest.mark.requirement("F-SUMMARY-03")
def test_the_assistants_words_bring_its_turns_before_the_persons() -> None:
    assert roles("Where did you suggest to put the roses of the garden plan?") == "aaaauuuu"
    assert roles("Where did I suggest to put the roses of the garden plan?") == "uuuuaaaa"


@pytest.mark.requirement("F-SUMMARY-01")
def test_without_an_assistant_a_summary_changes_no_order() -> None:
    turns = [said("The garden plan has roses.", speaker="Ann"), said("The garden plan has a pond.", speaker="Bob")]
    frame = asked(space(*turns), "Summarise the garden plan")
    assert frame.query.wants_summary
    assert order(frame) == order(asked(space(*turns), "The garden plan"))


@pytest.mark.requirement("F-SUMMARY-02")
def test_asking_politely_is_not_asking_for_the_assistants_words() -> None:
    view = space(*talk())
    assert not asked(view, "Can you list the order in which I spoke of roses?").query.wants_assistant
    assert not asked(view, "Could you tell me where the roses go?").query.wants_assistant
    assert asked(view, "Where did you suggest to put the roses?").query.wants_assistant
    assert asked(view, "Can you tell me what you suggested for the roses?").query.wants_assistant
    assert asked(view, "What was your advice on the pond?").query.wants_assistant
