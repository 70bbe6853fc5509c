"""Rows to dataclasses and back: the only room besides `store/` that knows a column. Start at `annotations`."""
