"""Reads statements of turns, and the facts made of them. Start at `facts_at`.

`clew.rows.fact_writes` changes them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Final, NamedTuple, TypeVar

from clew.errors import ConflictError
from clew.index.view import IndexView
from clew.knowledge.groups import Placed, placed, subject_key
from clew.knowledge.morphology import lemma
from clew.rows.fact_codec import (
    FactData,
    FactText,
    Place,
    StatementData,
    TurnMark,
    bases_of,
    fact_from_values,
    fact_id,
    fact_text,
    fact_values,
    facts_data,
    statements_of,
)
from clew.store.protocol import Reader, Transaction
from clew.store.rows import from_us
from clew.store.selections import FACT_DATA, FACT_PLACE, FACT_PLACES
from clew.store.tables import FACT, FACT_KEY, FACT_LINK, STATEMENT
from clew.store.turn_selections import TURN_ORDINAL, TURN_TIMES
from clew.store.typed_reads import TypedReads
from clew.text.terms import terms
from clew.types.facts import Fact, FactStatus, Statement, in_few_words
from clew.types.ids import parse_turn_id, turn_id

T = TypeVar("T")

STATED: Final = -1
"""The place in FACT_KEY that stands for the statements of a turn."""

MOST_STATING: Final = 512
FIRST_STATING: Final = 64
"""Most turns that count for one group or key, and how many of these are the earliest. They limit the work of a turn."""

Bounds = tuple[int, int]
"""How many turns count for one key at most, and how many of these are the earliest."""

OBJECT_TERMS: Final = 12
"""Terms of an object by which a fact is found; what has more is a sentence rather than a value."""

_CLOSE: Final = 2
"""Turns lie close together if the stretch that they span has fewer turns than this many times their number."""
_CLOSE_STATING: Final = 8
"""As `_CLOSE`, for rows of statements, which only some of the turns in a stretch have."""

_USUAL: Final = frozenset({FactStatus.ACTIVE, FactStatus.COMPLETED})

_BYTES: Final = 6
_MIDDLE: Final = 1 << (8 * _BYTES - 1)


def rows_of_turns(
    source: TypedReads[T],
    reader: Reader,
    space: str,
    ordinals: Collection[int],
    *,
    index: str | None = None,
    close: int = _CLOSE,
) -> list[T]:
    """The rows of turns, read in one query; where the turns lie close together, rows of turns between them as well.

    Args:
        source: a table whose rows are found by the ordinals of turns.
        close: see `_CLOSE`.
    """
    low, high = min(ordinals, default=0), max(ordinals, default=0)
    if len(ordinals) > 1 and high - low < close * len(ordinals):
        return source.scan(reader, (space, low), (space, high), index=index)
    return source.scan_many(reader, [(space, ordinal) for ordinal in sorted(ordinals)], index=index)


class TurnMarks:
    """Ids and times of turns by ordinal, and ordinals by id; each is looked up once."""

    def __init__(self, reader: Reader, space: str, view: IndexView | None = None) -> None:
        """Nothing is read yet.

        Args:
            view: the index of the space, which has the turns in memory; a turn that it lacks is read.
        """
        self._reader, self._space, self._view = reader, space, view
        self._marks: dict[int, TurnMark] = {}
        self._ordinals: dict[str, int] = {}

    def load(self, ordinals: Iterable[int]) -> None:
        """Reads turns that will be asked for, in one query if they lie close together."""
        missing = set(ordinals) - self._marks.keys()
        if self._view is not None:
            for ordinal, session, seq, at in self._view.turn_times(missing):
                self._note(ordinal, session, seq, at)
            missing -= self._marks.keys()
        for row in rows_of_turns(TURN_TIMES, self._reader, self._space, missing, index="ordinal"):
            self._note(row.ordinal, row.session, row.seq, row.at)

    def _note(self, ordinal: int, session: str, seq: int, at: int | None) -> None:
        mark = TurnMark(turn_id(session, seq), from_us(at))
        self._marks[ordinal] = mark
        self._ordinals[mark.name] = ordinal

    def __call__(self, ordinal: int) -> TurnMark:
        """One turn.

        Raises:
            ConflictError: it is not stored any more.
        """
        if ordinal not in self._marks:
            self.load((ordinal,))
        if ordinal not in self._marks:
            raise ConflictError(f"the turn with the number {ordinal} was forgotten meanwhile; it is tried again")
        return self._marks[ordinal]

    def ordinal(self, name: str) -> int:
        """The ordinal of a turn.

        Raises:
            ConflictError: it is not stored any more.
        """
        ordinal = self.find(name)
        if ordinal is None:
            raise ConflictError(f"the turn {name!r} was forgotten meanwhile; it is tried again")
        return ordinal

    def find(self, name: str) -> int | None:
        """The ordinal of a turn; None if it is not stored."""
        if name not in self._ordinals:
            ordinal = TURN_ORDINAL.get(self._reader, (self._space, *parse_turn_id(name)))
            if ordinal is None:
                return None
            self._ordinals[name] = ordinal
        return self._ordinals[name]


def times_of(reader: Reader, space: str, turns: Iterable[str]) -> list[datetime | None]:
    """When stored turns were said, by their ids."""
    marks = TurnMarks(reader, space)
    return [marks(marks.ordinal(name)).at for name in turns]


class StoredStatements:
    """What the turns of a space state, as the reducer looks it up."""

    def __init__(
        self,
        reader: Reader,
        space: str,
        marks: TurnMarks,
        changed: Mapping[int, Sequence[Statement]] | None = None,
        bounds: Bounds = (MOST_STATING, FIRST_STATING),
    ) -> None:
        """Nothing is read yet.

        Args:
            changed: what turns state from now on, by ordinal, in place of what is stored.
        """
        self._most, self._first = bounds
        self._reader, self._space, self._marks = reader, space, marks
        self._said: dict[int, Sequence[Statement]] = dict(changed or {})
        self._placed = {ordinal: placed(statements) for ordinal, statements in self._said.items()}
        self._is_changed = frozenset(self._said)
        self._news: dict[str, set[int]] = {}
        for ordinal, every in self._placed.items():
            for key in {key for statement in every for key in statement.found_by()}:
                self._news.setdefault(key, set()).add(ordinal)
        self._found: dict[str, frozenset[int]] = {}

    def lookup(self, keys: Collection[str]) -> list[Placed]:
        """All statements that count and have one of these keys as group, key or rest."""
        wanted = frozenset(keys)
        ordinals = sorted({ordinal for key in wanted for ordinal in self.stating(key)})
        self.load(ordinals)
        every = ((ordinal, statement) for ordinal in ordinals for statement in self._placed[ordinal])
        return [statement for ordinal, statement in every if self._counts(ordinal, statement, wanted)]

    def _counts(self, ordinal: int, placed: Placed, wanted: Collection[str]) -> bool:
        """Whether the turn of a statement counts both for one of the wanted keys and for the statement's own group."""
        is_wanted = any(key in wanted and ordinal in self.stating(key) for key in placed.found_by())
        return is_wanted and ordinal in self.stating(placed.group)

    def counts(self, placed: Placed, key: str) -> bool:
        """Whether the turn of a statement is among those that count for a key."""
        return self._marks.ordinal(placed.statement.turn) in self.stating(key)

    def stating(self, key: str) -> frozenset[int]:
        """Ordinals of the turns that have a statement with a key, and perhaps of others; at most `MOST_STATING`.

        Of more turns, the `FIRST_STATING` earliest and the latest count: a value that is stated again and again still
        has the time of its first statement, but changes in between are not seen.
        """
        if key not in self._found:
            low, enough = (self._space, key_digest(key)), self._most + len(self._is_changed)
            rows = FACT_PLACES.scan(self._reader, low, low, reverse=True, limit=enough)
            if len(rows) == enough:
                rows += FACT_PLACES.scan(self._reader, low, low, limit=self._first + len(self._is_changed))
            stored = {row.ordinal for row in rows if row.place == STATED}
            every = sorted(stored - self._is_changed | self._news.get(key, set()))
            earliest = len(every) if len(every) <= self._most else self._first
            self._found[key] = frozenset((*every[:earliest], *every[self._first - self._most :]))
        return self._found[key]

    def moved_from(self, before: "StoredStatements", key: str) -> frozenset[int]:
        """Ordinals of the turns that count for a key now and did not before, or the other way round; see `stating`.

        None unless as many turns count as can: of fewer only those differ whose statements changed.
        """
        counting = self.stating(key)
        is_full = len(counting) + len(self._is_changed) >= self._most
        return counting ^ before.stating(key) if is_full else frozenset()

    def placed_at(self, ordinal: int) -> tuple[Placed, ...]:
        """The statements of a turn that may make facts, with their groups."""
        self.load((ordinal,))
        return self._placed[ordinal]

    def by_id(self, ordinal: int) -> dict[str, Statement]:
        """The statements of a turn."""
        self.load((ordinal,))
        return {statement.id: statement for statement in self._said[ordinal]}

    def as_stated(self, placed: Iterable[Placed]) -> dict[str, Statement]:
        """The whole statements, by their ids: one that rejects a value stands in two groups, a part of it in each."""
        turns = {part.statement.id: self._marks.ordinal(part.statement.turn) for part in placed}
        return {name: self.by_id(ordinal)[name] for name, ordinal in turns.items()}

    def load(self, ordinals: Iterable[int]) -> None:
        """Reads the statements of turns that will be asked for."""
        missing = [ordinal for ordinal in ordinals if ordinal not in self._said]
        if not missing:
            return
        self._marks.load(missing)
        statements: dict[int, list[Statement]] = {ordinal: [] for ordinal in missing}
        for row in sorted(rows_of_turns(STATEMENT, self._reader, self._space, statements.keys())):
            if row.ordinal in statements:
                statements[row.ordinal] += statements_of(row, self._marks(row.ordinal))
        self._said.update(statements)
        self._placed.update((ordinal, placed(rows)) for ordinal, rows in statements.items())


