"""Chooses how a request is sent: as it came, with a block at its tail, or rewritten, now or once the cache is cold.

The client's own tokens never cost more than they would cost without Clew. For that the provider's cache is modelled
twice: as it is with what Clew sends, and as it would be with what the client sent. What was saved by earlier rewriting
may be spent on a later one, and nothing else.
"""

import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate
from operator import attrgetter
from typing import Final

from clew.serve.proxy.economy.cache_model import (
    Block,
    CacheModel,
    CacheUse,
    LastPrompts,
    ReadPrompt,
    read_prompt,
)
from clew.serve.proxy.economy.extra_mark import marked_at, place_of_mark, uses_all_marks
from clew.serve.proxy.economy.prices import CacheKind, CacheRules, Price
from clew.text.counted import counted

MOST_TURNS: Final = 40
"""Most further requests that a session is expected to have."""

COLD: Final = 0.1
"""Share of a prompt below which what is still cached does not count."""

NEAR: Final = 0.8
"""Share of the length that a model takes, or takes at its usual price, above which nothing is added."""

_SESSIONS: Final = 10_000
_TOKENS: Final = attrgetter("tokens")


class Choice(StrEnum):
    """How a request is sent."""

    LEAVE = "leave"
    """As the client sent it, with the blocks that were added to it before."""
    TAIL = "tail"
    """As by `leave`, with a new block at the end of the last question."""
    REWRITE_NOW = "rewrite-now"
    """With shorter renderings in place of old messages."""
    REWRITE_WHEN_COLD = "rewrite-when-cold"
    """As by `leave` or `tail`, since rewriting would cost more than it has earned; it waits for a cold cache."""


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


@dataclass(frozen=True, slots=True)
class Prospect:
    """What is expected of one way, in millionths of a dollar, or of the price of a missed token where none is known.

    Attributes:
        cost: of the input.
        own: the part of it that is for our own tokens.
        harm: how much more the client's own tokens cost than without Clew; negative for a saving.
    """

    use: CacheUse
    cost: float
    own: float
    harm: float


@dataclass(frozen=True, slots=True)
class Decision:
    """How a request is sent, and why.

    Attributes:
        inject: whether the new block is in it.
        rewrite: whether it is rewritten.
        retire: whether earlier blocks are left out, from now on.
        reason: in words, for the ledger.
        prospect: what is expected of this way.
        plain: what would have become of the request without Clew.
        cost, cost_without: of the input in millionths of a dollar; None where the price is unknown, and `cost_without`
            also where the model would not have taken the request.
        later: expected cost of our own tokens in the rest of the session, likewise.
        own_tokens: tokens in the request that are ours.
        forced: whether the request was too long for any other way, so that there was nothing to choose.
        marked: which of our blocks gets a cache mark, counted from 0, and for how many seconds; None for none.
    """

    choice: Choice
    inject: bool
    rewrite: bool
    retire: bool
    reason: str
    prospect: Prospect
    plain: CacheUse
    cost: float | None
    cost_without: float | None
    later: float | None
    own_tokens: int = 0
    forced: bool = False
    marked: tuple[int, float] | None = None


@dataclass(frozen=True, slots=True)
class _Knowledge:
    """What is known of a session's caches.

    Attributes:
        is_whole: whether nothing of the session is cached but what our models of the cache know.
        is_paused: whether everything cached has expired since the session's last request.
        is_elsewhere: whether another language model, or account, may have a part of the session in its cache.
    """

    is_whole: bool
    is_paused: bool
    is_elsewhere: bool


@dataclass(slots=True)
class _Account:
    """A session's savings that may still be spent, and its number of requests."""

    saved: float = 0.0
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Terms:
    """What a request is charged by.

    Attributes:
        known: its price; None for an unknown model: then only the proportions of prices count.
        scope: what keeps the provider's caches apart: the account and the model.
        now: seconds; only differences count.
    """

    rules: CacheRules
    known: Price | None
    scope: str
    now: float

    @property
    def price(self) -> Price:
        """The price, or the proportions that most models have."""
        return self.known or _proportions(self.rules)


