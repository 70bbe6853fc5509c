"""Whole homes: checked, mended, moved, forgotten, exported. Start at `verify.verify` or `forget.forget`."""
