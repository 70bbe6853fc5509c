"""Proves that forgotten text is gone: from rows, from the decoded index, and from the raw files.

Only what is unique to the forgotten text proves anything (`forget_traces`), so runs and words that remaining turns
share are left out.
"""

import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Final

from clew.errors import NotFoundError, StoreError
from clew.index.entry import decode
from clew.index.segment import Segment
from clew.index.segment_kinds import STAGED, TERMS, list_segments, segment_data, segment_kinds, staged_kind
from clew.maintain.forget_traces import SHORTEST, Traces, hits_in, leave_out, terms_of, words
from clew.rows.annotation_codec import analysis_of, analysis_text
from clew.rows.annotations import NAME_OWNER, TAG
from clew.rows.compactions import compaction_text
from clew.rows.extraction import unpacked_text
from clew.rows.fact_codec import words_of_turns
from clew.rows.recap_states import condensed_text
from clew.rows.receipts import receipt_text
from clew.rows.renderings import rendering_text
from clew.rows.stand_ins import stand_in_text
from clew.rows.turn_log import stored_rows
from clew.rows.vocabulary import LABEL_KIND, VECTOR_KIND
from clew.store.knowledge_row_types import ExtractionChunkRow, ExtractionRunRow, FactRow, StatementRow
from clew.store.open import home_of
from clew.store.protocol import Reader, Store
from clew.store.raw_file import is_without_text, raw_chunks
from clew.store.row_types import (
    AnalysisRow,
    AnnotationRow,
    CompactionRow,
    EdgeRow,
    EntityRow,
    LabelAliasRow,
    LabelRow,
    MaterialRow,
    RecapStateRow,
    ReceiptRow,
    RenderingRow,
    SpeakerRow,
    StandInRow,
)
from clew.store.rows import turn_from_row
from clew.store.selections import (
    ANALYSIS_VALUE,
    BLOB_SHA,
    EDGE_SOURCE,
    EDGE_TARGET,
    ENTITY_KEY,
    RECEIPT_DATA,
    SEGMENT_DATA,
    TAIL_ENTRY,
    VECTOR_BYTES,
    VECTOR_ORDINAL,
)
from clew.store.tables import ANNOTATION, EDGE, ENTITY, FACT, LABEL, LABEL_ALIAS, SPACE, SPEAKER, STATEMENT, TABLES
from clew.store.translate import translating
from clew.store.values import Row, Value
from clew.structure.stored_graph import read_name
from clew.types.provenance import Provenance
from clew.types.reports import ForgetProof
from clew.write.prepare import derive

_CHUNK: Final = 1 << 22
_OVERLAP: Final = 1 << 12
_OURS: Final = ("clew.toml",)
"""Files of a home that a person writes."""

RIGHTFUL: Final = frozenset({"turn", "session", "blob", "pin", "meta", "conversation"})
"""Tables whose rows remain with right after turns were forgotten: what they say is not a trace."""

DECODED: Final = frozenset(
    "tail segment label label_alias annotation analysis entity edge speaker statement fact".split()
)
"""Tables that are looked through piece by piece: the decoded index, names of labels, the entity graph."""

WHOLE: Final = tuple(name for name, table in TABLES.items() if table.holds_user_text and name not in RIGHTFUL | DECODED)
"""The other tables that hold user text, and so every new one: all text of their rows is looked through."""

_PACKED: Final = (SEGMENT_DATA, TAIL_ENTRY, VECTOR_BYTES, RECEIPT_DATA)
"""Columns of bytes that look like words by chance."""

_OWN_WORDS: Final = frozenset(
    "completion compaction recap_state material stand_in node rendering injection extraction_run "
    "extraction_chunk mention quest".split()
)
"""Tables that have words of their own (a model's, names of fields): only runs prove anything there."""


def prove(store: Store, space: str, traces: Traces, look_in: Iterable[str | Path] = ()) -> ForgetProof:
    """Looks for traces of forgotten turns everywhere that Clew stores something.

    Args:
        look_in: files and folders to search besides the home: backups, a server's data directory.

    Raises:
        NotFoundError: one of those does not exist.
        StoreError: a file cannot be read. One that is deleted while the others are searched is left out.
    """
    _leave_out_what_remains(store, space, traces)
    looked: dict[str, int] = {}
    counts: dict[str, int] = {}

    def look(place: str, size: int, hits: int) -> None:
        looked[place] = looked.get(place, 0) + size
        if hits:
            counts[place] = counts.get(place, 0) + hits

    with store.snapshot() as reader:
        for table in WHOLE:
            for row in TABLES[table].scan(reader, (space,), (space,)):
                look(table, 1, hits_in(words(_unpacked(row)), traces, shortest=1))
        for table, texts in (*_labels(reader, space), *_entities(reader, space), *_facts(reader, space)):
            look(table, 1, hits_in(texts, traces, shortest=1))
        for place, ordinals, terms in _index(reader, space):
            look(place, len(ordinals), len(traces.terms & terms) + len(traces.ordinals.intersection(ordinals)))
    wanted = {"runs": len(traces.runs), "words": len(traces.words), "terms": len(traces.terms)}
    _leave_out_packed(store, traces)
    with translating():
        for path in _paths(store, look_in):
            if (searched := _searched(path, traces)) is not None:
                look(str(path), *searched)
    return ForgetProof(looked_for={"turns": traces.turns, **wanted}, looked_in=looked, found=counts)


