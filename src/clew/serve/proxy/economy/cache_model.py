"""A model of a provider's prompt cache: what of a prompt is read from it, written to it, or neither.

The proxy predicts with it, the scripted upstream answers by it, and the simulation over recorded sessions counts with
it. It knows nothing of wire formats (`prompt_blocks` makes the blocks) and takes the time from its caller.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from clew.serve.proxy.economy.prices import CacheKind, CacheRules, Price

_BYTES: Final = 4  # of a token, where the steps of an automatic cache are laid over the prompt's bytes
_LEAST: Final = 64  # tokens between the places at which an automatic cache is looked up, where its step is smaller
_DIGEST: Final = 16
_SESSIONS: Final = 8  # whose last prompts are kept
_DATA: Final = attrgetter("data")
_TOKENS: Final = attrgetter("tokens")
_MARK: Final = attrgetter("mark")
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


def read_prompt(
    rules: CacheRules, scope: str, blocks: Sequence[Block], like: tuple[Sequence[Block], ReadPrompt] | None = None
) -> ReadPrompt:
    """Reads a prompt.

    Args:
        scope: what keeps caches apart: the model, and the account.
        like: a prompt that was read by the same rules and scope; what begins alike is not read again.
    """
    tokens = sum(map(_TOKENS, blocks))
    if rules.kind is CacheKind.AUTOMATIC:
        return ReadPrompt(rules, _steps(rules, scope, blocks, like), tokens)
    return ReadPrompt(rules, _ends(rules, scope, blocks), tokens)


class LastPrompts:
    """The last prompts of a few sessions, as they were read: the next one is read from where it differs."""

    def __init__(self) -> None:
        """Starts empty."""
        self._last: OrderedDict[tuple[str, str], tuple[Sequence[Block], ReadPrompt]] = OrderedDict()

    def read(self, rules: CacheRules, scope: str, blocks: Sequence[Block], session: str) -> ReadPrompt:
        """Reads a prompt, and keeps it as the session's last one."""
        if rules.kind is not CacheKind.AUTOMATIC:  # the others have few prefixes
            return read_prompt(rules, scope, blocks)
        before = self._last.pop((scope, session), None)
        is_alike = before is not None and before[1].rules == rules
        read = read_prompt(rules, scope, blocks, before if is_alike else None)
        self._last[scope, session] = (blocks, read)
        if len(self._last) > _SESSIONS:
            self._last.popitem(last=False)
        return read


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

    def longest(self, prompt: "ReadPrompt", now: float) -> int | None:
        """Index of the block with which the longest prefix that may be cached ends; None for none."""
        rules = prompt.rules
        lives = (
            each.index for each in _looked_at(rules, prompt.prefixes) if self._lives(each.key, now, rules.seconds_most)
        )
        return next(lives, None)

    def send(self, prompt: "ReadPrompt", now: float) -> CacheUse:
        """What becomes of a prompt that is sent now; its entries are remembered, and those it uses live on."""
        rules = prompt.rules
        use, read = self._use(prompt, now, 0.0)
        used, least = self._used, rules.minimum
        if read is not None and rules.kind is not CacheKind.AUTOMATIC:
            used[read.key] = (now, used[read.key][1])
            used.move_to_end(read.key)
        for prefix in prompt.prefixes:
            if prefix.mark and prefix.tokens >= least:
                used[prefix.key] = (now, prefix.mark)
                used.move_to_end(prefix.key)
        while len(used) > self._most:
            used.popitem(last=False)
        return use

    def _lives(self, key: bytes, now: float, most: float) -> bool:
        entry = self._used.get(key)
        return entry is not None and now - entry[0] <= max(entry[1], most)

    def _use(self, prompt: "ReadPrompt", now: float, most: float) -> tuple[CacheUse, _Prefix | None]:
        rules, prefixes, total = prompt.rules, prompt.prefixes, prompt.tokens
        if not prefixes:
            return CacheUse(missed=total), None
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
    return (prefix for prefix in reversed(prefixes) if prefix.tokens >= rules.minimum)


def _marked(rules: CacheRules, blocks: Sequence[Block]) -> list[int]:
    marked = {index for index, block in enumerate(blocks) if block.mark}
    if rules.kind is CacheKind.POINTS and blocks:
        marked.add(len(blocks) - 1)
    return sorted(marked)[-rules.marks :]


def _ends(rules: CacheRules, scope: str, blocks: Sequence[Block]) -> tuple[_Prefix, ...]:
    """The prefixes that end with a block, as far as a cache of marks looks for them."""
    marks = _marked(rules, blocks)
    if rules.kind is CacheKind.POINTS:
        wanted = {*marks, *range(max(0, len(blocks) - _POINTS), len(blocks))}
    else:
        back = rules.lookback or len(blocks)
        wanted = {index for mark in marks for index in range(max(0, mark - back + 1), mark + 1)}
    prefixes: list[_Prefix] = []
    digest, tokens, kept = _begun(scope), 0, set(marks)
    for index, block in enumerate(blocks):
        digest.update(block.digest)
        tokens += block.tokens
        if index in wanted:
            mark = (block.mark or rules.seconds) if index in kept else 0.0
            prefixes.append(_Prefix(digest.digest(), tokens, index, mark))
    return tuple(prefixes)


def _steps(
    rules: CacheRules, scope: str, blocks: Sequence[Block], like: tuple[Sequence[Block], ReadPrompt] | None
) -> tuple[_Prefix, ...]:
    """The prefixes of an automatic cache: one for each step, laid over the bytes as if each token had four."""
    data = b"\x1e".join(map(_DATA, blocks))
    if not data:
        return ()
    size = _BYTES * max(rules.step, _LEAST)
    seconds = max(map(_MARK, blocks)) or rules.seconds
    common = _common(blocks, like, size, seconds)
    key = common[-1].key if common else _begun(scope).digest()
    offset, number, start, before = len(common) * size, 0, 0, 0
    lengths, tokens = [len(block.data) for block in blocks], list(map(_TOKENS, blocks))
    for end in [*range(offset + size, len(data), size), len(data)]:
        key = hashlib.blake2b(key + data[offset:end], digest_size=_DIGEST).digest()
        while start + lengths[number] < end:
            start += lengths[number] + 1
            before += tokens[number]
            number += 1
        within = max(0, end - start) / max(1, lengths[number])
        common.append(_Prefix(key, before + int(within * tokens[number]), len(common), seconds))
        offset = end
    return tuple(common)


def _common(
    blocks: Sequence[Block], like: tuple[Sequence[Block], ReadPrompt] | None, size: int, seconds: float
) -> list[_Prefix]:
    """The steps that lie in the blocks with which both prompts begin."""
    if like is None or not like[1].prefixes or like[1].prefixes[0].mark != seconds:
        return []
    same = 0
    for block, other in zip(blocks, like[0], strict=False):
        if block is not other and block.digest != other.digest:
            break
        same += len(block.data) + 1
    return list(like[1].prefixes[: max(0, same - 1) // size])


def _begun(scope: str) -> "hashlib.blake2b":
    return hashlib.blake2b(scope.encode("utf-8", "surrogatepass"), digest_size=_DIGEST)
