"""What every backend promises (clew.store.protocol). Equal means: this suite says so."""

from collections.abc import Callable, Sequence

import pytest

from clew.errors import StoreError
from clew.store.protocol import Reader, Store, Transaction
from clew.store.tables import TABLES, Table
from clew.store.values import Key, Row, Value
from tests.support.store_rows import annotation, everything, put, seen, session, turn

# ----------------------------------------------------------------------------------------------------------------- rows


@pytest.mark.requirement("F-STORE-01")
def test_a_row_comes_back_as_it_was_put(store: Store) -> None:
    row = turn("s", 1, 7, external_id="x", text="naïve café")
    put(store, "turn", row)
    assert seen(store, lambda reader: reader.get("turn", ("a", "s", 1))) == row
    assert seen(store, lambda reader: reader.get("turn", ("a", "s", 2))) is None
    assert seen(store, lambda reader: reader.get("turn", ("b", "s", 1))) is None


@pytest.mark.requirement("F-STORE-01")
def test_a_row_with_a_known_key_replaces_the_old_one_in_every_index(store: Store) -> None:
    put(store, "turn", turn("s", 1, 7, external_id="x", text="old"))
    put(store, "turn", turn("s", 1, 8, text="new"))
    with store.snapshot() as reader:
        assert reader.scan("turn", ("a",), ("a",)) == [turn("s", 1, 8, text="new")]
        assert reader.scan("turn", ("a", 7), ("a", 7), index="ordinal") == []
        assert reader.scan("turn", ("a", 8), ("a", 8), index="ordinal", columns=("text",)) == [("new",)]
        assert reader.scan("turn", ("a", "s"), ("a", "s"), index="external") == []


@pytest.mark.requirement("F-STORE-01")
def test_every_declared_table_keeps_rows(store: Store) -> None:
    value: dict[str, Value] = {"text": "x", "int": 3, "real": 0.5, "bytes": b"\x00y"}
    for table in TABLES.values():  # in one store: to make one takes longer than a table does
        row = tuple("a" if name == "space" else value[kind] for name, kind in table.columns.items())
        bare = tuple(
            "b" if name == "space" else value[kind] if place < table.key else None
            for place, (name, kind) in enumerate(table.columns.items())
        )
        put(store, table.name, row, bare)
        assert everything(store, table.name) == [row], table.name
        assert everything(store, table.name, "b") == [bare], table.name
        with store.snapshot() as reader:
            for index in table.indexes:
                assert reader.scan(table.name, ("a",), ("a",), index=index) == [row], (table.name, index)


@pytest.mark.requirement("F-STORE-02")
@pytest.mark.parametrize(
    "text", ["", "🧶 clew", "漢字と仮名", "a\u0001b", "\ufeff\u200d\U0010ffff", "x" * 1_000_000, "  "]
)
def test_any_text_survives(store: Store, text: str) -> None:
    put(store, "annotation", annotation("o" + text[:9], "k", text))
    assert everything(store, "annotation") == [annotation("o" + text[:9], "k", text)]


@pytest.mark.requirement("F-STORE-02")
@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, -(2**63)])
def test_whole_numbers_of_64_bits_survive(store: Store, number: int) -> None:
    put(store, "session", session("s", number))
    assert everything(store, "session") == [session("s", number)]


@pytest.mark.requirement("F-STORE-02")
def test_bytes_and_reals_survive(store: Store) -> None:
    rows = [
        ("a", "m", n, real, data) for n, (real, data) in enumerate([(0.1, b""), (-1e300, b"\x00\xff"), (None, None)])
    ]
    put(store, "vector", *rows)
    assert everything(store, "vector") == rows


WRONG: Sequence[tuple[str, Row]] = [
    ("session", ("a", "s", 0, None, "{}")),
    ("session", ("a", "s", "0", None, "{}", 1)),
    ("session", ("a", "s", True, None, "{}", 1)),
    ("session", ("a", "s", 0.0, None, "{}", 1)),
    ("session", ("a", "s", 2**63, None, "{}", 1)),
    ("session", ("a", None, 0, None, "{}", 1)),
    ("session", ("a", "s", 0, b"title", "{}", 1)),
    ("session", ("a", "s", 0, "\ud800", "{}", 1)),
    ("session", ("a", "s", 0, "a\u0000b", "{}", 1)),
    ("session", ("a", "\u0000", 0, None, "{}", 1)),
    ("vector", ("a", "m", 1, 1, b"")),
    ("vector", ("a", "m", 1, float("nan"), b"")),
    ("no such table", ("a",)),
]


