"""Finds date phrases in English text; `clew.text.dates` resolves them to days.

This module knows the wording, not the calendar and not when a text was said. A text without any date word or number
costs a set lookup; other texts are searched only for the kinds of phrases that their words suggest.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from clew.text.ascii_runs import LETTERS, runs
from clew.text.late_pattern import late_pattern

Grain = Literal["day", "weekend", "week", "month", "quarter", "year"]


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A calendar date as written. `year` is None if it was not named; `last_day` ends a range of days in one month.

    The numbers may not form a valid date. `span` excludes a preposition before the phrase.
    """

    span: tuple[int, int]
    grain: Grain
    year: int | None
    month: int = 1
    day: int = 1
    last_day: int | None = None


@dataclass(frozen=True, slots=True)
class RelativeDate:
    """A date relative to the day of speaking.

    Attributes:
        span: position of the phrase in the text.
        grain: unit of `offset`.
        offset: number of units after the day of speaking; with `weekday` or `month` -1, 0 or 1 for the last, this or
            next one.
        weekday: 0 (Monday) to 6 (Sunday); with the grain week that day of the week, else the nearest such day.
        month: 1 to 12.
        trailing: True for the whole time from `offset` to the day of speaking ("the last two weeks").
        bare: True for a weekday alone ("on Friday"), which may be the last one or the next one.
    """

    span: tuple[int, int]
    grain: Grain
    offset: int
    weekday: int | None = None
    month: int | None = None
    trailing: bool = False
    bare: bool = False


Mention = WrittenDate | RelativeDate

_WORDS_OF_FAMILY = {
    "named": "yesterday today tonight tomorrow night morning afternoon evening",
    "unit": "ago week weeks weekend weekends month months quarter quarters year years days nights",
    "month": "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec",
    "weekday": "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun",
}
_FAMILY_OF = {word: family for family, words in _WORDS_OF_FAMILY.items() for word in words.split()}
_CUES = frozenset(_FAMILY_OF)
_WORDS = late_pattern(r"[a-z]{3,}")
_NUMBER = late_pattern(r"[0-9](?:[0-9]{3}|/[0-9]{1,2}/[0-9])")

# All patterns see lower case.
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)(?!\w)"
)
_WEEKDAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?!\w)"
_COUNT = (
    r"(?:[0-9]{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a )?(?:couple(?: of)?|few))"
)
_UNIT = r"(?P<unit>day|night|weekend|week|month|quarter|year)s?(?!\w)"
_COUNTED = rf"(?P<count>{_COUNT})\s{{1,3}}{_UNIT}"
_DAY = r"[0-9]{1,2}(?:st|nd|rd|th)?(?![0-9a-z])"
_DAYS = rf"(?P<day>{_DAY})(?:\s?[-–]\s?(?P<last>{_DAY}))?"
_NO_TIME = r"(?!:[0-9]|[.,][0-9]|%|\s?[ap]\.?m\b)"
_YEAR = r"[0-9]{4}(?![0-9a-z]|[.,:/%-][0-9])"
_OF_YEAR = rf"(?:,?\s{{1,3}}(?:of\s)?(?P<year>{_YEAR}))"

