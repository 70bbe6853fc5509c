"""Facts as they are asked for: by words, status and time; their history, links and corrections; on every surface."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from clew.aio import AsyncMemory
from clew.cli.facts import dot_graph
from clew.errors import InputError
from clew.knowledge.book import Book
from clew.memory import Memory
from clew.store.protocol import Reader, Store
from clew.testing import FrozenClock
from clew.types import Turn
from clew.types.facts import Fact, Statement
from tests.support.cli_runs import run
from tests.support.fact_talk import idle, read
from tests.support.memories import NOON, at, empty_store, quiet, rows, timed, told

SAID = [
    "I live in Porto.",
    "I work at Acme and I like green tea.",
    "Bob led the Atlas project.",
    "I moved to Lisbon.",
    "I'm going to visit Rome next week.",
]


def later(days: float) -> FrozenClock:
    return FrozenClock(NOON + timedelta(days=days))


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet(clock=later(1)) as opened:
        opened.add_many(timed(SAID, speaker="Ann"))
        assert opened.drain()
        yield opened


def told_of(found: list[Fact]) -> list[str]:
    return [fact.told for fact in found]


@pytest.mark.requirement("K-FCT-05")
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"subject": "Ann", "verb": "lives in"}, ["Ann lives in Lisbon"]),
        ({"subject": "ANN", "verb": "lived"}, ["Ann lives in Lisbon"]),
        ({"verb": "living"}, ["Ann lives in Lisbon"]),
        ({"verb": "home"}, ["Ann lives in Lisbon"]),
        ({"verb": "lives at"}, []),
        ({"object": "teas"}, ["Ann likes green tea"]),
        ({"object": "green tea"}, ["Ann likes green tea"]),
        ({"object": "black tea"}, []),
        ({"object": "the"}, []),
        ({"object": "?!"}, []),
        ({"subject": "Bob", "object": "tea"}, []),
        ({"subject": "Ann", "object": "Acme"}, ["Ann works at Acme"]),
        ({"status": "planned"}, ["Ann visits Rome"]),
        ({"subject": "Ann", "status": "ceased"}, ["Ann lives in Porto"]),
        ({"subject": "nobody"}, []),
    ],
)
def test_facts_are_found_by_what_they_say(memory: Memory, asked: dict[str, Any], expected: list[str]) -> None:
    assert told_of(memory.facts(**asked)) == expected


@pytest.mark.requirement("K-FCT-05")
def test_led_finds_leads(memory: Memory) -> None:
    assert [fact.verb.split()[0] for fact in memory.facts("Bob", "led")] == ["leads"]


@pytest.mark.requirement("K-FCT-05")
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("scheduled", ["launch is scheduled for June 20"]),
        ("scheduled for", ["launch is scheduled for June 20"]),
        ("is scheduled", ["launch is scheduled for June 20"]),
        ("scheduling", []),
        ("schedules", []),
        ("allergic", ["Ann is allergic to nuts"]),
        ("allergic to", ["Ann is allergic to nuts"]),
        ("Born", ["Ann was born in Oslo"]),
        ("married", ["Ann is married to Bob"]),
        ("named", ["Ann's dog is named Rex"]),
    ],
)
def test_a_verb_with_is_is_found_without_it(asked: str, found: list[str]) -> None:
    """People read "is scheduled for", and ask for what is scheduled."""
    said = (
        *("The launch is scheduled for June 20.", "I am allergic to nuts.", "I was born in Oslo."),
        *("I'm married to Bob.", "My dog is named Rex."),
    )
    with quiet(clock=later(1)) as memory:
        for text in said:
            memory.add(Turn(role="user", speaker="Ann", content=text, session="s", at=NOON))
        assert memory.drain()
        facts = memory.facts(verb=asked)
    assert [f"{fact.subject} {fact.verb} {fact.object}" for fact in facts] == found


@pytest.mark.requirement("K-PLURAL-01")
@pytest.mark.parametrize(
    ("verb", "words"),
    [("decides on", "decide on"), ("switches to", "switch to"), ("has", "have"), ("tries", "try"), ("passes", "pass")],
)
def test_what_a_group_does_is_told_in_the_plural(verb: str, words: str) -> None:
    statement = Statement(turn="s:turn:0", ordinal=0, said_at=NOON, subject="we", verb=verb, object="Redis")
    book = Book()
    book.add([statement])
    assert told_of([*book.facts()]) == [f"we {words} Redis"]


@pytest.mark.requirement("K-FCT-05")
def test_a_fact_says_what_it_amounts_to_and_what_it_is_linked_to(memory: Memory) -> None:
    (fact,) = memory.facts("Ann", "lives")
    assert (fact.standing, [(link.kind.value, link.told, link.is_source) for link in fact.links]) == (
        "holds",
        [("SUPERSEDES", "Ann lives in Porto", False)],
    )
    assert [(link.kind.value, link.source, link.target) for link in memory.edges("Ann")] == [
        ("SUPERSEDES", "s:turn:3:fact:0", "s:turn:0:fact:0")
    ]
    assert memory.edges("Bob") == []
    assert memory.edges() == memory.edges("Ann")


@pytest.mark.requirement("K-FCT-05")
def test_a_plan_whose_time_has_passed_is_told_as_a_past_plan(memory: Memory) -> None:
    (plan,) = memory.facts(status="planned")
    assert plan.standing == "planned"
    store = memory.reads.store
    with Memory.open(store, embedder="none", clock=later(60)) as after:
        assert told_of(after.facts("Ann", "visits")) == []
        assert [(fact.told, fact.standing) for fact in after.facts(status="planned")] == [
            ("Ann visits Rome", "past plan")
        ]


@pytest.mark.requirement("K-FCT-05")
def test_what_held_and_what_was_known_at_a_moment(memory: Memory) -> None:
    def home(**moment: Any) -> list[tuple[str, str | None, int]]:
        return [(fact.object, fact.standing, len(fact.links)) for fact in memory.facts("Ann", "home", **moment)]

    assert home(as_of=at(1)) == [("Porto", "holds", 0)]
    assert home(as_of=at(10)) == [("Lisbon", "holds", 1)]
    assert home(known_at=at(1)) == [("Porto", "holds", 0)]
    assert home(known_at=at(-1)) == []
    assert home(known_at="2024-03-05") == [("Lisbon", "holds", 1)]
    assert memory.facts("Ann", object="Porto") == []
    assert told_of(memory.facts("Ann", object="Porto", as_of=at(1))) == ["Ann lives in Porto"]


@pytest.mark.requirement("F-RANK-03")
def test_a_time_in_words_ends_before_the_first_moment_after_it() -> None:
    midnight = datetime(2025, 4, 1, tzinfo=UTC)
    with quiet(clock=lambda: midnight + timedelta(days=60)) as memory:
        memory.add(Turn(role="user", content="I live in Porto.", session="s", speaker="Ann", at=midnight))
        assert memory.drain()
        said: dict[str, list[str]] = {"March 2025": [], "2025-03-31": [], "2025-04-01T00:00": ["Porto"]}
        for words, expected in said.items():
            assert [fact.object for fact in memory.facts("Ann", as_of=words)] == expected
            assert [fact.object for fact in memory.facts("Ann", known_at=words)] == expected


@pytest.mark.requirement("K-FCT-05")
def test_history_has_all_that_was_ever_stated(memory: Memory) -> None:
    assert [(fact.object, fact.standing) for fact in memory.history("Ann", "lived")] == [
        ("Porto", "replaced"),
        ("Lisbon", "holds"),
    ]
    assert len(memory.history("Ann")) == 5
    assert memory.history("Zoe") == []


@pytest.mark.requirement("K-FCT-05")
def test_history_of_a_liking_has_what_became_of_it() -> None:
    with quiet(clock=later(1)) as memory:
        memory.add_many(timed(["I love olives.", "I hate olives now."], speaker="Eve"))
        memory.drain()
        for verb in ("loves", "hated"):
            assert [(fact.verb, fact.standing) for fact in memory.history("Eve", verb)] == [
                ("loves", "replaced"),
                ("hates", "holds"),
            ]


@pytest.mark.requirement("K-FCT-05")
def test_the_newest_come_first_and_only_as_many_as_wanted(memory: Memory) -> None:
    every = memory.facts()
    assert [memory.facts(limit=n) for n in range(len(every) + 2)] == [every[:n] for n in range(len(every) + 2)]
    assert every[0].told == "Ann visits Rome"


@pytest.mark.requirement("K-FCT-05")
@pytest.mark.parametrize("moment", ["as_of", "known_at"])
def test_a_plan_that_was_given_up_was_a_plan_before(memory: Memory, moment: str) -> None:
    (rome,) = memory.facts(status="planned")
    memory.correct(rome.id, ended=True)
    memory.drain()
    assert memory.facts(status="planned") == []
    then: dict[str, Any] = {moment: NOON + timedelta(hours=23)}
    assert told_of(memory.facts(status="planned", **then)) == ["Ann visits Rome"]


@pytest.mark.slow
@pytest.mark.requirement("K-FCT-05")
def test_no_fact_comes_twice_where_very_many_are_read() -> None:
    lines = [f"Ann: likes | thing {n}" for n in range(2_100)]
    with idle() as memory:
        memory.add_many(timed(["Ann: lives in | Porto", "\n".join(lines), "Ann: lives in | Lisbon"]))
        read(memory)
        moments: list[dict[str, Any]] = [{"as_of": at(1)}, {"known_at": at(2)}, {}]
        for moment in moments:
            found = memory.facts("Ann", **moment)
            assert len(found) == len({fact.id for fact in found}) == len(lines) + 1
            assert len(memory.facts(limit=5_000, **moment)) == len(found)


@pytest.mark.requirement("K-FCT-05")
def test_the_speaker_without_a_name_is_me() -> None:
    with quiet(clock=later(1)) as memory:
        memory.add(told("I live in Porto.", at=at(0)))
        memory.drain()
        assert told_of(memory.facts("me")) == told_of(memory.facts("user")) == ["user lives in Porto"]


@pytest.mark.requirement("K-FCT-05")
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"subject": " "}, "subject ' ' is empty"),
        ({"verb": ""}, "verb '' is empty"),
        ({"object": 5}, "the object is 5"),
        ({"status": "open"}, "status 'open' is unknown; expected one of active"),
        ({"as_of": 7}, "as_of is 7"),
        ({"known_at": "whenever"}, "names no time"),
        ({"limit": -1}, "limit -1 is negative"),
    ],
)
def test_what_cannot_be_meant_is_refused(memory: Memory, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        memory.facts(**asked)


# --------------------------------------------------------------------------------------------------------- corrections


@pytest.mark.requirement("K-FCT-06")
def test_a_correction_counts_and_can_be_forgotten(memory: Memory) -> None:
    (wrong,) = memory.facts("Ann", "lives")
    name = memory.correct(wrong.id, "Braga")
    memory.drain()
    assert memory.get(name).text == "Correction: Ann lives in Braga, not Lisbon"
    assert [(fact.told, fact.provenance) for fact in memory.facts("Ann", "lives")] == [("Ann lives in Braga", "user")]
    assert [fact.standing for fact in memory.history("Ann", "lives")] == ["replaced", "withdrawn", "holds"]
    memory.rebuild()
    memory.drain()
    assert told_of(memory.facts("Ann", "lives")) == ["Ann lives in Braga"]
    memory.forget(turn_ids=[name])
    assert told_of(memory.facts("Ann", "lives")) == ["Ann lives in Lisbon"]


@pytest.mark.requirement("K-FCT-06")
def test_a_correction_is_later_than_all_that_it_corrects(memory: Memory) -> None:
    memory.add(told("I like green tea.", speaker="Ann", at=at(0) + timedelta(days=90)))  # in a future of the clock
    memory.drain()
    (tea,) = memory.facts(object="tea")
    assert len(tea.sources) == 2
    memory.correct(tea.id, ended=True)
    memory.drain()
    assert memory.facts(object="tea") == []
    assert [fact.standing for fact in memory.history("Ann", "likes")] == ["ended"]


@pytest.mark.requirement("K-FCT-06")
def test_a_fact_can_be_said_to_have_ended_or_never_to_have_been(memory: Memory) -> None:
    (tea,) = memory.facts(object="tea")
    (acme,) = memory.facts(object="Acme")
    memory.correct(tea.id, ended=True)
    memory.correct(acme.id)
    memory.drain()
    assert memory.facts(object="tea") == memory.facts(object="Acme") == []
    told = {fact.object: fact.standing for fact in memory.history("Ann")}
    assert (told["green tea"], told["Acme"]) == ("ended", "withdrawn")
    with pytest.raises(InputError, match="'milk' and ended are given"):
        memory.correct(tea.id, "milk", ended=True)


@pytest.mark.requirement("K-FCT-06")
def test_a_correction_goes_where_turns_go(memory: Memory, tmp_path: Path) -> None:
    (wrong,) = memory.facts("Ann", "lives")
    memory.correct(wrong.id, "Braga")
    memory.drain()
    memory.export(tmp_path / "all.jsonl")
    with quiet(clock=later(1)) as other:
        other.import_path(tmp_path / "all.jsonl")
        other.drain()
        assert told_of(other.facts()) == told_of(memory.facts())
        assert told_of(other.facts("Ann", "lives")) == ["Ann lives in Braga"]


@pytest.mark.requirement("K-FCT-06")
def test_a_secret_in_a_correction_is_masked(memory: Memory) -> None:
    (tea,) = memory.facts(object="tea")
    memory.correct(tea.id, 'the password = "hunter2-is-Zebra"')  # to be masked
    memory.drain()
    assert "Zebra" not in repr([rows(memory.reads.store, "turn"), memory.facts()])


# -------------------------------------------------------------------------------------------------------------- effort


class Counted:
    """A reader that counts what is asked of it."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self.calls, self.rows = reader, 0, 0

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **more: Any) -> Any:
            self.calls += 1
            found = getattr(self._reader, name)(*args, **more)
            self.rows += len(found) if isinstance(found, list) else 1
            return found

        return call


