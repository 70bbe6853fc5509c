"""Parses an expression into its tree.

    any      = all { OR all }
    all      = not { AND not }
    not      = NOT not | meet
    meet     = { "~" element } | joined { "~" element }      joined = "(" any ")" | leaf
    element  = overlay [ operator number ] | file:path | symbol:name | "phrase"
    leaf     = score operator number | overlay | label [ operator number ] | flag | name ("=" | "!=") value
             | (before | after | since | on) date | "phrase"

Keywords and field names are case-insensitive. Dates are resolved to moments here, so that the meaning of a tree does
not depend on when it is evaluated.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, Literal, cast

from clew.errors import ExpressionError
from clew.rank.algebra import fields
from clew.rank.algebra.syntax import (
    About,
    And,
    FieldEquals,
    FlagSet,
    LabelWeight,
    Node,
    Not,
    Operator,
    Or,
    Phrase,
    ProjectLink,
    ProjectMeet,
    ScoreComparison,
    TimeRange,
)
from clew.rank.algebra.tokens import Token, shown, tokens, unexpected
from clew.text.dates import ResolvedDate, resolve
from clew.text.iso_time import parse_iso
from clew.text.normalise import fold
from clew.types.turn import ROLES

MAX_DEPTH: Final = 64
"""Greatest nesting depth of parentheses and NOTs."""

MAX_LEAVES: Final = 256
"""Most conditions in one expression."""

_KEYWORDS: Final = ("and", "or", "not")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,15})?|\.[0-9]{1,15})")
_MOMENT: Final = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:?\d{2}.*")
_ISO_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_MICROSECOND: Final = timedelta(microseconds=1)

_CONDITION: Final = 'a condition such as O2 > 7, tag:auth, routine, role = user, before 2024-05-01 or "a phrase"'
_JOINED: Final = "AND, OR or the end"
_DATE: Final = 'a date such as 2024-05-01, 2024-05-01T10:30, May 2023 or "last month"'
_ELEMENT: Final = 'what of the project is met, such as O2, O2 >= 6, file:src/auth/*, symbol:login or "a phrase"'
_COMMIT: Final = re.compile(r"[0-9a-f]{4,40}")


def parse(expression: str, now: datetime, covered: tuple[date, date] | None = None) -> Node:
    """The tree of an expression.

    Args:
        now: what "last month" is counted from.
        covered: first and last day of the turns, by which a date without a year is placed.

    Raises:
        ExpressionError: a syntax error, with its position, what was found and what was expected; or the expression is
            too long, too deep, or has too many conditions.
    """
    if not isinstance(expression, str):
        raise ExpressionError(f"the expression is {type(expression).__name__}; expected text such as 'O2 > 7'")
    if not expression.strip():
        raise unexpected(0, "nothing", _CONDITION)
    return _Parser(expression, now, covered).whole()


class _Parser:
    """One pass over the tokens of one expression."""

    def __init__(self, expression: str, now: datetime, covered: tuple[date, date] | None) -> None:
        self._expression, self._now, self._covered = expression, now, covered
        self._tokens = tokens(expression)
        self._place = self._depth = self._leaves = 0

    def whole(self) -> Node:
        tree = self._any()
        token = self._token
        if token.kind == "close":
            raise unexpected(token.start, "')' without '(' before it", _JOINED)
        if token.kind != "end":
            raise unexpected(token.start, shown(token), _JOINED)
        return tree

    @property
    def _token(self) -> Token:
        return self._tokens[self._place]

    def _next(self) -> Token:
        token = self._token
        self._place += 1
        return token

    def _keyword(self, word: str) -> bool:
        """Consumes the next token if it is that keyword, and returns whether it was."""
        taken = self._token.kind == "word" and self._token.text.casefold() == word
        self._place += taken
        return taken

    def _any(self) -> Node:
        return self._joined("or", Or, lambda: self._joined("and", And, self._not))

    def _joined(self, word: str, join: type[And] | type[Or], part: Callable[[], Node]) -> Node:
        parts = [part()]
        while self._keyword(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else join(tuple(parts))

    def _not(self) -> Node:
        token = self._token
        if self._keyword("not"):
            return self._deeper(token, lambda: Not(self._not()))
        parts = [] if token.kind == "meet" else [self._joined_part(token)]
        while self._token.kind == "meet":
            self._next()
            self._count_leaf(self._token)
            parts.append(self._element())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _joined_part(self, token: Token) -> Node:
        if token.kind == "open":
            self._next()
            tree = self._deeper(token, self._any)
            if self._token.kind != "close":
                expected = f"')' for the '(' at position {token.start + 1}, or AND, OR"
                raise unexpected(self._token.start, shown(self._token), expected)
            self._next()
            return tree
        self._count_leaf(token)
        return self._leaf()

    def _count_leaf(self, token: Token) -> None:
        self._leaves += 1
        if self._leaves > MAX_LEAVES:
            raise ExpressionError(
                f"at position {token.start + 1} of the expression: condition number {self._leaves}; at most "
                f"{MAX_LEAVES} are read, so ask in parts"
            )

    def _element(self) -> Node:
        """What stands behind `~`: an overlay of the project, or an element of it."""
        token = self._next()
        if token.kind == "string":
            return ProjectLink(self._says(token, token.text))
        overlay = fields.overlay_of(token.text) if token.kind == "word" else None
        if overlay is not None:
            if self._token.kind != "operator":
                return ProjectMeet(overlay)
            return ProjectMeet(overlay, *self._comparison())
        head = token.text.partition(":")[0].casefold()
        if token.kind == "word" and ":" in token.text and head in ("file", "symbol"):
            return ProjectLink(self._about(token, head))
        raise unexpected(token.start, shown(token), _ELEMENT)

    def _about(self, token: Token, kind: str) -> About:
        name = token.text.partition(":")[2]
        if not name and self._token.kind == "string" and self._token.start == token.end:
            name = self._next().text
        if not name.strip():
            raise unexpected(self._token.start, shown(self._token), f"a name right after '{kind}:'")
        if kind == "commit" and not _COMMIT.fullmatch(name.casefold()):
            raise unexpected(token.start, shown(token), "at least 4 hexadecimal digits of a commit after 'commit:'")
        return About(cast("Literal['file', 'edited', 'symbol', 'commit']", kind), name.strip())

    def _deeper(self, token: Token, inner: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(
                f"at position {token.start + 1} of the expression: it is {self._depth} parentheses and NOTs deep; at "
                f"most {MAX_DEPTH} are read, so leave out those that change nothing"
            )
        tree = inner()
        self._depth -= 1
        return tree

    def _leaf(self) -> Node:
        token = self._token
        if token.kind == "string":
            self._next()
            return self._says(token, token.text)
        if token.kind != "word" or token.text.casefold() in _KEYWORDS:
            raise unexpected(token.start, shown(token), _CONDITION)
        self._next()
        word = token.text.casefold()
        if word in fields.FLAGS:
            return FlagSet(word)
        if word in fields.TIMES:
            return self._told(word)
        if word in fields.NAMES:
            return self._named(word)
        score = fields.score_of(token.text)
        if score is not None:
            return self._score(score)
        if ":" in token.text:
            return self._label(token)
        raise unexpected(
            token.start,
            shown(token),
            f'{_CONDITION}; for turns that say it write "{token.text[:40]}" in quotes' if fold(word) else _CONDITION,
        )

    def _says(self, token: Token, phrase: str) -> Phrase:
        if not fold(phrase):
            raise unexpected(token.start, shown(token), "a phrase with at least one letter or digit")
        return Phrase(phrase)

    def _told(self, word: str) -> TimeRange:
        start, end = self._date(word)
        match word:
            case "before":
                return TimeRange(until=start)
            case "after":
                return TimeRange(since=end)
            case "since":
                return TimeRange(since=start)
            case _:
                return TimeRange(since=start, until=end)

    def _date(self, word: str) -> tuple[datetime, datetime]:
        """The first moment of a date and the first moment after it, in UTC."""
        first = self._token
        if first.kind == "string":
            self._next()
            text = first.text
        else:
            last = first
            while self._token.kind == "word" and self._token.text.casefold() not in _KEYWORDS:
                last = self._next()
            text = self._expression[first.start : last.end] if last.kind == "word" else ""
        days = _moment(text.strip()) or _days(text.strip(), self._now, self._covered)
        if days is None:
            stands = repr(text[:40]) if text else shown(first)
            raise unexpected(first.start, stands, f"{_DATE} after {word!r}")
        return days

    def _named(self, field: str) -> FieldEquals:
        operator = self._token
        if operator.kind != "operator" or operator.text not in ("=", "!="):
            raise unexpected(operator.start, shown(operator), f"= or != after {field}")
        self._next()
        value = self._next() if self._token.kind in ("word", "string") else None
        if value is None:
            raise unexpected(self._token.start, shown(self._token), f"the name of a {field} after {operator.text}")
        return _checked_name(field, cast("Literal['=', '!=']", operator.text), value, value.text)

    def _score(self, name: str) -> Node:
        if self._token.kind == "operator":
            return ScoreComparison(name, *self._comparison())
        if name in fields.OVERLAYS:
            return LabelWeight(fields.OVERLAY, name)
        raise unexpected(self._token.start, shown(self._token), f"a comparison such as >= 3 after {name}")

    def _label(self, token: Token) -> Node:
        head, _, name = token.text.partition(":")
        if head.casefold() in fields.ABOUT:
            return self._about(token, head.casefold())
        namespace, behind = head.casefold(), self._token
        if not name and behind.kind == "string" and behind.start == token.end:
            name = self._next().text
        if not name.strip():
            raise unexpected(behind.start, shown(behind), f"a name right after '{head[:40]}:'")
        if namespace == fields.TEXT:
            return self._says(token, name)
        if namespace in fields.NAMES:
            return _checked_name(namespace, "=", token, name)
        if namespace not in fields.NAMESPACES:
            known = ", ".join(f"{each}:" for each in (*fields.NAMESPACES, *fields.NAMES, *fields.ABOUT, fields.TEXT))
            raise unexpected(token.start, shown(token), f"one of {known} before a name")
        full = _label_name(token, namespace, name)
        return (
            LabelWeight(namespace, full, *self._comparison())
            if self._token.kind == "operator"
            else LabelWeight(namespace, full)
        )

    def _comparison(self) -> tuple[Operator, float]:
        operator = self._next()
        number = self._token
        if number.kind != "word" or not _NUMBER.fullmatch(number.text):
            raise unexpected(number.start, shown(number), f"a number such as 7 or 0.3 after {operator.text}")
        self._next()
        return cast("Operator", operator.text), float(number.text)


def _checked_name(field: str, operator: Literal["=", "!="], token: Token, value: str) -> FieldEquals:
    if field == "role":
        value = value.casefold()
        if value not in ROLES:
            raise unexpected(token.start, shown(token), f"one of the roles {', '.join(ROLES)}")
    return FieldEquals(cast("Literal['role', 'speaker', 'session']", field), operator, value)


def _label_name(token: Token, namespace: str, name: str) -> str:
    """A label's stored name. Tags stay as written and are resolved on evaluation, since aliases may change."""
    if namespace == fields.OVERLAY:
        full = fields.overlay_of(name)
        if full is None:
            raise unexpected(token.start, shown(token), f"O1 to O7, or one of {', '.join(fields.OVERLAYS)}")
        return full
    listed = fields.LISTED.get(namespace)
    if listed is None:
        return name
    if name.casefold() not in listed:
        raise unexpected(token.start, shown(token), f"{namespace}: with one of {', '.join(listed)}")
    return name.casefold()


