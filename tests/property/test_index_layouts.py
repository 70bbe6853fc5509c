"""The index gives the same answers for any layout of segments and tail, and they follow the formulas."""

from collections.abc import Sequence
from math import isclose, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.bm25 import K1, B, NeighbourWindow, bm25f, lengths, turn_scores
from clew.index.columns import Columns
from clew.index.entry import SATURATION, TurnEntry
from clew.index.segment import NO_TIME, Segment
from clew.index.tail import Tail
from clew.index.view import IndexView
from clew.types.turn import ROLES
from tests.support.index_logs import NAMES, WORDS, layouts, logs, packed, words

windows = st.sampled_from(
    (NeighbourWindow(), NeighbourWindow.none(), NeighbourWindow((0.5,), ()), NeighbourWindow((), (0.3, 0.2, 0.1)))
)
queries = st.lists(words | st.just("nowhere"), max_size=5)

Bag = dict[str, int]


def _line(entry: TurnEntry) -> tuple[str, str, bool]:
    """What turns have in common that are neighbours: session, branch, and whether they are system prompts."""
    return entry.session, entry.branch, entry.role == "system"


def plain(entries: Sequence[TurnEntry]) -> list[tuple[int, TurnEntry, Bag, Bag, int | None, int | None]]:
    """Each piece with its turn's position, its own counts, and the pieces before and after it in its branch."""
    rows: list[list[object]] = []
    last: dict[tuple[str, str, bool], int] = {}
    for position, entry in enumerate(entries):
        for piece in entry.pieces:
            before = last.get(_line(entry))
            if before is not None:
                rows[before][5] = len(rows)
            last[_line(entry)] = len(rows)
            bags = ({term: min(count, SATURATION) for term, count in bag.items()} for bag in (piece.body, piece.extra))
            rows.append([position, entry, *bags, before, None])
    return [tuple(row) for row in rows]  # type: ignore[misc]  # the rows were made in this order


def by_hand(entries: Sequence[TurnEntry], terms: Sequence[str], window: NeighbourWindow) -> list[float]:
    rows = plain(entries)

    def seen(number: int, column: int, weights: Sequence[float]) -> list[tuple[float, Bag]]:
        found = []
        for weight in weights:
            step = rows[number][column]
            if step is None:
                break
            number = step  # type: ignore[assignment]  # columns 4 and 5 hold numbers
            found.append((weight, rows[number][2]))
        return found

    around = [seen(n, 4, window.before) + seen(n, 5, window.after) for n in range(len(rows))]
    sizes = [
        sum(row[2].values()) + sum(row[3].values()) + sum(weight * sum(bag.values()) for weight, bag in near)
        for row, near in zip(rows, around, strict=True)
    ]
    average = sum(sizes) / len(sizes) if sizes else 0.0
    scores = [0.0] * len(rows)
    for term in terms:
        df = len({row[0] for row in rows if term in row[2] or term in row[3]})
        idf = log(1 + (len(entries) - df + 0.5) / (df + 0.5))
        for number, (row, near) in enumerate(zip(rows, around, strict=True)):
            tf = row[2].get(term, 0) + row[3].get(term, 0) + sum(weight * bag.get(term, 0) for weight, bag in near)
            if df and tf:
                scores[number] += idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * sizes[number] / (average or 1)))
    return scores


def state(view: IndexView) -> dict[str, object]:
    """Everything a view says, as plain values."""
    columns = {f"turns.{name}": getattr(view.turns, name).tolist() for name in view.turns.__slots__}
    columns |= {f"pieces.{name}": getattr(view.pieces, name).tolist() for name in ("turn", "chars", "body", "extra")}
    postings = {
        word: (*(part.tolist() for part in view.postings(word)), view.document_frequency(word)) for word in WORDS
    }
    links = (view.previous.tolist(), view.next.tolist())
    return {**columns, **postings, "links": links, "sessions": view.sessions, "speakers": view.speakers}


@pytest.mark.requirement("F-INDEX-03")
@given(st.data(), logs(), queries, windows)
def test_no_answer_depends_on_the_layout(
    data: st.DataObject, entries: list[TurnEntry], terms: list[str], window: NeighbourWindow
) -> None:
    tail_only = IndexView.of((), entries)
    other = data.draw(layouts(entries))
    assert state(other) == state(tail_only)
    assert bm25f(other, terms, window).tobytes() == bm25f(tail_only, terms, window).tobytes()


@pytest.mark.requirement("F-INDEX-03")
@given(logs(), queries, windows, st.randoms())
def test_the_order_of_the_question_s_words_does_not_matter(entries, terms, window, random) -> None:  # type: ignore[no-untyped-def]  # Random is given by the strategy
    view = IndexView.of((), entries)
    shuffled = list(terms)
    random.shuffle(shuffled)
    assert bm25f(view, shuffled, window).tobytes() == bm25f(view, terms, window).tobytes()


