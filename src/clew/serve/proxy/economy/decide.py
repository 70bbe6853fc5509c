"""Chooses how a request is sent: as it came, with a block at its tail, or rewritten, now or once the cache is cold.

The client's own tokens never cost more than they would cost without Clew. For that the provider's cache is modelled
twice: as it is with what Clew sends, and as it would be with what the client sent. What was saved by earlier rewriting
may be spent on a later one, and nothing else.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from clew.serve.proxy.economy.cache_model import CacheModel, CacheUse, LastPrompts
from clew.serve.proxy.economy.prices import CacheRules
from clew.serve.proxy.economy.prompt_forms import PromptForm, Ways
from clew.serve.proxy.economy.way_chooser import (
    CacheKnowledge,
    ChosenWay,
    Prospect,
    SessionAccount,
    Terms,
    Way,
    WayChooser,
    expected_turns,
)

_SESSIONS: Final = 10_000


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
        later: expected cost of our own tokens in the rest of the session, in the same unit; None without a price.
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


class Economy:
    """The state behind the choices: both models of the cache, and the account of each session. Threads may share it."""

    def __init__(self, *, most: int = 20_000) -> None:
        """Starts without knowledge: a first request is taken to find nothing in the cache."""
        self._with = CacheModel(most)
        self._without = CacheModel(most)
        self._accounts: OrderedDict[tuple[str, str], SessionAccount] = OrderedDict()
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
            chooser = WayChooser((self._with, self._without), ways, terms, account, knowledge, came)
            chosen = chooser.choose()
            prospect, form = chooser.prospect(chosen.way), chooser.ways[chosen.way]
            plain = self._without.send(chooser.plain, terms.now)
            self._with.send(chooser.read(chosen.way), terms.now)
            if chooser.fits and not chooser.is_forced:
                account.saved -= prospect.harm
            turns = expected_turns(account.requests)
            account.requests += 1
        own = sum(tokens for _, tokens in form.own)
        known = terms.known is not None
        return Decision(
            _choice(chosen, ways),
            inject=chosen.way in (Way.TAIL, Way.FRESH) or (chosen.way is Way.REWRITTEN and ways.tail is not None),
            rewrite=chosen.way is Way.REWRITTEN,
            retire=chosen.way is Way.FRESH,
            reason=chosen.reason,
            prospect=prospect,
            plain=plain,
            cost=prospect.cost if known else None,
            cost_without=plain.cost(terms.price) if known and chooser.fits else None,
            later=turns * own * terms.price.read if known else None,
            own_tokens=own,
            forced=chooser.is_forced,
            marked=form.mark,
        )

    def _knowledge(self, account: SessionAccount, terms: Terms, session: str, life: float) -> CacheKnowledge:
        scopes = self._scopes.setdefault(session, {})
        self._scopes.move_to_end(session)
        if len(self._scopes) > _SESSIONS:
            self._scopes.popitem(last=False)
        warm = any(terms.now - last <= kept for scope, (last, kept) in scopes.items() if scope != terms.scope)
        before = max((last for last, _ in scopes.values()), default=None)
        scopes[terms.scope] = (terms.now, life)
        is_paused = before is not None and terms.now - before > life
        return CacheKnowledge(not warm and (account.requests > 0 or is_paused), not warm and is_paused, warm)

    def _account(self, scope: str, session: str) -> SessionAccount:
        account = self._accounts.setdefault((scope, session), SessionAccount())
        self._accounts.move_to_end((scope, session))
        if len(self._accounts) > _SESSIONS:
            self._accounts.popitem(last=False)
        return account


def _longest_life(rules: CacheRules, form: PromptForm) -> float:
    """Seconds after which nothing of a prompt is cached any more."""
    return max(rules.seconds, rules.seconds_most, 0.0, *[block.mark for block in form.blocks])


def _choice(chosen: ChosenWay, ways: Ways) -> Choice:
    if chosen.way is Way.REWRITTEN:
        return Choice.REWRITE_NOW
    if chosen.waits:
        return Choice.REWRITE_WHEN_COLD
    adds = chosen.way is Way.TAIL or (chosen.way is Way.FRESH and ways.tail is not None)
    return Choice.TAIL if adds else Choice.LEAVE
