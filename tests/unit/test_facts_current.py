"""What is over is known by the keys of facts, so that a question about the present does not read it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import pytest

from clew.knowledge.history import CURRENT, current_until, standing
from clew.memory import Memory
from clew.recall.fact_places import SCANNED
from clew.recall.fact_query import FactQuery
from clew.recall.facts import find_facts
from clew.store.protocol import Reader
from clew.store.tables import FACT_KEY
from clew.testing import FrozenClock
from clew.types.facts import Fact, FactStatus, FactType
from tests.support.fact_talk import idle, read
from tests.support.memories import NOON, at, quiet, timed

TOWNS = [f"Town{chr(65 + n // 26)}{chr(97 + n % 26)}" for n in range(60)]


class RowsRead:
    """A reader that counts the rows that are read of each table."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self.rows = reader, Counter[str]()

    def __getattr__(self, name: str) -> Any:
        def call(table: str, *args: Any, **more: Any) -> Any:
            found = getattr(self._reader, name)(table, *args, **more)
            self.rows[table] += len(found) if isinstance(found, list) else 1
            return found

        return call


def facts_of_all_kinds() -> Iterator[Fact]:
    moments = (None, at(1), at(5))
    ways = product(FactStatus, ("visits", "is scheduled for", "lives in"), moments, moments, (None, "x"), (True, False))
    for status, verb, first, last, replaced, retracted in ways:
        fact = Fact(
            id="s:turn:0:fact:0", subject="Ann", verb=verb, object="Rome", status=status, type=FactType.PERSONAL
        )
        yield replace(fact, valid_from=first, valid_to=last, superseded_by=replaced, retracted=retracted)
        yield replace(fact, due_from=first, due_to=last, confirmed_at=at(2))


@pytest.mark.requirement("K-KEEP-25")
def test_a_fact_is_current_exactly_until_the_moment_that_its_keys_have() -> None:
    tried = Counter[bool]()
    for fact in facts_of_all_kinds():
        until = current_until(fact)
        for now in (at(0), at(1), at(3), at(5), at(100), at(400 * 24)):
            is_current = standing(fact, now) in CURRENT
            assert is_current == (until is None or now < until), (fact, now)
            tried[is_current] += 1
    assert min(tried.values()) > 100


@pytest.mark.requirement("K-KEEP-25")
def test_a_plan_of_the_last_days_of_time_has_an_end() -> None:
    late = datetime.max.replace(tzinfo=NOON.tzinfo)
    fact = Fact(
        id="s:turn:0:fact:0",
        subject="Ann",
        verb="visits",
        object="Rome",
        status=FactStatus.PLANNED,
        type=FactType.PERSONAL,
        confirmed_at=late,
    )
    assert current_until(fact) == late
    assert [standing(fact, now) in CURRENT for now in (NOON, late)] == [True, False]


def told(memory: Memory, **asked: Any) -> tuple[list[str], Counter[str]]:
    """What facts say, and the rows that were read for it."""
    with memory.reads.store.snapshot() as reader:
        counted = RowsRead(reader)
        found = find_facts(counted, "default", FactQuery(**asked), memory.reads.clock())
    return [fact.told for fact in found], counted.rows


@pytest.mark.requirement("K-KEEP-25")
@pytest.mark.parametrize("asked", [{"subject": "Ann"}, {"object": "Porto"}, {"verb": "visits"}, {"verb": "home"}])
def test_of_many_facts_that_are_over_none_is_read(asked: dict[str, Any]) -> None:
    said = [f"I live in {town} now." for town in TOWNS]
    trips = ["I'm going to visit Porto next week."] * 3
    with quiet(clock=FrozenClock(NOON + timedelta(days=90))) as memory:
        memory.add_many(timed([*said, *trips, "I live in Porto now.", "I like Porto."], speaker="Ann"))
        memory.add_many(timed(["I'm going to visit Porto next week."], speaker="Bob", session="t"))
        memory.drain(None)
        found, rows = told(memory, **asked)
        assert found == [fact for fact in ("Ann likes Porto", "Ann lives in Porto") if _is_asked(fact, asked)]
        linked = 3  # the home before, and two plans to go there
        assert rows["fact"] <= len(found) + linked
        past, _ = told(memory, **asked, status=FactStatus.PLANNED)
        assert len(past) == (0 if asked == {"verb": "home"} else 1 if "subject" in asked else 2)


def _is_asked(fact: str, asked: dict[str, Any]) -> bool:
    verbs = {"home": "lives in", "visits": "visits"}
    return "verb" not in asked or verbs[asked["verb"]] in fact


@pytest.mark.requirement("K-KEEP-25")
def test_keys_that_do_not_say_it_change_no_answer() -> None:
    with quiet(clock=FrozenClock(NOON + timedelta(days=90))) as memory:
        said = ["I live in Porto.", "I live in Lisbon now.", "I'm going to visit Rome next week.", "I like tea."]
        memory.add_many(timed(said, speaker="Ann"))
        memory.drain(None)
        before = memory.facts("Ann")
        assert [fact.told for fact in before] == ["Ann likes tea", "Ann lives in Lisbon"]
        store = memory.reads.store
        with store.snapshot() as reader:
            keys = FACT_KEY.scan(reader, ("default",), ("default",))
        assert any(row.until is not None for row in keys)
        store.transaction(lambda tx: FACT_KEY.put(tx, [row._replace(until=None) for row in keys]))
        assert memory.facts("Ann") == before


@pytest.mark.slow
@pytest.mark.requirement("K-KEEP-25")
def test_where_several_verbs_are_asked_for_that_very_many_facts_have_the_newest_come_first() -> None:
    verbs = ("decides on", "uses", "chooses")
    lines = [f"Ann: {verbs[n % 3]} | thing {n}" for n in range(3 * SCANNED + 30)]
    with idle() as memory:
        memory.add_many(timed(["\n".join(lines[start : start + 90]) for start in range(0, len(lines), 90)]))
        read(memory)
        every = [fact.object for fact in memory.facts()]
        assert every == [f"thing {n}" for n in reversed(range(len(lines)))]
        for limit in (1, 40, len(lines)):
            assert [fact.object for fact in memory.facts(verb="choice", limit=limit)] == every[:limit]
        found, rows = told(memory, verb="choice", limit=40)
        assert len(found) == 40
        assert rows["fact"] <= 40
        assert rows["fact_key"] <= 4 * SCANNED
