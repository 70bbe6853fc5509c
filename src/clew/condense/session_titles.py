"""A title for a session that has none: the first wish of the person, without what a client put around it."""

import re
from collections.abc import Iterable
from typing import Final

from clew.analyze.naming import without_markup
from clew.ingest.client_marks import gives_a_setting, names_a_command, split_words
from clew.text.sentences import sentence_spans
from clew.text.small_talk import is_bare, is_greeting

TITLE: Final = 80
"""Most characters of a title."""

_LEAST: Final = 12
"""Characters from which the first line of a request is a title by itself."""
_READ: Final = 20_000
_GREETINGS: Final = 400  # characters of a line in which they are looked for
_WISH = re.compile(
    r"<(\w*(?:description|query|request|question|task|prompt|problem|issue|command-args)\w*)>(.+?)</\1>", re.DOTALL
)
_LONG_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_WORDS_OF_WISH: Final = 2
"""Words from which what stands behind a command says by itself what is asked; `221` of `/review-pr 221` does not."""
_COMMAND = re.compile(r"<command-name>\s*(/?\S+?)\s*</command-name>")
_HEADING = re.compile(
    r"^(?:#+ *(?:Problem Statement|Task|Issue|Request|Question)|(?-i:Problem Statement))\s*:?\s*$",
    re.MULTILINE | re.IGNORECASE,
)
_ANNOUNCED: Final = re.compile(r"\s*[^\n]{1,200}:[*_ \t]*\n\s*(?=#{1,6}[ \t]+[^\W#][^\n]*[^\W\n][ \t]+\S)")
"""A line that only announces the document under it (`Implement the following plan:`), which has a telling heading."""
_SUMMARISED = re.compile(r"Primary Request and Intent:?[\s*]*(.+)")
_TRACEBACK: Final = re.compile(r"^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(?=\S)", re.MULTILINE)
"""The part of a Python error report before the line that names the error."""
_WORD: Final = re.compile(r"\w")
_LEAD = re.compile(r"^(?:[\s\"'`*#>-]+|\(?(?:[0-9]{1,2}|[A-Za-z])\)\s+|[0-9]{1,2}\.\s+)+")
"""What stands before the words: quotes, marks of a heading or list, the number or letter of an answer."""


def title_of(requests: Iterable[str], summary: str | None = None) -> str | None:
    """A title from the first request that says something; None if nothing does.

    A greeting, a command to the client such as `/model opus` or a bare "login", words that only let somebody go on
    ("continue"), or a message without a word say nothing as long as anything else does.

    Args:
        requests: what the person sent, in order.
        summary: of earlier talk that is not stored, as a client wrote it.
    """
    texts = [text[:_READ] for text in requests]
    wishes = list(filter(None, map(_wish, texts)))
    wish = next(filter(_asks, wishes), "")
    if not wish and summary:
        intent = _SUMMARISED.search(summary)
        wish = _first(intent[1] if intent else summary)
    if not wish:
        wish = next((match[1] for match in map(_COMMAND.search, texts) if match), "")
    if not wish:
        wish = next(iter(wishes), "")
    return cut_title(wish) or None


def framed_wish(text: str) -> str | None:
    """The title of a request that a client put a frame or an announcement around; None where there is neither."""
    is_framed = any(frame.search(text[:_READ]) for frame in (_WISH, _HEADING)) or _ANNOUNCED.match(text[:_READ])
    return cut_title(_wish(text[:_READ])) or None if is_framed else None


def _asks(wish: str) -> bool:
    is_said = not (gives_a_setting(wish) or names_a_command(wish) or is_bare(wish))
    return is_said and _WORD.search(wish) is not None and not _greets(wish)


def _greets(line: str) -> bool:
    """Whether a line is polite and says nothing else: "Hi! I hope you had a good weekend."."""
    if len(line) > _GREETINGS:
        return False
    return is_greeting(line) or all(is_greeting(line[start:end]) for start, end in sentence_spans(line))


def _wish(text: str) -> str:
    """What a request asks for, without what the client added, also where it was stored as the person's words."""
    said = "\n".join(words for words, is_own in split_words(text) if is_own)
    if not said:
        return ""
    marked = _WISH.search(said)
    if marked:
        said = marked[2]
    said = _TRACEBACK.sub("", said)
    heading = _HEADING.search(said) or _ANNOUNCED.match(said)
    wish = _first(without_markup(said[heading.end() :] if heading else said))
    command = _COMMAND.search(text)
    says_little = bool(wish) and len(_LONG_WORD.findall(wish)) < _WORDS_OF_WISH
    return f"/{command[1].removeprefix('/')} {wish}" if command and says_little else wish


def _first(text: str) -> str:
    """The first line that is no greeting, or the text from there where that line says little or announces the next."""
    lines = [line for line in (_LEAD.sub("", line).strip() for line in text.splitlines()) if line]
    start = next((place for place, line in enumerate(lines) if not _greets(line)), 0)
    lines = [_without_greeting(line) for line in lines[start : start + 1]] + lines[start + 1 :]
    whole = " ".join(lines)
    return lines[0] if lines and len(lines[0]) >= _LEAST and not lines[0].endswith(":") else whole


def _without_greeting(line: str) -> str:
    """A line without the sentences before the first that is not a greeting: "Hi there! Why is the cart empty?"."""
    starts = (start for start, end in sentence_spans(line[:_GREETINGS]) if not is_greeting(line[start:end]))
    return line[next(starts, 0) :]


def cut_title(text: str) -> str:
    """A text on one line, of at most `TITLE` characters and an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE else f"{line[:TITLE].rpartition(' ')[0] or line[:TITLE]} …"
