"""Plain text: chats as `[date] Name: text`, `14:05 Name: text`, `Name: text`, as WhatsApp writes them; else paragraphs.

Recognisers of speech, and what is copied from Slack or Teams, have a line `Ann Lee  10:42` above what she says.

WhatsApp writes `[14/08/2023, 09:15:32] Ann: text` on iOS and `14/08/2023, 09:15 - Ann: text` on Android, with day and
month in the order of the telephone's country, which only the file as a whole shows. System lines have no name. A clock
time without a date takes the day of the last line that is nothing but a date ("# 5 March 2024"), and the next day after
midnight.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

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
_STAMP = re.compile(
    r"(?P<at>(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:,?\s+|T))?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,6})?Z?(?:\s*[ap]\.?\s?m\b\.?)?)"
    r"(?:\s+[-–|]\s+|\s+)(?P<nick><)?(?P<name>[^\W\d_][^:<>\n]{0,40})(?(nick)>|:)(?:\s+|$)(?P<text>.*)",
    re.DOTALL | re.IGNORECASE,
)
_HEADED = re.compile(
    r"(?P<name>[^\W\d_][^:\n<>\[\]()]{0,40}?)(?:\s{2,}|\s+[-–—|•·]\s+|\s*\t\s*|\s+(?=[\[(]))[\[(]?"
    r"(?P<at>(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:,?\s+|T))?\d{1,2}:\d\d(?::\d\d)?(?:\s*[ap]\.?\s?m\b\.?)?)[\])]?:?\s*"
    r"(?P<text>)",
    re.IGNORECASE,
)
_LEVELS = frozenset("trace debug info notice warn warning error fatal critical severe".split())
_NAME = re.compile(r"(?P<name>[^\W\d_][^:\n]{0,40}):(?:\s+|$)(?P<text>.*)", re.DOTALL)
_SIGNS = "\u200e\u200f\u202a\u202c\ufeff"  # invisible direction marks, which telephones write
_DATE = re.compile(r"\D{0,3}(\d{1,4})([./-])(\d{1,2})[./-](\d{1,4})")
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d")
_DOTTED_TIME = re.compile(r"(?<=\s)(\d{1,2})\.(\d\d)(?:\.(\d\d))?(?=\s|$)")
_RULES = "#*=-–—_ \t"
_WORDS = 4  # of a name
_LONGEST_DAY = 40
_HALF_A_DAY = timedelta(hours=12)


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads the messages of a text."""
    survey = _surveyed(source)
    if not survey.nonblank:
        yield Skipped("empty file", source.label)
    elif survey.pattern is not None:
        stamps = _Stamps(survey.pattern, survey.is_day_first(), survey.has_clocks)
        yield from labelled(source, NAME, open_lines, stamps.label)
    elif names := names_in(source, open_lines, _named):
        known = None if survey.named == survey.nonblank else names  # else nobody's message has a second line
        yield from labelled(source, NAME, open_lines, lambda text: _one_of(_named(text), known))
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
        self.named = 0
        self._found: Counter[re.Pattern[str]] = Counter()
        self._is_early = False
        self._over = Counter[int]()  # 1, 2: how often the first, the second number of a date is over 12
        self._dots = self._halves = 0
        self.has_clocks = False
        self._names = Counter[str]()  # beside a clock time alone
        self._heads = Counter[str]()  # in lines that are nothing but a name and a time
        self._spoken = 0  # such lines with words under them
        self._is_under_head = False
        self._is_log = self._has_days = False

    def add(self, line: str) -> None:
        text = _bare(line)
        self.nonblank += bool(text.strip())
        self.named += _named(line) is not None
        for pattern in (_BRACKET, _DASH):
            found = pattern.match(text)
            if found and _is_moment(_plain(found["at"])):
                self._found[pattern] += 1
                self._is_early |= self.nonblank == 1
                self._note(_plain(found["at"]))
        if text.strip():
            self._add_head(_HEADED.fullmatch(text))
        found = _STAMP.match(text)
        if found and len(found["name"].split()) <= _WORDS:
            self._found[_STAMP] += 1
            self._is_log |= found["name"].lower() in _LEVELS
            self._has_days |= _DATE.match(found["at"]) is not None
            self._names[found["name"]] += 1
            self._note(found["at"])

    def _add_head(self, found: re.Match[str] | None) -> None:
        """Counts a line of a name and a time alone, and whether the next line with words is what was said."""
        is_head = found is not None and len(found["name"].split()) <= _WORDS
        self._spoken += self._is_under_head and not is_head
        self._is_under_head = is_head
        if found is not None and is_head:
            self._found[_HEADED] += 1
            self._heads[found["name"]] += 1
            self._note(found["at"])

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """The form of most dated lines; None if there is only one such line and it is not the first."""
        bracketed = self._found[_BRACKET] + self._found[_DASH]
        heads = self._found[_HEADED]
        if heads > max(bracketed, self._found[_STAMP]) and max(self._heads.values()) > 1 and 2 * self._spoken > heads:
            return _HEADED
        if bracketed >= max(self._found[_STAMP], 2 - self._is_early):
            return max((_BRACKET, _DASH), key=lambda pattern: self._found[pattern])
        is_chat = self._has_days or max(self._names.values(), default=0) > 1  # else an agenda: "10:30 Break: coffee"
        return _STAMP if self._found[_STAMP] > 1 and is_chat and not self._is_log else None

    def is_day_first(self) -> bool:
        """Whether dates begin with the day: told by a number over 12, else by dots or a 24-hour clock."""
        if self._over[1] or self._over[2]:
            return self._over[1] >= self._over[2]
        return bool(self._dots) or not self._halves

    def _note(self, at: str) -> None:
        found = _DATE.match(at)
        self.has_clocks |= found is None
        if found and len(found[1]) <= 2:
            self._over[1] += int(found[1]) > 12
            self._over[2] += int(found[3]) > 12
            self._dots += found[2] == "."
        self._halves += bool(re.search(r"[ap]\.?\s?m\b", at, re.IGNORECASE))


