"""Each fault, planted through the store, is found by verify, explained by doctor, and mended where nothing is lost."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from types import FrameType
from typing import Any, cast

import pytest

from clew.config import IndexConfig
from clew.errors import StoreCorrupt
from clew.index.entry import PieceTerms, TurnEntry, decode, encode
from clew.index.segment import build
from clew.maintain import check_coverage
from clew.maintain.check_references import find_lost_parents, stored_places
from clew.maintain.doctor import ADVICE, diagnose, repair
from clew.maintain.rebuild import rebuild
from clew.maintain.verify import verify
from clew.memory import Memory
from clew.store.memory import MemoryStore
from clew.store.protocol import Reader, Store, Transaction
from clew.store.tables import TABLES
from clew.store.values import Row
from clew.testing import FrozenClock, HashEmbedder
from clew.types import Part, Turn
from tests.support.memories import copied, history, quiet

NOON = datetime(2025, 4, 1, 12, tzinfo=UTC)
S = "default"
MODEL = HashEmbedder().name
PACKED = IndexConfig(pack_minimum=4, fan_out=2)


def whole(*, packed: bool) -> Store:
    """A store with turns, an original, branches, vectors and a forgotten turn, in segments or in the tail."""
    return copied(_whole(packed=packed))


@cache
def _whole(*, packed: bool) -> Store:
    store = MemoryStore()
    memory = Memory.open(
        store, embedder=HashEmbedder(), config={"ingest": {"blob_bytes": 4_096}}, clock=FrozenClock(NOON)
    )
    memory.add_many(
        Turn(role="user", content=f"launch number {n}", session=f"s{n % 2}", at=NOON + timedelta(hours=n // 4))
        for n in range(10)
    )
    memory.add(Turn(role="tool", content=(Part(type="tool_result", text="x " * 3_000),), session="s0"))
    memory.add_many([Turn(role="user", content="launch number 0", session="s0"), Turn(role="user", content="other")])
    memory.add_many(Turn(role="user", content=each, session="s0") for each in ("launch number 0", "edited"))
    memory.add(Turn(role="user", content="launch of words " * 300, session="s1"))
    memory.forget(turn_ids=["s1:turn:2"])
    memory.drain(None)
    memory.parts.worker.stop()
    if packed:
        rebuild(store, S, pack_minimum=4, fan_out=2)
    return store


def put(table: str, **changed: object) -> Callable[[Transaction], None]:
    """Changes columns of the first row of a table."""

    def work(tx: Transaction) -> None:
        row = dict(zip(TABLES[table].names, tx.scan(table, (S,), (S,), limit=1)[0], strict=True))
        tx.delete(table, *[tuple(row[name] for name in TABLES[table].key_names)] * 2)
        tx.put(table, [cast(Row, tuple({**row, **changed}.values()))])

    return work


def vectors(*rows: Row) -> Callable[[Transaction], None]:
    return lambda tx: tx.put("vector", rows)


def drop(table: str) -> Callable[[Transaction], None]:
    """Takes out the first row of a table."""

    def work(tx: Transaction) -> None:
        key = tx.scan(table, (S,), (S,), columns=TABLES[table].key_names, limit=1)[0]
        tx.delete(table, key, key)

    return work


def weighing(value: str | None) -> Callable[[Transaction], None]:
    """Alters what was weighed of the first turn, or takes it out."""

    def work(tx: Transaction) -> None:
        row = tx.scan("weighing", (S,), (S,), limit=1)[0]
        tx.delete("weighing", row[:2], row[:2])
        if value is not None:
            tx.put("weighing", [(*row[:2], value, *row[3:])])

    return work


def twice(tx: Transaction) -> None:
    """Has the first beat a second time, under a place of its own."""
    row = tx.scan("node", (S,), (S,), limit=1)[0]
    tx.put("node", [(S, "s0:beat:99", *row[2:4], 99, *row[5:])])


def drop_turn(tx: Transaction) -> None:
    """Takes out a turn and everything derived from it, but for its number."""
    (row,) = tx.scan("turn", (S, "s0", 1), (S, "s0", 1), columns=("ordinal",))
    tx.delete("turn", (S, "s0", 1), (S, "s0", 1))
    for table in ("weighing", "analysis", "tail"):
        tx.delete(table, (S, row[0]), (S, row[0]))
    tx.delete("vector", (S, MODEL, row[0]), (S, MODEL, row[0]))


def other_words(tx: Transaction) -> None:
    """Indexes a turn with the words of another one."""
    rows = tx.scan("tail", (S,), (S,), limit=2)
    first, second = (decode(cast(bytes, row[2])) for row in rows)
    tx.put("tail", [(S, first.ordinal, encode(replace(first, pieces=second.pieces)))])


def elsewhere(tx: Transaction) -> TurnEntry:
    """An entry for a turn that is not there."""
    held = tx.scan("turn", (S,), (S,), columns=("session",), limit=1)
    return TurnEntry(99, str(held[0][0]), 99, "", None, "user", None, 5, (PieceTerms({"launch": 1}, {}, 5),))


@dataclass(frozen=True)
class Fault:
    """How it is planted, the kinds of problems it is, words of one of them, and whether repair ends it."""

    plant: Callable[[Transaction], object]
    kinds: set[str]
    words: str
    mended: bool = True


LOOSE = {
    "altered text": Fault(put("turn", text="launch number 9000"), {"turn"}, "content hash differs", False),
    "altered role": Fault(put("turn", role="assistant"), {"turn"}, "content hash differs", False),
    "unreadable parts": Fault(put("turn", parts="{"), {"turn"}, "cannot be read", False),
    "altered time": Fault(put("turn", at=5), {"index"}, "other words or columns"),
    "missing blob": Fault(drop("blob"), {"blob"}, "is missing", False),
    "altered blob": Fault(put("blob", data=b"other"), {"blob"}, "do not match", False),
    "orphan blob": Fault(lambda tx: tx.put_blob(S, "ab" * 32, b"x"), {"blob"}, "no turn refers"),
    "orphan annotation": Fault(
        lambda tx: tx.put("annotation", [(S, "s9:turn:1", "layer1", "{}", "rule", 1)]), {"annotation"}, "no such turn"
    ),
    "orphan weighing": Fault(lambda tx: tx.put("weighing", [(S, 99, "[]", 1)]), {"annotation"}, "no such turn"),
    "missing annotation": Fault(weighing(None), {"annotation"}, "1 turn lacks"),
    "altered annotation": Fault(weighing("{}"), {"annotation"}, "1 turn lacks"),
    "unreadable annotation": Fault(weighing("{"), {"annotation"}, "1 turn lacks"),
    "missing analysis": Fault(drop("analysis"), {"coverage"}, "1 turn lacks what the analysis says"),
    "missing beat": Fault(drop("node"), {"coverage"}, "are analysed and in no beat"),
    "missing mark": Fault(
        lambda tx: tx.delete("meta", (S, "line:"), (S, "line;")), {"coverage"}, "in a beat and not among the turns"
    ),
    "beat twice": Fault(twice, {"coverage"}, "are in more than one beat"),
    "orphan label": Fault(
        lambda tx: tx.put("label", [(S, "s9:beat:0", "domain", "legal", 1.0, "rule", 1)]),
        {"coverage"},
        "there is no such node",
    ),
    "orphan label of a turn": Fault(
        lambda tx: tx.put("label", [(S, "s9:turn:1", "domain", "legal", 1.0, "user", 1)]), {"orphan"}, "a row of label"
    ),
    "orphan answer": Fault(
        lambda tx: tx.put("completion", [(S, "m", b"d", "s0:turn:77", "{}", 1)]), {"orphan"}, "a row of completion"
    ),
    "orphan feedback": Fault(
        lambda tx: tx.put("feedback", [(S, "r", "s9:turn:1", "used", 1)]), {"orphan"}, "a row of feedback"
    ),
    "orphan chapter": Fault(
        lambda tx: tx.put("node", [(S, "s9:chapter:0", "s9", 2, 0, 0, 1, 0, None, None, "{}", 1)]),
        {"orphan"},
        "a row of node",
    ),
    "orphan vector": Fault(vectors((S, MODEL, 99, 0.5, b"\1" * 64)), {"vector"}, "not among the turns: ordinals 99"),
    "shorter vector": Fault(vectors((S, MODEL, 0, 0.5, b"\1" * 32)), {"vector"}, "vectors do not have the model's"),
    "bad scale": Fault(vectors((S, MODEL, 0, -0.5, b"\1" * 64)), {"vector"}, "scale that is negative"),
    "missing entry": Fault(drop("tail"), {"index"}, "1 turn is missing"),
    "extra entry": Fault(
        lambda tx: tx.put("tail", [(S, 99, encode(elsewhere(tx)))]), {"index"}, "not among the turns: ordinals 99"
    ),
    "damaged entry": Fault(put("tail", entry=b"nothing"), {"index"}, "does not have version"),
    "entry of other words": Fault(other_words, {"index"}, "1 turn is indexed with other words"),
    "lost turn": Fault(drop_turn, {"numbering", "coverage"}, "places 1 hold neither", False),
    "low counter": Fault(put("space", next_ordinal=3), {"numbering"}, "lie beyond the space's 3"),
    "low session": Fault(put("session", next_seq=0), {"numbering"}, "its row says 0 turns"),
    "lost session row": Fault(drop("session"), {"numbering"}, "its row says 0 turns"),
    "empty session": Fault(
        lambda tx: tx.put("session", [(S, "s9", 0, None, "{}", 0)]), {"numbering"}, "a row and no turn"
    ),
    "high counter": Fault(put("space", next_ordinal=99), {"numbering"}, "turns are missing: the space", False),
    "broken reference": Fault(put("turn", parent="s0:turn:99"), {"parent"}, "neither stored nor forgotten"),
    "job for nothing": Fault(
        lambda tx: tx.put("job", [(S, "j", "k", "pending", '{"turn":"s9:turn:1"}', 0, None, None, 0)]),
        {"job"},
        "which is not stored",
    ),
    "unreadable job": Fault(
        lambda tx: tx.put("job", [(S, "j", "k", "pending", "{", 0, None, None, 0)]), {"job"}, "no JSON"
    ),
}
PACKED_FAULTS = {
    "missing segment": Fault(drop("segment"), {"index"}, "turns are missing"),
    "damaged segment": Fault(put("segment", data=b"nothing"), {"index"}, "an index segment begins with"),
    "extra turn in a segment": Fault(
        lambda tx: tx.put("segment", [(S, "terms", 99, 99, 0, 9, build([elsewhere(tx)]))]), {"index"}, "ordinals 99"
    ),
    "wrong range": Fault(put("segment", high=99), {"index"}, "it contains the turns 0 to"),
    "altered branch": Fault(put("turn", branch="b"), {"index"}, "other words or columns"),
}


def words(store: Store) -> list[Row]:
    with store.snapshot() as reader:
        return reader.scan("turn", (S,), (S,), columns=("session", "seq", "text", "parts", "hash"))


@pytest.mark.requirement("S-DOCTOR-01", "S-DOCTOR-02")
@pytest.mark.parametrize(
    ("packed", "name"), [*((False, name) for name in LOOSE), *((True, name) for name in PACKED_FAULTS)]
)
def test_a_planted_fault_is_found_explained_and_mended(packed: bool, name: str) -> None:
    fault = (PACKED_FAULTS if packed else LOOSE)[name]
    store = whole(packed=packed)
    assert verify(store, S).problems == ()
    store.transaction(fault.plant)
    found = verify(store, S).problems
    assert {problem.kind for problem in found} == fault.kinds
    assert any(fault.words in problem.detail for problem in found), found
    before = words(store)
    findings = diagnose(found)
    assert sum(len(finding.problems) for finding in findings) == len(found)
    repair(store, S, findings, PACKED)
    left = verify(store, S).problems
    assert (left == ()) == fault.mended, left
    assert words(store) == before
    if not fault.mended:
        assert {problem.kind for problem in left} <= fault.kinds


def meta(name: str, value: str) -> Callable[[Transaction], None]:
    return lambda tx: tx.put("meta", [(S, name, value)])


UNREADABLE: dict[str, tuple[Callable[[Transaction], None], str]] = {
    "how far turns are analysed": (meta("analysed", '{"next'), "coverage"),
    "how far names are counted": (meta("entities", "[]"), "entity"),
    "how far turns are read for facts": (meta("facts", "5"), "fact"),
    "how often the index changed": (meta("index_epoch", "[]"), "coverage"),
    "how often annotations were replaced": (meta("said", "x"), "coverage"),
    "the makers of annotations": (meta("makers", "5"), "coverage"),
    "how far turns are read for files": (meta("mentions", "x"), "coverage"),
    "the state of a branch": (meta("line:s0", "[]"), "coverage"),
    "the state of the vocabulary": (meta("vocabulary", "[]"), "coverage"),
    "node": (put("node", data="[]"), "coverage"),
    "label": (lambda tx: tx.put("annotation", [(S, "tag:x", "label", "[]", "rule", 1)]), "coverage"),
    "statement": (put("statement", data=b"\0nothing"), "fact"),
    "fact": (put("fact", data=b"\0nothing"), "fact"),
}


@pytest.mark.requirement("S-DOCTOR-01", "S-DOCTOR-02")
@pytest.mark.parametrize("name", UNREADABLE)
def test_a_derived_row_that_cannot_be_read_is_found_and_made_again(name: str) -> None:
    plant, kind = UNREADABLE[name]
    store = MemoryStore()
    with quiet(store) as memory:
        memory.add_many(history(["I live in Rome.", *("launch number" for _ in range(30))], session="s0"))
        memory.drain(None)
    assert verify(store, S).problems == ()
    store.transaction(plant)
    found = verify(store, S).problems
    assert any(problem.kind == kind and "cannot be read" in problem.detail for problem in found), found
    repair(store, S, diagnose(found), PACKED)
    with quiet(store) as memory:
        memory.drain(None)
        assert memory.forget(turn_ids=["s0:turn:6"]).turns == 1
        memory.drain(None)
        assert [fact.object for fact in memory.facts(subject="me", verb="live")] == ["Rome"]
    assert verify(store, S).problems == ()


@pytest.mark.requirement("S-DOCTOR-01")
@pytest.mark.parametrize("packed", [False, True])
def test_nothing_is_found_where_nothing_is_wrong(packed: bool) -> None:
    report = verify(whole(packed=packed), S)
    assert (report.problems, report.checked["turns"]) == ((), 13)


@pytest.mark.requirement("S-DOCTOR-01")
def test_each_session_is_looked_at_once() -> None:
    def lines(sessions: int) -> int:
        """Lines of the check of beats that run for so many sessions."""
        store = MemoryStore()
        with quiet(store) as memory:
            memory.add_many([Turn(role="user", content="launch", session=f"s{n}") for n in range(sessions)])
            assert memory.drain(200)  # what the worker leaves undone is counted otherwise
        count = 0

        def trace(frame: FrameType, event: str, _: object) -> Any:
            nonlocal count
            count += event == "line"
            return trace if frame.f_code.co_filename == check_coverage.__file__ else None

        before = sys.gettrace()
        with store.snapshot() as reader:
            sys.settrace(trace)
            try:
                assert list(check_coverage.coverage_problems(reader, S)) == []
            finally:
                sys.settrace(before)
        return count

    assert lines(200) < 2.5 * lines(100)


class CountingReader:
    """A reader that counts the scans of tombstones."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.scans = 0

    def scan(self, table: str, *bounds: Any, **options: Any) -> list[Row]:
        self.scans += table == "tombstone"
        return self._reader.scan(table, *bounds, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)


