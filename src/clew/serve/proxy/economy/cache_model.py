"""A model of a provider's prompt cache: what of a prompt is read from it, written to it, or neither.

The proxy predicts with it, the scripted upstream answers by it, and the simulation over recorded sessions counts with
it. It knows nothing of wire formats (`prompt_blocks` makes the blocks) and takes the time from its caller.
"""

import hashlib
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from clew.serve.proxy.economy.prices import CacheKind, CacheRules, Price

_BYTES: Final = 4  # of a token, where the steps of an automatic cache are laid over the prompt's bytes
_LEAST: Final = 64  # tokens between the places at which an automatic cache is looked up, where its step is smaller
_DIGEST: Final = 16
_POINTS: Final = 80  # latest boundaries of a prompt that a cache of kind "points" looks at


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a prompt that is cached or not: a tool, a part of the system prompt, a part of a message.

    Attributes:
        data: what the provider compares, without marks.
        tokens: of it.
        mark: seconds for which the client asks to keep the prompt up to here; 0 without a mark.
        digest: of `data`.
    """

    data: bytes
    tokens: int
    mark: float = 0.0
    digest: bytes = b""

    def __post_init__(self) -> None:
        """Makes the digest, which `dataclasses.replace` then takes along."""
        if not self.digest:
            object.__setattr__(self, "digest", hashlib.blake2b(self.data, digest_size=_DIGEST).digest())


@dataclass(frozen=True, slots=True)
class CacheUse:
    """What becomes of the tokens of a prompt: read from the cache, written to it (for the longer life), neither."""

    read: int = 0
    written: int = 0
    written_long: int = 0
    missed: int = 0

    @property
    def total(self) -> int:
        """All tokens of the prompt."""
        return self.read + self.written + self.written_long + self.missed

    def cost(self, price: Price) -> float:
        """Millionths of a dollar."""
        parts = (
            self.read * price.read,
            self.written * price.write,
            self.written_long * price.write_long,
            self.missed * price.miss,
        )
        return sum(parts) * (price.times if price.above and self.total > price.above else 1.0)


@dataclass(frozen=True, slots=True)
class _Prefix:
    """A prefix of a prompt that may be an entry of the cache: its digest, its tokens, its index, and its life."""

    key: bytes
    tokens: int
    index: int
    mark: float = 0.0


@dataclass(frozen=True, slots=True)
class ReadPrompt:
    """A prompt with the prefixes that a cache may hold, which are computed once."""

    rules: CacheRules
    prefixes: tuple[_Prefix, ...]
    tokens: int


def read_prompt(rules: CacheRules, scope: str, blocks: Sequence[Block]) -> ReadPrompt:
    """Reads a prompt.

    Args:
        scope: what keeps caches apart: the model, and the account.
    """
    return ReadPrompt(rules, tuple(_prefixes(rules, scope, blocks)), sum(block.tokens for block in blocks))


class CacheModel:
    """The entries of a provider's cache, as far as they can be known from the requests that were sent."""

    def __init__(self, most: int = 50_000) -> None:
        """Starts empty; of more than `most` entries the least recently used are dropped."""
        self._most = most
        self._used: OrderedDict[bytes, tuple[float, float]] = OrderedDict()  # last use, seconds of life

    def expected(self, prompt: "ReadPrompt", now: float, *, longest: bool = False) -> CacheUse:
        """What would become of a prompt that is sent now; nothing is remembered.

        Args:
            now: seconds; only differences count.
            longest: whether entries live as long as they possibly do, instead of as long as they surely do.
        """
        return self._use(prompt, now, prompt.rules.seconds_most if longest else 0.0)[0]

    def send(self, prompt: "ReadPrompt", now: float) -> CacheUse:
        """What becomes of a prompt that is sent now; its entries are remembered, and those it uses live on."""
        rules = prompt.rules
        use, read = self._use(prompt, now, 0.0)
        if read is not None and rules.kind is not CacheKind.AUTOMATIC:
            self._keep(read.key, now, self._used[read.key][1])
        for prefix in prompt.prefixes:
            if prefix.mark and prefix.tokens >= rules.minimum:
                self._keep(prefix.key, now, prefix.mark)
        while len(self._used) > self._most:
            self._used.popitem(last=False)
        return use

    def _keep(self, key: bytes, now: float, seconds: float) -> None:
        self._used[key] = (now, seconds)
        self._used.move_to_end(key)

    def _lives(self, key: bytes, now: float, most: float) -> bool:
        entry = self._used.get(key)
        return entry is not None and now - entry[0] <= max(entry[1], most)

    def _use(self, prompt: "ReadPrompt", now: float, most: float) -> tuple[CacheUse, _Prefix | None]:
        rules, prefixes, total = prompt.rules, prompt.prefixes, prompt.tokens
        looked_at = _looked_at(rules, prefixes)
        read = next((prefix for prefix in looked_at if self._lives(prefix.key, now, most)), None)
        done = 0 if read is None else read.tokens
        if rules.kind is CacheKind.AUTOMATIC:
            done = done // rules.step * rules.step
            return CacheUse(read=done, missed=total - done), read
        kept = [prefix for prefix in prefixes if prefix.mark and prefix.tokens >= rules.minimum]
        last = max((prefix.tokens for prefix in kept), default=0)
        long = max((prefix.tokens for prefix in kept if prefix.mark > rules.seconds), default=0)
        written_long = max(0, long - done)
        written = max(0, last - max(done, long))
        return CacheUse(done, written, written_long, total - done - written - written_long), read


