"""Find what a shortened text should keep: addresses, errors, commands, paths, dates, numbers with units, identifiers.

Rules only (DESIGN 7). Every pattern is bounded, so that matching takes time linear in the text.
"""

import re
from typing import Final

from clew.text.late_pattern import late_pattern

MOST: Final = 20_000
"""Characters that are examined, from the start: bounds the cost of one huge text."""

_UNITS: Final = (
    "%|percent|ms|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|[kmgt]i?b|bytes?|bits?|[kmg]?hz"
    "|px|mm|cm|km|m|miles?|kg|g|mg|lbs?|tokens?|rows?|users?|requests?|times|usd|eur|gbp|dollars?|euros?"
)
_MONTH: Final = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
_FILE_ENDS: Final = (
    "py|js|jsx|ts|tsx|json|toml|ya?ml|md|txt|csv|sql|sh|html?|css|rs|go|java|c|h|cpp|rb|ini|cfg|env|lock|log|pdf|docx?|xlsx?"
    "|png|jpe?g|svg"
)
# A later kind never overlaps an earlier one, so that the digits of a date are not a number.
_KINDS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("url", late_pattern(r"\b(?:[a-z]{2,12}://|www\.)[^\s<>\"')\]]{1,400}", re.IGNORECASE)),
    (
        "error",
        late_pattern(
            r"\b[A-Z]\w{0,60}(?:Error|Exception)\b[^\n]{0,160}|\bTraceback\b[^\n]{0,160}"
            r"|\b(?i:error|fatal|panic|exit code)\b:? [^\n]{1,160}"
        ),
    ),
    ("command", late_pattern(r"`[^`\n]{1,200}`|^[^\S\n]{0,8}\$ [^\n]{1,200}", re.MULTILINE)),
    (
        "path",
        late_pattern(
            r"(?<![\w/.])(?:~|\.{1,2})?(?:/[\w.@-]{1,80}){2,12}|\b[A-Za-z]:\\[^\s\"']{1,200}"
            rf"|\b\w[\w-]{{0,60}}(?:/[\w.@-]{{1,80}}){{0,12}}\.(?:{_FILE_ENDS})\b"
        ),
    ),
    (
        "date",
        late_pattern(
            r"\b\d{4}-\d\d(?:-\d\d)?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]m)?\b"
            rf"|\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?"
            rf"|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b(?:,? \d{{4}})?"
            r"|\b(?:19|20)\d\d\b",
            re.IGNORECASE,
        ),
    ),
    (
        "number",
        late_pattern(
            rf"[$€£¥]\s?\d[\d.,]{{0,20}}[km]?\b|\bv?\d{{1,9}}(?:\.\d{{1,9}}){{2,4}}\b|\b\d[\d.,]{{0,20}}\s?(?:{_UNITS})(?!\w)",
            re.IGNORECASE,
        ),
    ),
    (
        "identifier",
        late_pattern(
            r"\b[a-zA-Z]\w{0,40}_\w{1,60}\b|\b[a-z][a-z0-9]{0,40}[A-Z]\w{1,60}\b|\b\w[\w.]{0,80}\(\)"
            r"|\b(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}\b|(?<![\w-])--[a-z][\w-]{1,40}\b"
        ),
    ),
)


def evidence(text: str) -> tuple[tuple[int, int, str], ...]:
    """Start, end and kind of each mark of evidence, in text order, none overlapping.

    Kinds: `url`, `error`, `command`, `path`, `date`, `number`, `identifier`; where two overlap, the kind named first
    wins. Only the first `MOST` characters are examined.
    """
    head = text[:MOST]
    covered = bytearray(len(head))
    found: list[tuple[int, int, str]] = []
    for kind, pattern in _KINDS:
        for match in pattern.finditer(head):
            start, end = match.span()
            if covered.find(1, start, end) < 0:
                covered[start:end] = b"\x01" * (end - start)
                found.append((start, end, kind))
    return tuple(sorted(found))
