"""JSON as programs write it: line ends and tabs may stand in strings unescaped, which RFC 8259 forbids.

Some local servers and hand-written clients send such strings, and the vendors' parsers take them. Whatever the proxy
reads of a request or an answer is read by this, so that no part of it refuses what another has accepted.
"""

import json
from typing import Any, Final

DECODER: Final = json.JSONDecoder(strict=False)
"""For values inside of a longer text (`raw_decode`)."""


def read_json(text: bytes | str) -> Any:
    """The value of a JSON text; bytes may begin with a byte order mark.

    Raises:
        ValueError: it is not JSON. RecursionError: it is nested too deeply.
    """
    return DECODER.decode(text) if isinstance(text, str) else json.loads(text, strict=False)