_ISO = late_pattern(r"(?<!\w)(?P<year>[0-9]{4})([-/])(?P<month>[0-9]{1,2})\2(?P<day>[0-9]{1,2})(?![0-9/-]|\.[0-9])")
_ISO_MONTH = late_pattern(r"(?<![\w/.-])(?P<year>[0-9]{4})-(?P<month>0[1-9]|1[0-2])(?![\w/-]|[.,:%][0-9])")
_DOTTED = late_pattern(r"(?<![\w.,])(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{4})(?![0-9]|\.[0-9])")
_SLASHED = late_pattern(
    r"(?<![\w/.,-])(?P<first>[0-9]{1,2})/(?P<second>[0-9]{1,2})/(?P<year>[0-9]{4}|[0-9]{2})(?![0-9/])"
)
_QUARTER = late_pattern(
    rf"(?<!\w)(?:q(?P<digit>[1-4])|(?P<word>first|second|third|fourth)\squarter)(?:,?\s|\s(?:of|in)\s)?(?P<year>{_YEAR})"
)
_BARE_YEAR = late_pattern(rf"(?<!\w){_YEAR}")
_DAY_MONTH = late_pattern(rf"(?<![\w.,:/]){_DAYS}\s{{1,3}}(?:of\s)?(?P<month>{_MONTH})(?:\.?{_OF_YEAR})?")
_MONTH_FIRST = late_pattern(
    rf"(?<!\w)(?P<month>{_MONTH})(?:\.?(?:\s{{1,3}}(?:the\s)?{_DAYS}{_NO_TIME}{_OF_YEAR}?|,?\s{{1,3}}(?:of\s)?(?P<its_year>{_YEAR})))?"
)
_AGO = late_pattern(rf"(?<!\w){_COUNTED}\s{{1,3}}(?P<way>ago|back|from\s(?:now|today))(?!\w)")
_AHEAD = late_pattern(rf"(?<!\w)(?:in|within)\s{{1,3}}{_COUNTED}")
_TRAILING = late_pattern(rf"(?<!\w)(?:last|past|previous)\s{{1,3}}{_COUNTED}")
_STEPPED = late_pattern(
    r"(?<!\w)(?:this\s(?:past|coming)|last|past|previous|this|next|coming|upcoming)\s{1,3}"
    rf"(?:(?P<unit>week|weekend|month|quarter|year)(?!\w)|(?P<weekday>{_WEEKDAY})|(?P<month>{_MONTH}))"
)
_NAMED_DAY = late_pattern(
    r"(?<!\w)(?:the\sday\sbefore\syesterday|the\sday\safter\stomorrow|yesterday|today|tonight|tomorrow|last\snight"
    r"|this\s(?:morning|afternoon|evening))(?!\w)"
)
# A weekday before a date only repeats which day that is.
_BARE_WEEKDAY = late_pattern(rf"(?<!\w){_WEEKDAY}(?!,?\s(?:the\s)?(?:[0-9]|{_MONTH}))")
_ANCHORED = late_pattern(
    rf"(?<!\w)(?:{_COUNTED}|(?:the|last|next|on|on\sthe)\s(?:(?P<one>day|weekend|week|month|year)|(?P<weekday>{_WEEKDAY})))"
    r"\s{1,3}(?P<way>before|after)\s(?:the\s|on\s)?$"
    r"|(?<!\w)the\s(?P<whole>weekend|week)\sof\s(?:the\s)?$"
)

_MONTH_NUMBER = {name: at + 1 for at, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split())}
_WEEKDAY_NUMBER = {name: at for at, name in enumerate("mo tu we th fr sa su".split())}
_COUNT_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_NAMED_DAYS = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}
_QUARTERS = ("first", "second", "third", "fourth")
_GRAINS: dict[str, Grain] = {
    "day": "day",
    "night": "day",
    "weekend": "weekend",
    "week": "week",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
}

# Words that must precede a month or year on its own.
_BEFORE = r"(?<!\w)(?:{})[\s-]{{1,3}}(?:the\s)?$"
_IN = r"in|during|since|until|till|early|late|mid|(?:end|middle|beginning|start|month)\sof"
_SEASON = r"|year|(?:spring|summer|fall|autumn|winter)(?:\sof)?"
_ASKED = (
    r"|before|after|from|by|between|and|to|through|of|around|than|not|nor|except|excluding|without|besides"
    r"|(?:everything|anything|all|any\s\w{1,12})\sbut"
)
_BEFORE_MONTH = {False: late_pattern(_BEFORE.format(_IN)), True: late_pattern(_BEFORE.format(_IN + _ASKED))}
_BEFORE_YEAR = {
    False: late_pattern(_BEFORE.format(_IN + _SEASON)),
    True: late_pattern(_BEFORE.format(_IN + _SEASON + _ASKED)),
}
_BEFORE_NO_VERB = late_pattern(_BEFORE.format("in|during|since|before|after|until|till|early|late|mid"))
_BEFORE_NO_DATE = late_pattern(r"(?:every|each|any|some|most|black|good|easter|palm|ash|cyber|super)\s$")
_FUTURE = late_pattern(r"\b(?:will|won't|gonna|going to|let's|see you|by|until|till|plan\w*|upcoming)\b|['’]ll\b")
_CLAUSE_END = late_pattern(r"[.!?;\n]")
_CLAUSE = 60


