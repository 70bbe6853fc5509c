"""Moves a space from one embedding model to another: when the new one covers every turn, the old vectors are deleted.

A row of META names the model to which the space was moved last. Several programs may have a home open, some with the
old setting still: one that finds the space moved to a third model since it opened embeds nothing more, so that two
settings do not undo each other's work (docs/decisions/0003).
"""

from typing import Final

from clew.index.segment_kinds import VECTOR_PREFIX, generation
from clew.index.view import IndexView
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import MetaRow
from clew.store.selections import META_VALUE
from clew.store.tables import META

_MODEL: Final = "model"
"""Row of META: the name of the model whose vectors covered the space when it was last moved."""


def current_model(reader: Reader, space: str) -> str | None:
    """The model to which the space was moved last; None while no model has covered it."""
    return META_VALUE.get(reader, (space, _MODEL))


def others(view: IndexView, model: str) -> list[str]:
    """Other models that have vectors, by name."""
    return sorted(set(view.vectors) - {model})


def finish(store: Store, space: str, model: str, view: IndexView) -> bool:
    """Makes a model that covers every turn of a view the only one; returns False if there was nothing to do.

    It also returns False if a turn was added since the view was taken.

    Args:
        view: in which no turn lacks a vector of the model.
    """
    ordinals = view.turns.ordinal
    last, old = int(ordinals[-1]) if len(ordinals) else -1, others(view, model)
    with store.snapshot() as reader:
        if not old and (not len(ordinals) or current_model(reader, space) == model):
            return False

    def move(tx: Transaction) -> bool:
        if tx.count("turn", (space, last + 1), (space,), index="ordinal"):
            return False
        for name in old:
            tx.delete("vector", (space, name), (space, name))
            tx.delete("segment", (space, VECTOR_PREFIX + name), (space, VECTOR_PREFIX + name))
        META.put(tx, [MetaRow(space, _MODEL, model)])
        now = generation(tx, space)
        return tx.compare_and_set("space", (space,), "generation", now, None if now is None else now + 1)

    return store.transaction(move)
