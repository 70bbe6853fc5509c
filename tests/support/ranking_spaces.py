"""Small spaces for the tests of ranking: turns written out by hand, as a view of the index, and questions to them."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from clew.config import RecallConfig
from clew.index.entry import TurnEntry
from clew.index.view import IndexView
from clew.memory import Memory
from clew.rank.covered_days import covered_days
from clew.rank.frame import Frame, Scores, make_frame
from clew.rank.intent import read_intent
from clew.rank.participants import assistant_takes_part
from clew.rank.search import opinions, rank
from clew.rank.signals import SIGNALS
from clew.rank.sparse_columns import BySession, FewTurns
from clew.testing import FrozenClock, HashEmbedder
from clew.types import Part, Turn
from clew.write.prepare import derive

NOON = datetime(2024, 3, 5, 12, tzinfo=UTC)


def said(text: str | list[Part], session: str = "s", **more: Any) -> Turn:
    """A user's turn."""
    return Turn(**{"role": "user", "content": text, "session": session, **more})


def answered(text: str, **more: Any) -> Turn:
    """An assistant's turn."""
    return said(text, role="assistant", **more)


def day(number: int, month: int = 3, year: int = 2024, hour: int = 9) -> datetime:
    """A moment of a day."""
    return datetime(year, month, number, hour, tzinfo=UTC)


def entries(*turns: Turn | str) -> list[TurnEntry]:
    """The turns as the index knows them, each next in its session; a text is a user's turn."""
    places: Counter[str] = Counter()
    found = []
    for ordinal, turn in enumerate(said(each) if isinstance(each, str) else each for each in turns):
        found.append(derive(turn).entry(seq=places[turn.session], ordinal=ordinal))
        places[turn.session] += 1
    return found


def space(*turns: Turn | str) -> IndexView:
    """A view of the turns."""
    return IndexView.of(tail=entries(*turns))


def asked(view: IndexView, question: str, /, similarity: Scores | None = None, **weights: Any) -> Frame:
    """The question as a ranking sees it, at noon of 5 March 2024.

    Args:
        similarity: cosines to each turn, of the question and of its rewritten form.
    """
    beside = assistant_takes_part(view)
    query = read_intent(question, view.speakers, NOON, with_assistant=beside, covered=covered_days(view))
    return make_frame(query, view, RecallConfig(**weights), similarity, with_assistant=beside)


def order(frame: Frame, limit: int = 100, **chosen: Any) -> list[int]:
    """Positions of the turns that are found, best first."""
    return [each.position for each in rank(frame, limit=limit, mask=frame.view.mask(**chosen))]


BY_NAME = {signal.name: signal for signal in SIGNALS}


def values(name: str, frame: Frame) -> list[float] | None:
    """What a signal gives, to three places."""
    signal = BY_NAME[name]
    known = {opinion.name: opinion for opinion in opinions(frame)[1] if opinion.name != name}
    found = signal.compute(frame, known) if signal.derived else signal.compute(frame)
    if found is None:
        return None
    every = found.dense() if isinstance(found, FewTurns | BySession) else found
    rounded: list[float] = np.round(np.asarray(every, dtype=np.float64), 3).tolist()
    return rounded


def column(*values: float) -> Scores:
    """Values as a signal gives them."""
    return np.array(values, dtype=np.float64)


QUESTION = 'What did Ann say of the "red wine" in March 2024?'
"""About the cellar of `opened`."""


def turns() -> Iterator[Turn]:
    """Forty turns about a cellar, in three sessions, of five lengths."""
    for number in range(40):
        name = ("Ann", "Bob")[number % 2]
        text = f"I put bottle {number} of red wine into the cellar" + ", and then another one" * (number % 5) + "."
        yield said(text, session=f"a:{number % 3}", speaker=name, at=NOON - timedelta(days=number))


def opened(**settings: Any) -> Memory:
    """A memory of them, with these settings of recall."""
    memory = Memory.open(":memory:", embedder=HashEmbedder(), clock=FrozenClock(NOON), config={"recall": settings})
    memory.add_many(turns())
    assert memory.drain(200)
    return memory
