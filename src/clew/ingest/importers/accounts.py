"""Reads the conversations of ChatGPT's and Claude's account exports: a JSON list, or one on each line."""

from collections.abc import Iterator

from clew.ingest.importers.file_shape import file_shape
from clew.ingest.importers.source import JsonRecord, Source, json_document, json_lines, json_list
from clew.types import Rejection


def conversations(source: Source) -> Iterator[JsonRecord | Rejection]:
    """The conversations of an export: `[...]`, `{"conversations": [...]}`, a single one, or one on each line.

    Each conversation is in memory as a whole, because its messages refer to one another (`max_conversation_bytes`).
    """
    shape = file_shape(source)
    limit = source.limits.max_conversation_bytes
    if shape.kind == "list":
        yield from json_list(source, None, limit)
    elif shape.kind == "object" and shape.has("conversations"):
        yield from json_list(source, "conversations", limit)
    elif shape.kind == "object":
        yield json_document(source)
    else:
        yield from json_lines(source)
