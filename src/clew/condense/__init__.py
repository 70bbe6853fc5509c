"""Shorter renderings of stored text; the stored text itself is never changed.

Start at `renderings.render_salient` and `renderings.render_title`; `clew.text.evidence` finds what they should keep.
"""
