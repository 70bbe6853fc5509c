"""Learns parameters from the history of use. Pure: takes the history as arguments and stores nothing.

`validate` searches and judges; `structure` tunes the parameters of layers 1 to 4, `fusion` the weights of recall. Start
at `validate.decide`.
"""

from clew.rank.tuning.structure import (
    Interaction,
    StructureParameters,
    TunedStructure,
    WeighedChunk,
    tune_structure,
    weighed,
    weighed_together,
)

__all__ = [
    "Interaction",
    "StructureParameters",
    "TunedStructure",
    "WeighedChunk",
    "tune_structure",
    "weighed",
    "weighed_together",
]
