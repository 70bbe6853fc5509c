"""The statements that a change can reach: what rests on the changed groups, and what those in turn rest on."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from clew.knowledge.groups import (
    Placed,
    joined,
    name_key,
    naming,
    of_somebody_key,
    resting_on,
    same_said_of,
    subject_key,
)

Lookup = Callable[[Collection[str]], Iterable[Placed]]
"""Finds the placed statements that have one of some keys among those of `Placed.found_by`."""

Counts = Callable[[Placed, str], bool]
"""Whether a statement counts among those that are found by a key, of which a store looks at a bounded number only."""


def always(_statement: Placed, _key: str) -> bool:
    """Where all statements count."""
    return True


DEPTH: Final = 4
"""Longest chain of facts along which a stale mark passes: a plan, what was bought for it, and so on."""

MOST_GROUPS: Final = 1000
"""Groups after which no further ones are looked up; only a name that everything rests on comes near it."""


class Neighbourhood:
    """Statements near some groups, looked up a few times with many keys each.

    Attributes:
        affected: keys of the groups that changed, and of those whose links or stale marks may change with them.
        same: pairs of groups that say the same of two names of one subject, with the group that says so.
    """

    def __init__(self, changed: Iterable[Placed], lookup: Lookup, aliases: Mapping[str, str] | None = None) -> None:
        """Looks up everything at once; `changed` are statements that are new, changed or gone."""
        self._lookup, self._aliases = lookup, aliases
        self._asked: set[str] = set()
        self._whole: set[str] = set()
        self._groups: dict[str, dict[tuple[str, str, str], Placed]] = defaultdict(dict)
        self._by_key: dict[str, set[str]] = defaultdict(set)
        self._by_rest: dict[str, set[str]] = defaultdict(set)
        self._ends: dict[str, list[Placed]] = defaultdict(list)  # by key of a group, or of its statements
        self.same: set[tuple[str, str, str]] = set()
        changed = list(changed)
        self._keys: dict[str, set[str]] = defaultdict(set)
        for statement in changed:  # what is gone had keys that no statement of its group may have now
            self._keys[statement.group].update(statement.keys)
        self.affected: set[str] = set(self._keys)
        self._load(self.affected)
        self.affected |= self._ended({key for statement in changed for key in statement.ends})
        self.affected |= {group for name in changed for pair in self._pairs(name) for group in pair}
        self._spread(self.affected, self._resting_on)
        self._load(self._resting_on(self.affected))
        self._load_other_names()
        self._spread(set(self.affected), self._grounds_of)

    def group(self, key: str) -> Collection[Placed]:
        """The statements of a group; none if it was not looked up as a whole."""
        return self._groups[key].values() if key in self._whole and key in self._groups else ()

    def with_endings(self, key: str, counts: Counts = always) -> Sequence[Placed]:
        """The statements of a whole group, and those of other groups that end something in it and are found from it."""
        own = self.group(key)
        if not self._ends:
            return (*own,)
        keys = {key, *(own_key for member in own for own_key in member.keys)}
        endings = {ending for member in own for ending in member.ended_by()}
        ends = {
            end.statement.id: end
            for known_key in keys
            for end in self._ends.get(known_key, ())
            if any(counts(end, name) for name in endings.intersection(end.found_by()))
        }
        return (*own, *(each for name in sorted(ends) if (each := joined(ends[name], key, own)) is not None))

    def whole(self) -> list[str]:
        """The groups that were looked up as a whole and have statements, sorted."""
        return sorted(self._whole & self._groups.keys())

    def groups_by(self, key: str) -> list[str]:
        """The whole groups that have a key or are it, sorted."""
        return sorted(({key} | self._by_key.get(key, set())) & self._whole & self._groups.keys())

    def _load(self, groups: Iterable[str]) -> None:
        wanted = set(groups) - self._whole
        self._whole |= wanted
        self._ask(wanted)
        self._ask(
            key
            for group in wanted & self._groups.keys()
            for each in self._groups[group].values()
            for key in each.ended_by()
        )

    def _ended(self, keys: set[str]) -> set[str]:
        """Loads the groups in which something may end, by `Placed.ends`."""
        self._ask(keys)
        groups = {group for key in keys for group in (key, *self._by_key.get(key, ()))}
        self._load(groups)
        return groups & self._groups.keys()

    def _ask(self, keys: Iterable[str]) -> None:
        wanted = sorted(set(keys) - self._asked)
        self._asked.update(wanted)
        for each in self._lookup(wanted) if wanted else ():
            statement = each.statement
            self._groups[each.group][statement.id, statement.effect, statement.object] = each
            for key in each.keys:
                self._by_key[key].add(each.group)
            for rest in each.rests:
                self._by_rest[rest.key].add(each.group)
            for key in each.ends:
                self._ends[key].append(each)

    def _spread(self, reached: set[str], step: Callable[[set[str]], set[str]]) -> None:
        """Follows a step `DEPTH` times from some groups, and adds to them what it reaches."""
        frontier = set(reached)
        for _ in range(DEPTH):
            if not frontier or len(self._whole) > MOST_GROUPS:
                return
            frontier = step(frontier) - reached
            self._load(frontier)
            reached |= frontier

    def _resting_on(self, groups: set[str]) -> set[str]:
        keys = groups | {key for group in groups for key in self._keys.get(group, ())}
        keys |= {key for group in groups for member in self.group(group) for key in member.keys}
        self._ask(resting_on(key) for key in keys)
        return {other for key in keys for other in self._by_rest.get(key, ())}

    def _grounds_of(self, groups: set[str]) -> set[str]:
        keys = {rest.key for group in groups for member in self.group(group) for rest in member.rests}
        self._ask(keys)
        return {group for key in keys for group in (key, *self._by_key.get(key, ()))}

    def _load_other_names(self) -> None:
        """Finds what is said of the subjects of the affected groups under their other names."""
        subjects = {member.statement.subject for group in self.affected for member in self.group(group)}
        keys = [name_key(subject, self._aliases) for subject in sorted(subjects)]
        self._ask(keys)
        self._load(group for key in keys for group in self._by_key.get(key, ()))
        for name in [member for group in self.whole() for member in self.group(group)]:
            self._pairs(name)

    def _pairs(self, name: Placed) -> list[tuple[str, str]]:
        """Loads the groups that say the same of a subject under the two names that a statement gives it, in pairs."""
        names = naming(name.statement)
        keys = [subject_key(subject, self._aliases) for subject in names or ()]
        if names is None or keys[0] == keys[1]:
            return []
        self._ask({of_somebody_key(names[0], self._aliases) or name.group})
        resting = []
        for each in [placed for group in self._groups.values() for placed in group.values()]:
            key = subject_key(each.statement.subject, self._aliases)
            if key in keys and each.group != name.group:
                other = same_said_of(each.statement, names[1 - keys.index(key)], self._aliases)
                if other != each.group:  # a shared slot has one group for all names
                    resting.append((min(each.group, other), max(each.group, other)))
        pairs = sorted(set(resting))
        self._load(chain.from_iterable(pairs))
        self.same |= {(first, second, name.group) for first, second in pairs}
        return pairs
