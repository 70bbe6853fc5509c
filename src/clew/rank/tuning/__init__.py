"""Parameters learned from history. Pure: what was learned from is given, nothing is stored.

`validate` searches and judges, `structure` tunes what layers 1 to 4 weigh by, `fusion` what recall ranks by.
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