class Economy:
    """The state behind the choices: both models of the cache, and the account of each session. Threads may share it."""

    def __init__(self, *, most: int = 20_000) -> None:
        """Starts without knowledge: a first request is taken to find nothing in the cache."""
        self._with = CacheModel(most)
        self._without = CacheModel(most)
        self._accounts: OrderedDict[tuple[str, str], _Account] = OrderedDict()
        self._prompts = LastPrompts()
        self._scopes: OrderedDict[str, dict[str, tuple[float, float]]] = OrderedDict()  # last use, and life
        self._lock = threading.Lock()

    def decide(self, ways: Ways, terms: Terms, *, session: str) -> Decision:
        """Chooses a way, and remembers that the request is sent that way now.

        Of a session's first request nothing is known, as after a restart: its cache may be warm, and is not given up.
        """
        with self._lock:
            account = self._account(terms.scope, session)
            knowledge = self._knowledge(account, terms, session, _longest_life(terms.rules, ways.plain))
            came = self._prompts.read(terms.rules, terms.scope, ways.plain.blocks, session)
            chooser = _Chooser((self._with, self._without), ways, terms, account, knowledge, came)
            name, reason = chooser.choose()
            chosen = chooser.prospect(name)
            way = chooser.ways[name]
            plain = self._without.send(chooser.plain, terms.now)
            self._with.send(chooser.read(name), terms.now)
            if chooser.fits and not chooser.is_forced:
                account.saved -= chosen.harm
            turns = expected_turns(account.requests)
            account.requests += 1
        own = sum(tokens for _, tokens in way.own)
        known = terms.known is not None
        return Decision(
            _choice(name, ways, reason),
            inject=name in ("tail", "fresh") or (name == "rewritten" and ways.tail is not None),
            rewrite=name == "rewritten",
            retire=name == "fresh",
            reason=reason,
            prospect=chosen,
            plain=plain,
            cost=chosen.cost if known else None,
            cost_without=plain.cost(terms.price) if known and chooser.fits else None,
            later=turns * own * terms.price.read if known else None,
            own_tokens=own,
            forced=chooser.is_forced,
            marked=way.mark,
        )

    def _knowledge(self, account: _Account, terms: Terms, session: str, life: float) -> _Knowledge:
        scopes = self._scopes.setdefault(session, {})
        self._scopes.move_to_end(session)
        if len(self._scopes) > _SESSIONS:
            self._scopes.popitem(last=False)
        warm = any(terms.now - last <= kept for scope, (last, kept) in scopes.items() if scope != terms.scope)
        before = max((last for last, _ in scopes.values()), default=None)
        scopes[terms.scope] = (terms.now, life)
        is_paused = before is not None and terms.now - before > life
        return _Knowledge(not warm and (account.requests > 0 or is_paused), not warm and is_paused, warm)

    def _account(self, scope: str, session: str) -> _Account:
        account = self._accounts.setdefault((scope, session), _Account())
        self._accounts.move_to_end((scope, session))
        if len(self._accounts) > _SESSIONS:
            self._accounts.popitem(last=False)
        return account


def expected_turns(requests: int) -> int:
    """How many requests a session that had so many is expected to have still: as many again, within 1 and 40."""
    return min(MOST_TURNS, max(1, requests))


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


