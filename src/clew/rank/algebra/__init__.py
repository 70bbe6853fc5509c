"""Lattice algebra: Boolean expressions over what is known of turns (docs/query.md has the grammar).

`parse` makes a tree of an expression, `truth` says for each turn whether it holds. Neither reads anything itself: the
index is handed in, and what stands in rows comes through `Known`.
"""

from clew.rank.algebra.evaluate import FALSE, TRUE, UNKNOWN, Known, truth
from clew.rank.algebra.parser import parse

__all__ = ["FALSE", "TRUE", "UNKNOWN", "Known", "parse", "truth"]
