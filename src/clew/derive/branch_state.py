"""One branch of a session (its main line is the branch without a name) as the analysis goes along it.

A row of META says how far a branch is analysed and which turns are in no closed beat. The state itself is cached in
memory only: a worker that does not have it reads the last few turns again (`rows_to_replay`, `replay`), so the state
never disagrees with the log and takes no disk.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Final

from clew.analyze.domains import Evidence, by_domain, evidence_of, evidence_with_vector, shares_of, tags
from clew.analyze.importance import ImportanceSpread, RoleBaseline
from clew.analyze.keyphrases import KEPT_CHARS, TEXTS_KEPT
from clew.analyze.layer1 import WINDOW
from clew.analyze.naming import naming_text
from clew.analyze.novelty import RECENT, Vector
from clew.analyze.prototypes import Prototypes
from clew.analyze.turns import SessionHistory, TurnInput, as_seen
from clew.analyze.weigh import weigh, weigh_read
from clew.analyze.words import ANALYSED_CHARACTERS, Reading, read
from clew.rank.tuning.structure import StructureParameters
from clew.rows.annotation_codec import weighing_text
from clew.rows.annotations import weighing_made, weighing_values
from clew.store.protocol import Reader
from clew.store.row_types import TurnRow
from clew.store.rows import dumps, turn_from_row, turns_from_rows
from clew.store.selections import META_VALUE
from clew.store.tables import TURN
from clew.structure.beats import OpenBeat, reopen
from clew.structure.boundary import BEFORE
from clew.structure.cues import cues_of
from clew.structure.features import TurnFeatures, hashed_terms, packed, speaker_code
from clew.structure.snapshot import Piece
from clew.text.terms import terms
from clew.types.ids import branch_key, turn_id
from clew.types.turn import Turn

UNTUNED: Final = StructureParameters()
"""The document's parameters, as long as nothing was learned."""

MARK: Final = "line:"
"""Rows of META with this prefix hold one `BranchMark` each."""

BEAT_CHARS: Final = ANALYSED_CHARACTERS
"""Characters of a turn that its beat is made of: as many as are weighed, and as phrases are looked for in."""

_PAGE: Final = 64


@dataclass(frozen=True, slots=True)
class BranchMark:
    """How far a branch is analysed.

    Attributes:
        next: seq from which on nothing is analysed.
        open: seqs of the turns in no closed beat, in order.
        usual: averages over the turns of each role.
        margin: how far the threshold of paradigm shifts has moved.
        spread: of the importance of all turns.
        heard: in a meeting, its length before the open beat (`OpenBeat.heard`).
        since: seq from which the branch started over, because rules failed on its state; nothing before it is looked
            at.
    """

    next: int = 0
    open: tuple[int, ...] = ()
    usual: Mapping[str, RoleBaseline] = field(default_factory=dict)
    margin: float = 0.0
    spread: ImportanceSpread = field(default_factory=ImportanceSpread)
    heard: int | None = None
    since: int = 0

    def to_json(self) -> str:
        """JSON with a fixed form."""
        usual = {role: [each.turns, each.novelty, each.overlays, each.substance] for role, each in self.usual.items()}
        spread = [self.spread.turns, self.spread.total, self.spread.squares]
        shift = {"margin": self.margin, "spread": spread}
        meeting = {} if self.heard is None else {"heard": self.heard}
        anew = {"since": self.since} if self.since else {}
        return dumps({"next": self.next, "open": self.open, "usual": usual} | shift | meeting | anew)

    @classmethod
    def from_json(cls, text: str) -> "BranchMark":
        """Reads what `to_json` wrote."""
        data = json.loads(text)
        usual = {role: RoleBaseline(*values) for role, values in data["usual"].items()}
        spread = ImportanceSpread(*data.get("spread", ()))
        shift = data.get("margin", 0.0), spread
        return cls(data["next"], tuple(data["open"]), usual, *shift, data.get("heard"), data.get("since", 0))


