"""Chapters cover all beats once, in order, within their bounds; closed chapters never change."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.structure.chapters import Chapter, ChapterRule, OpenTree, Profile, finish, grow

rules = st.builds(
    lambda children, more, size: ChapterRule(children=children, open=children + more, size=size),
    st.integers(2, 6),
    st.integers(1, 6),
    st.integers(2, 6),
)


def beat(place: int, topic: int) -> Profile:
    return Profile(node=f"s:beat:{place}", low=place, high=place, turns=1, terms=((topic, 1),))


@pytest.mark.requirement("W-STRUCT-07")
@given(st.lists(st.integers(0, 4), max_size=60), rules)
def test_every_node_has_one_parent_within_bounds(topics: list[int], rule: ChapterRule) -> None:
    state = OpenTree()
    chapters: list[Chapter] = []
    for place, topic in enumerate(topics):
        state = OpenTree.from_dict(json.loads(json.dumps(state.to_dict())))
        grown = grow(state, beat(place, topic), "s", rule)
        state = grown.state
        chapters += grown.closed
        assert all(len(nodes) < rule.open for nodes in state.levels)
        assert all(2 <= len(chapter.children) <= rule.children for chapter in grown.closed)
    chapters += finish(state, "s", rule)
    parents = Counter(child for chapter in chapters for child in chapter.children)
    assert set(parents.values()) <= {1}
    for level in {chapter.level for chapter in chapters}:
        row = [chapter for chapter in chapters if chapter.level == level]
        assert [c.profile.low for c in row] == sorted(c.profile.low for c in row)
        assert sum(c.profile.turns for c in row) == len(topics)
    assert [f"s:beat:{n}" for n in range(len(topics))] == [
        child for chapter in chapters if chapter.level == 2 for child in chapter.children
    ]
    assert max((len(chapter.children) for chapter in chapters), default=0) <= rule.children
