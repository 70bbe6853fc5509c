"""What a call may cost at most, and what it cost: arithmetic on tokens and millionths of a currency, in whole numbers.

Borders: knows no store; `clew.rows.spend_ledger` keeps the sums.
"""

import math
from dataclasses import dataclass
from typing import Final

from clew.models.prompt import Completion, Prompt

MESSAGE_TOKENS: Final = 16
"""Tokens that a chat template puts around a message, at most: the marks of its beginning, role and end."""

REQUEST_TOKENS: Final = 512
"""Tokens that a vendor adds to a request of its own accord, such as its words about the form of a JSON answer."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls cost.

    Attributes:
        tokens_in: read by the model.
        tokens_out: written by it.
        micros: millionths of the currency in which the prices are given.
    """

    tokens_in: int
    tokens_out: int
    micros: int


NO_USAGE: Final = Usage(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices for a million tokens; 0 where nothing is paid, as for a model of one's own."""

    read: float
    written: float

    def spent(self, tokens_in: int, tokens_out: int) -> Usage:
        """The cost of so many tokens, rounded up: a price for a million is one in millionths for a single token."""
        return Usage(tokens_in, tokens_out, math.ceil(tokens_in * self.read + tokens_out * self.written))


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent in a space on a day (UTC), by all programs together.

    Attributes:
        tokens: read and written together.
        micros: millionths of the currency.
    """

    tokens: int
    micros: int


def worst_case(prompt: Prompt, max_tokens: int, prices: Prices) -> Usage:
    """What a call can cost at most.

    No tokenizer makes more tokens of a text than it has bytes in UTF-8, so this bound holds for every model; on English
    it is about four times what is used. The limit of the answer is the server's to keep.
    """
    texts = prompt.texts()
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return prices.spent(REQUEST_TOKENS + MESSAGE_TOKENS * len(texts) + size, max_tokens)


def actual_cost(answer: Completion, worst: Usage, prices: Prices) -> Usage:
    """What a call cost as its answer tells it; what the model does not count is taken at its worst."""
    tokens_in = worst.tokens_in if answer.tokens_in is None else answer.tokens_in
    tokens_out = worst.tokens_out if answer.tokens_out is None else answer.tokens_out
    return prices.spent(tokens_in, tokens_out)
