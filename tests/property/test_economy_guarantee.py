"""The client's own tokens never cost more than without Clew, whatever clients do, by every provider's rules."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.serve.proxy.economy.cache_model import Block
from clew.serve.proxy.economy.prices import CacheRules, Price, price_list
from clew.serve.proxy.economy.replay import Bill, Sent, direct, in_system_prompt, moving, with_clew
from tests.support.cache_sessions import VARIATIONS, recorded
from tests.support.effort import examples

MODELS = {
    "claude-opus-4-1": "anthropic",
    "claude-haiku-4-5": "anthropic",
    "gpt-5-mini": "openai",
    "gpt-6-luna": "openai",
    "gemini-2.5-flash": "gemini",
}
TIERED = {"claude-haiku-5-5": "anthropic", "gemini-2.5-pro": "gemini"}


def terms(model: str) -> tuple[CacheRules, Price]:
    price = price_list().price(model)
    assert price is not None
    return price_list().rules({**MODELS, **TIERED}[model], model), price


def talk(sizes: list[int], pauses: list[int], questions: list[bool]) -> list[Sent]:
    head = (Block(b"system" * 2000, 3000),)
    blocks = [Block(f"message {number} ".encode() * (size // 3 + 1), size) for number, size in enumerate(sizes)]
    found, now = [], 0.0
    for number in range(1, len(blocks)):
        now += pauses[number % len(pauses)]
        found.append(Sent(head, tuple(blocks[:number]), now, questions[number % len(questions)]))
    return found


@pytest.mark.requirement("P-ECO-12")
@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=examples(6, 125), deadline=None)
@given(
    sizes=st.lists(st.integers(1, 3000), min_size=6, max_size=25),
    pauses=st.lists(st.sampled_from([5, 60, 299, 301, 2000, 4000, 90_000]), min_size=1, max_size=9),
    questions=st.lists(st.booleans(), min_size=1, max_size=5),
    variation=st.sampled_from(sorted(VARIATIONS)),
    block=st.sampled_from([1, 130, 1500]),
    window=st.sampled_from([0, 8_000, 20_000]),
)
def test_invented_talks_cost_no_more(
    model: str,
    sizes: list[int],
    pauses: list[int],
    questions: list[bool],
    variation: str,
    block: int,
    window: int,
) -> None:
    sent = list(VARIATIONS[variation](talk(sizes, pauses, questions)))
    rules, price = terms(model)
    bill = with_clew(sent, rules, price, block, window=window)
    assert bill.worst <= 1e-6 * bill.cost


@pytest.mark.requirement("DOOR-RETURN-01")
@pytest.mark.parametrize("each", [7, 9, 14, 18])
def test_a_client_that_returns_to_a_model_finds_what_it_had_cached(each: int) -> None:
    sent = [replace(one, model=f"m{n // each % 2}") for n, one in enumerate(talk([600] * 60, [5], [True]))]
    rules, price = terms("claude-opus-4-1")
    plain, clew = direct(sent, rules, price), with_clew(sent, rules, price, 150)
    assert clew.worst <= 1e-6 * clew.cost
    assert clew.cost <= plain.cost + clew.own + 1e-6 * plain.cost
    assert clew.own > 0


def share_read(bill: Bill) -> float:
    """Share of the input tokens that were read from the cache."""
    return bill.use.read / bill.use.total


@pytest.mark.requirement("P-ECO-12")
def test_naive_ways_cost_more_than_clew_which_pays_for_its_own_tokens_alone() -> None:
    sent = talk([400] * 40, [20], [True, False, False, False, False])
    rules, price = terms("claude-opus-4-1")
    plain, clew = direct(sent, rules, price), with_clew(sent, rules, price, 300)
    assert clew.cost <= plain.cost + clew.own + 1e-6 * plain.cost
    assert share_read(clew) > 0.8
    for naive in (in_system_prompt(sent, rules, price, 300), moving(sent, rules, price, 300)):
        assert naive.cost > clew.cost
        assert share_read(naive) < share_read(clew)


@pytest.mark.requirement("P-ECO-12")
def test_a_window_makes_long_talks_cheaper() -> None:
    sent = talk([2000] * 60, [20, 20, 20, 20, 400], [True])
    rules, price = terms("claude-opus-4-1")
    plain, clew = direct(sent, rules, price), with_clew(sent, rules, price, 300, window=100_000)
    assert clew.rewrites > 0
    assert clew.cost < plain.cost


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.requirement("P-ECO-12")
@pytest.mark.parametrize("variation", sorted(VARIATIONS))
def test_real_sessions_cost_no_more(variation: str) -> None:
    data = os.environ.get("CLEW_DATA")
    if not data or not Path(data).exists():
        pytest.skip("CLEW_DATA names no folder with recorded sessions")
    above: dict[str, float] = {}
    for _, name, session in recorded(Path(data)):
        sent = list(VARIATIONS[variation](session[:80]))
        for model in (*MODELS, *TIERED):
            rules, price = terms(model)
            longest = max(sum(block.tokens for block in (*each.head, *each.messages)) for each in sent)
            bills: list[Bill] = [with_clew(sent, rules, price, 1500, window=window) for window in (0, longest // 2)]
            allowed = (
                price.above * price.write * price.times
            )  # one writing of the prompt, where our blocks cross a tier
            for bill in bills:
                forced = bill.forced * longest * price.write
                if bill.worst > forced + (allowed if model in TIERED else 0.0) + 1e-6 * bill.cost:
                    above[f"{name} {model}"] = bill.worst / bill.cost
    assert above == {}
