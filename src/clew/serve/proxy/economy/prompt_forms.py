"""The forms in which a request can be sent, as blocks of a prompt, and which of their tokens are ours."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter
from typing import Final

from clew.serve.proxy.economy.cache_model import Block, CacheUse
from clew.serve.proxy.economy.prices import CacheRules, Price

_TOKENS: Final = attrgetter("tokens")


@dataclass(frozen=True, slots=True)
class PromptForm:
    """One form in which a request can be sent.

    Attributes:
        own: index and number of tokens of what is ours: so many at the end of that block.
        may_mark: how many of `own`, from the first on, are whole blocks, to which a cache mark can be added.
        marked: index of the block to which a mark was added; None for none.
    """

    blocks: tuple[Block, ...]
    own: tuple[tuple[int, int], ...] = ()
    may_mark: int = 0
    marked: int | None = None

    @property
    def tokens(self) -> int:
        """All tokens."""
        return sum(map(_TOKENS, self.blocks))

    @property
    def mark(self) -> tuple[int, float] | None:
        """The mark added to one of our blocks: its place among `own`, from 0, and its lifetime in seconds."""
        if self.marked is None:
            return None
        return [index for index, _ in self.own].index(self.marked), self.blocks[self.marked].mark


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways in which a request can be sent.

    Attributes:
        plain: as it came.
        kept: with the blocks that were added to earlier messages.
        tail: with a new block as well; None when there is nothing to add.
        fresh: with the new block alone, so that earlier ones are gone for good.
        rewritten: with renderings in place of old messages; None when there is nothing to rewrite.
        limit: most tokens that the model takes; 0 when unknown.
    """

    plain: PromptForm
    kept: PromptForm
    tail: PromptForm | None = None
    fresh: PromptForm | None = None
    rewritten: PromptForm | None = None
    limit: int = 0


def own_cost(prompt: PromptForm, use: CacheUse, price: Price, rules: CacheRules, plain: int) -> float:
    """What our own tokens of a prompt cost: where they stand, and by the limits of the cache that they move.

    They shift the steps in which an automatic cache reads, by up to one step a request; and a prompt that was too short
    to be cached becomes long enough, so that the client's tokens, too, are written (and read in the next request).

    Args:
        plain: tokens of the prompt without them.
    """
    if not prompt.own:
        return 0.0
    limits = (use.read, use.written_long, use.written, use.missed)
    prices = (price.read, price.write_long, price.write, price.miss)
    ends = list(accumulate(map(_TOKENS, prompt.blocks)))
    total = 0.0
    for index, ours in prompt.own:
        end, low = ends[index], 0
        start = end - ours
        for tokens, each in zip(limits, prices, strict=True):
            high = low + tokens
            total += each * max(0, min(end, high) - max(start, low))
            low = high
    if use.total >= rules.minimum:  # a shorter prompt is not cached, so that no limit moves
        total += (rules.step - 1) * (price.miss - price.read)
    if plain < rules.minimum <= use.total:
        total += plain * max(0.0, (price.write_long if use.written_long else price.write) - price.miss)
    return total * (price.times if price.above and use.total > price.above else 1.0)


def own_parts(plain: Sequence[Block], changed: Sequence[Block], offset: int = 0) -> list[tuple[int, int]]:
    """What a change added to the blocks of one message: (index from `offset`, tokens), as in `PromptForm.own`."""
    if tuple(plain) == tuple(changed):
        return []
    head = next(
        (n for n, (a, b) in enumerate(zip(plain, changed, strict=False)) if a != b), min(len(plain), len(changed))
    )
    rest = min(len(plain), len(changed)) - head
    tail = next((n for n in range(rest) if plain[len(plain) - 1 - n] != changed[len(changed) - 1 - n]), rest)
    before = plain[head : len(plain) - tail]
    after = changed[head : len(changed) - tail]
    added = sum(block.tokens for block in after) - sum(block.tokens for block in before)
    spans: list[tuple[int, int]] = []
    for index in range(len(after) - 1, -1, -1):
        tokens = min(added, after[index].tokens)
        if tokens > 0:
            spans.append((offset + head + index, tokens))
            added -= tokens
    return spans[::-1]
