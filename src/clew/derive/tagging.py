"""The tags of turns and the labels of closed beats, made along the analysis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from clew.analyze.tags import LOOKBACK, Tags, known_tags, own_tags, union, with_carried
from clew.derive.branch_state import TurnMaterial
from clew.models.protocol import Embedder
from clew.models.quantize import quantize
from clew.rows.vocabulary import (
    ALIKE,
    Closing,
    embed_names,
    put_names,
    read_vocabulary,
    state_of,
    take_in,
    vector_rows,
)
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import AnnotationRow
from clew.structure.vocabulary import Vocabulary


@dataclass(slots=True)
class VocabularyState:
    """The vocabulary as it is cached between stretches, and what a stretch changes of it.

    Attributes:
        state: the row of META that it was read with.
        changed: names whose rows are to be written.
    """

    vocabulary: Vocabulary
    model: str | None
    state: str | None
    changed: set[str] = field(default_factory=set)
    vectors: list[AnnotationRow] = field(default_factory=list)


def words_of(reader: Reader, space: str, model: str | None, held: VocabularyState | None) -> VocabularyState:
    """The vocabulary: the cached one if the store has not changed it since, else read again."""
    if held is not None and held.model == model and held.state == state_of(reader, space):
        return held
    vocabulary, state = read_vocabulary(reader, space, model)
    return VocabularyState(vocabulary, model, state)


def enter(
    reader: Reader, space: str, words: VocabularyState, closed: Sequence[Closing], embedder: Embedder | None
) -> None:
    """Enters the labels of closed beats, and has new names embedded where that can be done.

    Raises:
        ModelError: the embedder does not even embed a plain word.
    """
    words.changed |= take_in(reader, space, words.vocabulary, closed)
    if embedder is not None and embedder.name == words.model:
        given, moved = embed_names(embedder, words.vocabulary)
        words.changed |= moved
        words.vectors = vector_rows(space, embedder.name, words.vocabulary, given)


def write_words(tx: Transaction, space: str, words: VocabularyState) -> None:
    """Writes what a stretch has changed."""
    if words.changed or words.vectors:
        put_names(tx, space, words.vocabulary, words.changed)
        tx.put("annotation", words.vectors)


def settled(reader: Reader, space: str, words: VocabularyState) -> VocabularyState:
    """The vocabulary after its changes were written, with nothing left to write."""
    return VocabularyState(words.vocabulary, words.model, state_of(reader, space))


def tags_of(item: TurnMaterial, words: Vocabulary) -> dict[str, float]:
    """What both taggers say of a turn by itself: known labels that it speaks of, and its own phrases."""
    born = item.ordinal
    standing = known_tags(item.turn.text, lambda key: words.knows(key, born), words.heads)
    alike: dict[str, float] = {}
    if item.vector is not None and np.any(item.vector):
        alike = words.like(quantize(item.vector[None])[0][0], born, ALIKE)
    return union(own_tags(item.naming), standing, alike)


def tag_along(
    items: Sequence[TurnMaterial], history: Sequence[Tags], words: Vocabulary
) -> tuple[list[Mapping[str, float]], tuple[Tags, ...]]:
    """The tags of turns of one line, with what is carried over; and the history after them.

    Args:
        history: `tags_of` the last turns before, oldest first.
    """
    said: list[Mapping[str, float]] = []
    recent = tuple(history)
    for now in [tags_of(item, words) for item in items]:
        said.append(with_carried(now, recent))
        recent = (*recent, now)[-LOOKBACK:]
    return said, recent
