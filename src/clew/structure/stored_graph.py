"""The entity graph of a space as it is stored: counts over turns as rows, and the questions that are asked of them.

A name that somebody is called by leads to them, see `StoredGraph.called`; nothing of that is written, so that a turn
that comes or goes changes numbers alone.

Types are kept as letters, and names as what they have more than their key (`written_name`): most are told by it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Self, cast

from clew.analyze.entities import entity_key
from clew.analyze.recognised import named_in
from clew.index.view import IndexView
from clew.store.protocol import Reader, Transaction
from clew.store.tables import TABLES
from clew.store.values import Row
from clew.structure.graph import entity_of
from clew.structure.nicknames import nicknames
from clew.types.compact import EDGE_TYPES, NODE_TYPES
from clew.types.entity import EdgeType, Entity, NameSpan, Neighbour, NodeType
from clew.types.turn import Turn

ENTITY_VERSION: Final = 2
"""Named by every row made here. Raise it with any change of what a turn is said to name."""

MOST_LINKED: Final = 50
"""Neighbours of an entity that passes energy on: of more, each would get less than the minimum (0.5 / 51 < 0.01)."""

SPEAKS: Final = "speaks"
_ROLES: Final = frozenset(("user", "assistant", "system", "tool", "model", "human", "ai", "bot"))
"""Speakers' names that are no names."""


@dataclass(slots=True)
class Counts:
    """Rows of ENTITY, EDGE and SPEAKER, by table and by key without the space, with their turns."""

    rows: dict[str, Counter[tuple[str, ...]]] = field(
        default_factory=lambda: {"entity": Counter(), "edge": Counter(), "speaker": Counter()}
    )

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """The sum of several."""
        whole = cls()
        for part in parts:
            for table, counted in part.rows.items():
                whole.rows[table].update(counted)
        return whole

    def add(self, turn: Turn, spans: Sequence[NameSpan] = ()) -> None:
        """Counts what one turn names; the same turn with the same spans always counts the same.

        Args:
            spans: names that a model saw in its text.
        """
        if not may_name(turn):
            return
        named = named_in(turn.text, spans)
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
        """Adds the counts to what is stored, or takes them off; what nothing names any more goes."""
        for table, counted in self.rows.items():
            kept = {(space, *_written(table, key)): turns for key, turns in counted.items()}
            keys = sorted(kept)
            held = tx.get_many(table, keys, columns=("turns",))
            put: list[Row] = []
            for key, row in zip(keys, held, strict=True):
                turns = (0 if row is None else cast(int, row[0])) + sign * kept[key]
                if turns > 0:
                    put.append((*key, turns, ENTITY_VERSION))
                else:
                    tx.delete(table, key, key)
            tx.put(table, put)


def may_name(turn: Turn) -> bool:
    """Whether it is counted what a turn names: tools and injected text name nothing."""
    return turn.origin not in ("tool", "injected") and turn.role not in ("tool", "system")


def speaker_key(speaker: str | None) -> str | None:
    """The key of who speaks; None where that is a role and no name."""
    if speaker is None or speaker.strip().casefold() in _ROLES:
        return None
    return entity_key(speaker) or None


