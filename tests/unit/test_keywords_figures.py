"""Questions of one or two words that are made of conversations, and what is counted over them."""

from dataclasses import replace

import pytest

from benchmarks.confidence import told
from benchmarks.confidence_sets import AskedQuestion, JudgedSpace
from benchmarks.keywords import KeywordQuestion, find, keyword_questions, noisy_turns, table
from clew.types import Turn
from tests.support.ranking_spaces import asked, column, said, space

TEXTS = ("The blue boiler leaks again.", "We asked the plumber, Molloy.", "Ok.", *(f"Lunch {n}." for n in range(30)))
HOUSE = JudgedSpace(
    name="house",
    source="ours",
    texts={str(place): text for place, text in enumerate(TEXTS)},
    sessions=[[Turn(role="user", content=text, session="s", external_id=str(at)) for at, text in enumerate(TEXTS)]],
    questions=(AskedQuestion(text="Which boiler leaks, and why?", kind="single", evidence=("0",)),),
)


@pytest.mark.requirement("F-RECALL-18")
def test_keywords_are_the_most_telling_words_of_questions_and_names_of_few_turns() -> None:
    with told(HOUSE, None) as memory:
        made = list(keyword_questions(memory, HOUSE))
    assert [(each.kind, each.text, each.evidence) for each in made] == [
        ("one word", "leaks", TEXTS[:1]),
        ("two words", "boiler leaks", TEXTS[:1]),
        ("a name", "Molloy", TEXTS[1:2]),
    ]


@pytest.mark.requirement("F-RECALL-18")
def test_noise_has_no_word_stands_apart_and_is_far_in_meaning() -> None:
    view = space(*(said(text) for text in TEXTS[:7]), said("Lunch.", session="other"))
    assert noisy_turns(asked(view, "molloy")).tolist() == [False] * 4 + [True] * 4
    near = replace(asked(view, "molloy"), cosines=column(0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.4, 0.1))
    assert noisy_turns(near).tolist() == [False] * 4 + [True] * 2 + [False, True]


@pytest.mark.requirement("F-RECALL-18")
def test_evidence_and_noise_are_counted_in_the_block() -> None:
    found = list(find(HOUSE, None))
    assert [each.evidence for each in found] == [(1.0,) * 4] * 3
    assert all(0 < each.noise[0] < each.filled[0] < 1 for each in found)
    rows = table("Figures", found).markdown()
    assert "| ours: one word | 1 | 100.0 / " in rows
    assert "| all | 3 | 100.0 / " in rows
    assert isinstance(found[0].question, KeywordQuestion)
