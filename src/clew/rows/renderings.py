"""Renderings of nodes as rows, and the rows of META that say which are to be made.

    render:session:<session>   nodes of the session were added or made anew
    render:label:<name>        beats got the label
    render:labels              every label, since turns were forgotten: no note repeats a name made from them

A node is a beat or a chapter by its id, a session by `session_node`, or a label by `tag:<name>`. One row has all its
renderings, which repeat each other and so compress well together.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from clew.condense.renderings import Rendering
from clew.rows.annotations import NAME_OWNER
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import MetaRow, RenderingRow
from clew.store.rows import dumps
from clew.store.selections import META_ENTRIES
from clew.store.tables import META, RENDERING
from clew.types.ids import node_id, session_prefix

_EFFORT: Final = 6
_FRAME: Final = b'","extract"],["title","[["salient","\\nUser: \\nAssistant: . 1.0,"extract"],["digest","20'
"""What rows have in common, a tenth of each: the dictionary of their compression. May only change with the schema."""

SESSION_MARK: Final = "render:session:"
LABEL_MARK: Final = "render:label:"
ALL_LABELS: Final = "render:labels"


def session_node(session: str) -> str:
    """The node that stands for a whole session."""
    return node_id(session, "session", 0)


def rendering(reader: Reader, space: str, node: str, kind: str) -> Rendering | None:
    """One rendering of a node; None while there is none."""
    return renderings_of(reader, space, [node], kind)[0]


def renderings_of(reader: Reader, space: str, nodes: Sequence[str], kind: str) -> list[Rendering | None]:
    """The renderings of one kind of many nodes, in the order of the nodes; None for each that has none."""
    rows = RENDERING.get_many(reader, [(space, node) for node in nodes])
    return [None if row is None else _of_kind(row, kind) for row in rows]


def put_renderings(tx: Transaction, space: str, made: Iterable[tuple[str, Rendering]]) -> None:
    """Writes renderings of nodes, in place of older ones of the same kind or from another source."""
    by_node: dict[str, list[Rendering]] = {}
    for node, each in made:
        by_node.setdefault(node, []).append(each)
    stored = RENDERING.get_many(tx, [(space, node) for node in by_node])
    rows = []
    for (node, new), row in zip(by_node.items(), stored, strict=True):
        kept = {} if row is None else {each.kind: each for each in _renderings(row) if each.source == new[-1].source}
        rows.append(_row(space, node, kept | {each.kind: each for each in new}))
    RENDERING.put(tx, rows)


def drop_renderings(tx: Transaction, space: str, session: str) -> int:
    """Drops the renderings of a session and of its beats and chapters, and of every label; gives how many.

    A label's rendering may quote any session, and is made again from those that remain.
    """
    prefix = session_prefix(session)
    ranges = [(f"{prefix}:{kind}:", f"{prefix}:{kind};") for kind in ("beat", "chapter", "session")]
    dropped = sum(tx.delete("rendering", (space, low), (space, high)) for low, high in ranges)
    mark = (space, SESSION_MARK + session)
    tx.delete("meta", mark, mark)
    tx.delete("meta", (space, LABEL_MARK), (space, _past(LABEL_MARK)))
    labels = tx.delete("rendering", (space, NAME_OWNER), (space, _past(NAME_OWNER)))
    if labels:
        META.put(tx, [MetaRow(space, ALL_LABELS, "")])
    return dropped + labels


def drop_all_renderings(tx: Transaction, space: str) -> int:
    """Drops every rendering of a space and every mark; gives how many renderings there were."""
    tx.delete("meta", (space, "render:"), (space, "render;"))
    return tx.delete("rendering", (space,), (space,))


def mark_sessions(tx: Transaction, space: str, sessions: Iterable[str], value: str) -> None:
    """Notes that sessions have nodes without renderings.

    Args:
        value: differs from that of earlier notes, so that one who has worked on the earlier leaves this one.
    """
    META.put(tx, [MetaRow(space, SESSION_MARK + session, value) for session in sessions])


def mark_labels(tx: Transaction, space: str, names: Iterable[str], value: str = "") -> None:
    """Notes that the renderings of labels are to be made, likewise."""
    META.put(tx, [MetaRow(space, LABEL_MARK + name, value) for name in names])


def marked(reader: Reader, space: str, prefix: str, limit: int | None = None) -> list[tuple[str, str]]:
    """The noted sessions or labels, each with the note's value, in the order of their names."""
    rows = META_ENTRIES.scan(reader, (space, prefix), (space, _past(prefix)), limit=limit)
    return [(row.name.removeprefix(prefix), row.value) for row in rows]


def count_marked(reader: Reader, space: str) -> int:
    """How many sessions and labels are noted; a note of every label counts as one."""
    return reader.count("meta", (space, "render:"), (space, "render;"))


def unmark(tx: Transaction, space: str, prefix: str, name: str, value: str) -> None:
    """Takes a note back, unless it was renewed meanwhile."""
    key = (space, prefix + name)
    row = META.get(tx, key)
    if row is not None and row.value == value:
        tx.delete("meta", key, key)


def _past(prefix: str) -> str:
    """A bound behind every name that begins with a prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def rendering_text(row: RenderingRow) -> str:
    """The JSON of a row."""
    packed = zlib.decompressobj(-zlib.MAX_WBITS, zdict=_FRAME)
    return (packed.decompress(row.data) + packed.flush()).decode("utf-8", "surrogatepass")


def _row(space: str, node: str, made: Mapping[str, Rendering]) -> RenderingRow:
    """All renderings of a node, which have one source."""
    said = [[each.kind, each.text, each.tokens, each.coverage, each.method] for each in made.values()]
    packed = zlib.compressobj(_EFFORT, wbits=-zlib.MAX_WBITS, zdict=_FRAME)
    data = packed.compress(dumps(said).encode("utf-8", "surrogatepass")) + packed.flush()
    summary = made.get("summary")
    source = bytes.fromhex(next(iter(made.values())).source)
    return RenderingRow(space, node, source, None if summary is None else summary.method, data)


def _of_kind(row: RenderingRow, kind: str) -> Rendering | None:
    if kind == "summary" and row.summary is None:
        return None
    return next((each for each in _renderings(row) if each.kind == kind), None)


def _renderings(row: RenderingRow) -> Iterator[Rendering]:
    source = row.source.hex()
    for kind, text, tokens, coverage, method in json.loads(rendering_text(row)):
        yield Rendering(kind=kind, text=text, tokens=tokens, source=source, coverage=coverage, method=method)