def _looked_at(rules: CacheRules, prefixes: Sequence[_Prefix]) -> Iterator[_Prefix]:
    """The prefixes that the provider looks for, the longest first."""
    long_enough = [prefix for prefix in reversed(prefixes) if prefix.tokens >= rules.minimum]
    if rules.kind is CacheKind.AUTOMATIC:
        return iter(long_enough)
    if rules.kind is CacheKind.POINTS:
        return iter(long_enough[:_POINTS])
    marks = [prefix.index for prefix in prefixes if prefix.mark]
    back = rules.lookback or len(prefixes)
    return (prefix for prefix in long_enough if any(mark - back < prefix.index <= mark for mark in marks))


def _prefixes(rules: CacheRules, scope: str, blocks: Sequence[Block]) -> list[_Prefix]:
    if rules.kind is CacheKind.AUTOMATIC:
        return _steps(rules, scope, blocks)
    last = len(blocks) - 1
    ends: list[_Prefix] = []
    marked = {index for index, block in enumerate(blocks) if block.mark}
    if rules.kind is CacheKind.POINTS:
        marked.add(last)
    kept = sorted(marked)[-rules.marks :]
    digest = hashlib.blake2b(scope.encode("utf-8", "surrogatepass"), digest_size=_DIGEST)
    for index, (block, tokens) in enumerate(zip(blocks, accumulate(each.tokens for each in blocks), strict=True)):
        digest.update(block.digest)
        mark = (block.mark or rules.seconds) if index in kept else 0.0
        ends.append(_Prefix(digest.digest(), tokens, index, mark))
    return ends


def _steps(rules: CacheRules, scope: str, blocks: Sequence[Block]) -> list[_Prefix]:
    """The prefixes of an automatic cache: one for each step, laid over the bytes as if each token had four."""
    data = b"\x1e".join(block.data for block in blocks)
    size = _BYTES * max(rules.step, _LEAST)
    ends = [0, *accumulate(len(block.data) + 1 for block in blocks)]
    counts = [0, *accumulate(block.tokens for block in blocks)]
    seconds = max((block.mark for block in blocks), default=0.0) or rules.seconds
    digest = hashlib.blake2b(scope.encode("utf-8", "surrogatepass"), digest_size=_DIGEST)
    found: list[_Prefix] = []
    for index, place in enumerate([*range(size, len(data), size), len(data)]):
        digest.update(data[index * size : place])
        number = min(bisect_right(ends, place) - 1, len(blocks) - 1)
        if number < 0:
            break
        within = (place - ends[number]) / max(1, ends[number + 1] - 1 - ends[number])
        tokens = counts[number] + int(min(1.0, within) * (counts[number + 1] - counts[number]))
        found.append(_Prefix(digest.digest(), tokens, index, seconds))
    return found
