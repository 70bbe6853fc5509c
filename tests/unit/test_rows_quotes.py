"""Renderings that are kept as places in short turns: the same text, without a second copy of the words."""

import json
from datetime import timedelta

import pytest

from clew.condense.node_renderings import NodeLine, NodeSize, NodeSource, quoted, render_node, runs_in
from clew.rows.quotes import SHORT, lines_of_turns, quotes_in
from clew.rows.renderings import rendering_text, renderings_of, salient_of, session_node
from clew.store.tables import RENDERING
from clew.store.values import Row
from clew.text.counters import counter
from clew.types import Turn
from tests.support.calls import calls_of
from tests.support.memories import NOON, quiet, rendered, rows

pytestmark = pytest.mark.requirement("W-DSK-01")

LINES = (
    NodeLine(
        "2024-03-05", "Ann", "The ferry to Lisbon costs 40 euros. It leaves at noon.  The harbour is old, they say."
    ),
    NodeLine("2024-03-05", "Ann", "Rui has sold the boat to a friend. Nobody knows the price of it."),
    NodeLine("2024-03-06", "Ben", "We took the tram number 28 up the hill."),
)
SECOND = "Ann: It leaves at noon. … Rui has sold the boat to a friend. Nobody knows the price of it."


def turns(count: int, words: str = "") -> list[Turn]:
    """Beats of four turns."""
    found = []
    for number in range(count):
        at = NOON + timedelta(hours=3 * (number // 4), minutes=number % 4)
        text = f"The gardener waters rose number {number} before noon.{words} Nobody had told us about it that day."
        found.append(Turn(role="user", speaker="Ann", content=text, session="a b", at=at))
    return found


def words_of(found: Row) -> str:
    """The words of the extracts in a row."""
    held = json.loads(rendering_text(RENDERING.make(found)))
    return " ".join(text for kind, text, *_ in held if kind != "title" and isinstance(text, str))


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("2024-03-05\nAnn: The ferry to Lisbon costs 40 euros. It leaves at noon.", [(0, [0, 54])]),
        (f"2024-03-05\n{SECOND}", [(0, [36, 18]), (1, [])]),
        (
            f"2024-03-05\n{SECOND}\n2024-03-06\nBen: We took the tram number 28 up the hill.",
            [(0, [36, 18]), (1, []), (2, [])],
        ),
    ],
)
def test_runs_of_sentences_give_the_text_again(text: str, runs: list[tuple[int, list[int]]]) -> None:
    assert runs_in(LINES, text) == runs
    assert quoted([(LINES[number], where) for number, where in runs]) == text


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05\nAnn: It leaves at one.",  # other words
        "2024-03-05\nAnn: It leaves at noon.\n- files: a.py",
        "2024-03-05\nAnn: It leaves at noon. The harbour is old, they say.",  # two spaces in the turn, one here
        "2024-03-06\nBen: We took the tram number 28 up the hill.\n2024-03-05\nAnn: It leaves at noon.",  # turned round
    ],
)
def test_other_texts_are_kept_as_words(text: str) -> None:
    assert runs_in(LINES, text) is None


def test_every_rendering_of_plain_turns_is_made_of_runs() -> None:
    source = NodeSource(LINES[1:], turns=[(7, LINES[1]), (9, LINES[2])])
    found = render_node(source, NodeSize(160, 960), counter())
    assert {each.kind for each in found} == {"salient", "digest", "title"}
    for each in found[:2]:
        assert runs_in(source.lines, each.text) is not None
        assert quotes_in(source.turns, each.text) is not None


def test_a_long_turn_is_not_quoted_by_place() -> None:
    long = NodeLine("", "Ann", "The ferry was late again. " * (SHORT // 20))
    assert quotes_in([(0, long)], "Ann: The ferry was late again.") is None
    assert quotes_in([(0, long._replace(text=long.text[:60]))], "Ann: The ferry was late again.") == [[0, 0, 25]]


def test_beats_chapters_and_the_session_repeat_no_words_of_short_turns() -> None:
    with quiet() as memory:
        memory.add_many(turns(60))
        assert memory.drain(None)
        stored = [row for row in rows(memory.reads.store, "rendering") if not str(row[1]).startswith("tag:")]
        assert len({str(row[1]).split(":")[1] for row in stored}) == 3  # beats, chapters, the session
        assert not any(map(words_of, stored))
        for kind in ("salient", "digest"):
            found = rendered(memory, kind)
            assert all("The gardener waters rose number" in found[node].text for node in found)
        titles = rendered(memory, "title")
    assert set(titles) >= {str(row[1]) for row in stored}
    assert all(each.text for each in titles.values())


def test_renderings_come_with_the_turns_that_they_quote_which_are_read_once() -> None:
    with quiet() as memory:
        memory.add_many(turns(8))
        assert memory.drain(None)
        nodes = ["a%20b:beat:0", "a%20b:beat:9"]
        with memory.reads.store.snapshot() as reader:
            with calls_of(lines_of_turns) as reads:
                found, quoted_turns = salient_of(reader, "default", nodes)
            assert found == renderings_of(reader, "default", nodes, "salient")
    assert reads == ["lines_of_turns"]
    assert found[1] is None
    assert quoted_turns
    assert all(found[0] is not None and line.text[:30] in found[0].text for _, line in quoted_turns)
    assert [seq for seq, _ in quoted_turns] == sorted(seq for seq, _ in quoted_turns)


def test_a_rendering_of_a_turn_that_is_gone_is_not_there() -> None:
    with quiet() as memory:
        memory.add_many(turns(8))
        assert memory.drain(None)
        store = memory.reads.store
        nodes = ["a%20b:beat:0", session_node("a b")]
        store.transaction(lambda tx: tx.delete("turn", ("default", "a b", 0), ("default", "a b", 0)))
        with store.snapshot() as reader:
            assert renderings_of(reader, "default", nodes, "salient") == [None, None]


def test_renderings_of_long_turns_keep_their_words() -> None:
    words = " The roses by the old wall need more than the others do." * (SHORT // 50)
    with quiet() as memory:
        memory.add_many(turns(8, words))
        assert memory.drain(None)
        stored = rows(memory.reads.store, "rendering")
        assert any("gardener waters" in words_of(row) for row in stored)
        assert "gardener waters" in rendered(memory, "salient")["a%20b:beat:0"].text
