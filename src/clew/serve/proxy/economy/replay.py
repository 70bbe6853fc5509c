"""Replays the requests of a recorded session through the model of a provider's cache, and adds up what each way costs.

Used by the benchmark and by the test of the guarantee: passing through, Clew, and two naive ways of adding a block.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from clew.serve.proxy.economy.cache_model import Block, CacheModel, CacheUse, read_prompt
from clew.serve.proxy.economy.decide import Decision, Economy
from clew.serve.proxy.economy.extra_mark import marked_at
from clew.serve.proxy.economy.prices import CacheKind, CacheRules, Price
from clew.serve.proxy.economy.prompt_forms import PromptForm, Ways, own_cost
from clew.serve.proxy.economy.way_chooser import Terms

PROTECTED: Final = 6
"""Last messages that rewriting leaves as they are."""

SHORTER: Final = 0.1
"""Share of its tokens that a rewritten stretch of messages keeps."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as a client sent it.

    Attributes:
        head: tools and system prompt.
        messages: oldest first.
        at: seconds.
        is_question: whether the last message is words of the user, so that there is something to recall for.
        model: what keeps caches apart.
    """

    head: tuple[Block, ...]
    messages: tuple[Block, ...]
    at: float
    is_question: bool
    model: str = "m"


@dataclass(slots=True)
class Bill:
    """What a way cost in all, in millionths of a dollar.

    Attributes:
        own: the part that is for the added tokens.
        worst: the most by which, at any point of the session, the cost was above passing through and `own` together.
        rewrites: how often old messages were replaced.
        forced: how often because the request was too long.
    """

    cost: float = 0.0
    own: float = 0.0
    use: CacheUse = field(default_factory=CacheUse)
    worst: float = 0.0
    rewrites: int = 0
    forced: int = 0

    def add(self, use: CacheUse, price: Price) -> None:
        """Adds a request."""
        self.cost += use.cost(price)
        self.use = CacheUse(
            self.use.read + use.read,
            self.use.written + use.written,
            self.use.written_long + use.written_long,
            self.use.missed + use.missed,
        )


def marked(head: Sequence[Block], messages: Sequence[Block], rules: CacheRules) -> tuple[Block, ...]:
    """The prompt with marks as coding agents set them: after the head, at the last message, and two before it."""
    blocks = [*head, *messages]
    if rules.kind is not CacheKind.MARKS:
        return tuple(blocks)
    indexes = {len(head) - 1, len(blocks) - 1, len(blocks) - 3} if messages else {len(head) - 1}
    return tuple(
        replace(block, mark=rules.seconds) if index in indexes and index >= len(head) - 1 >= 0 else block
        for index, block in enumerate(blocks)
    )


def direct(sent: Sequence[Sent], rules: CacheRules, price: Price) -> Bill:
    """Passing through."""
    return _added_up(sent, rules, price, lambda request: marked(request.head, request.messages, rules))


def in_system_prompt(sent: Sequence[Sent], rules: CacheRules, price: Price, block: int) -> Bill:
    """A naive way: the block for the last question stands in the system prompt."""
    asked = dict(zip(map(id, sent), _questions(sent), strict=True))

    def blocks(request: Sent) -> tuple[Block, ...]:
        added = _block(asked[id(request)], block)
        return marked([*request.head, added], request.messages, rules)

    return _added_up(sent, rules, price, blocks)


def moving(sent: Sequence[Sent], rules: CacheRules, price: Price, block: int) -> Bill:
    """A naive way: the block stands before the last message of each request, and nowhere else."""
    asked = dict(zip(map(id, sent), _questions(sent), strict=True))

    def blocks(request: Sent) -> tuple[Block, ...]:
        added = _block(asked[id(request)], block)
        return marked(request.head, [*request.messages[:-1], added, *request.messages[-1:]], rules)

    return _added_up(sent, rules, price, blocks)


def not_put_back(sent: Sequence[Sent], rules: CacheRules, price: Price, block: int) -> Bill:
    """The block behind the last question, in the requests of that question alone."""

    def blocks(request: Sent, number: int, index: int) -> tuple[Block, ...]:
        plain = marked(request.head, request.messages, rules)
        at = len(request.head) + index + 1
        return (*plain[:at], _block(number, block), *plain[at:])

    bill, model, index = Bill(), CacheModel(), 0
    for request, number in zip(sent, _questions(sent), strict=True):
        index = len(request.messages) - 1 if request.is_question else min(index, len(request.messages) - 1)
        use = model.send(read_prompt(rules, request.model, blocks(request, number, index)), request.at)
        bill.add(use, price)
    return bill


def with_clew(
    sent: Sequence[Sent],
    rules: CacheRules,
    price: Price,
    block: int,
    *,
    window: int = 0,
    economy: Economy | None = None,
) -> Bill:
    """Clew: blocks at the tail that stay, and old messages in short where there is a window."""
    bill, plainly = Bill(), CacheModel()
    state = _State(rules, block, window)
    chosen = economy or Economy()
    passed = 0.0
    for request, number in zip(sent, _questions(sent), strict=True):
        ways = state.ways(request, number)
        decision = chosen.decide(ways, Terms(rules, price, request.model, request.at), session="s")
        way = state.done(ways, decision)
        if decision.marked is not None:
            way = replace(way, blocks=marked_at(way.blocks, way.own[decision.marked[0]][0]))
        use = plainly.send(read_prompt(rules, request.model, way.blocks), request.at)
        bill.add(use, price)
        bill.own += own_cost(way, use, price, rules, ways.plain.tokens)
        if decision.forced or 0 < window < ways.plain.tokens:  # there is nothing to compare with
            passed += use.cost(price) - own_cost(way, use, price, rules, ways.plain.tokens)
            bill.forced += decision.forced
        else:
            passed += decision.plain.cost(price)
        bill.rewrites += decision.rewrite
        bill.worst = max(bill.worst, bill.cost - bill.own - passed)
    return bill


@dataclass(slots=True)
class _State:
    """What Clew has put into a session: blocks by the message in which they stand, and a rewritten beginning."""

    rules: CacheRules
    block: int
    window: int
    added: dict[bytes, Block] = field(default_factory=dict)
    short: tuple[tuple[bytes, ...], Block] | None = None
    _next: tuple[bytes, Block] | None = None
    _shorter: tuple[tuple[bytes, ...], Block] | None = None

    def ways(self, request: Sent, number: int) -> Ways:
        """The ways of a request."""
        plain = PromptForm(marked(request.head, request.messages, self.rules))
        self._next = (request.messages[-1].data, _block(number, self.block)) if request.is_question else None
        kept = self._prompt(request, self.added, self.short)
        tail = fresh = rewritten = None
        if self._next is not None:
            tail = self._prompt(request, {**self.added, self._next[0]: self._next[1]}, self.short)
        fresh = self._prompt(request, dict([self._next] if self._next else []), self.short)
        if self.window and kept.tokens >= 0.7 * self.window and len(request.messages) > 2 * PROTECTED:
            covered = request.messages[:-PROTECTED]
            tokens = max(1, int(SHORTER * sum(message.tokens for message in covered)))
            data = b"short" + covered[-1].data[:64]
            self._shorter = tuple(message.data for message in covered), Block(data, tokens)
            left = {data: each for data, each in self.added.items() if data not in set(self._shorter[0])}
            rewritten = self._prompt(request, {**left, **dict([self._next] if self._next else [])}, self._shorter)
        return Ways(plain, kept, tail, fresh, rewritten, self.window)

    def done(self, ways: Ways, decision: Decision) -> PromptForm:
        """Remembers what was chosen, and gives the prompt."""
        if decision.retire and not decision.rewrite:
            self.added = {}
        if decision.rewrite:
            self.short = self._shorter
        if decision.inject and self._next is not None:
            self.added[self._next[0]] = self._next[1]
        if decision.rewrite:
            return ways.rewritten or ways.kept
        return (ways.fresh if decision.retire else ways.tail if decision.inject else None) or ways.kept

    def _prompt(
        self, request: Sent, added: dict[bytes, Block], short: tuple[tuple[bytes, ...], Block] | None
    ) -> PromptForm:
        messages = request.messages
        begin: list[Block] = []
        if short is not None and tuple(message.data for message in messages[: len(short[0])]) == short[0]:
            begin, messages = [short[1]], messages[len(short[0]) :]
        blocks: list[Block] = []
        own: set[int] = set()
        for block in (*begin, *messages):
            blocks.append(block)
            if block.data in added:
                own.add(len(request.head) + len(blocks))
                blocks.append(added[block.data])
        plain = marked(
            request.head,
            [block for index, block in enumerate(blocks) if len(request.head) + index not in own],
            self.rules,
        )
        rest = iter(plain)
        put = [block if index in own else next(rest) for index, block in enumerate([*request.head, *blocks])]
        return PromptForm(tuple(put), tuple((index, put[index].tokens) for index in sorted(own)), may_mark=len(own))


def _added_up(
    sent: Sequence[Sent], rules: CacheRules, price: Price, blocks: Callable[[Sent], tuple[Block, ...]]
) -> Bill:
    bill, model = Bill(), CacheModel()
    for request in sent:
        bill.add(model.send(read_prompt(rules, request.model, blocks(request)), request.at), price)
    return bill


def _questions(sent: Sequence[Sent]) -> Iterator[int]:
    """The number of the question to which each request belongs."""
    number = 0
    for request in sent:
        number += request.is_question
        yield number


def _block(number: int, tokens: int) -> Block:
    return Block(f"remembered for question {number} ".encode() * max(1, tokens * 4 // 30), tokens)
