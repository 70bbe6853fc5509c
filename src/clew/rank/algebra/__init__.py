"""Lattice algebra: Boolean expressions over what is known of turns (docs/query.md has the grammar).

`parse` makes a tree of an expression, `truth` says for each turn whether it holds. Neither reads anything itself: the
index is handed in, and what stands in rows comes through `FieldSource`.
"""

from clew.rank.algebra.evaluate import FALSE, TRUE, UNKNOWN, FieldSource, truth
from clew.rank.algebra.parser import parse

__all__ = ["FALSE", "TRUE", "UNKNOWN", "FieldSource", "parse", "truth"]
