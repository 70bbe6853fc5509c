"""A code base or set of documents as a graph of files, symbols and sections, kept below `.clew/project`.

Start at `nodes.ProjectNode`.
"""
