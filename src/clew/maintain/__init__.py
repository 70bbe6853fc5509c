"""Maintenance of spaces: verify, repair, copy, merge, forget, export. Start at `verify.verify` or `forget.forget`."""
