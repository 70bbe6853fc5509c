"""Random requests of the four wire formats, with random white space, escapes and unknown members."""

import json
from random import Random
from typing import Any, Final

from tests.support.chat_requests import LISTS
from tests.support.wire_talks import Event, Said, Used, written

TEXTS: Final = (
    *(
        "Why?",
        "Zürich 日本 🙂",
        'a "quoted" \\ back\\slash',
        "tab\tand\nline\r\nend",
        "\u2028 \x7f \x00",
        "{[,:]}",
        "\ud83d",
    ),
    "<system-reminder>\nUse the list.\n</system-reminder>\nGo on.",
)
MARK: Final = {"cache_control": {"type": "ephemeral"}}
PATHS: Final = {
    "anthropic": "/v1/messages",
    "openai": "/v1/chat/completions",
    "responses": "/v1/responses",
    "gemini": "/v1beta/models/gemini-3:generateContent",
}
TOOLS: Final = {
    "anthropic": {"name": "Read", "input_schema": {"type": "object"}, **MARK},
    "openai": {"type": "function", "function": {"name": "Read"}},
    "responses": {"type": "function", "name": "Read", "parameters": {}},
    "gemini": {"functionDeclarations": [{"name": "Read"}]},
}


def random_talk(random: Random) -> list[Event]:
    """A valid conversation that ends with the user."""
    events: list[Event] = [Said("user", random.choice(TEXTS))]
    for _ in range(random.randrange(4)):
        for _ in range(random.randrange(3)):
            calls = tuple(("Read", random.choice(TEXTS), random.choice(TEXTS)) for _ in range(random.randint(1, 2)))
            events.append(
                Used(calls, random.choice(("", "Let me look.")), random.random() < 0.5, random.random() < 0.2)
            )
        events += [Said("assistant", random.choice(TEXTS)), Said("user", random.choice(TEXTS))]
    return events


def random_value(random: Random, wire: str) -> dict[str, Any]:
    """A valid request: messages in either form of a content, marks, unknown members and blocks, options of any kind."""
    messages = [_varied(random, wire, message) for message in written(random_talk(random), wire)]
    value: dict[str, Any] = {LISTS[wire]: messages}
    if wire != "gemini":
        value["model"] = "m"
    options = {"stream": True, "temperature": 0.1, "future": [{"x": None}], "größe": "ü"}
    value |= {name: given for name, given in options.items() if random.random() < 0.5}
    if random.random() < 0.5:
        value["tools"] = [TOOLS[wire]] * random.randrange(3)
    items = list(value.items())
    random.shuffle(items)
    return dict(items)


def _varied(random: Random, wire: str, message: dict[str, Any]) -> dict[str, Any]:
    content: Any = message.get("content")
    is_text = isinstance(content, list) and len(content) == 1 and "text" in content[0]
    if is_text and wire in ("anthropic", "responses") and random.random() < 0.5:
        message = {**message, "content": content[0]["text"]}
    elif wire == "openai" and message["role"] == "user" and random.random() < 0.5:
        message = {**message, "content": [{"type": "text", "text": content}, {"type": "future", "x": 1}]}
    elif is_text and message["role"] == "user" and random.random() < 0.5:
        message = {**message, "content": [{**content[0], **MARK}, {"type": "future", "x": [1.0, -0.0]}]}
    return {**message, "unknown": {"parts": ["}", "]"]}} if random.random() < 0.3 else message


def rendered(random: Random, value: Any) -> bytes:
    """A value as JSON, with white space and escapes as they come."""
    return _text(random, value).encode("utf-8")


def _text(random: Random, value: Any) -> str:
    space = "".join(random.choices(" \n\t\r", k=random.choice((0, 0, 0, 1, 3))))
    if isinstance(value, dict):
        members = [f"{_text(random, name)}:{_text(random, member)}" for name, member in value.items()]
        return f"{space}{{{','.join(members)}{space}}}{space}"
    if isinstance(value, list):
        return f"{space}[{','.join(_text(random, item) for item in value)}{space}]{space}"
    if isinstance(value, str):
        return f'{space}"{"".join(_letter(random, letter) for letter in value)}"{space}'
    return f"{space}{json.dumps(value)}{space}"


def _letter(random: Random, letter: str) -> str:
    if random.random() < 0.1 or "\ud800" <= letter <= "\udfff":
        return "".join(f"\\u{unit:04x}" for unit in _units(letter))
    return json.dumps(letter, ensure_ascii=False)[1:-1]


def _units(letter: str) -> list[int]:
    data = letter.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]


def broken(random: Random, body: bytes) -> bytes:
    """Bytes that were a body: cut off, with bytes replaced, doubled or left out."""
    data = bytearray(body)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(data) + 1)
        change = random.randrange(4)
        if change == 0:
            del data[at:]
        elif change == 1:
            data[at : at + 1] = random.randbytes(1)
        elif change == 2:
            data[at:at] = data[at : at + random.randrange(40)]
        else:
            data[at:at] = random.choice(
                (b"{", b"[", b'"', b"\\", b",", b":", b"null", b"\xed\xa0\x80", b"1e999", b"\r")
            )
    return bytes(data)
