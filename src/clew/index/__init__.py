"""The in-process index of one space: packed segments and a tail, with the same answers in any layout.

Start at `live.LiveIndex`, or read docs/search-index.md.
"""
