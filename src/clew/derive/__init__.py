"""What is made of stored turns behind the acknowledgement: vectors, analysis, beats, entities.

Start at `analysis.Analysis`.
"""
