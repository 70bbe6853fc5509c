"""Marks the blocks that Clew puts into messages, and finds them again in what comes in.

A block stands in a frame with an id, so that it is found wherever it turns up: as it was, cut at either end, quoted
line by line, in a code fence or in a JSON string. What remains of a block without its frame is told by its lines, which
begin with the number and the speaker of a turn and so are nobody's own words. A block that a caller put into a message,
as `Memory.recall` gives it, has no frame with an id: it is told by its own first and last line (`told_apart`).
"""

import html
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from clew.ingest.strings import with_parts
from clew.types.turn import Part, Turn

NAME: Final = "clew-quote"
_ANY: Final = re.compile(
    r"(?:<|&lt;|\\u003[cC])(?P<end>\\?/)?" + NAME + r" (?P<id>[0-9a-f]{8})(?:>|&gt;|\\u003[eE])", re.IGNORECASE
)
_BLOCK: Final = re.compile(
    r"(?P<sign><|&lt;)clew-memory(?:>|&gt;)(?:\s|>|&gt;)*+Quoted memory, not instructions\.", re.IGNORECASE
)
"""The first two lines of a block (`clew.assemble.render.OPENING`), quoted with `>` or not."""
_BLOCK_END: Final = re.compile(r"(?P<sign><|&lt;)/clew-memory(?:>|&gt;)", re.IGNORECASE)
_SAID: Final = frozenset({"text", "thinking", "tool_result"})
"""Parts in which blocks are looked for; the arguments of a call stay as the tool got them."""

_LEAST: Final = 24
"""Characters that a line of a block must have to be told without its frame."""

_LOOKED_AT: Final = 10_000
"""Characters up to which the lines of a text are looked at before blocks are read for it."""

_LEAD: Final = " \t>"
_TELLING: Final = re.compile(r"\d+ [^:\n]{1,80}: \S|\[[^\]\n]{6,}\]\Z")
"""How a line of a block begins that tells by itself where it is from: an item, or a heading."""
_INSIDE: Final = re.compile(
    r"</?clew-memory>\Z|Quoted memory, not instructions\.\Z|\d+ [^:\n]{0,80}:(?: |\Z)|\[[^\]\n]{6,}\]", re.IGNORECASE
)
"""How a line of a block begins inside a frame, where an item without a speaker counts, and a heading with a day."""


def framed(block: str, injection: str) -> str:
    """A block in its frame, as it is put into a message; the id is eight hexadecimal digits."""
    return f"<{NAME} {injection}>\n{block}\n</{NAME} {injection}>"


def may_echo(text: str) -> bool:
    """Whether a text can hold a frame; a look without cost at nearly every text."""
    return NAME in text


@dataclass(frozen=True, slots=True)
class EchoStretch:
    """A part of a text, and whether Clew wrote it."""

    text: str
    injected: bool


@dataclass(frozen=True, slots=True)
class _BlockLines:
    """The lines of a block without what quoting adds; which of them are told without the frame, and by themselves."""

    lines: tuple[str, ...]
    known: frozenset[str]
    telling: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Blocks:
    """The blocks of a conversation: the lines of each by its id, and those of all as in `_BlockLines`."""

    lines: Mapping[str, tuple[str, ...]]
    known: frozenset[str]
    telling: frozenset[str]


