"""What a client's shortened history has lost of a stored session. Start at `lost_turns`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clew.condense.images import without_images
from clew.condense.recap import RecapSource
from clew.text.json_texts import json_texts
from clew.types.turn import Turn

_HEAD: Final = 160
"""Characters of a part by which it is recognised: clients cut long texts at their ends."""


def lost_turns(turns: Sequence[Turn], messages: Sequence[Mapping[str, Any]]) -> list[Turn]:
    """The turns that say something of which the messages hold no part, oldest first.

    A part is held if its first 160 characters occur in the texts of the messages, white space aside.
    """
    held = squeezed(messages)
    return [turn for turn in turns if (heads := _heads(turn)) and not any(head in held for head in heads)]


def squeezed(messages: Sequence[Mapping[str, Any]]) -> str:
    """All texts of messages with single spaces; arguments of calls that are JSON in a text are read as well."""
    return " ".join(" ".join(text.split()) for text in _texts(without_images(list(messages))))


def lost_source(source: RecapSource, lost: Sequence[Turn], messages: Sequence[Mapping[str, Any]]) -> RecapSource:
    """The part of a session's recap that tells only what was lost."""
    places = {turn.seq for turn in lost}
    held = squeezed(messages)
    return RecapSource(
        source.session,
        [turn for turn in source.turns if turn.seq in places],
        topics=[(title, seq) for title, seq in source.topics if seq in places],
        tasks=[task for task in source.tasks if " ".join(task.split()) not in held],
        title=source.title,
        known=held,
    )


def _heads(turn: Turn) -> list[str]:
    shown = [part.text for part in turn.parts if part.type in ("text", "tool_result")]
    shown += [text for part in turn.parts if part.type == "tool_call" for text in _texts(part.text)]
    return [" ".join(text[: 2 * _HEAD].split())[:_HEAD] for text in shown if text.strip()]


def _texts(value: Any) -> Iterator[str]:
    """The texts in a JSON value, and for one that is itself a JSON object those in it."""
    for text in json_texts(value):
        inner = _object(text)
        yield from (text,) if inner is None else _texts(inner)


def _object(text: str) -> dict[str, Any] | None:
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # text that only begins like an object
        return None
    return value if isinstance(value, dict) else None
