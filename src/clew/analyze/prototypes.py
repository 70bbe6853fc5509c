"""Prototype vectors of the domains for one embedder: learned ones for the local model, mean vectors for any other.

For the local model the package has directions that were learned from several thousand texts (`domain_directions.json`,
made by `benchmarks/domain_words.py`). For others, a prototype is the mean vector of sample sentences of a domain. The
sentences are our own (`data/prototypes.json`), about ten for each domain. The mean over all domains is subtracted,
because an embedder maps all English text into one corner of its space.
"""

import hashlib
import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.lexicon import DOMAINS
from clew.models.checked_calls import embed_checked
from clew.models.protocol import Embedder, Matrix
from clew.models.quantize import dequantize

# How sharply the likeness to centres is turned into shares. Fitted on the tune part of benchmarks/domains.py with
# MiniLM, and only for embedders whose cosines spread alike.
_SHARPNESS: Final = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class Prototypes:
    """One centre for each domain, for one embedder.

    Attributes:
        name: the embedder's name and a hash of the sentences, which together identify the prototypes.
        centres: shape (number of domains, dim), float32, rows of length 1 in the order of `DOMAINS`, around `middle`.
        middle: shape (dim,), float32; the mean over domains, taken off every vector that is compared.
        offsets: for learned prototypes, what is added to the product with each centre to give the logarithm of the
            odds that the text belongs to the domain; the centres then have any length. Empty for others.
    """

    name: str
    centres: Matrix
    middle: Matrix
    offsets: tuple[float, ...] = ()


def prototypes_of(embedder: Embedder) -> Prototypes:
    """The learned prototypes if there are any, else those of the sentences, which are embedded.

    Pass a `RecordedEmbedder` to get the same result on every machine.

    Raises:
        ModelError: the embedder failed.
    """
    if (learned := learned_prototypes(embedder.name)) is not None:
        return learned
    rows = embed_checked(embedder, sentences())
    means: list[NDArray[np.float32]] = []
    first = 0
    for domain in DOMAINS:
        last = first + len(_sentences()[1][domain])
        means.append(_unit(rows[first:last].mean(axis=0, dtype=np.float64).astype(np.float32)))
        first = last
    middle = np.array(means, np.float32).mean(axis=0)
    centres = np.array([_unit(mean - middle) for mean in means], np.float32)
    return Prototypes(prototypes_name(embedder.name), centres, middle)


@cache
def learned_prototypes(model: str) -> Prototypes | None:
    """The prototypes that come with the package; None for an embedder that has none."""
    content = json.loads(_read("domain_directions.json"))
    return prototypes_from(content, prototypes_name(model)) if f"@{content['model']}" in model else None


def prototypes_from(content: Mapping[str, Any], name: str) -> Prototypes:
    """Learned prototypes from the content of such a file: int8 numbers with a scale for each domain, and offsets."""
    scales = np.array(content["scales"], np.float32)
    codes = np.frombuffer(b64decode(content["codes"]), np.int8).reshape(len(scales), -1)
    centres = dequantize(codes, scales)
    return Prototypes(name, centres, np.zeros(centres.shape[1], np.float32), tuple(content["offsets"]))


def sentences() -> tuple[str, ...]:
    """The sentences that are embedded once per embedder, in this order."""
    return tuple(sentence for domain in DOMAINS for sentence in _sentences()[1][domain])


def prototypes_name(model: str) -> str:
    """The name of an embedder's prototypes, available before they are made."""
    return f"{model}+{_sentences()[0][:8]}"


def log_odds(vector: NDArray[np.float32], prototypes: Prototypes) -> tuple[float, ...]:
    """The logarithm of the odds of each domain by learned prototypes, in the order of `DOMAINS`.

    Empty for a zero vector and for one whose length differs from the prototypes'.
    """
    if vector.shape != prototypes.middle.shape or not vector.any():
        return ()
    products = (prototypes.centres @ _unit(vector)).tolist()
    return tuple([round(product + offset, 4) for product, offset in zip(products, prototypes.offsets, strict=True)])


def likeness(vector: NDArray[np.float32], prototypes: Prototypes) -> tuple[float, ...]:
    """Similarity of a vector to each domain as shares that sum to 1, in the order of `DOMAINS`.

    Empty for a zero vector and for one whose length differs from the prototypes'.
    """
    if vector.shape != prototypes.middle.shape or not vector.any():
        return ()
    cosines = (prototypes.centres @ _unit(vector - prototypes.middle)).astype(np.float64)
    shares = np.exp(_SHARPNESS * (cosines - cosines.max()))
    total = float(shares.sum())
    return tuple([round(float(share) / total, 6) for share in shares])


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    length = float(np.sqrt(np.square(vector, dtype=np.float64).sum()))
    return vector / np.float32(length) if length else vector


@cache
def _sentences() -> tuple[str, dict[str, list[str]]]:
    """The SHA-256 of the file, and its sentences by domain."""
    text = _read("prototypes.json")
    return hashlib.sha256(text).hexdigest(), json.loads(text)


def _read(name: str) -> bytes:
    return (resources.files(__package__) / "data" / name).read_bytes()
