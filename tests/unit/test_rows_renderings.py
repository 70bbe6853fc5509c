"""Renderings of nodes as rows: written, read one by one and in bulk, replaced, dropped."""

import pytest

from clew.condense.renderings import Rendering
from clew.rows.renderings import (
    ALL_LABELS,
    LABEL_MARK,
    SESSION_MARK,
    drop_all_renderings,
    drop_renderings,
    mark_labels,
    mark_sessions,
    marked,
    put_renderings,
    rendering,
    renderings_of,
    session_node,
    unmark,
)
from clew.store.memory import MemoryStore
from clew.store.selections import META_VALUE, NODE_SUMMARIES

pytestmark = pytest.mark.requirement("F-RENDER-01")


def made(kind: str, text: str, source: str = "ab" * 8, method: str = "extract") -> Rendering:
    return Rendering(kind=kind, text=text, tokens=3, source=source, coverage=0.5, method=method)


def filled() -> MemoryStore:
    store = MemoryStore()
    nodes = ("a:beat:0", "a:chapter:0", session_node("a"), "b:beat:0", "tag:ferry")
    store.transaction(lambda tx: put_renderings(tx, "s", [(node, made("digest", node)) for node in nodes]))
    return store


def test_a_rendering_is_read_as_it_was_written_and_replaced_by_the_next() -> None:
    store = filled()
    store.transaction(lambda tx: put_renderings(tx, "s", [("a:beat:0", made("digest", "Newer."))]))
    with store.snapshot() as reader:
        assert rendering(reader, "s", "a:beat:0", "digest") == made("digest", "Newer.")
        assert rendering(reader, "s", "a:beat:0", "title") is None
        assert rendering(reader, "other", "a:beat:0", "digest") is None
        found = renderings_of(reader, "s", ["b:beat:0", "a:beat:9", "a:chapter:0"], "digest")
    assert [each and each.text for each in found] == ["b:beat:0", None, "a:chapter:0"]


def test_the_renderings_of_a_node_are_one_row_and_those_of_another_source_go() -> None:
    store = MemoryStore()
    extracts = [("a:beat:0", made(kind, f"Ann: The ferry, {kind}.")) for kind in ("salient", "digest", "title")]
    summary = made("summary", "About the ferry, \ud800.", method="llm:m")
    store.transaction(lambda tx: put_renderings(tx, "s", extracts))
    store.transaction(lambda tx: put_renderings(tx, "s", [("a:beat:0", summary)]))
    with store.snapshot() as reader:
        assert NODE_SUMMARIES.scan(reader, ("s",), ("s",)) == [("a:beat:0", b"\xab" * 8, "llm:m")]
        for each in (*(each for _, each in extracts), summary):
            assert rendering(reader, "s", "a:beat:0", each.kind) == each
    newer = made("title", "The car", source="cd" * 8)
    store.transaction(lambda tx: put_renderings(tx, "s", [("a:beat:0", newer)]))
    with store.snapshot() as reader:
        assert rendering(reader, "s", "a:beat:0", "title") == newer
        assert rendering(reader, "s", "a:beat:0", "salient") is None
        assert rendering(reader, "s", "a:beat:0", "summary") is None


def test_those_of_a_session_and_of_every_label_are_dropped_together() -> None:
    store = filled()
    store.transaction(lambda tx: mark_labels(tx, "s", ["ferry"]))
    assert store.transaction(lambda tx: drop_renderings(tx, "s", "a")) == 4
    with store.snapshot() as reader:
        assert [row[1] for row in reader.scan("rendering", ("s",), ("s",))] == ["b:beat:0"]
        assert marked(reader, "s", LABEL_MARK) == []  # a name may be made of forgotten words
        assert META_VALUE.get(reader, ("s", ALL_LABELS)) == ""
    assert store.transaction(lambda tx: drop_all_renderings(tx, "s")) == 1


def test_a_note_that_was_renewed_stays() -> None:
    store = MemoryStore()
    store.transaction(lambda tx: mark_sessions(tx, "s", ["a", "b:c"], "1"))
    store.transaction(lambda tx: mark_sessions(tx, "s", ["a"], "2"))
    store.transaction(lambda tx: unmark(tx, "s", SESSION_MARK, "a", "1"))
    store.transaction(lambda tx: unmark(tx, "s", SESSION_MARK, "b:c", "1"))
    with store.snapshot() as reader:
        assert marked(reader, "s", SESSION_MARK) == [("a", "2")]
