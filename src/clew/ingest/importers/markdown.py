"""Markdown transcripts: messages under headings (`## User`), bold labels (`**Alice:** text`) or `User: text`.

Chats that Cursor saved are such transcripts; a rule between two messages belongs to none.

Names count as labels when they come twice or more, so that a heading of the text itself does not. Labels inside fenced
code are code. A heading of level one before the first label is the title. A document without labels is read as text.
"""

import re
from collections.abc import Iterator

from clew.ingest.importers.record import ImportRecord
from clew.ingest.importers.source import Source
from clew.ingest.importers.transcript import (
    LABELS,
    LabelFinder,
    SpeakerLabel,
    clean_name,
    heading_text,
    labelled,
    names_in,
    paragraphs,
    unfenced_lines,
)
from clew.types import Rejection

NAME = "markdown"
_HEADING = re.compile(r"#{1,6}\s++(?P<label>[^\n]+)")
_LONGEST_LABEL = 100
_BOLD = re.compile(
    r"(?:[-*>]\s+)?(?:\*\*|__)(?P<label>[^*\n]{1,60}?)(?P<in>:)?\s*(?:\*\*|__)(?P<out>\s*:)?\s*(?P<rest>.*)", re.DOTALL
)
_PLAIN = re.compile(r"(?P<label>[^\W\d_][\w .-]{0,30}):(?:\s+|$)(?P<rest>.*)", re.DOTALL)
_MOMENT = re.compile(r"\s*(?:[(\[](?P<in>[^)\]]*\d[^)\]]*)[)\]]|[—–|·@-]\s+(?P<out>.*\d.*))\s*:?$")


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads the messages of a Markdown document."""
    names = names_in(source, unfenced_lines, _label)
    if not names:
        yield from paragraphs(source, NAME, unfenced_lines)
        return

    def match(line: str) -> SpeakerLabel | None:
        label = _label(line)
        return label if label is not None and label.name in names else None

    yield from labelled(source, NAME, unfenced_lines, match, _title(source, match))


def has_speakers(source: Source) -> bool:
    """Whether a document is a transcript."""
    return bool(names_in(source, unfenced_lines, _label))


def _title(source: Source, match: LabelFinder) -> str | None:
    for line in unfenced_lines(source):
        if isinstance(line, Rejection) or not line[1].strip():
            continue
        if match(line[1]) is not None:
            break
        if line[1].startswith("# "):
            return line[1][2:].strip() or None
    return None


def _label(line: str) -> SpeakerLabel | None:
    heading = _HEADING.match(line)
    if heading:
        text = heading_text(heading["label"])
        return _made(text, "") if len(text) <= _LONGEST_LABEL else None
    bold = _BOLD.match(line)
    if bold:
        is_label = bold["in"] or bold["out"] or clean_name(bold["label"]).lower() in LABELS
        return _made(bold["label"], bold["rest"]) if is_label else None
    plain = _PLAIN.match(line)
    if plain and clean_name(plain["label"]).lower() in LABELS:
        return _made(plain["label"], plain["rest"])
    return None


def _made(label: str, rest: str) -> SpeakerLabel | None:
    """Splits the date off a label such as `User (2024-05-01 10:00)`."""
    match = _MOMENT.search(label)
    at = (match["in"] or match["out"]) if match else None
    name = clean_name(label[: match.start()] if match else label)
    return SpeakerLabel(name, rest, at) if name else None
