"""The vocabulary of a space as rows, and what closed beats add to it.

A name is kept in rows of ANNOTATION, owner `tag:<name>`: kind `label` (when it was born, how many beats have it, its
parts) and, where there is an embedder and the name came twice, `vector:<model>`. What leads from name to name is in
LABEL_ALIAS. A name lives as long as there is a row of LABEL with it: forgetting the last takes all of this along.
"""

import json
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.keyphrases import tag_key
from clew.analyze.tags import LOOKBACK, standing
from clew.errors import ModelError
from clew.models.checked_calls import embed_checked
from clew.models.protocol import Embedder
from clew.models.quantize import quantize
from clew.rows.analysis_progress import read_progress
from clew.rows.annotation_codec import analysis_of, analysis_text
from clew.rows.annotations import NAME_OWNER, PROVENANCE, TAG, note_replaced
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import AnalysisRow, AnnotationRow, LabelAliasRow, MetaRow
from clew.store.rows import dumps
from clew.store.selections import LABEL_NAME, LABEL_OWNER, META_VALUE
from clew.store.tables import ANALYSIS, ANNOTATION, LABEL, LABEL_ALIAS, META
from clew.store.turn_selections import TURN_ORDINAL, TURN_PLACES, TURN_TEXT
from clew.store.values import past_prefix
from clew.structure.vocabulary import SPLIT_BEATS, SPLIT_SHARE, LabelEntry, Vocabulary, parts_of
from clew.types.ids import node_id
from clew.types.provenance import Provenance, model_provenance

ALIKE: Final = 2
"""Most labels that a turn gets by its vector alone: the more labels there are, the more are alike by chance."""
LABEL_KIND: Final = "label"
VECTOR_KIND: Final = "vector:"
STATE: Final = "vocabulary"
"""The row of META that counts changes, so that whoever remembers the vocabulary notices others'."""


VERSION: Final = 1

Closing = tuple[int, str, Mapping[str, float]]
"""Ordinal of the turn that closed a beat, the beat, and its labels."""


def read_vocabulary(reader: Reader, space: str, model: str | None) -> tuple[Vocabulary, str | None]:
    """All names, with the vectors of one model; and the row of META as it stands."""
    state = state_of(reader, space)
    members = {} if state is None else json.loads(state)
    said: dict[str, LabelEntry] = {}
    vectors: dict[str, NDArray[np.int8]] = {}
    for row in ANNOTATION.scan(reader, (space, NAME_OWNER), (space, past_prefix(NAME_OWNER))):
        name = row.owner[len(NAME_OWNER) :]
        if row.kind == LABEL_KIND:
            members_of_label = json.loads(row.value)
            parts = tuple(members_of_label.get("parts", ()))
            said[name] = LabelEntry(
                name, members_of_label["born"], members_of_label["beats"], members_of_label.get("again"), parts=parts
            )
        elif model is not None and row.kind == VECTOR_KIND + model:
            vectors[name] = np.frombuffer(b64decode(json.loads(row.value)), np.int8)
    for name, target in aliases_of(reader, space).items():
        if name in said and target in said:
            said[name].target = target
    for name, codes in vectors.items():
        if name in said:
            said[name].codes = codes
    return Vocabulary(said.values(), members.get("beats", 0)), state


def aliases_of(reader: Reader, space: str, namespace: str = TAG) -> dict[str, str]:
    """Which name leads to which."""
    key = (space, namespace)
    return {row.name: row.target for row in LABEL_ALIAS.scan(reader, key, key)}


def model_of(reader: Reader, space: str) -> str | None:
    """Whose vectors the analysis uses; None for words alone."""
    return read_progress(reader, space)[1].model


def state_of(reader: Reader, space: str) -> str | None:
    """The row of META that counts changes; None before the first."""
    return META_VALUE.get(reader, (space, STATE))


def _state_row(tx: Reader, space: str, beats: int) -> MetaRow:
    """The row of META after one more change."""
    state = state_of(tx, space)
    changes = 0 if state is None else json.loads(state)["changes"]
    return MetaRow(space, STATE, dumps({"changes": changes + 1, "beats": beats}))


