"""Writes small files of other programs and reads them back: what the importer tests share."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from clew.ingest.importers import ImportedTurn, ImportLimits, ImportRecord, Skipped, read_path
from clew.types import Rejection, Turn


def lines(*records: Any) -> str:
    """Records as JSONL; text stands for a line as it is."""
    return "".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records)


def put(folder: Path, name: str, content: Any) -> Path:
    """A file with this content: bytes, text, or anything else as a JSON document."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content if isinstance(content, bytes | str) else json.dumps(content)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def read(
    path: Path, form: str | None = None, session: str | None = None, limits: ImportLimits | None = None
) -> list[ImportRecord]:
    """All records of a path."""
    return list(read_path(path, form, session=session, limits=limits))


def turns(records: Iterable[ImportRecord]) -> list[Turn]:
    """The turns among the records."""
    return [record.turn for record in records if isinstance(record, ImportedTurn)]


def rejections(records: Iterable[ImportRecord], folder: Path) -> list[tuple[str, str]]:
    """Place and reason of what was rejected; places are relative to the folder."""
    found = [record for record in records if isinstance(record, Rejection)]
    return [(each.where.removeprefix(f"{folder}/"), each.reason) for each in found]


def skipped(records: Iterable[ImportRecord]) -> list[str]:
    """The kinds of what was skipped."""
    return [record.kind for record in records if isinstance(record, Skipped)]


def said(records: Iterable[ImportRecord]) -> list[tuple[str, str]]:
    """Role and text of each turn."""
    return [(turn.role, turn.text) for turn in turns(records)]