@cache
def beside_boats(count: int) -> Store:
    """What was said, and so many facts of somebody else; only read."""
    store = empty_store()
    with quiet(store, clock=later(1)) as memory:
        memory.add_many(timed([f"I own a boat number {n}." for n in range(count)], speaker="Zoe"))
        memory.add_many(timed(SAID, session="t", speaker="Ann"))
        memory.drain(None)
    return store


@pytest.mark.requirement("K-FCT-07")
@pytest.mark.parametrize("asked", [{"subject": "Ann", "verb": "home"}, {"object": "Acme"}, {"limit": 3}])
def test_the_effort_does_not_grow_with_the_space(asked: dict[str, Any]) -> None:
    from clew.recall.fact_query import FactQuery  # the one test below the surface
    from clew.recall.facts import find_facts

    effort = []
    for more in (20, 200):
        with beside_boats(more).snapshot() as reader:
            counted = Counted(reader)
            assert find_facts(counted, "default", FactQuery(**asked), NOON)
        effort.append(counted.calls)
    assert effort[0] == effort[1] <= 40


@cache
def boats_apart(count: int) -> Store:
    """So many facts that lie apart, so that no stretch of turns has all; only read."""
    store = empty_store()
    with quiet(store, clock=later(1)) as memory:
        said = [f"I own a boat number {n}." for n in range(count)]
        memory.add_many(timed([text for each in said for text in (each, *["Is it so?"] * 9)], speaker="Ann"))
        memory.drain(None)
    return store


