"""Rows to dataclasses and back; `clew.store.row_types` names the columns. Start at `annotations`."""
