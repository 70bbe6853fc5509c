"""Where the block of the proxy stops: at turns that have nothing to do with the question."""

import io
import json
from datetime import UTC, datetime

import pytest

from clew.config import NO_FLOOR, ServeConfig
from clew.memory import Memory
from clew.serve.access import Principal
from clew.serve.event_log import EventLog
from clew.serve.metrics import Metrics
from clew.serve.proxy.chats import Chat, ChatTicket
from clew.serve.proxy.headers import RequestOptions
from clew.serve.proxy.pipeline import Pipeline
from clew.serve.proxy.prepare import SafePreparation
from clew.serve.proxy.wires import wire_of
from clew.serve.spaces import Spaces
from tests.support.memories import quiet, told

PATH = "/v1/chat/completions"
TOLD = ("The TTL of the price cache is 60 seconds.", "The cache is in Redis.")
ELSE = ("Soup again today.", "The roses need water.", "My sister likes chess.", "It rains in Bergen.")


def _sent(memory: Memory, question: str, config: ServeConfig) -> str:
    """What the proxy sends upstream for a question."""
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": question}]}).encode()
    wire = wire_of("POST", PATH)
    assert wire is not None
    spaces = Spaces(lambda _: memory)
    events = EventLog(lambda: datetime(2026, 3, 1, tzinfo=UTC), io.StringIO())
    preparation = SafePreparation(Pipeline(spaces, config), spaces, events, Metrics())
    chat = Chat(wire, PATH, {}, body, "", Principal("default"), RequestOptions(), ChatTicket())
    return (preparation.prepare(chat).body or body).decode()


def _memory() -> Memory:
    memory = quiet()
    for place, text in enumerate((*TOLD, *ELSE)):
        memory.add(told(text, session=f"s{place}"))
    return memory


@pytest.mark.requirement("P-FLOOR-01")
def test_a_block_holds_no_turn_that_the_question_is_not_about() -> None:
    with _memory() as memory:
        sent = _sent(memory, "What is the TTL of the cache?", ServeConfig())
    assert all(text in sent for text in TOLD)
    assert not any(text in sent for text in ELSE)


@pytest.mark.requirement("P-FLOOR-01")
def test_without_a_floor_the_room_is_filled_and_recall_fills_it() -> None:
    with _memory() as memory:
        assert any(text in _sent(memory, "What is the TTL of the cache?", ServeConfig(floor=NO_FLOOR)) for text in ELSE)
        assert any(text in memory.recall("What is the TTL of the cache?", budget=1500).text for text in ELSE)