@pytest.mark.requirement("K-KEEP-16")
@pytest.mark.parametrize("asked", [{"subject": "Ann"}, {"verb": "own"}, {"object": "boat"}, {}])
def test_a_question_asks_the_store_as_often_for_many_facts_as_for_few(asked: dict[str, Any]) -> None:
    from clew.recall.fact_query import FactQuery  # below the surface, as above
    from clew.recall.facts import find_facts

    effort = []
    for count in (10, 30):
        with boats_apart(count).snapshot() as reader:
            counted = Counted(reader)
            found = find_facts(counted, "default", FactQuery(**asked, limit=count), NOON)
        assert len(found) == count
        effort.append(counted.calls)
    assert effort[0] == effort[1] <= 12


@pytest.mark.requirement("K-KEEP-16")
def test_what_was_replaced_is_passed_over_and_a_limit_is_met_all_the_same() -> None:
    towns = [f"I live in Town{chr(65 + n)} now." for n in range(20)]
    with quiet(clock=later(1)) as memory:
        memory.add_many(timed(["I own a boat.", *towns, "I own a car."], speaker="Ann"))
        memory.drain(None)
        every = memory.facts("Ann")
        assert [fact.object for fact in every if fact.slot == "home"] == ["TownT"]
        assert len(every) == 3
        for limit in (1, 2, 3, 9):
            assert memory.facts("Ann", limit=limit) == every[:limit]
        gone = next(fact for fact in memory.history("Ann", "home") if fact.object == "TownA")
        assert (gone.standing, gone.superseded_by is None) == ("replaced", False)


