"""Names of people and sessions, and titles, as they are shown: on one line, and unable to pass for anything else."""

import re
from typing import Final
from unicodedata import normalize

from clew.text.printable import cut_line, printable
from clew.text.text_cache import cached_by_word

COLONS: Final = ":\u02d0\u02f8\u05c3\u2236\ua789\ufe13\ufe55\uff1a"
"""The colon, and what looks like it."""

UNSEEN: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
"""Characters without a width: a line that begins with them looks as if it began after them."""

_BRACKETS: Final = "<\u02c2\u1438\u2039\u2329\u276e\u27e8\u3008\ufe64\uff1c"
_SLASHES: Final = "/\u2044\u2215\u2571\u29f8\uff0f"
_DASHES: Final = "\\-\u2010-\u2015\u2212\ufe58\ufe63\uff0d"
"""The signs of a mark, and what looks like them."""

_LONGEST_NAME: Final = 40
"""Characters of a speaker's name that are shown."""
_LONGEST_TITLE: Final = 100
"""Characters of a title that are shown; those that Clew makes itself are shorter."""
_ROLES: Final = frozenset(("assistant", "system", "tool", "user"))
_UNSEEN: Final = re.compile(f"[{UNSEEN}]+")
_ANY_COLON: Final = re.compile(f"[{COLONS}]")


def like_a_mark(*names: str, brackets: str = _BRACKETS) -> re.Pattern[str]:
    """Finds the bracket of what looks like a mark `<name>` or `</name>` to a reader, of letters and dashes.

    Characters without a width may stand anywhere in it, and look-alikes for its signs and letters.

    Args:
        brackets: the signs that may open the mark.
    """
    unseen = f"[{UNSEEN}]*+"
    letters = "|".join(
        unseen.join(
            rf"[{_DASHES}_\s{UNSEEN}]++" if character == "-" else f"[{character}{chr(ord(character) + 0xFEE0)}]"
            for character in name
        )
        for name in names
    )
    gap = rf"[\s{UNSEEN}]*+"
    return re.compile(rf"[{brackets}](?={gap}[{_SLASHES}]?{gap}(?:{letters}))", re.IGNORECASE)


_OUR_MARKS: Final = ("clew-memory", "clew-earlier", "clew-quote")
_LIKE_OUR_MARKS: Final = like_a_mark(*_OUR_MARKS)
_AFTER_PLAIN_BRACKET: Final = like_a_mark(*_OUR_MARKS, brackets="<")
"""`_LIKE_OUR_MARKS` where no other sign looks like `<`: a search for one character takes a fifth of the time."""
_SPELLED: Final = re.compile(
    r"(?:&(?:lt|#0*60|#x0*3c);|\\u003c)(?=\s*+\\?/?\s*+clew[-_\s](?:memory|earlier|quote))", re.IGNORECASE
)
"""Our marks with a bracket as HTML and JSON write it: so they stand in blocks that come back in such a text."""


def has_look_alikes(text: str) -> bool:
    """Whether a text has a sign that looks like `<`; fast for long texts, so ask it of many together."""
    return not text.isascii() and any(sign in text for sign in _BRACKETS[1:])


def escaped_marks(text: str) -> str:
    """The text with a backslash after the bracket of what looks like one of Clew's own marks."""
    if has_look_alikes(text):
        text = _LIKE_OUR_MARKS.sub(_with_backslash, text)
    elif "<" in text:
        text = _AFTER_PLAIN_BRACKET.sub(_with_backslash, text)
    if may_spell_marks(text) and "clew" in text.lower():  # which takes a quarter of the time of the search
        text = _SPELLED.sub(_with_backslash, text)
    return text


def _with_backslash(mark: re.Match[str]) -> str:
    return f"{mark[0]}\\"  # as a template, `re` would look it up for every text


def may_spell_marks(text: str) -> bool:
    """Whether a text can have a bracket as HTML or JSON write it; a look without cost at nearly every text."""
    return "&" in text or "\\u003" in text


def name_on_a_line(name: str) -> str:
    """A name on one line, with the block's marks escaped and control characters visible."""
    if name.isalnum():
        return name
    plain = printable(" ".join(name.split()))
    return escaped_marks(plain)


def shown_title(title: str) -> str:
    """A title on one line, cut when it is long: one that a client or a person gave may hold anything."""
    return cut_line(name_on_a_line(title), _LONGEST_TITLE)


def said_by(speaker: str | None, role: str) -> str:
    """The speaker's name, or else the role; behind a name that is another role's stands the role.

    Who calls themselves "assistant" in a chat is shown as `assistant (user)`, or their words would be the assistant's.
    """
    name = speaker or role
    return f"{name} ({role})" if name != role and _plainly(name) in _ROLES - {role} else name


def _plainly(name: str) -> str:
    """A name as it looks: without what is not seen, and full-width letters as plain ones."""
    return normalize("NFKC", _UNSEEN.sub("", name)).strip().casefold()


@cached_by_word(most=1024)  # each line of a block asks for its speaker, twice where one goes on
def shown_speaker(name: str) -> str:
    """A speaker's name on one line, cut when it is long, with `;` for a colon, so that no words can follow a role."""
    cut = cut_line(name, _LONGEST_NAME)
    return cut if cut.isalnum() else _ANY_COLON.sub(";", name_on_a_line(cut))
