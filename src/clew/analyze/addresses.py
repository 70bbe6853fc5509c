"""Blanks the addresses in a text: of the web, of mail, of people (`@ann`), and labels (`#work`)."""

from typing import Final

from clew.text.late_pattern import late_pattern

_RUN = late_pattern(r"(?<!\S)(?:[^\s@#/]*+[@#/]|\S*www\.)\S*")  # from one space to the next; few hold an address
_WEB_OR_PERSON = late_pattern(r"(?:https?://|www\.)\S+|(?<!\w)[@#]\w+")
_TO_LAST_DOMAIN = late_pattern(r"\S*(\.\w+)")
_SIGNS: Final = "@#/"
"""A text without any of them has no address."""


def without_addresses(text: str) -> str:
    r"""The text with blanks in the place of addresses, so that offsets stay. Takes time in proportion to its length.

    What is blanked is what `(?:https?://|www\.)\S+|(?<!\w)[@#]\w+|\S+@\S+\.\w+` matches. That expression itself
    takes time in the third power of the length of a run such as `@@@@`, and in the square of a long run's with one `/`.
    """
    if not any(sign in text for sign in _SIGNS):
        return text
    return _RUN.sub(lambda run: _blanked(run[0]), text)


def _blanked(run: str) -> str:
    """A text without white space, with blanks in the place of its addresses."""
    pieces, at = list[str](), 0
    domain = _TO_LAST_DOMAIN.match(run) if "@" in run else None
    while True:
        match = _WEB_OR_PERSON.search(run, at)
        if (match is None or match.start() > at) and domain and _is_mail(run, at, domain.start(1)):
            pieces.append(" " * (domain.end() - at))
            at, domain = domain.end(), None  # nothing behind the last domain is an address of mail
        elif match is not None:
            pieces.append(run[at : match.start()] + " " * len(match[0]))
            at = match.end()
        else:
            return "".join(pieces) + run[at:]


def _is_mail(run: str, start: int, domain: int) -> bool:
    """Whether what begins at `start` is an address of mail in this domain: something, `@`, and something else."""
    sign = run.find("@", start + 1)
    return 0 <= sign <= domain - 2
