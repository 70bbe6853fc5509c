"""The SIGMA document's registry of a project's overlays: what a turn is met with, conversation with project.

A registry holds the nodes of each overlay as texts, compared by the vectors of one embedder or by words; or it stands
for the projects that a memory is attached to, whose meet is described in docs/meet.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from clew.analyze.novelty import Vector, word_cosine, word_counts
from clew.analyze.overlays import Overlay, meet_scores
from clew.memory.facade import Memory
from clew.models.checked_calls import embed_checked
from clew.models.protocol import Embedder
from clew.rows.lenses import LensBook
from clew.text.terms import terms
from clew.views.sigma_lattice import cosine
from clew.views.typed_arguments import typed_record


@typed_record
@dataclass(frozen=True, slots=True)
class OverlayRegistry:
    """The overlays of a project, ready to be met with turns.

    Attributes:
        query: maps a text and its vector, None without an embedder, to the score of each overlay, 0 to 10; an overlay
            that the text does not meet is absent.
    """

    query: Callable[[str, Vector | None], dict[Overlay, float]]

    @classmethod
    def of(cls, nodes: Mapping[str, Sequence[str]], embedder: Embedder | None = None) -> Self:
        """The registry of an overlay's nodes, each a text: the mean cosine of the three nearest, times ten.

        Args:
            nodes: texts by overlay, by any name of it.
            embedder: the one that turns are analysed with; None compares words.

        Raises:
            InputError: a name is not an overlay's.
            ModelError: the embedder failed.
        """
        texts = [(Overlay.of(name), text) for name, each in nodes.items() for text in each]
        if embedder is None:
            return cls(_by_words(texts))
        vectors = embed_checked(embedder, [text for _, text in texts]) if texts else ()
        return cls(_by_vectors([(overlay, vector) for (overlay, _), vector in zip(texts, vectors, strict=True)]))

    @classmethod
    def of_memory(cls, memory: Memory) -> Self | None:
        """The registry of the projects that a memory is attached to, as they are now; None where there is none."""
        embedder = memory.reads.ranker.serving(memory.reads.live.view())
        model = None if embedder is None else embedder.name
        meet = LensBook(memory.reads.store, memory.space, memory.config.project.overlays, model).meet()
        return None if meet is None else cls(lambda text, vector: meet.scores(terms(text), vector, model))


def _by_words(nodes: Sequence[tuple[Overlay, str]]) -> Callable[[str, Vector | None], dict[Overlay, float]]:
    counted = [(overlay, word_counts(terms(text))) for overlay, text in nodes]

    def query(text: str, _: Vector | None) -> dict[Overlay, float]:
        words = word_counts(terms(text))
        return _met((overlay, word_cosine(words, each)) for overlay, each in counted)

    return query


def _by_vectors(nodes: Sequence[tuple[Overlay, Vector]]) -> Callable[[str, Vector | None], dict[Overlay, float]]:
    def query(_: str, vector: Vector | None) -> dict[Overlay, float]:
        if vector is None:
            return {}
        return _met((overlay, cosine(vector, each)) for overlay, each in nodes)

    return query


def _met(cosines: Iterable[tuple[Overlay, float]]) -> dict[Overlay, float]:
    by_overlay: dict[Overlay, list[float]] = {}
    for overlay, value in cosines:
        by_overlay.setdefault(overlay, []).append(value)
    return meet_scores(by_overlay)
