"""The packer: bounded steps that lose nothing, whoever else writes and whenever it is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.errors import SchemaError, StoreCorrupt
from clew.index import container, packer, segment
from clew.index.bm25 import bm25f
from clew.index.entry import PieceTerms, TurnEntry, encode
from clew.index.live import LiveIndex
from clew.index.packer import PackReport, StepBounds, forget_ordinals, pack, verify
from clew.index.segment import Segment
from clew.index.segment_kinds import TERMS, list_segments, segment_data, terms_kind
from clew.index.staged_rebuild import rebuild
from clew.index.vectors import cosine
from clew.index.view import IndexView
from clew.store.protocol import Store, Transaction
from clew.store.sqlite import SqliteStore
from clew.store.values import Row
from tests.support.index_stores import (
    MODEL,
    SPACE,
    Wrapped,
    add,
    as_store,
    embed,
    everything,
    forget,
    listed,
    memory_store,
    new_space,
    vector_of,
)


def turn(n: int) -> TurnEntry:
    return TurnEntry(n, f"s{n % 3}", n, "", "Ann", "user", n, 9, (PieceTerms({"word": 1, f"only{n}": 1}, {}, 9),))


def turns(first: int, after: int) -> list[TurnEntry]:
    return [turn(n) for n in range(first, after)]


def check(store: Store, ordinals: list[int]) -> None:
    """The index holds just these turns, and answers as one made at once."""
    assert verify(store, SPACE, ordinals) == []
    view = LiveIndex(store, SPACE).view()
    assert view.turns.ordinal.tolist() == ordinals
    terms = ["word", "only7"]
    assert bm25f(view, terms).tobytes() == bm25f(IndexView.of((), list(map(turn, ordinals))), terms).tobytes()


def spans(store: Store, kind: str = TERMS) -> list[tuple[int, int]]:
    with store.snapshot() as reader:
        return [(key.low, key.high) for key in list_segments(reader, SPACE, kind)]


@pytest.mark.requirement("F-INDEX-09")
def test_a_small_tail_stays_where_it_is() -> None:
    store = memory_store()
    add(store, turns(0, 7))
    assert pack(store, SPACE, minimum=8) == PackReport(packed=0, merged=0, steps=0, finished=True)
    add(store, turns(7, 8))
    assert pack(store, SPACE, minimum=8) == PackReport(packed=8, merged=0, steps=1, finished=True)
    assert pack(store, SPACE, minimum=8).steps == 0
    assert pack(store, "nowhere").finished
    check(store, list(range(8)))


@pytest.mark.requirement("F-INDEX-09", "F-INDEX-14")
def test_tiers_bound_how_often_a_turn_is_written() -> None:
    store = memory_store()
    merged = 0
    for n in range(4**4):
        add(store, turns(n, n + 1))
        merged += pack(store, SPACE, minimum=1, fan_out=4).merged
    assert spans(store) == [(0, 255)]
    assert merged == 4**4 + 4**3 + 4**2 + 4
    check(store, list(range(256)))


@pytest.mark.requirement("F-INDEX-09")
def test_small_segments_between_large_ones_are_merged_with_them() -> None:
    store, n = memory_store(), 0
    for size in (8, 1) * 4:
        add(store, turns(n, n + size))
        pack(store, SPACE, bounds=StepBounds(rows=8), minimum=1, fan_out=4, most_steps=1)
        n += size
    assert len(spans(store)) == 8
    assert pack(store, SPACE, bounds=StepBounds(rows=8), minimum=1, fan_out=4).finished
    assert spans(store) == [(0, 34), (35, 35)]
    check(store, list(range(n)))


@pytest.mark.requirement("F-INDEX-14")
def test_segments_that_are_too_large_together_are_merged_as_far_as_they_may() -> None:
    store, merged = memory_store(), 0
    for n in range(0, 240, 3):
        add(store, turns(n, n + 3))
        merged += pack(store, SPACE, bounds=StepBounds(turns=40), minimum=3, fan_out=16).merged
    assert [high - low + 1 for low, high in spans(store)] == [39] * 5 + [3] * 15
    assert merged == 5 * 13  # each once
    check(store, list(range(240)))


@pytest.mark.requirement("F-INDEX-14")
def test_a_step_is_bounded() -> None:
    store = Wrapped(memory_store())
    add(as_store(store), turns(0, 200))
    report = pack(as_store(store), SPACE, bounds=StepBounds(10, 40), minimum=5, fan_out=2, most_steps=3)
    assert (report.packed, report.finished) == (30, False)
    assert store.rows_read <= 3 * (10 + 10)
    pack(as_store(store), SPACE, bounds=StepBounds(10, 40), minimum=5, fan_out=2)
    assert max(high - low + 1 for low, high in spans(as_store(store))) == 40
    check(as_store(store), list(range(200)))


def _another_packer(store: Store) -> None:
    pack(store, SPACE, bounds=StepBounds(10, 40), minimum=1, fan_out=2)


def _a_writer(store: Store) -> None:
    add(store, turns(100, 140))


def _a_forgetter(store: Store) -> None:
    forget(store, [0, 5, 39])


def _a_late_vector(store: Store) -> None:
    embed(store, [7])


@pytest.mark.requirement("F-INDEX-09")
@pytest.mark.parametrize("interfere", [_another_packer, _a_writer, _a_forgetter, _a_late_vector])
@pytest.mark.parametrize("step", range(9))
def test_whatever_comes_between_reading_and_writing_is_kept(interfere: Callable[[Store], None], step: int) -> None:
    store = Wrapped(memory_store())
    add(as_store(store), turns(0, 40))
    embed(as_store(store), [n for n in range(40) if n != 7])
    for _ in range(step):
        pack(as_store(store), SPACE, bounds=StepBounds(rows=10), minimum=10, fan_out=2, most_steps=1)
    met: list[int] = []

    def meet() -> None:
        met.append(step)
        interfere(store.store)

    store.before = meet
    assert pack(as_store(store), SPACE, bounds=StepBounds(rows=10), minimum=10, fan_out=2).finished
    assert met
    gone = [0, 5, 39] if interfere is _a_forgetter else []
    more = list(range(100, 140)) if interfere is _a_writer else []
    check(as_store(store), [n for n in range(40) if n not in gone] + more)
    near = cosine(LiveIndex(as_store(store), SPACE).view(), MODEL, vector_of(1)[None])[0]
    absent = 0 if interfere is _a_late_vector else 1
    assert np.count_nonzero(np.isnan(near)) == len(more) + absent


@pytest.mark.requirement("F-INDEX-09")
def test_a_packer_that_is_always_too_late_gives_up_and_says_so() -> None:
    store = Wrapped(memory_store())
    add(as_store(store), turns(0, 40))

    def meddle() -> None:
        store.store.transaction(lambda tx: forget_ordinals(tx, SPACE, [1000]))
        store.before = meddle

    store.before = meddle
    assert pack(as_store(store), SPACE, minimum=10) == PackReport(packed=0, merged=0, steps=0, finished=False)
    check(store.store, list(range(40)))


PACKING = """
import sys
from pathlib import Path
from clew.index.packer import pack
from clew.store.sqlite import SqliteStore
store = SqliteStore.open(Path(sys.argv[1]))
print("ready", flush=True)
while pack(store, "s", minimum=8, fan_out=2, most_steps=1).steps:
    print("step", flush=True)