@dataclass(frozen=True, eq=False)  # without slots, for what is computed once
class TurnMaterial:
    """One turn with all that the analysis looks at.

    Attributes:
        annotations: what rules weigh of the turn alone, by kind.
        prototypes: those of the vector's embedder.
        by: the learned parameters; they make a piece's weight of its layer 1 and its nuance flags.
        weighed: whether the annotations are stored as a row of WEIGHING.
    """

    turn: Turn
    seq: int
    ordinal: int
    annotations: Mapping[str, Any]
    vector: Vector | None
    prototypes: Prototypes | None = None
    by: StructureParameters = UNTUNED
    weighed: bool = True

    @property
    def name(self) -> str:
        """The turn's id."""
        return turn_id(self.turn.session, self.seq)

    def analysis_input(self) -> TurnInput:
        """The turn as `analyze_turn` takes it."""
        answers = self.turn.parent or None
        return TurnInput(self.name, self.turn.role, self.turn.text, self.vector, self.terms, answers)

    @property
    def weighing(self) -> str:
        """The annotations as a row of WEIGHING has them: with the document's window."""
        return weighing_text(self.annotations) if self.by.window == WINDOW else weighing_made(self.turn.text)

    @cached_property
    def naming(self) -> str:
        """The part of the turn's text from which labels and titles are made."""
        return naming_text(self.turn)

    @cached_property
    def terms(self) -> Sequence[str]:
        """The turn's search terms."""
        return terms(self.turn.text)

    @cached_property
    def reading(self) -> Reading:
        """The turn's text, cut up for weighing."""
        return read(self.turn.text)

    @cached_property
    def rules(self) -> Evidence:
        """The evidence of the turn's words for each domain."""
        return evidence_of(self.reading)

    @cached_property
    def evidence(self) -> Evidence:
        """The evidence of words and vector for each domain; of words alone where there is no vector to compare."""
        if self.vector is None or self.prototypes is None:
            return self.rules
        return evidence_with_vector(self.rules, self.vector, self.prototypes)

    @cached_property
    def features(self) -> TurnFeatures:
        """The turn as the search for boundaries takes it."""
        turn = self.turn
        return TurnFeatures(
            seq=self.seq,
            at=turn.at,
            layer1=self.weight,
            coherence=self.value("coherence", 0.0),
            terms=hashed_terms(turn.text, self.terms),
            cues=int(cues_of(turn.text, turn.role)),
            domains=by_domain(self.evidence),
            vector=packed(self.vector),
            speaker=speaker_code(turn.speaker),
        )

    def for_open_beat(self) -> "TurnMaterial":
        """The material without what takes much memory and can be made again: a turn may stay in an open beat for long.

        Of a long turn the part that its beat is made of is kept, which is read no further.
        """
        for name in ("reading", "terms"):
            vars(self).pop(name, None)
        if len(self.turn.text) <= BEAT_CHARS:
            return self
        made = {"features": self.features, "naming": self.naming[:BEAT_CHARS], "rules": self.rules}
        short = replace(self, turn=replace(self.turn, content=self.turn.text[:BEAT_CHARS], text=""))
        vars(self).pop("reading", None)
        vars(short).update(made)
        return short

    def piece(self) -> Piece:
        """The turn as a closed beat takes it."""
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
        """The turn's domain tags: as they are stored, or made again with its vector."""
        if self.vector is None or self.prototypes is None:
            return tuple(self.value("domains", ()))
        return tags(shares_of(self.evidence))

    @cached_property
    def weight(self) -> float:
        """Layer 1 times 1 + w over its nuance flags: what the turn weighs from here on."""
        return self.by.weight(self.value("layer1", 0.0), self.value("nuance", ()))

    def value(self, kind: str, missing: Any) -> Any:
        """The annotation of a kind, or `missing`."""
        return self.annotations.get(kind, missing)


@dataclass(frozen=True, slots=True, eq=False)
class BranchState:
    """A branch's state after its last analysed turn.

    Attributes:
        turns: those of the open beat, by seq.
        tags: the tags of its last turns by themselves, oldest first.
    """

    session: str
    branch: str
    mark: BranchMark = field(default_factory=BranchMark)
    before: SessionHistory = field(default_factory=SessionHistory)
    open: OpenBeat = field(default_factory=OpenBeat)
    turns: Mapping[int, TurnMaterial] = field(default_factory=dict)
    tags: tuple[Mapping[str, float], ...] = ()

    @property
    def key(self) -> str:
        """Name of the branch's row in META."""
        return mark_name(self.session, self.branch)


def mark_name(session: str, branch: str) -> str:
    """Name of the row of META that holds a branch's mark."""
    return MARK + branch_key(session, branch)


