"""The stored entity graph of a space: counts over turns as rows, and queries over these rows.

A nickname leads to the person it belongs to, see `StoredGraph.called`. Nicknames are resolved at query time and not
stored, so that adding or forgetting a turn changes only counts.

Types are stored as letters, and names as their difference from their key (`written_name`), which is mostly empty.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from clew.analyze.entities import entity_key
from clew.analyze.naming import naming_text
from clew.analyze.recognised import named_in
from clew.index.view import IndexView
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import EntityRow
from clew.store.selections import EDGE_SOURCE, EDGE_TARGET
from clew.store.table_columns import Column
from clew.store.tables import EDGE, ENTITY, SPEAKER, TABLES
from clew.store.values import Row
from clew.structure.graph import entity_of
from clew.structure.nicknames import nicknames
from clew.types.compact import EDGE_TYPES, NODE_TYPES
from clew.types.entity import EdgeType, Entity, NameSpan, Neighbour, NodeType
from clew.types.turn import Turn

ENTITY_VERSION: Final = 13
"""Version in every row made here. Raise it with any change to which names a turn is found to mention."""

MOST_LINKED: Final = 50
"""Most neighbours of an entity that passes activation on: with more, each would get less than the minimum, 0.01."""

SPEAKS: Final = "speaks"
_ROLES: Final = frozenset(("user", "assistant", "system", "tool", "model", "human", "ai", "bot"))
"""Speaker names that are roles, not names."""


@dataclass(slots=True)
class Counts:
    """Number of turns for each row of ENTITY, EDGE and SPEAKER, by table and by key without the space."""

    rows: dict[str, Counter[tuple[str, ...]]] = field(
        default_factory=lambda: {"entity": Counter(), "edge": Counter(), "speaker": Counter()}
    )

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """The sum of several counts."""
        whole = cls()
        for part in parts:
            whole.include(part)
        return whole

    def include(self, other: Self) -> None:
        """Add other counts to these."""
        for table, counted in other.rows.items():
            self.rows[table].update(counted)

    def add(self, turn: Turn, spans: Sequence[NameSpan] = ()) -> None:
        """Count the names in one turn. Deterministic: the same turn with the same spans adds the same counts.

        Args:
            spans: names that a model found in its text.
        """
        if not may_name(turn):
            return
        named = named_in(naming_text(turn), spans)
        said = {mention.key: mention for mention in named.mentions}
        names = [key for key, mention in said.items() if mention.type is not NodeType.CONCEPT]
        entities, edges, speakers = self.rows["entity"], self.rows["edge"], self.rows["speaker"]
        entities.update((mention.key, str(mention.type), mention.name) for mention in said.values())
        for place, first in enumerate(names):
            rest = [*names[place + 1 :], *(key for key in said if said[key].type is NodeType.CONCEPT)]
            edges.update((*sorted((first, second)), str(EdgeType.MENTIONED_WITH)) for second in rest)
        own = speaker_key(turn.speaker)
        if own is None or turn.speaker is None:
            return
        speakers[turn.session, turn.speaker, SPEAKS, ""] += 1
        speakers.update((turn.session, turn.speaker, "listener", name) for name in named.addressed)
        speakers.update((turn.session, turn.speaker, "speaker", name) for name in named.self_named)
        if own not in said:
            entities[own, str(NodeType.PERSON), turn.speaker] += 1
        edges.update((own, key, str(EdgeType.SPEAKS_OF)) for key in said if key != own)

    def apply(self, tx: Transaction, space: str, sign: int) -> None:
        """Add the counts to the stored ones (`sign` 1) or subtract them (-1); rows that reach 0 are deleted."""
        for table, counted in self.rows.items():
            kept = {(space, *_written(table, key)): turns for key, turns in counted.items()}
            keys = sorted(kept)
            stored = Column[int](TABLES[table], "turns").get_many(tx, keys)
            put: list[Row] = []
            for key, before in zip(keys, stored, strict=True):
                turns = (before or 0) + sign * kept[key]
                if turns > 0:
                    put.append((*key, turns, ENTITY_VERSION))
                else:
                    tx.delete(table, key, key)
            tx.put(table, put)


def may_name(turn: Turn) -> bool:
    """Whether names in a turn are counted; those of tools, system messages and injected text are not."""
    return turn.origin not in ("tool", "injected") and turn.role not in ("tool", "system")


def speaker_key(speaker: str | None) -> str | None:
    """The entity key of a speaker; None where the speaker is a role and not a name."""
    if speaker is None or speaker.strip().casefold() in _ROLES:
        return None
    return entity_key(speaker) or None


class StoredGraph:
    """Queries over the entity rows of one space in one snapshot; the docstrings say which read all rows."""

    def __init__(self, reader: Reader, space: str, view: IndexView) -> None:
        """Read through an open snapshot; `view` resolves nicknames."""
        self._reader, self._space, self._view = reader, space, view

    def find(self, name: str) -> str | None:
        """The key of the entity that a name refers to; None when the name is unknown."""
        key = entity_key(name)
        return (self.called(name) or key) if key and self._has(key) else self.called(name)

    def linked(self, key: str) -> Sequence[str]:
        """The keys of an entity's neighbours, sorted; empty for an entity with more than `MOST_LINKED`."""
        keys: set[str] = set()
        for index, end in ((None, EDGE_TARGET), ("target", EDGE_SOURCE)):
            low = (self._space, key)
            limit = MOST_LINKED * len(EdgeType) + 1
            keys.update(end.scan(self._reader, low, low, index=index, limit=limit))
        return sorted(keys) if len(keys) <= MOST_LINKED else ()

    def called(self, name: str) -> str | None:
        """The key of the only person with this nickname, by `clew.structure.nicknames`; None when there is none.

        A word that is also a concept of the space is nobody's nickname: people greet their pets too.
        """
        word = name.strip().casefold()
        code = nicknames(self._view, (word,)).get(word)
        person = None if code is None else speaker_key(self._view.speakers[code])
        key = entity_key(name)
        return None if person == key or self._has(key, NodeType.CONCEPT) else person

    def entity(self, key: str) -> Entity | None:
        """An entity by its key; None when the key is unknown."""
        rows = ENTITY.scan(self._reader, (self._space, key), (self._space, key))
        types, forms = _counted(rows)
        return entity_of(key, types, forms) if types else None

    def entities(self) -> tuple[Entity, ...]:
        """All entities, the most mentioned first; ties by name. A nickname is merged into its owner. Reads all rows."""
        rows: dict[str, list[EntityRow]] = {}
        for row in ENTITY.scan(self._reader, (self._space,), (self._space,)):
            rows.setdefault(row.entity, []).append(row)
        for key, person in self.nicknames().items():
            if key in rows and person in rows:
                rows[person] += rows.pop(key)
        found = [entity_of(key, *_counted(each)) for key, each in rows.items()]
        return tuple(sorted(found, key=lambda each: (-each.turns, each.name)))

    def nicknames(self) -> dict[str, str]:
        """All nicknames with their owners, both as keys. Reads all speaker rows."""
        rows = SPEAKER.scan(self._reader, (self._space,), (self._space,))
        names = {row.name for row in rows if row.kind != SPEAKS}
        found = {entity_key(name): self.called(name) for name in sorted(names)}
        led = {key: person for key, person in found.items() if person is not None}
        return {key: person for key, person in led.items() if person not in led}

    def neighbours(self, key: str, limit: int) -> tuple[Neighbour, ...]:
        """An entity's strongest neighbours; ties by name. Reads all of its edges.

        Edges of a nickname count for its owner.
        """
        led = self.nicknames()
        counted: Counter[tuple[str, EdgeType]] = Counter()
        for own in (key, *(name for name, person in led.items() if person == key)):
            low = (self._space, own)
            ends = [(row.target, row) for row in EDGE.scan(self._reader, low, low)]
            ends += [(row.source, row) for row in EDGE.scan(self._reader, low, low, index="target")]
            for end, row in ends:
                other = led.get(end, end)
                if other != key:
                    counted[other, EdgeType(EDGE_TYPES.name(row.type))] += row.turns
        nearest = sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:limit]
        found = [(self.entity(other), kind, turns) for (other, kind), turns in nearest]
        ranked = [Neighbour(each.name, each.type, kind, turns) for each, kind, turns in found if each is not None]
        return tuple(sorted(ranked, key=lambda each: (-each.turns, each.name, each.edge)))

    def with_nicknames(self, key: str) -> tuple[Entity, tuple[str, ...]] | None:
        """An entity merged with its nicknames, and every spelling of any of them, sorted; None when unknown."""
        keys = [key, *(other for other, person in self.nicknames().items() if person == key)]
        rows = [
            row for entity in keys for row in ENTITY.scan(self._reader, (self._space, entity), (self._space, entity))
        ]
        types, forms = _counted(rows)
        return (entity_of(key, types, forms), tuple(sorted(forms))) if types else None

    def _has(self, key: str, kind: NodeType | None = None) -> bool:
        low = (self._space, key) if kind is None else (self._space, key, NODE_TYPES.letter(kind))
        return bool(ENTITY.scan(self._reader, low, low, limit=1))


