"""Takes one file apart by what reads it best: a grammar, the marks of a document, or as plain text."""

import hashlib
from dataclasses import replace
from typing import Final

from clew.ingest.secrets.masking import mask
from clew.project.parse.code import parse_code
from clew.project.parse.documents import parse_document
from clew.project.parse.encoding import as_utf8
from clew.project.parse.languages import TEXT, CodeGrammar, grammar, language_of
from clew.project.parse.manifests import metadata_document, with_description
from clew.project.parse.parsed import ParsedFile, ParsedNode
from clew.project.parse.plain import parse_plain, unique
from clew.project.parse.tangled import TooTangled

_PROBE: Final = 8_192
"""Bytes in which a binary file shows itself, as for git."""
_LONG_LINE: Final = 1_000
"""Mean bytes of a line from which code was written by a program for a program."""


def is_binary(data: bytes) -> bool:
    """Whether data is not text: it has a zero byte near its beginning, and is not UTF-16."""
    return b"\0" in data[:_PROBE] and not data.startswith((b"\xff\xfe", b"\xfe\xff"))


def parse(path: str, data: bytes) -> ParsedFile:
    """Takes a file apart. What is masked as a secret in turns is masked in texts, signatures and imports here.

    Args:
        path: its name tells the language; nothing else of it enters the result.
        data: its bytes; text in no encoding that is known is read with replacements.
    """
    content = hashlib.sha256(data).hexdigest()
    data = as_utf8(data)
    language = language_of(path, data)
    reads = grammar(language)
    is_generated = len(data) > _LONG_LINE * (data.count(b"\n") + 1)
    if language in ("markdown", "rst"):
        parsed = parse_document(data, language, reads, content)
    elif language == "metadata":
        text, written_in = metadata_document(data.decode("utf-8", "replace"))
        parsed = replace(parse_document(text.encode(), written_in, grammar(written_in), content), language=language)
    elif reads is None or is_generated:
        kept = language if language == "gomod" else TEXT
        parsed = parse_plain(data.decode("utf-8", "replace"), kept, content)
    else:
        parsed = _by_grammar(data, language, reads, content)
    parsed = with_description(parsed, path, data)
    names: dict[str, int] = {}
    nodes = tuple(_cleaned(node, names) for node in parsed.nodes)
    return replace(parsed, nodes=nodes, imports=_without_secrets(parsed.imports))


def _by_grammar(data: bytes, language: str, reads: CodeGrammar, content: str) -> ParsedFile:
    """Code by its grammar; as text when that would take too long."""
    try:
        return parse_code(data, language, reads, content)
    except TooTangled:
        return replace(parse_plain(data.decode("utf-8", "replace"), TEXT, content), syntax_errors=True)


def _without_secrets(imports: tuple[str, ...]) -> tuple[str, ...]:
    """Imports with what is secret in them masked, such as the login in an address."""
    if not mask("\n".join(imports))[1]:  # as good as always; one look at all is cheaper than one at each
        return imports
    return tuple(dict.fromkeys(mask(imported)[0] for imported in imports))


def _cleaned(node: ParsedNode, names: dict[str, int]) -> ParsedNode:
    """A node without secrets, and with a name that no other node of the file has."""
    text = mask(node.text)[0] if node.text else ""
    signature = mask(node.signature)[0] if node.signature else ""
    qualified = unique(node.qualified, names)
    if (text, signature, qualified) == (node.text, node.signature, node.qualified):
        return node
    return replace(node, text=text, signature=signature, qualified=qualified)
