"""Plain text: chats as `[date] Name: text`, `14:05 Name: text`, `Name: text`, as WhatsApp writes them; else paragraphs.

Recognisers of speech, and what is copied from Slack or Teams, have a line `Ann Lee  10:42` above what she says, or
`[06.05.2024 10:42] Ann Lee`.

WhatsApp writes `[14/08/2023, 09:15:32] Ann: text` on iOS and `14/08/2023, 09:15 - Ann: text` on Android, with day and
month in the order of the telephone's country, which only the file as a whole shows; a year that comes first is followed
by the month. System lines have no name, or begin with a mark of direction (iOS), or are a placeholder in angle
brackets. A clock time without a date takes the day of the last line that is nothing but a date ("# 5 March 2024"), and
the next day after midnight.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from clew.ingest.importers.local_stamps import in_digits
from clew.ingest.importers.record import EMPTY, ImportRecord, Skipped
from clew.ingest.importers.source import Source
from clew.ingest.importers.transcript import SpeakerLabel, labelled, names_in, open_lines, paragraphs, unfenced_lines
from clew.ingest.when import parse_when
from clew.text.small_talk import COURTESIES
from clew.text.stopwords import STOPWORDS
from clew.types import Rejection

NAME = "text"
_BRACKET = re.compile(
    r"\[(?P<at>[^\]]{4,60})\]\s*(?:<(?P<handle>[^<>\n]{1,40})>\s+|(?P<name>[^:\n]{1,60}):(?:\s|$))?(?P<text>.*)",
    re.DOTALL,
)
_DASH = re.compile(
    r"(?P<at>\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s+\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s*[ap]\.?\s?m\.?)?)"
    r"(?:\s+[-–]\s+|,\s+(?=[^:\n]{1,40} ?: ))(?:(?P<name>[^:\n]{1,60}):(?:\s|$))?(?P<text>.*)",
    re.DOTALL | re.IGNORECASE,
)
_STAMP = re.compile(
    r"(?P<at>(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:,?\s+|T))?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,6})?Z?(?:\s*[ap]\.?\s?m\b\.?)?)"
    r"(?:\s+[-–|]\s+|\s+)(?P<nick><)?(?P<name>[^\W\d_][^:<>\n]{0,40})(?(nick)>|:)(?:\s+|$)(?P<text>.*)",
    re.DOTALL | re.IGNORECASE,
)
_HEADED = re.compile(
    r"(?P<name>[^\W\d_][^:\n<>\[\]()]{0,40}?)(?:\s{2,}|\s+[-–—|•·]\s+|\t|,?\s+(?=[\[(]))[\[(]?"
    r"(?P<at>(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:,?\s+|T))?\d{1,2}:\d\d(?::\d\d)?(?:\s*[ap]\.?\s?m\b\.?)?)[\])]?:?\s*"
    r"(?P<text>)",
    re.IGNORECASE,
)
_BRACKET_HEAD = re.compile(r"\[(?P<at>[^\]]{4,60})\]\s+(?P<name>[^\W\d_][^:\n<>\[\]()]{0,40})(?P<text>)")
_PLACEHOLDER = re.compile(r"<[^\W\d_]+(?: [^\W\d_]+)+>")  # "<Media omitted>", in the language of the telephone
_LEVELS = frozenset("trace debug info notice warn warning error fatal critical severe".split())
_NAME = re.compile(r"(?P<name>[^\W\d_][^:\n]{0,40}):(?:\s+|$)(?P<text>.*)", re.DOTALL)
_SIGNS = "\u200e\u200f\u202a\u202c\ufeff"  # invisible direction marks, which telephones write
_DATE = re.compile(r"\D{0,3}(\d{1,4})([./-])(\d{1,2})[./-](\d{1,4})")
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d")
_DOTTED_TIME = re.compile(r"(?<=\s)(\d{1,2})\.(\d\d)(?:\.(\d\d))?(?=\s|$)")
_RULES = "#*=-–—_ \t"
_WORDS = 4  # of a name
_INITIALS = 3  # letters of a name in capitals alone; "NOTE" is none
_SPOKEN_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN_TWO = frozenset("i you we me my your us our".split())  # who speaks, and to whom
_ASKS = re.compile(r"[?\uff1f\u061f]\s*$")
_CODE = "```"  # stands for every line of fenced code, in which a log or another chat may be
_LONGEST_DAY = 40
_HALF_A_DAY = timedelta(hours=12)


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads the messages of a text."""
    survey = _surveyed(source)
    if not survey.nonblank:
        yield Skipped(EMPTY, source.label)
    elif survey.pattern is not None:
        stamps = _Stamps(survey)
        yield from labelled(source, NAME, open_lines, stamps.label)
    elif names := names_in(source, unfenced_lines, _named) or _talkers(source):
        known = None if survey.named == survey.nonblank else _speakers(source, names)
        yield from labelled(source, NAME, unfenced_lines, lambda text: _one_of(_named(text), known))
    else:
        yield from paragraphs(source, NAME, open_lines)


