"""Statements in the text of turns, found by rules and without a model.

Start at `extract.statements`. The rules are general grammar; the words of a language are data (`knowledge/data`).
"""
