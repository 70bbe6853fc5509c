"""What is kept of a chat when the memory fails after its question is stored."""

import io
import json
from datetime import UTC, datetime

import pytest

from clew import Memory
from clew.config import ServeConfig
from clew.serve.access import Principal
from clew.serve.event_log import EventLog
from clew.serve.metrics import Metrics
from clew.serve.proxy.chats import Chat, ChatTicket, PreparedChat, Unchanged
from clew.serve.proxy.economy.ledger import read_ledger
from clew.serve.proxy.headers import RequestOptions
from clew.serve.proxy.kept_answer import KeptAnswer
from clew.serve.proxy.pipeline import Pipeline
from clew.serve.proxy.prepare import SafePreparation
from clew.serve.proxy.wires import wire_of
from clew.serve.spaces import Spaces
from tests.memories import quiet

PATH = "/v1/chat/completions"
ASKED = json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": "Which tea?"}]}).encode()
SAID = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Green."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1000, "completion_tokens": 10},
}


class WithBug(Pipeline):
    """A pipeline that stores questions, and then fails."""

    def add(self, chat: Chat, stored: PreparedChat) -> PreparedChat:
        raise ZeroDivisionError((chat, stored))


def exchange(memory: Memory) -> PreparedChat:
    """A chat and its answer through a pipeline with a bug."""
    wire = wire_of("POST", PATH)
    assert wire is not None
    spaces = Spaces(lambda _: memory)
    events = EventLog(lambda: datetime(2026, 3, 1, tzinfo=UTC), io.StringIO())
    preparation = SafePreparation(WithBug(spaces, ServeConfig()), spaces, events, Metrics())
    chat = Chat(wire, PATH, {}, ASKED, "", Principal("default"), RequestOptions(), ChatTicket())
    prepared = preparation.prepare(chat)
    answer = KeptAnswer(200, [], 10_000)
    answer.take(json.dumps(SAID).encode())
    answer.end()
    preparation.after(chat, prepared, answer)
    return prepared


@pytest.mark.requirement("P-RLY-44")
def test_the_answer_and_its_cost_are_kept_when_the_memory_fails_after_the_question_is_stored() -> None:
    with quiet() as memory:
        prepared = exchange(memory)
        assert (prepared.body, prepared.receipt, prepared.unchanged) == (None, None, Unchanged.ERROR)
        assert [turn.text for turn in memory.turns()] == ["Which tea?", "Green."]
        with memory.reads.store.snapshot() as reader:
            total = read_ledger(reader, memory.space).total
        assert (total.requests, total.failed, total.input, total.output) == (1, 1, 1000, 10)
        assert total.cost == total.cost_without > 0