@pytest.mark.requirement("F-STORE-03")
@pytest.mark.parametrize(("table", "row"), WRONG)
def test_a_row_that_does_not_fit_is_refused_with_all_others_of_its_transaction(
    store: Store, table: str, row: Row
) -> None:
    def work(tx: Transaction) -> None:
        tx.put("session", [session("good")])
        tx.put(table, [row])

    with pytest.raises(StoreError):
        store.transaction(work)
    assert everything(store, "session") == []


@pytest.mark.requirement("F-STORE-03")
def test_an_error_says_what_came_and_what_was_expected(store: Store) -> None:
    with pytest.raises(StoreError, match=r"session.*next_seq is str; expected int or None.*'s'"):
        put(store, "session", ("a", "s", "0", None, "{}", 1))


REQUESTS: Sequence[Callable[[Transaction], object]] = [
    lambda tx: tx.scan("turn", (), ("a",)),
    lambda tx: tx.scan("turn", ("a",), ()),
    lambda tx: tx.scan("turn", ("a",), ("b",)),
    lambda tx: tx.scan("turn", ("a", None), ("a",)),
    lambda tx: tx.scan("turn", ("a", 1), ("a", 2)),
    lambda tx: tx.scan("turn", ("a", "s", 1, 2), ("a",)),
    lambda tx: tx.scan("turn", ("a",), ("a",), index="none"),
    lambda tx: tx.scan("turn", ("a",), ("a",), columns=("none",)),
    lambda tx: tx.scan("turn", ("a",), ("a",), columns=()),
    lambda tx: tx.scan("turn", ("a",), ("a",), limit=-1),
    lambda tx: tx.scan("none", ("a",), ("a",)),
    lambda tx: tx.count("turn", ("a",), ("b",)),
    lambda tx: tx.get("turn", ("a", "s")),
    lambda tx: tx.get("turn", ("a", "s", "1")),
    lambda tx: tx.get("turn", ("a", "\ud800", 1)),
    lambda tx: tx.get("turn", ("a", "\u0000", 1)),
    lambda tx: tx.get_many("turn", [("a", "s", 1), ("a", "s")]),
    lambda tx: tx.get_many("turn", [("a", "s", 1), ("b", "s", 1)]),
    lambda tx: tx.get_many("turn", [("a", "s", 1), ("a", "s", True)]),
    lambda tx: tx.get_many("turn", [("a", "s", 1), ("a", "\u0000", 1)]),
    lambda tx: tx.get_many("turn", [("a", "s", 1), ("a", "\ud800", 1)]),
    lambda tx: tx.get_many("turn", [("a", "s", 1), ("a", "s", 2**63)]),
    lambda tx: tx.get_many("turn", [("a", "s", 1)], columns=("none",)),
    lambda tx: tx.get_many("none", []),
    lambda tx: tx.scan_many("turn", [("a", "s"), ("b", "s")]),
    lambda tx: tx.scan_many("turn", [("a", "s"), ("a",)]),
    lambda tx: tx.scan_many("turn", [("a", "s", 1), ("a", "s", True)]),
    lambda tx: tx.scan_many("turn", [("a", "s"), ("a", "\u0000")]),
    lambda tx: tx.scan_many("turn", [("a", "s"), ("a", "\ud800")]),
    lambda tx: tx.scan_many("turn", [("a", 1), ("a", 2**63)], index="ordinal"),
    lambda tx: tx.scan_many("turn", [()]),
    lambda tx: tx.scan_many("turn", [("a", "s")], columns=("none",)),
    lambda tx: tx.scan_many("turn", [], index="none"),
    lambda tx: tx.scan_many("none", []),
    lambda tx: tx.delete("turn", ("a",), ("a", "s\u0000")),
    lambda tx: tx.compare_and_set("session", ("a", "s"), "title", None, "\u0000"),
    lambda tx: tx.delete("turn", ("a",), ("b",)),
    lambda tx: tx.delete("turn", (), ()),
    lambda tx: tx.compare_and_set("session", ("a", "s"), "session", "s", "t"),
    lambda tx: tx.compare_and_set("session", ("a", "s"), "none", None, 1),
    lambda tx: tx.compare_and_set("session", ("a", "s"), "title", None, 1),
    lambda tx: tx.compare_and_set("session", ("a",), "title", None, "t"),
    lambda tx: tx.compare_and_set("vector", ("a", "m", 1), "scale", None, float("nan")),
]