class Echoes:
    """Finds blocks of one conversation.

    Args:
        read: returns what was put into its messages, by id, frames included; what is cut is told by them. It is called
            once, for the first text that may hold any of it. None if nothing was.
    """

    def __init__(self, read: Callable[[], Mapping[str, str]] | None = None) -> None:
        self._read = read
        self._blocks: _Blocks | None = None

    def split(self, text: str) -> list[EchoStretch]:
        """The text in stretches, which together are the text; one stretch where it holds nothing of Clew's."""
        if not may_echo(text) and not self._may_hold(text):
            return [EchoStretch(text, False)]
        return _stretches(text, _joined(sorted((*self._framed(text), *self._bare(text)))))

    def _may_hold(self, text: str) -> bool:
        """Whether a text without frames is to be compared with the blocks; to look at a long one takes as long."""
        return self._read is not None and (len(text) > _LOOKED_AT or any(map(_may_tell, _plain_lines(text))))

    def _known(self) -> _Blocks:
        if self._blocks is None:
            blocks = {} if self._read is None else self._read()
            read = {name: _block_lines(block) for name, block in blocks.items()}
            self._blocks = _Blocks(
                {name: block.lines for name, block in read.items()},
                frozenset().union(*(block.known for block in read.values())),
                frozenset().union(*(block.telling for block in read.values())),
            )
        return self._blocks

    def _framed(self, text: str) -> list[tuple[int, int]]:
        """Where frames stand, whole ones and those that lost an end."""
        if not may_echo(text):
            return []
        spans: list[tuple[int, int]] = []
        opened: re.Match[str] | None = None
        for mark in _ANY.finditer(text):
            if mark["end"] is None:
                if opened is not None:
                    spans.append(self._cut(text, opened, mark.start()))
                opened = mark
            elif opened is not None and opened["id"] == mark["id"]:
                spans.append((_line_start(text, opened.start()), mark.end()))
                opened = None
            else:
                spans.append(self._headless(text, mark, spans[-1][1] if spans else 0))
        if opened is not None:
            spans.append(self._cut(text, opened, len(text)))
        return spans

    def _cut(self, text: str, mark: re.Match[str], limit: int) -> tuple[int, int]:
        """A frame without its end: as far as the lines are those of the block, or of any for one of another chat."""
        known, end = self._known().lines.get(mark["id"]), mark.end()
        for start, stop in _lines(text, mark.end(), limit):
            line = _plain(text[start:stop])
            if not (_belongs(line, known) if known is not None else not line or _INSIDE.match(line)):
                break
            end = stop
        return _line_start(text, mark.start()), end

    def _headless(self, text: str, mark: re.Match[str], limit: int) -> tuple[int, int]:
        """The bounds of a frame whose beginning is lost."""
        known, begin = self._known().lines.get(mark["id"], ()), _line_start(text, mark.start())
        for start, stop in reversed(_lines(text, limit, mark.start())):
            if not _belongs(_plain(text[start:stop]), known, at_end=True):
                break
            begin = start
        return begin, mark.end()

    def _bare(self, text: str) -> list[tuple[int, int]]:
        """Lines of blocks without a frame: those that tell where they are from, and what stands next to them."""
        blocks = self._known()
        if not blocks.telling:
            return []
        spans: list[tuple[int, int]] = []
        inside = False
        for start, stop in _lines(text, 0, len(text)):
            line = _plain(text[start:stop])
            inside = line in blocks.telling or (inside and (not line or line in blocks.known))
            if inside and line:
                spans.append((spans.pop()[0], stop) if spans and spans[-1][1] >= start - 1 else (start, stop))
        return spans


def _stretches(text: str, spans: Iterable[tuple[int, int]]) -> list[EchoStretch]:
    """The text in stretches; what the spans cover is Clew's."""
    stretches: list[EchoStretch] = []
    place = 0
    for start, end in spans:
        stretches += (EchoStretch(text[place:start], False), EchoStretch(text[start:end], True))
        place = end
    stretches.append(EchoStretch(text[place:], False))
    return [stretch for stretch in stretches if stretch.text] or stretches[-1:]


NO_ECHOES: Final = Echoes()


def without_echoes(text: str) -> str:
    """A text without whole frames, wherever they are from: what tells a message apart does not depend on them."""
    return (
        "".join(stretch.text for stretch in NO_ECHOES.split(text) if not stretch.injected) if may_echo(text) else text
    )


def told_apart(turn: Turn) -> Turn:
    """The turn with each block of Clew's in its words as an injected part; the same object where there is none.

    The other words stay as they are, in their order; those of a tool's result stay together before the block.
    """
    if not any("clew-memory" in part.text and part.type in _SAID for part in turn.parts):
        return turn
    parts = tuple(piece for part in turn.parts for piece in _apart(part))
    if parts == turn.parts:
        return turn
    apart = with_parts(turn, parts)
    return replace(apart, origin="injected") if all(part.type == "injected" for part in parts) else apart


def _apart(part: Part) -> Iterable[Part]:
    spans = _blocks(part.text) if part.type in _SAID else []
    if not spans:
        return (part,)
    stretches = _stretches(part.text, spans)
    if part.type == "tool_result" or part.blob is not None or part.data is not None:
        rest = "".join(stretch.text for stretch in stretches if not stretch.injected)
        quoted = (Part(type="injected", text=stretch.text) for stretch in stretches if stretch.injected)
        return (replace(part, text=rest), *quoted)
    return tuple(
        Part(type="injected", text=stretch.text) if stretch.injected else replace(part, text=stretch.text)
        for stretch in stretches
        if stretch.injected or stretch.text.strip()
    )


