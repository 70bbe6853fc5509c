"""Segments and tail entries as bytes: nothing is lost, nothing stays behind, damage is seen."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from clew.errors import InputError, StoreCorrupt
from clew.index import vector_segment
from clew.index.entry import SATURATION, PieceTerms, TurnEntry, decode, encode
from clew.index.segment import Segment, build, entries, merge, without
from clew.index.string_table import StringTable, sections, to_bytes, union
from clew.index.vector_segment import VectorSegment
from tests.support.index_logs import logs, packed

texts = st.text(st.characters(codec=None), max_size=12)  # any code point, lone surrogates too
vector_rows = st.lists(
    st.tuples(st.integers(0, 60), st.floats(0, 1, width=32), st.binary(min_size=4, max_size=4)),
    min_size=1,
    max_size=12,
    unique_by=lambda row: row[0],
)
any_entries = st.builds(
    TurnEntry,
    ordinal=st.integers(0, 2**63 - 1),
    session=texts,
    seq=st.integers(0, 2**31 - 1),
    branch=texts,
    speaker=st.none() | texts,
    role=st.sampled_from(("user", "assistant", "system", "tool")),
    at=st.none() | st.integers(-(2**62), 2**62),
    chars=st.integers(0, 8_000_000),
    pieces=st.lists(
        st.builds(
            PieceTerms,
            st.dictionaries(texts, st.integers(1, 2**40), max_size=4),
            st.dictionaries(texts, st.integers(1, 300), max_size=4),
            st.integers(0, 2**33),
        ),
        max_size=3,
    ).map(tuple),
    first_person=st.booleans(),
    asks=st.booleans(),
    stated=st.integers(0, 8_000_000),
)


def saturated(entry: TurnEntry) -> TurnEntry:
    def bag(counts: Mapping[str, int]) -> dict[str, int]:
        return {term: min(count, SATURATION) for term, count in counts.items()}

    return replace(
        entry, pieces=tuple(PieceTerms(bag(each.body), bag(each.extra), each.chars) for each in entry.pieces)
    )


@pytest.mark.requirement("F-INDEX-01")
@given(any_entries)
def test_an_entry_is_decoded_as_it_was_encoded(entry: TurnEntry) -> None:
    assert decode(encode(entry)) == entry


@pytest.mark.requirement("F-INDEX-01")
@given(st.lists(any_entries, max_size=5, unique_by=lambda entry: entry.ordinal))
def test_a_segment_returns_the_entries_it_was_built_from(held: list[TurnEntry]) -> None:
    in_order = sorted(held, key=lambda entry: entry.ordinal)
    assert list(entries(packed(held))) == list(map(saturated, in_order))


@pytest.mark.requirement("F-INDEX-05")
@given(st.data(), logs())
def test_a_segment_s_bytes_depend_on_its_entries_alone(data: st.DataObject, held: list[TurnEntry]) -> None:
    cuts = sorted({0, len(held), *data.draw(st.sets(st.integers(0, len(held))))})
    parts = [packed(held[low:high]) for low, high in pairwise(cuts)]
    if held:
        assert merge(data.draw(st.permutations(parts))) == build(held)
        assert build(data.draw(st.permutations(held))) == build(held)


@pytest.mark.requirement("F-INDEX-06")
@given(st.data(), logs())
def test_removed_turns_leave_no_trace_in_the_bytes(data: st.DataObject, held: list[TurnEntry]) -> None:
    gone = data.draw(st.sets(st.integers(0, 45)))
    left = [entry for entry in held if entry.ordinal not in gone]
    assert without(packed(held), gone) == (build(left) if left else None)


@pytest.mark.requirement("F-INDEX-05", "F-INDEX-06")
@given(st.data(), vector_rows)
def test_vector_segments_depend_on_their_vectors_alone(
    data: st.DataObject, rows: list[tuple[int, float, bytes]]
) -> None:
    whole = vector_segment.build(rows)
    cut = data.draw(st.integers(1, len(rows)))
    parts = [VectorSegment.load(vector_segment.build(part)) for part in (rows[:cut], rows[cut:]) if part]
    assert vector_segment.merge(parts) == whole
    gone = {ordinal for ordinal, _, _ in rows[cut:]}
    assert vector_segment.without(VectorSegment.load(whole), gone) == vector_segment.build(rows[:cut])
    assert vector_segment.without(VectorSegment.load(whole), {row[0] for row in rows}) is None


@pytest.mark.requirement("F-INDEX-05")
def test_of_two_vectors_for_one_turn_the_later_counts() -> None:
    older, newer = (VectorSegment.load(vector_segment.build([(7, 0.5, code)])) for code in (b"\1\1", b"\2\2"))
    assert VectorSegment.load(vector_segment.merge([older, newer])).codes.tolist() == [[2, 2]]


@pytest.mark.requirement("F-INDEX-13")
@given(st.data(), st.integers(1, 70))
def test_unsigned_codes_give_the_exact_products_of_the_codes(data: st.DataObject, dim: int) -> None:
    shapes = npst.array_shapes(min_dims=1, max_dims=1, min_side=1, max_side=9)
    held, asked = (data.draw(npst.arrays(np.int8, (*data.draw(shapes), dim))) for _ in range(2))
    (rows, offsets), (queries, levels) = vector_segment.raised(held), vector_segment.raised(asked)
    lift = vector_segment.LIFT
    products = rows.astype(int) @ queries.astype(int).T + offsets[:, None] + levels + lift * lift * dim
    assert products.tolist() == (held.astype(int) @ asked.astype(int).T).tolist()
    assert vector_segment.to_signed(rows).tolist() == held.tolist()


@pytest.mark.requirement("F-INDEX-02")
@given(st.data(), logs(4).filter(bool))
def test_damaged_bytes_are_rejected(data: st.DataObject, held: list[TurnEntry]) -> None:
    vectors = vector_segment.build([(entry.ordinal, 0.5, b"\1\2\3") for entry in held])
    readers = ((build(held), Segment.load), (vectors, VectorSegment.load), (encode(held[0]), decode))
    sound, read = data.draw(st.sampled_from(readers))
    damaged = bytearray(sound)
    if data.draw(st.booleans()):
        for _ in range(data.draw(st.integers(1, 3))):
            damaged[data.draw(st.integers(0, len(sound) - 1))] = data.draw(st.integers(0, 255))
    else:
        damaged = damaged[: data.draw(st.integers(0, len(sound) - 1))]
    if bytes(damaged) != sound:
        with pytest.raises(StoreCorrupt, match="clew rebuild"):
            read(bytes(damaged))


@pytest.mark.requirement("F-INDEX-02")
@given(st.binary(max_size=200))
def test_foreign_bytes_are_rejected(data: bytes) -> None:
    for read in (Segment.load, VectorSegment.load, decode):
        with pytest.raises(StoreCorrupt):
            read(data)


@pytest.mark.requirement("F-INDEX-05")
@given(logs().filter(bool))
def test_a_turn_is_packed_once(held: list[TurnEntry]) -> None:
    with pytest.raises(InputError, match="twice"):
        build([*held, held[0]])
    with pytest.raises(InputError, match="twice"):
        merge([packed(held), packed(held[:1])])


@pytest.mark.requirement("F-INDEX-01")
@given(st.sets(texts), st.lists(texts))
def test_strings_are_found_by_their_code(held: set[str], asked: list[str]) -> None:
    ordered = sorted(held)
    table = StringTable(*sections(list(map(to_bytes, ordered))))
    assert [table.find(to_bytes(text)) for text in ordered] == list(range(len(ordered)))
    for text in asked:
        assert table.find(to_bytes(text)) == (ordered.index(text) if text in held else -1)
    merged, codes = union([list(map(to_bytes, asked)), list(map(to_bytes, ordered))])
    assert [merged[code] for code in codes[0]] == list(map(to_bytes, asked))
