"""Facts: what turns state about people and things, which later statements replace, and what rests on what.

Start at `reduce.reduced`: statements to facts, links and stale marks; `slots` says for which verbs a later value
replaces an earlier one. Everything here is pure.
The vectors of a session begin at `chunks.planned`, which decides whether it is read whole or in chunks.
"""
