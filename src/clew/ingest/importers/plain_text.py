"""Plain text: chats as `[date] Name: text`, as WhatsApp writes them, as `Name: text`; else paragraphs.

WhatsApp writes `[14/08/2023, 09:15:32] Ann: text` on iOS and `14/08/2023, 09:15 - Ann: text` on Android, with day and
month in the order of the telephone's country, which only the file as a whole shows. System lines have no name.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import Source
from clew.ingest.importers.transcript import SpeakerLabel, labelled, names_in, open_lines, paragraphs
from clew.ingest.when import parse_when
from clew.types import Rejection

NAME = "text"
_BRACKET = re.compile(r"\[(?P<at>[^\]]{4,60})\]\s*(?:(?P<name>[^:\n]{1,60}):(?:\s|$))?(?P<text>.*)", re.DOTALL)
_DASH = re.compile(
    r"(?P<at>\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s+\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s*[ap]\.?\s?m\.?)?)\s+[-–]\s+"
    r"(?:(?P<name>[^:\n]{1,60}):(?:\s|$))?(?P<text>.*)",
    re.DOTALL | re.IGNORECASE,
)
_NAME = re.compile(r"(?P<name>[^\W\d_][^:\n]{0,40}):(?:\s+|$)(?P<text>.*)", re.DOTALL)
_SIGNS = "\u200e\u200f\u202a\u202c\ufeff"  # invisible direction marks, which telephones write
_DATE = re.compile(r"\D{0,3}(\d{1,4})([./-])(\d{1,2})[./-](\d{1,4})")
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d")
_DOTTED_TIME = re.compile(r"(?<=\s)(\d{1,2})\.(\d\d)(?:\.(\d\d))?(?=\s|$)")
_WORDS = 4  # of a name


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads the messages of a text."""
    survey = _surveyed(source)
    if not survey.nonblank:
        yield Skipped("empty file", source.label)
    elif survey.pattern is not None:
        yield from labelled(source, NAME, open_lines, partial(_dated, survey.pattern, survey.is_day_first()))
    elif names := names_in(source, open_lines, _named):
        yield from labelled(source, NAME, open_lines, lambda text: _one_of(_named(text), names))
    else:
        yield from paragraphs(source, NAME, open_lines)


def has_speakers(source: Source) -> bool:
    """Whether a text is a chat."""
    return _surveyed(source).pattern is not None or bool(names_in(source, open_lines, _named))


def _surveyed(source: Source) -> "_Survey":
    survey = _Survey()
    for line in open_lines(source):
        if not isinstance(line, Rejection):
            survey.add(line[1])
    return survey


class _Survey:
    """Surveys a text for the form of its dated lines and the order of day and month in its dates."""

    def __init__(self) -> None:
        self.nonblank = 0
        self._found: Counter[re.Pattern[str]] = Counter()
        self._is_early = False
        self._over = Counter[int]()  # 1, 2: how often the first, the second number of a date is over 12
        self._dots = self._halves = 0

    def add(self, line: str) -> None:
        text = _bare(line)
        self.nonblank += bool(text)
        for pattern in (_BRACKET, _DASH):
            found = pattern.match(text)
            if found and _is_moment(_plain(found["at"])):
                self._found[pattern] += 1
                self._is_early |= self.nonblank == 1
                self._note(_plain(found["at"]))

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """The form of most dated lines; None if there is only one such line and it is not the first."""
        if not self._found or (self._found.total() < 2 and not self._is_early):
            return None
        return max((_BRACKET, _DASH), key=lambda pattern: self._found[pattern])

    def is_day_first(self) -> bool:
        """Whether dates begin with the day: told by a number over 12, else by dots or a 24-hour clock."""
        if self._over[1] or self._over[2]:
            return self._over[1] >= self._over[2]
        return bool(self._dots) or not self._halves

    def _note(self, at: str) -> None:
        found = _DATE.match(at)
        if found and len(found[1]) <= 2:
            self._over[1] += int(found[1]) > 12
            self._over[2] += int(found[3]) > 12
            self._dots += found[2] == "."
        self._halves += bool(re.search(r"[ap]\.?\s?m\b", at, re.IGNORECASE))


def _dated(pattern: re.Pattern[str], day_first: bool, line: str) -> SpeakerLabel | None:
    found = pattern.match(_bare(line))
    if found is None or not _is_moment(_plain(found["at"])):
        return None
    at = _DOTTED_TIME.sub(lambda time: ":".join(filter(None, time.groups())), _plain(found["at"]).replace(" klo ", " "))
    name = _plain(found["name"]) if found["name"] else None
    return SpeakerLabel(name or None, found["text"], parse_when(at, day_first=day_first) or found["at"])


def _is_moment(text: str) -> bool:
    return _DATE.match(text) is not None or _CLOCK.match(text) is not None or parse_when(text) is not None


def _named(line: str) -> SpeakerLabel | None:
    found = _NAME.match(line)
    if found is None or len(found["name"].split()) > _WORDS:
        return None
    return SpeakerLabel(found["name"].strip(), found["text"])


def _one_of(label: SpeakerLabel | None, names: frozenset[str]) -> SpeakerLabel | None:
    return label if label is not None and label.name in names else None


def _bare(line: str) -> str:
    """The line without leading blanks and direction marks."""
    return line.lstrip(_SIGNS + " \t")


def _plain(text: str) -> str:
    """The text without direction marks, with runs of white space as one space."""
    return " ".join("".join(character for character in text if character not in _SIGNS).split())