def stated(reader: Reader, space: str, ordinal: int, marks: TurnMarks) -> list[Statement]:
    """All that was found in a turn, by maker."""
    rows = STATEMENT.scan(reader, (space, ordinal), (space, ordinal))
    return [statement for row in rows for statement in statements_of(row, marks(ordinal))]


def fact_texts(reader: Reader, space: str, places: Iterable[Place]) -> list[FactText]:
    """The rows at some places, in their order; places without a row are left out."""
    wanted = list(places)
    every = FACT_DATA.get_many(reader, [(space, *place) for place in wanted])
    return [fact_text(place, data) for place, data in zip(wanted, every, strict=True) if data is not None]


def facts_at(reader: Reader, space: str, places: Sequence[Place], marks: TurnMarks | None = None) -> list[Fact]:
    """The facts at some places, without their statements; places without a fact are left out."""
    return facts_of(reader, space, fact_texts(reader, space, places), marks or TurnMarks(reader, space))


def facts_of(reader: Reader, space: str, rows: Sequence[FactText], marks: TurnMarks) -> list[Fact]:
    """The facts of some rows, without their statements."""
    rows_read = facts_data(rows)
    marks.load({ordinal for fact in rows_read for ordinal in fact.turns()})
    bases = _bases(reader, space, rows_read, marks)
    every = ((fact, fact_values(fact, bases.get((fact.ordinal, fact.place)))) for fact in rows_read)
    return [fact_from_values(fact, values, marks) for fact, values in every if values is not None]


