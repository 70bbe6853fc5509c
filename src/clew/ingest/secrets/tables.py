"""Finds secrets in columns: cells of tables (Markdown, databases' output, CSV) under a header such as `password`."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from clew.ingest.secrets import checks as check
from clew.ingest.secrets.checks import SecretMatch
from clew.ingest.secrets.rule import TABLE_CUES, SecretRule
from clew.ingest.secrets.sentences import is_strong
from clew.text.late_pattern import late_pattern

_LONGEST_LINE: Final = 2000
_COLUMNS: Final = 60
_HEADER: Final = late_pattern(
    r"(?:[\w-]{1,20}[ _.-]){0,4}?(?P<kind>passwords?|passwd|passphrase|passcode|pwd|pw|secrets?|tokens?|pin"
    r"|(?:api|access|secret|private|auth)[ _-]?keys?|[a-z]+password|[a-z]+token)(?: ?\([^()|]{1,30}\))?$",
    re.IGNORECASE,
)
_OF_USER: Final = late_pattern(
    r"(?:[\w-]{1,20}[ _.-]){0,3}?(?:user|user ?name|login|e-?mail|mail|account|host|host ?name|server|ssid|network|site"
    r"|service|system|device|url|id|name|person|employee)s?$",
    re.IGNORECASE,
)
_BAR: Final = late_pattern(r"[|│┃]")
_RULE_LINE: Final = late_pattern(r"(?=[^\n]*[─━-])[\s|:+=─━┼╇┿├┤┡┩└┘┴╋-]{3,}$")
_DASHED: Final = late_pattern(r"-{2,}(?: +-{2,})*[ \t\r]*$")
_CAPITALS: Final = late_pattern(r"[A-Z][A-Z_-]*(?: [A-Z_-]+)?(?: {2,}[A-Z][A-Z_-]*(?: [A-Z_-]+)?)+[ \t\r]*$")
_WORDS: Final = late_pattern(r"\S+(?: \S+)*")
_FIELDS: Final = {sign: late_pattern(rf"(\"(?:[^\"\n]|\"\")*\"|[^{sign}\n]*)(?:{sign}|$)") for sign in (",", ";", "\t")}
_NAME_FIELD: Final = late_pattern(r"[\w.#/-]{1,40}(?: [\w.#/-]{1,20}){0,3}$")
_MARKS: Final = " \t\r*`\"'\u201c\u201d"
_SPAN: Final = late_pattern(r"(?P<secret>[\s\S]+)")
_NOT_SET: Final = late_pattern(
    r"(?:unchanged|forgotten|unset|manual|automatic|supported|default|admin|enabled|disabled|yes|no|n/?a|same|email|varchar|text"
    r"|hashed|encrypted|plain|plaintext|bcrypt|argon|ldap|kerberos|public|shared|expired|valid|active|weak|strong|medium)(?!\w)",
    re.IGNORECASE,
)


class _Span(NamedTuple):
    """A part of a text."""

    begin: int
    end: int


class _Column(NamedTuple):
    """A column of secrets: which it is, its header, and whether another column says whose they are."""

    number: int
    kind: str
    of_user: bool


class _Lines:
    """The lines of a text from a place on; knows where the one begins that was read last."""

    def __init__(self, text: str, begin: int, newline: str) -> None:
        self._text, self._next, self._newline = text, begin, newline
        self.last = begin

    def __iter__(self) -> Iterator[_Span]:
        return self

    def __next__(self) -> _Span:
        if self._next > len(self._text):
            raise StopIteration
        self.last = self._next
        end = self._text.find(self._newline, self.last)
        end = len(self._text) if end < 0 else end
        self._next = end + len(self._newline)
        return _Span(self.last, end)

    def again(self) -> None:
        """Gives the line that was read last once more."""
        self._next = self.last


def _trimmed(text: str, cell: _Span) -> _Span:
    """A cell without blanks, quotes and Markdown's marks around its text."""
    begin, end = cell
    while begin < end and text[begin] in _MARKS:
        begin += 1
    while end > begin and text[end - 1] in _MARKS:
        end -= 1
    return _Span(begin, end)


def _barred(text: str, line: _Span) -> list[_Span]:
    """The cells of a line between bars, without an empty one before the first bar."""
    begin, cells = line.begin, []
    for bar in _BAR.finditer(text, line.begin, line.end):
        if text[bar.start() - 1 : bar.start()] == "\\" and bar.start() > line.begin:
            continue
        cells.append(_Span(begin, bar.start()))
        begin = bar.end()
    cells.append(_Span(begin, line.end))
    first = cells[0]
    return cells[1:] if not text[first.begin : first.end].strip() else cells


def _delimited(text: str, line: _Span, sign: str) -> list[_Span]:
    """The fields of a line of CSV."""
    fields: list[_Span] = []
    at, end = line.begin, line.end - text[line.begin : line.end].endswith("\r")
    while at <= end and len(fields) < _COLUMNS:
        field = _FIELDS[sign].match(text, at, end)
        if field is None:
            return []
        fields.append(_Span(field.start(1), field.end(1)))
        if field.end() == field.end(1):
            break
        at = field.end()
    return fields


