"""HTML as plain text, as far as chat answers need it: paragraphs, lists, headings, tables and code.

The reader of the standard library takes quadratic time for marks that are never closed, so this one is written out: no
mark is looked for beyond the next `<`.
"""

import re
from collections.abc import Generator, Iterator
from html import unescape
from typing import Final, NamedTuple

_BLOCKS: Final = frozenset("p div h1 h2 h3 h4 h5 h6 ul ol table tr pre blockquote hr section article".split())
_HIDDEN: Final = {name: re.compile(rf"</{name}[^<>]*+>", re.IGNORECASE) for name in ("script", "style")}
"""Elements that hold no text, and how they end."""
_TAG: Final = re.compile(
    r"<(?P<end>/?)(?P<name>[a-zA-Z][^\s/<>]*+)(?:[^\"'<>]|\"[^\"<]*+\"|'[^'<]*+')*+(?P<alone>(?<=/))?>"
)
_DECLARATION: Final = re.compile(r"<[!?][^<>]*+>")
_BEGINS: Final = {"pre": "\n```\n", "br": "\n", "li": "\n- ", "td": " | ", "th": " | "}
"""What is written where an element begins; elsewhere blocks begin and end a line."""


class _Token(NamedTuple):
    """A piece of text, or a tag: the beginning or the end of an element."""

    text: str = ""
    begins: str = ""
    ends: str = ""


def plain_html(html: str) -> str:
    """The text of a fragment of HTML; blocks are lines, list items have a dash, code has fences, cells a bar."""
    lines = (line.rstrip() for line in "".join(_pieces(html)).split("\n"))
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip("\n")


def _pieces(html: str) -> Iterator[str]:
    """The text in pieces; white space counts in code alone."""
    code = 0
    last = "\n"
    for token in _tokens(html):
        if token.begins:
            code += token.begins == "pre"
            piece = _BEGINS.get(token.begins, "\n" if token.begins in _BLOCKS else "")
        elif token.ends:
            code = max(0, code - (token.ends == "pre"))
            piece = "\n```\n" if token.ends == "pre" else "\n" if token.ends in _BLOCKS else ""
        elif code:
            piece = token.text
        else:
            words = " ".join(token.text.split())
            before, after = token.text[:1].isspace(), token.text[-1:].isspace()
            piece = " " * before + words + " " * after if words else " " * (not last.endswith(("\n", " ")))
        if piece:
            yield piece
            last = piece


def _tokens(html: str) -> Iterator[_Token]:
    """Texts and tags in order. A mark that is never closed is text."""
    at = 0
    has_comments = True
    while (mark := html.find("<", at)) >= 0:
        if mark > at:
            yield _Token(unescape(html[at:mark]))
        at = mark
        if has_comments and html.startswith("<!--", at):
            end = html.find("-->", at + 4)
            has_comments = end >= 0
            if has_comments:
                at = end + 3
                continue
        tag = _TAG.match(html, at)
        if tag is not None:
            at = yield from _tag(html, tag)
        elif (declaration := _DECLARATION.match(html, at)) is not None:
            at = declaration.end()
        else:
            yield _Token("<")
            at += 1
    if at < len(html):
        yield _Token(unescape(html[at:]))


def _tag(html: str, tag: re.Match[str]) -> Generator[_Token, None, int]:
    """A tag, or a hidden element as a whole; returns where the text goes on."""
    name = tag["name"].lower()
    if name in _HIDDEN and not tag["end"]:
        end = _HIDDEN[name].search(html, tag.end())
        return len(html) if end is None else end.end()
    if not tag["end"]:
        yield _Token(begins=name)
    if tag["end"] or tag["alone"] is not None:
        yield _Token(ends=name)
    return tag.end()
