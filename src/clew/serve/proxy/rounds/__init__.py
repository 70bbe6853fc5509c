"""Joins the rounds of a tool loop into the one answer that the client sees, whole or streamed, in each wire format.

Start at `joiner_of`.
"""

from typing import Final

from clew.serve.proxy.rounds.anthropic import ANTHROPIC
from clew.serve.proxy.rounds.gemini import GEMINI
from clew.serve.proxy.rounds.openai import OPENAI
from clew.serve.proxy.rounds.protocol import RoundJoiner
from clew.serve.proxy.rounds.responses import RESPONSES
from clew.types.exact import exact_choice

_JOINERS: Final[dict[str, RoundJoiner]] = {
    "anthropic": ANTHROPIC,
    "openai": OPENAI,
    "responses": RESPONSES,
    "gemini": GEMINI,
}


def joiner_of(wire: str) -> RoundJoiner:
    """What joins the rounds of a wire format.

    Raises:
        InputError: no wire format has this name.
    """
    return _JOINERS[exact_choice(wire, "wire", _JOINERS)]


__all__ = ["RoundJoiner", "joiner_of"]