@dataclass(frozen=True, slots=True)
class _CasedText:
    """A text, its lower-case form of the same length, and whether it is a question."""

    written: str
    lower: str
    asking: bool

    def before(self, at: int, length: int = 24) -> str:
        return self.lower[max(0, at - length) : at]

    def is_verb(self, start: int, name: str) -> bool:
        """Whether the name of a month is written like an ordinary word: may, march, mar."""
        return name in {"may", "march", "mar"} and self.written[start].islower()


def mentions(text: str, *, asking: bool = False) -> list[Mention]:
    """The date mentions of a text, in text order, without overlaps.

    Args:
        text: any text.
        asking: True for a question, where a month or year may follow more words ("before June", "from 2021").
    """
    lower = text.lower()
    words = runs(lower, LETTERS) if lower.isascii() else _WORDS.findall(lower)
    cues, number = _CUES.intersection(words), _NUMBER.search(lower)
    if not cues and not number:
        return []
    families = {_FAMILY_OF[cue] for cue in cues} | ({"number"} if number else set())
    if len(lower) != len(text):
        text = text.replace("İ", "I")  # the one character whose lower case is longer
        lower = text.lower()
    said = _CasedText(text, lower, asking)
    matches = [
        mention
        for called_by, pattern, read in _RULES
        if not families.isdisjoint(called_by)
        for match in pattern.finditer(lower)
        if (mention := read(match, said)) is not None
    ]
    return without_overlaps(matches)


def anchored(text: str, mention: Mention) -> RelativeDate | None:
    """The date that "two weeks before", "the Friday after" or "the week of" forms with the mention after it."""
    start = mention.span[0]
    match = _ANCHORED.search(text[max(0, start - _CLAUSE) : start].lower())
    if match is None:
        return None
    span = (start - (match.endpos - match.start()), mention.span[1])
    if match["whole"]:
        return RelativeDate(span, _GRAINS[match["whole"]], 0)
    sign = -1 if match["way"] == "before" else 1
    if match["weekday"]:
        return RelativeDate(span, "day", sign, weekday=_WEEKDAY_NUMBER[match["weekday"][:2]])
    count = 1 if match["one"] else _counted(match["count"])
    return RelativeDate(span, _GRAINS[match["one"] or match["unit"]], sign * count)


def without_overlaps(candidates: list[Mention]) -> list[Mention]:
    """Removes overlapping mentions: keeps the first one, or the longer one of two at the same position."""
    separate: list[Mention] = []
    end = 0
    for mention in sorted(candidates, key=lambda mention: (mention.span[0], -mention.span[1])):
        if mention.span[0] >= end:
            separate.append(mention)
            end = mention.span[1]
    return separate


def _read_day(match: re.Match[str], _: _CasedText) -> Mention:
    return WrittenDate(match.span(), "day", int(match["year"]), int(match["month"]), int(match["day"]))


def _read_slashed(match: re.Match[str], _: _CasedText) -> Mention:
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    month, day = (second, first) if first > 12 else (first, second)
    return WrittenDate(match.span(), "day", year + 2000 if year < 100 else year, month, day)


def _read_quarter(match: re.Match[str], _: _CasedText) -> Mention:
    number = int(match["digit"]) if match["digit"] else _QUARTERS.index(match["word"]) + 1
    return WrittenDate(match.span(), "quarter", int(match["year"]), 3 * number - 2)


def _read_iso_month(match: re.Match[str], said: _CasedText) -> Mention | None:
    """Of a question: in what people say, "2023-05" is as often a version or a number."""
    return WrittenDate(match.span(), "month", int(match["year"]), int(match["month"])) if said.asking else None


def _read_day_of_month(match: re.Match[str], said: _CasedText) -> Mention | None:
    day, last, year = match["day"], match["last"], match["year"]
    if said.is_verb(match.start("month"), match["month"]) and not (year or day[-1].isalpha()):
        return None
    month = _MONTH_NUMBER[match["month"][:3]]
    return WrittenDate(
        match.span(), "day", int(year) if year else None, month, _number(day), _number(last) if last else None
    )