# ------------------------------------------------------------------------------------------------------------ surfaces


@pytest.mark.requirement("K-FCT-10")
def test_the_commands_list_what_memory_gives(memory: Memory, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory.open(home, embedder="none") as stored:
        stored.add_many(timed(SAID, speaker="Ann"))
        stored.drain()
    shown = [json.loads(line) for line in run("facts", "--home", home, "--verb", "lived", "--json").output.splitlines()]
    assert [(each["subject"], each["object"], each["standing"]) for each in shown] == [("Ann", "Lisbon", "holds")]
    past = run("facts", "--home", home, "--status", "planned").output
    assert "Ann visits Rome" in past
    assert "past plan" in past
    assert "Porto" in run("facts", "--home", home, "--as-of", "2024-03-05T12:01", "--verb", "home").output
    told_again = run("history", "ann", "--home", home, "--verb", "live").output
    assert told_again.index("Porto") < told_again.index("replaced by Ann lives in Lisbon")
    assert "no such facts" in run("history", "Zoe", "--home", home).output
    dot = run("graph", "--dot", "--home", home).output
    assert dot.startswith("digraph facts {")
    assert '"Ann" -> "Lisbon" [label="lives in"];' in dot
    assert "Porto" not in dot
    assert "there are more" in run("facts", "--home", home, "--limit", "1").output


@pytest.mark.requirement("K-FCT-10")
def test_a_row_is_whole_on_a_narrow_terminal(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory.open(home, embedder="none") as stored:
        stored.add_many(timed(["I like steam rooms and saunas that are part of a long visit to the old bath."]))
        stored.drain()
        (fact,) = stored.facts()
    shown = run("facts", "--home", home).output
    assert "holds" in shown
    assert "2024-03-05" in shown
    assert fact.id in "".join(shown.split())


@pytest.mark.requirement("K-FCT-10")
def test_a_graph_quotes_whatever_is_in_a_name() -> None:
    said = {"id": "s:turn:0:fact:0", "subject": 'A "b" \\', "verb": "is", "object": "x];\n"}
    fact = Fact.from_dict({**said, "status": "active", "type": "world"})
    assert r'"A \"b\" \\" -> "x];\n"' in dot_graph([fact])


@pytest.mark.requirement("K-FCT-10")
def test_the_mirror_asks_the_same(memory: Memory) -> None:
    async def ask() -> list[Fact]:
        return await AsyncMemory(memory).facts("Ann")

    assert asyncio.run(ask()) == memory.facts("Ann")


@pytest.mark.requirement("K-KEEP-23")
def test_a_plan_without_a_date_says_so_and_lapses_when_nobody_speaks_of_it() -> None:
    clock = FrozenClock(at(1))
    with quiet(clock=clock) as memory:
        memory.add(Turn(role="user", speaker="Ann", content="I'm going to move to Malmo.", at=at(0)))
        assert memory.drain()
        (plan,) = memory.facts("Ann", "home")
        assert (plan.standing, plan.confirmed_at) == ("planned, no date", at(0))
        clock.advance(200 * 86_400.0)
        memory.add(Turn(role="user", speaker="Ann", content="I'm still going to move to Malmo.", at=clock()))
        assert memory.drain()
        clock.advance(200 * 86_400.0)
        assert [fact.standing for fact in memory.facts("Ann", "home")] == ["planned, no date"]
        clock.advance(200 * 86_400.0)
        assert memory.facts("Ann", "home") == []
        assert [fact.standing for fact in memory.history("Ann", "home")] == ["old plan"]
        assert "nobody has spoken of it for a year" in memory.recall("What do you know about Ann?", budget=400).text


@pytest.mark.requirement("U-FOUND-03")
def test_a_history_without_dates_is_in_the_order_of_the_turns() -> None:
    with quiet() as memory:
        likes = [
            f"I like {thing}." for thing in "tea jazz chess cheese opera maths hats figs rain snow wine bread".split()
        ]
        memory.add_many([Turn(role="user", speaker="Ann", content=text, session="talk") for text in likes])
        assert memory.drain()
        places = [int(fact.id.split(":")[2]) for fact in memory.history("Ann")]
    assert len(places) == len(likes)
    assert places == sorted(places)
