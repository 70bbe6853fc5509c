"""Recorded answers, the budget of a day, and the ledger."""

import threading
from datetime import timedelta
from typing import Any

import pytest

from clew.config import LLMConfig
from clew.derive.llm.completion_cache import CompletionCache
from clew.errors import BudgetExceeded, ModelError, ModelUnavailable, RequestRefused
from clew.models.budget import Budget, Prices, Usage, worst_case
from clew.models.prompt import Completion, Prompt
from clew.rows.spend_ledger import Ledger, read_ledger, today
from clew.store.protocol import Store
from clew.testing import Answer, FrozenClock, ScriptedLLM
from tests.support.memories import NOON, empty_store, quiet, rows, told

HELLO = Prompt.of("Say it.", "hello")
WORST = worst_case(HELLO, 50, Prices(0, 0))
CALL = WORST.tokens_in + WORST.tokens_out


def asker(store: Store, llm: ScriptedLLM, clock: FrozenClock | None = None, **config: Any) -> CompletionCache:
    return CompletionCache(store, "default", llm, LLMConfig(**config), clock or FrozenClock(NOON))


def with_turn() -> Store:
    store = empty_store()
    with quiet(store) as memory:
        memory.add(told("hello there"))
    return store


def ledger(store: Store) -> list[dict[str, Any]]:
    with store.snapshot() as reader:
        return read_ledger(reader, "default")


@pytest.mark.requirement("W-LLM-05")
def test_the_same_is_never_asked_twice() -> None:
    store, llm = with_turn(), ScriptedLLM(["one", "two", "three"])
    about = asker(store, llm).about("s:turn:0", "p")
    assert [about.complete(HELLO, max_tokens=50).text for _ in range(3)] == ["one"] * 3
    assert about.complete(HELLO, max_tokens=51).text == "two"
    assert (
        asker(store, ScriptedLLM(["three"], name="other")).about("s:turn:0", "p").complete(HELLO, max_tokens=50).text
        == "three"
    )
    assert len(llm.prompts) == 2
    assert [row[3] for row in rows(store, "completion")] == ["s:turn:0"] * 3


@pytest.mark.requirement("W-LLM-05")
def test_what_was_recorded_answers_without_the_model() -> None:
    store = with_turn()
    asker(store, ScriptedLLM(["one"])).about("s:turn:0", "p").complete(HELLO, max_tokens=50)
    before = ledger(store)
    replay = asker(store, ScriptedLLM([]), calls="recorded", daily_tokens=0).about("s:turn:0", "p")
    assert replay.complete(HELLO, max_tokens=50) == Completion("one", 3, 1, "scripted")
    with pytest.raises(ModelUnavailable, match=r"no answer of scripted is recorded for s:turn:0"):
        replay.complete(HELLO, max_tokens=51)
    assert ledger(store) == before


@pytest.mark.requirement("W-LLM-05")
def test_empty_answers_and_those_about_nothing_are_not_kept() -> None:
    store = with_turn()
    answers = asker(store, ScriptedLLM([" ", "one", "two"]))
    assert answers.ask(HELLO, 50, "s:turn:0", "p").text == " "
    assert answers.ask(HELLO, 50, "s:turn:7", "p").text == "one"
    assert answers.ask(HELLO, 50, "s:beat:0", "p").text == "two"
    assert rows(store, "completion") == []


@pytest.mark.requirement("W-LLM-05")
def test_a_record_that_cannot_be_read_is_asked_for_again() -> None:
    store = with_turn()
    answers = asker(store, ScriptedLLM(["one", "two"]))
    answers.ask(HELLO, 50, "s:turn:0", "p")
    (row,) = rows(store, "completion")
    store.transaction(lambda tx: tx.put("completion", [(*row[:4], "no JSON", row[5])]))
    assert answers.ask(HELLO, 50, "s:turn:0", "p").text == "two"


@pytest.mark.requirement("W-LLM-05")
def test_who_answers_first_is_believed_by_all() -> None:
    store = with_turn()
    inner = asker(store, ScriptedLLM(["first"]))

    def late(_prompt: Prompt) -> Answer:
        inner.ask(HELLO, 50, "s:turn:0", "p")  # another process, while this one waits
        return "second"

    assert asker(store, ScriptedLLM(late)).ask(HELLO, 50, "s:turn:0", "p").text == "first"
    assert ledger(store)[0]["calls"] == 2


@pytest.mark.requirement("W-LLM-07")
def test_the_ledger_says_what_was_spent() -> None:
    store, clock = with_turn(), FrozenClock(NOON)
    llm = ScriptedLLM(
        [Completion("one", 100, 20, "m"), Completion("two", None, None, "m"), Completion("three", 1, 1, "m")]
    )
    answers = asker(store, llm, clock, price_in=2.0, price_out=10.0)
    answers.ask(HELLO, 50, "s:turn:0", "p")
    assert ledger(store) == [
        {
            "day": "2024-03-05",
            "model": "scripted",
            "purpose": "p",
            "calls": 1,
            "failures": 0,
            "tokens_in": 100,
            "tokens_out": 20,
            "cost": 0.0004,
            "reserved_tokens": 0,
            "reserved_cost": 0.0,
        }
    ]
    answers.ask(HELLO, 51, "s:turn:0", "p")  # it does not say what it used: the worst is booked
    (row,) = ledger(store)
    assert (row["tokens_in"], row["tokens_out"]) == (100 + WORST.tokens_in, 20 + 51)
    clock.advance(86_400)
    answers.ask(HELLO, 52, "s:turn:0", "q")
    assert [(row["day"], row["purpose"], row["calls"]) for row in ledger(store)] == [
        ("2024-03-06", "q", 1),
        ("2024-03-05", "p", 2),
    ]


