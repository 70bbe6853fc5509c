"""Facts: what turns state about people and things, which later statements replace, and what rests on what.

Start at `slots.slot_of`, which says for which verbs a later value replaces an earlier one. Everything here is pure.
The vectors of a session begin at `chunks.planned`, which decides whether it is read whole or in chunks.
"""
