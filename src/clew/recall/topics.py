"""The topics of a space, each with a summary: its labels, and the renderings made for them."""

from collections.abc import Sequence
from typing import Final

from clew.condense.renderings import Rendering
from clew.recall.label_index import label_counts, marked
from clew.rows.annotations import NAME_OWNER, TAG
from clew.rows.renderings import renderings_of
from clew.rows.vocabulary import read_vocabulary
from clew.store.protocol import Reader
from clew.structure.vocabulary import Vocabulary
from clew.types.labels import LabelCount, Topic

_KINDS: Final = ("salient", "digest", "title")


def topics_of(reader: Reader, space: str, names: Sequence[str] | None, limit: int | None) -> list[Topic]:
    """The topics with these names, or else all of them, the most frequent first."""
    counted = label_counts(reader, space, TAG)
    wanted = None if names is None else set(names)
    chosen = [label for label in counted if wanted is None or wanted & {label.name, *label.aliases}][:limit]
    nodes = _rendered_nodes(reader, space, chosen)
    texts = zip(*(renderings_of(reader, space, nodes, kind) for kind in _KINDS), strict=True)
    return [
        Topic(
            label.name,
            label.count,
            label.aliases,
            *("" if rendering is None else rendering.text for rendering in renderings),
        )
        for label, renderings in zip(chosen, texts, strict=True)
    ]


def _rendered_nodes(reader: Reader, space: str, labels: Sequence[LabelCount]) -> list[str]:
    """For each label the node whose renderings describe it: the label's own, or its weightiest beat."""
    nodes = [NAME_OWNER + label.name for label in labels]
    own: list[Rendering | None] = renderings_of(reader, space, nodes, "title")
    if None not in own:
        return nodes
    words = read_vocabulary(reader, space, None)[0]
    return [
        node if rendering is not None else _weightiest(reader, space, label.name, words) or node
        for node, rendering, label in zip(nodes, own, labels, strict=True)
    ]


def _weightiest(reader: Reader, space: str, name: str, words: Vocabulary) -> str | None:
    titled = [mark for mark in marked(reader, space, name, TAG, words) if mark.title is not None]
    return min(titled, key=lambda mark: (-mark.weight, mark.ref)).ref if titled else None