class FactSummary(NamedTuple):
    """A fact in a few words, as a link shows it; see `LinkedFact`."""

    id: str
    told: str
    retracted: bool


def summaries_at(reader: Reader, space: str, places: Sequence[Place], marks: TurnMarks) -> dict[Place, FactSummary]:
    """Summaries of the facts at some places; places without a fact are left out."""
    facts = facts_data(fact_texts(reader, space, places))
    marks.load({fact.ordinal for fact in facts})
    bases = _bases(reader, space, facts, marks)
    summaries: dict[Place, FactSummary] = {}
    for fact in facts:
        place = (fact.ordinal, fact.place)
        if (fields := fact_values(fact, bases.get(place))) is not None:
            words = in_few_words(fields["subject"], fields["verb"], fields["object"], fields["scope"], fields["type"])
            summaries[place] = FactSummary(fact_id(marks(fact.ordinal).name, fact.place), words, fields["retracted"])
    return summaries


def _bases(reader: Reader, space: str, facts: Sequence[FactData], marks: TurnMarks) -> dict[Place, StatementData]:
    """The stored fields of the first statements of facts, by the places of the facts."""
    ordinals = {fact.ordinal for fact in facts}
    rows = rows_of_turns(STATEMENT, reader, space, ordinals, close=_CLOSE_STATING)
    return bases_of([row for row in rows if row.ordinal in ordinals], marks)


