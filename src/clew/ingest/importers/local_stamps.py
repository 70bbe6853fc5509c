"""Dates and clock times at the start of a chat's line, as telephones write them in other languages, in one form.

`2024년 6월 1일 오전 10:00` (KakaoTalk), `[2024. 6. 1. 오전 10:00:00]`, `2024年6月1日 下午3:05` and `١/٦/٢٠٢٤، ١٠:٠٠ ص`
become `2024-6-1 10:00 AM` and the like, so that the forms of lines need to know digits, AM and PM alone.
"""

import re
from typing import Final

_MORNING: Final = "오전 上午 午前 凌晨 早上 清晨 ص पूर्वाह्न".split()
_EVENING: Final = "오후 下午 午後 中午 晚上 م अपराह्न".split()
_HALF: Final = "|".join(map(re.escape, (*_MORNING, *_EVENING)))
_CLOCK: Final = r"(?P<clock>\d{1,2}:\d\d(?::\d\d)?)"
_DAY: Final = re.compile(
    r"(?P<open>\[?)(?P<year>\d{4})(?:년|年|\.)[ ]?(?P<month>\d{1,2})(?:월|月|\.)[ ]?(?P<day>\d{1,2})(?:일|日|\.(?!\d))?"
    r"(?:[ ]?[(（]?(?:[월화수목금토일]요일|星期[一二三四五六日天]|[月火水木金土日]曜日)[)）]?)?"
)
_HALF_FIRST: Final = re.compile(rf"(?P<half>{_HALF})\s*{_CLOCK}")
_HALF_LAST: Final = re.compile(rf"{_CLOCK}\s*(?P<half>{_HALF})(?=[\s\]]|$)")
_DIGITS: Final = {base + n: str(n) for base in (0x0660, 0x06F0, 0x0966) for n in range(10)} | {0x060C: ","}
_STAMP: Final = 40  # characters that a stamp takes at most


def in_digits(line: str) -> str:
    """The line with the stamp at its start in plain digits; lines that do not begin with a stamp stay as they are."""
    if not (line[:1].isdigit() or line[:1] == "["):
        return line
    head = line[:_STAMP]
    stamp = head.translate(_DIGITS) if not head.isascii() and not _is_western(head) else head
    stamp = _DAY.sub(r"\g<open>\g<year>-\g<month>-\g<day>", stamp, count=1) if _DAY.match(stamp) else stamp
    stamp = _HALF_FIRST.sub(_in_halves, stamp, count=1)
    stamp = _HALF_LAST.sub(_in_halves, stamp, count=1)
    return stamp + line[_STAMP:]


def _is_western(head: str) -> bool:
    """Whether the line begins with digits that need no translation, so that what is said after them keeps its own."""
    return head.lstrip("[")[:1].isascii()


def _in_halves(match: re.Match[str]) -> str:
    return f"{match['clock']} {'AM' if match['half'] in _MORNING else 'PM'}"