"""


@pytest.mark.requirement("F-INDEX-09")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_packer_leaves_whole_steps(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    new_space(store)
    size = 0
    for delay in (0.0, 0.002, 0.004, 0.008):
        add(store, turns(size, size + 200))
        embed(store, range(size, size + 200))
        size += 200
        command = [sys.executable, "-c", PACKING, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ}) as child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(delay)
            child.send_signal(signal.SIGKILL)
        check(store, list(range(size)))
    pack(store, SPACE, minimum=8, fan_out=2)
    check(store, list(range(size)))
    assert np.isfinite(cosine(LiveIndex(store, SPACE).view(), MODEL, vector_of(1)[None])).all()
    store.close()


@pytest.mark.requirement("F-INDEX-09")
def test_a_turn_embedded_twice_has_one_vector() -> None:
    store = memory_store()
    add(store, turns(0, 8))
    for _ in range(2):
        embed(store, range(4))
        pack(store, SPACE, minimum=4, fan_out=100)
    assert spans(store, f"vector:{MODEL}") == [(0, 3)]
    embed(store, range(2, 6))
    pack(store, SPACE, minimum=4, fan_out=100)
    near = cosine(LiveIndex(store, SPACE).view(), MODEL, vector_of(3)[None])[0]
    assert near[3] == pytest.approx(1.0, abs=0.02)
    assert np.isnan(near).tolist() == [False] * 6 + [True] * 2
    forget(store, [0, 1])
    assert spans(store, f"vector:{MODEL}") == [(2, 5)]


@pytest.mark.requirement("F-INDEX-06")
def test_forgetting_reports_what_went_and_leaves_the_rest() -> None:
    store = memory_store()
    add(store, turns(0, 20))
    embed(store, range(20))
    pack(store, SPACE, minimum=20)
    add(store, turns(20, 22))
    embed(store, [20])
    assert forget(store, [3, 20, 99]) == {"tail": 1, "vector": 1, "segment": 2}
    held = everything(store)
    assert b"only3" not in held
    assert b"only20" not in held
    assert b"only4" in held
    check(store, [n for n in range(22) if n not in (3, 20)])
    assert forget(store, range(20)) == {"tail": 0, "vector": 0, "segment": 2}
    assert spans(store) == []
    check(store, [21])
    assert forget(store, []) == {"tail": 0, "vector": 0, "segment": 0}


@pytest.mark.requirement("F-INDEX-10")
def test_rebuilding_mends_damage() -> None:
    store = memory_store()
    add(store, turns(0, 30))
    pack(store, SPACE, minimum=10)
    damage(store)
    assert verify(store, SPACE, list(range(30))) != []
    rebuild(store, SPACE, listed(turns(0, 30)))
    check(store, list(range(30)))


@pytest.mark.requirement("W-DSK-02")
def test_segments_of_terms_are_kept_compressed_and_those_of_before_are_read() -> None:
    store = memory_store()
    add(store, turns(0, 30))
    pack(store, SPACE, minimum=30)
    with store.snapshot() as reader:
        (key,) = list_segments(reader, SPACE, TERMS)
        whole = segment_data(reader, SPACE, key)
        ((kept,),) = reader.scan("segment", (SPACE,), (SPACE,), columns=("data",))
    assert isinstance(kept, bytes)
    assert whole.startswith(segment.MAGIC)
    assert len(kept) < len(whole) / 2
    check(store, list(range(30)))
    store.transaction(lambda tx: tx.put("segment", [(SPACE, *key, whole)]))
    check(store, list(range(30)))


@pytest.mark.requirement("W-DSK-02")
def test_damage_to_a_compressed_segment_is_named() -> None:
    store = memory_store()
    add(store, turns(0, 30))
    pack(store, SPACE, minimum=30)
    with store.snapshot() as reader:
        (key,) = list_segments(reader, SPACE, TERMS)
        ((kept,),) = reader.scan("segment", (SPACE,), (SPACE,), columns=("data",))
    assert isinstance(kept, bytes)
    for damaged in (kept[:-9], kept[:99] + bytes(9) + kept[108:], b"CLWZ"):
        store.transaction(partial(put_segment, row=(SPACE, *key, damaged)))
        (problem, _) = verify(store, SPACE, range(30))
        assert problem.where == "segment terms 0 to 29"
        assert "clew rebuild" in problem.detail
    rebuild(store, SPACE, listed(turns(0, 30)))
    check(store, list(range(30)))


def put_segment(tx: Transaction, row: Row) -> None:
    tx.put("segment", [row])


def damage(store: Store) -> None:
    """Changes one byte in the middle of the first segment."""
    with store.snapshot() as reader:
        key = list_segments(reader, SPACE, TERMS)[0]
        sound = bytearray(segment_data(reader, SPACE, key))
    sound[len(sound) // 2] ^= 1
    row = (SPACE, key.kind, key.low, key.high, key.level, key.version, bytes(sound))
    store.transaction(lambda tx: tx.put("segment", [row]))


@pytest.mark.requirement("F-INDEX-11")
def test_verification_names_what_is_wrong() -> None:
    store = memory_store()
    add(store, turns(0, 12))
    embed(store, range(12))
    pack(store, SPACE, minimum=12)
    add(store, turns(12, 14))
    assert verify(store, SPACE, range(14)) == []
    details = [problem.detail for problem in verify(store, SPACE, [*range(1, 14), 50])]
    assert details == [
        "1 turn is missing: ordinals 50",
        "1 turn is not among the turns: ordinals 0",
        "1 turn is not among the turns: ordinals 0",  # and its vector
    ]
    store.transaction(lambda tx: tx.put("tail", [(SPACE, 13, b"damaged"), (SPACE, 12, encode(turn(3)))]))
    places = {problem.where: problem.detail for problem in verify(store, SPACE, range(14))}
    assert "checksum" in places["tail 13"] or "version" in places["tail 13"]
    assert places["tail 12"] == "it contains the turn 3"
    assert "1 turn is twice: ordinals 3" in [problem.detail for problem in verify(store, SPACE, range(14))]
    damage(store)
    problems = verify(store, SPACE, range(14))
    assert any("checksum" in each.detail and each.where == "segment terms 0 to 11" for each in problems)
    assert {each.repair for each in problems} == {"clew rebuild"}


@pytest.mark.requirement("F-INDEX-15")
def test_a_newer_format_is_refused_as_such() -> None:
    sections = container.unseal(segment.build([turn(0)]), segment.MAGIC, segment.VERSION, 28)
    newer = container.seal(segment.MAGIC, segment.VERSION + 1, sections)
    with pytest.raises(SchemaError, match="format 2; this Clew reads 1"):
        Segment.load(newer)
    with pytest.raises(StoreCorrupt):
        Segment.load(newer[:-1])


@pytest.mark.requirement("F-MENDED-14")
def test_a_step_is_bounded_by_bytes() -> None:
    store = memory_store()
    for n in range(0, 400, 10):
        add(store, turns(n, n + 10))
        pack(store, SPACE, minimum=5, fan_out=4, bounds=StepBounds(bytes=4_000))
    covered = [high - low + 1 for low, high in spans(store)]
    assert sum(covered) == 400
    assert 20 <= max(covered) < 160, "merged, and not as far as the bound of turns lets it"
    add(store, turns(400, 440))
    assert pack(store, SPACE, minimum=5, fan_out=4, bounds=StepBounds(bytes=500)).steps > 2
    check(store, list(range(440)))


@pytest.mark.requirement("F-BULK-04")
def test_long_entries_are_read_and_decoded_a_few_at_a_time() -> None:
    store = memory_store()
    add(store, turns(0, 200))
    decoded: list[int] = []
    plain = terms_kind(SPACE)

    def build(rows: Sequence[Any]) -> bytes:
        decoded.append(len(rows))
        return plain.build(rows)

    with store.snapshot() as reader:
        kind = replace(plain, build=build)
        step = packer._packing(reader, kind, minimum=1, fan_out=16, bounds=StepBounds(part=1_000))
        few = packer._packing(reader, kind, minimum=1, fan_out=16, bounds=StepBounds(bytes=2_000))
    assert len(decoded) > 8
    assert max(decoded) < 40
    assert step.rows == list(range(200))
    assert step.made.packed == segment.build(turns(0, 200))
    assert few.rows == list(range(len(few.rows)))
    assert 1 < len(few.rows) < 80