def _moment(text: str) -> tuple[datetime, datetime] | None:
    """A moment with a clock time, in UTC unless it has a zone, or a day of any year; None for anything else."""
    if _ISO_DAY.fullmatch(text):
        try:
            day = _midnight(date.fromisoformat(text))
        except ValueError:
            return None
        return day, _day_after(day.date())
    if not _MOMENT.fullmatch(text):
        return None
    try:
        moment = parse_iso(text)
        return moment, moment + _MICROSECOND
    except (ValueError, OverflowError):
        return None


def _days(text: str, now: datetime, covered: tuple[date, date] | None) -> tuple[datetime, datetime] | None:
    """The days of a text that is a date as a whole, alone or after "in" ("2023", "may"); None for anything else.

    A date without a year is the last such date of the conversations, if they have one.
    """
    for before in ("", "in "):
        for resolved in resolve(before + text, now):
            if text and resolved.phrase_span[0] <= len(before) and resolved.phrase_span[1] == len(before + text):
                start, end = (resolved.start, resolved.end) if resolved.guessed != "year" else _told(resolved, covered)
                return _midnight(start), _day_after(end)
    return None


def _told(resolved: ResolvedDate, covered: tuple[date, date] | None) -> tuple[date, date]:
    """The days of a date without a year, in the last year in which turns were said then."""
    first, last = covered or (resolved.end, resolved.start)
    for year in range(last.year, first.year - 1, -1):
        try:
            start = resolved.start.replace(year=year)
            end = start + (resolved.end - resolved.start)
        except (ValueError, OverflowError):  # the 29th of February; days behind those of the calendar
            continue
        if start <= last and end >= first:
            return start, end
    return resolved.start, resolved.end


def _day_after(day: date) -> datetime:
    """The first moment after a day, or the last one of the calendar."""
    return _midnight(day + timedelta(days=1)) if day < date.max else datetime.max.replace(tzinfo=UTC)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
