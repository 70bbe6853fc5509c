"""Derived ids: a turn is named by its session and its place in it, so the same log gives the same ids everywhere."""

from urllib.parse import quote, unquote

from clew.errors import InputError


def turn_id(session: str, seq: int) -> str:
    """`<session>:turn:<seq>`; the session is percent-encoded, so that a colon in it cannot be mistaken."""
    return f"{quote(session, safe='', errors='surrogatepass')}:turn:{seq}"


def parse_turn_id(text: str) -> tuple[str, int]:
    """The session and place that `turn_id` was given.

    Raises:
        InputError: the text has another form.
    """
    head, mark, tail = text.rpartition(":turn:")
    if not mark or not head or not tail.isascii() or not tail.isdigit():
        raise InputError(f"{text!r} is not a turn id; expected <session>:turn:<number>, as recall and search print it")
    return unquote(head, errors="surrogatepass"), int(tail)