def _searched(path: Path, traces: Traces) -> tuple[int, int] | None:
    """The bytes of a file and how many traces are in it; None if it was deleted meanwhile."""
    try:
        with translating():
            return path.stat().st_size, sum(hits_in(chunk, traces, SHORTEST) for chunk in _raw(path))
    except StoreError:
        if path.exists():
            raise
        return None


def _leave_out_what_remains(store: Store, space: str, traces: Traces) -> None:
    """Removes from the traces what is still stored legitimately, in any space of the store."""
    vocabulary = [*TABLES, *(name for table in TABLES.values() for name in table.names), *_schema()]
    traces.words.difference_update(words(" ".join(vocabulary)))
    for other in store.spaces():
        for turns in stored_rows(store, other):
            for turn in turns:
                leave_out(traces, words(_text(turn)))
                traces.terms -= (
                    terms_of(derive(turn_from_row(turn)).entry(seq=0, ordinal=0)) if other == space else set()
                )
        with store.snapshot() as reader:
            kept = set(TABLES) - {"turn", "segment", "tail", "vector", "blob", "tombstone"}
            for table in sorted(kept - set(WHOLE) if other == space else kept):
                for row in TABLES[table].scan(reader, (other,), (other,)):
                    leave_out(traces, words(_text(row)) if other != space else _rightful(row))
            for table in sorted(_OWN_WORDS):
                for row in reader.scan(table, (other,), (other,)):
                    traces.words.difference_update(words(_text(row)))
            for sha in BLOB_SHA.scan(reader, (other,), (other,)):
                original = reader.get_blob(other, sha) or b""
                leave_out(traces, words(original.decode("utf-8", "replace")))


def _labels(reader: Reader, space: str) -> Iterator[tuple[str, list[str]]]:
    """The names of labels made from the forgotten text, wherever they occur."""
    for label in LABEL.scan(reader, (space, TAG), (space, TAG), index="name"):
        if label.provenance != Provenance.USER:
            yield "label", words(label.name)
    for alias in LABEL_ALIAS.scan(reader, (space,), (space,)):
        yield "label_alias", words(f"{alias.name} {alias.target}")
    for row in ANNOTATION.scan(reader, (space,), (space,)):
        if _is_name(row):
            yield "annotation", words(f"{row.owner.removeprefix(NAME_OWNER)} {_parts(row)}")
    for value in ANALYSIS_VALUE.scan(reader, (space,), (space,)):
        yield "analysis", words(" ".join(analysis_of(value).get("tags", ())))


def _entities(reader: Reader, space: str) -> Iterator[tuple[str, list[str]]]:
    """The entity graph's content: names as they are spelled, and edges whose ends have no name."""
    known: set[str] = set()
    for entity in ENTITY.scan(reader, (space,), (space,)):
        known.add(entity.entity)
        yield "entity", words(read_name(entity.entity, entity.name))
    for edge in EDGE.scan(reader, (space,), (space,)):
        yield "edge", words(_text(end for end in (edge.source, edge.target) if end not in known))
    for row in SPEAKER.scan(reader, (space,), (space,)):
        yield "speaker", words(row.name)


def _facts(reader: Reader, space: str) -> Iterator[tuple[str, list[str]]]:
    """What facts and statements have from turns."""
    for table in (STATEMENT, FACT):
        for row in table.scan(reader, (space,), (space,)):
            yield table.name, words(words_of_turns(row))


def _rightful(row: Row) -> list[str]:
    """The words of a row that may remain: all but the names of labels and entities made from turns."""
    match row:
        case StatementRow() if row.provenance != Provenance.RULE:  # in a model's or a person's own words
            return words(words_of_turns(row))
        case EntityRow() | EdgeRow() | SpeakerRow() | LabelAliasRow() | StatementRow() | FactRow():
            return []
        case LabelRow() if row.namespace == TAG and row.provenance != Provenance.USER:
            return []
        case AnalysisRow():
            return words(analysis_text(analysis_of(row.value) | {"tags": {}}))
        case AnnotationRow() if _is_name(row):
            fields = "born beats again parts" if row.kind == LABEL_KIND else ""
            return words(f"{LABEL_KIND} {row.provenance} {fields}")
    return words(_text(row))


