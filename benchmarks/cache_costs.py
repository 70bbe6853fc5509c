"""What each way of adding a remembered block costs over real sessions, by each provider's cache rules and prices.

    CLEW_DATA=FOLDER python -m benchmarks.cache_costs [--block TOKENS] [--most REQUESTS]

FOLDER holds the sessions that `tests.support.cache_sessions` names. Each answer is a request with everything before it.
All ways are replayed through the same model of the provider's cache (`clew.serve.proxy.economy.cache_model`), which
knows nothing of evictions before their time.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from clew.serve.proxy.economy.prices import CacheRules, Price, price_list
from clew.serve.proxy.economy.replay import (
    Bill,
    Sent,
    direct,
    in_system_prompt,
    moving,
    not_put_back,
    with_clew,
)
from tests.support.cache_sessions import VARIATIONS, recorded

MODELS: Final = {
    "claude-opus-5-5": "anthropic",
    "gpt-5.4": "openai",
    "gpt-6.1-sol": "openai",
    "gemini-3.8-flash": "gemini",
}
LONG: Final = 40_000
"""Tokens from which a session is also replayed with a window of half its size."""


@dataclass(slots=True)
class Sum:
    """Totals of one way over sessions."""

    cost: float = 0.0
    own: float = 0.0
    read: int = 0
    total: int = 0
    worst: float = 0.0
    sessions: int = 0

    def add(self, bill: Bill) -> None:
        """Adds a session."""
        self.cost += bill.cost
        self.own += bill.own
        self.read += bill.use.read
        self.total += bill.use.total
        self.worst = max(self.worst, bill.worst / bill.cost if bill.cost else 0.0)
        self.sessions += 1


@dataclass(slots=True)
class Table:
    """Totals by model, kind of session and way."""

    sums: dict[tuple[str, str, str], Sum] = field(default_factory=dict)

    def add(self, model: str, kind: str, way: str, bill: Bill) -> None:
        """Adds what one way cost in one session."""
        self.sums.setdefault((model, kind, way), Sum()).add(bill)

    def print(self) -> None:
        """Prints a Markdown table; costs are percentages of passing through."""
        print(
            "| model | sessions | way | read from cache | cost | of it the block's own |\n|---|---|---|---:|---:|---:|"
        )
        for (model, kind, way), each in self.sums.items():
            base = self.sums[model, kind, "pass through (long)" if way.endswith("(long)") else "pass through"]
            share = 100 * each.read / max(1, each.total)
            cost, own = 100 * each.cost / base.cost, 100 * each.own / base.cost
            print(f"| {model} | {each.sessions} {kind} | {way} | {share:.1f} % | {cost:.0f} % | {own:.0f} % |")


def replay(table: Table, kind: str, sent: Sequence[Sent], block: int) -> None:
    """Replays a session in every way by the rules of every model."""
    longest = max(sum(part.tokens for part in (*each.head, *each.messages)) for each in sent)
    for model, wire in MODELS.items():
        rules, price = _terms(wire, model)
        plain = direct(sent, rules, price)
        table.add(model, kind, "pass through", plain)
        table.add(model, kind, "Clew", with_clew(sent, rules, price, block))
        table.add(model, kind, "block in the system prompt", in_system_prompt(sent, rules, price, block))
        table.add(model, kind, "block before the last message", moving(sent, rules, price, block))
        table.add(model, kind, "block at the tail, not put back", not_put_back(sent, rules, price, block))
        if longest >= LONG:
            table.add(model, kind, "pass through (long)", plain)
            table.add(
                model, kind, "Clew, window of half (long)", with_clew(sent, rules, price, block, window=longest // 2)
            )


def _terms(wire: str, model: str) -> tuple[CacheRules, Price]:
    price = price_list().price(model)
    if price is None:
        raise SystemExit(f"{model} is not in prices.toml; name another model in MODELS")
    return price_list().rules(wire, model), price


def main() -> int:
    """Runs the replay and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--block", type=int, default=1_500, help="tokens of a block")
    parser.add_argument("--most", type=int, default=200, help="requests of a session that are replayed")
    parser.add_argument("--client", choices=sorted(VARIATIONS), default="as recorded", help="what the client does")
    given = parser.parse_args()
    data = os.environ.get("CLEW_DATA")
    if not data or not Path(data).is_dir():
        print("CLEW_DATA names no folder with recorded sessions", file=sys.stderr)
        return 2
    table = Table()
    for kind, name, sent in recorded(Path(data)):
        print(name, file=sys.stderr)
        replay(table, kind, list(VARIATIONS[given.client](sent[: given.most])), given.block)
    table.print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
