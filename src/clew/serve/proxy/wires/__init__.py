"""Read and change requests, and read answers, in the four wire formats; what no edit touches stays byte for byte.

Start at `wire_of`, which gives the format of a path.
"""

from typing import Any, Final

from clew.serve.proxy.exchange import ChatRequest
from clew.serve.proxy.wires.anthropic import ANTHROPIC
from clew.serve.proxy.wires.gemini import GEMINI
from clew.serve.proxy.wires.openai import OPENAI
from clew.serve.proxy.wires.protocol import AnswerReader, ProxyWire
from clew.serve.proxy.wires.responses import RESPONSES

WIRES: Final[dict[str, ProxyWire]] = {wire.name: wire for wire in (ANTHROPIC, OPENAI, RESPONSES, GEMINI)}


def wire_of(method: str, path: str) -> ProxyWire | None:
    """The format of a chat request to a path below the provider's prefix; None for everything that is not a chat."""
    return next((wire for wire in WIRES.values() if wire.is_chat(method, path)), None)


def before_messages(request: ChatRequest) -> list[Any]:
    """What stands in the list of a request's messages before the conversation: instructions, and tools of Codex."""
    listed = request.value.get(WIRES[request.wire].messages_member)
    return listed[: len(listed) - len(request.messages)] if isinstance(listed, list) else []


__all__ = ["WIRES", "AnswerReader", "ProxyWire", "before_messages", "wire_of"]
