"""How beats become chapters, and chapters a tree."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from clew.structure.chapters import (
    MAX_TERMS,
    Chapter,
    ChapterRule,
    OpenTree,
    Profile,
    finish,
    grow,
    profile_of,
    similarity,
)
from clew.structure.features import features, unpacked

START = datetime(2026, 3, 25, 9, 0, tzinfo=UTC)


def beat(place: int, *topics: int, hours: float | None = None) -> Profile:
    at = None if hours is None else START + timedelta(hours=hours)
    return Profile(
        node=f"s:beat:{place}",
        low=place,
        high=place,
        turns=1,
        terms=tuple((topic, 2) for topic in topics),
        at_low=at,
        at_high=at,
    )


def tree(beats: list[Profile], rule: ChapterRule | None = None) -> list[Chapter]:
    state = OpenTree()
    chapters: list[Chapter] = []
    for each in beats:
        grown = grow(state, each, "s", rule or ChapterRule())
        state = grown.state
        chapters += grown.closed
    return [*chapters, *finish(state, "s", rule or ChapterRule())]


def starts(chapters: list[Chapter], level: int = 2) -> list[int]:
    return [chapter.profile.low for chapter in chapters if chapter.level == level]


@pytest.mark.requirement("W-STRUCT-07")
def test_chapters_follow_the_topics() -> None:
    sizes = [3, 6, 4, 7, 5]
    topics = [topic for topic, size in enumerate(sizes) for _ in range(size)]
    found = starts(tree([beat(place, topic, 99) for place, topic in enumerate(topics)]))
    assert found == [0, 3, 9, 13, 20]


@pytest.mark.requirement("W-STRUCT-07")
def test_silence_parts_what_is_alike() -> None:
    hours = [0, 1, 2, 3, 100, 101, 102, 103, 104, 200, 201, 202, 203]
    assert starts(tree([beat(place, 1, hours=hour) for place, hour in enumerate(hours)])) == [0, 4, 9]


@pytest.mark.requirement("W-STRUCT-07")
def test_a_tree_stands_over_all_beats() -> None:
    chapters = tree([beat(place, place // 5, place // 25 + 1000) for place in range(200)])
    by_id = {chapter.profile.node: chapter for chapter in chapters}
    (root,) = by_id.keys() - {child for chapter in chapters for child in chapter.children}
    leaves = []
    todo = [root]
    while todo:
        name = todo.pop()
        if name in by_id:
            todo += reversed(by_id[name].children)
        else:
            leaves.append(name)
    assert leaves == [f"s:beat:{place}" for place in range(200)]
    assert by_id[root].level == max(chapter.level for chapter in chapters) > 3
    assert (by_id[root].profile.low, by_id[root].profile.high, by_id[root].profile.turns) == (0, 199, 200)
    assert [chapter.number for chapter in chapters] == list(range(len(chapters)))


@pytest.mark.requirement("W-STRUCT-07")
def test_a_few_beats_are_one_chapter() -> None:
    assert finish(OpenTree(), "s") == ()
    (only,) = tree([beat(0, 1)])
    assert (only.children, only.level) == (("s:beat:0",), 2)
    (only,) = tree([beat(place, place) for place in range(8)])
    assert len(only.children) == 8


@pytest.mark.requirement("W-STRUCT-07")
def test_profiles_are_bounded_and_hold_no_text() -> None:
    texts = [" ".join(f"word{n}x{k}" for k in range(60)) for n in range(9)]
    wordy = profile_of("s:beat:0", [features(text, (0.5, 0.5, {}), seq=n) for n, text in enumerate(texts)])
    assert (len(wordy.terms), wordy.vector) == (MAX_TERMS, None)
    vector = np.array([0.6, 0.8])
    turns = [features(text, (0.5, 0.5, {}), seq=n, vector=vector) for n, text in enumerate(texts)]
    profile = profile_of("s:beat:0", turns)
    assert profile.terms == (), "its vector says the same better"
    assert (profile.low, profile.high, profile.turns, profile.at_low) == (0, 8, 9, None)
    assert similarity(profile, profile) == pytest.approx(1.0, abs=1e-3)
    bare = profile_of("s:beat:1", [features("", (0.0, 0.0, {}), seq=9)])
    assert (bare.terms, bare.vector) == ((), None)
    assert similarity(profile, bare) == 0.0


@pytest.mark.requirement("W-STRUCT-07")
def test_longer_beats_weigh_more_in_a_chapter() -> None:
    east, north = ([features("", (0.5, 0.5, {}), seq=n, vector=v) for n in range(9)] for v in ([1.0, 0.0], [0.0, 1.0]))
    beats = [profile_of("s:beat:0", east), profile_of("s:beat:1", north[:3])]
    (chapter,) = tree(beats)
    assert chapter.profile.vector is not None
    assert unpacked(chapter.profile.vector) == pytest.approx([0.9487, 0.3162], abs=0.01)
    assert chapter.profile.turns == 12


@pytest.mark.requirement("W-STRUCT-07")
def test_no_chapter_of_an_unfinished_session_has_one_beat() -> None:
    state = OpenTree()
    closed: list[Chapter] = []
    for place, topic in enumerate([0, *[1] * 20]):
        grown = grow(state, beat(place, topic), "s")
        state = grown.state
        closed += grown.closed
    assert closed[0].children[:2] == ("s:beat:0", "s:beat:1")