class StoredGraph:
    """Looks at the rows of one space, as of one moment; every answer costs a bounded number of reads."""

    def __init__(self, reader: Reader, space: str, view: IndexView) -> None:
        """Reads through an open snapshot; `view` tells who goes by which name."""
        self._reader, self._space, self._view = reader, space, view

    def find(self, name: str) -> str | None:
        """The key of the entity that a name means; None when nothing of that name is known."""
        key = entity_key(name)
        return (self.called(name) or key) if key and self._has(key) else self.called(name)

    def linked(self, key: str) -> Sequence[str]:
        """The keys of an entity's neighbours, sorted; none for one with more than `MOST_LINKED`."""
        found: set[str] = set()
        for index, end in ((None, "target"), ("target", "source")):
            low = (self._space, key)
            limit = MOST_LINKED * len(EdgeType) + 1
            rows = self._reader.scan("edge", low, low, index=index, columns=(end,), limit=limit)
            found.update(cast(str, row[0]) for row in rows)
        return sorted(found) if len(found) <= MOST_LINKED else ()

    def called(self, name: str) -> str | None:
        """The key of the one person who goes by a name that is not their own, by `clew.structure.nicknames`.

        What is also a thing of the space, named in lower case, is nobody's: people greet their pets too.
        """
        word = name.strip().casefold()
        code = nicknames(self._view, (word,)).get(word)
        person = None if code is None else speaker_key(self._view.speakers[code])
        key = entity_key(name)
        return None if person == key or self._has(key, NodeType.CONCEPT) else person

    def entity(self, key: str) -> Entity | None:
        """An entity by its key; None when nothing of that key is known."""
        rows = self._reader.scan("entity", (self._space, key), (self._space, key))
        types, forms = _counted(rows)
        return entity_of(key, types, forms) if types else None

    def entities(self) -> tuple[Entity, ...]:
        """All of them, the most named first; of equal ones by name. A nickname is a part of who has it."""
        rows: dict[str, list[Row]] = {}
        for row in self._reader.scan("entity", (self._space,), (self._space,)):
            rows.setdefault(cast(str, row[1]), []).append(row)
        for key, person in self.nicknames().items():
            if key in rows and person in rows:
                rows[person] += rows.pop(key)
        found = [entity_of(key, *_counted(each)) for key, each in rows.items()]
        return tuple(sorted(found, key=lambda each: (-each.turns, each.name)))

    def nicknames(self) -> dict[str, str]:
        """The keys of all names that lead to somebody, with whom they mean."""
        names = {
            cast(str, row[4])
            for row in self._reader.scan("speaker", (self._space,), (self._space,))
            if row[3] != SPEAKS
        }
        found = {entity_key(name): self.called(name) for name in sorted(names)}
        led = {key: person for key, person in found.items() if person is not None}
        return {key: person for key, person in led.items() if person not in led}

    def neighbours(self, key: str, limit: int) -> tuple[Neighbour, ...]:
        """An entity's strongest neighbours; of equal ones by name. Reads all of its edges.

        What stands under a nickname is counted for who has it.
        """
        led = self.nicknames()
        counted: Counter[tuple[str, EdgeType]] = Counter()
        for own in (key, *(name for name, person in led.items() if person == key)):
            for index, end in ((None, 2), ("target", 1)):
                low = (self._space, own)
                for row in self._reader.scan("edge", low, low, index=index):
                    other = led.get(cast(str, row[end]), cast(str, row[end]))
                    if other != key:
                        counted[other, EdgeType(EDGE_TYPES.name(cast(str, row[3])))] += cast(int, row[4])
        nearest = sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:limit]
        found = [(self.entity(other), kind, turns) for (other, kind), turns in nearest]
        ranked = [Neighbour(each.name, each.type, kind, turns) for each, kind, turns in found if each is not None]
        return tuple(sorted(ranked, key=lambda each: (-each.turns, each.name, each.edge)))

    def with_nicknames(self, key: str) -> tuple[Entity, tuple[str, ...]] | None:
        """An entity with what stands under the names that lead to it, and every spelling of any of them, sorted."""
        keys = [key, *(other for other, person in self.nicknames().items() if person == key)]
        rows = [row for each in keys for row in self._reader.scan("entity", (self._space, each), (self._space, each))]
        types, forms = _counted(rows)
        return (entity_of(key, types, forms), tuple(sorted(forms))) if types else None

    def _has(self, key: str, kind: NodeType | None = None) -> bool:
        low = (self._space, key) if kind is None else (self._space, key, NODE_TYPES.letter(kind))
        return bool(self._reader.scan("entity", low, low, columns=("entity",), limit=1))


def drop_graph(tx: Transaction, space: str) -> None:
    """Takes out every row of the graph."""
    for table in Counts().rows:
        tx.delete(table, (space,), (space,))


def stored_counts(reader: Reader, space: str) -> Counts:
    """All that is stored, as counts."""
    found = Counts()
    for table, counted in found.rows.items():
        width = TABLES[table].key
        for row in reader.scan(table, (space,), (space,)):
            counted[_read(table, cast("tuple[str, ...]", row[1:width]))] = cast(int, row[width])
    return found


def _counted(rows: Sequence[Row]) -> tuple[Counter[NodeType], Counter[str]]:
    types: Counter[NodeType] = Counter()
    forms: Counter[str] = Counter()
    for _, key, kind, name, turns, _ in rows:
        types[NodeType(NODE_TYPES.name(cast(str, kind)))] += cast(int, turns)
        forms[read_name(cast(str, key), cast(str, name))] += cast(int, turns)
    return types, forms


def written_name(key: str, name: str) -> str:
    """A name as it is kept under its key.

    Empty where it is the key with spaces; the ends of its words, behind a tilde, where each begins as its stem in the
    key does; else the name, behind another tilde where it begins with one.
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
    """The name that `written_name` was given."""
    if kept.startswith("~~") or (not kept.startswith("~") and kept):
        return kept.removeprefix("~")
    stems = key.split("-")
    ends = kept[1:].split(" ") if kept else [""] * len(stems)
    return " ".join(map(str.__add__, stems, ends))


def _written(table: str, key: tuple[str, ...]) -> tuple[str, ...]:
    """The key of a row as it is kept, without the space."""
    if table == "entity":
        return key[0], NODE_TYPES.letter(key[1]), written_name(key[0], key[2])
    return (*key[:2], EDGE_TYPES.letter(key[2])) if table == "edge" else key


def _read(table: str, kept: tuple[str, ...]) -> tuple[str, ...]:
    """The key that `_written` was given."""
    if table == "entity":
        return kept[0], NODE_TYPES.name(kept[1]), read_name(kept[0], kept[2])
    return (*kept[:2], EDGE_TYPES.name(kept[2])) if table == "edge" else kept
