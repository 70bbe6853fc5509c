"""Markdown documents as the house tests read them: fenced blocks, links, and the commands that are shown."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.house.tree import project_files

FENCE = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^)\s#]+)(?:#[^)]*)?\)")
PLACE = re.compile(r"\]\((?P<page>[^)\s#:]*)#(?P<heading>[^)\s]+)\)")
HEADING = re.compile(r"^#+ +(?P<title>.+?) *$", re.MULTILINE)
SHELL = {"sh", "bash", "console", "shell"}


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, and how many lines of the document stand above the text."""

    language: str
    text: str
    above: int


def documents() -> list[Path]:
    return [path for path in project_files() if path.suffix == ".md"]


def blocks(document: str) -> Iterator[Block]:
    for found in FENCE.finditer(document):
        yield Block(found["language"], found["text"], document.count("\n", 0, found.start("text")))


def links(document: str) -> list[str]:
    """Targets of links to files, relative to the document; addresses and links inside fenced blocks are left out."""
    prose = FENCE.sub("", document)
    return [target for found in LINK.finditer(prose) if not re.match(r"\w+:", target := found["target"])]


def places(document: str) -> list[tuple[str, str]]:
    """Links to a heading, as (page, name of the heading); the page is "" for the document itself."""
    return [(found["page"], found["heading"]) for found in PLACE.finditer(FENCE.sub("", document))]


def headings(document: str) -> set[str]:
    """The names by which links lead to a document's headings, made as GitHub makes them."""
    titles = (re.sub(r"\]\([^)]*\)", "]", found["title"]) for found in HEADING.finditer(FENCE.sub("", document)))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def commands(document: str, program: str) -> Iterator[list[str]]:
    """The words of each line of a shell block that starts `program`, its own name left out, comments and pipes cut."""
    for block in blocks(document):
        for line in block.text.replace("\\\n", " ").splitlines() if block.language in SHELL else []:
            words = re.split(r"\s[#|>&]|;", line.strip().removeprefix("$ "))[0].split()
            if words[:1] == [program]:
                yield words[1:]
