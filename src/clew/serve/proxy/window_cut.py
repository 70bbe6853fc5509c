"""Makes a message list fit a window without any store: by dropping its oldest messages and the middle of long texts.

The result is valid for its format, and the same for the same list; what was left out is marked where it stood.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clew.condense.message_tokens import message_tokens
from clew.condense.wires import Message, Wire
from clew.condense.wires.gemini import SIGNATURES
from clew.condense.wires.protocol import blocks
from clew.text.counters import CHARS_PER_TOKEN, Counter

DROPPED: Final = "[Clew left out the {count} messages before this one, {tokens:,} tokens, to fit the model's window.]"
SHORTENED: Final = "\n[Clew left out {characters:,} characters here to fit the model's window: text-{digest}]\n"
EARLIER: Final = "<clew-earlier>"
EARLIER_END: Final = "</clew-earlier>"
"""Around what stands at the beginning of a list for messages that were replaced before."""
_MOST_EARLIER: Final = 0.5
"""Most of the room that it may keep in a list that is cut."""
STEP: Final = 0.25
"""Share of the room in whose multiples tokens are dropped, so that a growing list is cut at the same place for long."""

_LEAST: Final = 400
"""Characters of a text that is not shortened further."""

_VERBATIM: Final = frozenset({"signature", "data", "encrypted_content", "thoughtSignature", "id", "call_id", "url"})
"""Members whose text means nothing in part."""

_EMPTY: Final = "(no words)"
_REASONING: Final = frozenset({"thinking", "redacted_thinking", "reasoning"})


def fitted(messages: Sequence[Message], wire: Wire, room: int, count: Counter) -> list[Message]:
    """The list in at most so many tokens: the last messages, the first of them a question, shortened where needed.

    Where the last question and what followed it do not fit, the oldest calls after it are dropped as well, and then
    the middle of the longest texts. A list that cannot be made to fit so comes back as short as it could be made. What
    stands at its beginning for messages that were replaced before stays there.
    """
    given = list(messages)
    sizes = [message_tokens([message], wire.name, count) for message in given]
    if sum(sizes) <= room or not given:
        return given
    given = without_old_reasoning(given, wire)
    sizes = [message_tokens([message], wire.name, count) for message in given]
    starts = list(_starts(given, wire))
    step = max(1, int(STEP * room))
    earlier = _earlier(given[0])
    if count(earlier) > _MOST_EARLIER * room:
        earlier = ""
    least = -(-(sum(sizes) + count(earlier) - room) // step) * step
    for start in [each for each in starts if sum(sizes[:each]) >= least] + starts:
        left = _from(given, wire, start, sum(sizes[:start]), earlier)
        if message_tokens(left, wire.name, count) <= room:
            return left
    last = max(starts, default=0)
    left = _from(given, wire, last, sum(sizes[:last]), earlier) if last else given
    return _shortened(_without_old_rounds(left, wire, room, count), wire, room, count)


def without_old_reasoning(messages: Sequence[Message], wire: Wire) -> list[Message]:
    """The list without the reasoning of answers before the last question, where the provider checks reasoning.

    A provider may refuse reasoning whose conversation was changed before it; that of finished answers may be left out.
    """
    if not wire.checks_reasoning:
        return list(messages)
    last = max((index for index, message in enumerate(messages) if wire.is_question(message)), default=0)
    return [_unreasoned(message, wire) if index < last else message for index, message in enumerate(messages)]


def reasons_since_question(messages: Sequence[Message], wire: Wire) -> bool:
    """Whether the answer at hand has reasoned, so that what stands before it may not change."""
    last = max((index for index, message in enumerate(messages) if wire.is_question(message)), default=0)
    return wire.checks_reasoning and any(wire.reasons(message) for message in messages[last:])


def _unreasoned(message: Message, wire: Wire) -> Message:
    """Without thoughts, and without the signatures that Gemini puts beside text and calls."""
    if not wire.reasons(message):
        return message
    parts, empty = ("parts", {"text": _EMPTY}) if "parts" in message else ("content", {"type": "text", "text": _EMPTY})
    kept = [
        {name: value for name, value in block.items() if name not in SIGNATURES}
        for block in blocks(message.get(parts))
        if not _is_reasoning(block) and block.get("thought") is not True
    ]
    return {**message, parts: kept or [empty]}


def _is_reasoning(block: Mapping[str, Any]) -> bool:
    """Whether an object is reasoning; the `type` in a tool's arguments may be anything, as a list in a JSON Schema."""
    kind = block.get("type")
    return isinstance(kind, str) and kind in _REASONING


