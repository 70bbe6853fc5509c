"""Reads from the words before a date which side of it a question asks for: "not before March", "except in May".

The patterns end where the date begins. What they say is applied to days in `clew.text.query_dates`.
"""

import re
from typing import Final

from clew.text.late_pattern import late_pattern

_FILLER: Final = r"\s+(?:(?:(?:end|middle|beginning|start)\s+of|early|late|mid|in|on|the)[\s-]+)*$"
_SIDES: Final = (
    (late_pattern(r"\b(?:before|prior\s+to|earlier\s+than)" + _FILLER, re.IGNORECASE), "before"),
    (late_pattern(r"\b(?:until|till|up\s+to|by|as\s+of)" + _FILLER, re.IGNORECASE), "up to"),
    (late_pattern(r"\b(?:after|later\s+than)" + _FILLER, re.IGNORECASE), "after"),
    (late_pattern(r"\b(?:since|starting)" + _FILLER, re.IGNORECASE), "since"),
)
_NEGATED: Final = late_pattern(r"(?<!\bwhy\s)(?<!\bif\s)\b(?:not|no|never|nothing)\s+$", re.IGNORECASE)
_OPPOSITES: Final = {"before": "since", "up to": "since", "after": "up to"}
_EXCLUDED: Final = late_pattern(
    r"\b(?:except(?:ing|\s+for)?|excluding|(?:other|rather)\s+than|(?:apart|aside)\s+from|outside(?:\s+of)?"
    r"|instead\s+of|besides|without|(?<!\bwhy\s)(?<!\bif\s)(?<!\bor\s)(?:but\s+)?not|neither|nor"
    r"|(?:everything|anything|all|always|any\s+\w+)\s+(?P<but>but)"
    r"|außer|ausser|sauf|hormis|excepto|salvo|tranne|eccetto|behalve|exceto|кроме)\s+"
    r"(?:(?:in|on|during|from|for|at|of|the|im|am|en|nel|em)\s+)*"
    r"(?:(?:early|late|mid|(?:beginning|start|middle|end|week|weekend)\s+of)[\s-]+(?:the\s+)?)?$",
    re.IGNORECASE,
)
_LONGER: Final = late_pattern(r"\b(?:(?:more|longer|earlier|older)\s+than|over)\s+$", re.IGNORECASE)
_SHORTER: Final = late_pattern(r"\b(?:(?:less|fewer|later|no\s+(?:more|longer)|not\s+more)\s+than)\s+$", re.IGNORECASE)
_JOINT: Final = late_pattern(r",?(?:\s+(?!(?:or|oder|ou|o)\b)[^\s.?!;]+){1,5}\s+", re.IGNORECASE)
_SERIES: Final = late_pattern(r",?(?:\s+(?:and|or|in|on|also|the)\b)*\s+", re.IGNORECASE)


def side_before(before: str) -> str:
    """Which side of a date the words before it ask for: "before", "up to", "after", "since", or "on"."""
    for pattern, side in _SIDES:
        if match := pattern.search(before):
            is_negated = side in _OPPOSITES and _NEGATED.search(before, 0, match.start()) is not None
            return _OPPOSITES[side] if is_negated else side
    return "on"


def exclusion_start(before: str) -> int | None:
    """Where the words begin that exclude the date behind them ("except in"); None where it is not excluded."""
    match = _EXCLUDED.search(before)
    if match is None:
        return None
    return match.start() if match["but"] is None else match.start("but")


def length_compared(before: str) -> str:
    """What the words before "two weeks ago" ask for: "more" than that ago, "less" than that, or "" for neither."""
    if _SHORTER.search(before):
        return "less"
    return "more" if _LONGER.search(before) else ""


def is_joint(between: str) -> bool:
    """Whether the words between two dates can join one side of each to an interval: ", but before"."""
    return _JOINT.fullmatch(between) is not None


def is_series(between: str) -> bool:
    """Whether two dates are named one after the other: "in January and in March"."""
    return _SERIES.fullmatch(between) is not None
