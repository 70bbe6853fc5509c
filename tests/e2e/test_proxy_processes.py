"""Several servers over one home: requests of one conversation that arrive at once, by whichever of them."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from clew.serve.proxy.exchange import ClientMark
from tests.support.memories import quiet
from tests.support.postgres_servers import Server
from tests.support.proxy_talks import Message, Proxied, assistant, user

CLIENTS = [ClientMark(name="claude-code", session="0b7f"), ClientMark()]


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[Proxied]]:
    """Two over a home in a folder."""
    with ExitStack() as stack:
        yield [Proxied(stack.enter_context(quiet(tmp_path / "home"))) for _ in range(2)]


@pytest.fixture
def postgres_servers(server: Server, url: str) -> Iterator[list[Proxied]]:
    """Two over a home on a PostgreSQL server."""
    del server
    with ExitStack() as stack:
        yield [Proxied(stack.enter_context(quiet(url))) for _ in range(2)]


def at_once(work: Callable[[int], None], count: int) -> None:
    """Runs something in several threads, and raises what any of them raises."""
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))


def story(servers: list[Proxied], client: ClientMark) -> None:
    """The same requests by both servers at once, then two ways to go on at once."""
    messages: list[Message] = [user("where do I begin?")]
    servers[0].exchange(messages, assistant("here"), client)
    messages.append(assistant("here"))
    for n in range(6):
        messages.append(user(f"question {n}"))

        def ask(place: int, n: int = n) -> None:
            asked = servers[place % 2].ask(messages, client)
            servers[place % 2].answered(asked, assistant(f"answer {n}"), client=client)

        at_once(ask, 4)
        messages.append(assistant(f"answer {n}"))

    def part(place: int) -> None:
        own = [*messages, user(f"way {place}")]
        servers[place % 2].exchange(own, assistant(f"went {place}"), client)

    at_once(part, 4)
    (session,) = servers[0].sessions()
    stored = Counter(text.split(": ")[-1] for text in servers[1].stored(session))
    said = [f"{kind} {n}" for n in range(6) for kind in ("question", "answer")]
    ways = [f"{kind} {place}" for place in range(4) for kind in ("way", "went")]
    assert stored == Counter(["where do I begin?", "here", *said, *ways])
    assert servers[0].memory.verify().ok


@pytest.mark.requirement("P-IDN-10")
@pytest.mark.parametrize("client", CLIENTS)
def test_two_servers_over_one_folder_store_everything_once(servers: list[Proxied], client: ClientMark) -> None:
    story(servers, client)


@pytest.mark.requirement("P-IDN-10")
@pytest.mark.parametrize("client", CLIENTS)
def test_two_servers_over_one_database_store_everything_once(
    postgres_servers: list[Proxied], client: ClientMark
) -> None:
    story(postgres_servers, client)