def has_speakers(source: Source) -> bool:
    """Whether a text is a chat."""
    has_names = bool(names_in(source, unfenced_lines, _named) or _talkers(source))
    return has_names or _surveyed(source).pattern is not None


def _talkers(source: Source) -> frozenset[str]:
    """The names in a short talk in which nobody speaks twice; empty if the text is none.

    Every line begins with a name, and somebody asks, greets, or speaks of "I" or "you". In a list of fields
    ("City: Porto") nobody does.
    """
    names = set[str]()
    is_speech = False
    for line in unfenced_lines(source):
        if isinstance(line, Rejection) or not line[1].strip():
            continue
        label = _named(line[1]) if line[2] else None
        if label is None or label.name is None or not _is_proper(label.name):
            return frozenset()
        names.add(label.name)
        is_speech = is_speech or _is_speech(label.text)
    return frozenset(names) if is_speech and len(names) > 1 else frozenset()


def _is_proper(name: str) -> bool:
    """Whether each word of a name is written like one: with a capital, or in a script without capitals."""
    return name.casefold() not in STOPWORDS and all(
        word[0].isalpha() and not word[0].islower() and not (word.isupper() and len(word) > _INITIALS)
        for word in name.split()
    )


def _is_speech(text: str) -> bool:
    words = set(_SPOKEN_WORD.findall(text.casefold()))
    return not words.isdisjoint(_BETWEEN_TWO) or not words.isdisjoint(COURTESIES) or _ASKS.search(text) is not None


def _speakers(source: Source, names: frozenset[str]) -> frozenset[str]:
    """The names, and those that occur once, if from the first of the names on every line is somebody's.

    Else a message may have several lines, and one of them may begin with a word and a colon.
    """
    speakers = set[str]()
    for line in unfenced_lines(source):
        if isinstance(line, Rejection) or not line[1].strip():
            continue
        label = _named(line[1]) if line[2] else None
        if label is not None and label.name is not None and (speakers or label.name in names):
            speakers.add(label.name)
        elif speakers:
            return names
    return names | speakers


def _surveyed(source: Source) -> "_Survey":
    survey = _Survey()
    for line in unfenced_lines(source):
        if not isinstance(line, Rejection):
            survey.add(line[1] if line[2] else _CODE)
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
        self._first, self._last = set[str](), set[str]()  # the first and the last number of dates with a short year
        self.has_clocks = False
        self._names = Counter[str]()  # beside a clock time alone
        # of lines that are nothing but a name and a time, in either order: the names, how many have words under them,
        # and whether the line before was one
        self._heads: dict[re.Pattern[str], Counter[str]] = {pattern: Counter() for pattern in (_HEADED, _BRACKET_HEAD)}
        self._spoken = Counter[re.Pattern[str]]()
        self._is_under = set[re.Pattern[str]]()
        self._is_log = self._has_days = False
        self._is_local = False  # whether the stamp of the line was in other digits or words, where the day comes first

    def add(self, line: str) -> None:
        text = _bare(line)
        self._is_local = text != line.lstrip(_SIGNS + " \t")
        self.nonblank += bool(text.strip())
        self.named += _named(line) is not None
        for pattern in (_BRACKET, _DASH):
            match = pattern.match(text)
            if match and _is_moment(_plain(match["at"])):
                self._found[pattern] += _BRACKET_HEAD.fullmatch(text) is None
                self._is_early |= self.nonblank == 1
                self._note(_plain(match["at"]))
        if text.strip():
            self._add_head(_HEADED, text)
            self._add_head(_BRACKET_HEAD, text)
        match = _STAMP.match(text)
        if match and len(match["name"].split()) <= _WORDS:
            self._found[_STAMP] += 1
            self._is_log |= match["name"].lower() in _LEVELS
            self._has_days |= _DATE.match(match["at"]) is not None
            self._names[match["name"]] += 1
            self._note(match["at"])

    def _add_head(self, pattern: re.Pattern[str], text: str) -> None:
        """Counts a line of a name and a time alone, and whether the next line with words is what was said."""
        match = pattern.fullmatch(text)
        is_head = match is not None and len(match["name"].split()) <= _WORDS and _is_moment(_plain(match["at"]))
        self._spoken[pattern] += pattern in self._is_under and not is_head
        self._is_under.discard(pattern)
        if match is not None and is_head:
            self._is_under.add(pattern)
            self._found[pattern] += 1
            self._heads[pattern][match["name"]] += 1
            self._note(_plain(match["at"]))

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """The form of most dated lines; None if there is only one such line and it is not the first."""
        bracketed = self._found[_BRACKET] + self._found[_DASH]
        for pattern, names in self._heads.items():
            heads = self._found[pattern]
            is_most = heads > max(bracketed, self._found[_STAMP])
            if is_most and max(names.values()) > 1 and 2 * self._spoken[pattern] > heads:
                return pattern
        bracketed += self._found[_BRACKET_HEAD]  # nobody says anything under them: they are lines of the program
        if bracketed >= max(self._found[_STAMP], 2 - self._is_early):
            return _DASH if self._found[_DASH] > bracketed - self._found[_DASH] else _BRACKET
        is_chat = self._has_days or max(self._names.values(), default=0) > 1  # else an agenda: "10:30 Break: coffee"
        return _STAMP if self._found[_STAMP] > 1 and is_chat and not self._is_log else None

    def is_day_first(self) -> bool:
        """Whether dates begin with the day: told by a number over 12, else by dots or a 24-hour clock."""
        if self._over[1] or self._over[2]:
            return self._over[1] >= self._over[2]
        return bool(self._dots) or not self._halves

    def is_year_first(self) -> bool:
        """Whether a date such as 24/06/13 begins with the year: its first number could be one and changes less."""
        return len(self._last) > len(self._first) and all(int(number) > 12 for number in self._first)

    def _note(self, at: str) -> None:
        match = _DATE.match(at)
        self.has_clocks |= match is None
        if match and len(match[1]) <= 2:
            self._over[1] += int(match[1]) > 12
            self._over[2] += int(match[3]) > 12
            self._dots += match[2] == "."
            self._first.add(match[1])
            self._last.add(match[4])
        self._halves += not self._is_local and bool(re.search(r"[ap]\.?\s?m\b", at, re.IGNORECASE))