@pytest.mark.requirement("W-LLM-06")
@pytest.mark.parametrize(
    ("error", "billed"),
    [
        (ModelUnavailable("x"), False),
        (RequestRefused("x"), False),
        (ModelError("x"), True),
        (RuntimeError("x"), True),
    ],
)
def test_a_failure_costs_its_worst_unless_it_was_surely_not_billed(error: Exception, billed: bool) -> None:
    store = with_turn()
    with pytest.raises(ModelError):
        asker(store, ScriptedLLM([error])).ask(HELLO, 50, "s:turn:0", "p")
    (row,) = ledger(store)
    assert (row["calls"], row["failures"], row["reserved_tokens"]) == (1, 1, 0)
    assert row["tokens_in"] + row["tokens_out"] == (CALL if billed else 0)


@pytest.mark.requirement("W-LLM-06")
@pytest.mark.parametrize(
    ("config", "calls"),
    [
        ({"daily_tokens": 0}, 0),
        ({"daily_tokens": CALL - 1}, 0),
        ({"daily_tokens": CALL}, 1),
        ({"daily_tokens": CALL + 29}, 1),
        ({"daily_tokens": CALL + 30}, 2),
        ({"daily_cost": 0.0}, 9),
        ({"daily_cost": 0.0, "price_out": 1.0}, 0),
        ({"daily_cost": 0.00005, "price_out": 1.0}, 1),
        ({"daily_cost": 0.00007, "price_out": 1.0}, 2),
    ],
)
def test_a_budget_allows_what_fits_at_worst(config: dict[str, Any], calls: int) -> None:
    store = with_turn()
    llm = ScriptedLLM(lambda _prompt: Completion("x", 10, 20, "m"))
    answers = asker(store, llm, **config)
    for number in range(9):
        try:
            answers.ask(Prompt.of("Say it.", f"hell{number}"), 50, "s:turn:0", "p")
        except BudgetExceeded as error:
            assert "llm.daily_" in str(error)  # noqa: PT017  # how often it comes is what is tested
    assert len(llm.prompts) == calls
    assert sum(row["calls"] for row in ledger(store)) == calls


@pytest.mark.requirement("W-LLM-06")
def test_a_new_day_has_a_new_budget_and_a_call_belongs_to_the_day_it_began_on() -> None:
    store, clock = with_turn(), FrozenClock(NOON + timedelta(hours=11, minutes=59))

    def over_midnight(_prompt: Prompt) -> Answer:
        clock.advance(120)
        return Completion("x", 10, 20, "m")

    answers = asker(store, ScriptedLLM(over_midnight), clock, daily_tokens=CALL + 20)
    answers.ask(HELLO, 50, "s:turn:0", "p")
    assert [row["day"] for row in ledger(store)] == ["2024-03-05"]
    answers.ask(Prompt.of("Say it.", "hi"), 50, "s:turn:0", "p")
    assert [row["day"] for row in ledger(store)] == ["2024-03-06", "2024-03-05"]
    clock.advance(-86_400)  # back over midnight: what was used there is known
    with pytest.raises(BudgetExceeded):
        answers.ask(Prompt.of("Say it.", "he"), 50, "s:turn:0", "p")


@pytest.mark.requirement("W-LLM-06")
def test_what_a_killed_process_reserved_weighs_on_its_day_only() -> None:
    store, clock = empty_store(), FrozenClock(NOON)
    book = Ledger(store, "default", clock, Budget(100, 100))
    book.reserve("m", "p", Usage(60, 20, 7))  # and it is killed
    with pytest.raises(BudgetExceeded, match="80 of the day's 100"):
        book.reserve("m", "p", Usage(20, 1, 0))
    book.reserve("m", "p", Usage(10, 10, 0))
    clock.advance(86_400)
    book.reserve("m", "p", Usage(90, 10, 0))
    assert [row["reserved_tokens"] for row in ledger(store)] == [100, 100]
    clock.advance(86_400)
    late = book.reserve("m", "p", Usage(1, 1, 0))
    first = ledger(store)[-1]
    assert (first["reserved_tokens"], first["failures"], first["tokens_in"], first["cost"]) == (0, 1, 100, 7e-6)
    store.transaction(lambda tx: book.settle(tx, late, Usage(1, 0, 0), failed=False))
    assert ledger(store)[0]["reserved_tokens"] == 0


@pytest.mark.requirement("W-LLM-06")
def test_many_threads_together_do_not_pass_the_budget() -> None:
    store = with_turn()
    gate = threading.Barrier(8)
    llm = ScriptedLLM(lambda _prompt: Completion("x", WORST.tokens_in, 50, "m"))
    refused: list[BudgetExceeded] = []

    def ask(number: int) -> None:
        answers = asker(store, llm, daily_tokens=3 * CALL)
        gate.wait()
        try:
            answers.ask(Prompt.of("Say it.", f"hell{number}"), 50, "s:turn:0", "p")
        except BudgetExceeded as error:
            refused.append(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(llm.prompts), len(refused)) == (3, 5)
    (row,) = ledger(store)
    assert row["tokens_in"] + row["tokens_out"] == 3 * CALL


@pytest.mark.requirement("W-LLM-06")
def test_the_worst_is_more_than_any_tokenizer_makes_of_a_prompt() -> None:
    text = "\U0001f600 \u6f22\u5b57 \ud800 hello"
    worst = worst_case(Prompt.of("", text), 50, Prices(1.0, 3.0))
    size = len(text.encode("utf-8", "surrogatepass"))
    assert worst.tokens_in >= size
    assert worst == Usage(worst.tokens_in, 50, worst.tokens_in + 150)
    assert worst_case(HELLO, 50, Prices(0.1, 0)).micros == -(-WORST.tokens_in // 10)  # rounded up
    assert today(NOON) == 19_787
