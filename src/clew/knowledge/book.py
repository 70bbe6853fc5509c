"""Statements in memory, found by their keys: for what is reduced without a store."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from clew.knowledge.groups import Placed, placed
from clew.knowledge.reduce import Reduction, reduced
from clew.types.facts import Fact, FactLink, Statement


class Book:
    """The statements of some turns, with the facts and links that follow from them."""

    def __init__(self, aliases: Mapping[str, str] | None = None) -> None:
        """Makes an empty book; for the aliases see `groups.placed`."""
        self._aliases = aliases
        self._turns: dict[str, tuple[Placed, ...]] = {}
        self._by_key: dict[str, dict[Placed, None]] = defaultdict(dict)
        self._facts: dict[str, tuple[Fact, ...]] = {}
        self._links: set[FactLink] = set()

    def add(self, statements: Iterable[Statement]) -> None:
        """Adds statements of any turns; of a turn that is known they replace the earlier ones."""
        by_turn: dict[str, list[Statement]] = defaultdict(list)
        for statement in statements:
            by_turn[statement.turn].append(statement)
        self._change({turn: placed(said, self._aliases) for turn, said in by_turn.items()})

    def forget(self, turns: Iterable[str]) -> None:
        """Removes the statements of some turns, and what follows from them."""
        self._change(dict.fromkeys(turns, ()))

    def lookup(self, keys: Collection[str]) -> Iterator[Placed]:
        """The statements that have one of some keys."""
        yield from dict.fromkeys(statement for key in keys for statement in self._by_key.get(key, ()))

    def facts(self) -> tuple[Fact, ...]:
        """All facts, by group and in the order in which they began."""
        return tuple(fact for group in sorted(self._facts) for fact in self._facts[group])

    def links(self) -> tuple[FactLink, ...]:
        """All links, sorted."""
        return tuple(sorted(self._links))

    def _change(self, turns: Mapping[str, tuple[Placed, ...]]) -> None:
        changed = [statement for turn in turns for statement in (*self._turns.get(turn, ()), *turns[turn])]
        for turn, said in turns.items():
            for statement in self._turns.pop(turn, ()):
                for key in statement.found_by():
                    del self._by_key[key][statement]
            if said:
                self._turns[turn] = said
            for each in said:
                for key in each.found_by():
                    self._by_key[key][each] = None
        self._store(reduced(changed, self.lookup, self._aliases))

    def _store(self, reduction: Reduction) -> None:
        ids = {fact.id for group in reduction.facts for fact in self._facts.get(group, ())}
        self._links = {link for link in self._links if link.source not in ids and link.target not in ids}
        self._links.update(reduction.links)
        self._facts.update(reduction.facts)
        self._facts = {group: facts for group, facts in self._facts.items() if facts}