class _Stamps:
    """Reads the labels of a chat with times, line by line in the order of the file."""

    def __init__(self, survey: _Survey) -> None:
        assert survey.pattern is not None, "a text without stamps has other labels"  # noqa: S101 - the caller's choice
        self._pattern, self._has_clocks = survey.pattern, survey.has_clocks
        self._day_first, self._is_year_first = survey.is_day_first(), survey.is_year_first()
        self._day: datetime | None = None
        self._last: datetime | None = None

    def label(self, line: str) -> SpeakerLabel | None:
        """The label of a line; a line that is nothing but a date sets the day of the clock times after it."""
        text = _bare(line)
        match = self._pattern.fullmatch(text)
        if match is None or not _is_moment(_plain(match["at"])):
            return self._day_line(text) if self._has_clocks else None
        at = _DOTTED_TIME.sub(
            lambda time: ":".join(filter(None, time.groups())), _plain(match["at"]).replace(" klo ", " ")
        )
        when = parse_when(f"20{at}" if self._is_year_first else at, day_first=self._day_first) or self._of_day(at)
        text = match["text"].lstrip(_SIGNS)
        return SpeakerLabel(_speaker(match), text, when or match["at"], is_program=_is_program(match["text"], text))

    def _day_line(self, text: str) -> SpeakerLabel | None:
        written = _plain(text).strip(_RULES)
        if len(written) > _LONGEST_DAY or _CLOCK.search(written):
            return None
        day = parse_when(written, day_first=self._day_first)
        if day is None:
            return None
        self._day = self._last = day
        return SpeakerLabel(None, "")

    def _of_day(self, clock: str) -> datetime | None:
        """The moment of a clock time on the day of the last day line, or after midnight on the day after."""
        if self._day is None or self._last is None:
            return None
        moment = parse_when(f"{self._day.date()} {clock}")
        if moment is not None and self._last - moment > _HALF_A_DAY:
            self._day += timedelta(days=1)
            moment += timedelta(days=1)
        self._last = moment or self._last
        return moment


def _speaker(match: re.Match[str]) -> str | None:
    """The name in a label; of a handle without the sign of the channel's operators."""
    groups = match.groupdict()
    name = groups["name"] or (groups.get("handle") or "").lstrip("@+%&~")
    return _plain(name) or None if name else None


def _is_program(written: str, text: str) -> bool:
    """Whether the program wrote what follows a name; `text` is `written` without marks of direction at its start.

    WhatsApp begins what it writes itself with such a mark on iOS, and puts it in angle brackets on Android. It begins
    polls, places and names of files so, too; those have a colon.
    """
    return (text != written and ":" not in text) or _PLACEHOLDER.fullmatch(text.strip()) is not None


def _is_moment(text: str) -> bool:
    return _DATE.match(text) is not None or _CLOCK.match(text) is not None or parse_when(text) is not None


def _named(line: str) -> SpeakerLabel | None:
    match = _NAME.match(line)
    if match is None or len(match["name"].split()) > _WORDS:
        return None
    return SpeakerLabel(match["name"].strip(), match["text"])


def _one_of(label: SpeakerLabel | None, names: frozenset[str] | None) -> SpeakerLabel | None:
    """The label if its name is one of the names; any label if they are None."""
    return label if label is not None and (names is None or label.name in names) else None


def _bare(line: str) -> str:
    """The line without leading blanks and direction marks, with the stamp at its start in digits."""
    return in_digits(line.lstrip(_SIGNS + " \t"))


def _plain(text: str) -> str:
    """The text without direction marks, with runs of white space as one space."""
    return " ".join("".join(character for character in text if character not in _SIGNS).split())
