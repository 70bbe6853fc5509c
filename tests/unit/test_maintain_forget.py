"""Forgetting: what goes, that nothing of it is left anywhere, that it stays out, and that all else stays."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InputError, NotFoundError, TurnRejected
from clew.memory import Memory
from clew.models.protocol import Matrix
from clew.testing import HashEmbedder
from clew.types import Part, Turn
from tests.support.memories import at, everything, history, quiet, raw, rows, texts, timed, told

SAID = "xylophonist Quetzalcoatl bought marzipan"
WORDS = [b"xylophon", b"quetzalcoatl", b"Quetzalcoatl", b"marzipan"]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        opened.add_many(
            [
                told("one", "a", speaker="Ann", at=at(0)),
                told("two tea", "a", speaker="Bob", at=at(10)),
                told("three", "b", speaker="Ann", at=at(20)),
                told("four: Tée", "b", speaker="Ann"),
            ]
        )
        yield opened


@pytest.mark.requirement("F-PIPELINE-10")
@pytest.mark.parametrize(
    ("selection", "kept"),
    [
        ({"turn_ids": ["a:turn:0", "b:turn:1", "b:turn:9", "a:turn:0"]}, ["two tea", "three"]),
        ({"turn_ids": []}, ["one", "two tea", "three", "four: Tée"]),
        ({"session": "a"}, ["three", "four: Tée"]),
        ({"session": "none"}, ["one", "two tea", "three", "four: Tée"]),
        ({"speaker": "Ann"}, ["two tea"]),
        ({"since": at(10)}, ["one", "four: Tée"]),
        ({"until": at(10)}, ["two tea", "three", "four: Tée"]),
        ({"since": at(5), "until": at(15)}, ["one", "three", "four: Tée"]),
        ({"since": at(5).replace(tzinfo=None)}, ["one", "four: Tée"]),
        ({"match": "TEA"}, ["one", "three", "four: Tée"]),
        ({"match": "tee"}, ["one", "two tea", "three"]),
        ({"match": "te"}, ["one", "two tea", "three", "four: Tée"]),
        ({"speaker": "Ann", "session": "b", "match": "three"}, ["one", "two tea", "four: Tée"]),
        ({"speaker": "Ann", "match": "tea"}, ["one", "two tea", "three", "four: Tée"]),
    ],
)
def test_what_meets_every_condition_goes(memory: Memory, selection: dict[str, Any], kept: list[str]) -> None:
    assert memory.drain(200)  # nothing else writes while both are compared
    before = everything(memory.reads.store)
    trial = memory.forget(**selection, dry_run=True)
    assert (trial.turns, trial.dry_run, len(trial.turn_ids), len(trial.digests)) == (
        4 - len(kept),
        True,
        4 - len(kept),
        4 - len(kept),
    )
    assert everything(memory.reads.store) == before
    report = memory.forget(**selection)
    assert (report.turns, report.turn_ids, report.dry_run) == (4 - len(kept), (), False)
    assert texts(memory) == kept
    assert memory.verify().ok
    assert {hit.turn.text for hit in memory.search("one two three four tea", limit=9)} == set(kept)


@pytest.mark.requirement("F-PIPELINE-10")
@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ({}, "nothing is selected"),
        ({"match": "?!"}, r"match '\?!' contains no word"),
        ({"turn_ids": ["one"]}, "'one' is not a turn id"),
        ({"since": at(5), "until": at(5)}, "where it starts"),
        ({"since": "soonish"}, "since 'soonish' names no time"),
    ],
)
def test_a_selection_that_cannot_be_meant_is_refused(memory: Memory, selection: dict[str, Any], message: str) -> None:
    for dry_run in (True, False):
        with pytest.raises(InputError, match=message):
            memory.forget(**selection, dry_run=dry_run)
    assert len(texts(memory)) == 4


def named_turns() -> list[Turn]:
    return [
        told(SAID, "quetzalcoatl diary", speaker="Quetzalcoatl", metadata={"title": "Marzipan plans", "marzipan": 1}),
        Turn(
            role="tool",
            content=(Part(type="tool_result", name="marzipan", text=f"{SAID}\n" * 2_000),),
            session="shared",
            external_id="marzipan-1",
            metadata={"title": "Quetzalcoatl"},
        ),
        Turn(role="user", content=(Part(type="image", data=SAID.encode(), text="marzipan"),), session="shared"),
    ]


@pytest.mark.requirement("F-PIPELINE-09")
@pytest.mark.parametrize("packed", [False, True])
def test_nothing_of_it_is_left_in_any_table_segment_or_file(tmp_path: Path, packed: bool) -> None:
    config = {"index": {"pack_minimum": 2 if packed else 512, "fan_out": 2}}
    with quiet(tmp_path, embedder=HashEmbedder(), config=config) as memory:
        memory.add_many(history(["tea", "coffee", "milk"], session="shared"))
        memory.add_many(named_turns())
        memory.add_many(history(["sugar", "salt"], session="shared"))
        assert memory.drain(None)
        memory.recall("Where is the marzipan of Quetzalcoatl?")
        assert memory.drain(None)
        memory.recall("Is Quetzalcoatl a xylophonist?")  # not written yet
        held = everything(memory.reads.store)
        assert all(word in held for word in WORDS)
        if packed:
            assert memory.stats().segments > 0
        report = memory.forget(match="marzipan")
        assert report.turns == 3
        assert report.rows["blob"] == 2
        memory.recall("tea")
        memory.drain(None)
        for word in WORDS:
            assert word not in everything(memory.reads.store)
            assert word not in raw(tmp_path)
        assert texts(memory) == ["tea", "coffee", "milk", "sugar", "salt"]
        assert memory.verify().ok
        assert [row[1] for row in rows(memory.reads.store, "session")] == ["shared"]
        assert memory.stats().vectors == 5
        with pytest.raises(NotFoundError, match="no turn 'shared:turn:3'"):
            memory.get("shared:turn:3")
    for word in WORDS:
        assert word not in raw(tmp_path)


@pytest.mark.requirement("F-PIPELINE-09")
def test_a_blob_that_another_turn_needs_stays(memory: Memory) -> None:
    part = Part(type="image", data=b"picture")
    first = memory.add(Turn(role="user", content=(part,), session="x"))
    second = memory.add(Turn(role="user", content=(part, Part(type="text", text="again")), session="y"))
    assert memory.forget(turn_ids=[first]).rows["blob"] == 0
    assert memory.restore(second).parts[0].data == b"picture"
    assert memory.forget(turn_ids=[second]).rows["blob"] == 1
    assert memory.stats().blobs == 0


@pytest.mark.requirement("F-PIPELINE-09")
def test_another_space_keeps_the_same_words(tmp_path: Path) -> None:
    with quiet(tmp_path) as memory, quiet(tmp_path, space="other") as other:
        for each in (memory, other):
            each.add(told(SAID))
        memory.forget(match="marzipan")
        assert (texts(memory), texts(other)) == ([], [SAID])
        assert len(other.search("marzipan")) == 1
        assert other.add_many([told(SAID), told("more")]).added == 1


@pytest.mark.requirement("F-PIPELINE-09")
def test_a_title_that_another_turn_brings_too_stays(memory: Memory) -> None:
    memory.add_many([told("x", "t", metadata={"title": "Mine"}), told("y", "t", metadata={"title": "Ours"})])
    memory.forget(turn_ids=["t:turn:0"])
    assert [row[3] for row in rows(memory.reads.store, "session") if row[1] == "t"] == ["Ours"]


@pytest.mark.requirement("F-PIPELINE-11")
@pytest.mark.parametrize("gone", [[0], [2], [4], [0, 1], [1, 3], [0, 1, 2, 3, 4]])
@pytest.mark.parametrize("named", [False, True])
def test_a_history_sent_again_brings_nothing_back_and_adds_what_is_new(gone: list[int], named: bool) -> None:
    turns = [told(text, external_id=f"e{n}" if named else None) for n, text in enumerate("abacdeb")]
    with quiet() as memory:
        memory.add_many(turns[:5])
        memory.forget(turn_ids=[f"s:turn:{n}" for n in gone])
        for length, added in ((5, 0), (7, 2), (7, 0), (3, 0)):
            report = memory.add_many(turns[:length])
            lost = sum(n < length for n in gone)
            assert (report.added, report.rejected) == (added, ())
            assert report.skipped.get("forgotten", 0) == lost
            assert report.known == length - added - lost
        kept = [n for n in range(5) if n not in gone]
        assert "".join(texts(memory)) == "".join("abacd"[n] for n in kept) + "eb"
        assert {memory.get(f"s:turn:{n}").branch for n in (*kept, 5, 6)} == {""}
        assert memory.verify().ok


@pytest.mark.requirement("F-PIPELINE-11")
def test_the_same_words_said_anew_are_a_new_turn() -> None:
    with quiet() as memory:
        memory.add_many(history(["do it", "ok", "and that"]))
        memory.forget(match="ok")
        assert memory.add(told("ok")) == "s:turn:3"
        report = memory.add_many(history(["do it", "ok", "and that", "ok", "ok"]))
        assert (report.added, report.known, report.skipped) == (1, 3, {"forgotten": 1})
        assert memory.add_many(history(["ok"], session="other")).added == 1


@pytest.mark.requirement("F-PIPELINE-11")
def test_branches_around_a_forgotten_turn_are_known_again() -> None:
    with quiet() as memory:
        memory.add_many(history("abc"))
        memory.add_many(history("axyz"))
        memory.forget(turn_ids=["s:turn:0", "s:turn:3"])
        for again, added in (("abc", 0), ("axyz", 0), ("axyzw", 1), ("abcd", 1), ("axyzw", 0), ("aq", 1), ("aq", 0)):
            assert memory.add_many(history(again)).added == added, again
        assert [memory.get(f"s:turn:{n}").branch for n in (4, 6, 7, 8)] == ["edit-1", "edit-1", "", "edit-2"]
        memory.forget(session="s")
        for again in ("abcd", "axyzw", "aq"):
            assert memory.add_many(history(again)).added == 0, again


@pytest.mark.requirement("F-PIPELINE-11")
def test_no_place_is_given_twice() -> None:
    with quiet() as memory:
        memory.add_many(history("abc"))
        memory.forget(session="s")
        assert rows(memory.reads.store, "session") == []
        assert memory.add(told("new")) == "s:turn:3"
        memory.forget(turn_ids=["s:turn:3"])
        assert memory.add_many(history("xy")).turn_ids == ("s:turn:4", "s:turn:5")


@pytest.mark.requirement("F-PIPELINE-11")
def test_a_forgotten_id_stays_out_whatever_comes_under_it(memory: Memory) -> None:
    memory.add(told("first", external_id="e"))
    memory.forget(match="first")
    for text in ("first", "edited"):
        with pytest.raises(TurnRejected, match="this turn was forgotten and stays out"):
            memory.add(told(text, external_id="e"))
        assert memory.add_many([told("x", external_id="f"), told(text, external_id="e")]).skipped == {"forgotten": 1}
    assert memory.add(told("first", "other", external_id="e")) == "other:turn:0"


@pytest.mark.requirement("F-PIPELINE-11")
def test_a_copy_at_the_same_time_stays_out_of_every_session(memory: Memory) -> None:
    memory.forget(match="three")
    copy = told("three", "resumed", speaker="Ann", at=at(20))
    assert memory.add_many([told("new", "resumed"), copy, told("more", "resumed")]).skipped == {"forgotten": 1}
    with pytest.raises(TurnRejected, match="forgotten"):
        memory.add(copy)
    assert memory.add(told("three", "resumed", speaker="Bob", at=at(20)))
    assert memory.add(told("three", "resumed", speaker="Ann", at=at(21)))
    assert memory.add(told("three", "resumed", speaker="Ann"))


@pytest.mark.requirement("F-PIPELINE-11")
@pytest.mark.parametrize("held", [2, 100])
def test_a_forgotten_turn_stays_out_across_stretches(held: int) -> None:
    with quiet(config={"ingest": {"gather_turns": held}}) as memory:
        memory.add_many(timed("abcdefg"))
        memory.forget(turn_ids=["s:turn:2", "s:turn:3"])
        report = memory.add_many(timed("abcdefghi"))
        assert (report.added, report.known, report.skipped) == (2, 5, {"forgotten": 2})


@pytest.mark.requirement("F-PIPELINE-09")
def test_the_report_tells_digests_and_never_words(memory: Memory) -> None:
    shown = str(memory.forget(match="three").to_dict())
    assert "three" not in shown
    assert "Ann" not in shown
    (tombstone,) = rows(memory.reads.store, "tombstone")
    assert tombstone[3].hex() in shown  # type: ignore[union-attr]  # the column holds bytes
    assert not any("Ann" in str(value) for value in tombstone)


class Slow(HashEmbedder):
    """An embedder that waits in the middle of its work."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go_on = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> Matrix:
        self.begun.set()
        assert self.go_on.wait(60)
        return super().embed(texts)


