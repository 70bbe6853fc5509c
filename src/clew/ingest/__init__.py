"""Turns the formats of other programs into turns; start at `importers.read_path`. Nothing here touches a store.

Also: alignment of resent sequences (`identity`), masking (`secrets`), large originals (`media`) and export.
"""
