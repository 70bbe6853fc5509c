"""Lattice algebra: Boolean expressions over the fields of turns (docs/query.md has the grammar).

`parse` turns an expression into a tree, `truth` evaluates a tree for each turn. Neither reads anything itself:
the index is an argument, and values of stored rows come through `FieldSource`.
"""

from clew.rank.algebra.evaluate import FALSE, TRUE, UNKNOWN, FieldSource, truth
from clew.rank.algebra.parser import parse

__all__ = ["FALSE", "TRUE", "UNKNOWN", "FieldSource", "parse", "truth"]
