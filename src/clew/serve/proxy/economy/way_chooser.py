"""Which way a request is sent: the prospects of each by both models of the cache, and the rules of the choice.

Knows nothing of sessions, nor of what is remembered between requests: `decide` passes both in.
"""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple

from clew.serve.proxy.economy.cache_model import CacheModel, CacheUse, ReadPrompt, read_prompt
from clew.serve.proxy.economy.extra_mark import index_of_mark, marked_at, uses_all_marks
from clew.serve.proxy.economy.prices import CacheKind, CacheRules, Price
from clew.serve.proxy.economy.prompt_forms import PromptForm, Ways, own_cost
from clew.text.counted import counted

MOST_TURNS: Final = 40
"""Most further requests that a session is expected to have."""

COLD: Final = 0.1
"""Share of a prompt below which what is still cached does not count."""

NEAR: Final = 0.8
"""Share of the length that a model takes, or takes at its usual price, above which nothing is added."""


class Way(StrEnum):
    """A way to send a request; the fields of `Ways` say what each is."""

    KEPT = "kept"
    TAIL = "tail"
    FRESH = "fresh"
    REWRITTEN = "rewritten"


class ChosenWay(NamedTuple):
    """The way that is chosen, and why.

    Attributes:
        reason: in words, for the ledger.
        waits: whether the request could be rewritten, and that is put off.
    """

    way: Way
    reason: str
    waits: bool = False


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
class CacheKnowledge:
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
class SessionAccount:
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


def expected_turns(requests: int) -> int:
    """How many requests a session that had so many is expected to have still: as many again, within 1 and 40."""
    return min(MOST_TURNS, max(1, requests))


