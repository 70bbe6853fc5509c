"""The in-process index of one space: packed segments and a tail, with the same answers in any layout (docs/search-index.md).

Start at `live.LiveIndex`.
"""
