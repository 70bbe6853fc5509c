"""The SIGMA document's data structures, with its names, fields and defaults; times in milliseconds since 1970."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self, get_args

from clew.analyze.overlays import Overlay
from clew.condense.mode import Mode
from clew.errors import InputError, shown
from clew.rows.provider_sessions import Reason
from clew.types.record import Record
from clew.views.sigma_checks import check_fields, check_one_of, check_range, check_tokens, take_lists
from clew.views.typed_arguments import typed, typed_record

Role = Literal["user", "assistant"]
EdgeType = Literal["conversation_reference", "semantic_similarity", "temporal"]
Class = Literal["preserved", "summarized", "compressed"]
"""How much of a turn a compressed lattice holds: all, its most informative sentences, or a tenth."""

NODE_TYPE: Final = "conversation_turn"


@dataclass(frozen=True, slots=True)
class OverlayScores(Record):
    """The seven overlay scores, 0 to 10. The document has no absent score: an overlay without evidence is 0."""

    O1_structural: float = 0.0
    O2_security: float = 0.0
    O3_lineage: float = 0.0
    O4_mission: float = 0.0
    O5_operational: float = 0.0
    O6_mathematical: float = 0.0
    O7_coherence: float = 0.0

    @classmethod
    @typed
    def of(cls, scores: Mapping[str, float]) -> Self:
        """From scores by any name of an overlay, including `O7_strategic`.

        Raises:
            InputError: a name is not an overlay's.
        """
        return cls(**{Overlay.of(name).value: float(score) for name, score in scores.items()})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict`, or a program that says `O7_strategic`, wrote; other unknown keys are ignored.

        Raises:
            InputError: the record is not a mapping, or a score is not a number.
        """
        if isinstance(data, Mapping) and "O7_strategic" in data:
            data = {"O7_coherence": data["O7_strategic"], **data}
        scores = super(OverlayScores, cls).from_dict(data)
        for name in cls.__slots__:
            score = getattr(scores, name)
            if isinstance(score, bool) or not isinstance(score, int | float):
                raise InputError(f"OverlayScores: {name} is {shown(score)}; expected a number from 0 to 10")
        return scores


@typed_record
@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationTurn(Record):
    """One message, before it is analysed."""

    id: str
    role: Role
    content: str
    timestamp: int

    def __post_init__(self) -> None:
        check_fields(self, ("id", "role", "content"), ("timestamp",))

    @classmethod
    def at(cls, timestamp: int, role: Role, content: str) -> Self:
        """A turn with the document's id, `turn-{timestamp}`."""
        return cls(id=f"turn-{timestamp}", role=role, content=content, timestamp=timestamp)


def _take_scores(record: "TurnAnalysis | ConversationNode") -> None:
    """Makes `OverlayScores` of a mapping, and numbers of a vector of any library's."""
    scores: object = record.overlay_scores
    if isinstance(scores, Mapping):
        object.__setattr__(record, "overlay_scores", OverlayScores.of(scores))
    if not isinstance(record.overlay_scores, OverlayScores):
        raise InputError(f"overlay_scores is {shown(scores)}; expected scores by the names of overlays")
    vector: object = record.embedding
    if not isinstance(vector, tuple):
        try:
            object.__setattr__(record, "embedding", tuple(map(float, record.embedding)))
        except (TypeError, ValueError) as error:
            raise InputError(f"embedding is {shown(vector)}; expected numbers, none without an embedder") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAnalysis(Record):
    """One message and its analysis against the messages before it; lists and a mapping of scores are taken as well.

    Attributes:
        embedding: empty when there is no embedder.
        novelty: 0 to 1; 0.5 without history.
        importance_score: 1 to 10.
        is_paradigm_shift: novelty over 0.7, and important (the document's stage 3).
        is_routine: importance under 3.
    """

    turn_id: str
    content: str
    role: Role
    timestamp: int
    embedding: tuple[float, ...]
    novelty: float
    overlay_scores: OverlayScores
    importance_score: float
    is_paradigm_shift: bool
    is_routine: bool
    references: tuple[str, ...] = ()
    semantic_tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _take_scores(self)
        take_lists(self, "references", "semantic_tags")
        check_fields(self, ("turn_id", "role", "content"), ("timestamp", "novelty", "importance_score"))
        check_one_of(self, "role", get_args(Role))


