"""The label vocabulary of a space: its labels, which of them are aliases, and how broad labels are split.

A name that is similar to an earlier one becomes its alias, so that the first form seen remains the label. An alias
always points to an earlier name, so aliases cannot form a cycle.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.analyze.keyphrases import tag_key
from clew.analyze.words import word_of

K = TypeVar("K")

NAME_COSINE: Final = 0.85
"""Cosine of two names' vectors from which one is an alias of the other (docs/tags.md)."""

TURN_COSINE: Final = 0.6
"""Cosine of a turn's vector and a label's from which the turn is about the label (docs/tags.md)."""

BLOCK: Final = 4
"""Number of leading letters that two names must share to be compared by spelling."""

EDITED: Final = 7
"""Length from which two words that differ in one letter count as spellings of one word."""

SPLIT_BEATS: Final = 32
"""Number of beats from which a label may be split; checked again whenever the number has doubled."""

SPLIT_SHARE: Final = 0.1
"""Share of all beats above which a label is split."""

PARTS: Final = 8
"""Most parts of a label."""

PART_BEATS: Final = 4
"""Fewest beats of a part."""


CALENDAR: Final = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday weekend january february march april may june july august
    september october november december spring summer autumn winter
    """.split()
)
"""Words that tell when, and not what about."""


@dataclass(slots=True, eq=False)
class LabelEntry:
    """One name of the vocabulary.

    Attributes:
        born: ordinal of the turn that closed the first beat with this name.
        beats: number of beats with this name.
        again: ordinal of the turn that closed the second such beat; None before that. From then on it has a vector.
        target: the earlier name of which this one is an alias; None when it is not an alias.
        parts: the narrower names it is split into, strongest first.
        codes: its vector as int8 numbers, of length about 127; None without one.
    """

    name: str
    born: int
    beats: int = 0
    again: int | None = None
    target: str | None = None
    parts: tuple[str, ...] = ()
    codes: NDArray[np.int8] | None = None

    @property
    def age(self) -> tuple[int, str]:
        """Sort key that puts earlier names first."""
        return self.born, self.name


class Vocabulary:
    """The names of one space. Answers depend on the names alone, not on the order in which they were added."""

    def __init__(self, labels: Iterable[LabelEntry] = (), beats: int = 0) -> None:
        """Take labels as they are, with their targets.

        Args:
            beats: closed so far in the whole space.
        """
        self.beats = beats
        self.labels: dict[str, LabelEntry] = {}
        self.heads: Counter[str] = Counter()  # of the keys, by their first word
        self._keys: _Names[str] = _Names()
        self._patterns: _Names[int] = _Names()  # by the hashes of the patterns of their keys, see `_patterns`
        self._vectors: _VectorTable | None = None  # of all names that have one, once somebody asks
        for label in labels:
            self._enter(label)

    def add(self, name: str, born: int) -> set[str]:
        """Add a name, or record that it was born earlier; return the names that changed."""
        label = self.labels.get(name)
        if label is not None and label.born <= born:
            return set()
        if label is None:
            label = LabelEntry(name, born)
            self._enter(label)
        label.born = born
        return {name} | self._meet(label)

    def count(self, name: str, by: int) -> None:
        """Count one more beat of a name, closed by the turn with ordinal `by`."""
        label = self.labels[name]
        label.beats += 1
        if label.beats > 1 and label.again is None:
            label.again = by

    def give_vector(self, name: str, codes: NDArray[np.int8]) -> set[str]:
        """Set the vector of a name; return the names whose target changed."""
        label = self.labels[name]
        if self._vectors is not None and label.codes is None:
            self._vectors.add(label, codes)
        else:
            self._vectors = None
        label.codes = codes
        return self._meet(label)

    def drop(self, names: Iterable[str]) -> set[str]:
        """Remove names; return the remaining names whose target or parts changed."""
        gone = {name for name in names if self.labels.pop(name, None) is not None}
        if not gone:
            return set()
        self._vectors = None
        for name in gone:
            key = tag_key(name)
            self._keys.discard(key, name)
            self.heads[key.partition("-")[0]] -= 1
            for pattern in _patterns(key):
                self._patterns.discard(pattern, name)
        changed: set[str] = set()
        for label in self.labels.values():
            if not gone.isdisjoint(label.parts):
                label.parts = tuple(part for part in label.parts if part not in gone)
                changed.add(label.name)
            if label.target in gone:
                earlier = [other for other in self._near(label) if other.age < label.age]
                label.target = min(earlier, key=lambda other: other.age).name if earlier else None
                changed.add(label.name)
        return changed

    def root(self, name: str) -> str:
        """The label that a name resolves to: the end of its alias chain; an unknown name is looked up by its key."""
        label = self.labels.get(name)
        if label is None:
            names = self._keys.names(tag_key(name))
            label = min((self.labels[each] for each in names), key=lambda each: each.age, default=None)
        if label is None:
            return name
        while label.target is not None:
            label = self.labels[label.target]
        return label.name

    def knows(self, key: str, before: int) -> bool:
        """Whether a name with this key was born before the turn with ordinal `before`."""
        names = self._keys.get(key)
        if names is None:
            return False  # as most keys
        if isinstance(names, str):
            return self.labels[names].born < before
        return any(self.labels[name].born < before for name in names)

    def like(self, codes: NDArray[np.int8], before: int, limit: int) -> dict[str, float]:
        """Names similar to a turn's vector that had two beats before it, the most similar first, with cosines."""
        labels, cosines = self._cosines(codes)
        near = [(float(cosines[place]), labels[place]) for place in np.flatnonzero(cosines >= TURN_COSINE)]
        near = [(cosine, label) for cosine, label in near if label.again is not None and label.again < before]
        near.sort(key=lambda each: (-each[0], each[1].age))
        return {label.name: min(cosine, 1.0) for cosine, label in near[:limit]}

    def lacking(self) -> list[str]:
        """Names with two beats and no vector yet, earliest first; aliases, numbers and dates need none."""
        labels = [label for label in self.labels.values() if label.codes is None and label.again is not None]
        labels = [label for label in labels if label.target is None and _is_comparable(label.name)]
        return [label.name for label in sorted(labels, key=lambda label: label.age)]

    def _enter(self, label: LabelEntry) -> None:
        key = tag_key(label.name)
        self.labels[label.name] = label
        self._keys.add(label.name if key == label.name else key, label.name)  # one string instead of two
        self.heads[key.partition("-")[0]] += 1
        for pattern in _patterns(key):
            self._patterns.add(pattern, label.name)
        if label.codes is not None:
            self._vectors = None

    def _meet(self, label: LabelEntry) -> set[str]:
        """Find the target of a label, and make the label the target of similar ones that it precedes."""
        changed: set[str] = set()
        near = self._near(label)
        earlier = min((other for other in near if other.age < label.age), key=lambda other: other.age, default=None)
        target = None if earlier is None else earlier.name
        if target != label.target:
            label.target = target
            changed.add(label.name)
        for other in near:
            held = None if other.target is None else self.labels[other.target]
            if label.age < other.age and (held is None or label.age < held.age):
                other.target = label.name
                changed.add(other.name)
        return changed

    def _near(self, label: LabelEntry) -> list[LabelEntry]:
        """The other names that are similar to a label, without duplicates."""
        key = tag_key(label.name)
        names = dict.fromkeys(name for pattern in _patterns(key) for name in self._patterns.names(pattern))
        near = (name for name in names if name != label.name and _shares_block(key, tag_key(name)))
        similar = {name: self.labels[name] for name in near if is_near(key, tag_key(name))}
        if label.codes is not None:
            labels, cosines = self._cosines(label.codes)
            held = (labels[place] for place in np.flatnonzero(cosines >= NAME_COSINE))
            similar |= {other.name: other for other in held if other is not label}
        return list(similar.values())

    def _cosines(self, codes: NDArray[np.int8]) -> tuple[list[LabelEntry], NDArray[np.float64]]:
        """Cosines of a vector with all names."""
        if self._vectors is None:
            self._vectors = _VectorTable()
            for label in self.labels.values():
                if label.codes is not None:
                    self._vectors.add(label, label.codes)
        return self._vectors.labels, self._vectors.cosines(codes)


