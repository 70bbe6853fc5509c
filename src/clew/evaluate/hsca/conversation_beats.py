"""Runs conversations through the memory's own rules: turns -> weights and domains -> beats -> frozen beats."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.domains import Evidence, by_domain, evidence_of, evidence_with_vector, shares_of, tags
from clew.analyze.prototypes import Prototypes, prototypes_of
from clew.analyze.weigh import Weighing, weigh
from clew.analyze.words import read
from clew.models.protocol import Embedder
from clew.rank.tuning import StructureParameters
from clew.structure.beats import BeatRule, segment
from clew.structure.common_domains import StretchBeat, stretch_beat
from clew.structure.density import domain_summary
from clew.structure.features import features
from clew.structure.snapshot import BeatMap, Piece, PieceContent, freeze, map_of_turns
from clew.types.chunk import DomainTag

_UNNAMED: Final = (DomainTag.UNCLASSIFIED.value, DomainTag.CROSS_DOMAIN.value)
DEFAULT: Final = StructureParameters()


@dataclass
class ConversationWeigher:
    """Weighs turns by the rules and, if there is one, with an embedder; caches what is the same for a text each time.

    Attributes:
        embedder: None for the rules alone.
        prototypes: of the embedder; made when they are needed if None.
    """

    embedder: Embedder | None = None
    prototypes: Prototypes | None = None
    _vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    _evidence: dict[str, Evidence] = field(default_factory=dict)
    _weighings: dict[tuple[str, int], Weighing] = field(default_factory=dict)

    def vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32] | None]:
        """One vector for each text; None without an embedder.

        Raises:
            ModelError: the embedder failed.
        """
        if self.embedder is None:
            return [None] * len(texts)
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self.embedder.embed(new), strict=True))
        return [self._vectors[text] for text in texts]

    def evidence(self, texts: Sequence[str]) -> list[Evidence]:
        """The evidence for each domain in each text, from rules and, if there is one, its vector.

        Raises:
            ModelError: the embedder failed.
        """
        new = [text for text in dict.fromkeys(texts) if text not in self._evidence]
        found = [evidence_of(read(text)) for text in new]
        if self.embedder is not None:
            prototypes = self.prototypes = self.prototypes or prototypes_of(self.embedder)
            found = [
                rules if vector is None else evidence_with_vector(rules, vector, prototypes)
                for rules, vector in zip(found, self.vectors(new), strict=True)
            ]
        self._evidence.update(zip(new, found, strict=True))
        return [self._evidence[text] for text in texts]

    def weigh(self, texts: Sequence[str], window: int) -> list[Weighing]:
        """Weighs each text by itself, with its vector if there is one.

        Raises:
            ModelError: the embedder failed.
        """
        evidence = self.evidence(texts)
        for text, found in zip(texts, evidence, strict=True):
            if (text, window) not in self._weighings:
                named = shares_of(found)
                self._weighings[text, window] = replace(weigh(text, window), domains=tags(named), domain_weights=named)
        return [self._weighings[text, window] for text in texts]


def beats_of(
    texts: Sequence[str], weigher: ConversationWeigher, parameters: StructureParameters = DEFAULT
) -> tuple[BeatMap, ...]:
    """The frozen beats of a finished conversation; its turns are numbered from 0.

    Raises:
        ModelError: the embedder failed.
    """
    weighings = weigher.weigh(texts, parameters.window)
    evidence = weigher.evidence(texts)
    turns = [
        features(
            text,
            (
                parameters.weight(weighing.layer1.score, weighing.nuance),
                weighing.coherence,
                by_domain(found),
            ),
            seq=seq,
            vector=vector,
        )
        for seq, (text, weighing, found, vector) in enumerate(
            zip(texts, weighings, evidence, weigher.vectors(texts), strict=True)
        )
    ]
    pieces = [
        Piece(
            seq=seq,
            layer1=parameters.weight(weighing.layer1.score, weighing.nuance),
            coherence=weighing.coherence,
            tags=weighing.domains,
            nuance=weighing.nuance,
            short=weighing.layer1.short,
        )
        for seq, weighing in enumerate(weighings)
    ]
    said = [
        PieceContent(read(text), found, turn.terms, turn.vector is not None)
        for text, found, turn in zip(texts, evidence, turns, strict=True)
    ]
    return tuple(
        freeze(
            beat,
            [pieces[seq] for seq in beat.seqs],
            [said[seq] for seq in beat.seqs],
            parameters.window,
            parameters.weight,
        )
        for beat in segment(turns, BeatRule(maturity=parameters.maturity))
    )


def compared(beats: Sequence[BeatMap], texts: Sequence[str], weigher: ConversationWeigher) -> tuple[StretchBeat, ...]:
    """The beats of a conversation as stretches of it are compared, in order; `texts` are its turns.

    Raises:
        ModelError: the embedder failed.
    """
    said = list(zip(texts, weigher.vectors(texts), strict=True))
    return tuple(
        stretch_beat(str(index), beat, [said[piece.seq] for piece in beat.pieces]) for index, beat in enumerate(beats)
    )


def compared_turns(
    beats: Sequence[BeatMap], texts: Sequence[str], weigher: ConversationWeigher, low: int, high: int
) -> tuple[StretchBeat, ...]:
    """The parts of a conversation's beats from turn `low` to before turn `high`, as stretches are compared.

    Raises:
        ModelError: the embedder failed.
    """
    evidence, vectors = weigher.evidence(texts), weigher.vectors(texts)
    found = []
    for index, beat in enumerate(beats):
        pieces = [piece for piece in beat.pieces if low <= piece.seq < high]
        if pieces:
            own = [evidence[piece.seq] for piece in pieces]
            known = [vectors[piece.seq] is not None for piece in pieces]
            part = beat if len(pieces) == len(beat.pieces) else map_of_turns(pieces, own, known, beat.reason)
            said = [(texts[piece.seq], vectors[piece.seq]) for piece in pieces]
            found.append(stretch_beat(f"{index} {low}", part, said))
    return tuple(found)


def domain_shares(pieces: Iterable[Piece]) -> dict[str, float]:
    """The domain summary of pieces by their weights, restricted to named domains."""
    summary = domain_summary((piece.tags, piece.layer1) for piece in pieces)
    return {tag: share for tag, share in summary.items() if tag not in _UNNAMED}


def strongest(shares: Mapping[str, float]) -> str | None:
    """The domain with the largest share, ties by name; None if no domain has a share."""
    named = {tag: share for tag, share in shares.items() if share > 0.0}
    return min(named, key=lambda tag: (-round(named[tag], 6), tag)) if named else None