def _starts(messages: Sequence[Message], wire: Wire) -> Iterator[int]:
    """Where a valid list can begin, the longest first: at a question that answers no call."""
    broken = bool(wire.problems(messages))
    for index, message in enumerate(messages):
        is_start = index > 0 and wire.is_question(message) and not wire.results(message)
        if is_start and (broken or not wire.problems(messages[index:])):
            yield index


def _earlier(message: Message) -> str:
    """What stands at the beginning of the first message for those that were replaced; empty where nothing does."""
    content = message.get("content", message.get("parts"))
    text = content if isinstance(content, str) else next((block.get("text") for block in blocks(content)), None)
    if not isinstance(text, str) or not text.startswith(EARLIER):
        return ""
    inside, end, _ = text.partition(EARLIER_END)
    return inside + end if end else ""


def _from(messages: Sequence[Message], wire: Wire, start: int, tokens: int, earlier: str) -> list[Message]:
    note = DROPPED.format(count=start, tokens=tokens)
    note = f"{earlier}\n\n{note}" if earlier else note
    return with_instructions(messages[:start], [wire.with_note(messages[start], note), *messages[start + 1 :]], wire)


def with_instructions(dropped: Sequence[Message], left: Sequence[Message], wire: Wire) -> list[Message]:
    """The remaining messages, with the dropped ones of the role `system` joined into one behind the first question.

    In such messages Claude Code tells the model about its surroundings, and only once. Other formats have instructions
    at the start alone, which is not dropped.
    """
    told = [message for message in dropped if message.get("role") == "system"]
    if wire.name != "anthropic" or not told:
        return list(left)
    split = next(at for at in range(1, len(left) + 1) if at == len(left) or left[at].get("role") != "user")
    rest = list(left[split:])
    if rest and rest[0].get("role") == "system":
        told.append(rest.pop(0))
    parts = [part for message in told for part in _text_parts(message.get("content"))]
    whole = {name: value for message in told for name, value in message.items()}
    return [*left[:split], {**whole, "content": parts}, *rest]


def _text_parts(content: Any) -> list[Message]:
    """The text parts of the content of a message, without cache marks."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else blocks(content)
    return [{name: value for name, value in part.items() if name != "cache_control"} for part in parts]


def _without_old_rounds(messages: list[Message], wire: Wire, room: int, count: Counter) -> list[Message]:
    """Without the oldest messages between the first, which is the question, and the last ones that fit."""
    broken = bool(wire.problems(messages))
    best = messages
    for start in range(2, len(messages)):
        rest = messages[start:]
        if wire.results(rest[0]) or not wire.calls(rest[0]):
            continue
        tokens = message_tokens(messages[1:start], wire.name, count)
        note = DROPPED.format(count=start - 1, tokens=tokens)
        left = with_instructions(messages[1:start], [wire.with_note(messages[0], note), *rest], wire)
        if not broken and wire.problems(left):
            continue
        best = left
        if message_tokens(left, wire.name, count) <= room:
            break
    return best


def _shortened(messages: list[Message], wire: Wire, room: int, count: Counter) -> list[Message]:
    """With the middle of texts left out, by a limit on each that is lowered until the list fits."""
    most = max((len(text) for text in _texts(messages)), default=0)
    left = messages
    while most > _LEAST and message_tokens(left, wire.name, count) > room:
        above = message_tokens(left, wire.name, count) - room
        most = max(_LEAST, min(most * 3 // 4, most - above * CHARS_PER_TOKEN))
        left = [_with_short_texts(message, most) for message in messages]
    return left


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for element in value:
            yield from _texts(element)
    elif isinstance(value, dict) and not _is_reasoning(value):
        for name, each in value.items():
            if name not in _VERBATIM:
                yield from _texts(each)


def _with_short_texts(value: Any, most: int) -> Any:
    if isinstance(value, str):
        return middle_left_out(value, most)
    if isinstance(value, list):
        return [_with_short_texts(element, most) for element in value]
    if isinstance(value, dict) and not _is_reasoning(value):
        return {
            name: each if name in _VERBATIM or name == "arguments" else _with_short_texts(each, most)
            for name, each in value.items()
        }
    return value


def middle_left_out(text: str, most: int) -> str:
    """A text in about so many characters: its beginning, a mark with a hash of the whole, and its end."""
    if len(text) <= most:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    mark = SHORTENED.format(characters=len(text) - most, digest=digest)
    half = max(0, most - len(mark)) // 2
    return f"{text[:half]}{mark}{text[len(text) - half :]}" if half else mark.strip()[:most]
