"""The model of prompt caches: what is read, written and missed, by each provider's rules."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from clew.serve.proxy.economy.cache_model import Block, CacheModel, CacheUse, read_prompt
from clew.serve.proxy.economy.prices import CacheKind, CacheRules, price_list

MARKS = price_list().rules("anthropic", "claude-opus-4-1")
STEPS = price_list().rules("openai", "gpt-4o")
POINTS = price_list().rules("openai", "gpt-6-sol")


class Cache(CacheModel):
    """The model, which reads prompts itself."""

    def sent(self, rules: CacheRules, scope: str, blocks: Sequence[Block], now: float) -> CacheUse:
        return self.send(read_prompt(rules, scope, blocks), now)

    def asked(self, rules: CacheRules, scope: str, blocks: Sequence[Block], now: float) -> CacheUse:
        return self.expected(read_prompt(rules, scope, blocks), now)


def block(tokens: int, name: str = "a", mark: float = 0.0) -> Block:
    return Block((name * (4 * tokens))[: 4 * tokens].encode(), tokens, mark)


def marked(*blocks: Block, seconds: float = 300.0) -> list[Block]:
    return [*blocks[:-1], replace(blocks[-1], mark=seconds)]


@pytest.mark.requirement("P-ECO-04")
def test_a_marked_prompt_is_written_once_and_then_read() -> None:
    model = Cache()
    first, grown = marked(block(2000)), marked(block(2000), block(50, "b"), block(70, "c"))
    assert model.sent(MARKS, "m", first, 0.0) == CacheUse(written=2000)
    assert model.asked(MARKS, "m", grown, 299.0) == CacheUse(read=2000, written=120)
    assert model.asked(MARKS, "m", [*grown, block(30, "d")], 299.0) == CacheUse(read=2000, written=120, missed=30)
    assert model.asked(MARKS, "m", grown, 301.0) == CacheUse(written=2120)
    assert model.asked(MARKS, "another model", grown, 1.0) == CacheUse(written=2120)


@pytest.mark.requirement("P-ECO-04")
def test_reading_an_entry_makes_it_live_on() -> None:
    model = Cache()
    model.sent(MARKS, "m", marked(block(2000)), 0.0)
    model.sent(MARKS, "m", marked(block(2000), block(9, "b")), 290.0)
    assert model.asked(MARKS, "m", marked(block(2000), block(9, "x")), 580.0) == CacheUse(read=2000, written=9)


@pytest.mark.requirement("P-ECO-04")
def test_a_short_prompt_is_not_cached() -> None:
    model = Cache()
    assert model.sent(MARKS, "m", marked(block(1023)), 0.0) == CacheUse(missed=1023)
    assert model.sent(MARKS, "m", marked(block(1023)), 1.0) == CacheUse(missed=1023)


@pytest.mark.requirement("P-ECO-04")
def test_nothing_is_cached_without_a_mark() -> None:
    model = Cache()
    assert model.sent(MARKS, "m", [block(5000)], 0.0) == CacheUse(missed=5000)
    assert model.sent(MARKS, "m", [block(5000)], 1.0) == CacheUse(missed=5000)


@pytest.mark.requirement("P-ECO-04")
def test_an_entry_further_back_than_twenty_blocks_is_not_found() -> None:
    model = Cache()
    first = marked(block(2000))
    model.sent(MARKS, "m", first, 0.0)
    near = marked(*first, *(block(1, chr(98 + n)) for n in range(19)))
    far = marked(*first, *(block(1, chr(98 + n)) for n in range(20)))
    bare = [replace(each, mark=0.0) for each in near[:-1]] + near[-1:]
    assert model.asked(MARKS, "m", bare, 1.0).read == 2000
    assert model.asked(MARKS, "m", [replace(each, mark=0.0) for each in far[:-1]] + far[-1:], 1.0).read == 0
    assert model.asked(MARKS, "m", far, 1.0).read == 2000  # its first mark is at the entry itself


@pytest.mark.requirement("P-ECO-04")
def test_the_longer_life_is_written_apart() -> None:
    model = Cache()
    blocks = [block(3000, mark=3600.0), block(500, "b", mark=300.0), block(7, "c")]
    assert model.sent(MARKS, "m", blocks, 0.0) == CacheUse(written=500, written_long=3000, missed=7)
    assert model.asked(MARKS, "m", blocks, 400.0) == CacheUse(read=3000, written=500, missed=7)


@pytest.mark.requirement("P-ECO-04")
def test_only_the_last_four_marks_count() -> None:
    blocks = [block(1100, "abcdefgh"[n], mark=300.0) for n in range(5)]
    model = Cache()
    model.sent(MARKS, "m", blocks, 0.0)
    assert model.asked(MARKS, "m", marked(blocks[0], block(2000, "x")), 1.0).read == 0
    assert model.asked(MARKS, "m", marked(*blocks[:2], block(2000, "x")), 1.0).read == 2200


@pytest.mark.requirement("P-ECO-05")
def test_an_automatic_cache_reads_whole_steps_of_what_is_the_same() -> None:
    model = Cache()
    assert model.sent(STEPS, "m", [block(1500)], 0.0) == CacheUse(missed=1500)
    assert model.asked(STEPS, "m", [block(1500), block(600, "b")], 10.0) == CacheUse(read=1408, missed=692)
    assert model.asked(STEPS, "m", [block(1300), block(600, "b")], 10.0) == CacheUse(read=1280, missed=620)
    assert model.asked(STEPS, "m", [block(1020), block(600, "b")], 10.0) == CacheUse(missed=1620)
    assert model.asked(STEPS, "m", [block(1500), block(600, "b")], 301.0) == CacheUse(missed=2100)


@pytest.mark.requirement("P-ECO-05")
def test_a_change_in_front_loses_all_and_one_at_the_end_nothing_before_it() -> None:
    model = Cache()
    model.sent(STEPS, "m", [block(2000), block(2000, "b")], 0.0)
    assert model.asked(STEPS, "m", [block(1, "x"), block(2000), block(2000, "b")], 1.0).read == 0
    assert model.asked(STEPS, "m", [block(2000), block(1, "x"), block(2000, "b")], 1.0).read == 1920


@pytest.mark.requirement("P-ECO-05")
def test_a_provider_that_sets_a_mark_itself_writes_up_to_the_end() -> None:
    model = Cache()
    assert model.sent(POINTS, "m", [block(1500)], 0.0) == CacheUse(written=1500)
    assert model.sent(POINTS, "m", [block(1500), block(600, "b")], 10.0) == CacheUse(read=1500, written=600)
    assert model.asked(POINTS, "m", [block(1500), block(601, "b")], 20.0) == CacheUse(read=1500, written=601)
    assert model.asked(POINTS, "m", [block(1499), block(600, "b")], 20.0) == CacheUse(written=2099)


@pytest.mark.requirement("P-ECO-04")
def test_the_model_keeps_a_bounded_number_of_entries() -> None:
    model = Cache(most=3)
    for number in range(5):
        model.sent(MARKS, f"m{number}", marked(block(2000)), float(number))
    assert [model.asked(MARKS, f"m{number}", marked(block(2000)), 5.0).read for number in range(5)] == [
        0,
        0,
        2000,
        2000,
        2000,
    ]


@pytest.mark.requirement("P-ECO-04")
def test_an_empty_prompt_is_nothing() -> None:
    for kind in CacheKind:
        assert Cache().sent(CacheRules(kind), "m", [], 0.0) == CacheUse()