@pytest.mark.requirement("F-STORE-03")
def test_a_request_that_cannot_be_meant_is_refused(store: Store) -> None:
    def is_refused(request: Callable[[Transaction], object]) -> bool:
        try:
            store.transaction(request)
        except StoreError:
            return True
        return False

    assert [f"line {each.__code__.co_firstlineno}" for each in REQUESTS if not is_refused(each)] == []


# ----------------------------------------------------------------------------------------------------------------- scan


@pytest.fixture
def turns(store: Store) -> Sequence[Row]:
    """Turns of three sessions in the order of their keys, and one of another space."""
    rows = [turn(name, seq, 10 * place + seq) for place, name in enumerate(("A", "b", "é")) for seq in (-1, 0, 2, 10)]
    put(store, "turn", *rows[::-1], turn("A", 0, 0, space="other"))
    return rows


@pytest.mark.requirement("F-STORE-04")
@pytest.mark.parametrize(
    ("low", "high", "places"),
    [
        (("a",), ("a",), range(12)),
        (("a", "b"), ("a", "b"), range(4, 8)),
        (("a", "b"), ("a",), range(4, 12)),
        (("a",), ("a", "b"), range(8)),
        (("a", "b", 0), ("a", "b", 2), range(5, 7)),
        (("a", "b", 1), ("a", "b"), range(6, 8)),
        (("a", "b"), ("a", "b", 1), range(4, 6)),
        (("a", "A", 2), ("a", "é", -1), range(2, 9)),
        (("a", "A", 2), ("a", "b"), range(2, 8)),
        (("a", "B"), ("a", "c", 0), range(4, 8)),
        (("a", "b", 2), ("a", "b", 2), range(6, 7)),
        (("a", "b", 3), ("a", "b", 2), range(0)),
        (("a", "é"), ("a", "A"), range(0)),
        (("nobody",), ("nobody",), range(0)),
    ],
)
def test_bounds_are_prefixes_and_both_included(
    store: Store, turns: Sequence[Row], low: Key, high: Key, places: range
) -> None:
    wanted = [turns[place] for place in places]
    with store.snapshot() as reader:
        assert reader.scan("turn", low, high) == wanted
        assert reader.count("turn", low, high) == len(wanted)
        assert reader.scan("turn", low, high, reverse=True) == wanted[::-1]
        for limit in (0, 1, 3, 100):
            assert reader.scan("turn", low, high, limit=limit) == wanted[:limit]
            assert reader.scan("turn", low, high, limit=limit, reverse=True) == wanted[::-1][:limit]
        assert reader.scan("turn", low, high, columns=["seq", "space"]) == [(row[2], row[0]) for row in wanted]


@pytest.mark.requirement("F-STORE-04")
def test_keys_are_ordered_by_number_by_code_point_and_by_byte(store: Store) -> None:
    names = sorted(["", "A", "Z", "a", "a\u0001", "a b", "aa", "é", "ﬀ", "\uffff", "𝔞", "🧶"])
    put(store, "session", *(session(name) for name in names[::-1]))
    assert [row[1] for row in everything(store, "session")] == names
    digests = sorted([b"", b"\x00", b"\x00\x01", b"a", b"\x7f", b"\x80", b"\xff"])
    put(store, "tombstone", *(("a", digest, 1, b"", None, None, b"", None, 0) for digest in digests[::-1]))
    assert [row[1] for row in everything(store, "tombstone")] == digests
    numbers = sorted([0, -1, 9, 10, 2**40, -(2**62)])
    put(store, "tail", *(("a", number, b"") for number in numbers[::-1]))
    assert [row[1] for row in everything(store, "tail")] == numbers


