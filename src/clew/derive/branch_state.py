"""One line of a session (its main line or a branch) as the analysis goes along it: what is stored of it, and its state.

A row of META says how far a line is analysed and which turns are in no closed beat. The state itself is only kept in
mind: whoever has not got it reads the last few turns, so that it never disagrees with the log, and costs no disk.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Final, cast

from clew.analyze.domains import Evidence, by_domain, evidence_of, evidence_with_vector, shares_of, tags
from clew.analyze.importance import RoleBaseline
from clew.analyze.keyphrases import KEPT_CHARS, TEXTS_KEPT
from clew.analyze.layer1 import WINDOW
from clew.analyze.novelty import RECENT, Vector
from clew.analyze.prototypes import Prototypes
from clew.analyze.turns import SessionHistory, TurnInput, as_seen
from clew.analyze.weigh import weigh
from clew.analyze.words import Reading, read
from clew.rank.tuning.structure import StructureParameters
from clew.rows.annotations import WEIGHING, said_of
from clew.store.protocol import Reader
from clew.store.rows import TURN_COLUMNS, dumps, turn_from_row
from clew.store.values import Row
from clew.structure.beats import OpenBeat, reopen
from clew.structure.boundary import BEFORE
from clew.structure.cues import cues_of
from clew.structure.features import TurnFeatures, hashed_terms, packed
from clew.structure.snapshot import Piece
from clew.text.terms import terms
from clew.types.ids import branch_key, turn_id
from clew.types.turn import Turn

UNTUNED: Final = StructureParameters()
"""The document's parameters, as long as nothing was learned."""

MARK: Final = "line:"
"""Rows of META with this prefix hold one `Mark` each."""

_PAGE: Final = 64
_SEQ, _BRANCH, _ORIGIN, _TEXT = (TURN_COLUMNS[name] for name in ("seq", "branch", "origin", "text"))


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a line is analysed.

    Attributes:
        next: seq from which on nothing is analysed.
        open: seqs of the turns in no closed beat, in order.
        usual: what turns of each role were like.
    """

    next: int = 0
    open: tuple[int, ...] = ()
    usual: Mapping[str, RoleBaseline] = field(default_factory=dict)

    def to_json(self) -> str:
        """JSON with a fixed form."""
        usual = {role: [each.turns, each.novelty, each.overlays, each.substance] for role, each in self.usual.items()}
        return dumps({"next": self.next, "open": self.open, "usual": usual})

    @classmethod
    def from_json(cls, text: str) -> "Mark":
        """What `to_json` wrote."""
        data = json.loads(text)
        usual = {role: RoleBaseline(*values) for role, values in data["usual"].items()}
        return cls(data["next"], tuple(data["open"]), usual)


@dataclass(frozen=True, eq=False)  # without slots, for what is computed once
class Item:
    """One turn with all that the analysis looks at; `said` is what was weighed of it, by kind.

    Attributes:
        prototypes: of the vector's embedder.
        by: the learned parameters; they make a piece's weight of its layer 1 and its nuance flags.
        weighed: whether there is a row of what rules weigh of it.
    """

    turn: Turn
    seq: int
    said: Mapping[str, Any]
    vector: Vector | None
    prototypes: Prototypes | None = None
    by: StructureParameters = UNTUNED
    weighed: bool = True

    @property
    def name(self) -> str:
        """The turn's id."""
        return turn_id(self.turn.session, self.seq)

    def told(self) -> TurnInput:
        """As the analysis of turns takes it."""
        answers = self.turn.parent or None
        return TurnInput(self.name, self.turn.role, self.turn.text, self.vector, self.terms, answers)

    @cached_property
    def terms(self) -> Sequence[str]:
        """Its search terms."""
        return terms(self.turn.text)

    @cached_property
    def reading(self) -> Reading:
        """Its text, cut up for weighing."""
        return read(self.turn.text)

    @cached_property
    def rules(self) -> Evidence:
        """What its words say for each domain."""
        return evidence_of(self.reading)

    @cached_property
    def evidence(self) -> Evidence:
        """What its words say for each domain, and its vector, where there is one to compare."""
        if self.vector is None or self.prototypes is None:
            return self.rules
        return evidence_with_vector(self.rules, self.vector, self.prototypes)

    @cached_property
    def features(self) -> TurnFeatures:
        """As the search for boundaries takes it."""
        turn = self.turn
        return TurnFeatures(
            seq=self.seq,
            at=turn.at,
            layer1=self.weight,
            coherence=self.value("coherence", 0.0),
            terms=hashed_terms(turn.text, self.terms),
            cues=int(cues_of(turn.text, turn.role, turn.speaker)),
            domains=by_domain(self.rules),
            vector=packed(self.vector),
        )

    def let_go(self) -> None:
        """Drops what takes much memory and can be made again: a turn may stay in an open beat for long."""
        for name in ("reading", "terms"):
            self.__dict__.pop(name, None)

    def piece(self) -> Piece:
        """As a closed beat takes it."""
        return Piece(
            seq=self.seq,
            coherence=self.value("coherence", 0.0),
            layer1=self.weight,
            short=bool(self.value("short_chunk", False)),
            tags=self.tags,
            nuance=tuple(self.value("nuance", ())),
        )

    @property
    def tags(self) -> tuple[str, ...]:
        """Its domain tags: as they were stored, or said again with its vector."""
        if self.vector is None or self.prototypes is None:
            return tuple(self.value("domains", ()))
        return tags(shares_of(self.evidence))

    @cached_property
    def weight(self) -> float:
        """Layer 1 times 1 + w over its nuance flags: what the turn weighs from here on (DESIGN 5.1)."""
        return self.by.weight(self.value("layer1", 0.0), self.value("nuance", ()))

    def value(self, kind: str, missing: Any) -> Any:
        """What is said of the turn under a kind, or `missing`."""
        return self.said.get(kind, missing)


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A line's state after its last analysed turn.

    Attributes:
        turns: those of the open beat, by seq.
        tags: what its last turns are about by themselves, oldest first.
    """

    session: str
    branch: str
    mark: Mark = field(default_factory=Mark)
    before: SessionHistory = field(default_factory=SessionHistory)
    open: OpenBeat = field(default_factory=OpenBeat)
    turns: Mapping[int, Item] = field(default_factory=dict)
    tags: tuple[Mapping[str, float], ...] = ()

    @property
    def key(self) -> str:
        """Name of the line's row in META."""
        return mark_name(self.session, self.branch)


