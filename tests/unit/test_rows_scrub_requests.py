"""A scrub that cannot be done at once: told, noted, and done by whoever comes next."""

from pathlib import Path

import pytest

from clew.errors import StoreFull, StoreLocked
from clew.memory import Memory
from clew.rows import scrub_requests as scrubbing
from clew.store.sqlite import SqliteStore
from clew.store.writer import Limits
from clew.testing import FrozenClock
from clew.types import ForgetReport
from tests.support.memories import NOON, quiet, raw, rows, told

WORD = "xylophone"


def opened(home: Path) -> SqliteStore:
    return SqliteStore.open(home, busy_timeout=0.05, limits=Limits())


def forgotten(store: SqliteStore, memory: Memory) -> ForgetReport:
    """Forgets while a snapshot is open; nobody else reads from then on, which the store waits for only shortly."""
    memory.parts.worker.stop()
    memory.add_many([told(f"the {WORD} is mine"), told("something else")])
    with store.snapshot() as reader:
        reader.count("turn", ("default",), ("default",))
        return memory.forget(match=WORD)


def make_old(store: SqliteStore, moment: int = 1) -> None:
    """Lets the note be from that moment, long ago unless it is given: its writer cannot still be at work."""
    store.transaction(lambda tx: tx.put("meta", [("default", "scrub", str(moment))]))


@pytest.mark.requirement("F-HOLD-07")
def test_a_scrub_that_a_snapshot_blocks_is_told_and_done_by_the_next_forgetting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = opened(tmp_path)
    with quiet(store) as memory:
        report = forgotten(store, memory)
        assert (report.turns, memory.stats().pending["scrub"]) == (1, 1)
        assert report.unscrubbed is not None
        assert "others hold the database" in report.unscrubbed
        assert caplog.messages == [], "a worker tries it again; it alarms when that fails again and again"
        assert WORD.encode() in raw(tmp_path)
        assert memory.forget(match="nothing of that kind").unscrubbed is None
        assert "scrub" not in memory.stats().pending
        assert WORD.encode() not in raw(tmp_path)
    store.close()


@pytest.mark.requirement("F-HOLD-07")
def test_a_scrub_that_was_left_is_done_by_the_worker_of_another_start(tmp_path: Path) -> None:
    store = opened(tmp_path)
    with quiet(store) as memory:
        forgotten(store, memory)
    make_old(store)
    store.close()
    with quiet(tmp_path) as memory:
        assert memory.drain(200)
        assert "scrub" not in memory.stats().pending
        assert WORD.encode() not in raw(tmp_path)


@pytest.mark.requirement("F-HOLD-07")
def test_a_scrub_that_another_process_is_about_to_do_is_left_to_it(tmp_path: Path) -> None:
    store = opened(tmp_path)
    with quiet(store) as memory:
        forgotten(store, memory)
        assert not scrubbing.scrub_left(store, "default")
        make_old(store)
        assert scrubbing.scrub_left(store, "default")
        assert not scrubbing.scrub_left(store, "default")
    store.close()


class Busy(SqliteStore):
    """A store that somebody always reads."""

    def scrub(self) -> None:
        raise StoreLocked("others hold the database")


@pytest.mark.requirement("F-HOLD-07")
def test_who_is_in_the_way_of_a_scrub_for_long_is_told_though_other_work_succeeds_between(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = Busy.open(tmp_path)
    with quiet(store) as memory:
        memory.parts.worker.stop()
        memory.add(told(f"the {WORD} is mine"))
        assert memory.forget(match=WORD).unscrubbed == "others hold the database"
        for age in (scrubbing.SPARED_US, scrubbing.LASTING_US // 2):
            make_old(store, scrubbing.real_now() - age)
            memory.add(told("tea"))
            assert memory.parts.worker.step()
            while memory.parts.worker.step():
                pass
            assert memory.parts.worker.failure is not None
        assert caplog.messages == []
        make_old(store, scrubbing.real_now() - scrubbing.LASTING_US)
        memory.add(told("tea"))
        while memory.parts.worker.step():
            pass
        assert "failed (1 in a row)" in caplog.text
        assert "the files still hold traces" in caplog.text
    store.close()


@pytest.mark.requirement("F-HOLD-07")
def test_what_retention_leaves_is_noted_too(tmp_path: Path) -> None:
    store = opened(tmp_path)
    clock = FrozenClock(NOON)
    with quiet(store, config={"keep_days": 3}, clock=clock) as memory:
        memory.add(told(f"the {WORD} is mine"))
        clock.advance(9 * 86_400)
        with store.snapshot() as reader:
            reader.count("turn", ("default",), ("default",))
            assert memory.forget_expired().unscrubbed is not None
        assert memory.stats().turns == 0
        make_old(store)
        assert memory.drain(200)
        assert WORD.encode() not in raw(tmp_path)
    store.close()


class Full(SqliteStore):
    """A store whose disk is too full to be written anew."""

    full = True

    def scrub(self) -> None:
        if self.full:
            raise StoreFull("the disk is full")
        super().scrub()


@pytest.mark.requirement("F-HOLD-07")
def test_a_full_disk_takes_no_forgetting_back(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Full.open(tmp_path)
    with quiet(store) as memory:
        memory.add(told(f"the {WORD} is mine"))
        report = memory.forget(match=WORD)
        assert (report.turns, report.unscrubbed) == (1, "the disk is full")
        assert "the disk is full" in caplog.text
        assert rows(store, "turn") == []
        with pytest.raises(StoreFull):
            scrubbing.scrub(store, "default", "any")
        assert memory.stats().pending == {"scrub": 1}
    store.close()


@pytest.mark.requirement("F-HOLD-07")
def test_turns_that_go_while_the_files_are_scrubbed_keep_the_note(tmp_path: Path) -> None:
    class Busy(SqliteStore):
        def scrub(self) -> None:
            super().scrub()
            self.transaction(lambda tx: scrubbing.note(tx, "default"))

    store = Busy.open(tmp_path)
    with quiet(store) as memory:
        memory.add(told(f"the {WORD} is mine"))
        assert memory.forget(match=WORD).unscrubbed is None
        assert memory.stats().pending == {"scrub": 1}
    store.close()