@pytest.mark.requirement("S-DOCTOR-01")
def test_what_was_forgotten_of_a_session_is_read_once() -> None:
    store = MemoryStore()
    with quiet(store) as memory:
        for n in range(0, 40, 2):
            memory.add(Turn(role="user", content=f"question {n}", session="s"))
            memory.add(Turn(role="assistant", content=f"answer {n}", session="s", parent=f"s:turn:{n}"))
        memory.forget(turn_ids=[f"s:turn:{n}" for n in range(0, 40, 2)])
    with store.snapshot() as reader:
        counting = CountingReader(reader)
        assert list(find_lost_parents(cast(Reader, counting), S, stored_places(reader, S))) == []
    assert counting.scans == 1


@pytest.mark.requirement("S-DOCTOR-01")
@pytest.mark.parametrize(
    "damage", [{"parts": '{"x'}, {"parts": "[5]"}, {"metadata": "["}, {"metadata": "[]"}, {"role": "x"}, {"at": 2**60}]
)
def test_a_damaged_turn_is_named_by_whoever_reads_it_and_the_others_can_be_saved(
    damage: dict[str, object], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = MemoryStore()
    with quiet(store) as memory:
        memory.add_many(history(["green tea", "black coffee"]))
    store.transaction(put("turn", **damage))
    with quiet(store) as memory:
        for read in (memory.turns, lambda: memory.get("s:turn:0"), lambda: memory.search("tea"), memory.rebuild):
            with pytest.raises(StoreCorrupt, match=r"the turn 's:turn:0' is damaged: .*`clew verify`"):
                read()
        assert [problem.where for problem in memory.verify().problems if problem.kind == "turn"] == ["s:turn:0"]
        assert memory.export(tmp_path / "whole.jsonl") == 1
    assert "left out of the export: the turn 's:turn:0' is damaged" in caplog.text
    assert "black coffee" in (tmp_path / "whole.jsonl").read_text(encoding="utf-8")


@pytest.mark.requirement("S-DOCTOR-02")
@pytest.mark.parametrize("name", ["how far names are counted", "the state of the vocabulary", "statement"])
def test_who_forgets_beside_a_row_that_cannot_be_read_is_told_what_helps(name: str) -> None:
    store = MemoryStore()
    with quiet(store) as memory:
        memory.add_many(history(["I live in Rome.", *("launch number" for _ in range(30))], session="s0"))
        memory.drain(None)
    store.transaction(UNREADABLE[name][0])
    with quiet(store) as memory:
        with pytest.raises(StoreCorrupt, match=r"nothing was deleted, since .*`clew doctor --repair`"):
            memory.forget(session="s0")
        assert len(memory.turns()) == 31


@pytest.mark.requirement("S-DOCTOR-02")
def test_every_kind_of_problem_has_its_words() -> None:
    for advice in ADVICE.values():
        assert advice.meaning.endswith(".")
        assert advice.repair.endswith(".")


@pytest.mark.requirement("S-DOCTOR-02")
def test_vectors_are_made_again_after_repair() -> None:
    store = whole(packed=True)
    with store.snapshot() as reader:
        sound = reader.scan("vector", (S,), (S,))
    store.transaction(vectors(*((*row[:4], b"\1" * 32) for row in sound[:3])))
    repair(store, S, diagnose(verify(store, S).problems), PACKED)
    memory = Memory.open(store, embedder=HashEmbedder(), config={}, clock=FrozenClock(NOON))
    memory.drain(None)
    memory.parts.worker.stop()
    with store.snapshot() as reader:
        assert reader.scan("vector", (S,), (S,)) == sound


class Searched(str):
    """Text that counts how often it is searched for another one."""

    __slots__ = ()
    times = 0

    def __contains__(self, part: object) -> bool:
        Searched.times += 1
        return super().__contains__(cast(str, part))


class SearchedStore(MemoryStore):
    """A store whose turns have their parts as such texts."""

    def transaction(self, work: Callable[[Transaction], Any], *, durable: bool = True) -> Any:
        def counted(tx: Transaction) -> Any:
            scan = tx.scan

            def searched(table: str, *args: Any, **more: Any) -> list[Row]:
                rows = scan(table, *args, **more)
                return [(Searched(row[0]),) for row in rows] if more.get("columns") == ("parts",) else rows

            tx.scan = searched  # type: ignore[method-assign]  # for this one transaction
            return work(tx)

        return super().transaction(counted, durable=durable)


@pytest.mark.requirement("S-DOCTOR-02")
def test_unused_blobs_are_dropped_without_a_search_of_every_turn_for_every_blob() -> None:
    store = SearchedStore()
    with Memory.open(store, embedder="none", config={"ingest": {"blob_bytes": 300}}) as memory:
        memory.add_many(
            Turn(role="tool", content=(Part(type="tool_result", text=f"{n} " * 200),), session="s") for n in range(9)
        )
        memory.drain(None)
        for number in range(20):
            store.transaction(partial(put_blob, f"{number:02}" * 32))
        Searched.times = 0
        repair(store, S, diagnose(verify(store, S).problems), PACKED)
        assert Searched.times == 0
        assert verify(store, S).ok
        assert memory.restore("s:turn:7").text == "7 " * 200


def put_blob(name: str, tx: Transaction) -> None:
    tx.put_blob(S, name, b"x")
