"""A home of schema 3, with what was said of turns and its receipts in their old forms, as it is after the next step."""

from pathlib import Path

import apsw
import pytest

from clew.rows.annotations import annotations_of
from clew.rows.receipts import receipt_bytes, receipt_of
from clew.store.migrate import migrate
from clew.store.rows import dumps, to_us
from clew.store.sqlite import DATABASE, SqliteStore
from clew.store.statements import migrations
from tests.support.memories import NOON, quiet, told

OLD = {"weighing": {"layer1": 0.25, "coherence": 0.5}, "analysis": {"novelty": 0.5, "importance": 7.0}}


@pytest.fixture
def older(tmp_path: Path) -> tuple[Path, str]:
    """A home as schema 3 had it, with one receipt; one session's name is encoded in ids."""
    with quiet(tmp_path / "new") as memory:
        memory.add_many([told("The hive is weak.", "s"), told("The queen is gone.", "a b")])
        memory.drain()
        memory.parts.worker.stop()
        receipt = memory.explain(memory.recall("the queen").receipt_id)
    target = apsw.Connection(str(tmp_path / DATABASE))
    migrate(target, migrations("sqlite")[:3], lambda _: None)
    target.execute("ATTACH ? AS new", (str(tmp_path / "new" / DATABASE),))
    kept = [str(name) for (name,) in target.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'")]
    for table in set(kept) - {"receipt", "annotation"}:
        target.execute(f"INSERT INTO main.{table} SELECT * FROM new.{table}")  # noqa: S608  # names of our own tables
    for owner in ("s:turn:0", "a%20b:turn:0"):
        for kind, provenance in (("weighing", "rule"), ("analysis", 'model:"m"@1')):
            row = ("default", owner, kind, dumps(OLD[kind]), provenance, 5)
            target.execute("INSERT INTO main.annotation VALUES (?, ?, ?, ?, ?, ?)", row)
    row = ("default", "tag:hive", "label", '{"beats":1,"born":0}', "rule", 1)
    target.execute("INSERT INTO main.annotation VALUES (?, ?, ?, ?, ?, ?)", row)
    written = ("default", receipt.id, to_us(NOON), dumps(receipt.to_dict()))
    target.execute("INSERT INTO main.receipt VALUES (?, ?, ?, ?)", written)
    target.execute(
        """UPDATE main.meta SET value = replace(value, '"version":', '"version":1') WHERE name = 'analysed'"""
    )
    target.close()
    return tmp_path, receipt.name


@pytest.mark.requirement("F-FORM-02")
def test_what_was_said_of_turns_is_moved_and_then_made_again(older: tuple[Path, str]) -> None:
    home, _ = older
    store = SqliteStore.open(home)  # without a memory, whose worker would begin to make it again at once
    with store.snapshot() as reader:
        said = annotations_of(reader, "default", "s:turn:0")
        assert {kind: each.value for kind, each in said.items()} == {
            kind: v for each in OLD.values() for kind, v in each.items()
        }
        assert (said["layer1"].provenance, said["layer1"].version) == ("rule", 5)
        assert said["novelty"].provenance == 'model:"m"@1'
        assert "novelty" not in annotations_of(reader, "default", "a b:turn:0")  # weighed by its words alone
    store.close()
    with quiet(home) as memory:
        memory.drain()
        assert {"layer1", "novelty"} <= memory.annotations("s:turn:0").keys()
        assert {"layer1", "nuance", "novelty"} <= memory.annotations("a%20b:turn:0").keys()


@pytest.mark.requirement("F-FORM-02", "F-FORM-03")
def test_receipts_of_an_older_home_are_read(older: tuple[Path, str]) -> None:
    home, name = older
    with quiet(home) as memory:
        assert memory.explain(name).id == name
        assert memory.explain(name).query == "the queen"


@pytest.mark.requirement("F-FORM-03")
def test_a_receipt_takes_a_third_of_its_text(tmp_path: Path) -> None:
    with quiet(tmp_path) as memory:
        memory.add_many([told(f"The hive number {n} is weak.") for n in range(40)])
        receipt = memory.explain(memory.recall("which hive is weak?").receipt_id)
    kept = receipt_bytes(receipt)
    assert receipt_of(kept) == receipt
    assert 3 * len(kept) < len(dumps(receipt.to_dict()))