@pytest.mark.requirement("F-STORE-04")
def test_many_rows_come_in_the_order_asked_for_with_none_where_there_is_none(
    store: Store, turns: Sequence[Row]
) -> None:
    put(store, "turn", *(turn("many", seq) for seq in range(600)))
    there: list[Row] = [turns[5], turns[0], *(turn("many", seq) for seq in range(599, -1, -1)), turns[5]]
    with store.snapshot() as reader:
        for rows in (there[:0], there[:1], there[:4], there[-6:], there):
            keys = [row[:3] for row in rows]
            assert reader.get_many("turn", keys) == rows
            absent = [("a", "b", 1), *keys, ("a", "none", 0), ("a", "", -1)]
            assert reader.get_many("turn", absent) == [None, *rows, None, None]
            texts = reader.get_many("turn", absent, columns=("text", "seq"))
            assert texts == [None, *((row[-1], row[2]) for row in rows), None, None]
        assert reader.get_many("turn", [("other", "A", 0), ("other", "A", 2)]) == [turn("A", 0, 0, space="other"), None]


@pytest.mark.requirement("F-STORE-04")
def test_rows_are_found_by_several_prefixes_at_once(store: Store, turns: Sequence[Row]) -> None:
    put(store, "turn", turn("u", 1), turn("u", 2, 40, external_id="x"))

    def ask(reader: Reader) -> None:
        both = reader.scan_many("turn", [("a", "é"), ("a", "none"), ("a", "A")])
        assert sorted(both, key=repr) == sorted([*turns[:4], *turns[8:]], key=repr)
        assert reader.scan_many("turn", [("a", "b", 2), ("a", "b", 3)]) == [turns[6]]
        by_ordinal = reader.scan_many("turn", [("a", 40), ("a", 10), ("a", 7)], index="ordinal", columns=("seq",))
        assert sorted(by_ordinal) == [(0,), (2,), (10,)], "of two turns with one ordinal, and of one"
        assert reader.scan_many("turn", [("a", "u")], index="external", columns=("seq", "session")) == [(2, "u")]
        assert reader.scan_many("turn", [("other",)]) == [turn("A", 0, 0, space="other")]
        assert reader.scan_many("turn", []) == []

    store.transaction(ask)
    seen(store, ask)


@pytest.mark.requirement("F-STORE-04")
def test_many_rows_are_found_in_every_table_also_by_who_just_wrote_them(store: Store) -> None:
    values: dict[str, Sequence[Value]] = {
        "text": ["x", "'", "é"],
        "int": [3, -1, 2**40],
        "real": [0.5, -0.0, 1e300],
        "bytes": [b"\x00y", b"", b"\xff"],
    }
    for table in TABLES.values():
        rows = [
            tuple("a" if name == "space" else values[kind][place] for name, kind in table.columns.items())
            for place in range(3 if table.key > 1 else 1)
        ]
        keys = [row[: table.key] for row in rows]

        def work(
            tx: Transaction, table: Table = table, rows: list[Row] = rows, keys: list[Key] = keys
        ) -> list[Row | None]:
            tx.put(table.name, rows)
            return tx.get_many(table.name, keys)

        assert store.transaction(work) == rows, table.name
        with store.snapshot() as reader:
            assert reader.get_many(table.name, keys[::-1]) == rows[::-1], table.name


@pytest.mark.requirement("F-STORE-05")
def test_an_index_is_ordered_by_its_columns_then_by_the_key(store: Store) -> None:
    rows = [turn("b", 1, 5), turn("a", 2, 5), turn("a", 1, 5), turn("a", 0, 6), turn("c", 0, 4)]
    put(store, "turn", *rows)
    with store.snapshot() as reader:
        found = reader.scan("turn", ("a", 4), ("a", 5), index="ordinal", columns=("session", "seq"))
        assert found == [("c", 0), ("a", 1), ("a", 2), ("b", 1)]
        assert (
            reader.scan("turn", ("a", 4), ("a", 5), index="ordinal", columns=("session", "seq"), reverse=True)
            == found[::-1]
        )
        assert reader.count("turn", ("a", 4), ("a", 5), index="ordinal") == 4
        on = reader.scan("turn", ("a", 5, "a", 2), ("a", 6), index="ordinal", columns=("session", "seq"))
        assert on == [("a", 2), ("b", 1), ("a", 0)], "a bound may go on into the key, to page through ties"


@pytest.mark.requirement("F-STORE-05")
def test_a_row_without_a_value_for_an_index_is_not_in_it(store: Store) -> None:
    put(store, "turn", turn("s", 1), turn("s", 2, 2, external_id="x"), turn("s", 3, 3, external_id=""))
    with store.snapshot() as reader:
        assert reader.scan("turn", ("a",), ("a",), index="ordinal", columns=("seq",)) == [(2,), (3,)]
        assert reader.scan("turn", ("a",), ("a",), index="external", columns=("seq",)) == [(3,), (2,)]
        assert reader.count("turn", ("a", "s"), ("a", "s"), index="external") == 2
        assert reader.count("turn", ("a", "s"), ("a", "s")) == 3


