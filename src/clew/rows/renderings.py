"""Stores renderings of nodes, and in META which nodes still need some.

    render:session:<session>   nodes of the session were added or made again
    render:label:<name>        beats got the label
    render:labels              every label, since turns were forgotten: no note repeats a name made from them

A node is a beat or a chapter by its id, a session by `session_node`, or a label by `tag:<name>`. One row has all its
renderings, which repeat each other and so compress well together. What stands elsewhere is not repeated: sentences of
short turns are kept as places (`clew.rows.quotes`), and a title that the hierarchy gave as null.
"""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from clew.condense.node_renderings import NodeLine
from clew.condense.renderings import TITLE, Rendering
from clew.rows.annotations import NAME_OWNER
from clew.rows.failed_jobs import RuleStage, drop_jobs
from clew.rows.quotes import Quotes, Spoken, lines_of_turns, quoted_text, quotes_in
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import MetaRow, RenderingRow
from clew.store.rows import dumps
from clew.store.selections import META_ENTRIES, NODE_TITLE
from clew.store.tables import META, RENDERING
from clew.store.values import past_prefix
from clew.types.ids import node_id, session_of, session_prefix

_EFFORT: Final = 6
_FRAME: Final = b'","extract"],["title","[["salient","\\nUser: \\nAssistant: . 1.0,"extract"],["digest","20'
"""What rows have in common, a tenth of each: the dictionary of their compression. May only change with the schema."""

_QUOTING: Final = frozenset(("salient", "digest"))

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
    return _told(reader, space, nodes, kind)[0]


def salient_of(
    reader: Reader, space: str, nodes: Sequence[str]
) -> tuple[list[Rendering | None], list[tuple[int, NodeLine]]]:
    """The `salient` renderings of nodes of one session, and the turns that they quote by place, in the same order."""
    return _told(reader, space, nodes, "salient")


def _told(
    reader: Reader, space: str, nodes: Sequence[str], kind: str
) -> tuple[list[Rendering | None], list[tuple[int, NodeLine]]]:
    """What `renderings_of` gives, and the turns that these quote by place, in the order of the nodes."""
    stored = _kept_of(reader, space, nodes, kind)
    turns = _turns_quoted(nodes, stored)
    lines = lines_of_turns(reader, space, turns)
    quoted = [node for node, row in zip(nodes, stored, strict=True) if row is not None and row.text is None]
    titles = dict(zip(quoted, NODE_TITLE.get_many(reader, [(space, node) for node in quoted]), strict=True))
    renderings: list[Rendering | None] = []
    for node, row in zip(nodes, stored, strict=True):
        text: str | Quotes | None = None if row is None else row.text
        if isinstance(text, list):
            text = quoted_text(session_of(node), text, lines)
        elif row is not None and text is None:
            text = (titles[node] or "")[:TITLE]
        renderings.append(None if row is None or text is None else row.told(text))
    return renderings, [(turn[1], lines[turn]) for turn in turns if turn in lines]


def put_renderings(
    tx: Transaction,
    space: str,
    renderings: Iterable[tuple[str, Rendering]],
    turns: Mapping[str, Sequence[tuple[int, NodeLine]]] | None = None,
) -> None:
    """Writes renderings of nodes, in place of older ones of the same kind or from another source.

    Args:
        turns: by node, those that its renderings may quote by place, in their order.
    """
    by_node: dict[str, list[Rendering]] = {}
    for node, each in renderings:
        by_node.setdefault(node, []).append(each)
    keys = [(space, node) for node in by_node]
    stored = RENDERING.get_many(tx, keys)
    titles = NODE_TITLE.get_many(tx, keys)
    rows = []
    for (node, new), row, title in zip(by_node.items(), stored, titles, strict=True):
        old = [] if row is None else [each for each in _all_kept(row) if each.source == new[-1].source]
        short = (turns or {}).get(node, ())
        by_kind = {each.kind: each for each in old} | {each.kind: _kept(each, short, title) for each in new}
        rows.append(_row(space, node, by_kind))
    RENDERING.put(tx, rows)


def drop_renderings(tx: Transaction, space: str, session: str) -> int:
    """Drops the renderings of a session and of its beats and chapters, and of every label; returns how many.

    A label's rendering may quote any session, and is made again from those that remain.
    """
    prefix = session_prefix(session)
    ranges = [(f"{prefix}:{kind}:", f"{prefix}:{kind};") for kind in ("beat", "chapter", "session")]
    dropped = sum(tx.delete("rendering", (space, low), (space, high)) for low, high in ranges)
    mark = (space, SESSION_MARK + session)
    tx.delete("meta", mark, mark)
    tx.delete("meta", (space, LABEL_MARK), (space, past_prefix(LABEL_MARK)))
    labels = tx.delete("rendering", (space, NAME_OWNER), (space, past_prefix(NAME_OWNER)))
    if labels:
        META.put(tx, [MetaRow(space, ALL_LABELS, "")])
    return dropped + labels


