"""A turn on its way to being acknowledged: prepared, aligned with what is stored, appended.

Start at `append.Appender`.
"""
