"""Annotations -> hierarchy: beats, chapters, the label vocabulary and the entity graph.

Start at `beats.advance` (turns to beats), `chapters.grow` (beats to chapters), `snapshot.freeze` (what is kept of a
closed beat), `vocabulary.Vocabulary` (labels) and `graph.EntityGraph` (entities). Everything is pure except
`stored_graph`, which reads and counts the entity rows of a space, and `nicknames`, which reads the index.
"""