# -------------------------------------------------------------------------------------------------------------- changes


@pytest.mark.requirement("F-STORE-06")
def test_delete_takes_a_range_out_of_the_table_and_its_indexes(store: Store, turns: Sequence[Row]) -> None:
    assert store.transaction(lambda tx: tx.delete("turn", ("a", "A", 2), ("a", "b"))) == 6
    assert everything(store, "turn") == [*turns[:2], *turns[8:]]
    by_ordinal = seen(store, lambda reader: reader.scan("turn", ("a",), ("a",), index="ordinal"))
    assert by_ordinal == [*turns[:2], *turns[8:]]
    assert store.transaction(lambda tx: tx.delete("turn", ("a", "b"), ("a", "b"))) == 0
    assert len(everything(store, "turn", "other")) == 1


@pytest.mark.requirement("F-STORE-06")
def test_compare_and_set_changes_only_what_is_as_expected(store: Store) -> None:
    put(store, "turn", turn("s", 1, 5))
    key = ("a", "s", 1)
    assert not store.transaction(lambda tx: tx.compare_and_set("turn", key, "ordinal", 6, 7))
    assert not store.transaction(lambda tx: tx.compare_and_set("turn", key, "ordinal", None, 7))
    assert not store.transaction(lambda tx: tx.compare_and_set("turn", ("a", "s", 2), "ordinal", None, 7))
    assert everything(store, "turn") == [turn("s", 1, 5)]
    assert store.transaction(lambda tx: tx.compare_and_set("turn", key, "ordinal", 5, 7))
    assert everything(store, "turn") == [turn("s", 1, 7)]
    assert seen(store, lambda reader: reader.count("turn", ("a", 7), ("a", 7), index="ordinal")) == 1
    assert store.transaction(lambda tx: tx.compare_and_set("turn", key, "ordinal", 7, None))
    assert store.transaction(lambda tx: tx.compare_and_set("turn", key, "ordinal", None, 0))
    assert everything(store, "turn") == [turn("s", 1, 0)]


@pytest.mark.requirement("F-STORE-06")
def test_a_transaction_sees_its_own_changes(store: Store) -> None:
    def work(tx: Transaction) -> None:
        tx.put("turn", [turn("s", 1, 1), turn("s", 2, 2)])
        assert tx.count("turn", ("a",), ("a",)) == 2
        assert tx.get("turn", ("a", "s", 1)) == turn("s", 1, 1)
        assert tx.scan("turn", ("a", 2), ("a", 2), index="ordinal") == [turn("s", 2, 2)]
        assert tx.delete("turn", ("a", "s", 1), ("a", "s", 1)) == 1
        assert tx.get("turn", ("a", "s", 1)) is None
        tx.put_blob("a", "sha", b"data")
        assert tx.get_blob("a", "sha") == b"data"

    store.transaction(work)


@pytest.mark.requirement("F-STORE-06")
def test_put_takes_any_iterable_and_none_at_all(store: Store) -> None:
    store.transaction(lambda tx: tx.put("session", (session(str(n)) for n in range(100))))
    store.transaction(lambda tx: tx.put("session", []))
    assert len(everything(store, "session")) == 100


@pytest.mark.requirement("F-STORE-07")
def test_a_blob_is_kept_once_and_removed_once(store: Store) -> None:
    store.transaction(lambda tx: tx.put_blob("a", "s1", b"first", "image/png"))
    store.transaction(lambda tx: tx.put_blob("a", "s1", b"second", None))
    store.transaction(lambda tx: tx.put_blob("b", "s1", b""))
    with store.snapshot() as reader:
        assert reader.get_blob("a", "s1") == b"first"
        assert reader.get("blob", ("a", "s1")) == ("a", "s1", "image/png", b"first")
        assert reader.get_blob("b", "s1") == b""
        assert reader.get_blob("a", "s2") is None
    assert store.transaction(lambda tx: tx.delete_blob("a", "s1"))
    assert not store.transaction(lambda tx: tx.delete_blob("a", "s1"))
    assert seen(store, lambda reader: reader.get_blob("b", "s1")) == b""