def read_branch_mark(
    reader: Reader, space: str, session: str, branch: str
) -> tuple[BranchMark, str] | tuple[None, None]:
    """The mark of a branch and the text as which it is stored; None for a branch that was never analysed."""
    text = META_VALUE.get(reader, (space, mark_name(session, branch)))
    return (None, None) if text is None else (BranchMark.from_json(text), text)


def turn_of(row: TurnRow) -> Turn:
    """The turn of a row; a short one is cached for a stretch, which the stages in the background share."""
    return _turn_of(row) if len(row.text) <= KEPT_CHARS else turn_from_row(row)


_turn_of = lru_cache(maxsize=TEXTS_KEPT)(turn_from_row)


def materials_of(
    reader: Reader,
    space: str,
    rows: Iterable[TurnRow],
    vectors: Mapping[int, Vector],
    prototypes: Prototypes | None = None,
    by: StructureParameters = UNTUNED,
) -> list[TurnMaterial]:
    """Rows of TURN with their annotations; text that Clew injected is left out, since it is not memory of its own.

    Args:
        vectors: by ordinal.
        prototypes: those of the vectors' embedder; with both the domains of a turn are made again.
        by: learned parameters; with another window than the document's, layer 1 is made again, see `weighed_again`.
    """
    own = [row for row in rows if row.origin != "injected"]
    turns = turns_from_rows(own)
    stored = weighing_values(reader, space, [row.ordinal for row in own])
    lacking = [place for place, weighing in enumerate(stored) if weighing is None]
    readings = [read(turns[place].text) for place in lacking]
    evidence = [evidence_of(reading) for reading in readings]
    weighed = dict(zip(lacking, zip(readings, evidence, weigh_read(readings, evidence), strict=True), strict=True))
    items = []
    for place, (row, turn, weighing) in enumerate(zip(own, turns, stored, strict=True)):
        made: dict[str, Any] = {}
        if weighing is None:
            made["reading"], made["rules"], weights = weighed[place]
            annotations = dict(weights.annotations())
        else:
            annotations = weighing
        if by.window != WINDOW:
            annotations |= weighed_again(turn.text, by.window)
        item = TurnMaterial(
            turn,
            row.seq,
            row.ordinal,
            annotations,
            vectors.get(row.ordinal),
            prototypes,
            by,
            weighed=weighing is not None,
        )
        vars(item).update(made)  # the words are not read twice
        items.append(item)
    return items


def weighed_again(text: str, window: int) -> dict[str, Any]:
    """Layer 1 of a turn with a learned window, by annotation kind; `layer1:window` tells with which."""
    annotations = weigh(text, window).annotations()
    layer1 = {kind: value for kind, value in annotations.items() if kind.startswith("layer1")}
    return layer1 | {"layer1:window": window}


def rows_to_replay(
    reader: Reader, space: str, session: str, branch: str, mark: BranchMark, aside: frozenset[int] = frozenset()
) -> list[TurnRow]:
    """The last analysed turns of a branch, as many as its state depends on, in order.

    Args:
        aside: ordinals of turns that were set aside.
    """
    wanted = max(RECENT, len(mark.open) + BEFORE)
    rows: list[TurnRow] = []
    end = mark.next - 1
    low = (space, session, mark.since) if mark.since else (space, session)
    while end >= mark.since and len(rows) < wanted:
        page = TURN.scan(reader, low, (space, session, end), limit=_PAGE, reverse=True)
        own = (row for row in page if row.branch == branch and row.origin != "injected")
        rows += [row for row in own if row.ordinal not in aside]
        end = -1 if len(page) < _PAGE else page[-1].seq - 1
    return rows[:wanted][::-1]


def replay(state: BranchState, items: Sequence[TurnMaterial]) -> BranchState:
    """The branch's state, made again from the turns that `rows_to_replay` names."""
    since = [item for item in items if item.seq in state.mark.open]
    before = [item for item in items if not since or item.seq < since[0].seq]
    return replace(
        state,
        before=SessionHistory(
            tuple(as_seen(item.analysis_input()) for item in items[-RECENT:]),
            state.mark.usual,
            state.mark.margin,
            state.mark.spread,
        ),
        open=reopen([item.features for item in before[-BEFORE:]], [item.features for item in since], state.mark.heard),
        turns={item.seq: item for item in since},
    )
