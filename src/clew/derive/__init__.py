"""Derived data of stored turns, made in the background: vectors, analysis, beats, entities.

Start at `analysis.Analysis`; `embedding`, `entity_counts` and `entity_recognition` stand beside it.
`clew.background.tasks` calls their steps.
"""
