"""A session file that grows is stored the same, whether an import goes on with it or reads all of it again."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.config import IngestConfig
from clew.ingest.importers.source import parse
from clew.store.protocol import Store
from clew.write.append import Appender
from clew.write.ingest import import_path
from tests.support.calls import Call, observed
from tests.support.memories import NOON, empty_store, rows

TABLES = ("turn", "session", "tail", "weighing")


def record(number: int, kind: str, parent: int, text: str) -> dict[str, Any]:
    """A record of Claude Code's; number -1 is the first one's parent."""
    common = {"uuid": f"u{number}", "parentUuid": f"u{parent}" if parent >= 0 else None, "sessionId": "s"}
    common["timestamp"] = f"2026-01-01T10:{number // 60:02}:{number % 60:02}Z"
    if kind == "queue":
        operation, _, content = text.partition(" ")
        return {"type": "queue-operation", "operation": operation, "content": content, **common}
    if kind == "title":
        return {"type": "ai-title", "aiTitle": text, **common}
    message = {"role": "user" if kind != "assistant" else kind, "content": text}
    extra = {"isSidechain": True, "agentId": "a"} if kind == "sidechain" else {}
    return {"type": "user" if kind == "sidechain" else kind, "message": message, **common, **extra}


@st.composite
def files(draw: st.DrawFn) -> list[str]:
    """The lines of a session file."""
    kinds = ("user", "assistant", "user", "assistant", "sidechain", "queue", "title")
    found = []
    for number in range(draw(st.integers(1, 14))):
        kind = draw(st.sampled_from(kinds))
        parent = draw(st.sampled_from([number - 1, number - 1, number - 1, max(0, number - 3)]))
        said = ["enqueue later", "enqueue no", "remove"] if kind == "queue" else ["yes", "no", "later", f"n{number}"]
        text = draw(st.sampled_from(said))
        found.append(json.dumps(record(number, kind, parent, text)))
    return found


def imported(store: Store, appender: Appender, path: Path) -> tuple[Any, ...]:
    """What an import reports, and every row after it."""
    report = import_path(appender, path, IngestConfig(gather_turns=3), lambda: NOON, form="claude-code")
    return report.added, report.known, len(report.rejected), [rows(store, table) for table in TABLES]


@pytest.mark.requirement("F-SPEED-33")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(files(), st.lists(st.integers(1, 400), max_size=5), st.booleans())
def test_going_on_stores_what_reading_anew_stores(
    tmp_path: Path, lines: list[str], cuts: list[int], changes: bool
) -> None:
    path, whole = tmp_path / "s.jsonl", "".join(f"{line}\n" for line in lines)
    ours, theirs = empty_store(), empty_store()
    appender = Appender(ours, "default", 3)
    for end in [*sorted(cuts), len(whole)]:
        path.write_text(whole[:end], encoding="utf-8")
        again = imported(theirs, Appender(theirs, "default", 3), path)
        assert imported(ours, appender, path)[0::3] == again[0::3]
    if changes:
        path.write_text(whole.replace("yes", "and") + lines[0] + "\n", encoding="utf-8")
        again = imported(theirs, Appender(theirs, "default", 3), path)
        assert imported(ours, appender, path) == again


@pytest.mark.requirement("F-SPEED-33")
def test_a_queued_message_that_is_delivered_later_is_counted_once(tmp_path: Path) -> None:
    lines = [record(0, "user", -1, "first"), record(1, "queue", 0, "enqueue later"), record(2, "queue", 0, "remove")]
    path, ours, theirs = tmp_path / "s.jsonl", empty_store(), empty_store()
    appender = Appender(ours, "default", 3)
    for more in ([], [record(3, "assistant", 0, "done"), record(4, "user", 3, "later")]):
        lines += more
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        ended, anew = imported(ours, appender, path), imported(theirs, Appender(theirs, "default", 3), path)
    assert ended[:2] == anew[:2] == (2, 1)


@pytest.mark.requirement("F-SPEED-33")
def test_a_message_that_is_queued_again_is_the_one_that_was_read_before(tmp_path: Path) -> None:
    lines = [record(0, "user", -1, "first"), record(1, "queue", 0, "enqueue later"), record(2, "queue", 0, "remove")]
    path, store = tmp_path / "s.jsonl", empty_store()
    for more in ([], [record(3, "queue", 0, "enqueue later"), record(4, "queue", 0, "remove")]):
        lines += more
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        anew = imported(store, Appender(store, "default", 3), path)
    assert anew[:2] == (0, 2)


@pytest.mark.requirement("F-SPEED-33")
def test_of_a_file_that_grew_only_new_lines_are_read(tmp_path: Path) -> None:
    store = empty_store()
    appender = Appender(store, "default", 3)
    lines = [json.dumps(record(n, ("user", "assistant")[n % 2], n - 1, f"said {n}")) + "\n" for n in range(40)]
    path = tmp_path / "s.jsonl"
    read = 0

    def note(call: Call) -> None:
        nonlocal read
        read += call.function is parse.__code__

    for count, new in ((30, 30), (31, 1), (40, 9)):
        path.write_text("".join(lines[:count]), encoding="utf-8")
        read = 0
        with observed(note):
            added, known, rejected, _ = imported(store, appender, path)
        assert (added, known, rejected) == (new, count - new, 0)
        assert read == new
    path.write_text("".join(lines[1:]), encoding="utf-8")  # not only appended to
    read = 0
    with observed(note):
        imported(store, appender, path)
    assert read == 39