def _secret_columns(text: str, header: Sequence[_Span]) -> list[_Column]:
    """The columns whose header names a secret; their kind is that of its name."""
    names = [text[cell.begin : cell.end] for cell in (_trimmed(text, column) for column in header[:_COLUMNS])]
    of_user = any(_OF_USER.match(name) for name in names)
    columns = ((number, _HEADER.match(name)) for number, name in enumerate(names))
    return [_Column(number, match["kind"].lower(), of_user) for number, match in columns if match]


def _is_secret(column: _Column, value: str, *, marked: bool) -> bool:
    """Whether a cell holds a secret rather than a word about it."""
    if len(value) < 4 or check.is_placeholder(value) or _NOT_SET.match(value) or "://" in value:
        return False
    if column.kind.startswith("pin"):
        return column.of_user and re.fullmatch(r"\d{4,8}", value) is not None
    if not column.kind.startswith("pw") and "pass" not in column.kind:
        return len(value) >= 12 and " " not in value and check.is_assigned_secret("token", value, quoted=True)
    if is_strong(value) and " " not in value:
        return True
    alone = value.isdecimal() or (value.isalpha() and len(value) >= 6 and value.islower())
    return column.of_user and not check.is_about_passwords(value) and (alone or (marked and " " in value))


def _cells(text: str, columns: Sequence[_Column], rows: Iterator[Sequence[_Span]]) -> Iterator[SecretMatch]:
    for row in rows:
        for column in columns:
            if column.number >= len(row):
                continue
            cell = row[column.number]
            begin, end = _trimmed(text, cell)
            marked = text[begin - 1 : begin] in ("`", '"', "'")
            if begin < end and _is_secret(column, text[begin:end], marked=marked):
                match = _SPAN.fullmatch(text, begin, end)
                if match is not None:
                    yield match


def _barred_rows(text: str, lines: Iterator[_Span]) -> Iterator[Sequence[_Span]]:
    for line in lines:
        if _RULE_LINE.match(text, line.begin, line.end):
            continue
        if line.end - line.begin > _LONGEST_LINE or not _BAR.search(text, line.begin, line.end):
            return
        yield _barred(text, line)


def _delimited_rows(text: str, lines: Iterator[_Span], sign: str, width: int) -> Iterator[Sequence[_Span]]:
    for line in lines:
        fields = _delimited(text, line, sign) if line.end - line.begin <= _LONGEST_LINE else []
        if len(fields) != width:
            return
        yield fields


def _aligned_rows(text: str, lines: Iterator[_Span], starts: Sequence[int]) -> Iterator[Sequence[_Span]]:
    """Rows whose cells begin where the header's do."""
    for line in lines:
        length = line.end - line.begin
        if not length or length > _LONGEST_LINE or not text[line.begin : line.end].strip():
            return
        ends = [*starts[1:], length]
        yield [
            _Span(line.begin + min(start, length), line.begin + min(end, length))
            for start, end in zip(starts, ends, strict=True)
        ]


def _in_table(text: str, header: _Span, lines: _Lines) -> Iterator[SecretMatch]:
    """The secrets of the table that a line may be the header of."""
    below = next(lines, None)
    if below is None or header.end - header.begin > _LONGEST_LINE:
        return
    if _BAR.search(text, header.begin, header.end):
        if _RULE_LINE.match(text, below.begin, below.end):
            yield from _cells(text, _secret_columns(text, _barred(text, header)), _barred_rows(text, lines))
    elif _DASHED.match(text, below.begin, below.end):
        starts = [dash.start() for dash in re.finditer("-+", text[below.begin : below.end])]
        cells = next(_aligned_rows(text, iter([header]), starts), ())
        yield from _cells(text, _secret_columns(text, cells), _aligned_rows(text, lines, starts))
    elif _CAPITALS.match(text, header.begin, header.end):
        lines.again()
        words = list(_WORDS.finditer(text[header.begin : header.end]))
        columns = _secret_columns(
            text, [_Span(header.begin + word.start(), header.begin + word.end()) for word in words]
        )
        yield from _cells(text, columns, _aligned_rows(text, lines, [word.start() for word in words]))
    else:
        lines.again()
        yield from _in_csv(text, header, lines)


def _in_csv(text: str, header: _Span, lines: _Lines) -> Iterator[SecretMatch]:
    for sign in _FIELDS:
        fields = _delimited(text, header, sign)
        if len(fields) < 2:
            continue
        names = (_trimmed(text, field) for field in fields)
        if all(_NAME_FIELD.match(text, name.begin, name.end) for name in names):
            columns = _secret_columns(text, fields)
            yield from _cells(text, columns, _delimited_rows(text, lines, sign, len(fields)) if columns else iter(()))
            return


def in_tables(text: str, places: Sequence[int]) -> Iterator[SecretMatch]:
    """The secrets in the tables whose headers have a cue, in order; no table is read twice."""
    newline = "\n" if "\n" in text else "\\n"
    done = 0
    for at in places:
        if at < done:
            continue
        begin = text.rfind(newline, 0, at)
        begin = 0 if begin < 0 else begin + len(newline)
        end = text.find(newline, at)
        if end < 0:
            return
        lines = _Lines(text, end + len(newline), newline)
        yield from _in_table(text, _Span(begin, end), lines)
        done = lines.last


TABLES: Final = (SecretRule("credential", TABLE_CUES, "", scope="text", finder=in_tables),)
"""Secrets in columns."""
