"""Subtitles: WebVTT, SubRip and SubViewer, in which Zoom, Teams, Meet and recognisers of speech write a meeting down.

A caption is a part of a sentence with the time at which it is shown, so the captions of one speaker in a row become one
turn. Who speaks is told by a voice tag (`<v Ann>`) or by a name and a colon, if most captions have one, or that name a
second caption.
Captions that roll repeat the line before; it is taken once. Times count from the beginning of the recording; they
become dates where the file's name says when that was, as Zoom's do (`GMT20240312-140235_Recording.vtt`).
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Final

from clew.ingest.importers.json_fields import without_none
from clew.ingest.importers.message_turns import ImportedMessage, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import Source, text_lines
from clew.ingest.when import later
from clew.types import Part, Rejection

NAME = "subtitles"

LONG: Final = 800
"""Characters of a turn from which a caption that ends a sentence ends the turn too."""

LONGEST: Final = 1_600
"""Characters of a turn from which every caption ends it: recognisers may write no full stop at all."""

SILENCE: Final = timedelta(seconds=20)
"""Without a caption for so long, the same speaker begins another turn."""

BLINK: Final = timedelta(milliseconds=100)
"""Captions that roll follow each other without a longer gap; one that is shown for less time only repeats."""

_HEAD: Final = 2_000
_CLOCK = r"(?:(\d{1,4}):)?(\d\d?):(\d\d?)[.,](\d{1,3})"
_TIMES: Final = re.compile(rf"\s*{_CLOCK}(?:\s*-->\s*|,){_CLOCK}(?:\s.*)?")
_IS_TIMED: Final = re.compile(rf"\A\s*(?:[^\n]{{1,100}}\r?\n)?{_TIMES.pattern}\r?\n")
_ASIDE: Final = ("NOTE", "STYLE", "REGION", "WEBVTT")
_VOICE: Final = re.compile(r"<v(?:\.[^\s<>]*)?[ \t]++([^<>]+)>")
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>|</?>|<[\d:.]+>")
_PLACE: Final = re.compile(r"\{\\an?\d\}")  # where on the screen, in SubRip
_NAME: Final = re.compile(r"(?:[-–]\s*)?(?:>>\s*)?([^\W\d_][^:\n<>]{0,40}):\s+(.*)", re.DOTALL)
_WORDS: Final = 4  # of a name
_ZOOM: Final = re.compile(r"GMT(\d{8}-\d{6})")
_ENDS: Final = (".", "?", "!", "…", "。", "？", "！")


@dataclass(frozen=True, slots=True)
class _Caption:
    """What one speaker says in one caption.

    Attributes:
        start: since the beginning of the recording.
        name: the speaker, if the caption may name one.
        text: what is said, without the name.
        line: the same with what stands before the colon.
        is_certain: a voice tag gives the name, not a colon.
    """

    where: str
    start: timedelta
    end: timedelta
    name: str | None
    text: str
    line: str
    is_certain: bool = False


@dataclass(slots=True)
class _Turn:
    """The captions of one speaker in a row."""

    speaker: str | None
    first: _Caption
    end: timedelta
    texts: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, text: str, end: timedelta) -> None:
        """Adds a caption that ends at this time."""
        self.texts.append(text)
        self.size += len(text) + 1
        self.end = end


def is_subtitles(source: Source) -> bool:
    """Whether a file begins as WebVTT does, or with a numbered caption and its times."""
    with source.open() as stream:
        head = stream.read(_HEAD).decode("utf-8", "replace").lstrip("\ufeff \r\n")
    return re.match(r"WEBVTT(?:\s|\Z)", head) is not None or _IS_TIMED.match(head) is not None


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads the captions of a file as turns; those without a speaker are the user's."""
    names, began = _names(source), _began(source)
    turn: _Turn | None = None
    for caption in _captions(source):
        if not isinstance(caption, _Caption):
            yield caption
            continue
        is_named = caption.name in names
        speaker = caption.name if is_named else None
        if names and not is_named and turn is not None:
            speaker = turn.speaker  # a recogniser names who begins to speak, not who goes on
        if turn is not None and not _goes_on(turn, caption, speaker):
            yield from _finished(source, turn, began)
            turn = None
        turn = turn or _Turn(speaker if is_named else None, caption, caption.end)
        turn.add(caption.text if is_named else caption.line, caption.end)
    if turn is not None:
        yield from _finished(source, turn, began)


def _goes_on(turn: _Turn, caption: _Caption, speaker: str | None) -> bool:
    """Whether a caption belongs to the turn before it."""
    if turn.speaker != speaker or caption.start - turn.end > SILENCE or turn.size >= LONGEST:
        return False
    return turn.size < LONG or not turn.texts[-1].endswith(_ENDS)


