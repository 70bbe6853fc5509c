"""Files without a grammar: their beginning as text, and the hashes and names that every kind of file needs."""

import hashlib
import re
from collections.abc import MutableMapping
from typing import Final

from clew.project.nodes import NodeKind
from clew.project.parse.comments import cut_text, decisions
from clew.project.parse.parsed import ParsedFile, ParsedNode

_GO_MODULE: Final = re.compile(r"^module\s+(\S+)", re.MULTILINE)


def parse_plain(text: str, language: str, content: str) -> ParsedFile:
    """A file as its beginning, with the decisions that its comments state.

    Args:
        content: SHA-256 of the bytes of the file.
    """
    lines = max(1, text.count("\n") + (not text.endswith("\n")))
    module = _GO_MODULE.search(text) if language == "gomod" else None
    nodes = [ParsedNode(NodeKind.FILE, "", "", 1, lines, "", cut_text(text), content[:32])]
    nodes += [
        ParsedNode(NodeKind.DECISION, f"line {said.start}", f"decision at line {said.start}", *said[:2], "", said.text)
        for said in decisions(text, is_document=False)
    ]
    return ParsedFile(language, content, lines, tuple(nodes), package=module[1].strip('"') if module else "")


def hash_of(data: bytes) -> str:
    """128 bits of the SHA-256 of data, hexadecimal."""
    return hashlib.sha256(data).hexdigest()[:32]


def unique(name: str, names: MutableMapping[str, int]) -> str:
    """A name that repeats in a file gets `~2`, `~3`."""
    names[name] = names.get(name, 0) + 1
    return name if names[name] == 1 else f"{name}~{names[name]}"
