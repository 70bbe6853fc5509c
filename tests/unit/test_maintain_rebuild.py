"""Rebuild, export and import: the same again, from the log alone, also while others write."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InputError, StoreError
from clew.maintain.export_space import export_space
from clew.maintain.rebuild import rebuild
from clew.maintain.verify import verify
from clew.memory import Memory
from clew.recall.search import quoting
from clew.store.protocol import Reader, Store
from clew.store.values import Row
from clew.testing import HashEmbedder
from clew.types import Part, Turn, turn_id
from tests.support.index_stores import Wrapped, as_store
from tests.support.memories import at, empty_store, entries, history, quiet, rows, texts, told

LONG = "A long tool output. 🧶\r\n" * 2_000


def log() -> list[Turn]:
    """Turns of every sort."""
    return [
        told("We went to Rome on 5 May 2023, last year.", speaker="Ann", at=at(0)),
        told("I love green tea. Do you?", speaker="Bob", at=at(1), metadata={"title": "Tea", "n": [1, {"é": None}]}),
        Turn(role="assistant", content="Tea it is.\n\n" + "More of it. " * 200, session="other", external_id="e1"),
        Turn(role="tool", content=(Part(type="tool_result", name="cat", call_id="c", text=LONG),), session="other"),
        Turn(
            role="user",
            content=(Part(type="image", data=b"\0\xffpng", text="a picture"), Part(type="injected", text="quoted")),
            session="other",
            source="test",
            origin="web",
        ),
        told("half an emoji \ud83d and ␛0000; nul \0", "第三 / ?"),
    ]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet(embedder=HashEmbedder(), config={"index": {"pack_minimum": 3, "fan_out": 2}}) as opened:
        opened.add_many(log())
        opened.add_many(history("abc", session="edited"))
        opened.add_many(history("axy", session="edited"))
        assert opened.drain(None)
        yield opened


def annotated(memory: Memory) -> dict[str, list[Row]]:
    """Everything that is said of turns and labels."""
    return {table: rows(memory.reads.store, table) for table in ("annotation", "weighing", "analysis")}


def answers(memory: Memory) -> list[Any]:
    return [
        (hit.turn.text, hit.turn.session, hit.score, hit.signals)
        for question in ("green tea", "What did Ann do in May 2023?", "picture", "emoji")
        for hit in memory.search(question)
    ]


@pytest.mark.requirement("F-PIPELINE-08")
def test_a_rebuild_makes_the_same_rows(memory: Memory) -> None:
    index, annotations = entries(memory.reads.store), annotated(memory)
    vectors, said = memory.stats().vectors, answers(memory)
    assert len(index) == 11
    assert memory.rebuild() == 11
    assert memory.drain(None)
    assert entries(memory.reads.store) == index
    assert annotated(memory) == annotations
    assert (memory.stats().vectors, answers(memory)) == (vectors, said)
    assert memory.verify().ok


@pytest.mark.requirement("F-PIPELINE-08")
def test_a_rebuild_makes_good_what_was_lost_or_wrong(memory: Memory) -> None:
    index, annotations = entries(memory.reads.store), annotated(memory)
    everything = (("default",), ("default",))

    def damage(tx: Any) -> None:
        tx.delete("tail", *everything)
        tx.delete("weighing", ("default", 0), ("default", 0))
        tx.put("weighing", [("default", 1, "[9,9]", 0), ("default", 99, "[9,9]", 5)])
        tx.put("analysis", [("default", 99, "[9,9]", 0, 5)])
        tx.put(
            "annotation",
            [("default", "s:turn:1", "layer1", "9.9", "rule", 0), ("default", "s:turn:1", "old", "1", "rule", 0)],
        )
        tx.put("annotation", [("default", "gone:turn:7", "layer1", "0.5", "rule", 1)])
        tx.put("annotation", [("default", "gone:turn:7", "mood", "0.5", "model:m", 1)])
        tx.put("annotation", [("default", "s:turn:1", "mood", '"good"', "user", 1)])

    memory.reads.store.transaction(damage)
    assert not memory.verify().ok
    memory.rebuild()
    assert memory.drain(None)
    assert entries(memory.reads.store) == index
    kept: Row = ("default", "s:turn:1", "mood", '"good"', "user", 1)
    assert annotated(memory) == {**annotations, "annotation": sorted([*annotations["annotation"], kept])}
    assert memory.verify().ok


@pytest.mark.requirement("F-PIPELINE-08")
def test_a_rebuild_of_nothing_is_nothing() -> None:
    with quiet() as memory:
        assert memory.rebuild() == 0
        assert memory.verify().ok


@pytest.mark.requirement("F-PIPELINE-12")
def test_an_export_that_is_imported_gives_the_same(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    assert memory.export(path) == 11
    with quiet(tmp_path / "home", embedder=HashEmbedder()) as copy:
        report = copy.import_path(path)
        assert (report.added, report.known, report.rejected) == (11, 0, ())
        assert copy.import_path(path).known == 11
        assert copy.drain(None)
        originals = {row[1]: row[3] for row in rows(memory.reads.store, "blob")}
        assert {row[1]: row[3] for row in rows(copy.reads.store, "blob")} == originals
        kept = [row[:13] + row[14:] for row in rows(memory.reads.store, "turn")]  # all but when it was stored
        assert [row[:13] + row[14:] for row in rows(copy.reads.store, "turn")] == kept
        assert entries(copy.reads.store) == entries(memory.reads.store)
        assert answers(copy) == answers(memory)
        for row in kept:
            name = turn_id(str(row[1]), int(row[2] or 0))
            assert copy.restore(name).content == memory.restore(name).content
        assert copy.export(tmp_path / "again.jsonl") == 11
    assert _lines(tmp_path / "again.jsonl") == _lines(path)


def _lines(path: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [{key: value for key, value in each.items() if key != "ingested_at"} for each in found]


@pytest.mark.requirement("F-PIPELINE-12")
def test_an_export_appears_whole_or_not_at_all(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    memory.export(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"all\.jsonl exists already; name a new file"):
        memory.export(path)
    with pytest.raises(StoreError, match="cannot be written"):
        memory.export(tmp_path / "no" / "such" / "folder.jsonl")
    memory.reads.store.transaction(lambda tx: tx.delete("blob", ("default",), ("default",)))
    with pytest.raises(Exception, match=r"blob [0-9a-f]{12} is missing; `clew verify`"):
        memory.export(tmp_path / "broken.jsonl")
    assert [each.name for each in tmp_path.iterdir()] == ["all.jsonl"]
    assert path.read_bytes() == before


@pytest.mark.requirement("F-PIPELINE-12")
def test_of_two_exports_to_one_file_the_second_is_refused_and_the_first_is_whole(tmp_path: Path) -> None:
    store = empty_store()
    path = tmp_path / "out.jsonl"
    refused: list[str] = []
    with quiet(store) as other:
        other.add_many(log())

        def export_too() -> None:
            with pytest.raises(StoreError, match="somebody else is writing") as caught:
                other.export(path)
            refused.append(str(caught.value))

        assert export_space(as_store(Between(store, 2, export_too)), "default", path) == 6
        assert [each.name for each in tmp_path.iterdir()] == ["out.jsonl"]
        other.export(tmp_path / "again.jsonl")
    assert len(refused) == 1
    assert path.read_bytes() == (tmp_path / "again.jsonl").read_bytes()


class Between(Wrapped):
    """A store in which something happens right after the n-th snapshot was begun."""

    def __init__(self, store: Store, n: int, what: Callable[[], object]) -> None:
        super().__init__(store)
        self._left, self._what = n, what

    @contextmanager
    def snapshot(self) -> Iterator[Reader]:
        with self.store.snapshot() as reader:
            self._left -= 1
            if self._left == 0:
                self._what()
            yield reader


@pytest.mark.requirement("F-PIPELINE-13")
@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("work", ["verify", "export"])
def test_what_others_write_meanwhile_is_no_fault_and_breaks_no_export(tmp_path: Path, n: int, work: str) -> None:
    store = empty_store()
    with quiet(store) as other:
        other.add_many(log())

        def write() -> None:
            other.add(told("while it was read", "new"))
            other.forget(turn_ids=["other:turn:1", "other:turn:2"])

        between = Between(store, n, write)
        if work == "verify":
            assert verify(as_store(between), "default").problems == ()
        else:
            assert export_space(as_store(between), "default", tmp_path / "out.jsonl") == 6
        if between._left <= 0:
            assert len(texts(other)) == 5


@pytest.mark.requirement("F-PIPELINE-13")
def test_a_phrase_that_is_looked_up_while_a_turn_comes_in_does_not_hide_it() -> None:
    store = empty_store()
    with quiet(store) as other:
        other.add(told("green tea"))
        with quiet(store) as memory:
            between = as_store(Between(store, 1, lambda: other.add(told("more tea"))))
            turns = quoting(replace(memory.reads, store=between), "tea", 10)
            assert [turn.text for turn in turns] in (["green tea"], ["more tea", "green tea"])
            assert {hit.turn.text for hit in memory.search("tea")} == {"green tea", "more tea"}


@pytest.mark.requirement("F-PIPELINE-08")
def test_a_turn_that_comes_or_goes_during_a_rebuild_is_treated_right() -> None:
    store = empty_store()
    with quiet(store) as other:
        other.add_many(history("abcdef"))
        done: list[str] = []

        def interfere() -> None:
            if not done:
                done.append(other.add(told("new")))
                other.forget(turn_ids=["s:turn:2"])

        between = Wrapped(store)
        between.before = interfere
        with quiet(store) as memory:
            rebuild(as_store(between), memory.space, pack_minimum=512, fan_out=16)
        assert texts(other) == ["a", "b", "d", "e", "f", "new"]
        assert other.verify().ok
        assert len(entries(store)) == 6


@pytest.mark.requirement("F-STORE-42")
def test_verifying_tells_how_far_it_is() -> None:
    with quiet() as memory:
        memory.add_many(history([f"turn {n}" for n in range(1_300)]))
        told_of: list[tuple[int, int]] = []
        assert memory.verify(lambda done, total: told_of.append((done, total))).ok
        assert told_of == [(500, 1_300), (1_000, 1_300), (1_300, 1_300)]


@pytest.mark.requirement("F-HOLD-03", "F-HOLD-01")
def test_a_rebuild_tells_how_far_it_is_also_after_it_was_broken_off() -> None:
    store = empty_store()
    with quiet(store) as memory:
        memory.add_many(history([f"turn {n}" for n in range(1_300)]))
        told_of: list[tuple[int, int]] = []

        def tell(done: int, total: int) -> None:
            told_of.append((done, total))
            if len(told_of) == 3:
                raise InputError("enough")

        index = {"pack_minimum": 64, "fan_out": 4, "step": 600}
        with pytest.raises(InputError):
            rebuild(store, "default", on_progress=tell, **index)
        assert memory.stats().details["rebuilt_up_to"] == 600
        assert rebuild(store, "default", on_progress=tell, **index) == 1_300
        assert told_of == [(n, 1_300) for n in (500, 600, 1_100, 1_100, 1_200, 1_300)]
        assert memory.stats().details["rebuilt_up_to"] is None
        assert memory.verify().ok
