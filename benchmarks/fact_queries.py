"""How long questions about facts take in a space of many turns.

    python -m benchmarks.fact_queries [--turns N] [--home DIR]

Of the turns, one in five states something about one of 280 people: a home, an employer, a liking, a plan, a purchase;
two people greet each other by nicknames. Times are of the thread's processor, in milliseconds, over 200 questions of
each kind; each kind is asked once before.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from statistics import median, quantiles

from clew.derive.entity_counts import EntityCounting
from clew.derive.facts import FactReading
from clew.evaluate.speed.synthetic import ConversationGenerator
from clew.knowledge.rules.extract import RuleStatements
from clew.memory import Memory
from clew.types.turn import Turn

PEOPLE = [
    first + last for first in "Al Bea Cal Dor Ed Fay Gil Han Ivo Jun".split() for last in "an bert con den".split()
]
NAMES = [f"{name}{end}" for name in PEOPLE for end in ("a", "e", "i", "o", "us", "win", "")]
PLACES = "Porto Lisbon Braga Faro Oslo Bergen Molde Narvik Berlin Bremen Leipzig Rome Milan Turin Genoa".split()
FIRMS = "Acme Initech Vela Hooli Umbra Halden Norsk Quill".split()
THINGS = "jazz opera tea coffee hiking chess rowing baking poetry gardening".split()
START = datetime(2024, 1, 1, tzinfo=UTC)
ASKED = 200


def stated(random: Random) -> str:
    """What somebody says of themselves."""
    return random.choice(
        [
            f"I live in {random.choice(PLACES)} now.",
            f"I work at {random.choice(FIRMS)}.",
            f"I like {random.choice(THINGS)}.",
            f"I'm going to visit {random.choice(PLACES)} next month.",
            f"I bought a boat called {random.choice(NAMES)}.",
        ]
    )


def turns(count: int) -> Iterator[Turn]:
    """The turns, a minute apart, in sessions of 200."""
    random = Random(7)  # noqa: S311  # no secret
    for place, turn in enumerate(ConversationGenerator().turns(count)):
        speaker = random.choice(NAMES)
        text = stated(random) if place % 5 == 0 else turn.text
        if place in (11, 13):
            speaker, text = NAMES[0], f"Hey Bobby, {text}"
        at = START + timedelta(minutes=place)
        yield Turn(role="user", speaker=speaker, content=text, session=f"s{place // 200}", at=at)


def build(home: Path, count: int) -> None:
    """Stores the turns, and reads them for facts and names alone."""
    with Memory.open(home, embedder="none", config={"gather_seconds": 3600.0}) as memory:
        memory.parts.worker.stop()
        every = list(turns(count))
        for start in range(0, count, 2_000):
            memory.add_many(every[start : start + 2_000])
        reading = FactReading(memory.reads.store, memory.space, RuleStatements())
        reading.release()
        while reading.step():
            pass
        counting = EntityCounting(memory.reads.store, memory.space)
        while counting.step():
            pass


def timed(ask: Callable[[int], object]) -> list[float]:
    """Milliseconds of the thread's processor for each question."""
    ask(0)
    found = []
    for number in range(1, ASKED + 1):
        before = time.thread_time()
        ask(number)
        found.append(1_000 * (time.thread_time() - before))
    return found


def name(number: int) -> str:
    return NAMES[number % len(NAMES)]


def measure(home: Path) -> None:
    """Asks, and prints a line for each kind of question."""
    with Memory.open(home, embedder="none", config={"gather_seconds": 3600.0}) as memory:
        memory.parts.worker.stop()
        moment = START + timedelta(days=20)
        ways: dict[str, Callable[[int], object]] = {
            "subject": lambda n: memory.facts(name(n)),
            "subject, limit 30": lambda n: memory.facts(name(n), limit=30),
            "subject and verb": lambda n: memory.facts(name(n), "lives in"),
            "subject and slot, limit 1": lambda n: memory.facts(name(n), "home", limit=1),
            "subject and object": lambda n: memory.facts(name(n), object=THINGS[n % 10]),
            "subject at a moment": lambda n: memory.facts(name(n), "home", as_of=moment),
            "object, limit 30": lambda n: memory.facts(object=PLACES[n % 15], limit=30),
            "verb, limit 30": lambda n: memory.facts(verb=("lives in", "likes", "bought")[n % 3], limit=30),
            "status, limit 30": lambda n: memory.facts(status=("planned", "ceased")[n % 2], limit=30),
            "nothing, limit 30": lambda _: memory.facts(limit=30),
            "history of a subject and verb": lambda n: memory.history(name(n), "lives in"),
        }
        print(f"{memory.stats().turns:,} turns\n{'asked by':34}{'median':>8}{'p95':>8}  ms")
        for way, ask in ways.items():
            found = timed(ask)
            print(f"{way:34}{median(found):8.2f}{quantiles(found, n=20)[-1]:8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--home", type=Path, help="kept there, and used again if it is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-facts-") as folder:
        home = options.home or Path(folder)
        if not (home / "clew.db").exists():
            build(home, options.turns)
        measure(home)


if __name__ == "__main__":
    main()
