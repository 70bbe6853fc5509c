"""Expressions over a memory: what is found, what restricts a recall, what is forgotten; and time travel."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InputError
from clew.memory import Memory
from clew.rows.annotations import ANALYSIS, NAME_OWNER, note_replaced
from clew.rows.llm_progress import NUANCE
from clew.store.protocol import Transaction
from clew.store.rows import dumps
from clew.testing import FrozenClock
from clew.types import Part, Turn
from tests.support.memories import NOON, at, history, quiet, told

SECURITY = "An attacker stole the password and the token; this vulnerability breaks authentication."
DESIGN = "The architecture has three components, and each module hides its interface behind a layer."


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        yield opened


def ids(turns: list[Turn]) -> list[str]:
    return [str(turn.id) for turn in turns]


def put(memory: Memory, table: str, *rows: tuple[Any, ...]) -> None:
    def write(tx: Transaction) -> None:
        tx.put(table, [(memory.space, *row) for row in rows])

    memory.reads.store.transaction(write)


@pytest.mark.requirement("F-QUERY-03")
def test_turns_come_in_the_order_in_which_they_came_from_every_session(memory: Memory) -> None:
    for session in ("b", "a", "b"):
        memory.add(told(SECURITY, session=session))
        memory.add(told("Lovely weather today.", session=session))
    memory.drain()
    assert ids(memory.query("O2 > 7")) == ["b:turn:0", "a:turn:0", "b:turn:2"]
    assert ids(memory.query("O2 > 7", session="b")) == ["b:turn:0", "b:turn:2"]
    assert ids(memory.query("O2 > 7", limit=1)) == ["b:turn:0"]
    assert memory.query("O2 > 7", limit=0) == []
    assert ids(memory.query("o2_security > 7 and session != b")) == ["a:turn:0"]


@pytest.mark.requirement("F-QUERY-04")
def test_of_a_turn_that_is_not_analysed_nothing_holds_and_no_contrary(memory: Memory) -> None:
    memory.add(told(DESIGN))
    memory.add(Turn(role="user", content=(Part(type="injected", text=SECURITY),), session="s"))
    memory.add(told("A third one, of someone.", speaker="Ann", at=at(0)))
    memory.drain()

    def lose(tx: Transaction) -> None:
        tx.delete("analysis", (memory.space, 0), (memory.space, 0))

    memory.reads.store.transaction(lose)
    for unknown in ("O1 > 0", "O2", "routine", "tag:x", "novelty >= 0", "preserved", "overlay:O1 >= 0.1"):
        assert "s:turn:0" not in ids(memory.query(unknown))
        assert "s:turn:0" not in ids(memory.query(f"NOT ({unknown})"))
    assert ids(memory.query("layer1 >= 0")) == ["s:turn:0", "s:turn:2"], "what rules weigh is there at once"
    assert ids(memory.query("speaker != Bob")) == ["s:turn:2"], "who has no name is not known to be another"
    assert ids(memory.query("NOT before 1999-01-01")) == ["s:turn:2"], "a turn without time may be of any"
    assert ids(memory.query("routine OR NOT routine OR session = s")) == ["s:turn:0", "s:turn:2"]
    assert memory.query("nuance:sarcasm_model OR NOT nuance:sarcasm_model") == []
    put(memory, "meta", (f"asked:{NUANCE}", dumps({"model": "x", "version": 1, "done": [[0, 2]]})))
    put(memory, "annotation", ("s:turn:2", NUANCE, dumps(["sarcasm_model"]), "model:x", 1))
    assert ids(memory.query("nuance:sarcasm_model AND NOT nuance:metaphor_model")) == ["s:turn:2"]


@pytest.mark.requirement("F-QUERY-04")
def test_a_text_without_words_has_an_unknown_tone(memory: Memory) -> None:
    memory.add_many(history(["喝茶", "What a lovely, wonderful day, I am so happy!"]))
    assert ids(memory.query("nuance:emotional_tone_positive")) == ["s:turn:1"]
    assert memory.query("NOT nuance:emotional_tone_positive") == []


@pytest.mark.requirement("F-QUERY-11")
@pytest.mark.parametrize(("threshold", "active"), [(6.0, 2), (10.0, 0), (0.0, 3)])
def test_an_overlay_is_active_from_the_threshold_on(threshold: float, active: int) -> None:
    with quiet(config={"analyze": {"overlay_threshold": threshold}}) as memory:
        memory.add_many(history(["Ok.", SECURITY, SECURITY, "Lovely weather."]))
        memory.drain()
        handed_on = memory.annotations("s:turn:3")["overlays"].value["O2_security"]
        assert 0 < handed_on < 6
        for same in ("O2", "overlay:O2", "overlay:o2_security > 0", "NOT overlay:O2 <= 0"):
            assert len(memory.query(same)) == active
        score = memory.annotations("s:turn:1")["overlays"].value["O2_security"]
        assert len(memory.query(f"overlay:O2 >= {score / 10 - 0.00001:.6f}")) == min(active, 2)
        assert len(memory.query("O2 >= 0")) == 4, "the score itself knows no threshold"


@pytest.mark.requirement("F-QUERY-10")
def test_a_turn_has_its_own_labels_and_those_of_its_closed_beat(memory: Memory) -> None:
    memory.add_many(history(["Some words.", "Other words.", "Not in it."]))
    memory.drain()
    beat = ("s:beat:0", "s", 1, 0, 0, 1, 0, None, None, dumps({"pieces": [{"seq": 0}, {"seq": 1}]}), 1)
    put(memory, "node", beat)
    put(
        memory,
        "label",
        ("s:beat:0", "tag", "garden", 0.4, "rule", 1),
        ("s:beat:0", "domain", "physics", 0.5, "rule", 1),
    )
    put(memory, "label", ("s:turn:1", "tag", "garden", 0.9, "user", 1), ("s:turn:2", "tag", "lawn", 1.0, "user", 1))
    assert ids(memory.query("tag:garden")) == ["s:turn:0", "s:turn:1"]
    assert ids(memory.query("tag:garden >= 0.5")) == ["s:turn:1"]
    assert ids(memory.query("tag:garden < 0.5")) == ["s:turn:0", "s:turn:2"]
    assert ids(memory.query("NOT tag:garden")) == ["s:turn:2"]
    assert memory.query("domain:physics") == [], "a beat's domains are not its turns'"
    assert memory.query("tag:nothing") == []
    assert len(memory.query("NOT tag:nothing")) == 3


@pytest.mark.requirement("F-QUERY-10")
def test_aliases_and_parts_of_labels_are_read_through(memory: Memory) -> None:
    memory.add_many(history(["One.", "Two.", "Three."]))
    memory.drain()
    for name, told_of in (
        ("authentication", {"born": 0, "beats": 1, "parts": ["token", "cookie"]}),
        ("auth", {"born": 1, "beats": 1}),
        ("token", {"born": 1, "beats": 1}),
        ("cookie", {"born": 1, "beats": 1}),
    ):
        put(memory, "annotation", (NAME_OWNER + name, "label", dumps(told_of), "rule", 1))
    put(memory, "label_alias", ("tag", "auth", "authentication"))
    put(memory, "meta", ("vocabulary", dumps({"changes": 99, "beats": 2})))
    put(
        memory,
        "label",
        *(
            (f"s:turn:{n}", "tag", name, 1.0, "user", 1)
            for n, name in ((0, "auth"), (0, "token"), (1, "authentication"))
        ),
    )
    for name in ("auth", "authentication", "AUTH", "Authentications"):
        assert ids(memory.query(f"tag:{name}")) == ["s:turn:0", "s:turn:1"]
    assert ids(memory.query("tag:authentication/token")) == ["s:turn:0"]
    assert memory.query("tag:auth/cookie") == []
    own = {"importance": 5.0, "tags": {"auth": 0.6, "cookie": 0.5}}
    put(memory, ANALYSIS, (2, dumps(own), 0, 1))
    memory.reads.store.transaction(lambda tx: note_replaced(tx, memory.space))
    assert ids(memory.query("tag:authentication < 1")) == ["s:turn:2"]
    assert ids(memory.query("tag:auth/cookie")) == ["s:turn:2"]
    assert ids(memory.query("tag:auth/token")) == ["s:turn:0"], "not in both parts"


@pytest.mark.requirement("F-QUERY-06")
def test_recall_and_search_take_an_expression(memory: Memory) -> None:
    memory.add_many(history([SECURITY, "The password is taped to the screen.", "Lovely weather."], speaker="Ann"))
    memory.drain()
    (hit,) = memory.search("password", where="O2 > 7")
    assert hit.turn.id == "s:turn:0"
    both = '"password" AND NOT "screen" AND speaker = ann'
    context = memory.recall("password", where=both)
    assert [item.turn_ids for item in context.items] == [("s:turn:0",)]
    assert memory.explain(context.receipt_id).settings["filter"]["where"] == both
    assert memory.recall("password", where="session = elsewhere").items == ()
    assert memory.search("password", where="role = user AND role = assistant") == []
    assert memory.search("password", session="elsewhere", where="session = s") == []


@pytest.mark.requirement("F-QUERY-07")
def test_forgetting_takes_an_expression(memory: Memory) -> None:
    memory.add_many(history([SECURITY, DESIGN, "Lovely weather."], speaker="Ann"))
    memory.add(Turn(role="user", content=(Part(type="injected", text="lovely weather"),), session="s"))
    memory.add(told(SECURITY, speaker="Bob"))
    memory.drain()
    shown = memory.forget(where="O2 > 7", speaker="Ann", dry_run=True)
    assert shown.turn_ids == ("s:turn:0",)
    assert memory.stats().turns == 5
    assert memory.forget(where="O2 > 7", turn_ids=["s:turn:1", "s:turn:4"], dry_run=True).turn_ids == ("s:turn:4",)
    assert memory.forget(where='"lovely weather"', dry_run=True).turn_ids == ("s:turn:2", "s:turn:3"), "injected too"
    assert memory.forget(where="tag:nothing").turns == 0
    assert memory.forget(where="O2 > 7 AND speaker = Ann").turns == 1
    assert memory.drain()
    assert ids(memory.query("O2 > 7")) == ["s:turn:4"]
    assert memory.verify().ok


@pytest.mark.requirement("F-QUERY-08")
def test_as_of_is_what_held_then_and_known_at_what_had_been_told() -> None:
    clock = FrozenClock(NOON)
    with quiet(clock=clock) as memory:
        memory.add(told("The harbour opens at nine.", at=at(-100)))
        clock.advance(3600)
        memory.add(told("The harbour opens at ten.", at=at(30)))
        clock.advance(3600)
        memory.add(told("The harbour opened at eight, long ago.", at=at(-1000)))
        memory.add(told("The harbour has no date."))

        def searched(**only: Any) -> set[str]:
            return {str(hit.turn.id)[-1] for hit in memory.search("harbour", **only)}

        def recalled(**only: Any) -> set[str]:
            return {name[-1] for item in memory.recall("harbour", **only).items for name in item.turn_ids}

        def queried(**only: Any) -> set[str]:
            return {str(turn.id)[-1] for turn in memory.query('"harbour"', **only)}

        for ask in (searched, recalled, queried):
            assert ask() == set("0123")
            assert ask(as_of=at(30)) == set("012"), "its own moment counts; no time is not known to be before"
            assert ask(as_of=at(30) - timedelta(microseconds=1)) == set("02")
            assert ask(known_at=NOON) == {"0"}
            assert ask(known_at=at(60)) == set("01")
            assert ask(known_at=at(119)) == set("01")
            assert ask(known_at=at(120)) == set("0123")
            assert ask(known_at=at(60), as_of=at(0)) == {"0"}
            assert ask(known_at=NOON - timedelta(days=900)) == set()
            assert ask(as_of=at(30), until=at(0)) == set("02")
            assert ask(as_of=at(30), since=at(-500)) == set("01")
            assert ask(since=at(30), as_of=at(30)) == {"1"}
            with pytest.raises(InputError, match="before the range starts"):
                ask(as_of=at(0), since=at(1))
        memory.add(told("The harbour is new.", at=at(200)))
        assert {str(turn.id) for turn in memory.query('"harbour"', known_at=at(120))} >= {"s:turn:4"}


@pytest.mark.requirement("F-QUERY-08")
def test_words_of_time_are_counted_from_as_of(memory: Memory) -> None:
    day = timedelta(days=1)
    memory.add(told("We ate cake.", at=NOON - 40 * day))
    memory.add(told("We ate cake.", at=NOON - 1 * day))
    assert ids(memory.query("on yesterday")) == ["s:turn:1"]
    assert ids(memory.query("on yesterday", as_of=NOON - 39 * day)) == ["s:turn:0"]
    assert len(memory.search("cake", where="on yesterday", as_of=NOON - 39 * day)) == 1
    context = memory.recall("what did we eat yesterday?", as_of=NOON - 39 * day)
    receipt = memory.explain(context.receipt_id)
    assert receipt.understood["dates"][0]["from"] == (NOON - 40 * day).date().isoformat()
    assert receipt.created_at == NOON
    assert receipt.settings["filter"]["as_of"] == (NOON - 39 * day).isoformat()


@pytest.mark.requirement("F-QUERY-05")
@pytest.mark.parametrize(
    "expression",
    [
        "'; DROP TABLE turn; --'",
        '"%s {0} \\x00 <script>"',
        "tag:\"a' OR '1'='1\"",
        'session = "../../etc/passwd"',
        'speaker = "\ud83d lone"',
        "tag:" + "x" * 9_000,
        '"' + "tea " * 2_000 + '"',
        " OR ".join(["tag:x", '"tea"', "O1 > 3"] * 80),
    ],
)
def test_text_that_looks_like_something_else_is_only_text(tmp_path: Path, expression: str) -> None:
    with quiet(tmp_path) as memory:
        memory.add(told("Green tea."))
        memory.drain()
        assert len(memory.query(expression)) <= 1
        assert memory.verify().ok
