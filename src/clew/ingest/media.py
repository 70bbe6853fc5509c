"""Moves large originals (images, long tool results and documents) to blobs and back, without a store.

A moved part keeps `blob`, the SHA-256 of its bytes; of a long text, head and tail remain, and between them a visible
pointer and the lines that report a failure. `inline` restores what `offload` moved, byte for byte.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from clew.ingest.strings import with_parts
from clew.text.late_pattern import late_pattern
from clew.types import Part, Turn

TEXT_TYPE = "text/plain; charset=utf-8"
_MOVED = "moved"  # in `extra`: the blob holds the part's whole text, not its `data`
_MOVED_KEYS = frozenset(("media_type", "extra"))
_POINTER = re.compile(r"\n\[… (\d{1,12}) characters in blob [0-9a-f]{12} …\]\n")
_PREVIEWED = ("tool_result", "injected")


_FAILURE: Final = late_pattern(
    r"\b(?:error|exception|traceback|panic|fatal|fail(?:ed|ure)?)\b|(?<=[a-z])(?:Error|Exception)\b", re.IGNORECASE
)
"""A sign that a line reports a failure."""
AROUND: Final = 300
"""Most characters of such a line that are kept on either side of the sign."""
_NUMBER: Final = late_pattern(r"0x[0-9a-fA-F]+|\d+")


def offload(turn: Turn, limit: int = 65_536) -> tuple[Turn, dict[str, bytes]]:
    """Moves original bytes, and tool results and documents whose text is longer than the limit, out of the turn.

    Args:
        limit: bytes of UTF-8. A longer text keeps half of the limit from its head, a quarter from its tail, and in
            between lines that report a failure, up to a quarter.

    Returns:
        The turn to store (the same object if nothing was moved), and the blobs by their SHA-256.
    """
    blobs: dict[str, bytes] = {}
    parts = tuple(_moved(part, limit, blobs) for part in turn.parts)
    return (with_parts(turn, parts) if blobs else turn), blobs


def inline(turn: Turn, get_blob: Callable[[str], bytes]) -> Turn:
    """The turn as it was before `offload`; `get_blob` returns a blob by its SHA-256, or raises NotFoundError."""
    parts = tuple(_restored(part, get_blob) for part in turn.parts)
    return with_parts(turn, parts) if parts != turn.parts else turn


def holds_text(part: Part) -> bool:
    """Whether the part's blob is its own long text rather than an image or a file."""
    moved = part.extra.get(_MOVED) if part.blob is not None and part.extra is not None else None
    return isinstance(moved, dict) and moved.keys() == _MOVED_KEYS


def moved_characters(turn: Turn) -> int:
    """How many characters more a turn has with its long texts in full than it has as it is stored."""
    more = 0
    for part in turn.parts:
        if holds_text(part) and (pointer := _POINTER.search(part.text)):
            more += max(0, int(pointer[1]) - len(part.text))
    return more


def _moved(part: Part, limit: int, blobs: dict[str, bytes]) -> Part:
    if part.blob is not None:
        return part
    if part.data is not None:
        return replace(part, data=None, blob=_keep(part.data, blobs))
    if not _may_move(part) or len(part.text) * 4 <= limit:
        return part
    data = part.text.encode("utf-8", "surrogatepass")
    if len(data) <= limit:
        return part
    digest = _keep(data, blobs)
    preview = _preview(data, len(part.text), digest, limit)
    media_type = part.media_type or TEXT_TYPE
    extra = {**(part.extra or {}), _MOVED: {"media_type": part.media_type, "extra": part.extra is not None}}
    return replace(part, text=preview, blob=digest, media_type=media_type, extra=extra)


def _may_move(part: Part) -> bool:
    """Whether a part is tool output or a document (which has a media type); typed text is never moved."""
    return part.type in _PREVIEWED or (part.type == "text" and part.media_type is not None)


def _keep(data: bytes, blobs: dict[str, bytes]) -> str:
    digest = hashlib.sha256(data).hexdigest()
    blobs[digest] = data
    return digest


def _preview(data: bytes, characters: int, digest: str, limit: int) -> str:
    """Head and tail of a text, cut between characters, and between them the pointer to the blob and what failed."""
    start, end = limit // 2, len(data) - limit // 4
    head = data[:start].decode("utf-8", "ignore")
    tail = data[end:].decode("utf-8", "ignore")
    failures = _failures(data[start:end].decode("utf-8", "ignore"), limit // 4)
    return "\n".join((head, f"[… {characters} characters in blob {digest[:12]} …]", *failures, tail))


def _failures(text: str, room: int) -> list[str]:
    """The first lines of a text that report a failure, each kind once, within so many bytes of UTF-8.

    Lines that differ in numbers alone are of one kind: a log may repeat a failure thousands of times.
    """
    lines: dict[str, str] = {}
    end = 0
    for sign in _FAILURE.finditer(text):
        if sign.start() < end:
            continue  # on the line of the sign before
        low, high = max(0, sign.start() - AROUND), min(len(text), sign.end() + AROUND)
        start = max(text.rfind("\n", low, sign.start()) + 1, low)
        line_end = text.find("\n", sign.end(), high)
        end = high if line_end < 0 else line_end
        line = text[start:end].strip()
        kind = _NUMBER.sub("0", line)
        if kind in lines:
            continue
        size = len(line.encode("utf-8", "surrogatepass")) + 1
        if size > room:
            break
        room -= size
        lines[kind] = line
    return list(lines.values())


def _restored(part: Part, get_blob: Callable[[str], bytes]) -> Part:
    if part.blob is None:
        return part
    data = get_blob(part.blob)
    if not holds_text(part):
        return replace(part, blob=None, data=data)
    extra = dict(part.extra or {})
    before = extra.pop(_MOVED)
    return replace(
        part,
        text=data.decode("utf-8", "surrogatepass"),
        blob=None,
        media_type=before["media_type"],
        extra=extra if before["extra"] else None,
    )


_IMAGES = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))


def image_type(data: bytes) -> str:
    """The media type of an image by its first bytes; `application/octet-stream` when these are unknown."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((name for head, name in _IMAGES if data.startswith(head)), "application/octet-stream")
