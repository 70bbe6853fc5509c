"""Computes and writes the changes that follow when turns state something else than before. Start at `proposed`."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from clew.knowledge.history import current_until
from clew.knowledge.reduce import Reduction, reduced
from clew.rows.fact_codec import (
    Place,
    fact_id,
    fact_of,
    fact_row,
    fact_text,
    facts_data,
    place_of,
    statement_data,
    statement_row,
    statements_of,
)
from clew.rows.facts import (
    FIRST_STATING,
    MOST_STATING,
    STATED,
    Bounds,
    StoredStatements,
    TurnMarks,
    finding_digests,
    key_digest,
    rows_of_turns,
)
from clew.store.knowledge_row_types import FactKeyRow, FactLinkRow, FactRow, StatementRow
from clew.store.protocol import Reader, Transaction
from clew.store.rows import to_us
from clew.store.tables import FACT, FACT_KEY, FACT_LINK, STATEMENT, Table
from clew.store.values import Key, Row
from clew.types.facts import Fact, FactLink, Statement
from clew.types.provenance import is_model


class TurnStatements(NamedTuple):
    """The statements that one maker found in a turn; they replace what it (of a model: any model) found there before.

    Attributes:
        ordinal: that of the turn.
        provenance: the maker.
    """

    ordinal: int
    provenance: str
    statements: Sequence[Statement]


class FactWrites:
    """Rows that go and rows that come, by table."""

    def __init__(self) -> None:
        self._gone: list[tuple[str, Key]] = []
        self._come: dict[str, list[Row]] = {}

    def __bool__(self) -> bool:
        """Whether there is anything to write."""
        return bool(self._gone or self._come)

    def exchange(self, table: Table, old: Iterable[Row], new: Iterable[Row]) -> None:
        """Notes what makes the second rows of the first."""
        before = {row[: table.key]: row for row in old}
        after = {row[: table.key]: row for row in new}
        self._gone += [(table.name, key) for key in before if key not in after]
        come = [row for key, row in after.items() if before.get(key) != row]
        if come:
            self._come.setdefault(table.name, []).extend(come)

    def apply(self, tx: Transaction) -> None:
        """Deletes and writes the rows."""
        for table, key in self._gone:
            tx.delete(table, key, key)
        for table, rows in self._come.items():
            tx.put(table, rows)


def proposed(
    reader: Reader,
    space: str,
    said: Sequence[TurnStatements],
    afresh: Collection[int] = (),
    *,
    bounds: Bounds = (MOST_STATING, FIRST_STATING),
) -> FactWrites:
    """What has to be written for turns to state something else; nothing where they state the same.

    The facts of every group of statements that this touches are made again from all statements of the group: so neither
    the order in which turns come nor the number that come at once makes a difference. It holds as long as the progress
    of `clew.rows.fact_progress` does not change.

    Args:
        afresh: ordinals of turns whose statements are stored, and of which no facts are made any more.
    """
    writes, marks = FactWrites(), TurnMarks(reader, space)
    by_turn: dict[int, list[TurnStatements]] = {}
    for each in said:
        by_turn.setdefault(each.ordinal, []).append(each)
    ordinals = sorted(by_turn)
    old = _stored(reader, space, ordinals)
    new = {ordinal: _replaced(space, rows, by_turn[ordinal]) for ordinal, rows in old.items()}
    changed = [each for each in ordinals if old[each] != new[each] or (each in afresh and new[each])]
    if not changed:
        return writes
    marks.load(ordinals)
    before = StoredStatements(reader, space, marks, bounds=bounds)
    stating = {each: [one for row in new[each] for one in statements_of(row, marks(each))] for each in changed}
    after = StoredStatements(reader, space, marks, stating, bounds)
    for ordinal in changed:
        writes.exchange(STATEMENT, old[ordinal], new[ordinal])
        stated, states = _stating(space, before, ordinal), _stating(space, after, ordinal)
        writes.exchange(FACT_KEY, stated - states if ordinal in afresh else stated, states)
    touched = [each for state in (before, after) for ordinal in changed for each in state.placed_at(ordinal)]
    moved = {ordinal for each in touched for key in each.found_by() for ordinal in after.moved_from(before, key)}
    touched += [each for ordinal in sorted(moved.difference(changed)) for each in after.placed_at(ordinal)]
    _remake(writes, _Facts(reader, space, marks), before, after, reduced(touched, after.lookup, counts=after.counts))
    return writes


def _stored(reader: Reader, space: str, ordinals: Collection[int]) -> dict[int, list[StatementRow]]:
    """The stored rows of turns."""
    rows_by_ordinal: dict[int, list[StatementRow]] = {ordinal: [] for ordinal in ordinals}
    for row in sorted(rows_of_turns(STATEMENT, reader, space, rows_by_ordinal.keys())):
        if row.ordinal in rows_by_ordinal:
            rows_by_ordinal[row.ordinal].append(row)
    return rows_by_ordinal


def _replaced(space: str, rows: Sequence[StatementRow], said: Sequence[TurnStatements]) -> list[StatementRow]:
    if not rows and not any(each.statements for each in said):
        return []  # as for most turns
    found = {row.provenance: row for row in rows}
    for each in said:
        maker = is_model if is_model(each.provenance) else each.provenance.__eq__
        found = {provenance: row for provenance, row in found.items() if not maker(provenance)}
        if each.statements:
            found[each.provenance] = statement_row(space, each.ordinal, each.provenance, each.statements)
    return [found[provenance] for provenance in sorted(found)]


def _stating(space: str, state: StoredStatements, ordinal: int) -> set[FactKeyRow]:
    """The rows by which a turn's statements are found."""
    keys = {key for each in state.placed_at(ordinal) for key in each.found_by()}
    return {FactKeyRow(space, key_digest(key), ordinal, STATED, None) for key in keys}