def _finished(source: Source, turn: _Turn, began: datetime | None) -> Iterator[ImportRecord]:
    message = ImportedMessage(
        source=NAME,
        session=source.session_for(None),
        role="user",
        parts=(Part(type="text", text=" ".join(turn.texts)),),
        at=later(began, turn.first.start),
        speaker=turn.speaker,
        metadata=without_none(offset=str(timedelta(seconds=int(turn.first.start.total_seconds())))),
        skip_blank=True,
    )
    yield from message_turns(message, turn.first.where)


def _began(source: Source) -> datetime | None:
    """When a recording of Zoom began, by the file's name; None for others."""
    match = _ZOOM.search(source.label)
    try:
        return datetime.strptime(match[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC) if match else None
    except ValueError:  # digits that are no date: the name says nothing
        return None


def _names(source: Source) -> frozenset[str]:
    """Who speaks: names in voice tags; else those before a colon, of two captions, or any if most captions have one."""
    named, certain, captions = Counter[str](), set[str](), 0
    for caption in _captions(source):
        if isinstance(caption, _Caption):
            captions += 1
            if caption.name is not None:
                named[caption.name] += 1
                certain |= {caption.name} if caption.is_certain else set()
    least = 1 if 2 * named.total() > captions else 2
    return frozenset(certain or (name for name, count in named.items() if count >= least))


def _captions(source: Source) -> Iterator[_Caption | Skipped | Rejection]:
    """The captions of a file, in order; one in which several speak is several."""
    row, until = "", timedelta()  # the last row, and when it ended
    for block in _blocks(source):
        if isinstance(block, Rejection):
            yield block
            continue
        numbers, lines = [number for number, _ in block], [text for _, text in block]
        where = source.where(numbers[0])
        place, times = next(
            ((place, match) for place, match in enumerate(map(_TIMES.fullmatch, lines[:2])) if match), (0, None)
        )
        if times is None:
            is_aside = lines[0].split(maxsplit=1)[0].startswith(_ASIDE)
            reason = "a caption without its times; expected 'HH:MM:SS.mmm --> HH:MM:SS.mmm' in its first lines"
            yield Skipped("note of the file", where) if is_aside else Rejection(where=where, reason=reason)
            continue
        start, end = _moments(times)
        rows = [line for line in lines[place + 1 :] if line.strip()]
        if rows and _plain(rows[0]) == row and start - until < BLINK and (len(rows) > 1 or end - start < BLINK):
            del rows[0]
        until = end
        if rows:
            row = _plain(rows[-1])
            yield from _voices(where, start, end, rows)


def _voices(where: str, start: timedelta, end: timedelta, lines: list[str]) -> Iterator[_Caption]:
    """What each of the speakers of a caption says."""
    parts = _VOICE.split("\n".join(lines))
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        if plain := _plain(text):
            yield _Caption(where, start, end, " ".join(unescape(name).split()), plain, plain, is_certain=True)
    said: list[str] = []
    for line in filter(None, map(_plain, parts[0].split("\n"))):
        if said and (_NAME.match(line) or line.startswith(("-", "–", ">>"))):
            yield _labelled(where, start, end, " ".join(said))
            said = []
        said.append(line)
    if said:
        yield _labelled(where, start, end, " ".join(said))


def _labelled(where: str, start: timedelta, end: timedelta, line: str) -> _Caption:
    match = _NAME.fullmatch(line)
    if match is None or len(match[1].split()) > _WORDS:
        return _Caption(where, start, end, None, line, line)
    return _Caption(where, start, end, match[1].strip(), match[2], line)


def _plain(text: str) -> str:
    """A line without tags, with entities as characters and runs of white space as one space."""
    return " ".join(unescape(_TAG.sub("", _PLACE.sub("", text))).split())


def _moments(times: re.Match[str]) -> tuple[timedelta, timedelta]:
    """The start and the end that a line of times gives."""
    groups = times.groups()
    start, end = (
        timedelta(
            hours=int(hours or 0), minutes=int(minutes), seconds=int(seconds), milliseconds=int(part.ljust(3, "0"))
        )
        for hours, minutes, seconds, part in (groups[:4], groups[4:])
    )
    return start, end


def _blocks(source: Source) -> Iterator[list[tuple[int, str]] | Rejection]:
    """The lines of each caption or note, with their numbers. Blank lines part them, and so do times without one."""
    block: list[tuple[int, str]] = []
    for line in text_lines(source):
        if isinstance(line, Rejection):
            yield line
            continue
        is_first_row = bool(block) and _TIMES.fullmatch(block[-1][1]) is not None
        if _TIMES.fullmatch(line[1]) and any(_TIMES.fullmatch(text) for _, text in block):
            following = [block.pop()] if block[-1][1].strip().isdigit() else []
            yield block
            block = following
        if line[1].strip() or (line[1] and is_first_row):  # rolling captions have a blank first row of two
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block
