"""Freeze a closed beat: what each piece weighs, what the beat is about, how dense it is, which pieces are linked.

What is kept of a beat is weights, not words (HSCA 2.4): a `BeatMap` holds no text. `as_snapshot` joins it with the text
from the log where the HSCA document's own shape is wanted.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt
from typing import Final, Self

from clew.analyze.domains import Evidence, domains_of_beat, states_of_beat
from clew.analyze.layer1 import WINDOW, layer1_of_beat
from clew.analyze.words import Reading
from clew.structure.beats import Beat
from clew.structure.density import domain_summary, macro_weight, normalised
from clew.types.chunk import ContextSnapshot, WeightedChunk
from clew.types.ids import turn_id
from clew.types.record import Record

_DIGITS: Final = 4
LINKS_PER_PIECE: Final = 2
_LEAST_LINK: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece(Record):
    """One turn of a beat with its weights.

    Attributes:
        seq: its place in the session.
        layer1, coherence: 0..1. Layer 1 is the joint score when any piece of the beat is short, and includes the
            learned weights of its nuance flags.
        tags: domain tags, strongest first; those of a short piece take the other short ones into account
            (`domains_of_beat`); `unclassified` when none was named.
        nuance: flags that were found; a missing flag is unknown, not false.
        short: True while the piece is too short to be scored, alone or with the others.
    """

    seq: int
    layer1: float
    coherence: float
    tags: tuple[str, ...]
    nuance: tuple[str, ...] = ()
    short: bool = False


@dataclass(frozen=True, slots=True)
class Link(Record):
    """Two pieces that share terms: the cosine of their terms, times the geometric mean of their layer 1."""

    first: int
    second: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BeatMap(Record):
    """What is kept of a closed beat: weights and sums over them.

    Attributes:
        pieces: in session order.
        macro_weight: mean layer 1, 0..1.
        domain_summary: HSCA's: weight of the pieces with a tag divided by the total weight; may sum to more than 1.
        domains: the domain summary normalised to sum to 1; empty when all weights are 0.
        links: the strongest links between pieces, at most `LINKS_PER_PIECE` for each piece, strongest first.
        reason: what ended the beat.
        states: how well each combination of domains describes it (`domain_states.state_levels`); empty in beats that
            were frozen before this was kept.
    """

    pieces: tuple[Piece, ...]
    macro_weight: float
    domain_summary: dict[str, float]
    domains: dict[str, float]
    links: tuple[Link, ...]
    reason: str
    states: str = ""

    @classmethod
    def made(cls, pieces: tuple[Piece, ...], links: tuple[Link, ...], reason: str, states: str = "") -> Self:
        """The map of weighed pieces, with the sums over them computed."""
        weight, summary, domains = sums_of([(piece.tags, piece.layer1) for piece in pieces])
        return cls(
            pieces=pieces,
            macro_weight=weight,
            domain_summary=summary,
            domains=domains,
            links=links,
            reason=reason,
            states=states,
        )

    @property
    def forced(self) -> bool:
        """Whether the number of turns ended the beat."""
        return self.reason == "forced"


Weight = Callable[[float, Collection[str]], float]
"""Maps layer 1 and nuance flags of a piece to its weight."""


def sums_of(pieces: Sequence[tuple[Sequence[str], float]]) -> tuple[float, dict[str, float], dict[str, float]]:
    """Macro weight, domain summary and domain shares of a beat, from the tags and layer 1 of its pieces."""
    summary = domain_summary(pieces)
    weight = round(macro_weight([layer1 for _, layer1 in pieces]), _DIGITS)
    return weight, _rounded(summary), _rounded(normalised(summary))


def plain_weight(layer1: float, _nuance: Collection[str]) -> float:
    """Layer 1 alone: a flag has no weight until one is learned."""
    return layer1


@dataclass(frozen=True, slots=True)
class PieceContent:
    """The content of a turn, as needed to weigh its beat.

    Attributes:
        reading: its text, split up for weighing.
        evidence: evidence for each domain.
        terms: its most frequent search terms, as `hashed_terms` gives them.
        has_vector: whether the evidence has that of the turn's vector.
    """

    reading: Reading
    evidence: Evidence
    terms: tuple[int, ...]
    has_vector: bool = False


def freeze(
    beat: Beat,
    pieces: Sequence[Piece],
    contents: Sequence[PieceContent],
    window: int = WINDOW,
    weight: Weight = plain_weight,
) -> BeatMap:
    """Weigh a closed beat as a whole. Pure: nothing is stored.

    Args:
        beat: as the segmentation closed it.
        pieces: its turns, each weighed by itself, in order.
        contents: the content of each piece, in the same order.
        window: tokens in the window of layer 1.
        weight: computes the weight of pieces that are weighed jointly; the others already have theirs.
    """
    weighed = _weigh_together(pieces, contents, window, weight)
    return BeatMap.made(
        pieces=tuple(weighed),
        links=_links(weighed, [content.terms for content in contents]),
        reason=beat.reason,
        states=states_of_beat([content.evidence for content in contents], [content.has_vector for content in contents]),
    )


def map_of_turns(
    pieces: Sequence[Piece], evidence: Sequence[Evidence], vectors: Sequence[bool], reason: str
) -> BeatMap:
    """The map of some turns of a beat by themselves, or of turns that no beat has yet; without links.

    Args:
        pieces: the turns, as their beat weighed them.
        evidence: the evidence of each.
        vectors: whether it has that of the turn's vector.
        reason: that of the beat.
    """
    return BeatMap.made(pieces=tuple(pieces), links=(), reason=reason, states=states_of_beat(evidence, vectors))


def as_snapshot(
    node: str, session: str, position: int, beat: BeatMap, texts: Mapping[int, tuple[str, float]]
) -> ContextSnapshot:
    """A frozen beat in the HSCA document's shape.

    Args:
        node: the beat's id, which becomes the snapshot's id and the parent of every chunk.
        session: the session of the beat; part of the chunk ids.
        position: index of the beat in its session, from 0.
        beat: its weights.
        texts: text and time (seconds since 1970) of each turn by its seq. A missing turn was forgotten; its chunk keeps
            only its weights, at time 0.
    """
    chunks = []
    for piece in beat.pieces:
        text, at = texts.get(piece.seq, ("", 0.0))
        chunks.append(
            WeightedChunk(
                chunk_id=turn_id(session, piece.seq),
                text=text,
                layer1_score=piece.layer1,
                domain_tags=list(piece.tags),
                coherence_score=piece.coherence,
                nuance_flags=list(piece.nuance),
                parent_id=node,
                created_at=at,
            )
        )
    return ContextSnapshot(
        snapshot_id=node,
        chunks=chunks,
        macro_weight=beat.macro_weight,
        domain_summary=dict(beat.domain_summary),
        conversation_position=position,
        forced=beat.forced,
        created_at=max((chunk.created_at for chunk in chunks), default=0.0),
    )


def _weigh_together(
    pieces: Sequence[Piece], contents: Sequence[PieceContent], window: int, weight: Weight
) -> list[Piece]:
    """The pieces on one scale: weighed singly, or all jointly when some were too short for that.

    Short pieces are tagged together (`domains_of_beat`).
    """
    short = [place for place, piece in enumerate(pieces) if piece.short]
    if not short:
        return list(pieces)
    tagged = domains_of_beat(
        [contents[place].reading for place in short],
        [contents[place].evidence for place in short],
        [contents[place].has_vector for place in short],
        [pieces[place].tags for place in short],
    )
    tags = dict(zip(short, tagged, strict=True))
    return [
        replace(
            piece,
            layer1=round(weight(joint.score, piece.nuance), _DIGITS),
            short=joint.short,
            tags=tags.get(place, piece.tags),
        )
        for place, (piece, joint) in enumerate(
            zip(pieces, layer1_of_beat([content.reading for content in contents], window), strict=True)
        )
    ]


def _links(pieces: Sequence[Piece], hashes: Sequence[tuple[int, ...]]) -> tuple[Link, ...]:
    links: list[tuple[float, int, int]] = []
    parts = [(piece.seq, piece.layer1, frozenset(each)) for piece, each in zip(pieces, hashes, strict=True)]
    for (one, weighs, mine), (two, other, theirs) in combinations(parts, 2):
        if mine.isdisjoint(theirs):
            continue
        weight = len(mine & theirs) / sqrt(len(mine) * len(theirs)) * sqrt(weighs * other)
        if weight >= _LEAST_LINK:
            links.append((-round(weight, _DIGITS), one, two))
    kept: list[Link] = []
    counts: dict[int, int] = {}
    for weight, one, two in sorted(links):
        if counts.get(one, 0) < LINKS_PER_PIECE and counts.get(two, 0) < LINKS_PER_PIECE:
            kept.append(Link(one, two, -weight))
            for end in (one, two):
                counts[end] = counts.get(end, 0) + 1
    return tuple(kept)


def _rounded(shares: Mapping[str, float]) -> dict[str, float]:
    return {tag: round(share, _DIGITS) for tag, share in shares.items()}
