"""Derived data of stored turns, made behind the acknowledgement: vectors, analysis, beats, entities.

Start at `analysis.Analysis`; `embedding`, `entity_counts` and `entity_recognition` stand beside it.
`clew.background.tasks` calls their steps.
"""
