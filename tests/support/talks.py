"""A conversation of four days whose subjects come back: what is told of times is tested on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from clew.memory import Memory
from clew.testing import FrozenClock
from clew.types import Turn

NOW = datetime(2023, 6, 14, 12, tzinfo=UTC)
DAYS = ((2023, 3, 6), (2023, 4, 12), (2023, 5, 17), (2023, 6, 7))
TALKS = (
    ("We store sessions in SQLite for now.", "The harbour cruise was lovely.", "ok", "Bread needs flour and water."),
    ("Sessions moved from SQLite to Redis today.", "Redis answers in a millisecond.", "fine", "Otto the cat is ill."),
    ("Redis lost our sessions again, I hate it.", "The vet says Otto will live.", "👍", "We bake bread on Sundays."),
    (
        "Decided: sessions go into PostgreSQL, Redis is off.",
        "Tickets for the cruise cost 40 euros.",
        "yes",
        "Good night.",
    ),
)


def talk() -> list[Turn]:
    """Its sixteen turns, two people in turn, a minute apart."""
    found = []
    for number, (day, lines) in enumerate(zip(DAYS, TALKS, strict=True)):
        begun = datetime(*day, 9, tzinfo=UTC)
        for minute, text in enumerate(lines):
            found.append(
                Turn(
                    role="user",
                    speaker=("Ann", "Bo")[minute % 2],
                    content=text,
                    session=f"talk-{number}",
                    at=begun + timedelta(minutes=minute),
                )
            )
    return found


@contextmanager
def remembered() -> Iterator[Memory]:
    """A memory of it, analysed."""
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOW)) as opened:
        opened.add_many(talk())
        opened.drain(None)
        yield opened
