"""Clients whose conversations pass through the proxy at once, against a model that is a list of texts for each."""

import random
from collections import Counter
from dataclasses import dataclass, field

import pytest

from clew.serve.proxy.exchange import ClientMark
from tests.support.effort import examples
from tests.support.memories import quiet
from tests.support.proxy_talks import Asked, Message, Proxied, assistant, user

_OPENINGS = ("hi", "hello there", "Fix the failing test in this repository, please.")
_SHORT = ("ok", "yes", "thanks", "go on")


@dataclass
class Client:
    """A client with one conversation.

    Attributes:
        held: the history that it would send with its next question.
        said: everything that was said in the conversation, edits and other answers included.
        open: places in `held` from which on everything is its own: an edit before them could be anybody's.
    """

    mark: ClientMark
    header: str | None
    held: list[Message] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)
    own: int = 0

    @property
    def is_named(self) -> bool:
        """Whether its requests name their conversation."""
        return self.header is not None or self.mark.session is not None


class Simulation:
    """Several clients and one proxy."""

    def __init__(self, chance: random.Random, proxied: Proxied) -> None:
        self.chance, self.proxied = chance, proxied
        self.number = 0
        self.clients = [self._client(n) for n in range(chance.randint(3, 6))]

    def _client(self, n: int) -> Client:
        kind = self.chance.choice(("history", "history", "id", "header"))
        name = self.chance.choice(("", "cursor", "open-webui"))
        mark = ClientMark(name=name, session=f"{n}" if kind == "id" else None)
        return Client(mark, f"project {n}" if kind == "header" else None)

    def _new(self, kind: str) -> str:
        self.number += 1
        return f"{kind} {self.number} about {self.chance.choice(('tea', 'cups', 'pots'))}"

    def step(self) -> None:
        """One thing that a client does, or the end of the process."""
        client = self.chance.choice(self.clients)
        ways = [self.exchange] * 6 + [self.again, self.broken, self.interleaved, self.restart]
        if len(client.held) >= client.own + 6:
            ways += [self.edit, self.regenerate, self.drop_front, self.drop_middle]
        self.chance.choice(ways)(client)

    def exchange(self, client: Client) -> None:
        """A question and its answer."""
        self._answer(client, self._ask(client))

    def again(self, client: Client) -> None:
        """A request that the client sends twice before it has its answer."""
        first = self._ask(client)
        if client.is_named or len(client.held) > 1:
            self.proxied.ask(client.held, client.mark, header=client.header)
        self._answer(client, first)

    def broken(self, client: Client) -> None:
        """An answer that does not come, and the same request again."""
        failed = self._ask(client)
        self.proxied.answered(failed, client=client.mark, complete=False)
        asked = self.proxied.ask(client.held, client.mark, header=client.header)
        self._answer(client, asked)

    def interleaved(self, client: Client) -> None:
        """Two clients whose requests are under way at once."""
        other = self.chance.choice(self.clients)
        asked = self._ask(client)
        if other is not client:
            self.exchange(other)
        self._answer(client, asked)

    def restart(self, client: Client) -> None:
        """The process ends, another one goes on."""
        del client
        self.proxied.restart()

    def edit(self, client: Client) -> None:
        """The user goes back and says something else."""
        places = [at for at in range(client.own + 2, len(client.held)) if client.held[at]["role"] == "user"]
        del client.held[self.chance.choice(places) :]
        self._answer(client, self._ask(client, self._new("question")))  # the old words would be no edit

    def regenerate(self, client: Client) -> None:
        """The user wants another answer to the last question."""
        del client.held[-1]
        self._answer(client, self.proxied.ask(client.held, client.mark, header=client.header))

    def drop_front(self, client: Client) -> None:
        """The client forgets the beginning for good."""
        count = self.chance.randrange(1, len(client.held) - client.own - 3) + client.own
        del client.held[:count]
        client.own = 0
        self.exchange(client)

    def drop_middle(self, client: Client) -> None:
        """The client leaves out what stands between the beginning and the end."""
        start = self.chance.randrange(client.own + 1, len(client.held) - 4)
        stop = self.chance.randrange(start + 1, len(client.held) - 2)
        del client.held[start:stop]
        client.own = start  # an edit before leaves no two messages that were said in this order
        self.exchange(client)

    def _ask(self, client: Client, text: str | None = None) -> Asked:
        is_short = len(client.held) > 2 and self.chance.random() < 0.2
        if text is None and not client.said:
            text = self.chance.choice(_OPENINGS)
        elif text is None:
            text = self.chance.choice(_SHORT) if is_short else self._new("question")
        client.held.append(user(text))
        client.said[text] += 1
        return self.proxied.ask(client.held, client.mark, header=client.header)

    def _answer(self, client: Client, asked: Asked) -> None:
        text = self._new("answer") if self.chance.random() < 0.8 or len(client.held) > 1 else "How can I help?"
        if text == "How can I help?":
            client.own = 3
        self.proxied.answered(asked, assistant(text), client=client.mark)
        client.held.append(assistant(text))
        client.said[text] += 1

    def check(self) -> None:
        """Each conversation has a session of its own with everything that was said in it, once."""
        stored = [
            Counter(text.split(": ")[-1] for text in self.proxied.stored(name)) for name in self.proxied.sessions()
        ]
        wanted = [client.said for client in self.clients if client.said]
        assert sorted(map(_listed, stored)) == sorted(map(_listed, wanted))


def _listed(texts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(texts.items())


@pytest.mark.thorough
@pytest.mark.requirement("P-IDN-10")
@pytest.mark.parametrize("seed", range(examples(6, 50)))
def test_no_stranger_is_merged_no_turn_stored_twice_or_lost(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # a story to repeat, no secret
    with quiet() as memory:
        simulation = Simulation(chance, Proxied(memory))
        for _ in range(60):
            simulation.step()
        simulation.check()
        assert memory.verify().ok
