"""Clients that keep the first messages of a chat and send the last ones behind them: all of it is stored once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.serve.proxy.exchange import ClientMark
from tests.support.chat_requests import LISTS
from tests.support.effort import examples
from tests.support.memories import quiet
from tests.support.proxy_talks import NOBODY, Proxied
from tests.support.wire_talks import Event, Said, Used, written


@dataclass
class Sender:
    """A client with one chat, of which it sends a part with every question.

    Attributes:
        head: how many first messages it keeps; `window`: how many last ones it sends behind them.
        has_summary: whether it puts one in the place of what it leaves out.
        wanted: everything that was said.
    """

    proxied: Proxied
    chance: Random
    mark: ClientMark
    name: str
    head: int
    window: int
    has_summary: bool
    events: list[Event] = field(default_factory=list)
    wanted: Counter[str] = field(default_factory=Counter)
    edits: int = 0
    number: int = 0

    def next(self, what: str) -> str:
        self.number += 1
        return f"{what} {self.number} of {self.name}"

    def sent(self) -> list[dict[str, Any]]:
        messages = written(self.events, self.proxied.wire)
        if len(messages) <= self.head + self.window:
            return messages
        summary = [Said("user", f"Summary of {len(messages)} messages of {self.name}")] if self.has_summary else []
        return [*messages[: self.head], *written(summary, self.proxied.wire), *messages[-self.window :]]

    def asks(self) -> None:
        self.events.append(Said("user", self.next("question")))
        self.wanted[written_text(self.events[-1])] += 1
        self.works()

    def works(self) -> None:
        for _ in range(self.chance.choice((0, 0, 0, 1, 3))):
            calls = [("Read", self.next("file"), self.next("lines")) for _ in range(self.chance.choice((1, 1, 2)))]
            self.gets(Used(tuple(calls), announced=self.next("I look") if self.chance.random() < 0.5 else ""))
        self.gets(Said("assistant", self.next("answer")))

    def gets(self, answer: Event) -> None:
        """The answer to what the client sends now, as the provider gives it: results come from the client."""
        asked = self.proxied.ask(self.sent(), self.mark)
        new = written([Said("user", "x"), answer], self.proxied.wire)[1:]
        said = [each for each in new if each.get("role") in ("assistant", "model") or each.get("name") == "Read"]
        self.proxied.answered(asked, *said, client=self.mark)
        self.events.append(answer)
        self.wanted.update(said_in(answer))

    def edits_question(self) -> None:
        while not (isinstance(self.events[-1], Said) and self.events[-1].role == "user"):
            self.events.pop()
        self.events.pop()
        self.edits += 1
        self.asks()

    def regenerates(self) -> None:
        self.events.pop()
        self.edits += 1
        self.gets(Said("assistant", self.next("another answer")))

    @property
    def can_go_back(self) -> bool:
        """Whether its last question is behind the head: one in it may be the beginning of any chat."""
        asked = max(
            (n for n, event in enumerate(self.events) if isinstance(event, Said) and event.role == "user"), default=0
        )
        return asked > self.head + 1


def written_text(event: Event) -> str:
    return event.text if isinstance(event, Said) else ""


def said_in(event: Event) -> list[str]:
    """What is told apart of an event: words, files and what is in them."""
    if isinstance(event, Said):
        return [event.text]
    words = [word for _, file, lines in event.calls for word in (file, lines)]
    return [*words, *([event.announced] if event.announced else [])]


def counted(texts: Sequence[str], wanted: Counter[str]) -> Counter[str]:
    """How often each of these was stored, in turns that may hold several."""
    return Counter({word: sum(f"{text} ".count(f"{word} ") for text in texts) for word in wanted})


def plain(text: str) -> str:
    """The text without what JSON writes around words, and with a space behind each."""
    return " ".join(text.replace('"', " ").replace("}", " ").split())


@pytest.mark.requirement("P-IDN-26")
@pytest.mark.parametrize("wire", LISTS)
@settings(max_examples=examples(4, 40), deadline=None)
@given(st.data())
def test_a_window_behind_a_kept_head_adds_what_is_new_to_the_same_branch(wire: str, data: st.DataObject) -> None:
    chance = Random(data.draw(st.integers(0, 2**32), "seed"))  # noqa: S311  # a story to repeat, no secret
    with quiet() as memory:
        proxied = Proxied(memory, wire)
        marks = [NOBODY, NOBODY] if wire != "responses" else [ClientMark("open-webui", f"c{n}") for n in range(2)]
        clients = [
            Sender(proxied, chance, mark, name, chance.randint(0, 4), chance.randint(6, 9), chance.random() < 0.3)
            for mark, name in zip(marks, ("Ann", "Bob"), strict=True)
        ]
        for _ in range(24):
            client, kind = chance.choice(clients), chance.random()
            if kind < 0.1:
                proxied.restart()
            elif kind < 0.2 and client.can_go_back:
                client.regenerates()
            elif kind < 0.3 and client.can_go_back:
                client.edits_question()
            else:
                client.asks()
        talked = [client for client in clients if client.events]
        sessions = proxied.sessions()
        assert len(sessions) == len(talked)
        turns = [memory.restore(name) for session in sessions for name in proxied.ids(session)]
        wanted = sum((client.wanted for client in talked), Counter[str]())
        assert counted([plain(turn.text) for turn in turns], wanted) == wanted
        branches = len({(turn.session, turn.branch) for turn in turns}) - len(sessions)
        edits = sum(client.edits for client in talked)
        assert branches == edits or (wire == "responses" and branches < edits)  # where the window cuts an answer
        assert memory.verify().ok
