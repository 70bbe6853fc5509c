"""Markdown and reStructuredText: sections by their headings, links, and recorded decisions.

A document that has a section "Decision" beside one that says its context, status or consequences is the record of a
decision, wherever it stands.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from clew.project.nodes import NodeKind
from clew.project.parse.comments import cut_text, decisions
from clew.project.parse.imports import links_of, text_of
from clew.project.parse.languages import CodeGrammar
from clew.project.parse.parsed import ParsedFile, ParsedNode
from clew.project.parse.plain import hash_of, unique
from clew.project.parse.tangled import TooTangled, parsed

if TYPE_CHECKING:
    from tree_sitter import Node

_ATX: Final = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_UNDERLINE: Final = re.compile(r"([=\-~^\"'`#*+:.])\1{2,}[ \t]*")
_UNDERLINED: Final = re.compile(rf"\A{_UNDERLINE.pattern}\n")
_FENCE: Final = re.compile(r"^ {0,3}(```|~~~)")
_DECISION: Final = re.compile(r"^\W*(?:\d+[.)]?\s*)?(?:the )?decisions?(?: outcome| made)?\W*$", re.IGNORECASE)
_BESIDE: Final = re.compile(
    r"^\W*(?:\d+[.)]?\s*)?(?:context.*|status|consequences|rationale|alternatives.*|considered options|reasons?)\W*$",
    re.IGNORECASE,
)
_MARKUP: Final = re.compile(r"!?\[([^\[\]]*)\]\([^)]*\)|[*_`]{1,3}")
_MOST: Final = 5_000
"""Headings of a document."""


class _Heading(NamedTuple):
    level: int
    title: str
    line: int  # from 0


def parse_document(data: bytes, language: str, grammar: CodeGrammar | None, content: str) -> ParsedFile:
    """Takes a document apart; without a grammar, headings are found by their marks alone.

    Args:
        language: `markdown` or `rst`.
        content: SHA-256 of the bytes of the file.
    """
    text = data.decode("utf-8", "replace")
    lines = text.split("\n")
    if lines[-1] == "" and len(lines) > 1:
        lines.pop()
    marked = _by_underlines if language == "rst" else _by_marks
    headings = list(marked(lines)) if grammar is None else _by_grammar(data, grammar)
    headings = (list(marked(lines)) if headings is None else headings)[:_MOST]
    sections = list(_sections(headings, lines))
    nodes = [ParsedNode(NodeKind.FILE, "", "", 1, len(lines), "", _introduction(headings, lines), content[:32])]
    nodes += sections
    nodes += _decided(headings, sections)
    nodes += [
        ParsedNode(NodeKind.DECISION, f"line {said.start}", f"decision at line {said.start}", *said[:2], "", said.text)
        for said in decisions(text, is_document=True)
    ]
    return ParsedFile(language, content, len(lines), tuple(nodes), links_of(text) if language == "markdown" else ())


def _by_grammar(data: bytes, grammar: CodeGrammar) -> list[_Heading] | None:
    """The headings; None if the grammar would take too long."""
    from tree_sitter import QueryCursor  # an extra

    try:
        root = parsed(data, grammar.language)
    except TooTangled:
        return None
    headings = [
        _Heading(_level(captures["heading"][0]), _title(captures), captures["heading"][0].start_point.row)
        for _, captures in QueryCursor(grammar.definitions).matches(root)
    ]
    return sorted(headings, key=lambda heading: heading.line)


def _level(heading: "Node") -> int:
    marks = (re.match(r"(?:atx_h|setext_h)(\d)", child.type) for child in heading.children)
    return next((int(mark[1]) for mark in marks if mark), 1)


def _title(captures: dict[str, list["Node"]]) -> str:
    return _plain(text_of(captures["name"][0])) if captures.get("name") else ""


def _by_marks(lines: Sequence[str]) -> Iterator[_Heading]:
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark:
            fence = "" if fence == mark[1] else fence or mark[1]
        elif not fence and (heading := _ATX.match(line)):
            yield _Heading(len(heading[1]), _plain(heading[2]), number)


def _by_underlines(lines: Sequence[str]) -> Iterator[_Heading]:
    """Headings of reStructuredText: a line with a line of marks below, perhaps above too; levels in order of marks."""
    levels: dict[tuple[str, bool], int] = {}
    for number, line in enumerate(lines[1:], 1):
        title = lines[number - 1]
        if not (mark := _UNDERLINE.fullmatch(line)) or len(line.rstrip()) < len(title.strip()):
            continue
        before = lines[number - 2] if number > 1 else ""
        over = before.strip() == line.strip()
        if not title.strip() or _UNDERLINE.fullmatch(title) or (title[0].isspace() and not over):
            continue
        if over or not before.strip():
            yield _Heading(levels.setdefault((mark[1], over), len(levels) + 1), _plain(title), number - 1)


def _plain(title: str) -> str:
    return " ".join(_MARKUP.sub(r"\1", _MARKUP.sub(r"\1", title[:500])).split())[:200]  # a link may hold a picture


def _sections(headings: Sequence[_Heading], lines: Sequence[str]) -> Iterator[ParsedNode]:
    above: list[_Heading] = []
    names: dict[str, int] = {}
    for at, heading in enumerate(headings):
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        end = next((other.line for other in headings[at + 1 :] if other.level <= heading.level), len(lines))
        own = headings[at + 1].line if at + 1 < len(headings) else len(lines)
        yield ParsedNode(
            NodeKind.HEADING,
            heading.title,
            unique(" > ".join(each.title for each in above), names),
            heading.line + 1,
            max(end, heading.line + 1),
            "",
            cut_text(_UNDERLINED.sub("", "\n".join(lines[heading.line + 1 : own]))),
            hash_of("\n".join(lines[heading.line : end]).encode()),
        )


def _introduction(headings: Sequence[_Heading], lines: Sequence[str]) -> str:
    """The title of a document and what stands before its second heading."""
    end = headings[1].line if len(headings) > 1 else len(lines)
    return cut_text("\n".join(lines[:end]))


def _decided(headings: Sequence[_Heading], sections: Sequence[ParsedNode]) -> Iterator[ParsedNode]:
    """The record of a decision that the whole document is, named like the document."""
    decision = next((section for section in sections if _DECISION.match(section.name)), None)
    if decision is None or not any(_BESIDE.match(heading.title) for heading in headings):
        return
    title = sections[0].name if sections[0] is not decision else "Decision"
    yield ParsedNode(
        NodeKind.DECISION,
        title,
        f"decision {title}",
        decision.start,
        decision.end,
        "",
        decision.text,
        decision.hash,
    )