def _is_name(row: AnnotationRow) -> bool:
    """Whether a row belongs to a label and not to a turn."""
    return row.owner.startswith(NAME_OWNER) and row.kind.startswith((LABEL_KIND, VECTOR_KIND))


def _parts(row: AnnotationRow) -> str:
    return " ".join(json.loads(row.value).get("parts", ())) if row.kind == LABEL_KIND else ""


def _leave_out_packed(store: Store, traces: Traces) -> None:
    """Removes words and runs that rows only resemble: in raw files they prove nothing.

    A segment stores its terms back to back, so the end of one and the beginning of the next may look like a word; which
    terms it really has is known by decoding it. Likewise in a row the space's name precedes the next value, whose first
    byte may be a letter. Rows that name several turns list their ordinals, as a turn may list the lines of a file.
    """
    names = tuple(space.casefold() for space in store.spaces())
    traces.words = {word for word in traces.words if not word.startswith(names)}
    for space in store.spaces():
        with store.snapshot() as reader:
            row = SPACE.get(reader, (space,))
            end = 0 if row is None else row.next_ordinal
            traces.runs = {run for run in traces.runs if not _lists_ordinals(run, end)}
            for name in (ENTITY_KEY, EDGE_SOURCE, EDGE_TARGET):  # what is named was looked at by its spelling
                traces.words.difference_update(words(" ".join(name.scan(reader, (space,), (space,)))))
            for column in _PACKED:
                for packed in column.one_by_one(reader, space):
                    text = packed.decode("utf-8", "replace").casefold()
                    traces.words = {word for word in traces.words if word not in text}


def _lists_ordinals(run: str, end: int) -> bool:
    """Whether a run looks like a list of ordinals below `end`: rising numbers and nothing else."""
    parts = run.split(" ")
    if not all(word.isascii() and word.isdecimal() and len(word) <= len(str(end)) for word in parts):
        return False
    numbers = [int(word) for word in parts]
    return numbers[-1] < end and all(one < next_ for one, next_ in pairwise(numbers))


def _text(row: Iterable[Value]) -> str:
    return " ".join(value for value in row if isinstance(value, str))


def _unpacked(row: Row) -> str:
    return f"{_text(row)} {_packed_text(row)}"


def _packed_text(row: Row) -> str:
    """The text in a row's column of bytes."""
    match row:
        case ReceiptRow():
            text = receipt_text(row.data)
        case CompactionRow():
            text = compaction_text(row)
        case RecapStateRow() | MaterialRow():
            text = condensed_text(row)
        case StandInRow():
            text = stand_in_text(row)
        case RenderingRow():
            text = rendering_text(row)
        case ExtractionRunRow() | ExtractionChunkRow():
            text = unpacked_text(row.data)
        case _:
            text = ""
    return text


def _index(reader: Reader, space: str) -> Iterator[tuple[str, list[int], set[str]]]:
    """Every part of the index, decoded: its location, its turns and its terms."""
    for kind in (*segment_kinds(reader, space), staged_kind(space)):
        for key in list_segments(reader, space, kind.name):
            loaded = kind.load(segment_data(reader, space, key))
            strings = loaded.terms.strings() if isinstance(loaded, Segment) else []
            terms = {string.decode("utf-8", "replace") for string in strings}
            yield f"segments ({kind.name})", kind.ordinals(loaded).tolist(), terms
        if kind.name not in (TERMS, STAGED):
            ordinals = VECTOR_ORDINAL.scan(reader, kind.prefix, kind.prefix)
            yield f"vectors ({kind.name})", ordinals, set()
    for packed in TAIL_ENTRY.scan(reader, (space,), (space,)):
        decoded = decode(packed)
        yield "tail", [decoded.ordinal], terms_of(decoded)


def _schema() -> Iterator[str]:
    """The words of an empty database."""
    yield "SQLite format"
    for step in files("clew.store").joinpath("sql", "sqlite").iterdir():
        yield step.read_text(encoding="utf-8")


def _paths(store: Store, look_in: Iterable[str | Path]) -> Iterator[Path]:
    """Every file of the home that may hold text, and those to look into besides, in order."""
    home = home_of(store.url)
    for place in [*([] if home is None else [home]), *map(Path, look_in)]:
        if not place.exists():
            raise NotFoundError(f"{str(place)!r} does not exist, so nothing is proved about it; name what to search")
        inside = sorted(place.rglob("*")) if place.is_dir() else [place]
        readable = (path for path in inside if path.is_file() and not is_without_text(path))
        yield from (path for path in readable if path.name not in _OURS)


def _raw(path: Path) -> Iterator[list[str]]:
    """The words of a file's bytes, chunk by chunk; chunks overlap, so that no run is cut."""
    before = b""
    for chunk in raw_chunks(path, _CHUNK):
        yield words((before + chunk).decode("utf-8", "replace"))
        before = chunk[-_OVERLAP:]
