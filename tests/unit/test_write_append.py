"""Which turns are new: one by one, as sequences, in stretches, beside other writers."""

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.errors import ConflictError, TurnRejected
from clew.memory import Memory
from clew.store.protocol import Store
from clew.types import Part, Turn
from clew.write.prepare import DEEPEST
from tests.support.index_stores import Wrapped, as_store
from tests.support.memories import at, empty_store, history, quiet, rows, texts, timed, told


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        yield opened


def counts(memory: Memory, turns: list[Turn]) -> tuple[int, int, int, int]:
    """Added, known, rejected, and forgotten of one `add_many`."""
    report = memory.add_many(turns)
    taken = len(report.turn_ids)
    assert taken == report.added + report.known
    return report.added, report.known, len(report.rejected), report.skipped.get("forgotten", 0)


@pytest.mark.requirement("F-PIPELINE-01")
def test_a_single_turn_is_always_new(memory: Memory) -> None:
    assert [memory.add(told("ok")) for _ in range(3)] == ["s:turn:0", "s:turn:1", "s:turn:2"]
    assert [memory.add(told("ok", at=at(0))) for _ in range(2)] == ["s:turn:3", "s:turn:4"]
    assert memory.add(told("ok", "other")) == "other:turn:0"


@pytest.mark.requirement("F-PIPELINE-01")
def test_a_known_external_id_gives_the_stored_turn(memory: Memory) -> None:
    assert memory.add(told("one", external_id="e")) == "s:turn:0"
    assert memory.add(told("one", external_id="e", at=at(9))) == "s:turn:0"
    assert memory.add(told("one", "other", external_id="e")) == "other:turn:0"
    with pytest.raises(ConflictError, match="external id 'e' is stored as s:turn:0 with other content, which was kept"):
        memory.add(told("two", external_id="e"))
    assert texts(memory) == ["one", "one"]


@pytest.mark.requirement("F-PIPELINE-01")
def test_a_second_ok_in_a_history_is_kept(memory: Memory) -> None:
    assert counts(memory, history(["do it", "ok", "and that", "ok", "ok"])) == (5, 0, 0, 0)
    assert texts(memory) == ["do it", "ok", "and that", "ok", "ok"]


@pytest.mark.requirement("F-PIPELINE-01")
@pytest.mark.parametrize("make", [history, timed])
def test_a_history_sent_again_adds_nothing_and_a_longer_one_its_new_part(
    memory: Memory, make: Callable[[str], list[Turn]]
) -> None:
    assert counts(memory, make("abac")) == (4, 0, 0, 0)
    assert counts(memory, make("abac")) == (0, 4, 0, 0)
    report = memory.add_many(make("abacda"))
    assert (report.added, report.known) == (2, 4)
    assert report.turn_ids == tuple(f"s:turn:{n}" for n in range(6))
    assert "".join(texts(memory)) == "abacda"


@pytest.mark.requirement("F-PIPELINE-01")
def test_an_edit_opens_a_branch_after_the_last_common_turn(memory: Memory) -> None:
    memory.add_many(history("abc"))
    assert memory.add_many(history("axy")).turn_ids == ("s:turn:0", "s:turn:3", "s:turn:4")
    assert [(memory.get(f"s:turn:{n}").branch, memory.get(f"s:turn:{n}").parent) for n in (2, 3, 4)] == [
        ("", None),
        ("edit-1", "s:turn:0"),
        ("edit-1", None),
    ]
    assert counts(memory, history("axyz")) == (1, 3, 0, 0)
    assert counts(memory, history("abcd")) == (1, 3, 0, 0)
    assert (memory.get("s:turn:5").branch, memory.get("s:turn:6").branch) == ("edit-1", "")