def mark_name(session: str, branch: str) -> str:
    """Name of the row of META that holds a line's mark."""
    return MARK + branch_key(session, branch)


def read_mark(reader: Reader, space: str, session: str, branch: str) -> tuple[Mark, str] | tuple[None, None]:
    """The mark of a line and the text it is kept as; None for a line that was never analysed."""
    row = reader.get("meta", (space, mark_name(session, branch)))
    return (None, None) if row is None else (Mark.from_json(cast(str, row[2])), cast(str, row[2]))


def turn_of(row: Row) -> Turn:
    """The turn of a row; a short one is remembered for a stretch, which the stages behind the acknowledgement share."""
    return _turn_of(row) if len(cast(str, row[_TEXT])) <= KEPT_CHARS else turn_from_row(row)


_turn_of = lru_cache(maxsize=TEXTS_KEPT)(turn_from_row)


def items_of(
    reader: Reader,
    space: str,
    rows: Iterable[Row],
    vectors: Mapping[int, Vector],
    prototypes: Prototypes | None = None,
    by: StructureParameters = UNTUNED,
) -> list[Item]:
    """Rows of TURN with what is said of them; turns that are no memory of their own are left out.

    Args:
        vectors: by ordinal.
        prototypes: of the vectors' embedder; with both the domains of a turn are said again.
        by: learned parameters; with another window than the document's layer 1 is said again, see `weighed_again`.
    """
    turns = [turn for turn in map(turn_of, rows) if turn.origin != "injected"]
    weighed = said_of(reader, space, WEIGHING, [cast(int, turn.ordinal) for turn in turns])
    items = []
    for turn, held in zip(turns, weighed, strict=True):
        said = weigh(turn.text).annotations() if held is None else held
        vector = vectors.get(cast(int, turn.ordinal))
        if by.window != WINDOW:
            said |= weighed_again(turn.text, by.window)
        items.append(Item(turn, cast(int, turn.seq), said, vector, prototypes, by, weighed=held is not None))
    return items


def weighed_again(text: str, window: int) -> dict[str, Any]:
    """Layer 1 of a turn with a learned window, by annotation kind; `layer1:window` tells with which."""
    said = weigh(text, window).annotations()
    return {kind: value for kind, value in said.items() if kind.startswith("layer1")} | {"layer1:window": window}


def rows_to_replay(reader: Reader, space: str, session: str, branch: str, mark: Mark) -> list[Row]:
    """The last analysed turns of a line, as many as its state depends on, in order."""
    wanted = max(RECENT, len(mark.open) + BEFORE)
    found: list[Row] = []
    end = mark.next - 1
    while end >= 0 and len(found) < wanted:
        page = reader.scan("turn", (space, session), (space, session, end), limit=_PAGE, reverse=True)
        found += [row for row in page if row[_BRANCH] == branch and row[_ORIGIN] != "injected"]
        end = -1 if len(page) < _PAGE else cast(int, page[-1][_SEQ]) - 1
    return found[:wanted][::-1]


def replay(line: Line, items: Sequence[Item]) -> Line:
    """The line's state, made again from the turns that `rows_to_replay` names."""
    since = [item for item in items if item.seq in line.mark.open]
    before = [item for item in items if not since or item.seq < since[0].seq]
    return replace(
        line,
        before=SessionHistory(tuple(as_seen(item.told()) for item in items[-RECENT:]), line.mark.usual),
        open=reopen([item.features for item in before[-BEFORE:]], [item.features for item in since]),
        turns={item.seq: item for item in since},
    )
