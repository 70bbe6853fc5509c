"""Read and change requests, and read answers, in the four wire formats; what no edit touches stays byte for byte.

Start at `wire_of`, which gives the format of a path.
"""

from typing import Final

from clew.serve.proxy.wires.anthropic import ANTHROPIC
from clew.serve.proxy.wires.gemini import GEMINI
from clew.serve.proxy.wires.openai import OPENAI
from clew.serve.proxy.wires.protocol import AnswerReader, ProxyWire
from clew.serve.proxy.wires.responses import RESPONSES

WIRES: Final[dict[str, ProxyWire]] = {wire.name: wire for wire in (ANTHROPIC, OPENAI, RESPONSES, GEMINI)}


def wire_of(method: str, path: str) -> ProxyWire | None:
    """The format of a chat request to a path below the provider's prefix; None for everything that is no chat."""
    return next((wire for wire in WIRES.values() if wire.is_chat(method, path)), None)


__all__ = ["WIRES", "AnswerReader", "ProxyWire", "wire_of"]