@pytest.mark.requirement("F-PIPELINE-01", "F-PIPELINE-03")
def test_a_known_id_with_other_content_is_rejected_and_the_others_are_kept(memory: Memory) -> None:
    memory.add_many([told("a", external_id="1"), told("b", external_id="2")])
    report = memory.add_many([told("a", external_id="1"), told("B", external_id="2"), told("c", external_id="3")])
    assert (report.added, report.known) == (1, 1)
    (rejected,) = report.rejected
    assert rejected.where == "turns[1]"
    assert "external id '2' is stored as s:turn:1 with other content, which was kept" in rejected.reason
    assert texts(memory) == ["a", "b", "c"]


@pytest.mark.requirement("F-PIPELINE-01")
def test_an_id_that_comes_twice_in_one_batch_is_one_turn(memory: Memory) -> None:
    same = [told("a", external_id="1"), told("a", external_id="1"), told("b", external_id="1"), told("c")]
    report = memory.add_many(same)
    assert (report.added, report.known, len(report.rejected)) == (2, 1, 1)
    assert report.turn_ids == ("s:turn:0", "s:turn:0", "s:turn:1")
    assert "stored as s:turn:0" in report.rejected[0].reason


@pytest.mark.requirement("F-PIPELINE-02")
def test_interleaved_sessions_are_lined_up_each_by_itself(memory: Memory) -> None:
    mixed = [told(f"{name}{n}", name) for n in range(5) for name in ("x", "y", "a b")]
    assert counts(memory, mixed) == (15, 0, 0, 0)
    assert texts(memory) == sorted([turn.text for turn in mixed], key=lambda text: ["x", "y", "a b"].index(text[:-1]))
    assert counts(memory, mixed) == (0, 15, 0, 0)
    report = memory.add_many(mixed)
    assert report.turn_ids[:4] == ("x:turn:0", "y:turn:0", "a%20b:turn:0", "x:turn:1")


