"""The worst-case and actual cost of model calls, in tokens and in whole millionths of a currency.

`clew.rows.spend_ledger` stores the sums.
"""

import math
from dataclasses import dataclass
from typing import Final

from clew.models.prompt import Completion, Prompt

MESSAGE_TOKENS: Final = 16
"""Most tokens that a chat template adds around a message to mark its beginning, role and end."""

REQUEST_TOKENS: Final = 512
"""Most tokens that a vendor adds to a request, such as instructions about the form of a JSON answer."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost of model calls.

    Attributes:
        tokens_in: input tokens.
        tokens_out: output tokens.
        micros: cost in millionths of the currency of the prices.
    """

    tokens_in: int
    tokens_out: int
    micros: int


NO_USAGE: Final = Usage(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices per million input (`read`) and output (`written`) tokens; 0 for a model that costs nothing."""

    read: float
    written: float

    def spent(self, tokens_in: int, tokens_out: int) -> Usage:
        """The cost of these tokens, rounded up: a price per million tokens is the millionths per single token."""
        return Usage(tokens_in, tokens_out, math.ceil(tokens_in * self.read + tokens_out * self.written))


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a space for one day (UTC), shared by all programs.

    Attributes:
        tokens: input and output tokens together.
        micros: cost in millionths of the currency.
    """

    tokens: int
    micros: int


def worst_case(prompt: Prompt, max_tokens: int, prices: Prices) -> Usage:
    """The most that a call can cost.

    No tokenizer makes more tokens from a text than it has UTF-8 bytes, so this bound holds for every model; on English
    text it is about four times the actual use. The server is relied on to keep to `max_tokens`.
    """
    texts = prompt.texts()
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return prices.spent(REQUEST_TOKENS + MESSAGE_TOKENS * len(texts) + size, max_tokens)


def actual_cost(answer: Completion, worst: Usage, prices: Prices) -> Usage:
    """The cost of a call by the counts in its answer; a count that the model does not report is taken from `worst`."""
    tokens_in = worst.tokens_in if answer.tokens_in is None else answer.tokens_in
    tokens_out = worst.tokens_out if answer.tokens_out is None else answer.tokens_out
    return prices.spent(tokens_in, tokens_out)
