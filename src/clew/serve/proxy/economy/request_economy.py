"""The choice for a request of a client: its bytes and the edits in question in, a decision out."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from clew.condense.wires import wire
from clew.serve.proxy.economy.cache_model import Block
from clew.serve.proxy.economy.decide import Decision, Economy
from clew.serve.proxy.economy.prices import Price, PriceList
from clew.serve.proxy.economy.prompt_blocks import MINUTES, BlockReader, asked_for
from clew.serve.proxy.economy.prompt_forms import PromptForm, Ways, own_parts
from clew.serve.proxy.economy.way_chooser import Terms
from clew.serve.proxy.exchange import ChatRequest, Edit
from clew.text.counters import Counter


@dataclass(frozen=True, slots=True)
class EditsInQuestion:
    """The edits of which some are to be made.

    Attributes:
        base: what holds in any case until the next rewriting, as renderings in place of old messages.
        kept: put back the blocks of earlier questions.
        block: adds the new block; empty when there is none.
        rewritten: renderings in place of old messages, with the earlier blocks that stand behind them, and without the
            new block; None when there is nothing to rewrite.
    """

    base: Sequence[Edit] = ()
    kept: Sequence[Edit] = ()
    block: Sequence[Edit] = ()
    rewritten: Sequence[Edit] | None = None

    def chosen(self, decision: Decision) -> list[Edit]:
        """The edits that a decision makes."""
        if decision.rewrite and self.rewritten is not None:
            edits = list(self.rewritten)
        else:
            edits = [*self.base, *(() if decision.retire else self.kept)]
        if decision.marked is not None:  # then the blocks that were put back are all there is
            at, seconds = decision.marked
            edits.sort(key=lambda edit: edit.span.start)
            edits[at] = _with_mark(edits[at], seconds)
        return [*edits, *self.block] if decision.inject else edits


class RequestEconomy:
    """Chooses for the requests of a server. Threads share it."""

    def __init__(self, prices: PriceList, count: Counter, seconds: Callable[[], float]) -> None:
        """Takes the prices, the counter of tokens, and a clock."""
        self._prices, self._seconds = prices, seconds
        self._reader = BlockReader(count)
        self._economy = Economy()

    def price(self, model: str) -> Price | None:
        """The price of a model; None for one that is not known."""
        return self._prices.price(model)

    def tokens(self, request: ChatRequest, edits: Sequence[Edit] = ()) -> int:
        """Tokens of a request, tools and system prompt included, once the edits are made."""
        return self._reader.tokens(request, edits)

    def choose(
        self,
        request: ChatRequest,
        edits: EditsInQuestion,
        *,
        account: str,
        session: str,
        limit: int = 0,
    ) -> Decision:
        """Chooses which edits are made, and remembers that the request is sent so now.

        Args:
            account: what keeps the provider's caches apart besides the model, such as a hash of the client's key.
            session: the conversation.
            limit: most tokens that the model takes; 0 when unknown.
        """
        added = bool(edits.block)
        messages, head = self._reader.messages(request), self._reader.head(request)

        def form(*parts: Sequence[Edit]) -> PromptForm:
            return self._form(request, [edit for part in parts for edit in part], head, messages)

        plain = form()
        kept = form(edits.base, edits.kept) if edits.base or edits.kept else plain
        tail = form(edits.base, edits.kept, edits.block) if added else None
        rules, price = self._prices.rules(request.wire, request.model), self._prices.price(request.model)
        has_mark_left = request.body.count(b'"cache_control"') < rules.marks  # also inside of the results of tools
        may_mark = bool(edits.kept) and has_mark_left and not edits.base and len(kept.own) == len(edits.kept)
        if may_mark and all(map(_is_block, edits.kept)):
            count = len(kept.own)
            kept, tail = replace(kept, may_mark=count), None if tail is None else replace(tail, may_mark=count)
        ways = Ways(
            plain=plain,
            kept=kept,
            tail=tail,
            fresh=form(edits.base, edits.block) if edits.kept and not _reasons(request) else None,
            rewritten=None if edits.rewritten is None else form(edits.rewritten, edits.block),
            limit=limit,
        )
        terms = Terms(rules, price, f"{account}\x1f{request.model}", self._seconds())
        return self._economy.decide(ways, terms, session=session)

    def _form(
        self, request: ChatRequest, edits: Sequence[Edit], head: Sequence[Block], plain: Sequence[tuple[Block, ...]]
    ) -> PromptForm:
        changed = self._reader.messages(request, edits, plain)
        blocks = [*head, *self._reader.added(request, edits)]
        own: list[tuple[int, int]] = []
        same = len(plain) == len(changed)
        for index, message in enumerate(changed):
            if same and message is not plain[index]:
                own += own_parts(plain[index], message, len(blocks))
            elif (
                not same and plain and index == len(changed) - 1
            ):  # of a rewritten list only the last message is the client's own
                own += own_parts(plain[-1], message, len(blocks))
            blocks += message
        asked = asked_for(request)
        if blocks and asked:
            blocks[-1] = replace(blocks[-1], mark=max(blocks[-1].mark, asked))
        return PromptForm(tuple(blocks), tuple(own))


def _is_block(edit: Edit) -> bool:
    """Whether an edit ends with a block of text by itself, as those for Anthropic do."""
    return edit.text.endswith((b'"}', b'"}]'))


def _with_mark(edit: Edit, seconds: float) -> Edit:
    """An edit that adds a block, which ends it, with a cache mark on this block."""
    mark = {"type": "ephemeral"} if seconds <= MINUTES else {"type": "ephemeral", "ttl": "1h"}
    before, brace, after = edit.text.rpartition(b"}")
    return replace(edit, text=b'%b,"cache_control":%b' % (before, json.dumps(mark).encode()) + brace + after)


def _reasons(request: ChatRequest) -> bool:
    """Whether a request holds reasoning, which its provider may refuse when the messages before it have changed."""
    reader = wire(request.wire)
    return reader.checks_reasoning and any(map(reader.reasons, request.messages))
