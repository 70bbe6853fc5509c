"""Compares the labels of a question with those of turns, for the ranker: a `clew.rank.labels.LabelLookup`.

Spellings and aliases of a label count as one. What was read is cached (`clew.recall.annotation_columns`); the
vocabulary changes with each closed beat that has a label, and is then read again.
"""

import sys
import threading
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.keyphrases import tag_key
from clew.analyze.tags import LOOKBACK, STRONG, known_tags, own_tags, union
from clew.index.view import IndexView
from clew.models.quantize import quantize
from clew.rank.intent import Intent
from clew.rank.labels import EmbeddedQuestion, QuestionLabels, TagColumns, Values, generality, overlap
from clew.recall.annotation_columns import AnnotationCache, Table
from clew.rows.annotations import TAG, replaced
from clew.rows.llm_progress import RESPONSE, was_asked
from clew.rows.vocabulary import ALIKE, model_of, read_vocabulary, state_of
from clew.store.protocol import Reader, Store
from clew.store.selections import LABEL_WEIGHTS
from clew.structure.vocabulary import Vocabulary
from clew.types.ids import parse_turn_id

_Made = tuple[object, ...]
"""What columns were made of: the table, the vocabulary, how many turns are read, and how many there are."""

_EVER: Final = sys.maxsize
"""An ordinal behind all turns: a question is asked after all of them."""


class LabelMatcher:
    """Compares the labels of questions with those of one space's turns. Threads may share it."""

    def __init__(self, store: Store, space: str, annotations: AnnotationCache) -> None:
        """Nothing is read before it is asked."""
        self._store, self._space, self._annotations = store, space, annotations
        self._lock = threading.Lock()
        self._words: tuple[object, Vocabulary, str | None] = (None, Vocabulary(), None)
        self._numbers: dict[str, int] = {}  # of keys, in the order in which they came
        self._coded: tuple[Table | None, NDArray[np.int32]] = (None, np.zeros(0, dtype=np.int32))
        self._made: tuple[_Made, TagColumns, Values | None] | None = None

    def __call__(
        self,
        view: IndexView,
        intent: Intent,
        vector: EmbeddedQuestion | None,
        shown: Collection[tuple[str, int]],
        *,
        hubs: bool,
    ) -> QuestionLabels:
        """See `LabelLookup`."""
        with self._store.snapshot() as reader, self._lock:
            words, model = self._vocabulary(reader)
            if vector is not None and vector[0] != model:  # names have vectors of the model that analysed them
                vector = None
            tags = self._columns(reader, view, words)
            general = self._hubs(tags) if hubs else None
            weights = question_labels(intent, words, None if vector is None else vector[1], view.speakers)
            numbers = {name: self._number(words, name) for name in weights}
            active = self._active(view, tags, shown)
            skipped = tuple(sorted(name for name, number in numbers.items() if number in active))
            asked = [name for name in sorted(weights) if name not in skipped]
            given = list(self._given(reader, view, words, asked))
        values, parts = overlap(tags, [(numbers[name], weights[name]) for name in asked], given)
        shares = {name: round(part, 6) for name, part in zip(asked, parts, strict=True) if part > 0}
        return QuestionLabels(shares, skipped, values, general)

    def _vocabulary(self, reader: Reader) -> tuple[Vocabulary, str | None]:
        """All labels with their vectors, and the model of the vectors; read again when they have changed."""
        state = (state_of(reader, self._space), replaced(reader, self._space), model_of(reader, self._space))
        if self._words[0] != state:
            self._words = state, read_vocabulary(reader, self._space, state[2])[0], state[2]
        return self._words[1], self._words[2]

    def _columns(self, reader: Reader, view: IndexView, words: Vocabulary) -> TagColumns:
        """The tags of all turns of a view, by the number of the label that each tag means."""
        size = len(view.turns.ordinal)
        table, final, _ = self._annotations.columns(reader, view, np.arange(size), weighed=False)
        key = (table, words, min(final, size), size)
        if self._made is None or self._made[0] != key:
            numbers, tag_weights, analysed = table.tagged(key[2])
            codes = self._codes(table)
            groups = np.full((size, numbers.shape[1]), -1, dtype=np.int32)
            weights, known = np.zeros(groups.shape), np.zeros(size, dtype=np.bool_)
            groups[: len(numbers)] = self._roots(words)[codes[numbers]]
            weights[: len(numbers)] = tag_weights
            known[: len(numbers)] = analysed
            self._made = key, TagColumns(groups, weights, known), None
        return self._made[1]

    def _hubs(self, tags: TagColumns) -> Values:
        """How general the labels of each turn are; cached together with the columns."""
        key, columns, hubs = self._made or ((), tags, None)
        if hubs is None or columns is not tags:
            hubs = generality(tags)
            self._made = key, tags, hubs
        return hubs

    def _codes(self, table: Table) -> NDArray[np.int32]:
        """The number of the key of each tag name of a table; the last element, which index -1 reads, is -1."""
        if self._coded[0] is not table:  # what was read is read again: names may have gone
            self._numbers, self._coded = {}, (table, np.full(1, -1, dtype=np.int32))
        codes = self._coded[1]
        names = table.names[len(codes) - 1 :]
        if names:
            fresh = [self._numbers.setdefault(tag_key(name), len(self._numbers)) for name in names]
            codes = np.concatenate((codes[:-1], np.array([*fresh, -1], dtype=np.int32)))
            self._coded = table, codes
        return codes

    def _roots(self, words: Vocabulary) -> NDArray[np.int32]:
        """The number of the label that each key means, aliases resolved; the last element, which -1 reads, is -1."""
        roots = np.arange(len(self._numbers) + 1, dtype=np.int32)
        roots[-1] = -1
        for label in words.labels.values():
            if label.target is not None and (number := self._numbers.get(tag_key(label.name))) is not None:
                roots[number] = self._numbers.setdefault(tag_key(words.root(label.name)), len(self._numbers))
        return roots

    def _number(self, words: Vocabulary, name: str) -> int:
        return self._numbers.setdefault(tag_key(words.root(name)), len(self._numbers))

    def _active(self, view: IndexView, tags: TagColumns, shown: Collection[tuple[str, int]]) -> set[int]:
        """The labels of the last turns on the caller's screen (`active_tag_lookback` of the source).

        A label that these turns only inherited from earlier ones is not counted, since nobody talks about it any more.
        """
        newest = sorted(place for place in (view.position(*name) for name in shown) if place is not None)[-LOOKBACK:]
        return set(tags.groups[newest][tags.weights[newest] >= STRONG].tolist()) - {-1}

    def _given(
        self, reader: Reader, view: IndexView, words: Vocabulary, asked: Sequence[str]
    ) -> Iterable[tuple[int, int, float]]:
        """Yields the tags that a model gave to turns, which are stored apart: position, index of the label, weight."""
        if not asked or not was_asked(reader, self._space, RESPONSE):
            return
        forms: dict[str, list[str]] = {}
        for form in words.labels:
            forms.setdefault(words.root(form), []).append(form)
        for place, name in enumerate(asked):
            for form in forms.get(name, ()):
                key = (self._space, TAG, form)
                for row in LABEL_WEIGHTS.scan(reader, key, key, index="name"):
                    if (position := _turn_of(view, row.owner)) is not None:
                        yield position, place, row.weight


