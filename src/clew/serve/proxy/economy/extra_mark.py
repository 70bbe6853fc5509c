"""Sets a cache mark on one of our blocks, so that a cached prefix stays within reach although our blocks were added.

A provider that caches by marks looks for a cached prefix among a few blocks before each mark. A client that returns to
a model after some exchanges with another one could find its prefix there, but our blocks between push it out of
reach. A mark on one of these finds it again, and costs nothing: what stands before it is cached in any case.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from clew.serve.proxy.economy.cache_model import Block, CacheModel, read_prompt
from clew.serve.proxy.economy.prices import CacheKind, CacheRules


def uses_all_marks(rules: CacheRules, blocks: Sequence[Block]) -> bool:
    """Whether a prompt has as many cache marks as the provider accepts."""
    return rules.kind is CacheKind.MARKS and sum(block.mark > 0 for block in blocks) >= rules.marks


def index_of_mark(
    rules: CacheRules, scope: str, blocks: Sequence[Block], own: Iterable[int], model: CacheModel, now: float
) -> int | None:
    """Index of the first of our blocks whose mark would find the longest cached prefix; None if no block would.

    Args:
        own: indexes of our blocks, in order.
        model: what the provider has cached, as far as it is known.
        now: time of the request, in seconds.
    """
    marks = [index for index, block in enumerate(blocks) if block.mark]
    if rules.kind is not CacheKind.MARKS or not rules.lookback or not marks or uses_all_marks(rules, blocks):
        return None
    prefix_end = model.longest(read_prompt(replace(rules, lookback=0), scope, blocks), now)
    if prefix_end is None:
        return None
    return next((index for index in own if prefix_end < index < min(prefix_end + rules.lookback, marks[-1])), None)


def marked_at(blocks: Sequence[Block], index: int) -> tuple[Block, ...]:
    """The blocks with a mark added to one of them.

    The mark has the lifetime of the client's next one, since a mark may not follow one with a shorter lifetime.
    """
    seconds = next(block.mark for block in blocks[index + 1 :] if block.mark)
    return (*blocks[:index], replace(blocks[index], mark=seconds), *blocks[index + 1 :])