class _Names(dict[K, str | list[str]]):
    """Names by something that several may share. One alone is held without a list: nearly all are."""

    __slots__ = ()

    def names(self, key: K) -> Sequence[str]:
        """The names in the order in which they came."""
        known = self.get(key, ())
        return (known,) if isinstance(known, str) else known

    def add(self, key: K, name: str) -> None:
        """Append a name."""
        names = self.get(key)
        if isinstance(names, list):
            names.append(name)
        else:
            self[key] = name if names is None else [names, name]

    def discard(self, key: K, name: str) -> None:
        """Remove a name."""
        rest = [other for other in self.names(key) if other != name]
        if not rest:
            self.pop(key, None)
        else:
            self[key] = rest if len(rest) > 1 else rest[0]


class _VectorTable:
    """The vectors of names as one array, which grows name by name.

    Attributes:
        labels: the names in the order of the rows.
    """

    def __init__(self) -> None:
        self.labels: list[LabelEntry] = []
        self._rows = np.zeros((0, 0), np.int32)
        self._lengths = np.zeros(0)

    def add(self, label: LabelEntry, codes: NDArray[np.int8]) -> None:
        """Append the vector of a name."""
        size = len(self.labels)
        if not size or size == len(self._rows):
            rows = np.zeros((max(64, size * 5 // 4), len(codes)), np.int32)
            lengths = np.zeros(len(rows))
            if size:
                rows[:size], lengths[:size] = self._rows[:size], self._lengths[:size]
            self._rows, self._lengths = rows, lengths
        self._rows[size], self._lengths[size] = codes, _length(codes)
        self.labels.append(label)

    def cosines(self, codes: NDArray[np.int8]) -> NDArray[np.float64]:
        """The cosine of a vector with each row, by exact integer products; 0 where one of the two has no length."""
        size = len(self.labels)
        if not size:
            return np.zeros(0)
        dots = self._rows[:size] @ codes.astype(np.int32)
        both = self._lengths[:size] * _length(codes)
        return np.divide(dots, both, out=np.zeros(size), where=both > 0)


def _patterns(key: str) -> Iterator[int]:
    """Hashes of the key's first letters with the key in which one word is left open: names that are near share one.

    Others may share one too, so what is found by a hash is compared. A number takes less memory than words.
    """
    words = key.split("-")
    for place in range(len(words)):
        yield hash((key[:BLOCK], *words[:place], "*", *words[place + 1 :]))


def _shares_block(one: str, other: str) -> bool:
    return one[:BLOCK] == other[:BLOCK]


def is_near(one: str, other: str) -> bool:
    """Whether two keys are spellings of one name, or differ in one word of which one is the other's short form.

    A short form has at least four letters and less than half of the long form's: auth, authentication. Two words that
    are both in the lexicon are different words however similar they look: contact, contract.
    """
    if one == other:
        return True
    pairs = list(zip(one.split("-"), other.split("-"), strict=False))
    if one.count("-") != other.count("-") or sum(left != right for left, right in pairs) != 1:
        return False
    short, long = next(sorted(pair, key=len) for pair in pairs if pair[0] != pair[1])
    if not (short.isalpha() and long.isalpha()):
        return False
    if len(short) >= BLOCK and len(long) > 2 * len(short) and long.startswith(short):
        return True
    return len(short) >= EDITED and _one_edit(short, long) and not (_is_listed(short) and _is_listed(long))


def parts_of(name: str, beats: Sequence[Iterable[str]]) -> tuple[str, ...]:
    """The names that a broad label is split into: those that occur with it in the most beats, strongest first.

    Args:
        beats: the names of each beat that has the label, aliases resolved.

    Returns:
        Names in at least `PART_BEATS` and at most two thirds of these beats; empty when there are fewer than two.
    """
    counts = Counter(other for roots in beats for other in dict.fromkeys(roots) if other != name)
    fit = [other for other, count in counts.items() if PART_BEATS <= count <= len(beats) * 2 / 3]
    fit.sort(key=lambda other: (-counts[other], other))
    return tuple(fit[:PARTS]) if len(fit) > 1 else ()


def part_in(parts: Sequence[str], roots: Iterable[str]) -> str | None:
    """The part of a broad label that a beat belongs to: the strongest one that the beat has; None without one."""
    return next((part for part in parts if part in set(roots)), None)


def resolve(name: str, aliases: Mapping[str, str]) -> str:
    """The name at the end of a chain of aliases; in a cycle, which Clew never writes, the last name visited."""
    seen = {name}
    while (target := aliases.get(name)) is not None and target not in seen:
        seen.add(target)
        name = target
    return name


def _is_comparable(name: str) -> bool:
    """Whether the vector of a name is telling: those of days, months and numbers are all alike."""
    return not any(letter.isdigit() for letter in name) and CALENDAR.isdisjoint(name.split("-"))


def _is_listed(word: str) -> bool:
    known = word_of(word)
    return bool(known.flags or known.valence or known.domains)


def _one_edit(one: str, other: str) -> bool:
    """Whether one edit (insertion or substitution of a letter) leads from the first, shorter word to the second."""
    if len(other) - len(one) > 1:
        return False
    start = next(
        (place for place, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), len(one)
    )
    rest = start if len(one) < len(other) else start + 1
    return one[rest:] == other[start + 1 :]


def _length(codes: NDArray[np.int8]) -> float:
    wide = codes.astype(np.int64)
    return float(np.sqrt(np.float64(wide @ wide)))