@dataclass(frozen=True, slots=True)
class Classification(Record):
    """How a compression classifies turns; a discarded turn gets no node."""

    preserved: tuple[TurnAnalysis, ...] = ()
    summarized: tuple[TurnAnalysis, ...] = ()
    discarded: tuple[TurnAnalysis, ...] = ()

    def __post_init__(self) -> None:
        take_lists(self, *self.__slots__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationNode(Record):
    """A turn in the lattice.

    Attributes:
        content: the whole text; in a compressed lattice what its class leaves of it.
        compression: its class in a compressed lattice; None in another one.
    """

    id: str
    turn_id: str
    role: Role
    content: str
    timestamp: int
    embedding: tuple[float, ...]
    novelty: float
    overlay_scores: OverlayScores
    importance_score: float
    is_paradigm_shift: bool
    semantic_tags: tuple[str, ...] = ()
    type: str = NODE_TYPE
    compression: Class | None = None

    def __post_init__(self) -> None:
        _take_scores(self)
        take_lists(self, "semantic_tags")
        check_fields(self, ("id", "turn_id", "role", "content"), ("timestamp", "novelty", "importance_score"))
        check_one_of(self, "role", get_args(Role))
        if not all(isinstance(tag, str) for tag in self.semantic_tags):
            raise InputError(f"ConversationNode: semantic_tags is {shown(self.semantic_tags)}; expected texts")


@dataclass(frozen=True, slots=True)
class ConversationEdge:
    """A relation between two turns; in JSON its ends are `from` and `to`.

    Attributes:
        weight: 0 to 1.
    """

    from_turn: str
    to_turn: str
    type: EdgeType
    weight: float

    def __post_init__(self) -> None:
        check_fields(self, ("from_turn", "to_turn"), ("weight",))
        check_one_of(self, "type", get_args(EdgeType))
        check_range(self, 0, 1, "weight")

    def to_dict(self) -> dict[str, Any]:
        """The fields with the document's names."""
        return {"from": self.from_turn, "to": self.to_turn, "type": self.type, "weight": self.weight}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Reads what `to_dict` wrote.

        Raises:
            InputError: a field is missing or has another value than it may have, or the record is not a mapping.
        """
        try:
            return cls(str(data["from"]), str(data["to"]), data["type"], float(data["weight"]))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"the edge {shown(data, 200)} cannot be read; expected from, to, type and weight"
            ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class LatticeMetadata(Record):
    """What a lattice was made from.

    Attributes:
        compression_ratio: original turns per kept turn; of a compressed lattice, tokens before by tokens after; 1 when
            none is kept.
        mode: of a compressed lattice: quest or chat, decided by its whole turns.
    """

    created_at: int
    original_turn_count: int
    compressed_turn_count: int
    compression_ratio: float
    session_id: str | None = None
    mode: Mode | None = None


@dataclass(frozen=True, slots=True)
class ConversationLattice:
    """Turns and their relations; nodes in the order of time."""

    nodes: tuple[ConversationNode, ...]
    edges: tuple[ConversationEdge, ...]
    metadata: LatticeMetadata

    def __post_init__(self) -> None:
        take_lists(self, "nodes", "edges")

    def to_dict(self) -> dict[str, Any]:
        """As `{session}.lattice.json` holds it."""
        return {
            "nodes": [node.to_dict() for node in self.nodes],
            "edges": [edge.to_dict() for edge in self.edges],
            "metadata": self.metadata.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Reads what `to_dict` wrote.

        Raises:
            InputError: a part is missing or has another form.
        """
        try:
            nodes, edges, metadata = data["nodes"], data["edges"], data["metadata"]
            return cls(
                tuple(ConversationNode.from_dict(node) for node in nodes),
                tuple(ConversationEdge.from_dict(edge) for edge in edges),
                LatticeMetadata.from_dict(metadata),
            )
        except (KeyError, TypeError) as error:
            raise InputError("the lattice cannot be read; expected nodes, edges and metadata") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition(Record):
    """One transition from one provider session to the next."""

    old_session: str
    new_session: str
    timestamp: int
    reason: Reason
    token_count_at_compression: int | None = None

    def __post_init__(self) -> None:
        check_fields(self, ("old_session", "new_session", "reason"), ("timestamp",))
        check_tokens(self.token_count_at_compression)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStats(Record):
    """Counts over a session; the averages are texts, `0.XXX` and `X.X`."""

    total_turns_analyzed: int = 0
    paradigm_shifts: int = 0
    routine_turns: int = 0
    avg_novelty: str = "0.000"
    avg_importance: str = "0.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState(Record):
    """One conversation over all of the provider's sessions that it spans: `{anchor_id}.state.json`."""

    anchor_id: str
    current_session: str
    created_at: int
    last_updated: int
    compression_history: tuple[Transition, ...] = ()
    stats: SessionStats = field(default_factory=SessionStats)

    def __post_init__(self) -> None:
        take_lists(self, "compression_history")
        check_fields(self, ("anchor_id", "current_session"), ("created_at", "last_updated"))
        if not self.anchor_id:
            raise InputError("SessionState: anchor_id is empty; expected the name of the conversation")
        if not all(isinstance(step, Transition) for step in self.compression_history):
            raise InputError(f"SessionState: compression_history is {shown(self.compression_history)}; expected steps")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressionResult:
    """What a compression made: the lattice, and the ids of its turns by class.

    Attributes:
        compressed_turns: routine turns that are kept at a tenth of their tokens.
        discarded_turns: routine turns for which the target had no room; they are in no node.
        original_tokens, compressed_tokens: of the contents, by `counter`.
        compression_ratio: the first by the second; 1 when nothing is left.
    """

    lattice: ConversationLattice
    preserved_turns: tuple[str, ...]
    summarized_turns: tuple[str, ...]
    compressed_turns: tuple[str, ...]
    discarded_turns: tuple[str, ...]
    original_tokens: int
    compressed_tokens: int
    compression_ratio: float
    counter: str

    def to_dict(self) -> dict[str, Any]:
        """The fields by name."""
        named = {name: getattr(self, name) for name in self.__slots__ if name != "lattice"}
        return {
            "lattice": self.lattice.to_dict(),
            **{name: list(value) if isinstance(value, tuple) else value for name, value in named.items()},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Reads what `to_dict` wrote.

        Raises:
            InputError: a part is missing or has another form.
        """
        try:
            given = {name: data[name] for name in cls.__slots__}
            lattice = ConversationLattice.from_dict(given.pop("lattice"))
            told: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
            }
            return cls(lattice=lattice, **told)
        except (KeyError, TypeError) as error:
            raise InputError(f"the compression cannot be read; expected {', '.join(cls.__slots__)}") from error