class WayChooser:
    """One choice: the prospects of the ways, each computed once."""

    def __init__(
        self,
        models: tuple[CacheModel, CacheModel],
        ways: Ways,
        terms: Terms,
        account: SessionAccount,
        knowledge: CacheKnowledge,
        plain: ReadPrompt,
    ) -> None:
        """Takes both models of the cache, and the prompt as it came, read."""
        given = {Way.KEPT: ways.kept, Way.TAIL: ways.tail, Way.FRESH: ways.fresh, Way.REWRITTEN: ways.rewritten}
        self.ways = {way: form for way, form in given.items() if form is not None}
        self._terms = terms
        self._plain, self.plain = ways.plain.blocks, plain
        self._read: dict[Way, ReadPrompt] = {}
        self._with, self._without = models
        self._limit, self._account = ways.limit, account
        self._is_known, self._is_paused = knowledge.is_whole, knowledge.is_paused
        self._may_return = knowledge.is_elsewhere and uses_all_marks(terms.rules, ways.plain.blocks)
        self._prospects: dict[Way, Prospect] = {}
        self._lives = (False, True) if terms.rules.seconds_most else (False,)  # by most providers both are one
        self._bases = [self._base(longest=longest) for longest in self._lives]

    def read(self, way: Way) -> ReadPrompt:
        """A way as the cache reads it."""
        if way not in self._read:
            blocks, rules, scope = self.ways[way].blocks, self._terms.rules, self._terms.scope
            like = self._plain, self.plain
            self._read[way] = self.plain if blocks == self._plain else read_prompt(rules, scope, blocks, like)
        return self._read[way]

    @property
    def fits(self) -> bool:
        """Whether the model takes the request as it came, so that there is something to compare with."""
        return not 0 < self._limit < self.plain.tokens

    def _base(self, *, longest: bool) -> float:
        """What the client's tokens cost without Clew; where the model refuses them so, without further rewriting."""
        if self.fits:
            return self._without.expected(self.plain, self._terms.now, longest=longest).cost(self._terms.price)
        use = self._with.expected(self.read(Way.KEPT), self._terms.now, longest=longest)
        return use.cost(self._terms.price) - self._own(Way.KEPT, use)

    def _own(self, way: Way, use: CacheUse) -> float:
        return own_cost(self.ways[way], use, self._terms.price, self._terms.rules, self.plain.tokens)

    def prospect(self, way: Way) -> Prospect:
        """What is expected of a way; its harm is the greater one of a short and a long life of the cache's entries."""
        if way not in self._prospects:
            self._prospects[way] = self._expected(way)
            if self.ways[way].may_mark and not self._is_free(self._prospects[way]):
                self._mark(way)
        return self._prospects[way]

    def _expected(self, way: Way) -> Prospect:
        prospects = []
        for longest, base in zip(self._lives, self._bases, strict=True):
            use = self._with.expected(self.read(way), self._terms.now, longest=longest)
            cost, own = use.cost(self._terms.price), self._own(way, use)
            prospects.append(Prospect(use, cost, own, cost - own - base))
        return replace(prospects[0], harm=max(prospect.harm for prospect in prospects))

    def _mark(self, way: Way) -> None:
        """Gives one of our blocks a cache mark, if the client's own tokens cost less then."""
        form, terms = self.ways[way], self._terms
        candidates = [index for index, _ in form.own[: form.may_mark]]
        chosen = index_of_mark(terms.rules, terms.scope, form.blocks, candidates, self._with, terms.now)
        if chosen is None:
            return
        before = self._read.pop(way)
        self.ways[way] = replace(form, blocks=marked_at(form.blocks, chosen), marked=chosen)
        found = self._expected(way)
        if found.harm < self._prospects[way].harm:
            self._prospects[way] = found
        else:
            self.ways[way], self._read[way] = form, before

    def choose(self) -> ChosenWay:
        """The way that is taken, and why."""
        if self.is_forced:
            return self._shortened()
        if Way.REWRITTEN not in self.ways:
            return self._adding()
        rewriting = self._rewriting()
        if rewriting.way is Way.REWRITTEN:
            return rewriting
        added = self._adding()
        return ChosenWay(added.way, f"{added.reason}; {rewriting.reason}", rewriting.waits)

    @property
    def is_forced(self) -> bool:
        """Whether the model would refuse the request with the blocks that were added before."""
        return 0 < self._limit < self.ways[Way.KEPT].tokens

    def _shortened(self) -> ChosenWay:
        fresh = self.ways.get(Way.FRESH)
        if fresh is not None and fresh.tokens <= self._limit:
            reason = "with earlier blocks the request would be longer than the model's window: they are left out"
            return ChosenWay(Way.FRESH, reason)
        way = Way.REWRITTEN if Way.REWRITTEN in self.ways else Way.KEPT
        return ChosenWay(way, "the request is longer than the model's window, so old messages are shown in short")

    def _rewriting(self) -> ChosenWay:
        """Rewriting, if it does no harm or earns its cost; otherwise what is sent instead, and why not."""
        instead = Way.TAIL if Way.TAIL in self.ways else Way.KEPT
        base, short = self.prospect(instead), self.prospect(Way.REWRITTEN)
        removed, price, rules = base.use.total - short.use.total, self._terms.price, self._terms.rules
        if removed <= 0:
            return ChosenWay(instead, "rewriting would make it no shorter")
        if short.use.total < rules.minimum <= base.use.total:
            return ChosenWay(instead, "rewriting waits: the request would be too short to be cached", waits=True)
        if not self._is_known:
            return ChosenWay(instead, "rewriting waits: what the provider has cached is not known", waits=True)
        if self._is_free(short):
            why = "the cache is cold" if self._is_cold(base) else "nothing cached is lost"
            why += f", so rewriting costs nothing and saves {removed:,} tokens in each request"
            return ChosenWay(Way.REWRITTEN, why)
        later = expected_turns(self._account.requests) * removed * price.read
        if short.harm <= self._account.saved and later > short.harm:
            why = f"rewriting is paid by earlier savings and saves {removed:,} tokens in each request"
            return ChosenWay(Way.REWRITTEN, why)
        turns = math.ceil(short.harm / (removed * price.read)) if price.read else 0
        why = f"rewriting waits until the cache is cold: now it would take {counted(turns, 'request')} to earn its cost"
        return ChosenWay(instead, why, waits=True)

    def _adding(self) -> ChosenWay:
        kept = self.prospect(Way.KEPT)
        if (reason := self._reason_to_retire(kept)) is not None:
            return ChosenWay(Way.FRESH, reason)
        if Way.TAIL not in self.ways:
            return ChosenWay(Way.KEPT, "there is nothing to add")
        if self._may_return:
            reason = "the block could put what another model has cached out of reach of the client's marks"
            return ChosenWay(Way.KEPT, reason)
        tail = self.prospect(Way.TAIL)
        if self._is_near_limit(self.ways[Way.TAIL]):
            reason = "the block would bring the conversation near a length that is dearer, or too long"
            return ChosenWay(Way.KEPT, reason)
        if self._is_free(tail) or tail.harm <= max(kept.harm, self._account.saved):
            return ChosenWay(Way.TAIL, "the block stands behind everything that is cached")
        return ChosenWay(Way.KEPT, "the block would make the client's own tokens dearer")

    def _reason_to_retire(self, kept: Prospect) -> str | None:
        """Why earlier blocks are left out from now on; None if they stay."""
        if Way.FRESH not in self.ways or not self.ways[Way.KEPT].own or not self._is_known:
            return None
        fresh = self.prospect(Way.FRESH)
        if self._is_paused and self._is_cold(kept) and self._is_free(fresh):
            return "the cache is cold, so the blocks of earlier questions are left out from here on"
        if not self._is_free(kept) and fresh.harm < kept.harm * self._requests_above(kept):
            return "earlier blocks would bring the request over a limit of the provider and are left out"
        return None

    def _requests_above(self, kept: Prospect) -> float:
        """Requests for which our blocks alone keep the conversation above a limit, at its growth so far."""
        growth = max(1.0, self.plain.tokens / max(1, self._account.requests))
        return max(1.0, (kept.use.total - self.plain.tokens) / growth)

    def _is_near_limit(self, form: PromptForm) -> bool:
        return any(
            0 < NEAR * most < form.tokens
            for most in (self._terms.price.above, self._limit)
            if self.plain.tokens <= most
        )

    def _is_cold(self, base: Prospect) -> bool:
        return base.use.read < COLD * base.use.total

    def _is_free(self, prospect: Prospect) -> bool:
        return prospect.harm <= 1e-6 * max(1.0, prospect.cost)


def _proportions(rules: CacheRules) -> Price:
    """Prices of an unknown model, in units of its own price of a missed token: those that most models have."""
    dear = 1.0 if rules.kind is CacheKind.AUTOMATIC else 1.25
    return Price("", 1.0, 0.1, dear, 2.0 if rules.kind is CacheKind.MARKS else dear, 5.0)
