"""Formats whose file is one JSON object: what is said of a file that holds something else."""

from collections.abc import Iterator

from clew.ingest.importers.file_shape import file_shape
from clew.ingest.importers.source import Source, json_document, json_list
from clew.types import Rejection


def is_one_object(source: Source) -> bool:
    """Whether a file begins as a JSON object does."""
    return file_shape(source).kind in ("object", "lines")


def rejected(source: Source, name: str) -> Iterator[Rejection]:
    """Rejects a file that is not a JSON object: each element of a list, else the whole.

    Args:
        name: of the format, as a reader calls it.
    """
    if file_shape(source).kind == "list":
        for item in json_list(source, None):
            reason = f"no export of {name}: expected one JSON object with messages, found a list"
            yield item if isinstance(item, Rejection) else Rejection(where=item.where, reason=reason)
        return
    document = json_document(source)
    if isinstance(document, Rejection):
        yield document