def facts_of_groups(reader: Reader, space: str, groups: Collection[str], marks: TurnMarks) -> list[Fact]:
    """All facts of some groups of statements, without the statements."""
    stored = StoredStatements(reader, space, marks)
    ordinals = sorted({ordinal for group in groups for ordinal in stored.stating(group)})
    places = sorted(FACT_PLACE.scan_many(reader, [(space, turn_ordinal) for turn_ordinal in ordinals]))
    return [fact for fact in facts_at(reader, space, places, marks) if fact.group in groups]


def places_of(
    reader: Reader, space: str, digest: int, *, reverse: bool = False, limit: int | None = None
) -> list[Place]:
    """Where the facts stand that have a digest, in the order of their turns."""
    rows = FACT_PLACES.scan(reader, (space, digest), (space, digest), reverse=reverse, limit=limit)
    return [(row.ordinal, row.place) for row in rows if row.place != STATED]


def finding_digests(fact: Fact) -> set[int]:
    """What a fact is found by: its subject, its verb, both, its object's terms, a rare status, being a nickname."""
    object_terms = list(dict.fromkeys(terms(fact.object)))[:OBJECT_TERMS]
    head = lemma(head_of(fact.verb))
    digests = {subject_digest(fact.subject), verb_digest(head), pair_digest(fact.subject, head)}
    names = (NICKNAMES,) if fact.slot == "nickname" else ()
    return digests.union(map(term_digest, object_terms), status_digest(fact.status), names)


def head_of(verb: str) -> str:
    """The word of a verb that is inflected, such as "lives" of "lives in"."""
    return verb.partition(" ")[0]


def subject_digest(subject: str) -> int:
    """The digest under which facts about a subject are found."""
    return _digest("subject", subject_key(subject))


def verb_digest(head: str) -> int:
    """The digest under which facts with a verb of this dictionary form are found."""
    return _digest("verb", head)


def pair_digest(subject: str, head: str) -> int:
    """The digest under which facts about a subject with a verb of this dictionary form are found."""
    return _digest("pair", f"{subject_key(subject)}\x1f{head}")


def status_digest(status: FactStatus) -> list[int]:
    """The digests under which facts with a status are found; empty for the two statuses that most facts have."""
    return [] if status in _USUAL else [_digest("status", status)]


def term_digest(term: str) -> int:
    """The digest under which facts whose object contains a term are found."""
    return _digest("term", term)


def key_digest(key: str) -> int:
    """A key of the reducer, 16 hexadecimal digits, as FACT_KEY has it."""
    return int(key[: 2 * _BYTES], 16) - _MIDDLE


def drop_made(tx: Transaction, space: str) -> None:
    """Deletes all facts of a space but not the statements of its turns."""
    for table in (FACT, FACT_KEY, FACT_LINK):
        tx.delete(table.name, (space,), (space,))


def _digest(kind: str, text: str) -> int:
    """Six bytes of a hash. If two texts collide, one more row is read, but no answer changes."""
    hashed = blake2b(f"{kind}\x1f{text}".encode("utf-8", "surrogatepass"), digest_size=_BYTES)
    return int.from_bytes(hashed.digest()) - _MIDDLE


NICKNAMES: Final = _digest("slot", "nickname")
"""What the facts are found by that say what somebody is called."""
