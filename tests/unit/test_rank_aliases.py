"""Who is meant by a name that no turn stands under."""

import pytest

from clew.rank.intent import Intent, read_intent
from clew.structure.nicknames import nicknames
from clew.types import Turn
from tests.support.ranking_spaces import NOON, said, space

HELLO = (
    said("Hey Kate, how are you?", speaker="Elise"),
    said("Hi Emily! I went to a concert.", speaker="Emi"),
    said("Morning Kate!", speaker="Elise"),
    said("Hi Emily.", speaker="Emi"),
)


def read(question: str, *turns: Turn) -> Intent:
    view = space(*turns)
    return read_intent(
        question, view.speakers, NOON, with_assistant=False, known_as=lambda words: nicknames(view, words)
    )


def named(question: str, *turns: Turn) -> list[str]:
    return [space(*turns).speakers[code] for code in read(question, *turns).speakers]


@pytest.mark.requirement("F-RANKING-21")
def test_who_is_greeted_twice_by_a_name_has_it() -> None:
    assert named("Where did Kate go?", *HELLO) == ["Emi"]
    assert named("where did kate go?", *HELLO) == ["Emi"]
    assert named("Did Kate and Emily meet?", *HELLO) == ["Elise", "Emi"]
    assert named("Did Katherine go?", *HELLO) == []
    assert read("Where did Kate go?", *HELLO).rewritten == "Where did you go?"


@pytest.mark.requirement("F-RANKING-21")
def test_who_says_so_twice_has_the_name() -> None:
    turns = (said("My name is Kate.", speaker="Emi"), said("Call me Kate, please.", speaker="Emi"))
    assert named("Where is Kate?", *turns) == ["Emi"]


@pytest.mark.requirement("F-RANKING-21")
@pytest.mark.parametrize(
    "turns",
    [
        HELLO[1:],
        HELLO[:1] * 3,
        (*HELLO[:1], said("Hello Kate.", speaker="Bob"), HELLO[1]),
        (*HELLO, *(said(f"kate {number}", speaker="Emi") for number in range(9))),
        (said("Hey Kate.", speaker="Elise"), said("Hi", speaker="Emi"), said("Hey Kate.", speaker="Emi")),
        (),
    ],
    ids=["once", "nobody else speaks", "two others", "a word like any other", "each to the other", "no turns"],
)
def test_what_might_be_chance_names_nobody(turns: tuple[Turn, ...]) -> None:
    assert named("Where did Kate go?", *turns) == []


@pytest.mark.requirement("F-RANKING-21")
def test_newest_turns_decide_and_few_are_looked_at() -> None:
    turns = [each for place in range(40) for each in (said(f"Hey Kate! {place}", speaker="Elise"), HELLO[1])]
    view = space(*turns)
    walked: list[int] = []
    inner = view.neighbours

    def counted(position: int, before: int, after: int) -> list[int]:
        walked.append(position)
        return inner(position, before, after)

    view.neighbours = counted  # type: ignore[method-assign]  # counts the work
    assert nicknames(view, ["kate"]) == {"kate": view.speakers.index("Emi")}
    assert nicknames(view, ["kate"]) == {"kate": view.speakers.index("Emi")}
    assert walked == list(range(78, 62, -2))
