"""A cache mark of our own, where our blocks have moved what a client's marks would have found out of their reach.

A provider that caches by marks looks for an earlier entry among a few blocks before each mark. A client that returns to
a model after some exchanges with another one may still find its entry there, and with our blocks between no longer.
A mark at one of these finds it again. It costs nothing: what stands before it is written in any case.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from clew.serve.proxy.economy.cache_model import Block, CacheModel, read_prompt
from clew.serve.proxy.economy.prices import CacheKind, CacheRules


def uses_all_marks(rules: CacheRules, blocks: Sequence[Block]) -> bool:
    """Whether a prompt has as many marks as the provider takes."""
    return rules.kind is CacheKind.MARKS and sum(block.mark > 0 for block in blocks) >= rules.marks


def place_of_mark(
    rules: CacheRules, scope: str, blocks: Sequence[Block], own: Iterable[int], model: CacheModel, now: float
) -> int | None:
    """The first of our blocks at which a mark would find the longest prefix that is cached; None when there is none.

    Args:
        own: indexes of our blocks, in order.
        model: the cache with what was sent so far.
    """
    marks = [index for index, block in enumerate(blocks) if block.mark]
    if rules.kind is not CacheKind.MARKS or not rules.lookback or not marks or uses_all_marks(rules, blocks):
        return None
    held = model.longest(read_prompt(replace(rules, lookback=0), scope, blocks), now)
    if held is None:
        return None
    return next((index for index in own if held < index < min(held + rules.lookback, marks[-1])), None)


def marked_at(blocks: Sequence[Block], index: int) -> tuple[Block, ...]:
    """The blocks with a mark at one, for as long as the client's next mark asks: a longer one may not follow it."""
    seconds = next(block.mark for block in blocks[index + 1 :] if block.mark)
    return (*blocks[:index], replace(blocks[index], mark=seconds), *blocks[index + 1 :])
