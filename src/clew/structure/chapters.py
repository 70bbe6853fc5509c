"""Beats -> chapters -> a tree over the session, one closed node at a time, grown at its right edge only.

Each level keeps the nodes that have no parent yet. When there are `ChapterRule.open` of them, neighbours are clustered
bottom-up (the most similar pair first), and the leftmost cluster is closed as a chapter: the chapter, its children and
its number are final. A closed chapter becomes the next node of the level above. So the depth of the tree grows with the
logarithm of the number of beats, no chapter has more than `ChapterRule.children` children, and adding a beat costs the
same however long the session is.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import log2, sqrt
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.structure.features import TurnFeatures, packed, unpacked
from clew.types.ids import BEAT
from clew.types.record import Record

MAX_TERMS: Final = 96
_COUNT: Final = itemgetter(1)
# Similarity lost for each doubling of the silence between two nodes: 0.05 for an hour, 0.23 for a day, 0.37 for a week.
_SILENCE: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterRule(Record):
    """The shape of the tree.

    Attributes:
        children: most children of a chapter, at least 2.
        open: nodes of a level that accumulate before the first of them are put into a chapter; more than `children`.
        size: children of a chapter on average, if the similarities allow.
    """

    children: int = 8
    open: int = 12
    size: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(Record):
    """What is compared of two neighbouring nodes; bounded in size, without text.

    Attributes:
        node: its id.
        low, high: seqs of its first and last turn.
        turns: number of turns it covers.
        terms: hashed terms with the number of turns that have them, as pairs, most frequent first; empty where there is
            a vector, which compares better.
        vector: direction of the sum of its turns' vectors; None when none has one.
        at_low, at_high: event time of its first and last turn; None when unknown.
    """

    node: str
    low: int
    high: int
    turns: int
    terms: tuple[tuple[int, int], ...]
    vector: bytes | None = None
    at_low: datetime | None = None
    at_high: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter(Record):
    """A closed chapter.

    Attributes:
        number: its index in the order in which the session's chapters closed, from 0; part of its id.
        level: 2 over beats, 3 over chapters of level 2, and so on.
        children: ids of its nodes in order, at least one.
        profile: the profile of the whole chapter.
    """

    number: int
    level: int
    children: tuple[str, ...]
    profile: Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTree(Record):
    """The right edge of a session's tree.

    Attributes:
        levels: from the beats up, the nodes that have no parent yet, each level in order.
        closed: number of chapters closed so far.
    """

    levels: tuple[tuple[Profile, ...], ...] = ()
    closed: int = 0


@dataclass(frozen=True, slots=True)
class TreeGrowth:
    """The result of adding one beat: the new right edge, and the chapters that closed, lower levels first."""

    state: OpenTree
    closed: tuple[Chapter, ...]


DEFAULT: Final = ChapterRule()


def chapter_id(prefix: str, number: int) -> str:
    """`<prefix>:chapter:<number>`; the prefix is the session's, as in its turns' ids."""
    return f"{prefix}:chapter:{number}"


def profile_of(node: str, turns: Sequence[TurnFeatures]) -> Profile:
    """The profile of a beat from its turns; at least one turn is needed."""
    vectors = [unpacked(turn.vector) for turn in turns if turn.vector is not None]
    counted = Counter(term for turn in turns for term in turn.terms) if not vectors else Counter[int]()
    times = [turn.at for turn in turns if turn.at is not None]
    return Profile(
        node=node,
        low=turns[0].seq,
        high=turns[-1].seq,
        turns=len(turns),
        terms=_commonest(counted),
        vector=packed(_total(vectors)),
        at_low=times[0] if times else None,
        at_high=times[-1] if times else None,
    )


def grow(state: OpenTree, beat: Profile, prefix: str, rule: ChapterRule = DEFAULT) -> TreeGrowth:
    """Take the next closed beat of a session.

    Args:
        state: the right edge before it.
        beat: its profile.
        prefix: what the ids of the session's chapters begin with.
        rule: the shape of the tree.
    """
    levels = [list(nodes) for nodes in state.levels]
    closed: list[Chapter] = []
    arrived: Profile | None = beat
    level = 0
    while arrived is not None:
        if level == len(levels):
            levels.append([])
        nodes = levels[level]
        nodes.append(arrived)
        arrived = None
        if len(nodes) >= rule.open:
            count = len(_clusters(nodes, rule)[0])
            chapter = _close(nodes[:count], level, state.closed + len(closed), prefix)
            del nodes[:count]
            closed.append(chapter)
            arrived = chapter.profile
            level += 1
    return TreeGrowth(OpenTree(levels=_frozen(levels), closed=state.closed + len(closed)), tuple(closed))


def finish(state: OpenTree, prefix: str, rule: ChapterRule = DEFAULT) -> tuple[Chapter, ...]:
    """The chapters still open when a session ends: every node gets a parent, up to one root.

    Empty when there is no node, or only the root.
    """
    levels = [list(nodes) for nodes in state.levels]
    closed: list[Chapter] = []
    for level, nodes in enumerate(levels):
        is_top = level == len(levels) - 1
        if is_top and len(nodes) == 1 and level > 0:
            break
        groups = [list(nodes)] if len(nodes) <= rule.children else _clusters(nodes, rule)
        for group in groups if nodes else []:
            chapter = _close(group, level, state.closed + len(closed), prefix)
            closed.append(chapter)
            if level + 1 == len(levels):
                levels.append([])
            levels[level + 1].append(chapter.profile)
    return tuple(closed)


def similarity(left: Profile, right: Profile) -> float:
    """Similarity of two neighbouring nodes: cosine of vectors, or of terms where one has no vector, less silence."""
    if left.vector is not None and right.vector is not None:
        near = float(unpacked(left.vector) @ unpacked(right.vector))
    else:
        near = term_cosine(left.terms, right.terms)
    if left.at_high is not None and right.at_low is not None:
        hours = max(0.0, (right.at_low - left.at_high).total_seconds() / 3600.0)
        near -= _SILENCE * log2(1.0 + hours)
    return round(near, 6)


def _clusters(nodes: Sequence[Profile], rule: ChapterRule) -> list[list[Profile]]:
    """Neighbours merged bottom-up, the most similar pair first (the leftmost of equals), within bounds.

    No cluster has more than `rule.children` nodes; the first has at least two if there are two.
    """
    groups = [[node] for node in nodes]
    whole = list(nodes)
    near = [similarity(left, right) for left, right in pairwise(whole)]
    target = -(-len(nodes) // rule.size)
    while len(groups) > target:
        fitting = [
            (-each, place)
            for place, each in enumerate(near)
            if len(groups[place]) + len(groups[place + 1]) <= rule.children
        ]
        if not fitting:
            break
        _merge(groups, whole, near, min(fitting)[1])
    if len(groups) > 1 and len(groups[0]) == 1:
        if len(groups[1]) < rule.children:
            _merge(groups, whole, near, 0)
        else:
            groups[0].append(groups[1].pop(0))
    return groups


def _merge(groups: list[list[Profile]], whole: list[Profile], near: list[float], place: int) -> None:
    """Join a cluster with the next one, and compare the result with its new neighbours."""
    groups[place : place + 2] = [groups[place] + groups[place + 1]]
    whole[place : place + 2] = [_join(whole[place : place + 2], "")]
    del near[place]
    for gap in (place - 1, place):
        if 0 <= gap < len(near):
            near[gap] = similarity(whole[gap], whole[gap + 1])


def _close(nodes: Sequence[Profile], level: int, number: int, prefix: str) -> Chapter:
    profile = _join(nodes, chapter_id(prefix, number))
    return Chapter(number=number, level=BEAT + level + 1, children=tuple(node.node for node in nodes), profile=profile)


def _join(nodes: Sequence[Profile], name: str) -> Profile:
    """One profile of several neighbours: turns and terms add up, vectors are weighted by their turns."""
    vectors = [unpacked(node.vector) * node.turns for node in nodes if node.vector is not None]
    counted: Counter[int] = Counter()
    for node in nodes if not vectors else ():
        for term, count in node.terms:
            counted[term] += count
    return Profile(
        node=name,
        low=nodes[0].low,
        high=nodes[-1].high,
        turns=sum(node.turns for node in nodes),
        terms=_commonest(counted),
        vector=packed(_total(vectors)),
        at_low=next((node.at_low for node in nodes if node.at_low is not None), None),
        at_high=next((node.at_high for node in reversed(nodes) if node.at_high is not None), None),
    )


def _commonest(counted: Counter[int]) -> tuple[tuple[int, int], ...]:
    """The most frequent terms with their counts; ties go to the smaller hash."""
    return tuple(sorted(sorted(counted.items()), key=_COUNT, reverse=True)[:MAX_TERMS])  # stable among equals


def term_cosine(left: Iterable[tuple[int, int]], right: Iterable[tuple[int, int]]) -> float:
    """Cosine over the square roots of the counts, so that one frequent word does not dominate the others."""
    mine, theirs = (dict(terms) for terms in (left, right))
    shared = sum([sqrt(count * theirs[term]) for term, count in mine.items() if term in theirs])
    return shared / sqrt(sum(mine.values()) * sum(theirs.values())) if shared else 0.0


def _total(vectors: Sequence[NDArray[np.float64]]) -> NDArray[np.float64] | None:
    if not vectors:
        return None
    total = vectors[0]
    for vector in vectors[1:]:
        total = total + vector
    return total


def _frozen(levels: Sequence[Sequence[Profile]]) -> tuple[tuple[Profile, ...], ...]:
    return tuple(map(tuple, levels))
