"""Stores the prototypes of domains for an embedder, so that all turns of a space are compared with the same ones."""

import json
from base64 import b64decode, b64encode
from typing import Final

import numpy as np

from clew.analyze.prototypes import Prototypes, learned_prototypes, prototypes_name, prototypes_of
from clew.models.protocol import Embedder
from clew.models.quantize import dequantize, quantize
from clew.store.protocol import Reader, Store
from clew.store.row_types import MetaRow
from clew.store.rows import dumps
from clew.store.selections import META_VALUE
from clew.store.tables import META

KEPT: Final = "prototypes:"
"""Rows of META with this prefix hold an embedder's prototypes, as int8 numbers."""


def read_prototypes(reader: Reader, space: str, model: str) -> Prototypes | None:
    """Those that come with the package, or are kept; None when there are none of the model and none were made."""
    if (learned := learned_prototypes(model)) is not None:
        return learned
    name = prototypes_name(model)
    text = META_VALUE.get(reader, (space, KEPT + name))
    if text is None:
        return None
    prototypes = json.loads(text)
    scales = np.array(prototypes["scales"], np.float32)
    codes = np.frombuffer(b64decode(prototypes["codes"]), np.int8).reshape(len(scales), -1)
    matrix = dequantize(codes, scales)
    return Prototypes(name, matrix[:-1], matrix[-1])


def make_prototypes(store: Store, space: str, embedder: Embedder) -> None:
    """Makes and keeps them, unless that has been done or the package has them.

    Raises:
        ModelError: the embedder failed.
    """
    if learned_prototypes(embedder.name) is not None:
        return
    with store.snapshot() as reader:
        if META_VALUE.get(reader, (space, KEPT + prototypes_name(embedder.name))) is not None:
            return
    prototypes = prototypes_of(embedder)
    codes, scales = quantize(np.vstack([prototypes.centres, prototypes.middle]))
    text = dumps({"scales": [float(scale) for scale in scales], "codes": b64encode(codes.tobytes()).decode("ascii")})
    row = MetaRow(space, KEPT + prototypes.name, text)
    store.transaction(lambda tx: META.put(tx, [row]), durable=False)