@pytest.mark.requirement("F-INDEX-04")
@given(st.data(), logs(), queries, windows)
def test_scores_are_those_of_the_formula(
    data: st.DataObject, entries: list[TurnEntry], terms: list[str], window: NeighbourWindow
) -> None:
    view = data.draw(layouts(entries))
    scores = bm25f(view, terms, window)
    expected = by_hand(entries, terms, window)
    assert len(scores) == len(expected)
    assert all(
        isclose(score, wanted, rel_tol=1e-9, abs_tol=1e-9) for score, wanted in zip(scores, expected, strict=True)
    )
    owners = view.pieces.turn.tolist()
    best = [
        max(score for score, owner in zip(expected, owners, strict=True) if owner == n) for n in range(len(entries))
    ]
    assert np.allclose(turn_scores(view, scores), best, rtol=1e-9, atol=1e-9)


@pytest.mark.requirement("F-INDEX-04")
@given(logs(), st.lists(st.tuples(words, st.floats(0, 4)), max_size=4))
def test_the_weight_of_a_term_multiplies_its_share_of_the_score(
    entries: list[TurnEntry], weighted: list[tuple[str, float]]
) -> None:
    view = IndexView.of((), entries)
    expected = sum((weight * bm25f(view, [term]) for term, weight in weighted), np.zeros(len(view.pieces.turn)))
    scores = bm25f(view, [term for term, _ in weighted], weights=[weight for _, weight in weighted])
    assert np.allclose(scores, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.requirement("F-INDEX-07")
@given(logs(), st.lists(st.integers(-3, 3), min_size=14, max_size=14), queries, windows)
def test_a_view_does_not_change_while_turns_are_added(
    entries: list[TurnEntry], steps: list[int], terms: list[str], window: NeighbourWindow
) -> None:
    wide = NeighbourWindow((0.1,) * 4, (0.1,) * 4)
    columns, tail, size = Columns(), Tail(), 0
    placed: list[tuple[Segment, int]] = []
    view = IndexView(columns, (), tail)
    seen = [(view, 0, state(view), b"", b"")]
    for step in steps:
        # A positive step adds turns one by one, a negative one as a segment, which comes before any tail.
        more, first = entries[size : size + abs(step)], columns.pieces
        if step < 0 and more and len(placed) == len(seen) - 1:
            placed.append((packed(more), first))
            columns.extend(placed[-1][0])
        else:
            for entry in more:
                tail.add(entry, columns.pieces)
                columns.add(entry)
        size += len(more)
        view = IndexView(columns, tuple(placed), tail, before=view)
        seen.append((view, size, state(view), bm25f(view, terms, window).tobytes(), lengths(view, window).tobytes()))
    for older, turns, known, scores, sizes in seen:
        alone = IndexView.of((), entries[:turns])
        assert state(older) == known == state(alone)
        assert bm25f(older, terms, window).tobytes() == bm25f(alone, terms, window).tobytes() == scores
        assert lengths(alone, window).tobytes() == sizes
        assert bm25f(older, terms, wide).tobytes() == bm25f(alone, terms, wide).tobytes()


@pytest.mark.requirement("F-INDEX-12")
@given(
    st.data(),
    logs(),
    st.none() | st.sampled_from((*NAMES, "nobody")) | st.lists(st.sampled_from((*NAMES, "nobody"))),
    st.none() | st.integers(-(10**15), 10**16),
    st.none() | st.integers(-(10**15), 10**16),
    st.none() | st.sampled_from(ROLES),
    st.none() | st.sampled_from((*NAMES, "nobody")),
)
def test_filters_agree_with_a_loop_over_the_turns(data, entries, session, since, until, role, speaker) -> None:  # type: ignore[no-untyped-def]  # the strategies say the types
    mask = data.draw(layouts(entries)).mask(session, since, until, role, speaker)
    filtered = any(each is not None for each in (session, since, until, role, speaker))
    names = [session] if isinstance(session, str) else session
    expected = [
        (names is None or entry.session in names)
        and (since is None or (entry.at is not None and entry.at >= since))
        and (until is None or (entry.at is not None and entry.at < until))
        and (role is None or entry.role == role)
        and (speaker is None or entry.speaker == speaker)
        for entry in entries
    ]
    assert (mask is not None) == filtered
    assert mask is None or mask.tolist() == expected


@pytest.mark.requirement("F-INDEX-03")
@given(st.data(), logs())
def test_places_and_neighbours_are_found(data: st.DataObject, entries: list[TurnEntry]) -> None:
    view = data.draw(layouts(entries))
    for position, entry in enumerate(entries):
        assert view.position(entry.session, entry.seq) == position
        assert view.turns.at[position] == (NO_TIME if entry.at is None else entry.at)
        line = [n for n, each in enumerate(entries) if _line(each) == _line(entry)]
        place = line.index(position)
        assert view.neighbours(position, 2, 1) == line[max(place - 2, 0) : place + 2]
    taken = {(entry.session, entry.seq) for entry in entries}
    for name in (*NAMES, "nobody"):
        for seq in range(-1, 40):
            assert (view.position(name, seq) is not None) == ((name, seq) in taken)
