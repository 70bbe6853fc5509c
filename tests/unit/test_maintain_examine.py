"""Turns examined by several processes give what one gives, whatever becomes of the processes."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

import pytest

from clew.analyze.weigh import ANALYZE_VERSION
from clew.config import Config
from clew.ingest.identity import content_hash
from clew.ingest.secrets.masking import masks_in
from clew.maintain.examine import Examined, Stretch, examine
from clew.maintain.examine_together import WORTH, examined
from clew.rows.annotations import weighing_made
from clew.store.row_types import WeighingRow
from clew.store.rows import turn_row
from clew.structure.stored_graph import Counts
from clew.write.prepare import derive, entry_of, prepare
from tests.support.calls import calls_of
from tests.support.memories import NOON, told

TEXTS = ("Ada Lovelace wrote the notes in London.", "We moved the hives to the orchard.", "Why is the queen gone?")


def stretch(number: int) -> Stretch:
    items = [prepare(told(f"{text} ({number})", "s"), Config().ingest) for text in TEXTS]
    rows = [
        turn_row("a", replace(item.turn, seq=n, ordinal=n, ingested_at=NOON), item.digest)
        for n, item in enumerate(items, start=number * len(items))
    ]
    weighings: list[WeighingRow | None] = [
        WeighingRow("a", row.ordinal, derive(item.turn, weighed=True).annotations["weighing"], ANALYZE_VERSION)
        for row, item in zip(rows, items, strict=True)
    ]
    rows[1] = rows[1]._replace(text="We sold the hives.")
    weighings[2] = None
    return Stretch(rows, [()] * len(rows), weighings, counted_to=1_000, analysed_to=1_000)


def stretches() -> Iterator[Stretch]:
    yield from (stretch(number) for number in range(7))


def shown(found: Iterator[tuple[Stretch, tuple[list[Examined], Counts]]]) -> list[object]:
    return [(part.rows, turns, counts.rows) for part, (turns, counts) in found]


def test_a_turn_is_damaged_or_weighed_wrongly_or_sound() -> None:
    (sound, altered, unweighed), counts = examine(stretch(0))
    assert (sound.damage, sound.is_weighed, sound.is_plain) == (None, True, True)
    assert altered.damage is not None
    assert "content hash differs" in altered.damage
    assert (unweighed.damage, unweighed.is_weighed) == (None, False)
    assert counts.rows["entity"]


@pytest.mark.requirement("F-SPEED-44")
def test_each_kind_of_work_goes_over_all_turns_before_the_next() -> None:
    part = stretch(0)
    with calls_of(content_hash, entry_of, weighing_made, masks_in) as done:
        examine(part)
    assert [name for name, _ in groupby(done)] == ["content_hash", "entry_of", "weighing_made", "masks_in"]


@pytest.mark.requirement("F-STORE-41")
@pytest.mark.parametrize("processes", [1, 2, 3])
def test_several_processes_give_what_one_gives(processes: int) -> None:
    alone = shown((part, examine(part)) for part in stretches())
    assert shown(examined(stretches(), WORTH, processes)) == alone


@pytest.mark.requirement("F-STORE-41")
@pytest.mark.parametrize("program", ["/bin/false", "/nowhere/python", ""])
def test_processes_that_end_or_never_start_are_done_without(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = shown((part, examine(part)) for part in stretches())
    monkeypatch.setattr(sys, "executable", program)
    assert shown(examined(stretches(), WORTH, 2)) == alone


@pytest.mark.requirement("F-STORE-41")
def test_what_is_not_read_to_its_end_leaves_no_process() -> None:
    found = examined(stretches(), WORTH, 2)
    next(found)
    found.close()  # type: ignore[attr-defined]  # a generator
    assert shown(examined(stretches(), WORTH, 2))