class _Stamps:
    """Reads the labels of a chat with times, line by line in the order of the file."""

    def __init__(self, pattern: re.Pattern[str], day_first: bool, has_clocks: bool) -> None:
        self._pattern, self._day_first, self._has_clocks = pattern, day_first, has_clocks
        self._day: datetime | None = None
        self._last: datetime | None = None

    def label(self, line: str) -> SpeakerLabel | None:
        """The label of a line; a line that is nothing but a date sets the day of the clock times after it."""
        text = _bare(line)
        found = self._pattern.fullmatch(text)
        if found is None or not _is_moment(_plain(found["at"])):
            return self._day_line(text) if self._has_clocks else None
        at = _DOTTED_TIME.sub(
            lambda time: ":".join(filter(None, time.groups())), _plain(found["at"]).replace(" klo ", " ")
        )
        name = _plain(found["name"]) if found["name"] else None
        when = parse_when(at, day_first=self._day_first) or self._of_day(at)
        return SpeakerLabel(name or None, found["text"], when or found["at"])

    def _day_line(self, text: str) -> SpeakerLabel | None:
        written = _plain(text).strip(_RULES)
        if len(written) > _LONGEST_DAY or _CLOCK.search(written):
            return None
        found = parse_when(written, day_first=self._day_first)
        if found is None:
            return None
        self._day = self._last = found
        return SpeakerLabel(None, "")

    def _of_day(self, clock: str) -> datetime | None:
        """The moment of a clock time on the day of the last day line, or after midnight on the day after."""
        if self._day is None or self._last is None:
            return None
        found = parse_when(f"{self._day.date()} {clock}")
        if found is not None and self._last - found > _HALF_A_DAY:
            self._day += timedelta(days=1)
            found += timedelta(days=1)
        self._last = found or self._last
        return found


def _is_moment(text: str) -> bool:
    return _DATE.match(text) is not None or _CLOCK.match(text) is not None or parse_when(text) is not None


def _named(line: str) -> SpeakerLabel | None:
    found = _NAME.match(line)
    if found is None or len(found["name"].split()) > _WORDS:
        return None
    return SpeakerLabel(found["name"].strip(), found["text"])


def _one_of(label: SpeakerLabel | None, names: frozenset[str] | None) -> SpeakerLabel | None:
    """The label if its name is one of the names; any label if they are None."""
    return label if label is not None and (names is None or label.name in names) else None


def _bare(line: str) -> str:
    """The line without leading blanks and direction marks."""
    return line.lstrip(_SIGNS + " \t")


def _plain(text: str) -> str:
    """The text without direction marks, with runs of white space as one space."""
    return " ".join("".join(character for character in text if character not in _SIGNS).split())