@pytest.mark.requirement("F-PIPELINE-09")
def test_a_turn_that_is_forgotten_while_it_is_embedded_gets_no_vector() -> None:
    model = Slow()
    with quiet(embedder=model) as memory:
        memory.add_many(history(["keep", "drop", "keep too"]))
        assert model.begun.wait(60)
        memory.forget(match="drop")
        model.go_on.set()
        assert memory.drain(None)
        assert [row[2] for row in rows(memory.reads.store, "vector")] == [0, 2]
        assert memory.verify().ok


@pytest.mark.requirement("F-PIPELINE-09")
def test_a_turn_that_is_forgotten_while_it_is_recalled_is_passed_over(tmp_path: Path) -> None:
    with quiet(tmp_path) as memory, quiet(tmp_path) as other:
        memory.add_many(history(["tea", "green tea", "more tea"]))
        stale = memory.reads.live.view()
        other.forget(turn_ids=["s:turn:1"])
        memory.reads.live.view = lambda: stale  # type: ignore[method-assign]  # what was current a moment ago
        assert {hit.turn.text for hit in memory.search("tea")} == {"tea", "more tea"}
        assert [item.text for item in memory.recall("tea").items] == ["tea", "more tea"]
        assert [turn.text for turn in memory.find_quote("tea")] == ["more tea", "tea"]


@pytest.mark.requirement("F-RANK-04")
def test_after_forgetting_there_is_no_receipt_any_more(memory: Memory) -> None:
    with pytest.raises(NotFoundError, match="has left a receipt in this space yet"):
        memory.explain()
    memory.recall("tea")
    assert memory.drain()
    memory.forget(session="a")
    with pytest.raises(NotFoundError, match="were deleted with what was forgotten"):
        memory.explain()