def drop_graph(tx: Transaction, space: str) -> None:
    """Delete every row of the graph of a space."""
    for table in Counts().rows:
        tx.delete(table, (space,), (space,))


def stored_counts(reader: Reader, space: str) -> Counts:
    """All stored rows of the graph as counts."""
    counts = Counts()
    for entity in ENTITY.scan(reader, (space,), (space,)):
        counts.rows["entity"][_read("entity", (entity.entity, entity.type, entity.name))] = entity.turns
    for edge in EDGE.scan(reader, (space,), (space,)):
        counts.rows["edge"][_read("edge", (edge.source, edge.target, edge.type))] = edge.turns
    for row in SPEAKER.scan(reader, (space,), (space,)):
        counts.rows["speaker"][_read("speaker", (row.session, row.speaker, row.kind, row.name))] = row.turns
    return counts


def _counted(rows: Sequence[EntityRow]) -> tuple[Counter[NodeType], Counter[str]]:
    types: Counter[NodeType] = Counter()
    forms: Counter[str] = Counter()
    for row in rows:
        types[NodeType(NODE_TYPES.name(row.type))] += row.turns
        forms[read_name(row.entity, row.name)] += row.turns
    return types, forms


def written_name(key: str, name: str) -> str:
    """A name as it is stored under its key.

    Empty where the name is the key with spaces; the endings of its words after a tilde where each word starts with its
    stem in the key; else the name, with a further tilde before it if it starts with one.
    """
    stems, words = key.split("-"), name.split(" ")
    if words == stems:
        return ""
    if len(words) == len(stems) and all(map(str.startswith, words, stems)):
        ends = " ".join(word[len(stem) :] for word, stem in zip(words, stems, strict=True))
        if not ends.startswith("~"):
            return f"~{ends}"
    return f"~{name}" if name.startswith("~") else name


def read_name(key: str, kept: str) -> str:
    """The name from the text that `written_name` made."""
    if kept.startswith("~~") or (not kept.startswith("~") and kept):
        return kept.removeprefix("~")
    stems = key.split("-")
    ends = kept[1:].split(" ") if kept else [""] * len(stems)
    return " ".join(map(str.__add__, stems, ends))


def _written(table: str, key: tuple[str, ...]) -> tuple[str, ...]:
    """The stored key of a row, without the space."""
    if table == "entity":
        return key[0], NODE_TYPES.letter(key[1]), written_name(key[0], key[2])
    return (*key[:2], EDGE_TYPES.letter(key[2])) if table == "edge" else key


def _read(table: str, kept: tuple[str, ...]) -> tuple[str, ...]:
    """The key from the stored key that `_written` made."""
    if table == "entity":
        return kept[0], NODE_TYPES.name(kept[1]), read_name(kept[0], kept[2])
    return (*kept[:2], EDGE_TYPES.name(kept[2])) if table == "edge" else kept