def put_names(tx: Transaction, space: str, words: Vocabulary, names: Iterable[str]) -> None:
    """Writes what is said of names, and takes out the rows of those that are no more."""
    for name in sorted(names):
        owner, label = (space, NAME_OWNER + name), words.labels.get(name)
        tx.delete("label_alias", (space, TAG, name), (space, TAG, name))
        if label is None:
            tx.delete("annotation", owner, owner)
            continue
        members = {"born": label.born, "beats": label.beats, "again": label.again, "parts": label.parts or None}
        members = {kind: value for kind, value in members.items() if value is not None}
        ANNOTATION.put(tx, [AnnotationRow(*owner, LABEL_KIND, dumps(members), PROVENANCE, VERSION)])
        if label.target is not None:
            LABEL_ALIAS.put(tx, [LabelAliasRow(space, TAG, name, label.target)])
    META.put(tx, [_state_row(tx, space, words.beats)])


def vector_rows(space: str, model: str, words: Vocabulary, names: Iterable[str]) -> list[AnnotationRow]:
    """The vectors of names, as they are kept."""
    rows: list[AnnotationRow] = []
    for name in sorted(names):
        codes = words.labels[name].codes
        if codes is not None:
            value = dumps(b64encode(codes.tobytes()).decode("ascii"))
            maker = model_provenance(model)
            rows.append(AnnotationRow(space, NAME_OWNER + name, VECTOR_KIND + model, value, maker, VERSION))
    return rows


def take_in(reader: Reader, space: str, words: Vocabulary, closed: Sequence[Closing]) -> set[str]:
    """Enters the labels of beats in the order in which those were closed; returns the names that have changed."""
    changed: set[str] = set()
    fresh: dict[str, Sequence[str]] = {}
    for born, node, labels in sorted(closed, key=lambda beat: beat[:2]):
        words.beats += 1
        fresh[node] = tuple(labels)
        for name in labels:
            changed |= words.add(name, born) | {name}
            words.count(name, born)
        for name in labels:
            if _is_milestone(words.labels[name].beats):
                changed |= _split(reader, space, words, words.root(name), fresh)
    return changed


def embed_names(embedder: Embedder, words: Vocabulary) -> tuple[set[str], set[str]]:
    """Gives names without a vector theirs; returns those that got one, and those that have another target by that.

    Raises:
        ModelError: the model does not even embed a plain word.
    """
    names = words.lacking()
    given: set[str] = set()
    changed: set[str] = set()
    for name, codes in zip(names, _codes(embedder, names), strict=True):
        if codes is not None:
            given.add(name)
            changed |= words.give_vector(name, codes)
    return given, changed


def let_go(tx: Transaction, space: str, dropped: Mapping[str, int], beats: int) -> None:
    """Takes back names whose rows of LABEL were just deleted: those that have no others go, from wherever they stand.

    Args:
        dropped: how many beats of each name are gone.
        beats: how many are gone in all.
    """
    if not dropped and not beats:
        return
    model = model_of(tx, space)
    words, _ = read_vocabulary(tx, space, model)
    words.beats = max(0, words.beats - beats)
    gone = set()
    for name, count in dropped.items():
        if name in words.labels:
            words.labels[name].beats = max(0, words.labels[name].beats - count)
        if not tx.count("label", (space, TAG, name), (space, TAG, name), index="name"):
            gone.add(name)
    put_names(tx, space, words, words.drop(gone) | set(dropped))
    if model is not None and gone:
        _take_off(tx, space, ANALYSIS.scan(tx, (space,), (space,)), gone)


def untag(tx: Transaction, space: str, session: str) -> None:
    """Takes the tags off the turns of a session: one that is carried over is a word of the turns before."""
    ordinals = TURN_ORDINAL.scan(tx, (space, session), (space, session))
    rows = ANALYSIS.get_many(tx, [(space, ordinal) for ordinal in ordinals])
    _take_off(tx, space, [row for row in rows if row is not None], None)


def adopt(tx: Transaction, space: str, names: Iterable[tuple[str, int]]) -> None:
    """Enters names that were given otherwise than by a beat, each with the ordinal of the turn that it was given."""
    words, _ = read_vocabulary(tx, space, model_of(tx, space))
    changed: set[str] = set()
    for name, born in names:
        changed |= words.add(name, born)
    if changed:
        put_names(tx, space, words, changed)