def drop_all_renderings(tx: Transaction, space: str) -> int:
    """Drops every rendering of a space and every mark; returns how many renderings there were."""
    tx.delete("meta", (space, "render:"), (space, "render;"))
    drop_jobs(tx, space, RuleStage.RENDERINGS)
    return tx.delete("rendering", (space,), (space,))


def mark_sessions(tx: Transaction, space: str, sessions: Iterable[str], value: str) -> None:
    """Records that sessions have nodes without renderings.

    Args:
        value: differs from that of earlier notes, so that one who has worked on the earlier leaves this one.
    """
    META.put(tx, [MetaRow(space, SESSION_MARK + session, value) for session in sessions])


def mark_labels(tx: Transaction, space: str, names: Iterable[str], value: str = "") -> None:
    """Records that the renderings of labels have to be made."""
    META.put(tx, [MetaRow(space, LABEL_MARK + name, value) for name in names])


def marked(reader: Reader, space: str, prefix: str, limit: int | None = None) -> list[tuple[str, str]]:
    """The recorded sessions or labels, each with the value of its mark, by name."""
    rows = META_ENTRIES.scan(reader, (space, prefix), (space, past_prefix(prefix)), limit=limit)
    return [(row.name.removeprefix(prefix), row.value) for row in rows]


def render_again(tx: Transaction, space: str, sessions: Iterable[str], *, labels: bool) -> None:
    """Has the renderings of sessions made again, and those of all labels where that is asked."""
    for session in sessions:
        drop_renderings(tx, space, session)
        mark_sessions(tx, space, [session], "again")
    if labels:
        META.put(tx, [MetaRow(space, ALL_LABELS, "")])


def count_marked(reader: Reader, space: str) -> int:
    """How many sessions and labels are noted; a note of every label counts as one."""
    return reader.count("meta", (space, "render:"), (space, "render;"))


def unmark(tx: Transaction, space: str, prefix: str, name: str, value: str) -> None:
    """Removes a mark, unless it was renewed meanwhile."""
    key = (space, prefix + name)
    row = META.get(tx, key)
    if row is not None and row.value == value:
        tx.delete("meta", key, key)


def rendering_text(row: RenderingRow) -> str:
    """The JSON of a row."""
    packed = zlib.decompressobj(-zlib.MAX_WBITS, zdict=_FRAME)
    return (packed.decompress(row.data) + packed.flush()).decode("utf-8", "surrogatepass")


class _Kept(NamedTuple):
    """A rendering as its row has it."""

    kind: str
    text: str | Quotes | None  # None: the node's own title
    tokens: int
    coverage: float
    method: str
    source: str  # not repeated in the row's text

    def told(self, text: str) -> Rendering:
        return Rendering(
            kind=self.kind,
            text=text,
            tokens=self.tokens,
            source=self.source,
            coverage=self.coverage,
            method=self.method,
        )


def _kept(made: Rendering, turns: Sequence[tuple[int, NodeLine]], title: str | None) -> _Kept:
    text: str | Quotes | None = made.text
    if made.kind == "title" and title is not None and title[:TITLE] == made.text:
        text = None
    elif turns and made.kind in _QUOTING:
        quotes = quotes_in(turns, made.text)
        text = made.text if quotes is None else quotes
    return _Kept(made.kind, text, made.tokens, made.coverage, made.method, made.source)


def _row(space: str, node: str, by_kind: Mapping[str, _Kept]) -> RenderingRow:
    """All renderings of a node, which have one source."""
    packed = zlib.compressobj(_EFFORT, wbits=-zlib.MAX_WBITS, zdict=_FRAME)
    data = packed.compress(dumps([entry[:-1] for entry in by_kind.values()]).encode("utf-8", "surrogatepass"))
    summary = by_kind.get("summary")
    source = bytes.fromhex(next(iter(by_kind.values())).source)
    return RenderingRow(space, node, source, None if summary is None else summary.method, data + packed.flush())


def _turns_quoted(nodes: Sequence[str], stored: Sequence[_Kept | None]) -> list[Spoken]:
    """The turns that renderings quote by place, in the order of the nodes."""
    texts = [(node, None if each is None else each.text) for node, each in zip(nodes, stored, strict=True)]
    return [(session_of(node), seq) for node, text in texts if isinstance(text, list) for seq, *_ in text]


def _kept_of(reader: Reader, space: str, nodes: Sequence[str], kind: str) -> list[_Kept | None]:
    rows = RENDERING.get_many(reader, [(space, node) for node in nodes])
    return [None if row is None else _of_kind(row, kind) for row in rows]


def _of_kind(row: RenderingRow, kind: str) -> _Kept | None:
    if kind == "summary" and row.summary is None:
        return None
    return next((stored for stored in _all_kept(row) if stored.kind == kind), None)


def _all_kept(row: RenderingRow) -> list[_Kept]:
    source = row.source.hex()
    values: list[Any] = json.loads(rendering_text(row))
    return [_Kept(kind, text, tokens, coverage, method, source) for kind, text, tokens, coverage, method in values]