def _blocks(text: str) -> list[tuple[int, int]]:
    """Where whole blocks stand, from the first line to the last; one that another follows before its end is none.

    The first line and the last one are written alike: a quoted turn may have marks as HTML writes them, and the other
    way about.
    """
    spans: list[tuple[int, int]] = []
    for sign in ("<", "&lt;"):
        starts = [_line_start(text, match.start()) for match in _BLOCK.finditer(text) if match["sign"].lower() == sign]
        ends = [match.end() for match in _BLOCK_END.finditer(text) if match["sign"].lower() == sign] if starts else []
        for start, limit in pairwise([*starts, len(text)]):
            place = bisect_right(ends, start)
            if place < len(ends) and ends[place] <= limit:
                spans.append((start, ends[place]))
    return _joined(sorted(spans))


def marked(parts: Sequence[Part], echoes: Echoes) -> tuple[Part, ...]:
    """The parts, with what Clew wrote as parts of the type `injected`, after the part in which it stood.

    What surrounds it stays as it is. In the arguments of a call, which are JSON, a mark stands in its place.
    """
    segments: list[Part] = []
    for part in parts:
        segments += _marked(part, echoes) if part.text and part.type != "injected" else (part,)
    return tuple(segments)


def _marked(part: Part, echoes: Echoes) -> Iterable[Part]:
    stretches = echoes.split(part.text)
    quoted = [Part(type="injected", text=stretch.text) for stretch in stretches if stretch.injected]
    if not quoted:
        return (part,)
    if part.type == "tool_call":
        rest = "".join(f"[{NAME}]" if stretch.injected else stretch.text for stretch in stretches)
        return (replace(part, text=rest), *quoted)
    own = [stretch.text for stretch in stretches if not stretch.injected and stretch.text.strip()]
    if part.type == "tool_result" or part.blob is not None or part.data is not None:
        return (replace(part, text="".join(own)), *quoted)
    return (*(replace(part, text=text) for text in own), *quoted)


def _lines(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    """Where the lines of a stretch are, their breaks excluded; a break written as in JSON ends a line too."""
    lines: list[tuple[int, int]] = []
    place = start
    for mark in re.compile(r"\r?\n|\\r\\n|\\n").finditer(text, start, stop):
        lines.append((place, mark.start()))
        place = mark.end()
    return [*lines, (place, stop)]


def _line_start(text: str, place: int) -> int:
    """Where the quoting signs before a mark begin (`> `), or its own place."""
    start = place
    while start > 0 and text[start - 1] in _LEAD:
        start -= 1
    return start if ">" in text[start:place] else place


def _belongs(line: str, known: Sequence[str], *, at_end: bool = False) -> bool:
    """Whether a line is one of a block, or the beginning (the end) of one that was cut."""
    return not line or any(each == line or (each.endswith(line) if at_end else each.startswith(line)) for each in known)


@lru_cache(maxsize=512)  # every request of a conversation asks for all of its blocks again
def _block_lines(block: str) -> _BlockLines:
    lines = tuple(_plain(line) for line in block.splitlines())
    known = frozenset(line for line in lines if len(line) >= _LEAST)
    return _BlockLines(lines, known, frozenset(filter(_may_tell, lines)))


def _may_tell(line: str) -> bool:
    """Whether a plain line is distinctive enough to be recognised, without the lines around it, as one of a block."""
    return len(line) >= _LEAST and _TELLING.match(line) is not None


def _plain_lines(text: str) -> Iterator[str]:
    return (_plain(text[start:stop]) for start, stop in _lines(text, 0, len(text)))


def _plain(line: str) -> str:
    """A line without what quoting adds to it: `>`, entities of HTML, escapes of JSON, more white space."""
    bare = re.sub(r"\A(?:[ \t]*>)+", "", line)
    if "&" in bare:
        bare = html.unescape(bare)
    if "\\" in bare:
        with suppress(ValueError):  # it may be no JSON after all
            bare = str(json.loads(f'"{bare}"'))
    return " ".join(bare.split())


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, with those that overlap as one."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
