"""Stores the learned values of a space in versions: reads, changes and reverts them.

A version is one change: a row for each value that it changed. Of each value the row of the highest version holds;
`null` in it takes the value back to the user's setting or the default. Rows are only ever added.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from clew.config import RecallConfig
from clew.errors import ConflictError, NotFoundError
from clew.rank.tuning.fusion import PREFIX, SETTINGS_TUNED, bounds
from clew.rank.tuning.recaps import RECAP_SCALE, recap_scale_of
from clew.rank.tuning.renderings import SCALE, scale_of
from clew.rank.tuning.structure import StructureParameters
from clew.rows.pause import paused_since
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import ParameterRow
from clew.store.rows import dumps, from_us, to_us
from clew.store.selections import PARAMETER_VALUES
from clew.store.tables import PARAMETER
from clew.types.tuning import Change, LearnedValues


def read_learned(reader: Reader, space: str, upto: int | None = None) -> LearnedValues:
    """The learned values in force, or those of version `upto`."""
    version = structure = 0
    values: dict[str, float] = {}
    for name, number, value in _rows(reader, space):
        if upto is not None and number > upto:
            continue
        version = max(version, number)
        if not name.startswith(PREFIX) and name != RECAP_SCALE:  # those reach what is analysed
            structure = max(structure, number)
        if value is None:
            values.pop(name, None)
        else:
            values[name] = value
    return LearnedValues(version=version, structure=structure, values=values)


def history(reader: Reader, space: str) -> list[Change]:
    """All changes, earliest first."""
    changes: dict[int, Change] = {}
    for row in PARAMETER.scan(reader, (space,), (space,)):
        change = changes.get(row.version) or Change(
            version=row.version, at=from_us(row.adopted_at), values={}, reason=json.loads(row.reason)
        )
        changes[row.version] = replace(change, values={**change.values, row.name: json.loads(row.value)})
    return [changes[number] for number in sorted(changes)]


def adopt(
    store: Store, space: str, values: Mapping[str, float | None], reason: Mapping[str, Any], now: datetime, seen: int
) -> int:
    """Writes a new version with these values durably, and returns its number.

    Raises:
        ConflictError: another program changed the values since version `seen`.
    """

    def write(tx: Transaction) -> int:
        if read_learned(tx, space).version != seen:
            raise ConflictError("another program changed the learned values meanwhile; look at them and try again")
        rows = [
            ParameterRow(space, name, seen + 1, dumps(value), to_us(now), dumps(dict(reason)))
            for name, value in values.items()
        ]
        PARAMETER.put(tx, rows)
        return seen + 1

    return store.transaction(write)


def revert(store: Store, space: str, version: int, now: datetime) -> int:
    """Restores the values of an earlier version as a new version; returns the number of the version now in force.

    Version 0 is the state before anything was learned. If no value differs, nothing is written.

    Raises:
        NotFoundError: there was no such version.
        ConflictError: another program changed the values meanwhile.
    """
    with store.snapshot() as reader:
        current = read_learned(reader, space)
        if not 0 <= version <= current.version:
            raise NotFoundError(f"version {version} of the learned values: there are 0 to {current.version}")
        wanted = read_learned(reader, space, version).values
    names = sorted(wanted.keys() | current.values.keys())
    changed = {name: wanted.get(name) for name in names if wanted.get(name) != current.values.get(name)}
    if not changed:
        return current.version
    return adopt(store, space, changed, {"reverted_to": version}, now, current.version)


def take_over(store: Store, space: str, values: Mapping[str, float], now: datetime) -> bool:
    """Adopts what another memory learned, unless this one has learned something or is paused; returns whether it did.

    Unknown names are ignored, and values outside their bounds are moved to them.
    """
    structure = StructureParameters.of(values)
    taken = {name: value for name, value in structure.values().items() if name in values}
    for setting in SETTINGS_TUNED:
        if PREFIX + setting in values:
            low, high = bounds(setting)
            taken[PREFIX + setting] = min(max(values[PREFIX + setting], low), high)
    if SCALE in values:
        taken[SCALE] = scale_of(values)
    if RECAP_SCALE in values:
        taken[RECAP_SCALE] = recap_scale_of(values)
    with store.snapshot() as reader:
        free = read_learned(reader, space).version == 0 and paused_since(reader, space) is None
    if free and taken:
        adopt(store, space, taken, {"taken_over": "from an export"}, now, 0)
    return free and bool(taken)


def structure_of(learned: LearnedValues) -> StructureParameters:
    """The parameters of layers 1 to 4, from learned values."""
    return StructureParameters.of(learned.values)


def recall_of(learned: LearnedValues, config: RecallConfig, given: frozenset[str]) -> RecallConfig:
    """The recall settings with learned values; settings in `given` (paths such as `recall.time`) stay the user's."""
    values: dict[str, Any] = {}
    for setting in SETTINGS_TUNED:
        value = learned.values.get(PREFIX + setting)
        if value is not None and PREFIX + setting not in given:
            low, high = bounds(setting)
            values[setting] = min(max(value, low), high)
    return replace(config, **values) if values else config


def _rows(reader: Reader, space: str) -> list[tuple[str, int, float | None]]:
    """Name, version and value of each row, by version and name."""
    rows = sorted(PARAMETER_VALUES.scan(reader, (space,), (space,)), key=lambda row: (row.version, row.name))
    return [(row.name, row.version, json.loads(row.value)) for row in rows]


class _InForce(NamedTuple):
    """What is in force at a version of the store."""

    version: int
    learned: LearnedValues
    recall: RecallConfig


class LearnedBook:
    """The learned values of one space, read again when anything was written. Threads may share it.

    Attributes:
        given: settings that the user chose, by path; learned values never replace them.
    """

    def __init__(self, store: Store, space: str, config: RecallConfig, given: frozenset[str] = frozenset()) -> None:
        self._store, self._space, self._config = store, space, config
        self.given = given
        self._held: _InForce | None = None

    def now(self) -> LearnedValues:
        """The learned values in force."""
        return self._read().learned

    def seen(self) -> LearnedValues:
        """The learned values that were read last and used by the last ranking; does not query the store."""
        return self.now() if self._held is None else self._held.learned

    def recall(self, version: int | None = None) -> RecallConfig:
        """The recall settings in force."""
        return self._read(version).recall

    def _read(self, version: int | None = None) -> _InForce:
        version, cached = self._store.version() if version is None else version, self._held
        if cached is not None and cached.version == version:
            return cached
        with self._store.snapshot() as reader:
            learned = read_learned(reader, self._space)
        same = cached is not None and cached.learned == learned
        config = cached.recall if cached is not None and same else recall_of(learned, self._config, self.given)
        self._held = _InForce(version, learned, config)
        return self._held
