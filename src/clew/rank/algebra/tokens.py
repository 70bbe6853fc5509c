"""Splits an expression into tokens with their positions."""

import re
from dataclasses import dataclass
from typing import Final, Literal, cast

from clew.errors import ExpressionError

Kind = Literal["word", "string", "operator", "open", "close", "meet", "end"]

MAX_CHARS: Final = 10_000
"""Longest expression, in characters; people write about fifty."""

SHOWN: Final = 40
"""Most characters of a token that an error message repeats."""

_TOKEN: Final = re.compile(
    r"""\s*(?:
    (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|“[^”]*”)
    |(?P<operator>>=|<=|!=|==|=|>|<)
    |(?P<open>\()|(?P<close>\))|(?P<meet>~)
    |(?P<quote>["'“])
    |(?P<word>[^\s()<>=!~"“”]+)
    |(?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    Attributes:
        text: a string without its quotes, an operator in its usual form, else the token itself.
        start: index of its first character in the expression, from 0.
        end: index after its last character.
    """

    kind: Kind
    text: str
    start: int
    end: int


def tokens(expression: str) -> list[Token]:
    """The tokens in order; the last one has kind `end`.

    Raises:
        ExpressionError: the expression is too long, a quote is not closed, or a character starts no token.
    """
    if len(expression) > MAX_CHARS:
        raise ExpressionError(
            f"at position {MAX_CHARS + 1} of the expression: it goes on to {len(expression):,} characters; at most "
            f"{MAX_CHARS:,} are read, so ask in parts"
        )
    result: list[Token] = []
    place = 0
    while not result or result[-1].kind != "end":
        match = _TOKEN.match(expression, place)
        if match is None:  # "!" without "=", or a closing quote
            place += len(expression[place:]) - len(expression[place:].lstrip())
            raise unexpected(place, repr(expression[place]), 'a comparison such as !=, or NOT, or a "phrase" in quotes')
        kind, place = cast("Kind | Literal['quote']", match.lastgroup), match.end()
        if kind == "quote":
            raise unexpected(match.start(kind), "a quote that is never closed", "the same quote again at its end")
        result.append(_token(kind, match))
    return result


def _token(kind: Kind, match: re.Match[str]) -> Token:
    text = match[kind]
    if kind == "string":
        text = text[1:-1] if text[0] == "“" else _ESCAPED.sub(r"\1", text[1:-1])
    return Token(kind, "=" if text == "==" and kind == "operator" else text, *match.span(kind))


def unexpected(place: int, actual: str, expected: str) -> ExpressionError:
    """The syntax error for a position, which is counted from 0 here and from 1 in the message."""
    return ExpressionError(f"at position {place + 1} of the expression: found {actual}; expected {expected}")


def shown(token: Token) -> str:
    """A token as error messages show it."""
    if token.kind == "end":
        return "the end"
    text = token.text if len(token.text) <= SHOWN else token.text[:SHOWN] + "…"
    return f"the phrase {text!r}" if token.kind == "string" else repr(text)
