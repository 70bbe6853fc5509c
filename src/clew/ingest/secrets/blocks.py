"""Finds secrets that stand in a block: the data of a Kubernetes Secret, and lists of recovery codes."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from clew.ingest.secrets import checks as check
from clew.ingest.secrets.checks import SecretMatch
from clew.ingest.secrets.rule import SecretRule
from clew.text.late_pattern import late_pattern

_DOCUMENT: Final = 20_000
"""How much of a text one manifest may take."""
_SEPARATORS: Final = ("\n---", "\\n---")
"""What separates manifests, also in a JSON string."""
_IS_SECRET: Final = late_pattern(r"kind\\*[\"']?\s{0,2}:\s{0,2}\\*[\"']?secret(?![\w-])", re.IGNORECASE)
_DATA_LINE: Final = late_pattern(r"(?P<indent> *)(?:- )?(?:data|stringData):[ \t\r]*$")
_ENTRY: Final = late_pattern(
    r"(?P<indent> +)[\"']?[\w.-]+[\"']?:[ \t]+(?:(?P<block>[|>][+-]?[ \t\r]*$)"
    r"|(?P<quote>[\"']?)(?P<secret>[^\s\"'#][^\"'\n]{2,5000}?)(?P=quote)[ \t\r]*(?:\\?$|#))"
)
_BLOCK_LINE: Final = late_pattern(r"(?P<indent> *)(?P<secret>\S[^\n]*)$")
_JSON_DATA: Final = late_pattern(r"\"(?:data|stringData)\\*\"\s{0,3}:\s{0,3}\{(?:\s|\\n)*")
_JSON_ENTRY: Final = late_pattern(
    r"\\*\"[\w.-]{1,253}\\*\"\s{0,3}:\s{0,3}(?P<quote>\\*\")(?P<secret>[^\"\\\n]{3,5000})(?P=quote)(?:\s|\\n)*,?(?:\s|\\n)*"
)
_CODES_BEGIN: Final = late_pattern(r"(?:recovery|backup|scratch)\s+codes?", re.IGNORECASE)
_TO_CODES: Final = late_pattern(r"[^\n:]{0,60}?(?::|\n|\\n|\bare\b|\bis\b)(?:[\s*`>#-]|\\n){0,8}")
_CODE: Final = late_pattern(
    r"(?:\d{1,2}[.)]\s{1,2}`?)?(?P<secret>[0-9a-z]{4,6}(?:-[0-9a-z]{4,6}){1,4}|\d{8}|\d{4} \d{4}|[0-9a-f]{8,12}"
    r"|[A-Z0-9]{8,12})(?![\w-]|\.\w)"
)
_BETWEEN: Final = late_pattern(r"(?:[\s,;*•|`>]|\\n|- |and\s){1,12}")


def _bounds(text: str, at: int) -> tuple[int, int]:
    """The limits of the manifest around a place."""
    low, high = max(0, at - _DOCUMENT), min(len(text), at + _DOCUMENT)
    begin = max(*(text.rfind(sign, low, at) for sign in _SEPARATORS), low)
    ends = (text.find(sign, at, high) for sign in _SEPARATORS)
    return begin, min((end for end in ends if end >= 0), default=high)


def _of_yaml(text: str, begin: int, end: int) -> Iterator[SecretMatch]:
    newline = "\n" if "\n" in text[begin:end] else "\\n"
    outer, block = -1, -1  # how far `data:` and the key of a block scalar are indented; -1 outside of them
    while begin < end:
        stop = text.find(newline, begin, end)
        stop = end if stop < 0 else stop
        data, line = _DATA_LINE.match(text, begin, stop), _BLOCK_LINE.match(text, begin, stop)
        indent = len(line["indent"]) if line else 0
        if data:
            outer, block = len(data["indent"]), -1
        elif line and indent > block >= 0:
            yield line
        elif outer >= 0 and text[begin:stop].strip():
            entry = _ENTRY.match(text, begin, stop) if indent > outer else None
            outer = outer if indent > outer else -1
            block = indent if entry and entry["block"] is not None else -1
            if entry and entry["block"] is None:
                yield entry
        begin = stop + len(newline)


def _of_json(text: str, begin: int, end: int) -> Iterator[SecretMatch]:
    for data in _JSON_DATA.finditer(text, begin, end):
        entry = _JSON_ENTRY.match(text, data.end(), end)
        while entry:
            yield entry
            entry = _JSON_ENTRY.match(text, entry.end(), end)


def in_manifests(text: str, places: Sequence[int]) -> Iterator[SecretMatch]:
    """The values in the data of Kubernetes Secrets, in order."""
    done = 0
    for at in places:
        if at < done or not _IS_SECRET.match(text, at):
            continue
        begin, end = _bounds(text, at)
        begin = max(begin, done)
        done = end
        yield from _of_json(text, begin, end) if '"' in text[at : at + 8] else _of_yaml(text, begin, end)


def in_lists_of_codes(text: str, places: Sequence[int]) -> Iterator[SecretMatch]:
    """The codes of a list that is called recovery codes; two at least, with digits."""
    done = 0
    for at in places:
        named = _CODES_BEGIN.match(text, at)
        if at < done or not named:
            continue
        begin = _TO_CODES.match(text, named.end())
        codes: list[SecretMatch] = []
        code = _CODE.match(text, begin.end()) if begin else None
        while code and len(codes) < 40:
            codes.append(code)
            done = code.end()
            gap = _BETWEEN.match(text, code.end())
            code = _CODE.match(text, gap.end()) if gap else None
        if len(codes) >= 2 and 2 * sum(bool(re.search("[0-9]", match["secret"])) for match in codes) >= len(codes):
            yield from codes


BLOCKS: Final = (
    SecretRule(
        "credential",
        ("kind: secret", "kind:secret", 'kind": "secret"', 'kind":"secret"', 'kind\\": \\"secret'),
        "",
        check.is_not_template,
        scope="text",
        needs=("data",),
        finder=in_manifests,
    ),
    SecretRule(
        "credential", ("recovery code", "backup code", "scratch code"), "", scope="text", finder=in_lists_of_codes
    ),
)
"""Secrets in blocks."""