def drop_vocabulary(tx: Transaction, space: str) -> None:
    """Takes out every name; the rows of LABEL are the caller's."""
    for row in ANNOTATION.scan(tx, (space, NAME_OWNER), (space, past_prefix(NAME_OWNER))):
        if row.kind == LABEL_KIND or row.kind.startswith(VECTOR_KIND):
            tx.delete("annotation", row[: ANNOTATION.key], row[: ANNOTATION.key])
    tx.delete("label_alias", (space, TAG), (space, TAG))
    tx.delete("meta", (space, STATE), (space, STATE))


def labels_in(tx: Reader, space: str, session: str) -> tuple[Counter[str], int]:
    """How many closed beats of a session have each name, and how many there are."""
    first = node_id(session, "beat", 0).removesuffix("0")
    bounds = (space, first), (space, past_prefix(first))
    rows = LABEL.scan(tx, *bounds)
    names = Counter(row.name for row in rows if row.namespace == TAG and row.provenance != Provenance.USER)
    return names, tx.count("node", *bounds)


def _is_milestone(beats: int) -> bool:
    """Whether a label is looked at for splitting when it has so many beats: 32, 64, 128 and so on."""
    return beats >= SPLIT_BEATS and beats % SPLIT_BEATS == 0 and (beats // SPLIT_BEATS).bit_count() == 1


def _split(reader: Reader, space: str, words: Vocabulary, name: str, fresh: Mapping[str, Sequence[str]]) -> set[str]:
    """Gives a label its parts if it covers too many beats, or takes them back; returns whether that changed it.

    Args:
        fresh: names of the beats that are not stored yet.
    """
    names_by_owner = dict(fresh)
    for form in (form for form in words.labels if words.root(form) == name):
        key = (space, TAG, form)
        for node in LABEL_OWNER.scan(reader, key, key, index="name"):
            names_by_owner[node] = LABEL_NAME.scan(reader, (space, node, TAG), (space, node, TAG))
    roots = ([words.root(each) for each in names] for _, names in sorted(names_by_owner.items()))
    beats = [each for each in roots if name in each]
    parts = parts_of(name, beats) if len(beats) > SPLIT_SHARE * words.beats else ()
    if parts == words.labels[name].parts:
        return set()
    words.labels[name].parts = parts
    return {name}


def _codes(embedder: Embedder, names: Sequence[str]) -> list[NDArray[np.int8] | None]:
    """The vectors of names; None for one that the model cannot do."""
    texts = [name.replace("-", " ") for name in names]
    if not texts:
        return []
    try:
        return list(quantize(embed_checked(embedder, texts))[0])
    except ModelError:
        embed_checked(embedder, ["word"])  # raises when it is the model and not a name
    codes: list[NDArray[np.int8] | None] = []
    for text in texts:
        try:
            codes.append(quantize(embed_checked(embedder, [text]))[0][0])
        except ModelError:
            codes.append(None)  # it is found by its spelling alone
    return codes


def _take_off(tx: Transaction, space: str, rows: Iterable[AnalysisRow], names: set[str] | None) -> None:
    """Takes names off rows of ANALYSIS, all names for None: a turn need not hold the words of its tags.

    A name that a turn says itself, or one from which it may be carried over, stays.
    """
    changed: list[AnalysisRow] = []
    for row in rows:
        said = analysis_of(row.value)
        tags = said.pop("tags", {})
        gone = set(tags) if names is None else names.intersection(tags)
        if names is not None and gone:
            gone -= _said_near(tx, space, row.ordinal, gone)
        if gone:
            left = {name: weight for name, weight in tags.items() if name not in gone}
            changed.append(row._replace(value=analysis_text(said | ({"tags": left} if left else {}))))
    if changed:
        ANALYSIS.put(tx, changed)
        note_replaced(tx, space)


def _said_near(tx: Reader, space: str, ordinal: int, names: set[str]) -> set[str]:
    """Those of some names that stand in a turn or in the few before it."""
    key = (space, ordinal)
    places = TURN_PLACES.scan(tx, key, key, index="ordinal")
    if not places:
        return set()
    ((session, seq),) = places
    near = TURN_TEXT.scan(tx, (space, session, max(0, seq - LOOKBACK)), (space, session, seq))
    keys = {key for text in near for key in standing(text)}
    return {name for name in names if tag_key(name) in keys}
