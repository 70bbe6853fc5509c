"""Read, cut and check message lists in the four wire formats; nothing else of Clew knows where a wire keeps its tools.

Start at `wire`, which gives the `Wire` of a name.
"""

from typing import Final

from clew.condense.wires.anthropic import ANTHROPIC
from clew.condense.wires.gemini import GEMINI
from clew.condense.wires.openai import OPENAI
from clew.condense.wires.protocol import Message, Wire
from clew.condense.wires.responses import RESPONSES
from clew.types.exact import exact_choice

WIRES: Final[dict[str, Wire]] = {wire.name: wire for wire in (ANTHROPIC, OPENAI, RESPONSES, GEMINI)}


def wire(name: object) -> Wire:
    """The wire format of a name.

    Raises:
        InputError: no wire format has this name.
    """
    return WIRES[exact_choice(name, "wire", WIRES)]


__all__ = ["WIRES", "Message", "Wire", "wire"]
