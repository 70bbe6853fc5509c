"""Gathers small adjacent segments into larger ones in memory, so that a question looks at few of them.

Packing leaves up to a dozen small segments, since each merge of stored segments is written to disk. In memory a merge
of terms costs 2 us a turn and saves memory, as segments repeat each other's terms; one of vectors is a copy. Results do
not depend on it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from clew.index.segment import Segment, merge
from clew.index.vector_segment import VectorBlock
from clew.store.selections import SegmentKey

LARGEST: Final = 16_384
"""Most turns of a gathered segment; larger ones are stored that way and stay as they are."""

GROWTH: Final = 2
"""A segment joins those after it if it has at most this many times their turns, so that a turn is merged seldom."""

Group = tuple[SegmentKey, ...]
"""The keys of the stored segments whose turns a segment in memory has, in order."""


def regrouped(keys: Sequence[SegmentKey], groups: Sequence[Group]) -> list[Group]:
    """The stored segments in the groups in which they are in memory; those that are in none stand alone."""
    known = {group[0]: group for group in groups}
    result: list[Group] = []
    place = 0
    while place < len(keys):
        group = known.get(keys[place], ())
        if not group or tuple(keys[place : place + len(group)]) != group:
            group = (keys[place],)
        result.append(group)
        place += len(group)
    return result


def gathered(groups: Sequence[Group], segments: Sequence[Segment]) -> tuple[list[Group], list[Segment]]:
    """Merges small adjacent segments, from the newest on; the others are returned as they are."""
    sizes = [len(segment.turns.ordinal) for segment in segments]
    merged: list[tuple[Group, Segment]] = []
    end = len(sizes)
    while end:
        start, turns = end - 1, sizes[end - 1]
        while start and sizes[start - 1] <= GROWTH * turns and turns + sizes[start - 1] <= LARGEST:
            start -= 1
            turns += sizes[start]
        some = segments[start:end]
        group = tuple(key for group in groups[start:end] for key in group)
        merged.append((group, some[0] if len(some) == 1 else Segment.load(merge(some))))
        end = start
    merged.reverse()
    return [group for group, _ in merged], [segment for _, segment in merged]


def adjoining(blocks: Mapping[SegmentKey, VectorBlock]) -> list[Group]:
    """The segments whose blocks may be joined: of one model, and with turns that follow each other if any are unbroken.

    Args:
        blocks: those of a model in their order, one model after the other.
    """
    groups: list[Group] = []
    turns, before = 0, None
    for key, block in blocks.items():
        size = len(block.positions)
        follows = before is not None and groups[-1][-1].kind == key.kind and before.may_precede(block)
        if follows and turns + size <= LARGEST:
            groups[-1], turns = (*groups[-1], key), turns + size
        else:
            groups.append((key,))
            turns = size
        before = block
    return groups
