"""Our own talks, whose questions are checked against their texts, and what is counted over them."""

from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.confidence import partner
from benchmarks.confidence_sets import TALKS, AskedQuestion, JudgedSpace, faults, read_talks, read_tongues
from benchmarks.talks import TOGETHER, find, table, together
from clew.types import Turn


def talk(name: str, *texts: str, asked: AskedQuestion) -> JudgedSpace:
    """A talk of one session, whose turns are called by their places."""
    turns = [Turn(role="user", content=text, session="s1", external_id=str(at)) for at, text in enumerate(texts)]
    return JudgedSpace(
        name=name,
        source="ours",
        texts={str(turn.external_id): turn.text for turn in turns},
        sessions=[turns],
        questions=(asked,),
    )


BOILER = talk(
    "house",
    "The blue boiler in the cellar leaks.",
    "Lunch is at noon.",
    asked=AskedQuestion(text="Which boiler leaks?", kind="single", evidence=("0",), needles=("blue boiler",)),
)
REDIS = talk(
    "work",
    "We picked Redis for the sessions.",
    asked=AskedQuestion(text="What did we pick?", kind="why", evidence=("0",), needles=("Postgres",)),
)


@pytest.mark.requirement("F-SURE-11")
def test_every_talk_tells_what_is_asked_and_nothing_of_near_misses() -> None:
    talks = list(read_talks())
    assert [each.name for each in talks] == [name for names in TALKS.values() for name in names]
    for each in talks:
        assert list(faults(each)) == []
        assert len(each.questions) >= 28
        assert len(each.near) >= 14
        assert all(question.evidence and len(question.evidence) == len(question.needles) for question in each.questions)
        assert all(miss.never for miss in each.near)
        assert {"single", "several", "change", "why", "when"} <= set(Counter(asked.kind for asked in each.questions))
        assert len({turn.session for session in each.sessions for turn in session}) >= 8


@pytest.mark.requirement("F-SURE-11")
def test_questions_about_others_are_those_of_the_next_talk_of_the_kind() -> None:
    talks = list(read_talks())
    others = {talk.name: partner(talk, talks) for talk in talks}
    for names in TALKS.values():
        following = [*names[1:], names[0]] if len(names) > 1 else [None]
        assert [None if (other := others[name]) is None else other.name for name in names] == following


@pytest.mark.requirement("F-SURE-11")
def test_evidence_and_needles_are_counted_alone_and_together() -> None:
    both = together([BOILER, REDIS])
    assert set(both.texts) == {"house/0", "house/1", "work/0"}
    found = [each for space in (BOILER, REDIS, both) for each in find(space, None)]
    assert [each.space for each in found] == ["house", "work", TOGETHER, TOGETHER]
    assert [(each.evidence[0], each.needles[0]) for each in found] == [(1, True), (1, False)] * 2
    text = table("Figures", found).markdown()
    assert "| ours: house | 1 | 100.0 / 100.0 |" in text
    assert "| ours, each alone | 2 | 100.0 / 50.0 |" in text
    assert "| ours, each alone: why | 1 | 100.0 / 0.0 |" in text
    assert f"| ours, {TOGETHER} | 2 | 100.0 / 50.0 |" in text
    assert TOGETHER not in table("Figures", [replace(each, space="x") for each in found]).markdown()


@pytest.mark.requirement("F-SURE-11")
def test_talks_in_other_languages_have_what_is_asked() -> None:
    spaces = list(read_tongues())
    assert len(spaces) == 12
    assert [fault for space in spaces for fault in faults(space)] == []
    assert all(len(asked.evidence) == 1 for space in spaces for asked in space.questions)