@pytest.mark.requirement("F-PIPELINE-02")
@pytest.mark.parametrize("held", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("batch", [1, 4])
def test_nothing_depends_on_where_a_stretch_or_batch_ends(held: int, batch: int) -> None:
    turns = [told(f"{name}{n % 3}", name) for n in range(12) for name in ("x", "y")]
    edited = [told("x0", "x"), told("new", "x"), told("newer", "x")]
    with quiet(config={"ingest": {"batch": batch, "gather_turns": held}}) as memory:
        assert counts(memory, turns) == (24, 0, 0, 0)
        assert counts(memory, turns) == (0, 24, 0, 0)
        assert counts(memory, [*turns, told("more", "x"), told("more", "y")]) == (2, 24, 0, 0)
        assert counts(memory, edited) == (2, 1, 0, 0)
        assert counts(memory, edited) == (0, 3, 0, 0)
        assert memory.get("x:turn:14").branch == "edit-1"
        assert memory.verify().ok


class Interfering(Wrapped):
    """A store in which another writer comes first, again and again."""

    def __init__(self, store: Store, interfere: Callable[[int], Any]) -> None:
        super().__init__(store)
        self._interfere = interfere
        self._busy = False
        self.calls = 0

    def transaction(self, work: Any, *, durable: bool = True) -> Any:
        if not self._busy:
            self._busy, self.calls = True, self.calls + 1
            self._interfere(self.calls)
            self._busy = False
        return super().transaction(work, durable=durable)


@pytest.mark.requirement("F-PIPELINE-02")
def test_a_sequence_that_another_writer_interrupts_is_written_once_and_whole() -> None:
    store = empty_store()
    with quiet(store) as other:
        other.add_many(history("xy"))
        store_between = Interfering(store, lambda n: other.add(told(f"other {n}")) if n < 6 else None)
        with quiet(as_store(store_between), config={"ingest": {"batch": 2}}) as memory:
            report = memory.add_many(history("abcdefg"))
        assert (report.added, report.known, report.rejected) == (7, 0, ())
        mine = [text for text in texts(other) if len(text) == 1]
        assert "".join(mine) == "xyabcdefg"
        assert len(texts(other)) > 9


@pytest.mark.requirement("F-PIPELINE-02")
def test_the_same_history_from_two_writers_at_once_is_stored_once() -> None:
    store = empty_store()
    same = history([f"turn {n}" for n in range(40)])
    with quiet(store) as other:
        part = iter(range(10, 41, 10))
        store_between = Interfering(store, lambda _: other.add_many(same[: next(part, 40)]))
        with quiet(as_store(store_between), config={"ingest": {"batch": 7}}) as memory:
            report = memory.add_many(same)
        assert report.added + report.known == 40
        assert texts(other) == [turn.text for turn in same]


@pytest.mark.requirement("F-PIPELINE-02")
def test_the_same_history_from_many_threads_is_stored_once(tmp_path: Path) -> None:
    same = history([f"turn {n % 7}" for n in range(200)])
    reports = []
    with quiet(tmp_path, config={"ingest": {"batch": 9}}) as memory:
        threads = [threading.Thread(target=lambda: reports.append(memory.add_many(same))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert texts(memory) == [turn.text for turn in same]
    assert sum(report.added for report in reports) == 200
    assert sum(report.known for report in reports) == 600


@pytest.mark.requirement("F-PIPELINE-02")
def test_single_turns_of_many_threads_are_all_stored(tmp_path: Path) -> None:
    names: list[str] = []
    with quiet(tmp_path) as memory:

        def add(thread: int) -> None:
            names.extend(memory.add(told(f"{thread}-{n}")) for n in range(20))

        threads = [threading.Thread(target=add, args=(number,)) for number in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(names) == sorted(f"s:turn:{n}" for n in range(100))
        assert len(set(texts(memory))) == 100
        assert memory.verify().ok


@pytest.mark.requirement("F-PIPELINE-01")
def test_the_source_s_own_parent_and_branch_are_kept(memory: Memory) -> None:
    memory.add_many([told("a"), told("b", branch="side", parent="s:turn:0"), told("c", branch="side")])
    turn = memory.get("s:turn:1")
    assert (turn.branch, turn.parent) == ("side", "s:turn:0")
    memory.add(told("d", branch="side", parent="s:turn:2"))
    assert (memory.get("s:turn:3").branch, memory.get("s:turn:3").parent) == ("side", "s:turn:2")


@pytest.mark.requirement("F-PIPELINE-03")
def test_what_cannot_be_taken_is_named_by_its_place_and_the_rest_is_kept(memory: Memory) -> None:
    odd: Any = {"role": "user", "content": "x"}
    turns = [
        told("a"),
        told(" \n\t "),
        odd,
        told("b", metadata={"x": {1, 2}}),
        told("c", metadata={"x": object()}),
        told("d"),
    ]
    report = memory.add_many(turns)
    assert texts(memory) == ["a", "d"]
    assert [(each.where, each.reason.split(":")[0].split(";")[0]) for each in report.rejected] == [
        ("turns[1]", "the turn is empty"),
        ("turns[2]", "dict is not a turn"),
        ("turns[3]", "metadata cannot be written as JSON"),
        ("turns[4]", "metadata cannot be written as JSON"),
    ]


@pytest.mark.requirement("F-PIPELINE-03")
def test_a_single_turn_that_cannot_be_taken_is_refused(memory: Memory) -> None:
    circle: dict[str, Any] = {}
    circle["x"] = circle
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for wrong in (circle, {"x": deep}, {"x": b""}, {1: 1, "1": 2}):
        with pytest.raises(TurnRejected, match="metadata cannot be written as JSON"):
            memory.add(told("x", metadata=wrong))
    with pytest.raises(TurnRejected, match="extra cannot be written as JSON"):
        memory.add(Turn(role="user", content=(Part(type="text", text="x", extra={"y": {1}}),), session="s"))
    assert texts(memory) == []


@pytest.mark.requirement("F-PIPELINE-03")
def test_metadata_of_any_depth_is_stored_or_rejected(memory: Memory) -> None:
    turns = []
    deep: Any = "x"
    for levels in range(sys.getrecursionlimit()):  # at some depth JSON can be written, and nothing more
        deep = {"x": deep}
        if levels % 50 == 0:
            turns.append(told(f"{levels} levels", metadata=deep))
    report = memory.add_many(turns)
    assert texts(memory)[:2] == ["0 levels", "50 levels"]
    assert 0 < len(report.rejected) == len(turns) - report.added


@pytest.mark.requirement("F-PIPELINE-03")
@pytest.mark.parametrize("more", [0, 1])
def test_what_is_taken_at_the_limit_of_nesting_comes_back_from_an_export(tmp_path: Path, more: int) -> None:
    deep: Any = "x"
    for _ in range(DEEPEST - 1 + more):
        deep = {"x": deep}
    call = Part(type="tool_call", name="f", call_id="1", text="{}", extra=deep)
    turns = [told("x", metadata=deep), Turn(role="assistant", content=(call,), session="s")]
    with quiet() as memory, quiet() as other:
        report = memory.add_many(turns)
        memory.export(tmp_path / "all.jsonl")
        back = other.import_path(tmp_path / "all.jsonl")
        assert (report.added, back.added, back.rejected) == ((0, 0, ()) if more else (2, 2, ()))
        assert [(each.metadata, each.parts) for each in other.turns()] == [
            (each.metadata, each.parts) for each in memory.turns()
        ]


@pytest.mark.requirement("F-PIPELINE-03")
@pytest.mark.parametrize("title", [5, ["x"], None, "", "  "])
def test_a_title_that_is_none_is_no_title(memory: Memory, title: Any) -> None:
    memory.add_many(
        [
            told("a", metadata={"title": title}),
            told("b", metadata={"title": "Plans"}),
            told("c", metadata={"title": "No"}),
        ]
    )
    assert [row[3] for row in rows(memory.reads.store, "session")] == ["Plans"]


@pytest.mark.requirement("F-PIPELINE-04")
def test_progress_is_told_after_each_durable_batch(memory: Memory) -> None:
    seen: list[tuple[int, int]] = []
    with quiet(config={"ingest": {"batch": 3}}) as small:
        small.add_many(history("abcdefgh"), lambda done: seen.append((done, len(texts(small)))))
        assert seen == [(3, 3), (6, 6), (8, 8)]
        seen.clear()
        small.add_many([*history("abcdefgh"), *history("xy", session="t")], lambda done: seen.append((done, 0)))
        assert [done for done, _ in seen] == [3, 6, 8, 10]


@pytest.mark.requirement("F-PIPELINE-04")
def test_a_source_that_breaks_off_keeps_what_it_gave(memory: Memory) -> None:
    def source() -> Iterator[Turn]:
        yield from history("abc")
        raise OSError("the network is gone")

    with pytest.raises(OSError, match="the network is gone"):
        memory.add_many(source())
    assert texts(memory) == ["a", "b", "c"]
    assert counts(memory, history("abcd")) == (1, 3, 0, 0)


@pytest.mark.requirement("F-PIPELINE-04")
def test_a_listener_that_fails_does_not_write_a_batch_twice() -> None:
    def fail(_: int) -> None:
        raise RuntimeError("no more")

    with quiet(config={"ingest": {"batch": 1}}) as memory:
        memory.add_many(history("xy"))
        with pytest.raises(RuntimeError, match="no more"):
            memory.add_many([*history("ab"), *history("cd", session="t")], fail)
        assert texts(memory)[:3] == ["x", "y", "a"]
        assert len(set(texts(memory))) == len(texts(memory))


@pytest.mark.requirement("F-PIPELINE-04")
def test_nothing_is_no_work(memory: Memory) -> None:
    assert counts(memory, []) == (0, 0, 0, 0)
    assert memory.stats().turns == 0
