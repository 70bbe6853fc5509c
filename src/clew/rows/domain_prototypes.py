"""An embedder's prototypes of the domains, made once for a space and kept, so that all turns meet the same ones."""

import json
from base64 import b64decode, b64encode
from typing import Final, cast

import numpy as np

from clew.analyze.prototypes import Prototypes, prototypes_name, prototypes_of
from clew.models.protocol import Embedder
from clew.models.quantize import dequantize, quantize
from clew.store.protocol import Reader, Store
from clew.store.rows import dumps

KEPT: Final = "prototypes:"
"""Rows of META with this prefix hold an embedder's prototypes, as int8 numbers."""


def read_prototypes(reader: Reader, space: str, model: str) -> Prototypes | None:
    """Those that are kept; None when they were never made."""
    name = prototypes_name(model)
    row = reader.get("meta", (space, KEPT + name))
    if row is None:
        return None
    held = json.loads(cast(str, row[2]))
    scales = np.array(held["scales"], np.float32)
    codes = np.frombuffer(b64decode(held["codes"]), np.int8).reshape(len(scales), -1)
    matrix = dequantize(codes, scales)
    return Prototypes(name, matrix[:-1], matrix[-1])


def make_prototypes(store: Store, space: str, embedder: Embedder) -> None:
    """Makes and keeps them, unless that has been done.

    Raises:
        ModelError: the embedder failed.
    """
    with store.snapshot() as reader:
        if reader.get("meta", (space, KEPT + prototypes_name(embedder.name))) is not None:
            return
    made = prototypes_of(embedder)
    codes, scales = quantize(np.vstack([made.centres, made.middle]))
    said = dumps({"scales": [float(scale) for scale in scales], "codes": b64encode(codes.tobytes()).decode("ascii")})
    store.transaction(lambda tx: tx.put("meta", [(space, KEPT + made.name, said)]), durable=False)