class _Chooser:
    """One choice: the prospects of the ways, each computed once."""

    def __init__(
        self,
        models: tuple[CacheModel, CacheModel],
        ways: Ways,
        terms: Terms,
        account: _Account,
        knowledge: _Knowledge,
        plain: ReadPrompt,
    ) -> None:
        """Takes both models of the cache, and the prompt as it came, read."""
        given = {"kept": ways.kept, "tail": ways.tail, "fresh": ways.fresh, "rewritten": ways.rewritten}
        self.ways = {name: way for name, way in given.items() if way is not None}
        self._terms = terms
        self._plain, self.plain = ways.plain.blocks, plain
        self._read: dict[str, ReadPrompt] = {}
        self._with, self._without = models
        self._limit, self._account = ways.limit, account
        self._is_known, self._is_paused = knowledge.is_whole, knowledge.is_paused
        self._may_return = knowledge.is_elsewhere and uses_all_marks(terms.rules, ways.plain.blocks)
        self._prospects: dict[str, Prospect] = {}
        self._lives = (False, True) if terms.rules.seconds_most else (False,)  # by most providers both are one
        self._bases = [self._base(longest) for longest in self._lives]

    def read(self, name: str) -> ReadPrompt:
        """A way as the cache reads it."""
        if name not in self._read:
            blocks, rules, scope = self.ways[name].blocks, self._terms.rules, self._terms.scope
            like = self._plain, self.plain
            self._read[name] = self.plain if blocks == self._plain else read_prompt(rules, scope, blocks, like)
        return self._read[name]

    @property
    def fits(self) -> bool:
        """Whether the model takes the request as it came, so that there is something to compare with."""
        return not 0 < self._limit < self.plain.tokens

    def _base(self, longest: bool) -> float:
        """What the client's tokens cost without Clew; where the model refuses them so, without further rewriting."""
        if self.fits:
            return self._without.expected(self.plain, self._terms.now, longest=longest).cost(self._terms.price)
        use = self._with.expected(self.read("kept"), self._terms.now, longest=longest)
        return use.cost(self._terms.price) - self._own("kept", use)

    def _own(self, name: str, use: CacheUse) -> float:
        return own_cost(self.ways[name], use, self._terms.price, self._terms.rules, self.plain.tokens)

    def prospect(self, name: str) -> Prospect:
        """What is expected of a way; its harm is the greater one of a short and a long life of the cache's entries."""
        if name not in self._prospects:
            self._prospects[name] = self._expected(name)
            if self.ways[name].may_mark and not self._is_free(self._prospects[name]):
                self._mark(name)
        return self._prospects[name]

    def _expected(self, name: str) -> Prospect:
        prospects = []
        for longest, base in zip(self._lives, self._bases, strict=True):
            use = self._with.expected(self.read(name), self._terms.now, longest=longest)
            cost, own = use.cost(self._terms.price), self._own(name, use)
            prospects.append(Prospect(use, cost, own, cost - own - base))
        return replace(prospects[0], harm=max(prospect.harm for prospect in prospects))

    def _mark(self, name: str) -> None:
        """Gives one of our blocks a cache mark, if the client's own tokens cost less then."""
        way, terms = self.ways[name], self._terms
        places = [index for index, _ in way.own[: way.may_mark]]
        place = place_of_mark(terms.rules, terms.scope, way.blocks, places, self._with, terms.now)
        if place is None:
            return
        before = self._read.pop(name)
        self.ways[name] = replace(way, blocks=marked_at(way.blocks, place), marked=place)
        found = self._expected(name)
        if found.harm < self._prospects[name].harm:
            self._prospects[name] = found
        else:
            self.ways[name], self._read[name] = way, before

    def choose(self) -> tuple[str, str]:
        """The name of the way, and the reason."""
        if self.is_forced:
            return self._shortened()
        if "rewritten" not in self.ways:
            return self._adding()
        name, reason = self._rewriting()
        if name:
            return name, reason
        name, other = self._adding()
        return name, f"{other}; {reason}"

    @property
    def is_forced(self) -> bool:
        """Whether the model would refuse the request with the blocks that were added before."""
        return 0 < self._limit < self.ways["kept"].tokens

    def _shortened(self) -> tuple[str, str]:
        fresh = self.ways.get("fresh")
        if fresh is not None and fresh.tokens <= self._limit:
            return "fresh", "with earlier blocks the request would be longer than the model's window: they are left out"
        name = "rewritten" if "rewritten" in self.ways else "kept"
        return name, "the request is longer than the model's window, so old messages are shown in short"

    def _rewriting(self) -> tuple[str, str]:
        base = self.prospect("tail" if "tail" in self.ways else "kept")
        short = self.prospect("rewritten")
        removed, price, rules = base.use.total - short.use.total, self._terms.price, self._terms.rules
        if removed <= 0:
            return "", "rewriting would make it no shorter"
        if short.use.total < rules.minimum <= base.use.total:
            return "", "rewriting waits: the request would be too short to be cached"
        if not self._is_known:
            return "", "rewriting waits: what the provider has cached is not known"
        if self._is_free(short):
            why = "the cache is cold" if self._is_cold(base) else "nothing cached is lost"
            return "rewritten", f"{why}, so rewriting costs nothing and saves {removed:,} tokens in each request"
        later = expected_turns(self._account.requests) * removed * price.read
        if short.harm <= self._account.saved and later > short.harm:
            return "rewritten", f"rewriting is paid by earlier savings and saves {removed:,} tokens in each request"
        turns = math.ceil(short.harm / (removed * price.read)) if price.read else 0
        return (
            "",
            f"rewriting waits until the cache is cold: now it would take {counted(turns, 'request')} to earn its cost",
        )

    def _adding(self) -> tuple[str, str]:
        kept = self.prospect("kept")
        if "fresh" in self.ways and self.ways["kept"].own and self._is_known:
            fresh = self.prospect("fresh")
            if self._is_paused and self._is_cold(kept) and self._is_free(fresh):
                return "fresh", "the cache is cold, so the blocks of earlier questions are left out from here on"
            if not self._is_free(kept) and fresh.harm < kept.harm * self._requests_above(kept):
                return "fresh", "earlier blocks would bring the request over a limit of the provider and are left out"
        if "tail" not in self.ways or self._may_return:
            out_of_reach = "the block could put what another model has cached out of reach of the client's marks"
            return "kept", out_of_reach if "tail" in self.ways else "there is nothing to add"
        tail = self.prospect("tail")
        if self._is_near_limit(self.ways["tail"]):
            return "kept", "the block would bring the conversation near a length that is dearer, or too long"
        if self._is_free(tail) or tail.harm <= max(kept.harm, self._account.saved):
            return "tail", "the block stands behind everything that is cached"
        return "kept", "the block would make the client's own tokens dearer"

    def _requests_above(self, kept: Prospect) -> float:
        """Requests for which our blocks alone keep the conversation above a limit, at its growth so far."""
        growth = max(1.0, self.plain.tokens / max(1, self._account.requests))
        return max(1.0, (kept.use.total - self.plain.tokens) / growth)

    def _is_near_limit(self, way: PromptForm) -> bool:
        return any(
            0 < NEAR * most < way.tokens for most in (self._terms.price.above, self._limit) if self.plain.tokens <= most
        )

    def _is_cold(self, base: Prospect) -> bool:
        return base.use.read < COLD * base.use.total

    def _is_free(self, prospect: Prospect) -> bool:
        return prospect.harm <= 1e-6 * max(1.0, prospect.cost)


def _longest_life(rules: CacheRules, form: PromptForm) -> float:
    """Seconds after which nothing of a prompt is cached any more."""
    return max(rules.seconds, rules.seconds_most, 0.0, *[block.mark for block in form.blocks])


def _choice(name: str, ways: Ways, reason: str) -> Choice:
    if name == "rewritten":
        return Choice.REWRITE_NOW
    if ways.rewritten is not None and "waits" in reason:
        return Choice.REWRITE_WHEN_COLD
    return Choice.TAIL if name == "tail" or (name == "fresh" and ways.tail is not None) else Choice.LEAVE


def _proportions(rules: CacheRules) -> Price:
    """Prices of an unknown model, in units of its own price of a missed token: those that most models have."""
    dear = 1.0 if rules.kind is CacheKind.AUTOMATIC else 1.25
    return Price("", 1.0, 0.1, dear, 2.0 if rules.kind is CacheKind.MARKS else dear, 5.0)


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