def _read_month(match: re.Match[str], said: _CasedText) -> Mention | None:
    if match["day"]:
        return _read_day_of_month(match, said)
    month = _MONTH_NUMBER[match["month"][:3]]
    if match["its_year"]:
        return WrittenDate(match.span(), "month", int(match["its_year"]), month)
    before = said.before(match.start())
    if not _BEFORE_MONTH[said.asking].search(before):
        return None
    if said.is_verb(match.start(), match["month"]) and not _BEFORE_NO_VERB.search(before):
        return None
    return WrittenDate(match.span(), "month", None, month)


def _read_year(match: re.Match[str], said: _CasedText) -> Mention | None:
    follows = _BEFORE_YEAR[said.asking].search(said.before(match.start()))
    return WrittenDate(match.span(), "year", int(match[0])) if follows else None


def _read_ago(match: re.Match[str], _: _CasedText) -> Mention:
    count = _counted(match["count"])
    return RelativeDate(match.span(), _GRAINS[match["unit"]], count if match["way"].startswith("from") else -count)


def _read_ahead(match: re.Match[str], _: _CasedText) -> Mention:
    return RelativeDate(match.span(), _GRAINS[match["unit"]], _counted(match["count"]))


def _read_trailing(match: re.Match[str], _: _CasedText) -> Mention:
    return RelativeDate(match.span(), _GRAINS[match["unit"]], -_counted(match["count"]), trailing=True)


def _read_stepped(match: re.Match[str], said: _CasedText) -> Mention | None:
    words = set(match[0].split())
    step = -1 if words & {"last", "past", "previous"} else 1 if words & {"next", "coming", "upcoming"} else 0
    if match["unit"]:
        return RelativeDate(match.span(), _GRAINS[match["unit"]], step)
    if match["weekday"]:
        return RelativeDate(match.span(), "day", step, weekday=_WEEKDAY_NUMBER[match["weekday"][:2]])
    if said.is_verb(match.start("month"), match["month"]):
        return None
    return RelativeDate(match.span(), "month", step, month=_MONTH_NUMBER[match["month"][:3]])


def _read_named_day(match: re.Match[str], _: _CasedText) -> Mention:
    return RelativeDate(match.span(), "day", _NAMED_DAYS.get(" ".join(match[0].split()), 0))


def _read_weekday(match: re.Match[str], said: _CasedText) -> Mention | None:
    clause = _CLAUSE_END.split(said.before(match.start(), _CLAUSE))[-1]
    if _BEFORE_NO_DATE.search(clause):
        return None
    if len(match[0]) < 6 and not (clause.endswith("on ") and said.written[match.start()].isupper()):
        return None  # sun, sat and wed are words of their own
    weekday = _WEEKDAY_NUMBER[match[0][:2]]
    return RelativeDate(match.span(), "day", 1 if _FUTURE.search(clause) else -1, weekday=weekday, bare=True)


def _number(day: str) -> int:
    return int(day.rstrip("stndrh"))


def _counted(words: str) -> int:
    word = words.split(maxsplit=1)[0]
    if word.isdigit():
        return int(word)
    if word in _COUNT_WORDS:
        return _COUNT_WORDS.index(word)
    return 2 if "couple" in words else 3 if "few" in words else 1


# (families of words that call for it, pattern, what it says)
_RULES: tuple[tuple[frozenset[str], re.Pattern[str], Callable[[re.Match[str], _CasedText], Mention | None]], ...] = (
    (frozenset({"number"}), _ISO, _read_day),
    (frozenset({"number"}), _ISO_MONTH, _read_iso_month),
    (frozenset({"number"}), _DOTTED, _read_day),
    (frozenset({"number"}), _SLASHED, _read_slashed),
    (frozenset({"number"}), _QUARTER, _read_quarter),
    (frozenset({"number"}), _BARE_YEAR, _read_year),
    (frozenset({"month"}), _DAY_MONTH, _read_day_of_month),
    (frozenset({"month"}), _MONTH_FIRST, _read_month),
    (frozenset({"unit"}), _AGO, _read_ago),
    (frozenset({"unit"}), _AHEAD, _read_ahead),
    (frozenset({"unit"}), _TRAILING, _read_trailing),
    (frozenset({"unit", "month", "weekday"}), _STEPPED, _read_stepped),
    (frozenset({"named"}), _NAMED_DAY, _read_named_day),
    (frozenset({"weekday"}), _BARE_WEEKDAY, _read_weekday),
)
