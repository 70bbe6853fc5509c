"""Choices: what is sent how, why, and that the client's own tokens never cost more than without Clew."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from clew.serve.proxy.economy.cache_model import Block, CacheUse
from clew.serve.proxy.economy.decide import Choice, Decision, Economy
from clew.serve.proxy.economy.prices import CacheRules, Price, price_list
from clew.serve.proxy.economy.prompt_blocks import BlockReader
from clew.serve.proxy.economy.prompt_forms import PromptForm, Ways, own_cost, own_parts
from clew.serve.proxy.economy.request_economy import EditsInQuestion, RequestEconomy
from clew.serve.proxy.economy.way_chooser import Terms, expected_turns
from clew.serve.proxy.exchange import Edit, Span
from clew.text.counters import counter
from tests.support.chat_requests import chat_request

PRICES = price_list()


def rules_and_price(wire: str, model: str) -> tuple[CacheRules, Price]:
    price = PRICES.price(model)
    assert price is not None
    return PRICES.rules(wire, model), price


OPUS = rules_and_price("anthropic", "claude-opus-4-1")
GPT = rules_and_price("openai", "gpt-5-mini")


def block(tokens: int, name: str, mark: float = 0.0) -> Block:
    return Block((name * (4 * tokens))[: 4 * tokens].encode(), tokens, mark)


def marked(*blocks: Block) -> tuple[Block, ...]:
    return (*blocks[:-1], replace(blocks[-1], mark=300.0))


OURS = block(1500, "ours ")
TALK = [block(200 + number, f"message {number} ") for number in range(40)]
HEAD = block(3000, "system ")


def asked(number: int, blocks: Sequence[Block] = TALK, *, own: bool = True) -> Ways:
    """The ways of a request that ends with a message; a new block may be added, and none was before."""
    plain = marked(HEAD, *blocks[: number + 1])
    tail = PromptForm((*plain, OURS), ((len(plain), OURS.tokens),)) if own else None
    return Ways(PromptForm(plain), PromptForm(plain), tail)


def decide(
    economy: Economy, ways: Ways, now: float, terms: tuple[CacheRules, Price] = OPUS, session: str = "s"
) -> Decision:
    return economy.decide(ways, Terms(*terms, "m", now), session=session)


@pytest.mark.requirement("P-ECO-07")
def test_a_block_at_the_tail_costs_its_own_tokens_and_nothing_else() -> None:
    economy = Economy()
    decide(economy, asked(0, own=False), 0.0)
    decision = decide(economy, asked(2), 10.0)
    assert (decision.choice, decision.inject, decision.rewrite) == (Choice.TAIL, True, False)
    assert decision.plain.read == 3200
    assert decision.prospect.use.read == 3200
    assert decision.prospect.own == pytest.approx(1500 * OPUS[1].miss)
    assert decision.cost is not None
    assert decision.cost_without is not None
    assert decision.cost - decision.cost_without == pytest.approx(decision.prospect.own)
    assert decision.own_tokens == 1500
    assert decision.later == pytest.approx(1500 * OPUS[1].read)
    assert "cached" in decision.reason


@pytest.mark.requirement("P-ECO-07")
def test_nothing_to_add_is_left() -> None:
    decision = decide(Economy(), asked(3, own=False), 0.0)
    assert (decision.choice, decision.inject, decision.reason) == (Choice.LEAVE, False, "there is nothing to add")


@pytest.mark.requirement("P-ECO-08")
def test_a_block_that_would_spoil_what_is_cached_is_not_added() -> None:
    economy = Economy()
    decide(economy, asked(0, own=False), 0.0)
    plain = marked(HEAD, *TALK[:3])
    spoiling = PromptForm((OURS, *plain), ((0, 1500),))
    decision = decide(economy, Ways(PromptForm(plain), PromptForm(plain), spoiling), 10.0)
    assert (decision.choice, decision.inject) == (Choice.LEAVE, False)
    assert "dearer" in decision.reason


@pytest.mark.requirement("P-ECO-08")
def test_a_block_that_would_bring_a_conversation_near_a_dearer_length_is_not_added() -> None:
    terms = rules_and_price("anthropic", "claude-haiku-5-5")
    long = [block(79_000, "long ")]
    assert decide(Economy(), asked(0, long), 0.0, terms).inject is False
    assert decide(Economy(), asked(0, [block(50_000, "long ")]), 0.0, terms).inject is True


@pytest.mark.requirement("P-ECO-09")
def test_rewriting_waits_while_the_cache_is_warm_and_is_done_when_it_is_cold() -> None:
    economy = Economy()
    plain = marked(HEAD, *TALK)
    decide(economy, Ways(PromptForm(plain), PromptForm(plain)), 0.0)
    longer = marked(HEAD, *TALK, block(10, "more "))
    short = PromptForm(marked(HEAD, block(900, "in short "), *TALK[-6:], block(10, "more ")))
    ways = Ways(PromptForm(longer), PromptForm(longer), rewritten=short)
    warm = decide(economy, ways, 60.0)
    assert (warm.choice, warm.rewrite) == (Choice.REWRITE_WHEN_COLD, False)
    assert "requests to earn its cost" in warm.reason
    cold = decide(economy, ways, 60.0 + 301.0)
    assert (cold.choice, cold.rewrite) == (Choice.REWRITE_NOW, True)
    assert "the cache is cold" in cold.reason
    assert cold.cost is not None
    assert cold.cost_without is not None
    assert cold.cost < cold.cost_without


@pytest.mark.requirement("P-ECO-09")
def test_savings_of_earlier_rewriting_pay_for_a_later_one() -> None:
    economy = Economy()
    head, talk = block(3000, "system "), [block(4000, f"m{number} ") for number in range(30)]
    plain = marked(head, *talk[:20])
    short = PromptForm(marked(head, block(2000, "in short "), *talk[18:20]))
    before = PromptForm(marked(head, *talk[:19]))
    decide(economy, Ways(before, before), -1000.0)
    first = decide(economy, Ways(PromptForm(plain), PromptForm(plain), rewritten=short), 0.0)
    assert first.rewrite
    for number in range(20, 26):
        kept = PromptForm(marked(head, block(2000, "in short "), *talk[18 : number + 1]))
        decide(economy, Ways(PromptForm(marked(head, *talk[: number + 1])), kept), 10.0 * number)
    kept = PromptForm(marked(head, block(2000, "in short "), *talk[18:27]))
    again = PromptForm(marked(head, block(2500, "shorter "), *talk[25:27]))
    later = decide(economy, Ways(PromptForm(marked(head, *talk[:27])), kept, rewritten=again), 270.0)
    assert later.rewrite
    assert "paid by earlier savings" in later.reason


@pytest.mark.requirement("P-ECO-09")
def test_a_request_that_does_not_fit_is_rewritten_in_any_case() -> None:
    economy = Economy()
    plain = PromptForm(marked(HEAD, *TALK))
    decide(economy, Ways(plain, plain), 0.0)
    short = PromptForm(marked(HEAD, block(900, "in short "), *TALK[-6:]))
    decision = decide(economy, Ways(plain, plain, rewritten=short, limit=8_000), 10.0)
    assert decision.rewrite
    assert decision.forced
    assert decision.cost_without is None
    assert "longer than the model's window" in decision.reason


@pytest.mark.requirement("P-ECO-09")
def test_a_request_is_not_rewritten_to_be_too_short_for_the_cache() -> None:
    terms = rules_and_price("anthropic", "claude-haiku-4-5")
    plain = PromptForm(marked(HEAD, *TALK))
    short = PromptForm(marked(block(2000, "s"), block(900, "in short ")))
    decision = decide(Economy(), Ways(plain, plain, rewritten=short), 0.0, terms)
    assert not decision.rewrite
    assert "too short to be cached" in decision.reason


@pytest.mark.requirement("P-ECO-10")
def test_earlier_blocks_go_when_the_cache_is_cold_and_stay_while_it_is_warm() -> None:
    economy = Economy()
    decide(economy, asked(0), 0.0)
    plain = marked(HEAD, *TALK[:3])
    kept = PromptForm((HEAD, TALK[0], OURS, *plain[2:]), ((2, 1500),))
    new = replace(OURS, data=b"new", digest=b"")
    tail = PromptForm((*kept.blocks, new), ((2, 1500), (len(kept.blocks), 1500)))
    fresh = PromptForm((*plain, new), ((len(plain), 1500),))
    ways = Ways(PromptForm(plain), kept, tail, fresh)
    assert decide(economy, ways, 60.0).retire is False
    cold = decide(economy, ways, 500.0)
    assert (cold.retire, cold.inject, cold.choice) == (True, True, Choice.TAIL)
    assert "cold" in cold.reason


@pytest.mark.requirement("P-ECO-10")
def test_a_cache_that_may_still_be_warm_is_not_taken_to_be_cold() -> None:
    economy = Economy()
    plain = PromptForm((HEAD, *TALK))
    decide(economy, Ways(plain, plain), 0.0, GPT)
    short = PromptForm((HEAD, block(900, "in short "), *TALK[-6:]))
    ways = Ways(plain, plain, rewritten=short)
    assert not decide(economy, ways, 600.0, GPT).rewrite  # an entry surely lives for 5 minutes, and perhaps for an hour
    assert decide(economy, ways, 600.0 + 3601.0, GPT).rewrite


@pytest.mark.requirement("P-ECO-11")
def test_without_a_price_the_choice_is_made_and_no_money_named() -> None:
    economy = Economy()
    rules = PRICES.rules("anthropic", "a-model-of-tomorrow")
    economy.decide(asked(0, own=False), Terms(rules, None, "m", 0.0), session="s")
    decision = economy.decide(asked(2), Terms(rules, None, "m", 1.0), session="s")
    assert decision.inject
    assert (decision.cost, decision.cost_without, decision.later) == (None, None, None)
    assert decision.prospect.use.read == 3200


@pytest.mark.requirement("P-ECO-07")
def test_the_same_requests_give_the_same_decisions() -> None:
    def run() -> list[Decision]:
        economy = Economy()
        return [decide(economy, asked(number), 20.0 * number) for number in range(0, 12, 2)]

    assert run() == run()


@pytest.mark.requirement("P-ECO-07")
def test_expected_turns_are_as_many_as_there_were_within_bounds() -> None:
    assert [expected_turns(number) for number in (0, 1, 7, 40, 1000)] == [1, 1, 7, 40, 40]


@pytest.mark.requirement("P-ECO-08")
def test_own_cost_counts_the_limits_that_our_tokens_move() -> None:
    rules, price = rules_and_price("openai", "gpt-6-sol")
    prompt = PromptForm((block(500, "a"), block(1500, "b")), ((1, 1500),))
    use = CacheUse(written=2000)
    surcharge = 500 * (price.write - price.miss)
    assert own_cost(prompt, use, price, rules, 500) == pytest.approx(1500 * price.write + surcharge)
    assert own_cost(prompt, use, price, rules, 1024) == pytest.approx(1500 * price.write)
    assert own_cost(PromptForm(prompt.blocks), use, price, rules, 500) == 0.0


@pytest.mark.requirement("P-ECO-08")
@pytest.mark.parametrize(
    ("wire", "model"), [("openai", "gpt-5-mini"), ("openai", "gpt-6-sol"), ("anthropic", "claude-opus-4-1")]
)
def test_own_cost_of_a_prompt_that_is_too_short_for_the_cache_is_that_of_its_tokens(wire: str, model: str) -> None:
    rules, price = rules_and_price(wire, model)
    prompt = PromptForm((block(400, "a"), block(300, "b")), ((1, 300),))
    use = CacheUse(missed=700)
    assert rules.minimum > use.total
    assert own_cost(prompt, use, price, rules, 400) == pytest.approx(300 * price.miss)
    way = Ways(PromptForm(prompt.blocks[:1]), PromptForm(prompt.blocks[:1]), prompt)
    assert decide(Economy(), way, 0.0, (rules, price)).prospect.harm == pytest.approx(0.0)


@pytest.mark.requirement("P-ECO-08")
def test_what_a_change_added_to_a_message_is_found() -> None:
    first, second, added = block(10, "a"), block(20, "b"), block(30, "c")
    assert own_parts([first, second], [first, second]) == []
    assert own_parts([first, second], [first, second, added], 5) == [(7, 30)]
    assert own_parts([first, second], [first, added, second], 5) == [(6, 30)]
    longer = Block(second.data + b" more", 25)
    assert own_parts([first, second], [first, longer]) == [(1, 5)]
    assert own_parts([first], [added, block(10, "x")]) == [(0, 20), (1, 10)]


@pytest.mark.requirement("P-ECO-07")
def test_edits_of_a_request_are_chosen() -> None:
    now = [0.0]
    chooser = RequestEconomy(PRICES, counter("estimate"), lambda: now[0])
    mark = {"cache_control": {"type": "ephemeral"}}
    request = chat_request(
        "anthropic",
        [{"role": "user", "content": [{"type": "text", "text": "What did we decide? " * 300, **mark}]}],
        system=[{"type": "text", "text": "Be brief. " * 900, **mark}],
    )
    end = request.spans[0].end - 2
    added = Edit(Span(end, end), b', {"type": "text", "text": "' + b"Port 8377. " * 500 + b'"}')
    edits = EditsInQuestion(block=[added])
    decision = chooser.choose(request, edits, account="a", session="s")
    assert decision.inject
    assert edits.chosen(decision) == [added]
    assert decision.own_tokens == chooser.tokens(request, [added]) - chooser.tokens(request)
    assert decision.plain.total == chooser.tokens(request)
    assert decision.prospect.use.total == chooser.tokens(request, [added])
    now[0] = 10.0
    put_back = EditsInQuestion(kept=[added])
    again = chooser.choose(request, put_back, account="a", session="s")
    assert put_back.chosen(again) == [added]
    assert again.prospect.use.read == again.plain.total
    now[0] = 1000.0
    cold = chooser.choose(request, put_back, account="a", session="s")
    assert put_back.chosen(cold) == []
    assert BlockReader(counter("estimate")).tokens(request) == cold.prospect.use.total


@pytest.mark.requirement("P-ECO-10")
def test_what_is_not_known_is_not_taken_to_be_cold() -> None:
    plain = marked(HEAD, *TALK[:3])
    kept = PromptForm((HEAD, TALK[0], OURS, *plain[2:]), ((2, 1500),))
    short = PromptForm(marked(HEAD, block(10, "in short ")))
    ways = Ways(PromptForm(plain), kept, fresh=PromptForm(plain), rewritten=short)
    after_restart = decide(Economy(), ways, 0.0)
    assert (after_restart.retire, after_restart.rewrite) == (False, False)
    assert "not known" in after_restart.reason


@pytest.mark.requirement("P-ECO-10")
def test_what_another_model_has_cached_is_not_given_up() -> None:
    economy = Economy()
    plain = marked(HEAD, *TALK[:3])
    kept = PromptForm((HEAD, TALK[0], OURS, *plain[2:]), ((2, 1500),))
    ways = Ways(PromptForm(plain), kept, fresh=PromptForm(plain))
    other = [economy.decide(ways, Terms(*OPUS, scope, now), session="s") for scope, now in (("m", 0.0), ("n", 10.0))]
    other.append(economy.decide(ways, Terms(*OPUS, "n", 305.0), session="s"))
    assert [decision.retire for decision in other] == [False, False, False]
    assert economy.decide(ways, Terms(*OPUS, "n", 1000.0), session="s").retire
