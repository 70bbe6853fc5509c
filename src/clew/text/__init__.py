"""Rules for text in any script: search terms, pieces, dates, names and token counts. Pure functions without a model.

Start at `terms.terms`.
"""
