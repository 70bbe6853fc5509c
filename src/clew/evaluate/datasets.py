"""Loads data sets: the format of a folder is told by its file names, that of a file by the keys of its first item."""

import json
from collections.abc import Mapping
from pathlib import Path

from clew.errors import FormatError, InputError
from clew.evaluate.corpus import DatasetConversation, json_lines, read_json, read_text
from clew.evaluate.formats import beam, own, realtalk
from clew.evaluate.formats.locomo import is_locomo, read_locomo
from clew.evaluate.formats.longmemeval import is_longmemeval, read_longmemeval
from clew.evaluate.formats.qmsum import is_qmsum, read_qmsum

EXPECTED = (
    "expected a LoCoMo, LongMemEval or QMSum file, or a folder with REALTALK's Chat_*.json, BEAM's chat.json, or "
    "conversation.jsonl and questions.json of your own (docs/benchmarks.md)"
)


def load(path: str | Path) -> list[DatasetConversation]:
    """The conversations of a data set: LoCoMo, LongMemEval and QMSum files; REALTALK, BEAM and one's own folders.

    Raises:
        InputError: nothing is at that path.
        FormatError: it is none of these data sets, or a record of it lacks something.
    """
    source = Path(path)
    if not source.exists():
        raise InputError(f"nothing is at {str(path)!r}; {EXPECTED}")
    try:
        return _from_folder(source) if source.is_dir() else _from_file(source)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:  # where no reader has looked
        what = f"{type(error).__name__}: {error}"
        raise FormatError(f"{path} has a record of another form than expected ({what}); fetch it again") from error


def _from_folder(folder: Path) -> list[DatasetConversation]:
    if realtalk.chat_files(folder):
        return realtalk.read_realtalk(folder)
    if beam.chat_files(folder):
        return beam.read_beam(folder)
    if own.is_own(folder):
        return own.read_own(folder)
    raise FormatError(f"the folder {folder} holds no file of these; {EXPECTED}")


def _from_file(path: Path) -> list[DatasetConversation]:
    if path.suffix == ".jsonl":
        return _from_lines(path)
    items = read_json(path)
    first = items[0] if isinstance(items, list) and items else None
    if not isinstance(first, Mapping):
        raise FormatError(f"{path} is not a list of objects; {EXPECTED}")
    if is_longmemeval(first):
        return read_longmemeval(items, str(path))
    if is_locomo(first):
        return read_locomo(items, str(path))
    keys = ", ".join(map(repr, list(first)[:8])) or "no keys"
    raise FormatError(f"{path} has items with {keys}; {EXPECTED}")


def _from_lines(path: Path) -> list[DatasetConversation]:
    text = read_text(path)
    try:
        first = json.loads(next((line for _, line in json_lines(text)), ""))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path} is not a list of JSON lines: {error}; {EXPECTED}") from error
    if isinstance(first, Mapping) and is_qmsum(first):
        return read_qmsum(text, str(path))
    raise FormatError(f"{path} holds no meetings of QMSum; {EXPECTED}")