def question_labels(
    intent: Intent, words: Vocabulary, vector: NDArray[np.float32] | None, speakers: Sequence[str]
) -> dict[str, float]:
    """The labels of a question, aliases read through: what the inbound tagger gives its text, see docs/tags.md.

    Known labels that are phrases of it or stand in it, and with a vector those that are like it; it invents none. The
    names of speakers are left out: who speaks is told better by `speaker`, and a turn that names somebody is said to
    them by another.
    """
    text = intent.about or intent.text
    own = {name: weight for name, weight in own_tags(text).items() if words.knows(tag_key(name), _EVER)}
    standing = known_tags(text, lambda key: words.knows(key, _EVER), words.heads)
    alike: dict[str, float] = {}
    if vector is not None and np.any(vector):
        alike = words.like(quantize(vector[None])[0][0], _EVER, ALIKE)
    named = {part for code in intent.speakers for part in tag_key(speakers[code]).split("-")}
    weights: dict[str, float] = {}
    for name, weight in union(own, standing, alike).items():
        root = words.root(name)
        if not named.issuperset(tag_key(name).split("-")):
            weights[root] = max(weight, weights.get(root, 0.0))
    return weights


def _turn_of(view: IndexView, owner: str) -> int | None:
    """The position of a turn by its id; None for the id of a beat, and for a turn that is not in the view."""
    session, kind, _ = owner.rsplit(":", 2)
    return view.position(*parse_turn_id(owner)) if session and kind == "turn" else None
