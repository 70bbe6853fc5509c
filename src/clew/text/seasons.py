"""Finds seasons, and halves of a year by their letter: "the spring of 2024", "last summer", "H1 2022".

Seasons are those of the northern hemisphere, by whole months: spring is March to May, and winter goes from December of
its year to the end of February. "Spring" and "fall" without a year need a word such as "in the" or "last" before them.
The names of other languages need a year ("im Frühling 2024").
"""

import re
from typing import Final, TypeGuard

from clew.text.date_phrases import Mention, RelativeDate, WrittenDate
from clew.text.late_pattern import late_pattern

_WINTER: Final = 12

_NAMES: Final = {
    3: "spring springtime frühling frühjahr printemps primavera lente voorjaar весна весной весны весну",
    6: "summer summertime sommer été verano estate zomer verão лето летом лета",
    9: "autumn fall herbst automne otoño autunno herfst najaar outono осень осенью осени",
    _WINTER: "winter wintertime hiver invierno inverno зима зимой зимы зиму",
}
_MONTH_OF: Final = {name: month for month, names in _NAMES.items() for name in names.split()}
_ENGLISH: Final = r"(?:spring|summer|winter)(?:time)?|autumn|fall"
_ENGLISH_NAMES: Final = ("spring", "summer", "winter", "autumn", "fall")
_YEAR: Final = r"(?:19|20)[0-9]{2}"
_WITH_YEAR: Final = late_pattern(
    rf"(?<![\w-])(?P<season>{'|'.join(sorted(_MONTH_OF, key=len, reverse=True))})"
    rf"(?:,?\s|\s(?:of|de|del|do|van|des\sjahres)\s|(?<!fall)\sin\s)(?P<year>{_YEAR})(?:\s?[-/–]\s?(?:[0-9]{{2}}|{_YEAR}))?(?![\w%/-]|[.,:]\w)"
)
_WITHOUT_YEAR: Final = late_pattern(
    rf"(?<!\w)(?:(?P<step>last|past|this\spast|previous|this|next|this\scoming|coming)\s(?P<stepped>{_ENGLISH})(?![\w-])"
    rf"|(?:in|during|over|since|until|till|before|after|by)\s(?P<the>the\s)?(?:(?:early|late|mid)[\s-])?(?P<season>{_ENGLISH})"
    r"(?(the)(?![\w'’-]|\sof\s)|(?=\s?(?:[?!.,;:)]|$))))"
)
_STEPS: Final = {"this": 0, "next": 1, "coming": 1, "this coming": 1}
_HALF: Final = late_pattern(rf"(?<![\w-])h[12]\s(?:of\s|in\s)?(?P<year>{_YEAR})(?![\w%/-]|[.,:]\w)")


def season_mentions(lower: str) -> list[Mention]:
    """The seasons of a question in lower case, and the years that "H1" or "H2" stands before; in no order."""
    result: list[Mention] = []
    has_year = "19" in lower or "20" in lower
    if has_year:
        result += (
            WrittenDate(match.span(), "quarter", int(match["year"]), _MONTH_OF[match["season"]])
            for match in _WITH_YEAR.finditer(lower)
        )
    if any(map(lower.__contains__, _ENGLISH_NAMES)):
        result += (_without_year(match) for match in _WITHOUT_YEAR.finditer(lower))
    if has_year:
        result += (WrittenDate(match.span("year"), "year", int(match["year"])) for match in _HALF.finditer(lower))
    return result


def is_winter(mention: Mention) -> TypeGuard[WrittenDate]:
    """Whether the mention is a winter, which lies in two years."""
    return isinstance(mention, WrittenDate) and mention.grain == "quarter" and mention.month == _WINTER


def _without_year(match: re.Match[str]) -> Mention:
    if match["season"]:
        return WrittenDate(match.span("season"), "quarter", None, _MONTH_OF[match["season"].removesuffix("time")])
    month = _MONTH_OF[match["stepped"].removesuffix("time")]
    return RelativeDate(match.span(), "quarter", _STEPS.get(" ".join(match["step"].split()), -1), month=month)
