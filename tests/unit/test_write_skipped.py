"""What an import says of records that it leaves out, and of times that it cannot read."""

import json
from pathlib import Path

import pytest

from clew import Turn
from clew.write.skipped_records import NAMED, SkippedRecords
from tests.support.memories import quiet


@pytest.mark.requirement("F-NAMED-01")
def test_the_first_records_of_each_kind_are_named() -> None:
    skipped = SkippedRecords()
    for number in range(1_000):
        skipped.add("progress", f"a.jsonl:{number}")
    skipped.add("link", "b")
    skipped.update({"link": 30}, {"link": [f"c{number}" for number in range(NAMED)]})
    counts, places = skipped.as_fields()
    assert counts == {"link": 31, "progress": 1_000}
    assert places["link"] == ("b", *(f"c{number}" for number in range(NAMED - 1)))
    assert places["progress"] == tuple(f"a.jsonl:{number}" for number in range(NAMED))


@pytest.mark.requirement("F-NAMED-01")
def test_files_and_turns_that_are_left_out_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "talks"
    folder.mkdir()
    (folder / "a.jsonl").write_text(json.dumps({"role": "user", "content": "The queen is gone."}) + "\n")
    for name in ("notes.md", "list.md"):
        (folder / name).write_text("Nobody speaks here, in either of the files.\n")
    with quiet(tmp_path / "home") as memory:
        report = memory.import_path(folder)
        (kind,) = report.skipped
        assert (report.added, report.skipped[kind]) == (1, 2)
        assert [Path(place).name for place in report.skipped_at[kind]] == ["list.md", "notes.md"]
        memory.pause()
        assert memory.add_many([Turn(role="user", content="Is she?")]).skipped_at == {"paused": ("turns[0]",)}


@pytest.mark.requirement("F-NAMED-02")
def test_times_that_cannot_be_read_are_counted_once(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    times = ["2025-04-15T10:30:00Z", "9999-99-99", None, "some day"]
    rows = ({"role": "user", "content": f"Hive {n} is weak.", "timestamp": at} for n, at in enumerate(times))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with quiet(tmp_path / "home") as memory:
        report = memory.import_path(file)
        assert (report.added, report.undated) == (4, 2)
        assert report.first_undated is not None
        assert report.first_undated.endswith("talk.jsonl:2: '9999-99-99'")
        again = memory.import_path(file)
        assert (again.undated, again.first_undated) == (0, None)
