"""Turns that state facts in a language of their own, so that tests of storage do not depend on rules for English.

A line `Ann: lives in | Porto` states a fact; `!` before the object denies it, `?` makes it a plan, `~` takes it back,
and `(reason)` after it names what it rests on.
"""

import re
from collections.abc import Sequence
from typing import Any

from clew.derive.facts import FactReading
from clew.memory import Memory
from clew.rows.facts import facts_at
from clew.store.tables import FACT
from clew.types.facts import Effect, Fact, FactStatus, Statement
from clew.types.turn import Turn
from tests.support.memories import quiet, rows

_LINE = re.compile(
    r"(?P<subject>[^:|]+): (?P<verb>[^|]+) \| (?P<mark>[!?~]?)(?P<object>[^(|]+?)(?: \((?P<rest>[^)]*)\))?"
)

TABLES = ("statement", "fact", "fact_key", "fact_link")
TALK = [
    "Ann: lives in | Porto",
    "Ann: works at | Acme\nBob: likes | tea",
    "nothing at all",
    "Ann: lives in | Lisbon",
    "She: visits | ?office (Acme)",
    "Bob: likes | !tea",
    "Ann: works at | Initech",
    "Bob: lives in | Porto",
]


class Lines:
    """Finds the statements of such lines."""

    reach = 1
    version = 1

    def __call__(self, turns: Sequence[Turn], before: Sequence[Turn]) -> list[Statement]:
        """See `clew.derive.facts.StatementMaker`: "She" is the subject of the turn before."""
        found: list[Statement] = []
        last = before[-1] if before else None
        for turn in turns:
            for number, line in enumerate(turn.text.splitlines()):
                stated = _LINE.fullmatch(line)
                if stated is not None:
                    found.append(self._statement(turn, number, stated, last))
            last = turn
        return found

    def _statement(self, turn: Turn, number: int, stated: re.Match[str], last: Turn | None) -> Statement:
        subject = stated["subject"]
        if subject == "She":
            subject = "Nobody" if last is None else last.text.partition(":")[0]
        effects = {"!": Effect.CEASES, "~": Effect.RETRACTS}
        return Statement(
            turn=str(turn.id),
            ordinal=number,
            said_at=turn.at,
            subject=subject,
            verb=stated["verb"],
            object=stated["object"],
            status=FactStatus.PLANNED if stated["mark"] == "?" else FactStatus.ACTIVE,
            effect=effects.get(stated["mark"], Effect.STATES),
            rests_on=(stated["rest"],) if stated["rest"] else (),
        )


def idle(path: Any = ":memory:", **more: Any) -> Memory:
    """A memory whose worker rests, so that the rules for English do not read the lines of these tests."""
    opened = quiet(path, **more)
    opened.parts.worker.stop()
    return opened


def read(memory: Memory, stretch: int = 64) -> None:
    """Reads all turns for facts, as far as that is not done."""
    reading = FactReading(memory.reads.store, memory.space, Lines(), stretch)
    reading.release()
    while reading.step():
        pass
    assert reading.pending() == 0


def stored(memory: Memory) -> dict[str, list[Any]]:
    return {table: rows(memory.reads.store, table, memory.space) for table in TABLES}


def all_facts(memory: Memory) -> list[Fact]:
    with memory.reads.store.snapshot() as reader:
        places = [(row.ordinal, row.place) for row in FACT.scan(reader, (memory.space,), (memory.space,))]
        return facts_at(reader, memory.space, places)


def seen(memory: Memory) -> list[str]:
    """Each fact in words, with its status and what became of it."""
    found = all_facts(memory)
    marks = ((fact, "replaced" * bool(fact.superseded_by), "stale" * bool(fact.stale_because)) for fact in found)
    return sorted(f"{fact.told}: {' '.join(filter(None, (fact.status.value, *more)))}" for fact, *more in marks)
