"""Random logs for the tests of the index: turns in several sessions and branches, odd terms, odd names, gaps."""

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import strategies as st

from clew.index.entry import PieceTerms, TurnEntry
from clew.index.segment import Segment, build, merge
from clew.index.view import IndexView
from clew.types.turn import ROLES

WORDS = ("a", "b", "c", "ab", "redis", "prefixed-1", "prefixed-2", "prefixed", "喝茶", "é", "\ud800", "a\0", "")
NAMES = ("main", "other", "第三", "")
words = st.sampled_from(WORDS)
counts = st.integers(1, 3) | st.just(300)
bags = st.dictionaries(words, counts, max_size=5)
pieces = st.builds(PieceTerms, bags, bags, st.integers(0, 500))


@st.composite
def logs(draw: st.DrawFn, max_size: int = 14) -> list[TurnEntry]:
    """Entries in the order of their ordinals; the place in a session rises with them."""
    entries: list[TurnEntry] = []
    ordinal, places = -1, dict.fromkeys(NAMES, -1)
    for _ in range(draw(st.integers(0, max_size))):
        session = draw(st.sampled_from(NAMES))
        ordinal += draw(st.integers(1, 3))
        places[session] += draw(st.integers(1, 2))
        entries.append(
            TurnEntry(
                ordinal=ordinal,
                session=session,
                seq=places[session],
                branch=draw(st.sampled_from(("", "edit"))),
                speaker=draw(st.sampled_from((None, *NAMES))),
                role=draw(st.sampled_from(ROLES)),
                at=draw(st.none() | st.integers(-(10**15), 10**16)),
                chars=draw(st.integers(0, 10**6)),
                pieces=tuple(draw(st.lists(pieces, max_size=3))),
                first_person=draw(st.booleans()),
                asks=draw(st.booleans()),
                stated=draw(st.integers(0, 500)),
            )
        )
    return entries


def packed(entries: Sequence[TurnEntry]) -> Segment:
    """One segment of these entries."""
    return Segment.load(build(entries))


@st.composite
def layouts(draw: st.DrawFn, entries: Sequence[TurnEntry]) -> IndexView:
    """A view of the entries with some of them in segments, some of those merged, and the rest in the tail."""
    cuts = draw(st.lists(st.integers(0, len(entries)), max_size=6))
    limits = sorted({0, *cuts})
    segments = [packed(entries[low:high]) for low, high in pairwise(limits)]
    for _ in range(draw(st.integers(0, 3))):
        if len(segments) > 1:
            first = draw(st.integers(0, len(segments) - 2))
            size = draw(st.integers(2, len(segments) - first))
            segments[first : first + size] = [Segment.load(merge(segments[first : first + size]))]
    return IndexView.of(segments, entries[limits[-1] :])
