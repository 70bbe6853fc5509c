"""Ranks the turns of a space for a question, with the share of every signal in each score. Start at `ranker.Ranker`.

Pure: reads the index and what its sources hand in, and writes nothing.
"""
