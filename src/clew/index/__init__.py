"""The in-process index of one space: packed segments and a tail, the same answers in any layout (docs/index.md)."""
