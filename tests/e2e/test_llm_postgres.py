"""The budget of language models on PostgreSQL, where transactions of several programs meet."""

import threading
from datetime import UTC, datetime

import pytest

from clew.config import LLMConfig
from clew.derive.llm.completion_cache import CompletionCache
from clew.errors import BudgetExceeded
from clew.memory import Memory
from clew.models.budget import Prices, worst_case
from clew.models.prompt import Completion, Prompt
from clew.rows.spend_ledger import read_ledger
from clew.store.open import open_store
from clew.testing import FrozenClock, ScriptedLLM
from tests.support.memories import told

THREADS = 6
CALLS = 7
WORST = worst_case(Prompt.of("Say it.", "hello 0"), 50, Prices(0, 0))


@pytest.mark.requirement("W-LLM-05", "W-LLM-06")
def test_programs_on_one_server_do_not_pass_the_budget(url: str) -> None:
    """Each thread has a connection and a store of its own, as a program has."""
    with Memory.open(url, embedder="none") as memory:
        memory.add(told("hello there"))
    gate = threading.Barrier(THREADS)
    llm = ScriptedLLM(lambda _prompt: Completion("x", WORST.tokens_in, 50, "m"))
    budget = LLMConfig(daily_tokens=CALLS * (WORST.tokens_in + WORST.tokens_out))
    clock = FrozenClock(datetime(2024, 3, 5, 12, tzinfo=UTC))
    refused = []

    def ask(number: int) -> None:
        store = open_store(url)
        gate.wait()
        try:
            for place in range(CALLS):
                prompt = Prompt.of("Say it.", f"hell{number} {place}")
                CompletionCache(store, "default", llm, budget, clock).ask(prompt, 50, "s:turn:0", "p")
        except BudgetExceeded as error:
            refused.append(error)
        finally:
            store.close()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(llm.prompts) == CALLS
    assert len(refused) >= THREADS - 1
    store = open_store(url)
    with store.snapshot() as reader:
        (row,) = read_ledger(reader, "default")
        assert reader.count("completion", ("default",), ("default",)) == CALLS
    store.close()
    assert (row["calls"], row["reserved_tokens"]) == (CALLS, 0)
    assert row["tokens_in"] + row["tokens_out"] == budget.daily_tokens