class _Facts:
    """Stored facts and their links, found by groups."""

    def __init__(self, reader: Reader, space: str, marks: TurnMarks) -> None:
        self.reader, self.space, self.marks = reader, space, marks

    def of_groups(self, state: StoredStatements, groups: Collection[str]) -> dict[FactRow, Fact]:
        """The facts of some groups, with their rows."""
        facts: dict[FactRow, Fact] = {}
        for ordinal in sorted({ordinal for group in groups for ordinal in state.stating(group)}):
            rows = FACT.scan(self.reader, (self.space, ordinal), (self.space, ordinal))
            texts = [fact_text((ordinal, row.place), row.data) for row in rows]
            for row, stored in zip(rows, facts_data(texts), strict=True):
                base = state.by_id(ordinal).get(fact_id(self.marks(ordinal).name, row.place))
                data = None if base is None else statement_data(base)
                fact = fact_of(stored, data, self.marks)
                if fact is not None and fact.group in groups:
                    facts[row] = fact
        return facts

    def row(self, state: StoredStatements, fact: Fact) -> FactRow:
        """The row of a fact."""
        place = self.place(fact.id)
        return fact_row(self.space, place, fact, state.by_id(place[0]).get(fact.id), self.marks.ordinal)

    def place(self, fact: str) -> Place:
        """Where a fact stands, by its id."""
        return place_of(fact, self.marks.ordinal)

    def links_of(self, places: Iterable[Place]) -> Iterator[FactLinkRow]:
        """The links that lead from facts, or to them."""
        for place in places:
            key = (self.space, *place)
            yield from FACT_LINK.scan(self.reader, key, key)
            yield from FACT_LINK.scan(self.reader, key, key, index="target")

    def link_row(self, link: FactLink) -> FactLinkRow:
        """The row of a link."""
        (source, place), (target, target_place) = self.place(link.source), self.place(link.target)
        return FactLinkRow(self.space, source, place, link.kind.value, target, target_place, int(link.rests))


def _remake(
    writes: FactWrites, facts: _Facts, before: StoredStatements, after: StoredStatements, reduction: Reduction
) -> None:
    """Notes the facts and links of groups in place of those that are stored."""
    old = facts.of_groups(before, reduction.facts.keys())
    new = {facts.row(after, fact): fact for every in reduction.facts.values() for fact in every}
    writes.exchange(FACT, old, new)
    writes.exchange(FACT_KEY, _found_by(old), _found_by(new))
    places = {(row.ordinal, row.place) for row in old}
    writes.exchange(FACT_LINK, facts.links_of(sorted(places)), map(facts.link_row, reduction.links))


def _found_by(facts: Mapping[FactRow, Fact]) -> Iterator[FactKeyRow]:
    """The rows by which facts are found."""
    for row, fact in facts.items():
        until = current_until(fact)
        end = None if until is None else max(0, to_us(until))
        for digest in finding_digests(fact):
            yield FactKeyRow(row.space, digest, row.ordinal, row.place, end)
